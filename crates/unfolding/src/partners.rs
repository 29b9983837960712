//! The partners of each point: events that its step depends on and that can happen before it, by what makes them partners.

use crate::events::{EventId, PointId, Unfolding};
use crate::lists::{List, Lists};
use crate::uses::{Use, UsesId};

/// Why an event is a partner of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// What it touches.
    Uses(UsesId),
    /// It depends on everything.
    All,
    /// It took a lock that the step waits for, so it is not the last before the step.
    Locked,
}

/// The partners of a point for one reason.
struct Group {
    reason: Reason,
    events: List,
    next: u32,
}

/// The groups of a point by the first of them.
#[derive(Clone, Copy, Debug)]
pub struct Groups(u32);

impl Groups {
    pub const NONE: Groups = Groups(u32::MAX);
}

/// The partners of all points.
#[derive(Default)]
pub struct Partners {
    groups: Vec<Group>,
    lists: Lists,
}

impl Partners {
    fn groups(&self, groups: Groups) -> impl Iterator<Item = &Group> {
        let mut at = groups.0;
        std::iter::from_fn(move || {
            let group = self.groups.get(at as usize)?;
            at = group.next;
            Some(group)
        })
    }

    /// The partners of a point for reasons that are such.
    pub fn of(&self, groups: Groups, is_such: impl Fn(Reason) -> bool) -> impl Iterator<Item = EventId> {
        let such = self.groups(groups).filter(move |group| is_such(group.reason));
        such.flat_map(|group| self.lists.iter(group.events))
    }

    pub fn add(&mut self, groups: &mut Groups, reason: Reason, event: EventId) {
        let (mut at, mut last) = (groups.0, None);
        while let Some(group) = self.groups.get_mut(at as usize) {
            if group.reason == reason {
                return self.lists.push(&mut group.events, event);
            }
            (last, at) = (Some(at), group.next);
        }
        let new = u32::try_from(self.groups.len()).expect("fewer than 2^32 groups");
        let mut events = List::EMPTY;
        self.lists.push(&mut events, event);
        self.groups.push(Group { reason, events, next: u32::MAX });
        match last {
            Some(last) => self.groups[last as usize].next = new,
            None => groups.0 = new,
        }
    }
}

impl Unfolding {
    /// Whether a step of this point that happens after the event knows of it.
    pub fn is_known_to(&self, point: PointId, event: EventId) -> bool {
        let (point, event) = (&self.points[point], &self.events[event]);
        if event.is_join || event.is_cut_off || point.thread == event.thread {
            return false;
        }
        let later = self.sets.get(point.uses);
        let causes = |earlier: &Use| later.iter().any(|later| self.arcs.is_cause(earlier, later));
        point.depends_on_all || event.depends_on_all || self.sets.get(event.uses).iter().any(causes)
    }

    /// What makes an event known to the step of a point.
    pub fn reason(&self, point: PointId, event: EventId) -> Reason {
        if self.is_locked_by(point, event) {
            return Reason::Locked;
        }
        let event = &self.events[event];
        if event.depends_on_all { Reason::All } else { Reason::Uses(event.uses) }
    }

    /// Whether two partners for these reasons are in one configuration only if one of them knows of the other.
    pub fn are_exclusive(&self, a: Reason, b: Reason) -> bool {
        match (a, b) {
            (Reason::Uses(a), Reason::Uses(b)) => {
                let (a, b) = (self.sets.get(a), self.sets.get(b));
                a.iter().any(|a| b.iter().any(|b| self.arcs.excludes(a, b)))
            }
            (Reason::All, Reason::Uses(_) | Reason::All) | (Reason::Uses(_), Reason::All) => true,
            (Reason::Locked, _) | (_, Reason::Locked) => false,
        }
    }

    /// Whether a step of this point cannot be the next after the event: that took a lock which the step waits for.
    fn is_locked_by(&self, point: PointId, event: EventId) -> bool {
        let later = self.expected(point);
        let locks = |earlier: &Use| {
            earlier.takes_lock && later.iter().any(|later| later.takes_lock && self.arcs.is_cause(earlier, later))
        };
        self.uses_of(event).iter().any(locks)
    }

    pub fn add_partner(&mut self, point: PointId, reason: Reason, event: EventId) {
        self.partners.add(&mut self.points[point].groups, reason, event);
    }

    /// The partners of a point for reasons that are such.
    pub fn partners(&self, point: PointId, is_such: impl Fn(Reason) -> bool) -> impl Iterator<Item = EventId> {
        self.partners.of(self.points[point].groups, is_such)
    }

    pub fn forget_partners(&mut self, point: PointId) {
        self.points[point].groups = Groups::NONE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partners_are_kept_by_reason_and_point() {
        let mut partners = Partners::default();
        let (mut a, mut b) = (Groups::NONE, Groups::NONE);
        partners.add(&mut a, Reason::All, EventId(1));
        partners.add(&mut b, Reason::All, EventId(2));
        partners.add(&mut a, Reason::Locked, EventId(3));
        partners.add(&mut a, Reason::All, EventId(4));
        let of = |groups, such: fn(Reason) -> bool| partners.of(groups, such).map(|event| event.0).collect::<Vec<_>>();
        assert_eq!(of(a, |_| true), [1, 4, 3]);
        assert_eq!(of(a, |reason| reason != Reason::All), [3]);
        assert_eq!(of(b, |_| true), [2]);
    }
}
