//! The present execution as a configuration of the unfolding: where each thread stands, and who touched what last.

use crate::events::{Cut, EventId, NONE, NewEvent, PointId, ROOT, SEVERAL, Unfolding};
use crate::uses::{Arcs, Use, Uses};
use gordian_base::{Id, ThreadId};
use gordian_engine::{End, Executor};
use gordian_strategies::happens_before::steps::{Effect, Mode, StepReader, Touched};
use gordian_trace::{Choice, Event, OpKind, Wants};
use smallvec::SmallVec;

#[derive(Clone, Copy)]
struct ThreadState {
    point: Option<PointId>,
    last: EventId,
    is_within: bool,
}

const UNBORN: ThreadState = ThreadState { point: None, last: NONE, is_within: false };

/// Accesses of a location that later ones may know of.
type Recent = SmallVec<[(EventId, Use); 3]>;

/// What a step changed, to go back.
#[derive(Default)]
struct Undo {
    threads: SmallVec<[(ThreadId, ThreadState); 2]>,
    slots: SmallVec<[(u32, Recent); 2]>,
    n_branches: usize,
}

/// What one step came to.
pub struct Made {
    /// The step's own event, and the joins that followed it; those that are new.
    pub new_events: SmallVec<[EventId; 2]>,
    pub new_points: SmallVec<[PointId; 2]>,
    pub event: EventId,
    pub is_new: bool,
    /// The point's step touched something that was not expected.
    pub surprises: bool,
}

#[derive(Default)]
pub struct Run {
    reader: StepReader,
    /// One for each step.
    pub events: Vec<EventId>,
    undo: Vec<Undo>,
    threads: Vec<ThreadState>,
    slots: Vec<Recent>,
    /// Steps in which inputs decided something.
    branches: Vec<EventId>,
    /// Why not every order was considered.
    pub unsupported: Option<&'static str>,
    /// Threads that ended in the step under way.
    ended: SmallVec<[ThreadId; 2]>,
}

impl Run {
    /// The machine stands before its first step.
    pub fn begin<E: Executor>(&mut self, unfolding: &mut Unfolding, machine: &E) -> Made {
        self.threads.push(ThreadState { last: ROOT, ..UNBORN });
        let choice = Choice { thread: ThreadId::MAIN, variant: 0 };
        self.note_ends(machine.events());
        unfolding.takes_locks_unseen |= takes_lock_unseen(machine.events(), ThreadId::MAIN, None);
        let touched = self.reader.of_step(choice, machine.events(), None, false, false);
        let mut made = Made {
            new_events: SmallVec::new(),
            new_points: SmallVec::new(),
            event: ROOT,
            is_new: true,
            surprises: false,
        };
        self.undo.push(Undo::default());
        self.stand(unfolding, machine, ThreadId::MAIN, ROOT, &mut made);
        self.follow(unfolding, machine, &touched.effects, ROOT, &mut made);
        made
    }

    fn note_ends(&mut self, events: &[Event]) {
        self.ended.clear();
        self.ended.extend(events.iter().filter(|event| event.kind == OpKind::Exit).map(|event| event.thread));
    }

    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// The configuration that has happened.
    pub fn cut(&self) -> Cut {
        self.threads.iter().map(|thread| thread.last).collect()
    }

    pub fn point(&self, thread: ThreadId) -> Option<PointId> {
        self.threads.get(thread.index())?.point
    }

    /// Goes back until so many steps are left.
    pub fn truncate(&mut self, n_steps: usize) {
        while self.events.len() > n_steps {
            self.events.pop();
            let undo = self.undo.pop().expect("one for each step");
            for (slot, recent) in undo.slots.into_iter().rev() {
                self.slots[slot as usize] = recent;
            }
            for (thread, state) in undo.threads.into_iter().rev() {
                self.threads[thread.index()] = state;
            }
            self.branches.truncate(undo.n_branches);
        }
    }

    /// What a step with these accesses would know of.
    fn history(&self, unfolding: &Unfolding, point: PointId, uses: &[Use], depends_on_all: bool) -> Cut {
        if depends_on_all {
            return unfolding.union(unfolding.base(point), &self.cut());
        }
        let mut past = unfolding.base(point).to_vec();
        for later in uses {
            for (event, earlier) in self.slots.get(later.slot as usize).into_iter().flatten() {
                if unfolding.arcs.is_cause(earlier, later) {
                    unfolding.add_to(&mut past, unfolding.past(*event));
                }
            }
        }
        past.into()
    }

    /// Whether a choice is expected to lead to an event that is not known.
    pub fn is_news(&self, unfolding: &Unfolding, choice: Choice) -> bool {
        let Some(id) = self.point(choice.thread) else { return true };
        let point = &unfolding.points[id];
        let history = self.history(unfolding, id, unfolding.expected(id), point.depends_on_all);
        unfolding.known(id, &history, choice.variant).is_none()
    }

    /// Whether another thread has decided something by inputs that an event with this history does not know of.
    pub fn has_other_branches(&self, unfolding: &Unfolding, history: &[EventId]) -> bool {
        self.branches.iter().any(|&branch| !unfolding.contains(history, branch))
    }

    /// Whether the thread cannot make its step at `point` before somebody else who took a lock there has given it back, although only
    /// what had to happen has happened.
    pub fn is_locked_out(&self, unfolding: &Unfolding, point: PointId) -> bool {
        let (thread, base) = (unfolding.points[point].thread, unfolding.base(point));
        unfolding.expected(point).iter().filter(|wanted| wanted.takes_lock).any(|wanted| {
            let recent = self.slots.get(wanted.slot as usize).into_iter().flatten();
            let mut taken = recent.filter(|(_, last)| last.takes_lock && unfolding.arcs.is_cause(last, wanted));
            taken.any(|(event, _)| unfolding.events[*event].thread != thread && unfolding.contains(base, *event))
        })
    }

    /// Makes a step and finds its event.
    pub fn step<E: Executor>(&mut self, unfolding: &mut Unfolding, machine: &mut E, choice: Choice) -> Made {
        let thread = choice.thread;
        let wants = machine.wants(thread);
        let (n_events, is_within) = (machine.events().len(), self.threads[thread.index()].is_within);
        let point = self.point(thread).expect("who can step stands somewhere");
        machine.step(choice);
        let fails = matches!(machine.end(), Some(End::Failed));
        let events = &machine.events()[n_events..];
        self.unsupported = self.unsupported.or_else(|| unsupported(events));
        self.note_ends(events);
        unfolding.takes_locks_unseen |= takes_lock_unseen(events, thread, wants);
        let touched = self.reader.of_step(choice, events, wants, is_within, fails);
        let uses = unfolding.uses(&touched.touches);
        self.slots.resize(unfolding.sets.n_slots(), Recent::new());
        let history = self.history(unfolding, point, &uses, touched.depends_on_all);
        self.undo.push(Undo { n_branches: self.branches.len(), ..Undo::default() });
        let is_timed = |event: &Event| event.thread == thread && is_timed(event);
        let mut surprises = meet_expectations(unfolding, point, &uses, touched.depends_on_all);
        if events.iter().any(is_timed) {
            surprises |= stop_waiting(unfolding, point);
        }
        let known = unfolding.known(point, &history, choice.variant);
        let is_branch = decides(wants, events);
        let event = known.unwrap_or_else(|| {
            let (depends_on_all, variant) = (touched.depends_on_all, choice.variant);
            let (uses, replaced) = (&uses, &self.replaced(&uses));
            let new = NewEvent { point, variant, uses, replaced, depends_on_all, is_join: false, is_branch };
            unfolding.add_event(new, &history)
        });
        let mut made = Made {
            new_events: SmallVec::new(),
            new_points: SmallVec::new(),
            event,
            is_new: known.is_none(),
            surprises,
        };
        if made.is_new {
            made.new_events.push(event);
        }
        if is_branch {
            self.branches.push(event);
        }
        self.touch(unfolding, event, &uses);
        self.events.push(event);
        self.save(thread);
        self.threads[thread.index()] = ThreadState { point: None, last: event, is_within: touched.stays_within };
        self.push_state(unfolding, machine, thread, event, touched, &mut made);
        made
    }

    fn push_state<E: Executor>(
        &mut self,
        unfolding: &mut Unfolding,
        machine: &E,
        thread: ThreadId,
        event: EventId,
        touched: Touched,
        made: &mut Made,
    ) {
        self.stand_or_join(unfolding, machine, thread, event, &touched.effects, made);
        self.follow(unfolding, machine, &touched.effects, event, made);
    }

    fn save(&mut self, thread: ThreadId) {
        self.threads.resize(self.threads.len().max(thread.index() + 1), UNBORN);
        let state = self.threads[thread.index()];
        self.undo.last_mut().expect("a step is being made").threads.push((thread, state));
    }

    /// Of each write of a step: what it replaces.
    fn replaced(&self, uses: &[Use]) -> SmallVec<[EventId; 8]> {
        let replaced = |used: &Use| {
            let mut earlier = self.slots[used.slot as usize].iter().filter(|(_, old)| old.mode != Mode::Read);
            match (earlier.next(), earlier.next()) {
                (None, _) => NONE,
                (Some((event, old)), None) if old.mode == Mode::Write && old.bytes == used.bytes => *event,
                _ => SEVERAL,
            }
        };
        uses.iter().filter(|used| used.mode == Mode::Write).map(replaced).collect()
    }

    /// Remembers who touched what.
    fn touch(&mut self, unfolding: &Unfolding, event: EventId, uses: &[Use]) {
        let arcs = unfolding.arcs;
        for &used in uses {
            let recent = &mut self.slots[used.slot as usize];
            // With read arcs nobody knows of reads.
            if arcs == Arcs::Contextual && used.mode == Mode::Read {
                continue;
            }
            // Whoever would know of these knows of this one, too: it knows of them, or comes after them in their thread.
            let is_covered = |earlier: EventId, old: &Use| {
                old.bytes & !used.bytes == 0
                    && (used.mode == Mode::Write
                        || used.mode == old.mode && unfolding.events[earlier].thread == unfolding.events[event].thread)
            };
            self.undo.last_mut().expect("a step is being made").slots.push((used.slot, recent.clone()));
            recent.retain(|(earlier, old)| !is_covered(*earlier, old));
            recent.push((event, used));
        }
    }

    /// What followed the step without being one.
    fn follow<E: Executor>(
        &mut self,
        unfolding: &mut Unfolding,
        machine: &E,
        effects: &[Effect],
        event: EventId,
        made: &mut Made,
    ) {
        for (position, &effect) in effects.iter().enumerate() {
            match effect {
                Effect::Create { child, .. } => {
                    self.save(child);
                    self.threads[child.index()] = UNBORN;
                    self.stand_or_join(unfolding, machine, child, event, &effects[position + 1..], made);
                }
                Effect::Release(thread) => {
                    self.save(thread);
                    self.stand_or_join(unfolding, machine, thread, event, &effects[position + 1..], made);
                }
                Effect::Join { joiner, target } => {
                    self.join(unfolding, joiner, target, made);
                    self.stand_or_join(unfolding, machine, joiner, NONE, &effects[position + 1..], made);
                }
            }
        }
    }

    /// A thread stands after `release`, or goes on at once to a join.
    fn stand_or_join<E: Executor>(
        &mut self,
        unfolding: &mut Unfolding,
        machine: &E,
        thread: ThreadId,
        release: EventId,
        later: &[Effect],
        made: &mut Made,
    ) {
        let release = if release == NONE { self.threads[thread.index()].last } else { release };
        let joins = |effect: &Effect| match *effect {
            Effect::Join { joiner, target } if joiner == thread => Some(target),
            Effect::Join { .. } | Effect::Create { .. } | Effect::Release(_) => None,
        };
        match later.iter().find_map(joins) {
            Some(target) => {
                let (address, at) = (u64::from(target.0), gordian_trace::NO_CODE);
                let join = Wants { kind: OpKind::Join, size: 0, address, at, varies: false };
                self.stand_at(unfolding, thread, release, Some(join), made);
            }
            None => self.stand(unfolding, machine, thread, release, made),
        }
    }

    /// The thread stands before what the machine says.
    fn stand<E: Executor>(
        &mut self,
        unfolding: &mut Unfolding,
        machine: &E,
        thread: ThreadId,
        release: EventId,
        made: &mut Made,
    ) {
        let wants = machine.wants(thread);
        let Some(id) = self.stand_at(unfolding, thread, release, wants, made) else { return };
        let Some(wants) = wants else {
            // It may also have failed, or stopped at a false assumption.
            unfolding.points[id].is_parked = !self.ended.contains(&thread);
            return;
        };
        let watched = machine.watched(thread);
        let expected = self.reader.about_to(thread, wants, &watched);
        let mut uses = unfolding.uses(&expected.touches);
        self.slots.resize(unfolding.sets.n_slots(), Recent::new());
        let blocks = matches!(wants.kind, OpKind::Lock | OpKind::Woken | OpKind::ReadLock);
        for used in &mut uses {
            used.takes_lock = blocks;
        }
        let can_step = machine.choices().iter().any(|choice| choice.thread == thread);
        unfolding.expect(id, &uses);
        if can_step && self.is_locked_out(unfolding, id) {
            stop_waiting(unfolding, id);
        }
        if wants.kind == OpKind::ProcessExit {
            unfolding.expect_anything(id);
        }
        let point = &mut unfolding.points[id];
        let waits = is_blocking(wants.kind);
        point.can_block = waits || !can_step || !watched.is_empty();
        point.is_parked =
            !can_step && matches!(wants.kind, OpKind::WaitEnd | OpKind::BarrierLeave) && machine.end().is_none();
    }

    /// The point, if it is new.
    fn stand_at(
        &mut self,
        unfolding: &mut Unfolding,
        thread: ThreadId,
        release: EventId,
        wants: Option<Wants>,
        made: &mut Made,
    ) -> Option<PointId> {
        let pred = self.threads[thread.index()].last;
        let known = unfolding.known_point(thread, pred, release);
        let id = known.unwrap_or_else(|| unfolding.add_point(thread, pred, release, wants));
        self.threads[thread.index()].point = Some(id);
        if known.is_some() {
            return None;
        }
        made.new_points.push(id);
        Some(id)
    }

    /// A thread learns of another's end.
    fn join(&mut self, unfolding: &mut Unfolding, joiner: ThreadId, target: ThreadId, made: &mut Made) {
        let point = self.point(joiner).expect("who joins stands somewhere");
        let end = self.point(target).expect("who ended stood somewhere");
        let history = unfolding.union(unfolding.base(point), unfolding.base(end));
        let known = unfolding.known(point, &history, 0);
        let event = known.unwrap_or_else(|| {
            let new = NewEvent {
                point,
                variant: 0,
                uses: &[],
                replaced: &[],
                depends_on_all: false,
                is_join: true,
                is_branch: false,
            };
            unfolding.add_event(new, &history)
        });
        if known.is_none() {
            made.new_events.push(event);
        }
        self.save(joiner);
        self.threads[joiner.index()].last = event;
    }
}

/// Adds to what is expected of a point's step what it did. Whether that is more than was expected.
fn meet_expectations(unfolding: &mut Unfolding, point: PointId, uses: &[Use], depends_on_all: bool) -> bool {
    let mut expected = Uses::from_slice(unfolding.expected(point));
    let n_expected = expected.len();
    for &used in uses {
        let covers = |known: &Use| {
            known.slot == used.slot
                && used.bytes & !known.bytes == 0
                && (known.mode == used.mode || known.mode == Mode::Write)
        };
        if !expected.iter().any(covers) {
            expected.push(Use { takes_lock: false, ..used });
        }
    }
    let has_more = expected.len() > n_expected;
    if has_more {
        unfolding.expect(point, &expected);
    }
    let surprises = has_more || depends_on_all && !unfolding.points[point].depends_on_all;
    if depends_on_all {
        unfolding.expect_anything(point);
    }
    surprises
}

/// Whether a lock was taken otherwise than by what the thread was about to do.
pub fn takes_lock_unseen(events: &[Event], thread: ThreadId, wants: Option<Wants>) -> bool {
    events.iter().any(|event| takes_lock(event) && !is_wanted(event, thread, wants))
}

fn takes_lock(event: &Event) -> bool {
    use OpKind::{Lock, ReadLock, TryLock, TryReadLock, Woken};
    matches!(event.kind, Lock | ReadLock | TryLock | TryReadLock | Woken)
}

/// Whether a step took a lock because that was what its thread was about to do.
fn is_wanted(event: &Event, thread: ThreadId, wants: Option<Wants>) -> bool {
    use OpKind::{Lock, ReadLock, TryLock, TryReadLock};
    let is_that =
        |wants: Wants| matches!(wants.kind, Lock | ReadLock | TryLock | TryReadLock) && wants.address == event.address;
    event.thread == thread && !event.alone && wants.is_some_and(is_that)
}

/// Whether it is an attempt to lock that gives up after some time.
fn is_timed(event: &Event) -> bool {
    match event.kind {
        OpKind::LockTimeout => true,
        OpKind::Lock | OpKind::ReadLock => event.other == 1,
        _ => false,
    }
}

/// The step of a point is possible although somebody holds its lock. Whether that was not known.
fn stop_waiting(unfolding: &mut Unfolding, point: PointId) -> bool {
    let expected = unfolding.expected(point);
    if !expected.iter().any(|used| used.takes_lock) {
        return false;
    }
    let uses: Uses = expected.iter().map(|&used| Use { takes_lock: false, ..used }).collect();
    unfolding.expect(point, &uses);
    true
}

/// Why the orders of a step are not all considered, if they are not.
pub fn unsupported(events: &[Event]) -> Option<&'static str> {
    let cancels = events.iter().any(|event| event.kind == OpKind::Cancel);
    cancels.then_some("a thread is cancelled, which this strategy does not explore in every order")
}

/// Why what is left at the end of the process is not looked at.
pub const LEFT_BY_MAIN: &str = "main ends before other threads, so no step knows of all that is left at the end of the process; use `--strategy dpor`";

/// Whether threads went on after main had ended. The process then ends with the last of them, whose steps need not know of those of others.
pub fn leaves_others(events: &[Event]) -> bool {
    let left = events.iter().position(|event| event.kind == OpKind::Exit && event.thread == ThreadId::MAIN);
    left.is_some_and(|left| events[left..].iter().any(|event| event.thread != ThreadId::MAIN))
}

/// Whether operations of this kind may have to wait for others.
pub fn is_blocking(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(kind, Lock | Woken | ReadLock | SemWait | OnceEnter | WaitEnd | BarrierLeave | AtomicBegin | Join)
}

/// Whether an operation of this kind is possible at any time, in the same variants.
pub fn is_always_possible(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(
        kind,
        Read | Write
            | AtomicRead
            | AtomicWrite
            | Rmw
            | CasOk
            | Unlock
            | TryLock
            | TryReadLock
            | SemPost
            | SemTryWait
            | Broadcast
            | BarrierArrive
            | Create
            | Free
            | Fence
            | Yield
    )
}

pub fn decides(wants: Option<Wants>, events: &[Event]) -> bool {
    wants.is_some_and(|wants| wants.kind == OpKind::Branch)
        || events.first().is_some_and(|event| event.kind == OpKind::Branch)
}
