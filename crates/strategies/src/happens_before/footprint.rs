//! What a step touches, and when two steps depend on each other.
//!
//! A step touches *locations*: aligned words of memory with a mask of their bytes, open files, and pieces of state that lie in no
//! memory of the program. Synchronisation objects lie in memory, see `operation`. Two steps of different threads are dependent if they touch the same
//! location in conflicting modes, or if one makes the other possible (creation, join, wake-up).
//!
//! **Lemma (dependence is enough).** Steps that are not dependent commute, which is the axiom of this folder. It holds since a step reads and
//! writes nothing but what is in its footprint (the machine logs every operation that others could see or influence: an obligation of every model, see the head of `vm/src/models/mod.rs`), and since what a step enables
//! or disables in others shows as an access to what they wait for, or as an effect. Dependence may be larger than needed: a footprint that is `unknown`, or
//! that ends the process, depends on everything, and bits that are shared (`summary`, `thread_bit`) only ever say "perhaps".

use super::dependence::{Dependents, EARLY, Early};
use super::location::{Access, Class, Location, Mode};
use super::overlaps::Overlaps;
use super::transition::Transition;
use gordian_base::{FxBuildHasher, FxHashMap, ThreadId};
use indexmap::IndexSet;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// What happens behind the operation of a step, to its own thread or to one that it let go on. A join only orders what the
/// joiner does next, so it is no part of the footprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Effect {
    Join {
        joiner: ThreadId,
        target: ThreadId,
    },
    Create {
        creator: ThreadId,
        child: ThreadId,
    },
    /// The thread was woken or let through a barrier.
    Release(ThreadId),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Footprint {
    pub accesses: SmallVec<[Access; 2]>,
    /// Threads that it creates or lets go on, in order.
    pub effects: SmallVec<[Effect; 1]>,
    /// Threads whose end its thread, or who created it, had waited for since its step before.
    pub joins: SmallVec<[ThreadId; 1]>,
    /// The process ends with this step: it depends on everything.
    pub ends_process: bool,
    /// The step was not executed yet, so it may depend on anything.
    pub unknown: bool,
    /// The step has the same variants whatever others do.
    pub keeps_variants: bool,
    /// The step is an atomic section, or an exchange that inputs decide about, and to be made at another time than when it was
    /// seen: what it finds then may lead it to touch something else.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_guess: bool,
}

impl Footprint {
    /// Threads that this step woke or let through a barrier.
    pub fn released(&self) -> impl Iterator<Item = ThreadId> {
        self.effects.iter().filter_map(|effect| match *effect {
            Effect::Release(thread) => Some(thread),
            Effect::Join { .. } | Effect::Create { .. } => None,
        })
    }

    /// Whether `thread` could not have made its next step before this one.
    fn enables(&self, thread: ThreadId) -> bool {
        self.effects.iter().any(|effect| match *effect {
            Effect::Create { child, .. } => child == thread,
            Effect::Release(released) => released == thread,
            Effect::Join { .. } => false,
        })
    }

    /// Whether a step of `thread` with this footprint and one of another thread with `other` depend on each other.
    fn depends(&self, thread: ThreadId, other: &Footprint, other_thread: ThreadId) -> bool {
        self.ends_process
            || other.ends_process
            || self.unknown
            || other.unknown
            || self.enables(other_thread)
            || other.enables(thread)
            || self.joins.contains(&other_thread)
            || other.joins.contains(&thread)
            || self.touches_as(other)
    }

    /// Whether both touch a location in conflicting modes.
    fn touches_as(&self, other: &Footprint) -> bool {
        self.accesses.iter().any(|a| other.accesses.iter().any(|b| a.conflicts(b)))
    }

    /// A bit for each location: no bit in common, no location in common.
    fn summary(&self) -> u64 {
        let bit = |access: Access| {
            let Location { address, class } = access.location;
            // By the words of an object, and objects apart.
            1u64 << (((address >> 3) ^ (address >> 30) ^ (class as u64) << 3) % 64)
        };
        self.accesses.iter().flat_map(|access| access.each_word()).map(bit).fold(0, |bits, bit| bits | bit)
    }

    /// The bits of the threads whose steps it may be ordered with whatever they touch.
    fn orders(&self) -> u64 {
        if self.ends_process || self.unknown {
            return u64::MAX;
        }
        let enabled = self.effects.iter().filter_map(|effect| match *effect {
            Effect::Create { child, .. } => Some(child),
            Effect::Release(released) => Some(released),
            Effect::Join { .. } => None,
        });
        enabled.chain(self.joins.iter().copied()).fold(0, |bits, thread| bits | thread_bit(thread))
    }
}

/// Threads beyond the sixty-fourth share bits with others.
#[inline]
pub fn thread_bit(thread: ThreadId) -> u64 {
    1 << (thread.0 % 64)
}

/// Names a footprint among [`Footprints`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FootprintId(u32);

impl FootprintId {
    /// In place of a footprint where there is none.
    pub const NONE: FootprintId = FootprintId(u32::MAX);

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is asked of a footprint most, close together.
#[derive(Clone, Copy)]
struct Bits {
    /// See [`Footprint::orders`].
    orders: u64,
    /// See [`Footprint::summary`].
    summary: u64,
    /// The slot of its only access, or [`SEVERAL`].
    slot: u32,
    /// Of its only access; none without one.
    bytes: u8,
    mode: Mode,
    /// Its only access touches several words.
    is_wide: bool,
    has_effects: bool,
    keeps_variants: bool,
    is_uncertain: bool,
    shares_lock: bool,
}

/// In place of a slot: it makes several accesses.
const SEVERAL: u32 = u32::MAX;

impl Bits {
    fn of(footprint: &Footprint, slots: &[u32]) -> Bits {
        let (slot, bytes, mode, is_wide) = match footprint.accesses[..] {
            [] => (0, 0, Mode::Read, false),
            [Access { bytes, mode, words, .. }] => (slots[0], bytes, mode, words > 1),
            _ => (SEVERAL, 0, Mode::Read, false),
        };
        let (has_effects, keeps_variants) = (!footprint.effects.is_empty(), footprint.keeps_variants);
        let is_uncertain = footprint.is_guess;
        let (orders, summary) = (footprint.orders(), footprint.summary());
        let shares_lock = |access: &Access| access.mode == Mode::Share && access.location.class == Class::Memory;
        let shares_lock = footprint.accesses.iter().any(shares_lock);
        Bits { orders, summary, slot, bytes, mode, is_wide, has_effects, keeps_variants, is_uncertain, shares_lock }
    }

    /// Whether that there is one access each, of one word or to the same location, does not tell whether they conflict.
    #[inline]
    fn are_many(&self, other: &Bits) -> bool {
        self.slot == SEVERAL || other.slot == SEVERAL || self.slot != other.slot && (self.is_wide || other.is_wide)
    }

    /// Whether the only accesses of both conflict.
    #[inline]
    fn conflicts(&self, other: &Bits) -> bool {
        self.slot == other.slot && self.bytes & other.bytes != 0 && self.mode.conflicts(other.mode)
    }
}

/// Every footprint that was seen, once. A program has few, however many executions.
pub struct Footprints {
    all: IndexSet<Footprint, FxBuildHasher>,
    bits: Vec<Bits>,
    /// By footprint: the slots of its accesses, for whoever keeps them by number.
    slots_of: Vec<SmallVec<[u32; 2]>>,
    /// Numbers locations in the order of first sight; the numbers last for the whole search.
    slots: FxHashMap<Location, u32>,
    /// Which of them overlap.
    overlaps: Overlaps,
    /// Footprints of a single access that were asked for lately, by its address.
    recent: Box<[Recent; RECENT]>,
    /// Those of several accesses and nothing else. The one without any stands for none.
    recent_of_several: Box<[FootprintId; RECENT]>,
    early: Box<Early>,
    /// Writes that nobody reads are not ordered: see the strategy `observers`.
    pub is_relaxed: bool,
}

/// A footprint that is one access and nothing else.
#[derive(Clone, Copy)]
struct Recent {
    address: u64,
    /// Its class, bytes and mode, and whether it keeps its variants.
    rest: u64,
    id: FootprintId,
    slot: u32,
}

const RECENT: usize = 256;

impl Default for Footprints {
    fn default() -> Self {
        // No step touches this.
        let nothing = Recent { address: u64::MAX, rest: 0, id: Footprints::UNKNOWN, slot: 0 };
        let mut footprints = Footprints {
            all: IndexSet::default(),
            bits: Vec::new(),
            slots_of: Vec::new(),
            slots: FxHashMap::default(),
            overlaps: Overlaps::default(),
            recent: Box::new([nothing; RECENT]),
            recent_of_several: Box::new([Footprints::UNKNOWN; RECENT]),
            early: Box::default(),
            is_relaxed: false,
        };
        let unknown = footprints.intern(&Footprint { unknown: true, ..Footprint::default() });
        assert_eq!(unknown, Footprints::UNKNOWN);
        let untried = footprints.intern(&Footprint { unknown: true, is_guess: true, ..Footprint::default() });
        assert_eq!(untried, Footprints::UNTRIED);
        footprints
    }
}

impl From<Vec<Footprint>> for Footprints {
    fn from(all: Vec<Footprint>) -> Self {
        let mut footprints = Footprints::default();
        for footprint in &all {
            footprints.intern(footprint);
        }
        footprints
    }
}

impl Footprints {
    pub fn all(&self) -> Vec<Footprint> {
        self.all.iter().cloned().collect()
    }

    /// Of steps that were not executed yet.
    pub const UNKNOWN: FootprintId = FootprintId(0);

    /// Of steps that must come before one that ended an execution, and were not executed yet.
    pub const UNTRIED: FootprintId = FootprintId(1);

    pub fn intern(&mut self, footprint: &Footprint) -> FootprintId {
        match self.all.get_index_of(footprint) {
            Some(index) => FootprintId(index as u32),
            None => self.add(footprint),
        }
    }

    /// As [`Footprints::intern`], for a step that makes one access and has no other effect: nearly all are like that, and
    /// there are few of them, so that hashing is hardly ever needed. Gives the slot of the access as well.
    #[inline]
    pub fn intern_single(&mut self, access: Access, keeps_variants: bool) -> (FootprintId, u32) {
        let Location { address, class } = access.location;
        let sort = u64::from(keeps_variants) << 8 | access.mode as u64;
        let rest = u64::from(access.words) << 32 | u64::from(access.bytes) << 24 | (class as u64) << 16 | sort;
        let place = ((address >> 3) ^ rest << 16).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
        let place = place as usize % RECENT;
        let recent = &self.recent[place];
        if recent.address == address && recent.rest == rest {
            return (recent.id, recent.slot);
        }
        self.intern_anew(place, rest, access, keeps_variants)
    }

    /// The same for a step that makes any number of accesses.
    pub fn intern_accesses(&mut self, accesses: impl ExactSizeIterator<Item = Access> + Clone) -> FootprintId {
        if accesses.len() == 1
            && let Some(access) = accesses.clone().next()
        {
            return self.intern_single(access, false).0;
        }
        let mix = |sum: u64, access: Access| {
            let Access { location: Location { address, class }, bytes, mode, words: _ } = access;
            let word = address ^ (u64::from(bytes) << 16 | (class as u64) << 8 | mode as u64) << 40;
            (sum.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        };
        let place = (accesses.clone().fold(0, mix) >> 56) as usize % RECENT;
        let recent = self.recent_of_several[place];
        if self.all[recent.index()].accesses.iter().copied().eq(accesses.clone()) {
            return recent;
        }
        let id = self.intern(&Footprint { accesses: accesses.collect(), ..Footprint::default() });
        self.recent_of_several[place] = id;
        id
    }

    #[cold]
    fn intern_anew(&mut self, place: usize, rest: u64, access: Access, keeps_variants: bool) -> (FootprintId, u32) {
        let accesses = std::iter::once(access).collect();
        let id = self.intern(&Footprint { accesses, keeps_variants, ..Footprint::default() });
        let slot = self.slots(id)[0];
        self.recent[place] = Recent { address: access.location.address, rest, id, slot };
        (id, slot)
    }

    #[cold]
    fn add(&mut self, footprint: &Footprint) -> FootprintId {
        let id = FootprintId(u32::try_from(self.all.len()).expect("fewer than 2^32 footprints"));
        let mut slot = |access: &Access| {
            let next = self.slots.len() as u32;
            let slot = *self.slots.entry(access.location).or_insert(next);
            self.overlaps.add(access, slot, slot == next, &self.slots);
            slot
        };
        let slots: SmallVec<[u32; 2]> = footprint.accesses.iter().map(&mut slot).collect();
        self.bits.push(Bits::of(footprint, &slots));
        self.slots_of.push(slots);
        self.all.insert(footprint.clone());
        if id.index() < EARLY {
            self.add_early(id);
        }
        id
    }

    fn add_early(&mut self, id: FootprintId) {
        let others = (0..=id.0).map(FootprintId);
        let conflicts: Vec<FootprintId> = others.filter(|other| self.get(id).touches_as(self.get(*other))).collect();
        self.early.add(id, &conflicts, self.bits[id.index()].orders == 0);
    }

    pub fn has(&self, id: FootprintId) -> bool {
        (id.0 as usize) < self.all.len()
    }

    pub fn get(&self, id: FootprintId) -> &Footprint {
        &self.all[id.0 as usize]
    }

    /// Whether something follows the operation without being a step.
    #[inline]
    pub fn has_effects(&self, id: FootprintId) -> bool {
        self.bits[id.0 as usize].has_effects
    }

    /// Whether a step takes a lock that others can take at the same time.
    #[inline]
    pub fn shares_lock(&self, id: FootprintId) -> bool {
        self.bits[id.0 as usize].shares_lock
    }

    /// See [`Footprint::keeps_variants`].
    #[inline]
    pub fn keeps_variants(&self, id: FootprintId) -> bool {
        self.bits[id.0 as usize].keeps_variants
    }

    /// Whether a step that is planned may touch something else, so that its plan may prove to be redundant.
    #[inline]
    pub fn is_uncertain(&self, id: FootprintId) -> bool {
        self.bits[id.0 as usize].is_uncertain
    }

    /// The same as a guess.
    pub fn guess(&mut self, id: FootprintId) -> FootprintId {
        let footprint = Footprint { is_guess: true, ..self.get(id).clone() };
        self.intern(&footprint)
    }

    /// Whether a step touched what was planned for it.
    #[inline]
    pub fn is_as_planned(&self, planned: FootprintId, made: FootprintId) -> bool {
        planned == made || self.is_uncertain(planned) && self.is_right(planned, made)
    }

    #[cold]
    fn is_right(&self, guess: FootprintId, made: FootprintId) -> bool {
        Footprint { is_guess: false, ..self.get(guess).clone() } == *self.get(made)
    }

    /// The slots of a footprint's accesses, in their order.
    pub fn slots(&self, id: FootprintId) -> &[u32] {
        &self.slots_of[id.0 as usize]
    }

    pub fn n_slots(&self) -> usize {
        self.slots.len()
    }

    /// Other slots with accesses that may overlap with those of this one.
    #[inline]
    pub fn overlapping(&self, slot: u32) -> &[u32] {
        self.overlaps.of(slot)
    }

    #[inline]
    pub fn early(&self) -> &Early {
        &self.early
    }

    /// Whether two steps depend on each other.
    #[inline]
    pub fn depends(&self, a: &Transition, b: &Transition) -> bool {
        Dependents::of(self, a).have(b)
    }

    /// Whether steps of two threads depend on each other.
    #[inline(never)]
    pub fn depends_in_any_case(&self, a: &Transition, b: &Transition) -> bool {
        let (bits_a, bits_b) = (&self.bits[a.footprint.index()], &self.bits[b.footprint.index()]);
        if bits_a.orders & thread_bit(b.thread) | bits_b.orders & thread_bit(a.thread) != 0 {
            return self.depend_in_some_way(a, b);
        }
        if bits_a.summary & bits_b.summary == 0 {
            return false;
        }
        if bits_a.are_many(bits_b) {
            return self.touch_the_same(a.footprint, b.footprint);
        }
        bits_a.conflicts(bits_b)
    }

    #[inline(never)]
    fn depend_in_some_way(&self, a: &Transition, b: &Transition) -> bool {
        self.get(a.footprint).depends(a.thread, self.get(b.footprint), b.thread)
    }

    #[inline(never)]
    fn touch_the_same(&self, a: FootprintId, b: FootprintId) -> bool {
        self.get(a).touches_as(self.get(b))
    }
}
