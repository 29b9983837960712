//! Awaits: an access that decides whether a waiting loop goes round is possible only where it lets the thread leave the loop.
//!
//! Jonsson, Lång and Sagonas, "Awaiting for Godot", FMCAD 2022, have loops of which one read decides written as `await`. Here they are
//! recognized while the program runs. A thread that parks before such an access is tried: on a copy of its frames and registers it makes the access with
//! the value that stands there and goes on. If it comes back to the same access in the same state, having written nothing and made no other visible
//! operation, the access would be a *failed look*. Then the thread is blocked, as at a lock, until another value stands there.
//!
//! *Lemma.* A failed look leaves threads and memory as they were, so that every state and every step that an execution with failed looks reaches is
//! reached by the same execution without them. What a failed look adds is order: it may acquire what was released, and it may race. Without it there is less
//! order, so the races of all other accesses are still found. It can race itself only with an access that is not atomic; where a place that
//! somebody awaits is accessed like that, or in parts, the search must be made without awaits ([`Machine::objection`]).
//!
//! Whether the look would fail is a function of the thread's own state and of the value. So for each earlier write to the place it can be told whether the
//! thread could have gone on before it, and [`OpKind::Watch`] with [`OpKind::WATCHES_AWAIT`] says which was the last such write.

use crate::arith;
use crate::interp::{self, Leave};
use crate::machine::Machine;
use crate::memory::Mode;
use crate::spin::Loops;
use crate::sync::{EBUSY, MUTEX_SIZE, SPIN_SIZE, THRD_BUSY};
use crate::thread::{Park, Thread};
use gordian_base::{FxHashMap, Id, ThreadId};
use gordian_ir::{Callee, ExternId, Inst, Program, Slot, address, may_come_round};
use gordian_trace::{Event, Objection, OpKind, RaceMode, Wants};
use smallvec::SmallVec;

/// Jumps of a round; a longer one is no waiting.
const JUMPS_OF_A_ROUND: u64 = 2_000;
/// Registers and frames of a thread that is tried.
const MOST_REGISTERS: usize = 4_096;
const MOST_FRAMES: usize = 64;

const UNKNOWN: u8 = 0;
const NEVER: u8 = 1;
const MAY: u8 = 2;

/// How a place was accessed while there were several threads, in all executions of the machine.
#[derive(Clone, Copy, Debug)]
struct Place {
    address: u64,
    size: u32,
    is_awaited: bool,
    /// Not by atomic accesses to these very bytes alone.
    is_odd: bool,
}

impl Place {
    fn overlaps(&self, address: u64, size: u64) -> bool {
        self.address < address.saturating_add(size) && address < self.address.saturating_add(u64::from(self.size))
    }

    fn is(&self, address: u64, size: u64) -> bool {
        (self.address, u64::from(self.size)) == (address, size)
    }
}

pub struct Awaits {
    pub is_on: bool,
    /// By function: for each instruction whether a round may begin there, once asked for.
    rounds: Vec<Option<Box<[u8]>>>,
    /// Somebody may see how long a thread sleeps.
    pub(crate) tells_time: bool,
    /// External functions that a waiting loop may call.
    quiet: Vec<bool>,
    /// By word: those that overlap it.
    places: FxHashMap<u64, SmallVec<[Place; 2]>>,
    trial: Option<Box<Thread>>,
}

/// Functions that let others go on, and do nothing else.
const YIELDS: [&str; 3] = ["sched_yield", "pthread_yield", "thrd_yield"];
/// The same for some time. They are cancellation points, and whoever reads the clock sees how long it took.
const SLEEPS: [&str; 2] = ["usleep", "sleep"];
const NAPS: [&str; 2] = ["nanosleep", "thrd_sleep"];
const CLOCKS: [&str; 6] = ["time", "clock", "clock_gettime", "gettimeofday", "timespec_get", "times"];

impl Awaits {
    pub fn new(program: &Program, settings: &gordian_trace::Machine, cancels: bool) -> Awaits {
        let is_named = |names: &[&str], name: &str| names.contains(&name);
        let tells_time = cancels || program.externals.iter().any(|external| is_named(&CLOCKS, &external.name));
        let is_quiet =
            |name: &str| is_named(&YIELDS, name) || !tells_time && (is_named(&SLEEPS, name) || is_named(&NAPS, name));
        // Branches of rounds that are not made would not be covered, and with reads that are symbols there is no value to look at.
        let is_on = settings.awaits && !settings.coverage && !settings.uninitialised && !settings.parks_everywhere;
        let is_attempt = |name: &str| name.ends_with("_trylock");
        let may_wait = program.externals.iter().any(|external| is_attempt(&external.name))
            || program.functions.iter().any(|function| function.code.iter().any(|inst| is_candidate(inst, settings)));
        Awaits {
            is_on: is_on && may_wait,
            rounds: (0..program.functions.len()).map(|_| None).collect(),
            quiet: program.externals.iter().map(|external| is_quiet(&external.name)).collect(),
            tells_time,
            places: FxHashMap::default(),
            trial: None,
        }
    }
}

/// Whether the instruction is an access that may leave its place as it was.
fn is_candidate(inst: &Inst, settings: &gordian_trace::Machine) -> bool {
    match *inst {
        Inst::Load { .. } => settings.races == RaceMode::Ignore,
        Inst::AtomicLoad { size, .. } | Inst::AtomicRmw { size, .. } => size <= 8,
        Inst::CmpXchg { size, weak, .. } => size <= 8 && !(weak && settings.weak_cas_fails),
        _ => false,
    }
}

/// What a round came to that begins with a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    /// The thread stands where it stood, and nothing has changed.
    Again,
    /// It has left the loop, or done something.
    Leaves,
}

impl Machine<'_> {
    /// The thread was parked before `wants`: finds out whether that is an await.
    #[inline]
    pub(crate) fn look_for_await(&mut self, thread: ThreadId, wants: Wants) {
        if self.waiting.awaits.is_on && self.is_await(thread, wants) {
            self.threads[thread.index()].core.awaits = true;
        }
    }

    #[inline(never)]
    fn is_await(&mut self, thread: ThreadId, wants: Wants) -> bool {
        let core = &self.threads[thread.index()].core;
        if core.n_watching > 0 || core.atomic > 0 || !self.has_other_threads() || self.records_accesses() {
            return false;
        }
        if self.symbolic.has_terms(thread) || !self.may_come_round(thread) {
            return false;
        }
        let inst = *self.instruction(thread);
        if wants.kind == OpKind::TryLock {
            return self.is_plain_lock(wants) && self.round(thread, inst, 0) == Round::Again;
        }
        if !is_candidate(&inst, &self.settings) || self.always_changes(thread, inst) {
            return false;
        }
        self.note_place_as(wants.address, u64::from(wants.size), false, true);
        true
    }

    fn is_plain_lock(&self, wants: Wants) -> bool {
        matches!(wants.size, MUTEX_SIZE | SPIN_SIZE) && !self.uses.robust
    }

    fn always_changes(&self, thread: ThreadId, inst: Inst) -> bool {
        let Inst::AtomicRmw { op, src, .. } = inst else { return false };
        use gordian_ir::RmwOp::{Add, Sub, Xor};
        matches!(op, Add | Sub | Xor) && self.register(thread, src) != 0
    }

    /// Whether a round without effect may begin where the thread stands.
    fn may_come_round(&mut self, thread: ThreadId) -> bool {
        let n_frames = self.threads[thread.index()].frames.len();
        if n_frames > MOST_FRAMES {
            return false;
        }
        (0..n_frames).rev().any(|index| {
            let frame = self.threads[thread.index()].frames[index];
            // A frame that has called another stands behind the call already, except at `exit`, which calls handlers.
            let pc = frame.pc.saturating_sub(u32::from(index + 1 < n_frames));
            let function = &self.program.functions[frame.function];
            let rounds = self.waiting.awaits.rounds[frame.function.index()]
                .get_or_insert_with(|| vec![UNKNOWN; function.code.len()].into());
            if rounds[pc as usize] == UNKNOWN {
                let loops = self.waiting.loops[frame.function.index()].get_or_insert_with(|| Loops::of(function));
                let quiet = |external: ExternId| self.waiting.awaits.quiet[external.index()];
                let may = may_come_round(self.program, frame.function, loops.liveness(), pc, &quiet);
                rounds[pc as usize] = if may { MAY } else { NEVER };
            }
            rounds[pc as usize] == MAY
        })
    }

    /// Whether the thread, which awaits something, could go on now.
    pub(crate) fn is_let_go(&mut self, thread: ThreadId) -> bool {
        let Park::Before(wants) = self.threads[thread.index()].core.park else { return true };
        if wants.kind == OpKind::TryLock {
            return self.mutex_can_lock(thread, wants.address, wants.size);
        }
        let size = u64::from(wants.size);
        if self.memory.check(wants.address, size, false).is_err() || self.memory.has_terms(wants.address, size) {
            return true;
        }
        let value = self.memory.load(wants.address, wants.size as u8);
        self.would_leave(thread, value)
    }

    /// Whether the thread would go on if this value stood at the place that it awaits.
    fn would_leave(&mut self, thread: ThreadId, value: u64) -> bool {
        let inst = *self.instruction(thread);
        self.round(thread, inst, value) == Round::Leaves
    }

    /// Tries the round that begins where the thread stands, with this value in place of what is looked at.
    fn round(&mut self, thread: ThreadId, inst: Inst, value: u64) -> Round {
        let me = &self.threads[thread.index()];
        if me.registers.len() > MOST_REGISTERS || me.frames.len() > MOST_FRAMES {
            return Round::Leaves;
        }
        let mut trial = self.waiting.awaits.trial.take().unwrap_or_else(|| Box::new(Thread::copy_of(me)));
        trial.copy_from(me);
        let was_on = std::mem::replace(&mut self.memory.journal.on, true);
        let (n_changes, changes) = (self.memory.journal.log.len(), self.memory.changes);
        let mut scopes = Vec::new();
        let round = if self.look(&mut trial, inst, value) {
            self.go_round(thread, &mut trial, &mut scopes)
        } else {
            Round::Leaves
        };
        let is_same =
            round == Round::Again && self.is_same_state(thread, &trial) && self.has_no_net_effect(n_changes, &scopes);
        while self.memory.journal.log.len() > n_changes {
            let undo = self.memory.journal.log.pop().expect("the log is longer");
            self.undo(undo);
        }
        self.memory.changes = changes;
        self.memory.journal.on = was_on;
        self.waiting.awaits.trial = Some(trial);
        if is_same { Round::Again } else { Round::Leaves }
    }

    /// Makes the access on the copy; no if it writes another value.
    fn look(&self, trial: &mut Thread, inst: Inst, value: u64) -> bool {
        let base = trial.top().base as usize;
        let mask = |size: u8| u64::MAX >> (64 - 8 * u32::from(size));
        let get = |trial: &Thread, slot: Slot| trial.registers[base + slot.index()];
        match inst {
            Inst::Load { dst, .. } | Inst::AtomicLoad { dst, .. } => trial.registers[base + dst.index()] = value,
            Inst::AtomicRmw { op, size, dst, src, .. } => {
                let operand = u128::from(get(trial, src) & mask(size));
                if arith::rmw(op, 8 * size, u128::from(value), operand) != u128::from(value) {
                    return false;
                }
                trial.registers[base + dst.index()] = value;
            }
            Inst::CmpXchg { size, dst, expected_new, .. } => {
                if get(trial, expected_new) & mask(size) == value {
                    return false;
                }
                trial.registers[base + dst.index()] = value;
                trial.registers[base + dst.index() + 1] = 0;
            }
            // A try-lock that fails.
            Inst::Call { site } => {
                let program = self.program;
                let site = &program.functions[trial.top().function].calls[site as usize];
                let Callee::External(external) = site.callee else { return false };
                let is_c11 = program.externals[external].name == "mtx_trylock";
                if site.n_returns > 0 {
                    let busy = if is_c11 { THRD_BUSY } else { EBUSY };
                    trial.registers[base + site.dst.index()] = u64::from(busy as u32);
                }
            }
            _ => return false,
        }
        trial.top_mut().pc += 1;
        true
    }

    /// Runs the copy up to its next visible operation.
    fn go_round(&mut self, thread: ThreadId, trial: &mut Thread, scopes: &mut Vec<u64>) -> Round {
        let (program, space) = (self.program, address::stack_space(thread));
        let mut fuel = JUMPS_OF_A_ROUND;
        loop {
            let Machine { memory, atomic_functions, .. } = self;
            let leave = interp::dispatch::<false, _>(program, atomic_functions, trial, memory, space, &mut fuel, ());
            let goes_on = match leave {
                Leave::Slow(inst) => {
                    if trial.frames == self.threads[thread.index()].frames {
                        return Round::Again;
                    }
                    self.go_past(thread, trial, inst, scopes)
                }
                Leave::Call(site) => {
                    if trial.frames == self.threads[thread.index()].frames {
                        return Round::Again;
                    }
                    self.pass_call(trial, site)
                }
                Leave::Return(_) | Leave::Fault(_) | Leave::Exhausted | Leave::Stepped | Leave::Parked => false,
            };
            if !goes_on {
                return Round::Leaves;
            }
            trial.top_mut().pc += 1;
        }
    }

    /// An instruction outside the dispatch loop: whether the round goes on behind it.
    fn go_past(&mut self, thread: ThreadId, trial: &mut Thread, inst: Inst, scopes: &mut Vec<u64>) -> bool {
        let base = trial.top().base as usize;
        let own = |machine: &Self, slot: Slot, size: u8, writes: bool| {
            let address = trial.registers[base + slot.index()];
            let object = machine.memory.check(address, u64::from(size), writes).ok()?;
            let is_mine = (address::space(address) ^ address::stack_space(thread)) <= 1;
            let is_private = object.mode == Mode::Private && is_mine || object.mode == Mode::Constant && !writes;
            (is_private && !machine.memory.has_terms(address, u64::from(size))).then_some(address)
        };
        match inst {
            Inst::Fence { .. } => true,
            Inst::Load { size, dst, address } => {
                let Some(address) = own(self, address, size, false) else { return false };
                trial.registers[base + dst.index()] = self.memory.load(address, size);
                true
            }
            Inst::Store { size, address, src } => {
                let Some(address) = own(self, address, size, true) else { return false };
                self.memory.store(address, size, trial.registers[base + src.index()]);
                true
            }
            Inst::ThreadLocal { global, dst } => {
                let place = self.thread_local_address(thread, global);
                trial.registers[base + dst.index()] = place;
                true
            }
            Inst::LifetimeStart { address } => self.enter_scope(trial.registers[base + address.index()], scopes),
            Inst::LifetimeEnd { for_good: false, address } => {
                self.leave_scope(trial.registers[base + address.index()], scopes)
            }
            // A round that is not made is not counted.
            Inst::LoopBack { .. } => true,
            Inst::LoopEnter { counter } => {
                trial.registers[base + counter.index()] = 0;
                true
            }
            _ => false,
        }
    }

    fn enter_scope(&mut self, place: u64, scopes: &mut Vec<u64>) -> bool {
        match self.memory.object(place).map(|object| object.mode) {
            Some(Mode::OutOfScope) => {
                scopes.push(place);
                self.memory.set_mode(place, Mode::Private);
                true
            }
            Some(Mode::Private) => true,
            _ => false,
        }
    }

    /// A variable whose scope was entered in this round leaves it again; what was written to it is lost.
    fn leave_scope(&mut self, place: u64, scopes: &[u64]) -> bool {
        let is_private = self.memory.object(place).is_some_and(|object| object.mode == Mode::Private);
        if !is_private || !scopes.contains(&place) {
            return false;
        }
        self.memory.set_mode(place, Mode::OutOfScope);
        true
    }

    /// A call of an external function: whether the round goes on behind it.
    fn pass_call(&self, trial: &mut Thread, site: u32) -> bool {
        let top = *trial.top();
        let site = &self.program.functions[top.function].calls[site as usize];
        let Callee::External(external) = site.callee else { return false };
        if !self.waiting.awaits.quiet[external.index()] {
            return false;
        }
        let argument =
            |nth: usize| site.args.get(nth).map_or(0, |slot| trial.registers[top.base as usize + slot.index()]);
        if NAPS.contains(&self.program.externals[external].name.as_str()) {
            let request = argument(0);
            let is_readable = self.memory.check(request, 16, false).is_ok_and(|object| object.mode <= Mode::Private);
            if !is_readable || argument(1) != 0 {
                return false;
            }
            let [seconds, nanoseconds] = [0, 8].map(|offset| self.memory.load(request + offset, 8));
            if crate::models::duration_of(seconds, nanoseconds).is_none() {
                return false;
            }
        }
        if site.n_returns > 0 {
            trial.registers[top.base as usize + site.dst.index()] = 0;
        }
        true
    }

    /// Whether the copy stands where the thread does with the same in all registers that may still be read.
    fn is_same_state(&mut self, thread: ThreadId, trial: &Thread) -> bool {
        let me = &self.threads[thread.index()];
        let (loops, program) = (&mut self.waiting.loops, self.program);
        me.frames.iter().enumerate().all(|(index, frame)| {
            let of = loops[frame.function.index()].get_or_insert_with(|| Loops::of(&program.functions[frame.function]));
            let pc = (frame.pc as usize).saturating_sub(usize::from(index + 1 < me.frames.len()));
            let base = frame.base as usize;
            of.liveness().live(pc).all(|register| me.registers[base + register] == trial.registers[base + register])
        })
    }

    /// Whether memory is as it was when the journal had so many entries, but for variables that are out of scope again.
    fn has_no_net_effect(&self, n_changes: usize, scopes: &[u64]) -> bool {
        use crate::journal::Undo;
        let objects = || scopes.iter().filter_map(|&place| self.memory.object(place));
        let are_left = objects().all(|object| object.mode == Mode::OutOfScope);
        let is_lost = |at: u64| {
            objects().any(|object| (object.at() as u64..object.at() as u64 + u64::from(object.size)).contains(&at))
        };
        let log = &self.memory.journal.log[n_changes..];
        are_left
            && log.iter().enumerate().all(|(nth, undo)| match *undo {
                Undo::Word { at, old } => {
                    let is_first =
                        !log[..nth].iter().any(|other| matches!(*other, Undo::Word { at: known, .. } if known == at));
                    is_lost(at) || !is_first || self.memory.load_at(at as usize, 8) == old
                }
                Undo::Mode { address, .. } => scopes.contains(&address),
                _ => false,
            })
    }

    /// Whether the thread is blocked at an await.
    #[inline]
    pub(crate) fn is_awaiting(&self, thread: ThreadId) -> bool {
        let me = &self.threads[thread.index()];
        me.core.awaits && !me.is_let_go
    }

    /// At the end of an execution: notes before which events threads could have gone on that still await something.
    #[cold]
    pub(crate) fn find_predecessors(&mut self) {
        for index in 0..self.threads.len() {
            if let Park::Before(wants) = self.threads[index].core.park
                && self.threads[index].core.awaits
            {
                self.threads[index].could_precede = self.could_precede(ThreadId(index as u32), wants);
            }
        }
    }

    /// What the thread awaits, as [`Machine::watched`] has it.
    pub(crate) fn awaited(&self, thread: ThreadId) -> Option<(u64, u32, u64)> {
        let me = self.threads.get(thread.index())?;
        let Park::Before(wants) = me.core.park else { return None };
        me.core.awaits.then_some((wants.address, wants.size, OpKind::WATCHES_AWAIT | me.could_precede << 8))
    }

    /// What a thread that awaits something waits for, in words.
    pub(crate) fn await_text(&self, wants: Wants) -> String {
        let mut name = self.name_of(wants.address);
        if wants.kind != OpKind::TryLock {
            let value = self.memory.load(wants.address, wants.size as u8);
            name = format!("{name} = {}", self.value_text(wants.address, wants.size, value));
        }
        format!("loops until another thread changes {name}")
    }

    /// The thread goes on from what it awaited: says before which write it could have done so.
    pub(crate) fn stop_awaiting(&mut self, thread: ThreadId) {
        if !std::mem::take(&mut self.threads[thread.index()].core.awaits) {
            return;
        }
        let Park::Before(wants) = self.threads[thread.index()].core.park else { return };
        let earlier = self.could_precede(thread, wants);
        self.push_event(thread, OpKind::Watch, wants.address, wants.size, OpKind::WATCHES_AWAIT, earlier);
    }

    /// One more than the number of the last event before which the thread could have gone on with what it awaits, 0 if there is none. What stood in an
    /// object when it ended is not kept: where a thread awaits something in one, the search must be made without awaits.
    pub(crate) fn could_precede(&mut self, thread: ThreadId, wants: Wants) -> u64 {
        if wants.kind == OpKind::TryLock {
            return 0;
        }
        let mut tried: Vec<(u64, bool)> = Vec::new();
        for index in (0..self.log.events.len()).rev() {
            let event = self.log.events[index];
            let begins = event.kind == OpKind::Create && event.address == u64::from(thread.0);
            if begins {
                break;
            }
            if !writes_to(&event, wants) {
                continue;
            }
            if event.alone {
                break;
            }
            if event.kind == OpKind::Free {
                self.object(Objection::Awaits, "an object ends in which a loop waits for something");
                break;
            }
            if event.thread == thread {
                break;
            }
            if !self.is_first_write_of_step(index, wants) {
                continue;
            }
            let known = tried.iter().find(|known| known.0 == event.other).map(|known| known.1);
            let leaves = known.unwrap_or_else(|| self.would_leave(thread, event.other));
            if leaves {
                return index as u64 + 1;
            }
            tried.push((event.other, leaves));
        }
        0
    }

    /// Whether no earlier event of the same step writes to what is awaited. In an atomic section only the first one found what stood there
    /// before the step; nobody sees the values in between.
    fn is_first_write_of_step(&self, index: usize, wants: Wants) -> bool {
        let n_steps = self.log.step_starts.partition_point(|&start| start as usize <= index);
        let start = n_steps.checked_sub(1).map_or(0, |step| self.log.step_starts[step] as usize);
        !self.log.events[start..index].iter().any(|event| writes_to(event, wants))
    }

    /// Notes how a place is accessed that others see.
    #[inline]
    pub(crate) fn note_place(&mut self, address: u64, size: u64, is_atomic: bool, unsure: bool) {
        if self.waiting.awaits.is_on {
            let is_odd = unsure || !is_atomic && self.settings.races != RaceMode::Ignore;
            self.note_place_of(address, size, is_odd);
        }
    }

    #[inline(never)]
    fn note_place_of(&mut self, address: u64, size: u64, is_odd: bool) {
        if self.accesses_are_visible() {
            self.note_place_as(address, size, is_odd, false);
        }
    }

    /// Notes an access to a place, or that it is awaited. What is accessed in parts as well, or otherwise than atomically, must not be awaited.
    fn note_place_as(&mut self, address: u64, size: u64, is_odd: bool, is_awaited: bool) {
        let mut objects = false;
        for (word, _) in gordian_trace::words(address, size.min(1 << 16)) {
            let places = self.waiting.awaits.places.entry(word).or_default();
            let is_cut = places.iter().any(|place| place.overlaps(address, size) && !place.is(address, size));
            if !places.iter().any(|place| place.is(address, size)) {
                places.push(Place { address, size: size as u32, is_awaited: false, is_odd: false });
            }
            for place in places.iter_mut().filter(|place| place.overlaps(address, size)) {
                place.is_odd |= is_odd || is_cut;
                place.is_awaited |= is_awaited && place.is(address, size);
                objects |= place.is_odd && place.is_awaited;
            }
        }
        if objects {
            self.object_to_awaits();
        }
    }

    #[cold]
    fn object_to_awaits(&mut self) {
        self.object(Objection::Awaits, "a place that a loop waits for is not only accessed atomically, and as a whole");
    }
}

/// Whether the event is a write to what is awaited.
fn writes_to(event: &Event, wants: Wants) -> bool {
    let overlaps =
        event.address < wants.address + u64::from(wants.size) && wants.address < event.address + u64::from(event.size);
    let writes = matches!(
        event.kind,
        OpKind::Write | OpKind::AtomicWrite | OpKind::Rmw | OpKind::RmwSame | OpKind::CasOk | OpKind::Free
    );
    writes && overlaps
}
