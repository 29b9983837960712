//! The events of each point: all of them, those that may fit a configuration, and what they and those below them touch.

use super::{Event, EventId, NO_POINT, NONE, Point, PointId, Unfolding};
use crate::lists::List;
use crate::uses::{NO_USES, Summary};
use gordian_base::{Id, ThreadId};

/// Points with fewer events are looked through.
const FEW_EVENTS: u32 = 12;

impl Unfolding {
    /// Adds what the step of a point touches to all points that it is below.
    pub(super) fn summarize(&mut self, point: PointId, summary: Summary) {
        let mut at = point;
        while at != NO_POINT && !self.points[at].below.contains(summary) {
            self.points[at].below.add(summary);
            at = match self.points[at].pred {
                NONE => NO_POINT,
                pred => self.events[pred].point,
            };
        }
    }

    /// Whether a step of this point, or of one below it, may touch something of this.
    pub fn may_touch(&self, point: PointId, what: Summary) -> bool {
        self.points[point].below.meets(what)
    }

    /// Adds an event to those of its point.
    pub(super) fn add_to_point(&mut self, point: PointId, id: EventId) {
        let uses = self.events[id].uses;
        let Point { ref mut last, ref mut n_events, ref mut common, .. } = self.points[point];
        *common = if *n_events == 0 || *common == uses { uses } else { NO_USES };
        *n_events += 1;
        let n_events = *n_events;
        self.events[id].sibling = std::mem::replace(last, id);
        self.summarize(point, Summary::of(self.sets.get(uses), self.events[id].depends_on_all));
        match n_events {
            0..FEW_EVENTS => {}
            FEW_EVENTS => {
                let all: Vec<EventId> = self.events_of_point(point).collect();
                all.into_iter().rev().for_each(|id| self.index(id));
            }
            _ => self.index(id),
        }
    }

    /// The events of a point, the last one first.
    pub fn events_of_point(&self, point: PointId) -> impl Iterator<Item = EventId> {
        let mut at = self.points[point].last;
        std::iter::from_fn(move || {
            let event = Some(at).filter(|&event| event != NONE)?;
            at = self.events[event].sibling;
            Some(event)
        })
    }

    fn index(&mut self, id: EventId) {
        let Event { point, thread, past, .. } = self.events[id];
        let mut add = |other, last| {
            let list = self.by_last.entry((point, other, last)).or_insert(List::EMPTY);
            self.lists.push_front(list, id);
        };
        for other in (0..past.len as usize).filter(|&other| other != thread.index()) {
            add(ThreadId(other as u32), self.cuts[past.start as usize + other]);
        }
        add(beyond(past.len as usize), NONE);
    }

    /// The events of a point, of those that were added after `earliest`, whose pasts fit a configuration as far as this thread goes, which goes on after the
    /// configuration in none of them.
    ///
    /// *Lemma.* In an event that is compatible with the configuration and does not know of more of the thread, the thread's last event is one
    /// in the configuration. So it is looked up for each of these, which are few where the events of the point are many.
    pub fn events_beside(
        &self,
        point: PointId,
        cut: &[EventId],
        thread: ThreadId,
        earliest: EventId,
        found: &mut Vec<EventId>,
    ) {
        let n_before = found.len();
        let mut later = self.events_of_point(point).take_while(|&event| event > earliest);
        if self.points[point].thread == thread {
            return found.extend(later);
        }
        found.extend(later.by_ref().take(FEW_EVENTS as usize));
        if later.next().is_none() {
            return;
        }
        found.truncate(n_before);
        let mut visit_all = |key| {
            if let Some(&list) = self.by_last.get(&key) {
                found.extend(self.lists.iter(list).take_while(|&event| event > earliest));
            }
        };
        let mut last = cut.get(thread.index()).copied().unwrap_or(NONE);
        loop {
            visit_all((point, thread, last));
            if last == NONE {
                break;
            }
            last = self.events[last].pred;
        }
        for n_threads in 0..=thread.index() {
            visit_all((point, beyond(n_threads), NONE));
        }
    }
}

/// In place of all threads from this number on, of which an event knows nothing.
fn beyond(n_threads: usize) -> ThreadId {
    ThreadId(u32::MAX - n_threads as u32)
}
