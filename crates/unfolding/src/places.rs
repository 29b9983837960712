//! Places of the model: where threads stand, and what shared locations hold, each known by how it came about.
//!
//! A name determines what it stands for. A thread's local place is its path with the places that it read, so its registers, its private memory and
//! its next operation follow from it. A location holds what a transition wrote, whatever that replaced, and a lock that was given back is what it was
//! before it was taken, if its name told that it was taken: one that a transition took among other things has that transition's name, and gets another one when it is given back. So equal markings are equal states, as far as the rest of an execution depends on them; the converse does not hold.

use gordian_base::{FxHashMap, FxHashSet, Id, IndexVec, ThreadId, define_id};
use std::hash::Hash;

define_id! {
    /// Where a thread stands.
    LocalId, "l"
}

define_id! {
    /// What a location holds.
    ValueId, "v"
}

define_id! {
    /// A step of a thread between places.
    TransitionId, "t"
}

/// In place of a thread that does not exist yet.
pub const UNBORN: LocalId = LocalId(u32::MAX);

/// What a location holds at the beginning.
pub const INITIAL: ValueId = ValueId(0);

/// A part of a location: the lower or the upper half of a word, or whether the word still exists.
pub type Cell = u32;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LocalName {
    /// Main at its first operation.
    Main,
    /// The first operation of a thread that this transition created.
    Begin(ThreadId, TransitionId),
    /// After a transition of its own.
    After(TransitionId),
    /// Woken, or let through a barrier.
    Released(LocalId),
    /// After the end of another thread, with its result if that was asked for.
    Joined(LocalId, ThreadId, Option<u64>),
    /// A thread that has ended and was joined; what inputs decided for it up to this place still counts.
    Gone(LocalId),
    /// Left alone in this transition of another, it went on and created threads.
    Alone(ThreadId, TransitionId),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ValueName {
    Initial,
    Written(TransitionId),
    /// A lock, and how often its holder has it.
    Held {
        base: ValueId,
        holder: ThreadId,
        depth: u64,
    },
    Readers {
        base: ValueId,
        holders: Vec<ThreadId>,
    },
    /// The units of a semaphore.
    Units {
        base: ValueId,
        n: u64,
    },
    /// Those who wait on a condition variable, and whether its last signal woke nobody.
    Waiters {
        base: ValueId,
        waiting: Vec<ThreadId>,
        lost: bool,
    },
    /// Those who wait at a barrier.
    Arrived {
        base: ValueId,
        threads: Vec<ThreadId>,
    },
}

/// Gives equal names equal numbers.
pub struct Interner<I, N> {
    names: IndexVec<I, N>,
    numbers: FxHashMap<N, I>,
}

impl<I: Id, N: Clone + Eq + Hash> Interner<I, N> {
    pub fn new() -> Self {
        Interner { names: IndexVec::new(), numbers: FxHashMap::default() }
    }

    /// The number, and whether the name is new.
    pub fn intern(&mut self, name: N) -> (I, bool) {
        if let Some(&number) = self.numbers.get(&name) {
            return (number, false);
        }
        let number = self.names.push(name.clone());
        self.numbers.insert(name, number);
        (number, true)
    }

    pub fn find(&self, name: &N) -> Option<I> {
        self.numbers.get(name).copied()
    }

    pub fn name(&self, number: I) -> &N {
        &self.names[number]
    }
}

/// Where all threads stand and what all locations hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marking {
    pub threads: Vec<LocalId>,
    cells: Vec<ValueId>,
}

impl Marking {
    pub fn thread(&self, thread: ThreadId) -> LocalId {
        self.threads.get(thread.index()).copied().unwrap_or(UNBORN)
    }

    pub fn set_thread(&mut self, thread: ThreadId, place: LocalId) {
        self.threads.resize(self.threads.len().max(thread.index() + 1), UNBORN);
        self.threads[thread.index()] = place;
    }

    pub fn cell(&self, cell: Cell) -> ValueId {
        self.cells.get(cell as usize).copied().unwrap_or(INITIAL)
    }

    /// Equal markings are equal vectors: nothing initial stands at the end.
    pub fn set_cell(&mut self, cell: Cell, value: ValueId) {
        let index = cell as usize;
        if value != INITIAL {
            self.cells.resize(self.cells.len().max(index + 1), INITIAL);
        }
        if let Some(old) = self.cells.get_mut(index) {
            *old = value;
        }
        while self.cells.last() == Some(&INITIAL) {
            self.cells.pop();
        }
    }

    pub fn cells(&self) -> &[ValueId] {
        &self.cells
    }
}

/// The markings that were reached.
pub type Markings = FxHashSet<Marking>;

/// Names of what synchronisation objects hold. Where no name can be told from the one before, it is that of the transition.
pub struct Values {
    names: Interner<ValueId, ValueName>,
}

impl Values {
    pub fn new() -> Values {
        let mut names = Interner::new();
        names.intern(ValueName::Initial);
        Values { names }
    }

    pub fn name(&self, value: ValueId) -> &ValueName {
        self.names.name(value)
    }

    pub fn written(&mut self, by: TransitionId) -> ValueId {
        self.names.intern(ValueName::Written(by)).0
    }

    /// What an object held before anybody used it, if its name is no other object's use of the same memory.
    fn unused(&self, value: ValueId) -> Option<ValueId> {
        matches!(self.name(value), ValueName::Initial | ValueName::Written(_)).then_some(value)
    }

    /// A lock that was taken, so that its holder has it that many times.
    pub fn taken(&mut self, old: ValueId, holder: ThreadId, depth: u64) -> Option<ValueId> {
        let base = match *self.name(old) {
            ValueName::Held { base, holder: before, .. } if before == holder => base,
            // Who takes a lock once has found it free. Who takes it again took it in a step that the name does not tell.
            ValueName::Initial | ValueName::Written(_) if depth == 1 => old,
            ValueName::Initial
            | ValueName::Written(_)
            | ValueName::Held { .. }
            | ValueName::Readers { .. }
            | ValueName::Units { .. }
            | ValueName::Waiters { .. }
            | ValueName::Arrived { .. } => return None,
        };
        Some(self.names.intern(ValueName::Held { base, holder, depth }).0)
    }

    /// A lock that was given back, so that its holder has it that many times still. A lock that was taken in a step that the name does not
    /// tell must not get the name that it had when it was held.
    pub fn given_back(&mut self, old: ValueId, holder: ThreadId, depth: u64) -> Option<ValueId> {
        match *self.name(old) {
            ValueName::Held { base, holder: before, .. } if before == holder => Some(match depth {
                0 => base,
                depth => self.names.intern(ValueName::Held { base, holder, depth }).0,
            }),
            ValueName::Initial
            | ValueName::Written(_)
            | ValueName::Held { .. }
            | ValueName::Readers { .. }
            | ValueName::Units { .. }
            | ValueName::Waiters { .. }
            | ValueName::Arrived { .. } => None,
        }
    }

    pub fn with_reader(&mut self, old: ValueId, reader: ThreadId) -> Option<ValueId> {
        let (base, mut holders) = match self.name(old) {
            ValueName::Readers { base, holders } => (*base, holders.clone()),
            _ => (self.unused(old)?, Vec::new()),
        };
        holders.push(reader);
        holders.sort_unstable();
        Some(self.names.intern(ValueName::Readers { base, holders }).0)
    }

    pub fn without_reader(&mut self, old: ValueId, reader: ThreadId) -> Option<ValueId> {
        let ValueName::Readers { base, holders } = self.name(old) else { return None };
        let (base, mut holders) = (*base, holders.clone());
        let position = holders.iter().position(|&holder| holder == reader)?;
        holders.remove(position);
        Some(if holders.is_empty() { base } else { self.names.intern(ValueName::Readers { base, holders }).0 })
    }

    pub fn units(&mut self, old: ValueId, n: u64) -> Option<ValueId> {
        let base = match *self.name(old) {
            ValueName::Units { base, .. } => base,
            _ => self.unused(old)?,
        };
        Some(self.names.intern(ValueName::Units { base, n }).0)
    }

    /// Some start or stop to wait on a condition variable; `lost` if that is told anew.
    pub fn waiters(
        &mut self,
        old: ValueId,
        joins: Option<ThreadId>,
        leave: &[ThreadId],
        lost: Option<bool>,
    ) -> Option<ValueId> {
        let (base, mut waiting, mut is_lost) = match self.name(old) {
            ValueName::Waiters { base, waiting, lost } => (*base, waiting.clone(), *lost),
            _ => (self.unused(old)?, Vec::new(), false),
        };
        // Others may wait by a step that the name does not tell.
        if !leave.iter().all(|thread| waiting.contains(thread)) {
            return None;
        }
        waiting.retain(|thread| !leave.contains(thread));
        waiting.extend(joins);
        waiting.sort_unstable();
        is_lost = lost.unwrap_or(is_lost);
        if waiting.is_empty() && !is_lost {
            return Some(base);
        }
        Some(self.names.intern(ValueName::Waiters { base, waiting, lost: is_lost }).0)
    }

    pub fn arrived(&mut self, old: ValueId, thread: ThreadId, opens: bool) -> Option<ValueId> {
        let (base, mut threads) = match self.name(old) {
            ValueName::Arrived { base, threads } => (*base, threads.clone()),
            _ => (self.unused(old)?, Vec::new()),
        };
        if opens {
            return Some(base);
        }
        threads.push(thread);
        threads.sort_unstable();
        Some(self.names.intern(ValueName::Arrived { base, threads }).0)
    }
}
