//! The machine: a program, its memory and its threads, and the steps they make.

use crate::census::Census;
use crate::choices::Choices;
use crate::coverage::Coverage;
use crate::files::Files;
use crate::hidden::{Robust, Uses};
use crate::journal::NEVER;
use crate::memo::Memo;
use crate::memory::{Memory, Mode};
use crate::models::{Foreign, Model};
use crate::order::Released;
use crate::private_globals::PrivateGlobals;
use crate::publish::Publication;
use crate::races::Races;
use crate::state::{Log, Roster, Waiting, WayBack};
use crate::symbolic::Symbolic;
use crate::sync::{COND_SIZE, MUTEX_SIZE};
use crate::thread::{Core, Park, Thread};
use gordian_base::{ClockId, Clocks, FxHashMap, Id, IndexVec, ThreadId};
use gordian_ir::{ExternId, FuncId, Program};
use gordian_trace::{
    Bound, BranchPlace, Choice, FindingKind, InputValue, Machine as Settings, Objection, OpKind, ThreadOrigin, Wants,
};

/// How an execution ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// The process exited with this status.
    Exit(i32),
    /// The last finding is the reason.
    Failed,
    /// No result: blocked by a false assumption (nobody could step any more and a thread stood at one, or one was in an atomic section) or by a redundant
    /// round, or cut off where the search looks elsewhere.
    Dropped,
    Bound(Bound),
    /// The sentence names what cannot be run and its place.
    Unsupported(String),
}

/// A deterministic machine that runs one program: same test, same execution, bit for bit.
pub struct Machine<'p> {
    pub(crate) program: &'p Program,
    pub(crate) settings: Settings,
    pub(crate) memory: Memory,
    /// By number; those not (yet) created in this execution are `Unborn`.
    pub(crate) threads: Vec<Thread>,
    pub(crate) end: Option<End>,
    pub(crate) clocks: Clocks,
    pub(crate) races: Races,
    pub(crate) publications: Vec<Publication>,
    /// Local variables that the step under way has published, and that others knew in an earlier life: by whom, where and of what size. Empty between steps.
    pub(crate) republished: Vec<(ThreadId, u64, u32)>,
    pub(crate) released: Released,
    pub(crate) choices: Choices,
    pub(crate) models: IndexVec<ExternId, Option<Model>>,
    pub(crate) uses: Uses,
    pub(crate) own_of_main: PrivateGlobals,
    /// What was done with robust mutexes, in order.
    pub(crate) robust: Vec<Robust>,
    pub(crate) atomic_functions: Vec<bool>,
    /// Whether what threads write to objects of their own is noted for the race detector: the program has relaxed atomics, so an object can
    /// become known to others without what was written to it before.
    pub(crate) notes_private_writes: bool,
    /// Whether streams can be locked: the program calls `flockfile` or the like.
    pub(crate) locks_streams: bool,
    pub(crate) foreign: Foreign,
    /// Jumps that a thread may make between two visible operations.
    pub(crate) fuel: u64,
    pub(crate) files: Files,
    /// Inputs that the test fixes, and those asked for so far.
    pub(crate) fixed_inputs: FxHashMap<(u32, u32), u64>,
    pub(crate) inputs: Vec<InputValue>,
    /// Hidden objects (see `setup`).
    pub(crate) process: u64,
    /// How the operation under way was chosen.
    pub(crate) variant: u32,
    /// `memory.changes` when the running thread began to run.
    pub(crate) changes_before: u64,
    pub(crate) objection: Option<Objection>,
    /// The end of the process waits for other threads (see `exits`).
    pub(crate) delays_exits: bool,
    pub(crate) argv: u64,
    pub(crate) symbolic: Symbolic,
    pub(crate) coverage: Coverage,
    /// What was read at places that nobody writes, in any execution. For assertions.
    pub(crate) constants: FxHashMap<(u64, u8), u64>,
    /// The running thread has parked before what it does now (see [`Machine::pauses`]).
    pub(crate) is_resumed: bool,
    pub(crate) log: Log,
    pub(crate) back: WayBack,
    pub(crate) waiting: Waiting,
    pub(crate) roster: Roster,
}

impl<'p> Machine<'p> {
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Whether the execution ended because no thread can step any more, and not because one of them ended it.
    pub fn is_stuck(&self) -> bool {
        if self.end == Some(End::Dropped) {
            return !self.is_blocked_in_section();
        }
        let kind = self.log.findings.last().map(|raw| raw.finding.kind);
        let waits = matches!(kind, Some(FindingKind::Deadlock | FindingKind::LostSignal | FindingKind::Livelock));
        // Who loops in an atomic section keeps others waiting that could go on.
        let is_kept_up =
            self.has_other_threads() && self.threads.iter().any(|thread| thread.core.park == Park::Running);
        self.end == Some(End::Failed) && waits && !is_kept_up
    }

    /// What can be chosen now, by thread and variant; empty iff the execution has ended.
    #[inline]
    pub fn choices(&self) -> &[Choice] {
        if self.end.is_some() {
            return &[];
        }
        if let Some(memo) = self.ahead() {
            return memo.choices();
        }
        // Where inputs decide nobody else goes on.
        if self.symbolic.choices.is_empty() { &self.choices.list } else { &self.symbolic.choices }
    }

    /// The choices as a set of threads, if they are at hand like that: each thread has one, its first.
    #[inline]
    pub fn free(&self) -> u64 {
        self.ahead().filter(|_| self.end.is_none()).map_or(0, Memo::free)
    }

    /// The memo, if the last steps were replayed from it and not made.
    #[inline]
    pub(crate) fn ahead(&self) -> Option<&Memo> {
        self.back.memo.as_deref().filter(|_| self.back.is_replayed)
    }

    /// Memory, threads and output must be those of the last step.
    #[track_caller]
    pub(crate) fn assert_not_ahead(&self) {
        assert!(!self.back.is_replayed, "the last steps were replayed from the memo and not made");
    }

    /// Threads created so far, main included.
    pub fn n_threads(&self) -> usize {
        self.roster.census.born as usize
    }

    /// One more than the highest number of a thread; numbers may have gaps.
    pub fn thread_numbers(&self) -> usize {
        self.threads.len()
    }

    /// Who created each thread, for a test; empty where main created all, in the order of their numbers.
    pub fn thread_origins(&self) -> Vec<ThreadOrigin> {
        let plain =
            self.roster.origins.iter().enumerate().all(|(n, origin)| origin.creator == 0 && origin.nth == n as u32);
        if plain { Vec::new() } else { self.roster.origins.clone() }
    }

    /// Whether inputs took one value each of many.
    #[inline]
    pub fn has_inputs(&self) -> bool {
        !self.symbolic.on && !self.inputs.is_empty()
    }

    /// Whether inputs are symbols, and there are some.
    #[inline]
    pub fn has_symbolic_inputs(&self) -> bool {
        self.symbolic.on && !self.inputs.is_empty()
    }

    /// Takes the least inputs that lead here.
    pub fn choose_inputs(&mut self) {
        self.take_least_inputs();
    }

    /// Why some inputs were not considered.
    #[inline]
    pub fn losses(&self) -> &[String] {
        &self.symbolic.losses
    }

    /// Branch directions that were taken for the first time since this was last asked, by their number in
    /// [`Machine::branches`].
    #[inline]
    pub fn take_new_branches(&mut self) -> Vec<u32> {
        self.coverage.take_new()
    }

    /// The directions of all branches; none if nobody asked for coverage.
    pub fn branches(&self) -> Vec<BranchPlace> {
        self.coverage.places(self.program)
    }

    /// The inputs that the program asked for.
    pub fn inputs(&self) -> Vec<InputValue> {
        self.inputs.clone()
    }

    /// What `thread` does when it is next scheduled.
    #[inline]
    pub fn wants(&self, thread: ThreadId) -> Option<Wants> {
        if let Some(memo) = self.ahead() {
            return memo.wants(thread);
        }
        let me = self.threads.get(thread.index())?;
        let at = me.at();
        let of = |kind, address, size| Some(Wants { kind, size, address, at, varies: false });
        match me.core.park {
            Park::Before(wants) => Some(self.resolved(wants)),
            Park::Waiting { cond, .. } => of(OpKind::WaitEnd, cond, COND_SIZE),
            Park::Woken { mutex, .. } => of(OpKind::Woken, mutex, MUTEX_SIZE),
            Park::AtBarrier { barrier, .. } => of(OpKind::BarrierLeave, barrier, 0),
            Park::Joining { target, .. } => of(OpKind::Join, u64::from(target.0), 0),
            Park::Running | Park::Unrolled | Park::WentRound | Park::TookBack | Park::Idles => None,
            Park::FalseAssumption | Park::Unborn | Park::Ended => None,
        }
    }

    /// Whether it is known at once that no thread wants anything any more.
    #[inline]
    pub fn nobody_waits(&self) -> bool {
        self.ahead().is_some_and(Memo::nobody_waits)
    }

    /// Makes a choice: the thread's visible operation, then its invisible code up to its next one.
    ///
    /// # Panics
    /// If it is not one of [`Machine::choices`].
    pub fn step(&mut self, choice: Choice) {
        assert!(self.is_possible(choice), "{choice:?} is not possible here");
        match self.back.memo.take() {
            Some(memo) => self.step_or_replay(choice, memo),
            None => self.make_step(choice),
        }
    }

    #[inline]
    fn is_possible(&self, choice: Choice) -> bool {
        let Choice { thread, variant } = choice;
        match self.free() {
            0 => self.choices().contains(&choice),
            free => variant == 0 && thread.0 < u64::BITS && free >> thread.0 & 1 != 0,
        }
    }

    pub(crate) fn make_step(&mut self, choice: Choice) {
        let changes = self.memory.journal.log.len();
        self.begin_step(choice);
        self.follow_variant(choice);
        self.perform(choice.thread);
        self.symbolic.forget_script();
        if self.somebody_may_go_on() {
            self.let_go_on();
        }
        self.touch_since(changes);
        self.settle();
        if self.end.is_some() && self.waiting.awaits.is_on {
            self.find_predecessors();
        }
    }

    pub(crate) fn begin_step(&mut self, choice: Choice) {
        self.back.serial += 1;
        self.log.step_starts.push(self.log.events.len() as u32);
        self.note_step(choice.thread);
        self.log.schedule.push(choice);
        self.save(choice.thread);
        self.variant = choice.variant;
    }

    pub(crate) fn finish(&mut self, end: End) {
        self.end = Some(end);
    }

    /// Whether nobody is interested in the execution any more. What it came to then says nothing about the program.
    pub fn must_stop(&self) -> bool {
        self.symbolic.budget.is_stopped()
    }

    /// The execution has as many steps as it may have.
    #[cold]
    fn steps_exhausted(&mut self) {
        if self.somebody_waits_to_exit() {
            return self.object(Objection::DelayedExits, "an execution does not end");
        }
        if self.settings.rounds.is_some() && !self.settings.counts_all_rounds {
            return self.object(Objection::CountedRounds, "an execution does not end");
        }
        self.finish(End::Bound(Bound::Steps));
    }

    /// Why the search must be made again with other settings, in any execution so far.
    pub fn objection(&self) -> Option<Objection> {
        self.objection
    }

    /// The search must be made again with other settings.
    #[cold]
    pub(crate) fn object(&mut self, objection: Objection, why: &str) {
        self.objection = Some(objection);
        self.finish(End::Unsupported(why.to_owned()));
    }

    pub(crate) fn instructions_exhausted(&mut self) {
        self.finish(End::Bound(Bound::Instructions));
    }

    /// After a step: lets threads go on that wait for nothing but what has already happened.
    ///
    /// Beginning, joining an ended thread and leaving a full barrier are no choices: once possible they
    /// stay possible and concern nobody else, so doing them at once loses no behaviour.
    pub(crate) fn let_go_on(&mut self) {
        loop {
            while self.symbolic.undecided.is_none()
                && let Some(thread) = self.roster.newborn.pop()
            {
                // It may have been made in a step before.
                if self.memory.has_inputs {
                    self.save(thread);
                }
                self.run_beginner(thread);
            }
            if self.symbolic.undecided.is_some() {
                return;
            }
            if self.end.is_some() {
                self.roster.newborn.clear();
                return;
            }
            let Some(thread) = self.next_to_go_on() else { return };
            self.save(thread);
            self.variant = 0;
            self.perform(thread);
        }
    }

    #[inline]
    fn somebody_may_go_on(&self) -> bool {
        let Census { at_barriers, joining, .. } = self.roster.census;
        !self.roster.newborn.is_empty() || at_barriers > 0 || joining > 0 && self.roster.somebody_ended
    }

    fn next_to_go_on(&mut self) -> Option<ThreadId> {
        if !self.somebody_may_go_on() {
            return None;
        }
        let Census { at_barriers, joining, .. } = self.roster.census;
        // Often it is main alone who waits, and nobody behind it need be looked at.
        let mut waiting = at_barriers + joining;
        for (index, thread) in self.threads.iter().enumerate() {
            let goes_on = match thread.core.park {
                Park::Joining { target, .. } => self.threads[target.index()].ended(),
                Park::AtBarrier { barrier, round } => self.barrier_round(barrier) != round,
                _ => continue,
            };
            if goes_on {
                return Some(ThreadId(index as u32));
            }
            waiting -= 1;
            if waiting == 0 {
                break;
            }
        }
        self.roster.somebody_ended = false;
        None
    }

    /// Works out who can step next.
    #[inline(always)]
    pub(crate) fn settle(&mut self) {
        self.note_republished();
        if self.end.is_some() {
            return;
        }
        self.find_ways();
        self.update_choices();
        if self.choices.list.is_empty() && self.symbolic.choices.is_empty() {
            self.nobody_can_step();
        } else if self.log.schedule.len() as u64 >= self.settings.max_steps {
            self.steps_exhausted();
        }
    }

    /// Whether accesses to shared objects are scheduling points now.
    #[inline]
    pub(crate) fn accesses_are_visible(&self) -> bool {
        let is_seen = || !self.memory.is_all_looked_at() || self.has_other_threads() || self.records_accesses();
        self.memory.invisible_up_to < Mode::Shared && !self.memory.listens && is_seen()
    }

    #[inline]
    pub(crate) fn has_other_threads(&self) -> bool {
        self.roster.census.present > 1
    }

    /// To be called when a thread comes or goes.
    pub(crate) fn update_visibility(&mut self) {
        self.memory.has_inputs = self.symbolic.on && (!self.inputs.is_empty() || self.symbolic.is_fresh());
        let is_heard = self.back.recorder.is_wanted && !self.back.recorder.is_all.get();
        self.memory.listens = is_heard && !self.has_other_threads() && !self.memory.is_all_looked_at();
        self.memory.watches_private = self.notes_private_writes && self.has_other_threads();
        self.memory.invisible_up_to = if self.memory.is_all_looked_at() {
            Mode::Constant
        } else if self.has_other_threads() || self.memory.listens {
            Mode::Private
        } else {
            Mode::Shared
        };
    }

    /// Makes thread `number` exist, with no frame yet.
    pub(crate) fn make_thread(&mut self, number: ThreadId, start: FuncId, clock: ClockId) {
        while self.threads.len() <= number.index() {
            let mut core = Core::new(ClockId::default(), 0);
            core.park = Park::Unborn;
            self.threads.push(Thread {
                core,
                frames: Vec::new(),
                registers: Vec::new(),
                saved_from: 0,
                saved_in: 0,
                saved_at: NEVER,
                start,
                is_let_go: true,
                could_precede: 0,
                newest_visit: 0,
            });
            self.choices.admit();
        }
        self.save(number);
        let core = Core::new(clock, self.roster.n_thread_locals + 2);
        self.change_sort(number, |unborn| *unborn = core);
        self.threads[number.index()].start = start;
        self.make_thread_locals(number);
        self.update_visibility();
    }
}
