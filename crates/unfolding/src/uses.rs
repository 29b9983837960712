//! What steps touch, as far as causality goes: locations by number, and each set of accesses kept once.

use gordian_base::{FxBuildHasher, FxHashMap, Id, define_id};
use gordian_strategies::happens_before::steps::{Location, Mode, Touch};
use indexmap::IndexSet;
use smallvec::SmallVec;

/// A location by its number, with the bytes and the mode of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Use {
    pub slot: u32,
    pub bytes: u8,
    pub mode: Mode,
    pub takes_lock: bool,
}

/// The accesses of one step.
pub type Uses = SmallVec<[Use; 2]>;

define_id! {
    /// Accesses that some step makes.
    UsesId, "u"
}

/// No accesses.
pub const NO_USES: UsesId = UsesId(0);

impl Use {
    fn conflicts(&self, other: &Use) -> bool {
        self.slot == other.slot && self.bytes & other.bytes != 0 && self.mode.conflicts(other.mode)
    }
}

/// How reads take part in causality.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arcs {
    /// Every thread has its own copy of each place, and a write consumes all copies: it knows of the reads before it.
    #[default]
    Replicated,
    /// Reads are read arcs: a write knows of the write before it, not of who has read that.
    Contextual,
}

impl Arcs {
    /// Whether a step that makes `later` knows of one before it that made `earlier`.
    pub fn is_cause(self, earlier: &Use, later: &Use) -> bool {
        earlier.conflicts(later) && (self == Arcs::Replicated || earlier.mode != Mode::Read)
    }

    /// Whether neither of two steps can be in one configuration with the other, unless one knows of the other.
    pub fn excludes(self, a: &Use, b: &Use) -> bool {
        self.is_cause(a, b) && self.is_cause(b, a)
    }
}

/// Which locations are read and which are changed, each as one of a few bits: it may say too much, never too little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    reads: u64,
    changes: u64,
}

/// The bit of steps that may depend on anything.
const ANYTHING: u64 = 1 << 63;

impl Summary {
    /// Of what a step touches.
    pub fn of(uses: &[Use], depends_on_all: bool) -> Summary {
        let mut summary = Summary { reads: 0, changes: if depends_on_all { ANYTHING } else { 0 } };
        for used in uses {
            let bits = if used.mode == Mode::Read { &mut summary.reads } else { &mut summary.changes };
            *bits |= bit(used.slot);
        }
        summary
    }

    /// Of all that a step with these accesses can be a cause of, or if `is_later` that can be a cause of it.
    pub fn related(arcs: Arcs, uses: &[Use], depends_on_all: bool, is_later: bool) -> Summary {
        if depends_on_all {
            return Summary { reads: u64::MAX, changes: u64::MAX };
        }
        let mut summary = Summary { reads: 0, changes: ANYTHING };
        for used in uses {
            // With read arcs nobody knows of reads.
            let knows_reads = arcs == Arcs::Replicated || !is_later;
            if used.mode != Mode::Read {
                summary.changes |= bit(used.slot);
                summary.reads |= if knows_reads { bit(used.slot) } else { 0 };
            } else if arcs == Arcs::Replicated || is_later {
                summary.changes |= bit(used.slot);
            }
        }
        summary
    }

    /// Whether something may be in both.
    pub fn meets(self, other: Summary) -> bool {
        self.reads & other.reads != 0 || self.changes & other.changes != 0
    }

    pub fn contains(self, other: Summary) -> bool {
        other.reads & !self.reads == 0 && other.changes & !self.changes == 0
    }

    pub fn add(&mut self, other: Summary) {
        self.reads |= other.reads;
        self.changes |= other.changes;
    }
}

fn bit(slot: u32) -> u64 {
    1 << (slot % 63)
}

/// All locations and sets of accesses so far. Programs have few of these, and many events for each.
pub struct UseSets {
    slots: FxHashMap<Location, u32>,
    sets: IndexSet<Box<[Use]>, FxBuildHasher>,
}

impl UseSets {
    pub fn new() -> UseSets {
        let mut sets = UseSets { slots: FxHashMap::default(), sets: IndexSet::default() };
        sets.keep(&[]);
        sets
    }

    pub fn n_slots(&self) -> usize {
        self.slots.len()
    }

    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Numbers the locations of a step, in the order of first sight.
    pub fn number(&mut self, touches: &[Touch]) -> Uses {
        let mut number = |touch: &Touch| {
            let next = self.slots.len() as u32;
            let slot = *self.slots.entry(touch.location).or_insert(next);
            Use { slot, bytes: touch.bytes, mode: touch.mode, takes_lock: touch.takes_lock }
        };
        touches.iter().map(&mut number).collect()
    }

    pub fn keep(&mut self, uses: &[Use]) -> UsesId {
        match self.sets.get_index_of(uses) {
            Some(known) => UsesId::from_index(known),
            None => UsesId::from_index(self.sets.insert_full(uses.into()).0),
        }
    }

    pub fn get(&self, id: UsesId) -> &[Use] {
        &self.sets[id.index()]
    }
}
