//! The run loop.

use crate::clock::{BudgetClock, Tick};
use crate::collect::Collector;
use crate::preemptions::Preemptions;
use crate::report::{Tally, conclude};
use crate::{
    End, Ended, EngineError, Executor, Next, Observer, Outcome, Point, Progress, Settings, Silent, Strategy, Subject,
};
use gordian_trace::{Bound, Choice, RaceMode, Stop, Test};
use std::sync::atomic::Ordering;
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
    let mut search = Search::start(subject, template, strategy, settings, observer)?;
    let stop = search.run();
    let Search { strategy, observer, frames, preemptions, collector, mut tally, .. } = search;
    if preemptions.cut {
        tally.hit(Bound::Preemptions);
    }
    if !frames.is_empty() && !strategy.exhaustive() {
        tally.hit(Bound::Sampling);
    }
    tally.exploration = strategy.exploration();
    tally.take_notes(&strategy.notes());
    if strategy.exhaustive() && stop != Stop::Exhausted {
        tally.exploration.guarantee.clear();
    }
    conclude(subject, template, settings, stop, tally, collector, observer)
}

/// What a look at a program came to.
#[derive(Clone, Debug)]
pub struct Probe {
    pub stop: Stop,
    pub executions: u64,
    pub blocked: u64,
    pub steps: u64,
    pub bounds_hit: Vec<Bound>,
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
    let (stop, tally) = (search.tally.unsupported.take().map_or(stop, Stop::Unsupported), search.tally);
    let (executions, blocked, steps) = (tally.executions, tally.blocked, tally.steps);
    Ok(Probe { stop, executions, blocked, steps, bounds_hit: tally.into_hit(), elapsed })
}

/// The way back to a choice point.
struct Frame<M> {
    mark: M,
    preemptions: u32,
    /// Findings that had shown by then: they have been collected already when this point is taken up again.
    findings: usize,
}

struct Search<'a, E: Executor> {
    machine: E,
    strategy: &'a mut dyn Strategy,
    settings: &'a Settings,
    observer: &'a mut dyn Observer,
    clock: BudgetClock,
    keeps_frames: bool,
    sees_every_step: bool,
    /// One for each choice point passed, or only the first if the strategy never backtracks.
    frames: Vec<Frame<E::Mark>>,
    /// Choice points passed.
    depth: usize,
    /// Findings of the present execution that have been collected.
    collected: usize,
    preemptions: Preemptions,
    collector: Collector,
    tally: Tally,
}

impl<'a, E: Executor> Search<'a, E> {
    fn start<'s: 'a, S: Subject<Executor<'s> = E>>(
        subject: &'s S,
        template: &Test,
        strategy: &'a mut dyn Strategy,
        settings: &'a Settings,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, EngineError> {
        let clock = BudgetClock::start(settings.budget.time);
        let mut machine = subject.start(template, false)?;
        if template.machine.races == RaceMode::Report {
            // The first schedule of a race is kept and shrunk at the end; describing it anew in every execution
            // would cost more than the execution.
            machine.report_races_once();
        }
        Ok(Search {
            machine,
            keeps_frames: strategy.backtracks(),
            sees_every_step: strategy.sees_every_step(),
            strategy,
            settings,
            observer,
            clock,
            frames: Vec::new(),
            depth: 0,
            collected: 0,
            preemptions: Preemptions::new(settings.preemptions),
            collector: Collector::default(),
            tally: Tally::default(),
        })
    }

    fn run(&mut self) -> Stop {
        loop {
            let cut_short = self.execute();
            self.collector.collect(&self.machine, self.collected, self.observer);
            self.tally.take_notes(self.machine.notes());
            if let Some(stop) = cut_short {
                return stop;
            }
            if let Some(stop) = self.count_execution() {
                return stop;
            }
            let next = self.next();
            if let Some(stop) = self.after(next) {
                return stop;
            }
        }
    }

    /// Runs the present execution to its end. Returns why the search must stop, if it must stop before.
    fn execute(&mut self) -> Option<Stop> {
        while self.machine.end().is_none() {
            let Some(choice) = self.decide() else { break };
            self.machine.step(choice);
            self.tally.steps += 1;
            match self.clock.tick() {
                Tick::Quiet => continue,
                Tick::Read => {}
                Tick::Report => self.report_progress(),
                Tick::Up => return Some(Stop::Time),
            }
            if self.settings.interrupt.load(Ordering::Relaxed) {
                return Some(Stop::Interrupted);
            }
        }
        None
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
        let choices = &self.machine.choices()[allowed.range.clone()];
        let schedule = self.machine.schedule();
        let chosen = self.strategy.choose(&Point {
            depth: self.depth,
            step: schedule.len(),
            choices,
            schedule,
            events: self.machine.events(),
            pending: &self.machine,
        })?;
        let choice = choices[chosen];
        self.depth += 1;
        self.preemptions.pay(&allowed, choice);
        Some(choice)
    }

    /// Returns why the search stops after this execution whatever the strategy wants.
    fn count_execution(&mut self) -> Option<Stop> {
        match self.machine.end() {
            Some(End::Exit(_) | End::Failed) => self.tally.executions += 1,
            None | Some(End::Dropped) => self.tally.blocked += 1,
            Some(End::Bound(bound)) => {
                self.tally.blocked += 1;
                self.tally.hit(*bound);
            }
            Some(End::Unsupported(what)) => {
                self.tally.blocked += 1;
                if self.collector.is_empty() {
                    return Some(Stop::Unsupported(what.clone()));
                }
                self.tally.unsupported.get_or_insert_with(|| what.clone());
            }
        }
        if self.machine.has_inputs() {
            self.tally.hit(Bound::Inputs);
        }
        // The others went on, and one of them may have ended the process.
        if self.machine.left_a_loop_unfinished() {
            self.tally.hit(Bound::Unroll);
        }
        // A race that is only reported does not end its execution, so it does not end the search either.
        let failed = self.machine.end() == Some(&End::Failed);
        if self.settings.stop_at_first && (failed || self.collector.has_more_than_races()) {
            return Some(Stop::FirstFinding);
        }
        if self.depth == 0 {
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
            n_threads: self.machine.n_threads(),
            thread_numbers: self.machine.thread_numbers(),
            pending: &self.machine,
        })
    }

    fn after(&mut self, next: Next) -> Option<Stop> {
        let depth = match next {
            Next::Done => return Some(if self.strategy.exhaustive() { Stop::Exhausted } else { Stop::Runs }),
            Next::Restart => 0,
            Next::Anew => {
                self.tally.forget_counts();
                0
            }
            Next::Backtrack(depth) => depth,
        };
        if self.settings.budget.runs.is_some_and(|runs| self.tally.runs() >= runs) {
            return Some(Stop::Runs);
        }
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
        let runs = self.tally.runs();
        let sampled = || self.settings.budget.runs.map(|asked| runs as f64 / asked.max(1) as f64);
        let done = if self.strategy.exhaustive() { self.strategy.done() } else { sampled() };
        self.observer.progress(&Progress {
            executions: self.tally.executions,
            blocked: self.tally.blocked,
            steps: self.tally.steps,
            rate: runs as f64 / elapsed.as_secs_f64().max(1e-9),
            findings: self.collector.len(),
            done,
            elapsed,
        });
    }
}
