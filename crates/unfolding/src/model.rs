//! A model of the program, grown from executions: transitions between places, and which of them are possible where.
//!
//! *Lemma.* What a thread can do at a local place follows from that place and from what the cells hold that its operation looks at. So a transition that was
//! executed once is predicted wherever the thread stands at its place and these cells hold the same.
//! What looks at everything (the end of the process, a failure whose thread is not told, code that a thread runs when it is left alone) is known
//! at its marking only.

use crate::places::{
    Cell, INITIAL, Interner, LocalId, LocalName, Marking, TransitionId, UNBORN, ValueId, ValueName, Values,
};
use gordian_base::{FxHashMap, FxHashSet, Id, IndexVec, ThreadId};
use gordian_strategies::happens_before::steps::{Location, Mode, Touch};
use gordian_trace::{Choice, CodePoint, OpKind, Wants};
use smallvec::SmallVec;

/// What a transition depends on besides its thread's place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Looks {
    /// What these cells hold.
    At(Box<[(Cell, ValueId)]>),
    Everything(Box<Marking>),
}

/// What follows a transition besides what its own thread does.
#[derive(Clone, Copy, Debug)]
pub enum Follows {
    Begins(ThreadId, LocalId),
    IsReleased(ThreadId),
    /// A thread that was left alone has gone on to this place.
    GoesOn(ThreadId, LocalId),
    /// A thread that has ended is joined.
    IsJoined(ThreadId),
}

pub struct Transition {
    pub choice: Choice,
    /// Where its thread stands after it.
    pub to: LocalId,
    pub writes: Vec<(Cell, ValueId)>,
    pub follows: SmallVec<[Follows; 1]>,
    pub touches: Vec<Touch>,
    pub depends_on_all: bool,
    pub is_branch: bool,
    /// The execution ends with it.
    pub ends: bool,
}

impl Transition {
    /// In place of what happens before main's first step.
    pub fn none(choice: Choice, to: LocalId) -> Transition {
        Transition {
            choice,
            to,
            writes: Vec::new(),
            follows: SmallVec::new(),
            touches: Vec::new(),
            depends_on_all: false,
            is_branch: false,
            ends: false,
        }
    }
}

/// What is known of a local place that was seen.
#[derive(Clone, Debug)]
pub struct Local {
    pub is_seen: bool,
    /// Its thread has ended and was joined.
    is_gone: bool,
    pub wants: Option<Wants>,
    /// Its thread has ended, with this result.
    pub ended: Option<u64>,
    /// It goes on when this thread has ended.
    pub awaits: Option<ThreadId>,
    /// Whether it wants that thread's result.
    pub asks: Option<bool>,
    /// What its step was expected to touch, or was seen to touch.
    pub touches: Vec<Touch>,
    pub depends_on_all: bool,
    pub can_block: bool,
    /// What decides whether its step is possible.
    guards: Vec<Touch>,
    /// Whether it can go on depends on everything, for all that is known.
    looks_at_all: bool,
    /// Nobody else makes a step before its own: inputs decide that, or it stands within an atomic section.
    pub is_urgent: bool,
    /// No step of its own leads on: it waits to be released.
    pub is_parked: bool,
    /// The thread's last place at which inputs decided something.
    path: LocalId,
    /// How many steps its thread has made.
    pub n_steps: u32,
    by_cells: Vec<ByCells>,
}

impl Local {
    fn unseen(path: LocalId, n_steps: u32) -> Local {
        Local {
            is_seen: false,
            is_gone: false,
            wants: None,
            ended: None,
            awaits: None,
            asks: None,
            touches: Vec::new(),
            depends_on_all: false,
            can_block: false,
            guards: Vec::new(),
            looks_at_all: false,
            is_urgent: false,
            is_parked: false,
            path,
            n_steps,
            by_cells: Vec::new(),
        }
    }
}

/// Transitions of a place, by what the cells that they look at hold, and by variant.
#[derive(Clone, Debug, Default)]
struct ByCells {
    cells: Box<[Cell]>,
    known: FxHashMap<(u32, Box<[ValueId]>), TransitionId>,
}

/// What can happen at a marking.
pub enum Moves {
    Known(Vec<(Choice, TransitionId)>),
    /// An execution has to show it; this step in particular, if one is named.
    Unknown(Option<Choice>),
    /// One thread at most is left, and what it does then is known.
    Ended,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct TransitionName {
    from: LocalId,
    variant: u32,
    looks: Looks,
}

/// A place, and what decides there whether its step is possible.
type Guard = (LocalId, Box<[u32]>);

pub struct Model {
    pub values: Values,
    names: Interner<LocalId, LocalName>,
    pub locals: IndexVec<LocalId, Local>,
    transition_names: Interner<TransitionId, TransitionName>,
    pub transitions: IndexVec<TransitionId, Transition>,
    slots: FxHashMap<Location, u32>,
    /// By place and by what its cells hold: the variants that its step has; none if it is blocked.
    variants: FxHashMap<Guard, SmallVec<[u32; 2]>>,
    /// Places at which a thread that is left alone does nothing that anything else has a part in.
    pub blind: FxHashSet<LocalId>,
    /// Markings at which one thread was left, and went on to the end.
    pub endings: FxHashSet<Marking>,
    /// By instruction that takes a lock: whether it waits while another thread has that.
    waits_at: FxHashMap<CodePoint, bool>,
    /// By instruction: what it was seen to touch without being expected to.
    seen_at: FxHashMap<CodePoint, Vec<Touch>>,
    /// Grows with all that is learnt.
    n_learnt: u64,
    /// Grows with all that places are expected to touch.
    pub n_surprises: u64,
}

impl Model {
    pub fn new() -> Model {
        Model {
            values: Values::new(),
            names: Interner::new(),
            locals: IndexVec::new(),
            transition_names: Interner::new(),
            transitions: IndexVec::new(),
            slots: FxHashMap::default(),
            variants: FxHashMap::default(),
            blind: FxHashSet::default(),
            endings: FxHashSet::default(),
            waits_at: FxHashMap::default(),
            seen_at: FxHashMap::default(),
            n_learnt: 0,
            n_surprises: 0,
        }
    }

    pub fn local(&mut self, name: LocalName) -> LocalId {
        let (path, n_steps) = match name {
            LocalName::Released(place) | LocalName::Joined(place, ..) => {
                (self.locals[place].path, self.locals[place].n_steps)
            }
            LocalName::After(transition) => {
                let Local { path, n_steps, .. } = self.locals[self.transition_names.name(transition).from];
                (path, n_steps + 1)
            }
            LocalName::Gone(path) => (path, 0),
            LocalName::Main | LocalName::Begin(..) | LocalName::Alone(..) => (UNBORN, 0),
        };
        let is_gone = matches!(name, LocalName::Gone(_));
        let (id, is_new) = self.names.intern(name);
        if is_new {
            self.locals.push(Local { is_seen: is_gone, is_gone, ..Local::unseen(path, n_steps) });
        }
        id
    }

    /// A thread that has ended is joined: of its place only what inputs decided is left.
    pub fn bury(&mut self, marking: &mut Marking, thread: ThreadId) {
        let path = self.locals[marking.thread(thread)].path;
        let gone = self.local(LocalName::Gone(path));
        marking.set_thread(thread, gone);
    }

    /// The place of a thread after a transition of its own, in which inputs decided something if `decides`.
    pub fn local_after(&mut self, transition: TransitionId, decides: bool) -> LocalId {
        let place = self.local(LocalName::After(transition));
        if decides {
            self.locals[place].path = place;
        }
        place
    }

    /// The cells of an access, each with whether the access covers it.
    pub fn cells(&mut self, touch: &Touch) -> SmallVec<[(Cell, bool); 2]> {
        let next = self.slots.len() as u32;
        let slot = *self.slots.entry(touch.location).or_insert(next);
        let halves = [(0, touch.bytes & 0x0f, 0x0f), (1, touch.bytes >> 4, 0x0f)];
        let touched = halves.into_iter().filter(|half| half.1 != 0);
        touched.map(|(half, bytes, all)| (3 * slot + half, bytes == all)).collect()
    }

    /// The cell that tells whether a location still exists.
    pub fn life(&mut self, touch: &Touch) -> Cell {
        let next = self.slots.len() as u32;
        3 * *self.slots.entry(touch.location).or_insert(next) + 2
    }

    /// The transition with this name, and whether it is new.
    pub fn name_transition(&mut self, from: LocalId, variant: u32, looks: &Looks) -> (TransitionId, bool) {
        self.transition_names.intern(TransitionName { from, variant, looks: looks.clone() })
    }

    /// Takes in a transition that has just been named.
    pub fn add_transition(&mut self, from: LocalId, looks: Looks, transition: Transition) {
        self.n_learnt += 1;
        let variant = transition.choice.variant;
        let id = self.transitions.push(transition);
        if let Looks::At(deps) = looks {
            let (cells, held): (Vec<Cell>, Vec<ValueId>) = deps.iter().copied().unzip();
            let tables = &mut self.locals[from].by_cells;
            let position = tables.iter().position(|table| *table.cells == *cells).unwrap_or_else(|| {
                tables.push(ByCells { cells: cells.into(), known: FxHashMap::default() });
                tables.len() - 1
            });
            tables[position].known.insert((variant, held.into()), id);
        }
    }

    /// Adds to what the step of a place is expected to touch.
    pub fn expect(&mut self, place: LocalId, touches: &[Touch], depends_on_all: bool) {
        let local = &mut self.locals[place];
        let mut is_more = depends_on_all && !local.depends_on_all;
        local.depends_on_all |= depends_on_all;
        for touch in touches {
            let covers = |known: &Touch| {
                known.location == touch.location
                    && touch.bytes & !known.bytes == 0
                    && (known.mode == touch.mode || known.mode == Mode::Write)
            };
            if !local.touches.iter().any(covers) {
                local.touches.push(Touch { takes_lock: false, ..*touch });
                is_more = true;
            }
        }
        if let Some(wants) = local.wants.filter(|_| is_more) {
            let known = self.seen_at.entry(wants.at).or_default();
            known.extend(local.touches.iter().filter(|touch| !known.contains(touch)).copied().collect::<Vec<_>>());
        }
        self.n_surprises += u64::from(is_more);
    }

    /// Notes what a thread is seen to be about to do at a place.
    pub fn see(&mut self, place: LocalId, wants: Option<Wants>, touches: Vec<Touch>, can_block: bool) {
        let local = &mut self.locals[place];
        if local.is_seen {
            return;
        }
        self.n_learnt += 1;
        local.is_seen = true;
        local.wants = wants;
        local.guards.clone_from(&touches);
        local.touches = touches;
        if let Some(seen) = wants.and_then(|wants| self.seen_at.get(&wants.at)) {
            local.touches.extend(seen.iter().filter(|touch| !local.guards.contains(touch)));
        }
        local.can_block = can_block;
        local.depends_on_all = wants.is_some_and(|wants| wants.kind == OpKind::ProcessExit);
        local.looks_at_all = wants.is_some_and(|wants| {
            use OpKind::*;
            matches!(wants.kind, AtomicBegin | AtomicEnd | File | Join | Cancel | Cancelled | Detach | Look | Change)
        });
        local.awaits = wants.filter(Wants::joins_by_itself).map(|wants| ThreadId(wants.address as u32));
    }

    /// The step of a place is possible at any time.
    pub fn guard_by_nothing(&mut self, place: LocalId) {
        self.locals[place].guards.clear();
    }

    /// What the possibility of a place's step follows from, at a marking.
    fn key(&mut self, place: LocalId, marking: &Marking) -> Guard {
        let local = &self.locals[place];
        let mut key: Vec<u32> = Vec::new();
        if local.looks_at_all {
            key.extend(marking.threads.iter().map(|place| place.0));
            key.extend(marking.cells().iter().map(|value| value.0));
        } else {
            for touch in local.guards.clone() {
                key.extend(self.cells(&touch).iter().map(|&(cell, _)| marking.cell(cell).0));
                key.push(marking.cell(self.life(&touch)).0);
            }
        }
        // What inputs decided for one thread leaves others fewer values of theirs.
        for (thread, &other) in marking.threads.iter().enumerate().filter(|(_, other)| **other != UNBORN) {
            let path = self.locals[other].path;
            if path != UNBORN {
                key.extend([thread as u32, path.0]);
            }
        }
        (place, key.into())
    }

    /// Notes in which variants a thread can go on.
    pub fn note_variants(&mut self, place: LocalId, marking: &Marking, variants: SmallVec<[u32; 2]>) {
        if let Some(at) = self.held_up_at(place, marking) {
            let waits = self.waits_at.entry(at).or_insert(true);
            *waits &= variants.is_empty();
        }
        let key = self.key(place, marking);
        self.n_learnt += u64::from(self.variants.insert(key, variants).is_none());
    }

    /// The instruction by which a thread wants a lock that another has.
    fn held_up_at(&self, place: LocalId, marking: &Marking) -> Option<CodePoint> {
        let wants = self.locals[place].wants?;
        let takes = matches!(wants.kind, OpKind::Lock | OpKind::Woken | OpKind::ReadLock);
        let lock = self.locals[place].guards.iter().find(|touch| touch.location.address == wants.address & !7)?;
        let slot = self.slots.get(&lock.location)?;
        let thread = marking.threads.iter().position(|&other| other == place)?;
        let is_held = match self.values.name(marking.cell(3 * slot)) {
            ValueName::Held { holder, .. } => holder.index() != thread,
            ValueName::Readers { .. } => wants.kind != OpKind::ReadLock,
            _ => false,
        };
        (takes && is_held).then_some(wants.at)
    }

    /// How a place's thread learns of another's end.
    pub fn note_join(&mut self, place: LocalId, asks: bool) {
        self.n_learnt += u64::from(self.locals[place].asks.is_none());
        self.locals[place].asks = Some(asks);
    }

    /// Grows with all that is learnt.
    pub fn extent(&self) -> u64 {
        self.n_learnt
    }

    /// The transition that this variant of a place's step is at a marking.
    pub fn predict(&self, place: LocalId, variant: u32, marking: &Marking) -> Option<TransitionId> {
        for ByCells { cells, known } in &self.locals[place].by_cells {
            let held: Box<[ValueId]> = cells.iter().map(|&cell| marking.cell(cell)).collect();
            if let Some(&transition) = known.get(&(variant, held)) {
                return Some(transition);
            }
        }
        let looks = Looks::Everything(Box::new(marking.clone()));
        self.transition_names.find(&TransitionName { from: place, variant, looks })
    }

    /// The places of threads that have not ended, or were not joined yet.
    pub fn present(&self, marking: &Marking) -> SmallVec<[LocalId; 4]> {
        let is_present = |place: &&LocalId| **place != UNBORN && !self.locals[**place].is_gone;
        marking.threads.iter().filter(is_present).copied().collect()
    }

    /// Whether a thread has not ended.
    pub fn is_anybody_left(&self, marking: &Marking) -> bool {
        self.present(marking).iter().any(|&place| self.locals[place].ended.is_none())
    }

    /// What one thread can do at a marking: its transitions, or what has to be shown.
    pub fn moves_of(&mut self, thread: ThreadId, marking: &Marking) -> Moves {
        let place = marking.thread(thread);
        if place == UNBORN {
            return Moves::Known(Vec::new());
        }
        let local = &self.locals[place];
        if !local.is_seen {
            return Moves::Unknown(None);
        }
        if local.wants.is_none() || local.awaits.is_some() || local.is_parked {
            return Moves::Known(Vec::new());
        }
        if self.held_up_at(place, marking).is_some_and(|at| self.waits_at.get(&at) == Some(&true)) {
            return Moves::Known(Vec::new());
        }
        let key = self.key(place, marking);
        let Some(variants) = self.variants.get(&key).cloned() else { return Moves::Unknown(None) };
        let mut moves = Vec::new();
        for variant in variants {
            let choice = Choice { thread, variant };
            match self.predict(place, variant, marking) {
                Some(transition) => moves.push((choice, transition)),
                None => return Moves::Unknown(Some(choice)),
            }
        }
        Moves::Known(moves)
    }

    /// What can happen at a marking.
    pub fn moves(&mut self, marking: &Marking) -> Moves {
        if let [alone] = self.present(marking)[..] {
            let is_known = self.blind.contains(&alone) || self.endings.contains(marking);
            return if is_known { Moves::Ended } else { Moves::Unknown(None) };
        }
        let mut all = Vec::new();
        let is_urgent = |place: &LocalId| *place != UNBORN && self.locals[*place].is_urgent;
        let threads = match marking.threads.iter().position(is_urgent) {
            Some(urgent) => urgent..urgent + 1,
            None => 0..marking.threads.len(),
        };
        for thread in threads {
            match self.moves_of(ThreadId(thread as u32), marking) {
                Moves::Known(moves) => all.extend(moves),
                other => return other,
            }
        }
        Moves::Known(all)
    }

    /// The marking after a transition; nothing if a place has not been seen yet.
    pub fn fire(&mut self, marking: &Marking, transition: TransitionId) -> Option<Marking> {
        let mut after = marking.clone();
        self.apply(&mut after, transition);
        self.settle(&mut after).then_some(after)
    }

    /// What a transition does by itself.
    pub fn apply(&mut self, marking: &mut Marking, transition: TransitionId) {
        let Transition { choice, to, ref writes, ref follows, .. } = self.transitions[transition];
        let follows = follows.clone();
        for &(cell, value) in writes {
            marking.set_cell(cell, value);
        }
        marking.set_thread(choice.thread, to);
        for follow in follows {
            match follow {
                Follows::Begins(thread, place) | Follows::GoesOn(thread, place) => marking.set_thread(thread, place),
                Follows::IsJoined(thread) => self.bury(marking, thread),
                Follows::IsReleased(thread) => {
                    let place = self.local(LocalName::Released(marking.thread(thread)));
                    marking.set_thread(thread, place);
                }
            }
        }
    }

    /// Threads that wait for the ends of others go on. Whether all that is known.
    pub fn settle(&mut self, marking: &mut Marking) -> bool {
        loop {
            let mut any = false;
            for thread in 0..marking.threads.len() {
                let thread = ThreadId(thread as u32);
                let place = marking.thread(thread);
                if place == UNBORN {
                    continue;
                }
                if !self.locals[place].is_seen {
                    // Who is left alone does not stop before its operations.
                    if self.present(marking)[..] == [place] {
                        continue;
                    }
                    return false;
                }
                if let Some(target) = self.locals[place].awaits {
                    let end = marking.thread(target);
                    let ended = if end == UNBORN { None } else { self.locals[end].ended };
                    if let Some(result) = ended {
                        let Some(asks) = self.locals[place].asks else { return false };
                        let joined = self.local(LocalName::Joined(place, target, asks.then_some(result)));
                        marking.set_thread(thread, joined);
                        self.bury(marking, target);
                        any = true;
                    }
                }
            }
            if !any {
                return true;
            }
        }
    }

    /// Who waits where, and on what terms, for reports that name each situation once.
    pub fn situation(&self, marking: &Marking) -> Vec<(u32, u32, u32, bool)> {
        let mut places = Vec::new();
        for (thread, &place) in marking.threads.iter().enumerate().filter(|(_, place)| **place != UNBORN) {
            let Some(wants) = self.locals[place].wants else { continue };
            let location = self.locals[place].touches.first().map(|touch| touch.location);
            let cell = location.and_then(|location| self.slots.get(&location)).map(|slot| 3 * slot);
            let held = cell.map_or(INITIAL, |cell| marking.cell(cell));
            let lost = matches!(self.values.name(held), ValueName::Waiters { lost: true, .. });
            let is_waiting = wants.kind == OpKind::WaitEnd;
            places.push((thread as u32, wants.at.function, wants.at.pc, is_waiting && lost));
        }
        places
    }
}
