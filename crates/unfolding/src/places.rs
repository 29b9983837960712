//! Places of the model: where threads stand, and what shared locations hold, each known by how it came about.
//!
//! A name determines what it stands for. A thread's local place is its path with the places that it read, so its registers, its private memory and
//! its next operation follow from it. A location holds what a transition wrote, whatever that replaced, and a lock that was given back is what it was
//! before it was taken. So equal markings are equal states, as far as the rest of an execution depends on them; the converse does not hold.

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

/// Names of what synchronisation objects hold.
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

    /// What an object holds when nobody uses it.
    fn base(&self, value: ValueId) -> ValueId {
        match *self.name(value) {
            ValueName::Initial | ValueName::Written(_) => value,
            ValueName::Held { base, .. }
            | ValueName::Readers { base, .. }
            | ValueName::Units { base, .. }
            | ValueName::Waiters { base, .. }
            | ValueName::Arrived { base, .. } => base,
        }
    }

    pub fn held(&mut self, old: ValueId, holder: ThreadId, depth: u64) -> ValueId {
        let base = self.base(old);
        if depth == 0 {
            return base;
        }
        self.names.intern(ValueName::Held { base, holder, depth }).0
    }

    pub fn with_reader(&mut self, old: ValueId, reader: ThreadId, joins: bool) -> ValueId {
        let base = self.base(old);
        let mut holders = match self.name(old) {
            ValueName::Readers { holders, .. } => holders.clone(),
            _ => Vec::new(),
        };
        if joins {
            holders.push(reader);
            holders.sort_unstable();
        } else if let Some(position) = holders.iter().position(|&holder| holder == reader) {
            holders.remove(position);
        }
        if holders.is_empty() { base } else { self.names.intern(ValueName::Readers { base, holders }).0 }
    }

    pub fn units(&mut self, old: ValueId, n: u64) -> ValueId {
        let base = self.base(old);
        self.names.intern(ValueName::Units { base, n }).0
    }

    /// Some start or stop to wait on a condition variable; `lost` if that is told anew.
    pub fn waiters(
        &mut self,
        old: ValueId,
        joins: Option<ThreadId>,
        leave: &[ThreadId],
        lost: Option<bool>,
    ) -> ValueId {
        let base = self.base(old);
        let (mut waiting, mut is_lost) = match self.name(old) {
            ValueName::Waiters { waiting, lost, .. } => (waiting.clone(), *lost),
            _ => (Vec::new(), false),
        };
        waiting.retain(|thread| !leave.contains(thread));
        waiting.extend(joins);
        waiting.sort_unstable();
        is_lost = lost.unwrap_or(is_lost);
        if waiting.is_empty() && !is_lost {
            return base;
        }
        self.names.intern(ValueName::Waiters { base, waiting, lost: is_lost }).0
    }

    pub fn arrived(&mut self, old: ValueId, thread: ThreadId, opens: bool) -> ValueId {
        let base = self.base(old);
        if opens {
            return base;
        }
        let mut threads = match self.name(old) {
            ValueName::Arrived { threads, .. } => threads.clone(),
            _ => Vec::new(),
        };
        threads.push(thread);
        threads.sort_unstable();
        self.names.intern(ValueName::Arrived { base, threads }).0
    }
}
