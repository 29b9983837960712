//! Races that one look does not settle.
//!
//! What reverses a race is left out if a step that is asleep could come first: all that begins with it was explored before. But what the
//! sequence says of the time after the race is what this execution did then. Another one that keeps both steps may go
//! on with something that depends on the step that is asleep, and what follows from that was explored nowhere. It
//! cannot be found as a race of planned steps, either, as nothing was planned. So such a race is looked at in every
//! execution. Whether it is such a race depends on the steps up to its second and on what is asleep before its first alone, so
//! that all who share a search agree.

use super::wakeup::weak_initial;
use super::{Dpor, Label, Race, Second};

impl Dpor {
    /// Plans the executions in which the two steps of a race come in the other order.
    pub(super) fn reverse_steps(&mut self, race: Race) {
        let second = self.second_of(race);
        self.reverse(race, second);
    }

    fn second_of(&mut self, race: Race) -> Label {
        let Second::Step(second) = race.second else { unreachable!("those of blocked threads were reversed") };
        self.history.second_if_reversed(race, second)
    }

    /// Notes which of these races are to be looked at again.
    pub(super) fn keep_unsettled(&mut self, races: &[Race]) {
        for &race in races {
            if self.is_unsettled(race) {
                self.unsettled.push(race);
            }
        }
    }

    /// Whether a step that is asleep covers what leads to the second step of a race, whatever comes after.
    fn is_unsettled(&mut self, race: Race) -> bool {
        let Second::Step(end) = race.second else { unreachable!("those of blocked threads were reversed") };
        let depth = race.first as usize;
        if self.sleep(depth).is_empty() {
            return false;
        }
        let second = self.second_of(race);
        self.history.without_up_to(end as usize, race, second, &mut self.sequence);
        let covers = |asleep: &Label| {
            let asleep = Label { is_apart: false, ..*asleep };
            weak_initial(&self.history.footprints, &asleep, &self.sequence).is_some()
        };
        self.sleep(depth).iter().any(covers)
    }

    pub(super) fn reverse_unsettled(&mut self) {
        for index in 0..self.unsettled.len() {
            self.reverse_steps(self.unsettled[index]);
        }
    }

    /// The search goes back until `len` steps are left.
    pub(super) fn forget_unsettled(&mut self, len: usize) {
        let is_left = |race: &Race| matches!(race.second, Second::Step(second) if (second as usize) < len);
        self.unsettled.retain(is_left);
    }
}
