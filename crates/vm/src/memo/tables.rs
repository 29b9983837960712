//! What is remembered.

use super::orders::OrderStep;
use gordian_base::{FxHashMap, FxHasher, Id, ThreadId, define_id};
use gordian_trace::{Event, NO_CODE, OpKind, Wants};
use std::hash::Hasher;

/// Passages and endings that are remembered, and words of endings and states: memory stays flat in searches that never
/// repeat themselves.
const MOST_PASSAGES: usize = 1 << 17;
const MOST_WORDS: usize = 1 << 21;
/// All cells are looked at whenever something is learnt.
const MOST_CELLS: usize = 1 << 12;

/// Most spots have so few passages that looking at them one by one is quicker than hashing.
const FEW_PASSAGES: usize = 4;

define_id!(LocalStateId, "spot");

pub const NO_CELL: u32 = u32::MAX;

/// How a thread stands at a spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Not there yet, or not any more.
    Running,
    /// Before an operation.
    Operation,
    /// Waits for the end of another thread, whose result it may take.
    Joining {
        target: ThreadId,
        takes: bool,
    },
    Ended {
        result: u64,
    },
    /// At a false assumption, for good.
    Stopped,
}

/// What must be so for the thread to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    /// Its cell is a lock that nobody else holds.
    Lock,
    /// One of the places that it watches has changed.
    Change,
    Never,
}

/// In which sets of threads one is that stands at a spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sets {
    pub ready: bool,
    pub dependent: bool,
    pub joining: bool,
    pub ended: bool,
}

impl Sets {
    fn of(sort: Sort, needs: Needs) -> Sets {
        Sets {
            ready: needs == Needs::Nothing,
            dependent: matches!(needs, Needs::Lock | Needs::Change),
            joining: matches!(sort, Sort::Joining { .. }),
            ended: matches!(sort, Sort::Ended { .. }),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct LocalState {
    pub sort: Sort,
    pub needs: Needs,
    /// As sort and needs say.
    pub sets: Sets,
    pub wants: Wants,
    /// The word that the operation is about, and the part of it, by its lowest bit and its mask.
    pub cell: u32,
    pub shift: u8,
    pub mask: u64,
    /// As `mask`, and nothing if the operation does not look at what stands there.
    pub looks_at: u64,
    /// The thread has not changed its private memory yet.
    pub is_pristine: bool,
    /// A point of a loop, with the thread's frames and registers; 0 elsewhere.
    pub round: u32,
    first_watch: u32,
    n_watches: u32,
    /// The passage that was taken last, and the newest.
    recent: u32,
    newest: u32,
    recent_ending: u32,
}

impl LocalState {
    pub fn new(sort: Sort, needs: Needs, wants: Wants) -> LocalState {
        LocalState {
            sort,
            needs,
            sets: Sets::of(sort, needs),
            wants,
            cell: NO_CELL,
            shift: 0,
            mask: 0,
            looks_at: 0,
            is_pristine: false,
            round: 0,
            first_watch: 0,
            n_watches: 0,
            recent: NONE,
            newest: NONE,
            recent_ending: NONE,
        }
    }

    pub fn with_pristine(self, is_pristine: bool) -> LocalState {
        LocalState { is_pristine, ..self }
    }

    #[inline]
    pub fn has_cell(&self) -> bool {
        self.cell != NO_CELL
    }
}

/// A place that a thread watches while it waits in a loop.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    pub address: u64,
    pub size: u32,
    pub place: u64,
    pub seen: u64,
    pub cell: u32,
    pub shift: u8,
    pub mask: u64,
}

impl Watch {
    #[inline]
    pub fn has_changed(&self, cells: &[u64]) -> bool {
        let now = cells[self.cell as usize] >> self.shift & self.mask;
        // Whoever waits for a lock waits for nobody to hold it.
        if self.place == OpKind::WATCHES_LOCK { now == 0 } else { now != self.seen }
    }
}

/// A part of the remembered events.
#[derive(Clone, Copy, Debug)]
pub struct Events {
    first: u32,
    n: u32,
}

/// A part of the remembered orders.
#[derive(Clone, Copy, Debug, Default)]
pub struct Orders {
    first: u32,
    n: u32,
}

impl Orders {
    #[inline]
    pub fn is_empty(self) -> bool {
        self.n == 0
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Passage {
    pub key: u64,
    pub to: LocalStateId,
    pub events: Events,
    pub orders: Orders,
    /// What the operation leaves in its part of the cell, if it writes.
    pub written: u64,
    pub writes: bool,
    /// The event of the operation tells what was replaced; nothing else depends on that.
    pub replaces: bool,
    /// Which event that is.
    pub operation: u16,
    /// An older one from the same spot.
    next: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct Ending {
    key: u64,
    pub events: Events,
    pub status: i32,
    pattern: u32,
    /// What stood in the cells of the pattern.
    first_word: u32,
    /// Another of the same hash.
    next: u32,
}

/// What endings from one spot look at.
struct Pattern {
    cells: Vec<u32>,
    /// That may be more than these: if there are more cells than then, nothing is known.
    n_cells: Option<usize>,
    /// Another of the same spot.
    next: u32,
}

impl Pattern {
    fn hash_of(&self, cells: &[u64]) -> u64 {
        let mut hasher = FxHasher::default();
        self.cells.iter().for_each(|&cell| hasher.write_u64(cells[cell as usize]));
        hasher.finish()
    }
}

const NONE: u32 = u32::MAX;

pub struct Tables {
    spots: Vec<LocalState>,
    watches: Vec<Watch>,
    passages: Vec<Passage>,
    by_key: FxHashMap<(LocalStateId, u64), u32>,
    events: Vec<Event>,
    orders: Vec<OrderStep>,
    /// Spots by all that the future of their thread depends on.
    by_state: FxHashMap<Box<[u64]>, LocalStateId>,
    /// By hash: see [`LocalState::round`].
    rounds: FxHashMap<u64, u32>,
    n_state_words: usize,
    endings: Vec<Ending>,
    patterns: Vec<Pattern>,
    /// By spot and key: the newest pattern.
    by_spot: FxHashMap<(LocalStateId, u64), u32>,
    /// By pattern and hash.
    by_cells: FxHashMap<(u32, u64), u32>,
    /// What stood in the cells when endings began.
    words: Vec<u64>,
    /// By address of the word.
    cells: FxHashMap<u64, u32>,
}

impl Default for Tables {
    fn default() -> Self {
        let nothing = Wants { kind: OpKind::Yield, size: 0, address: 0, at: NO_CODE, varies: false };
        Tables {
            spots: vec![LocalState::new(Sort::Running, Needs::Never, nothing)],
            watches: Vec::new(),
            passages: Vec::new(),
            by_key: FxHashMap::default(),
            events: Vec::new(),
            orders: Vec::new(),
            by_state: FxHashMap::default(),
            rounds: FxHashMap::default(),
            n_state_words: 0,
            endings: Vec::new(),
            patterns: Vec::new(),
            by_spot: FxHashMap::default(),
            by_cells: FxHashMap::default(),
            words: Vec::new(),
            cells: FxHashMap::default(),
        }
    }
}

impl Passage {
    /// One that leads nowhere yet.
    pub fn new(key: u64, to: LocalStateId, events: Events, orders: Orders) -> Passage {
        Passage { key, to, events, orders, written: 0, writes: false, replaces: false, operation: 0, next: NONE }
    }
}

impl Tables {
    /// Of threads that are not there.
    pub const NOWHERE: LocalStateId = LocalStateId(0);

    #[inline]
    pub fn spot(&self, id: LocalStateId) -> &LocalState {
        &self.spots[id.index()]
    }

    pub fn add_spot(&mut self, mut spot: LocalState, watches: &[Watch], state: Option<&[u64]>) -> LocalStateId {
        (spot.first_watch, spot.n_watches) = (self.watches.len() as u32, watches.len() as u32);
        spot.sets = Sets::of(spot.sort, spot.needs);
        self.watches.extend_from_slice(watches);
        let id = LocalStateId(self.spots.len() as u32);
        self.spots.push(spot);
        if let Some(state) = state {
            self.n_state_words += state.len();
            self.by_state.insert(state.into(), id);
        }
        id
    }

    /// The number of a point of a loop, by a hash of what it is. If two are taken for one, steps are made that could have been replayed.
    pub fn round(&mut self, hash: u64) -> u32 {
        let next = self.rounds.len() as u32 + 1;
        *self.rounds.entry(hash).or_insert(next)
    }

    pub fn spot_with(&self, state: &[u64]) -> Option<LocalStateId> {
        self.by_state.get(state).copied()
    }

    #[inline]
    pub fn watches(&self, spot: LocalStateId) -> &[Watch] {
        let LocalState { first_watch, n_watches, .. } = *self.spot(spot);
        &self.watches[first_watch as usize..(first_watch + n_watches) as usize]
    }

    /// The result of a thread that has ended.
    pub fn result(&self, spot: LocalStateId) -> u64 {
        match self.spot(spot).sort {
            Sort::Ended { result } => result,
            _ => unreachable!("the thread has ended"),
        }
    }

    #[inline]
    pub fn events(&self, Events { first, n }: Events) -> &[Event] {
        &self.events[first as usize..(first + n) as usize]
    }

    pub fn add_events(&mut self, events: &[Event]) -> Events {
        let first = self.events.len() as u32;
        self.events.extend_from_slice(events);
        Events { first, n: events.len() as u32 }
    }

    #[inline]
    pub fn orders(&self, Orders { first, n }: Orders) -> &[OrderStep] {
        &self.orders[first as usize..(first + n) as usize]
    }

    pub fn add_orders(&mut self, orders: impl Iterator<Item = OrderStep>) -> Orders {
        let first = self.orders.len() as u32;
        self.orders.extend(orders);
        Orders { first, n: self.orders.len() as u32 - first }
    }

    #[inline(always)]
    pub fn passage(&mut self, from: LocalStateId, key: u64) -> Option<Passage> {
        let spot = &self.spots[from.index()];
        if let Some(passage) = self.passages.get(spot.recent as usize)
            && passage.key == key
        {
            return Some(*passage);
        }
        let found = self.find_passage(spot.newest, from, key)?;
        self.spots[from.index()].recent = found;
        Some(self.passages[found as usize])
    }

    fn find_passage(&self, newest: u32, from: LocalStateId, key: u64) -> Option<u32> {
        let mut next = newest;
        for _ in 0..FEW_PASSAGES {
            let passage = self.passages.get(next as usize)?;
            if passage.key == key {
                return Some(next);
            }
            next = passage.next;
        }
        self.by_key.get(&(from, key)).copied()
    }

    pub fn add_passage(&mut self, from: LocalStateId, passage: Passage) -> Passage {
        let number = self.passages.len() as u32;
        let spot = &mut self.spots[from.index()];
        let next = std::mem::replace(&mut spot.newest, number);
        spot.recent = number;
        self.passages.push(Passage { next, ..passage });
        self.by_key.insert((from, passage.key), number);
        passage
    }

    /// What the last thread does from there if the cells are like this.
    #[inline]
    pub fn ending(&mut self, from: LocalStateId, key: u64, cells: &[u64]) -> Option<Ending> {
        let recent = self.spots[from.index()].recent_ending;
        if let Some(ending) = self.endings.get(recent as usize)
            && ending.key == key
            && self.fits(ending, cells)
        {
            return Some(*ending);
        }
        let found = self.find_ending(from, key, cells)?;
        self.spots[from.index()].recent_ending = found;
        Some(self.endings[found as usize])
    }

    #[inline]
    fn fits(&self, ending: &Ending, cells: &[u64]) -> bool {
        let Pattern { cells: looked_at, n_cells, .. } = &self.patterns[ending.pattern as usize];
        let values = looked_at.iter().map(|&cell| cells[cell as usize]);
        let first = ending.first_word as usize;
        n_cells.is_none_or(|n| n == cells.len())
            && values.eq(self.words[first..first + looked_at.len()].iter().copied())
    }

    fn find_ending(&self, from: LocalStateId, key: u64, cells: &[u64]) -> Option<u32> {
        let mut next = *self.by_spot.get(&(from, key))?;
        while let Some(pattern) = self.patterns.get(next as usize) {
            let mut found = self.by_cells.get(&(next, pattern.hash_of(cells))).copied().unwrap_or(NONE);
            while let Some(ending) = self.endings.get(found as usize) {
                if self.fits(ending, cells) {
                    return Some(found);
                }
                found = ending.next;
            }
            next = pattern.next;
        }
        None
    }

    /// Remembers an ending that looked at these cells, or at anything if it may have been all of them.
    pub fn add_ending(
        &mut self,
        from: LocalStateId,
        key: u64,
        (looked_at, is_all): (Vec<u32>, bool),
        cells: &[u64],
        events: Events,
        status: i32,
    ) -> Ending {
        let n_cells = is_all.then_some(cells.len());
        let pattern = self.pattern(from, key, looked_at, n_cells);
        let Pattern { cells: looked_at, .. } = &self.patterns[pattern as usize];
        let first_word = self.words.len() as u32;
        self.words.extend(looked_at.iter().map(|&cell| cells[cell as usize]));
        let number = self.endings.len() as u32;
        let hash = self.patterns[pattern as usize].hash_of(cells);
        let next = self.by_cells.insert((pattern, hash), number).unwrap_or(NONE);
        let ending = Ending { key, events, status, pattern, first_word, next };
        self.endings.push(ending);
        ending
    }

    fn pattern(&mut self, from: LocalStateId, key: u64, cells: Vec<u32>, n_cells: Option<usize>) -> u32 {
        let first = self.by_spot.get(&(from, key)).copied().unwrap_or(NONE);
        let mut next = first;
        while let Some(pattern) = self.patterns.get(next as usize) {
            if pattern.cells == cells && pattern.n_cells == n_cells {
                return next;
            }
            next = pattern.next;
        }
        let number = self.patterns.len() as u32;
        self.patterns.push(Pattern { cells, n_cells, next: first });
        self.by_spot.insert((from, key), number);
        number
    }

    /// The number of the cell for the word at this address; new ones get the next number.
    pub fn cell(&self, address: u64) -> Option<u32> {
        self.cells.get(&address).copied()
    }

    pub fn add_cell(&mut self, address: u64) -> u32 {
        let number = self.cells.len() as u32;
        self.cells.insert(address, number);
        number
    }

    pub fn cells(&self) -> impl Iterator<Item = (u64, u32)> {
        self.cells.iter().map(|(&address, &number)| (address, number))
    }

    pub fn is_full(&self) -> bool {
        self.passages.len() + self.endings.len() + self.patterns.len() >= MOST_PASSAGES
            || self.words.len() + self.n_state_words >= MOST_WORDS
            || self.cells.len() >= MOST_CELLS
    }
}
