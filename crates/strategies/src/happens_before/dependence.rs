//! Which steps depend on each other, for those who ask that of many.

use super::footprint::{FootprintId, Footprints, thread_bit};
use super::transition::Transition;

/// The first footprints, a bit for each: many programs have no others.
pub struct Early {
    /// By footprint: those that it has a conflict with.
    conflicts: [Set; EARLY],
    /// Those that depend on others by what they touch alone, whosever step that is.
    plain: Set,
}

pub const EARLY: usize = 256;

/// Some of the first footprints.
#[derive(Clone, Copy, Default)]
pub struct Set([u64; EARLY / 64]);

impl Set {
    #[inline]
    pub fn meets(&self, other: &Set) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    #[inline]
    pub fn add(&mut self, id: FootprintId) {
        self.0[id.index() / 64] |= 1 << (id.index() % 64);
    }

    #[inline(always)]
    fn has(&self, id: FootprintId) -> bool {
        self.0.get(id.index() / 64).is_some_and(|bits| bits >> (id.index() % 64) & 1 != 0)
    }
}

impl Default for Early {
    fn default() -> Self {
        Early { conflicts: [Set::default(); EARLY], plain: Set::default() }
    }
}

impl Early {
    /// Adds a footprint that has conflicts with these, of those before it and itself.
    pub fn add(&mut self, id: FootprintId, conflicts: &[FootprintId], is_plain: bool) {
        for &other in conflicts {
            self.conflicts[id.index()].add(other);
            self.conflicts[other.index()].add(id);
        }
        if is_plain {
            self.plain.add(id);
        }
    }

    /// The footprints that this one has a conflict with, if steps with it depend on others by what they touch alone.
    #[inline]
    pub fn conflicts(&self, id: FootprintId) -> Option<&Set> {
        self.conflicts.get(id.index()).filter(|_| self.plain.has(id))
    }

    /// Whether two footprints are known to have a conflict: then steps with them depend on each other.
    #[inline(always)]
    pub fn are_in_conflict(&self, a: FootprintId, b: FootprintId) -> bool {
        self.conflicts.get(a.index()).is_some_and(|conflicts| conflicts.has(b))
    }
}

/// What depends on one step.
pub struct Dependents<'a> {
    footprints: &'a Footprints,
    label: &'a Transition,
    /// If the step is plain: those that it has a conflict with, and those of which that tells.
    told: Option<(&'a Set, &'a Set)>,
}

impl<'a> Dependents<'a> {
    #[inline(always)]
    pub fn of(footprints: &'a Footprints, label: &'a Transition) -> Dependents<'a> {
        let early = footprints.early();
        let conflicts = early.conflicts(label.footprint);
        Dependents { footprints, label, told: conflicts.map(|conflicts| (conflicts, &early.plain)) }
    }

    #[inline(always)]
    pub fn have(&self, other: &Transition) -> bool {
        other.thread == self.label.thread || self.have_foreign(other)
    }

    /// The same for a step of another thread.
    #[inline(always)]
    fn have_foreign(&self, other: &Transition) -> bool {
        match self.told {
            Some((conflicts, plain)) if plain.has(other.footprint) => conflicts.has(other.footprint),
            _ => self.footprints.depends_in_any_case(self.label, other),
        }
    }

    /// The position of the first of these steps that does, those of the step's own thread included.
    #[inline(always)]
    pub fn first_of(&self, steps: &[Transition]) -> Option<usize> {
        steps.iter().position(|step| self.have(step))
    }

    /// Whether any of these steps, of other threads, does. The last of a sequence that is planned is the most likely one.
    #[inline(always)]
    pub fn are_among(&self, others: &[Transition]) -> bool {
        others.iter().rev().any(|step| self.have_foreign(step))
    }
}

/// The threads of a sequence, and perhaps others: an over-approximation, since threads from the sixty-fifth on share bits. Whoever asks
/// must be right for a superset, as [`Threads::ANY`] is one.
#[derive(Clone, Copy)]
pub struct Threads(u64);

impl Threads {
    pub const ANY: Threads = Threads(u64::MAX);

    #[inline]
    pub fn of(sequence: &[Transition]) -> Threads {
        Threads(sequence.iter().fold(0, |bits, label| bits | thread_bit(label.thread)))
    }

    #[inline]
    pub fn may_have(self, thread: gordian_base::ThreadId) -> bool {
        self.0 & thread_bit(thread) != 0
    }
}

/// A first look at a sequence, which tells of most steps that it could not begin with them: they are of other threads, and its
/// last step depends on them.
#[derive(Clone, Copy)]
pub struct Glance<'a> {
    threads: Threads,
    /// What the last step has a conflict with.
    conflicts: &'a Set,
}

const NOTHING: &Set = &Set([0; EARLY / 64]);

impl<'a> Glance<'a> {
    #[inline]
    pub fn of(footprints: &'a Footprints, sequence: &[Transition], threads: Threads) -> Glance<'a> {
        let last = sequence.last().map_or(usize::MAX, |last| last.footprint.index());
        Glance { threads, conflicts: footprints.early().conflicts.get(last).unwrap_or(NOTHING) }
    }

    #[inline(always)]
    pub fn rules_out(&self, label: &Transition) -> bool {
        !self.threads.may_have(label.thread) && self.conflicts.has(label.footprint)
    }
}
