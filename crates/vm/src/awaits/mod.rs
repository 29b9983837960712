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

mod trial;

use crate::local_state::Loops;
use crate::machine::Machine;
use crate::sync::{MUTEX_SIZE, SPIN_SIZE};
use crate::thread::{Park, Thread};
use gordian_base::{FxHashMap, Id, ThreadId};
use gordian_ir::{ExternId, Inst, Program, may_come_round};
use gordian_trace::{Event, Objection, OpKind, RaceMode, Wants};
use smallvec::SmallVec;
use trial::Round;

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
