//! Configurations by the last event of each thread: what they contain, and whether two of them are parts of one.

use crate::events::{Cut, Event, EventId, NONE, Unfolding};
use crate::uses::{Arcs, Use};
use gordian_base::Id;
use gordian_strategies::happens_before::steps::Mode;
use std::cell::RefCell;

#[derive(Clone, Copy, Default)]
struct Stamp {
    round: u32,
    uses: [u8; 3],
}

/// What one of two configurations touches, while they are compared.
#[derive(Default)]
struct Scratch {
    /// By location.
    stamps: Vec<Stamp>,
    /// By set of accesses: the last round in which it was met in the first configuration, and in the second.
    met: Vec<[u32; 2]>,
    /// Stamps of other rounds are void.
    round: u32,
}

impl Scratch {
    fn next_round(&mut self) {
        if self.round == u32::MAX {
            *self = Scratch::default();
        }
        self.round += 1;
    }
}

thread_local! {
    /// One for each worker, for all of its comparisons: stamps of other unfoldings are of other rounds.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Unfolding {
    /// The ancestor of an event at this depth, which is not below it.
    fn ancestor(&self, mut event: EventId, depth: u32) -> EventId {
        while self.events[event].depth > depth {
            let Event { pred, jump, .. } = self.events[event];
            event = if self.events[jump].depth >= depth { jump } else { pred };
        }
        event
    }

    pub fn in_chain(&self, first: EventId, last: EventId) -> bool {
        let depth = self.events[first].depth;
        self.events[last].depth >= depth && self.ancestor(last, depth) == first
    }

    /// How many events a configuration has.
    pub fn size_of(&self, cut: &[EventId]) -> u32 {
        cut.iter().filter(|&&last| last != NONE).map(|&last| self.events[last].depth + 1).sum()
    }

    /// Whether the event is in the configuration.
    pub fn contains(&self, cut: &[EventId], event: EventId) -> bool {
        let last = cut.get(self.events[event].thread.index()).copied().unwrap_or(NONE);
        last != NONE && self.in_chain(event, last)
    }

    /// Adds a configuration to one that it is compatible with.
    pub fn add_to(&self, cut: &mut Vec<EventId>, more: &[EventId]) {
        cut.resize(cut.len().max(more.len()), NONE);
        for (mine, &theirs) in cut.iter_mut().zip(more) {
            if *mine == NONE || theirs != NONE && self.events[theirs].depth > self.events[*mine].depth {
                *mine = theirs;
            }
        }
    }

    pub fn union(&self, a: &[EventId], b: &[EventId]) -> Cut {
        let mut cut = Vec::with_capacity(a.len().max(b.len()));
        cut.extend_from_slice(a);
        self.add_to(&mut cut, b);
        // Equal configurations are equal cuts.
        while cut.last() == Some(&NONE) {
            cut.pop();
        }
        cut.into()
    }

    /// Events of the first configuration that are not in the second, which it is compatible with as far as single threads go.
    pub fn difference(&self, a: &[EventId], b: &[EventId], mut visit: impl FnMut(&Event) -> bool) -> bool {
        for (thread, &last) in a.iter().enumerate() {
            let known = b.get(thread).copied().unwrap_or(NONE);
            let mut event = last;
            while event != NONE
                && event != known
                && (known == NONE || self.events[event].depth > self.events[known].depth)
            {
                let this = &self.events[event];
                if !visit(this) {
                    return false;
                }
                event = this.pred;
            }
        }
        true
    }

    /// Whether two configurations are parts of one: no event of one excludes an event of the other.
    ///
    /// *Lemma.* Both are closed under causes. If an event of the first that is not in the second and one of the second that is not in
    /// the first are dependent, neither knows of the other, so no configuration has both. Conversely, if no such pair is dependent,
    /// the union is closed under causes and any two dependent events in it are ordered, so it is a configuration.
    /// (With read arcs a read and a write that are dependent may be put in order yet; see [`Unfolding::have_common_order`].)
    pub fn are_compatible(&self, a: &[EventId], b: &[EventId]) -> bool {
        for (&x, &y) in a.iter().zip(b) {
            if x == y || x == NONE || y == NONE {
                continue;
            }
            let (first, last) = if self.events[x].depth <= self.events[y].depth { (x, y) } else { (y, x) };
            if !self.in_chain(first, last) {
                return false;
            }
        }
        let compatible = SCRATCH.with_borrow_mut(|scratch| self.differ_without_conflict(a, b, scratch));
        compatible && (self.arcs == Arcs::Replicated || self.have_common_order(a, b))
    }

    fn differ_without_conflict(&self, a: &[EventId], b: &[EventId], scratch: &mut Scratch) -> bool {
        scratch.next_round();
        let Scratch { ref mut stamps, ref mut met, round } = *scratch;
        stamps.resize(self.sets.n_slots(), Stamp::default());
        met.resize(self.sets.len(), [0; 2]);
        let (mut n_first, mut all) = (0, false);
        self.difference(a, b, |event| {
            n_first += 1;
            all |= event.depends_on_all;
            if std::mem::replace(&mut met[event.uses.index()][0], round) == round {
                return true;
            }
            for used in self.sets.get(event.uses) {
                let stamp = &mut stamps[used.slot as usize];
                if stamp.round != round {
                    *stamp = Stamp { round, uses: [0; 3] };
                }
                stamp.uses[used.mode as usize] |= used.bytes;
            }
            true
        });
        if n_first == 0 {
            return true;
        }
        self.difference(b, a, |event| {
            if all || event.depends_on_all {
                return false;
            }
            if std::mem::replace(&mut met[event.uses.index()][1], round) == round {
                return true;
            }
            !self.sets.get(event.uses).iter().any(|used| {
                let stamp = stamps[used.slot as usize];
                let clashes = |mode: Mode| {
                    let theirs = Use { mode, bytes: stamp.uses[mode as usize], ..*used };
                    self.arcs.excludes(used, &theirs)
                };
                stamp.round == round && [Mode::Read, Mode::Share, Mode::Write].into_iter().any(clashes)
            })
        })
    }

    /// The causes of an event that are in the past of no other cause.
    pub fn direct_causes(&self, id: EventId) -> Vec<EventId> {
        let pred = self.events[id].pred;
        let lasts = self.past(id).iter().copied().filter(|&last| last != id && last != NONE);
        let mut causes: Vec<EventId> = lasts.chain([pred].into_iter().filter(|&pred| pred != NONE)).collect();
        causes.dedup();
        let all = causes.clone();
        causes.retain(|&cause| !all.iter().any(|&other| other != cause && self.contains(self.past(other), cause)));
        causes
    }
}
