//! The run loop.

use crate::clock::{self, BudgetClock, Tick};
use crate::covering::Covers;
use crate::guard::guarded;
use crate::inputs_first;
use crate::paths::Paths;
use crate::preemptions::Preemptions;
use crate::report::conclude;
use crate::team::{Counters, Counts, Few};
use crate::{
    Checkpoint, End, Ended, EngineError, Executor, Next, Observer, Outcome, Point, Progress, Results, Settings, Silent,
    SkippedState, Strategy, Subject, Team, Worker,
};
use gordian_solve::Supervision;
use gordian_trace::{Bound, Choice, Objection, RaceMode, SolverSummary, Stop, Test, ThreadOrigin};
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

/// Executes `subject` with the template's arguments and inputs in the ways that `strategy` chooses, until it is
/// done or the budget is used up. The template's own schedule is not looked at.
pub fn check<S: Subject>(
    subject: &S,
    template: &Test,
    strategy: &mut dyn Strategy,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Outcome, EngineError> {
    let settings = &settings.begun();
    let found = inputs_first::look(subject, template, settings, observer)?;
    let mut search = Search::start(subject, template, strategy, settings, observer)?;
    let at_once = inputs_first::ends_with(&found, settings);
    let stop = at_once.unwrap_or_else(|| guarded(|| search.run()).unwrap_or_else(|panicked| panicked));
    let solver = search.solver_summary();
    let Search { strategy, observer, frames, preemptions, results, .. } = search;
    let mut results = results.into_inner();
    results.found_before(found);
    results.tally.solver = solver;
    if preemptions.cut {
        results.tally.hit(Bound::Preemptions);
    }
    if !frames.is_empty() && !strategy.capabilities().exhaustive {
        results.tally.hit(Bound::Sampling);
    }
    let mut exploration = strategy.exploration();
    results.tally.take_notes(&strategy.notes());
    let stop = results.tally.stop_of(stop, strategy.capabilities().reduces);
    if strategy.capabilities().exhaustive && stop != Stop::Exhausted {
        exploration.guarantee.clear();
    }
    conclude(subject, template, settings, stop, exploration, results, observer)
}

/// What a look at a program came to.
#[derive(Clone, Debug)]
pub struct Probe {
    pub stop: Stop,
    pub executions: u64,
    pub blocked: u64,
    pub steps: u64,
    pub bounds_hit: Vec<Bound>,
    /// Nothing of this counts: the look must be made again with other settings.
    pub objection: Option<Objection>,
    /// By the wall clock: never a part of what must be the same twice.
    pub elapsed: Duration,
}

/// Executes `subject` as [`check`] does, for what the strategy learns: nothing is shrunk, confirmed or claimed.
pub fn probe<S: Subject>(
    subject: &S,
    template: &Test,
    strategy: &mut dyn Strategy,
    settings: &Settings,
) -> Result<Probe, EngineError> {
    let mut observer = Silent;
    let mut search = Search::start(subject, template, strategy, settings, &mut observer)?;
    let stop = search.run();
    let elapsed = search.clock.elapsed();
    let mut tally = search.results.into_inner().tally;
    let stop = tally.unsupported.take().map_or(stop, Stop::Unsupported);
    let (executions, blocked, steps, objection) = (tally.executions, tally.blocked, tally.steps, tally.objection);
    Ok(Probe { stop, executions, blocked, steps, objection, bounds_hit: tally.into_hit(), elapsed })
}

/// The way back to a choice point.
struct Frame<M> {
    mark: M,
    preemptions: u32,
    /// Findings that had shown by then: they have been collected already when this point is taken up again.
    findings: usize,
}

pub(crate) struct Search<'a, E: Executor> {
    machine: E,
    /// Findings that do not end an execution are told of once.
    races_once: bool,
    strategy: &'a mut dyn Strategy,
    settings: &'a Settings,
    pub(crate) observer: &'a mut dyn Observer,
    clock: BudgetClock,
    /// Raised when the search is to stop before its end.
    stop: gordian_solve::Interrupt,
    keeps_frames: bool,
    sees_every_step: bool,
    /// One for each choice point passed, or only the first if the strategy never backtracks.
    frames: Vec<Frame<E::Mark>>,
    /// Choice points passed.
    depth: usize,
    /// Those passed since the strategy was last asked.
    passed: Vec<SkippedState>,
    /// Findings of the present execution that have been collected.
    collected: usize,
    preemptions: Preemptions,
    pub(crate) results: RefCell<Results>,
    /// Executions, blocked ones included.
    runs: u64,
    /// So many steps from the beginning have been counted before.
    known: usize,
    /// What this worker has counted since the counters were last told.
    untold: Counts,
    counters: Arc<Counters>,
    /// The team that is saved from time to time.
    saves: Option<&'a dyn Team>,
    has_refreshed: bool,
    /// If they are counted.
    paths: Option<Paths>,
    /// Questions of the machine that have been counted before.
    asked: u64,
    /// See [`Search::agree`].
    agreed: Option<Vec<ThreadOrigin>>,
}

/// Executions between two looks at whether workers still name threads alike.
const LOOK_AT_AGREEMENT: u64 = 1_024;

impl<'a, E: Executor> Search<'a, E> {
    pub(crate) fn start<'s: 'a, S: Subject<Executor<'s> = E>>(
        subject: &'s S,
        template: &Test,
        strategy: &'a mut dyn Strategy,
        settings: &'a Settings,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, EngineError> {
        let clock = BudgetClock::start(settings);
        let stop = clock.interrupt(settings);
        let supervision =
            Supervision { clock: settings.solver_summary.then_some(clock::for_reports), stop: Some(stop.clone()) };
        let mut machine = subject.start_supervised(template, &supervision)?;
        let races_once = template.machine.races == RaceMode::Report;
        if races_once {
            // The first schedule of a race is kept and shrunk at the end; describing it anew in every execution
            // would cost more than the execution.
            machine.report_races_once();
        }
        if !settings.makes_every_step && !strategy.capabilities().compares_states {
            machine.remember_steps();
        }
        Ok(Search {
            machine,
            races_once,
            keeps_frames: strategy.capabilities().backtracks,
            sees_every_step: strategy.capabilities().sees_every_step,
            strategy,
            settings,
            observer,
            clock,
            stop,
            frames: Vec::new(),
            depth: 0,
            passed: Vec::new(),
            collected: 0,
            preemptions: Preemptions::new(settings.preemptions),
            results: RefCell::default(),
            runs: 0,
            known: 0,
            untold: Counts::default(),
            counters: Arc::default(),
            saves: None,
            has_refreshed: false,
            paths: settings.solver_summary.then(Paths::default),
            asked: 0,
            agreed: None,
        })
    }

    /// As one of several workers, whose counts are put together.
    pub(crate) fn share(&mut self, counters: Arc<Counters>, saves: Option<&'a dyn Team>) {
        (self.counters, self.saves) = (counters, saves);
    }

    pub(crate) fn run(&mut self) -> Stop {
        if let Some(stop) = self.begin() {
            return stop;
        }
        self.run_on()
    }

    /// Runs until these executions were made; none if there is more to do.
    pub(crate) fn run_few(&mut self, few: Few) -> Option<Stop> {
        if let Some(stop) = self.begin() {
            return Some(stop);
        }
        while few.are_left(self.counters.tell(&mut self.untold)) {
            if let Err(stop) = self.once() {
                return Some(stop);
            }
        }
        None
    }

    pub(crate) fn into_results(self) -> Results {
        self.results.into_inner()
    }

    /// The numbers of threads that were created by others than main: in the order in which the machine saw them.
    pub(crate) fn thread_origins(&self) -> Vec<ThreadOrigin> {
        self.machine.thread_origins()
    }

    /// Other machines have numbered threads like this, too.
    pub(crate) fn agree(&mut self, threads: Vec<ThreadOrigin>) {
        self.agreed = Some(threads);
    }

    /// Whether the machine still has the numbers of threads that others have. It gives a thread that nobody saw before the next
    /// number, which may be that of another thread elsewhere.
    pub(crate) fn keeps_agreement(&self) -> bool {
        self.agreed.as_ref().is_none_or(|agreed| *agreed == self.machine.thread_origins())
    }

    /// What the solver did, if that was asked for.
    pub(crate) fn solver_summary(&self) -> Option<SolverSummary> {
        let paths = self.paths.as_ref()?;
        Some(SolverSummary { paths: paths.n(), most_orders: paths.most(), ..self.machine.solver_summary() })
    }

    /// The other workers need not wait for this one any more.
    pub(crate) fn leave(&mut self) {
        if let Some(worker) = self.strategy.as_worker() {
            worker.leave();
        }
    }

    pub(crate) fn run_on(&mut self) -> Stop {
        loop {
            if let Err(stop) = self.once() {
                return stop;
            }
        }
    }

    fn begin(&mut self) -> Option<Stop> {
        match self.strategy.as_worker().map_or(Next::Restart, Worker::begin) {
            Next::Done => Some(Stop::Exhausted),
            Next::Elsewhere { known, .. } => {
                self.known = known;
                None
            }
            Next::Restart | Next::Anew | Next::Backtrack(_) => None,
        }
    }

    /// One execution, and the way to the next; an error tells why there is none.
    fn once(&mut self) -> Result<(), Stop> {
        self.asked = self.machine.solver_queries();
        let cut_short = self.execute();
        self.results.get_mut().tally.solver_queries += self.machine.solver_queries() - self.asked;
        if self.machine.findings().len() > self.collected {
            self.machine.choose_inputs();
        }
        self.note_coverage();
        let results = self.results.get_mut();
        results.collector.collect(&self.machine, self.collected, self.observer);
        results.tally.take_notes(self.machine.notes());
        if let Some(stop) = cut_short {
            return Err(stop);
        }
        if self.runs.is_multiple_of(LOOK_AT_AGREEMENT) && !self.keeps_agreement() {
            return Err(Stop::Interrupted);
        }
        let next = match self.count_execution() {
            None => self.next(),
            Some(stop) => {
                let Some(worker) = self.strategy.as_worker() else { return Err(stop) };
                let mut results = self.results.take();
                results.stop = (stop != Stop::Exhausted).then_some(stop);
                worker.cut(results)
            }
        };
        self.after(next).map_or(Ok(()), Err)
    }

    /// Keeps the execution if it went where none did before.
    fn note_coverage(&mut self) {
        let new = self.machine.take_new_branches();
        if !new.is_empty() {
            self.machine.choose_inputs();
            let results = self.results.get_mut();
            let execution = results.tally.executions + results.tally.blocked + 1;
            results.covering.add(Covers::of(&self.machine, new, execution));
        }
    }

    /// Runs the present execution to its end. Returns why the search must stop, if it must stop before.
    fn execute(&mut self) -> Option<Stop> {
        while self.machine.end().is_none() {
            let Some(choice) = self.decide() else { break };
            self.machine.step(choice);
            if !self.preemptions.are_bounded() {
                self.fast_forward();
            }
            if self.known > 0 && self.machine.schedule().len() <= self.known {
                self.asked = self.machine.solver_queries();
            }
            match self.clock.tick() {
                Tick::Quiet => continue,
                Tick::Read => {}
                Tick::Report => self.report_progress(),
                Tick::Up => return Some(Stop::Time),
            }
            if let Some(stop) = self.settings.signal.stop() {
                return Some(stop);
            }
        }
        // The last step may have been stopped on the way, and then the end is none of the program's.
        let may_be_stopped = self.machine.end() == Some(&End::Bound(Bound::Instructions));
        (may_be_stopped && self.stop.is_raised()).then(|| self.settings.signal.stop().unwrap_or(Stop::Time))
    }

    /// Makes steps without asking the strategy, if that is all the same to it, and remembers the states that it passes.
    #[inline]
    fn fast_forward(&mut self) {
        let Search { machine, strategy, frames, passed, .. } = self;
        let Some(mut fast_forward) = strategy.fast_forward() else { return };
        let (preemptions, findings) = (self.preemptions.used, machine.findings().len());
        machine.fast_forward(&mut fast_forward, &mut |mark, state| {
            frames.push(Frame { mark, preemptions, findings });
            passed.push(state);
        });
        self.depth += self.passed.len();
    }

    #[inline]
    fn decide(&mut self) -> Option<Choice> {
        let allowed = self.preemptions.allowed(&self.machine);
        if allowed.range.len() == 1 && !self.sees_every_step {
            return Some(self.machine.choices()[allowed.range.start]);
        }
        if self.depth == self.frames.len() && (self.depth == 0 || self.keeps_frames) {
            let findings = self.machine.findings().len();
            let frame = Frame { mark: self.machine.mark(), preemptions: self.preemptions.used, findings };
            self.frames.push(frame);
        }
        let all = self.machine.choices();
        let choices = &all[allowed.range.clone()];
        let schedule = self.machine.schedule();
        let chosen = self.strategy.choose(&Point {
            depth: self.depth,
            step: schedule.len(),
            choices,
            free: if choices.len() == all.len() { self.machine.free() } else { 0 },
            schedule,
            events: self.machine.events(),
            passed: &self.passed,
            preemptions: self.preemptions.used,
            pending: &self.machine,
        })?;
        self.passed.clear();
        let choice = choices[chosen];
        self.depth += 1;
        self.preemptions.pay(&allowed, choice);
        Some(choice)
    }

    /// Returns why the search stops after this execution whatever the strategy wants.
    fn count_execution(&mut self) -> Option<Stop> {
        let is_anothers = self.strategy.as_worker().is_some_and(|worker| worker.leaves_to_others());
        let Results { tally, collector, .. } = self.results.get_mut();
        let steps = self.machine.end().map_or(0, |_| self.machine.schedule().len() as u64);
        tally.steps += steps;
        self.untold.steps += steps;
        match self.machine.end() {
            Some(End::Exit(_) | End::Failed) => tally.executions += 1,
            None if is_anothers => {}
            None => tally.blocked += 1,
            Some(End::Dropped) => {
                tally.blocked += 1;
                tally.blocked_sections |= !self.machine.is_stuck();
            }
            Some(End::Bound(bound)) => {
                tally.blocked += 1;
                tally.hit(*bound);
                if tally.unended.is_none() {
                    tally.unended = self.machine.unended();
                }
            }
            Some(End::Unsupported(what)) => {
                tally.blocked += 1;
                if collector.is_empty() && self.machine.objection().is_none() {
                    return Some(Stop::Unsupported(what.clone()));
                }
                tally.unsupported.get_or_insert_with(|| what.clone());
            }
        }
        if let Some(objection) = self.machine.objection() {
            tally.objection = Some(objection);
            return Some(Stop::Unsupported("the search must be made again with other settings".to_owned()));
        }
        self.runs += 1;
        let counted = &mut self.untold;
        match self.machine.end() {
            Some(End::Exit(_) | End::Failed) => {
                counted.executions += 1;
                if let Some(paths) = &mut self.paths {
                    paths.count(self.machine.events());
                }
            }
            None if is_anothers => {}
            _ => counted.blocked += 1,
        }
        tally.take_inputs(&self.machine);
        tally.take_doubts(self.machine.doubts());
        // The others went on, and one of them may have ended the process.
        if self.machine.left_a_loop_unfinished() {
            tally.hit(self.machine.loop_bound());
        }
        // A race that is only reported does not end its execution, so it does not end the search either.
        let failed = self.machine.end() == Some(&End::Failed);
        if self.settings.stop_at_first && (failed || collector.has_more_than_races()) {
            return Some(Stop::FirstFinding);
        }
        if self.frames.is_empty() {
            // Without a choice point this is the only execution, whatever the strategy.
            return Some(Stop::Exhausted);
        }
        None
    }

    fn next(&mut self) -> Next {
        self.strategy.next(&Ended {
            end: self.machine.end(),
            stuck: self.machine.is_stuck(),
            depth: self.depth,
            schedule: self.machine.schedule(),
            events: self.machine.events(),
            passed: &self.passed,
            n_threads: self.machine.n_threads(),
            thread_numbers: self.machine.thread_numbers(),
            visibility: self.machine.visibility(),
            pending: &self.machine,
            results: &self.results,
        })
    }

    fn after(&mut self, next: Next) -> Option<Stop> {
        let depth = match next {
            Next::Done => {
                return Some(if self.strategy.capabilities().exhaustive { Stop::Exhausted } else { Stop::Runs });
            }
            Next::Restart => 0,
            Next::Anew => {
                self.results.get_mut().tally.forget_counts();
                self.known = 0;
                0
            }
            Next::Backtrack(depth) => {
                self.known = self.known.min(depth);
                depth
            }
            Next::Elsewhere { depth, known } => {
                self.known = known;
                // What was told of in another part may have to be told of in this one, which may come before it.
                if self.races_once {
                    self.machine.report_races_once();
                }
                depth
            }
        };
        if self.settings.budget.runs.is_some_and(|runs| self.runs >= runs) {
            return Some(Stop::Runs);
        }
        self.passed.clear();
        self.frames.truncate(depth + 1);
        assert!(self.frames.len() == depth + 1, "the strategy backtracks to a choice point that was never passed");
        let frame = &self.frames[depth];
        self.machine.undo_to(frame.mark);
        self.depth = depth;
        self.preemptions.used = frame.preemptions;
        self.collected = frame.findings;
        None
    }

    #[cold]
    fn report_progress(&mut self) {
        let elapsed = self.clock.elapsed();
        let Counts { executions, blocked, steps } = self.counters.tell(&mut self.untold);
        let runs = executions + blocked;
        let sampled = || self.settings.budget.runs.map(|asked| runs as f64 / asked.max(1) as f64);
        let done = if self.strategy.capabilities().exhaustive { self.strategy.done() } else { sampled() };
        self.observer.progress(&Progress {
            executions,
            blocked,
            steps,
            rate: runs as f64 / elapsed.as_secs_f64().max(1e-9),
            findings: self.results.get_mut().collector.len(),
            done,
            elapsed,
        });
        if let Some(team) = self.saves {
            self.save(team, elapsed);
        }
    }

    /// What the workers know is asked for first, and saved when they have had the time to tell.
    fn save(&mut self, team: &dyn Team, elapsed: Duration) {
        if std::mem::take(&mut self.has_refreshed) {
            let checkpoint = Checkpoint { search: team.save(), threads: self.machine.thread_origins() };
            self.observer.checkpoint(&checkpoint);
        } else if self.observer.wants_checkpoint(elapsed) {
            team.refresh();
            self.has_refreshed = true;
        }
    }
}
