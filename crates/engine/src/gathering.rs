//! For searches that make their executions themselves: budgets, and what the executions showed.

use crate::clock::{BudgetClock, Tick};
use crate::covering::Covers;
use crate::report::conclude;
use crate::{End, EngineError, Executor, Observer, Outcome, Progress, Results, Settings, Subject};
use gordian_solve::Interrupt;
use gordian_trace::{Bound, Exploration, Stop, Test};
use std::time::Duration;

/// What a search has so far. It is confirmed and reported as that of any other search.
pub struct Gathering<'a> {
    settings: &'a Settings,
    observer: &'a mut dyn Observer,
    clock: BudgetClock,
    interrupt: Interrupt,
    results: Results,
}

impl<'a> Gathering<'a> {
    pub fn start(settings: &'a Settings, observer: &'a mut dyn Observer) -> Self {
        let clock = BudgetClock::start(settings);
        let interrupt = clock.interrupt(settings);
        Gathering { settings, observer, clock, interrupt, results: Results::default() }
    }

    /// Raised when the time budget is used up or the search is told to stop. Work that may take long asks it; what such work came to is then
    /// thrown away, since [`Gathering::must_stop_now`] says why to stop.
    pub fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    /// Takes in an execution that is over or was left. Gives how many branch directions it was the first to take.
    pub fn add<E: Executor>(&mut self, machine: &mut E) -> usize {
        let Results { tally, collector, covering, .. } = &mut self.results;
        let new = machine.take_new_branches();
        let n_new = new.len();
        tally.executions += 1;
        tally.steps += machine.schedule().len() as u64;
        tally.take_inputs(machine);
        match machine.end() {
            Some(End::Bound(bound)) => tally.hit(*bound),
            Some(End::Unsupported(what)) => {
                tally.unsupported.get_or_insert_with(|| what.clone());
            }
            _ => {}
        }
        if machine.left_a_loop_unfinished() {
            tally.hit(machine.loop_bound());
        }
        if n_new > 0 {
            covering.add(Covers::of(machine, new, tally.executions));
        }
        collector.collect(machine, 0, self.observer);
        tally.take_notes(machine.notes());
        tally.take_doubts(machine.doubts());
        n_new
    }

    pub fn n_findings(&self) -> usize {
        self.results.collector.len()
    }

    /// Since the start: for reports, and nothing is decided by it.
    pub fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    pub fn hit(&mut self, bound: Bound) {
        self.results.tally.hit(bound);
    }

    pub fn note(&mut self, note: String) {
        self.results.tally.take_notes(&[note]);
    }

    /// Queries that were put to a solver.
    pub fn add_queries(&mut self, n: u64) {
        self.results.tally.solver_queries += n;
    }

    /// Why the search must stop now, if it must. To be asked now and then.
    pub fn must_stop(&mut self) -> Option<Stop> {
        let tally = &self.results.tally;
        if self.settings.stop_at_first && self.results.collector.has_more_than_races() {
            return Some(Stop::FirstFinding);
        }
        if self.settings.budget.runs.is_some_and(|runs| tally.executions >= runs) {
            return Some(Stop::Runs);
        }
        match self.clock.tick() {
            Tick::Quiet => return None,
            Tick::Read => {}
            Tick::Up => return Some(Stop::Time),
            Tick::Report => {
                let elapsed = self.clock.elapsed();
                self.observer.progress(&Progress {
                    executions: tally.executions,
                    blocked: 0,
                    steps: tally.steps,
                    rate: tally.executions as f64 / elapsed.as_secs_f64().max(1e-9),
                    findings: self.results.collector.len(),
                    done: None,
                    elapsed,
                });
            }
        }
        self.settings.signal.stop()
    }

    /// As [`Gathering::must_stop`], but it knows at once when the interrupt was raised. To be asked after work that asks the interrupt.
    pub fn must_stop_now(&mut self) -> Option<Stop> {
        self.clock.read_next();
        self.must_stop()
    }

    /// Shrinks and confirms what was found, and draws the verdict.
    pub fn conclude<S: Subject>(
        self,
        subject: &S,
        template: &Test,
        stop: Stop,
        exploration: Exploration,
    ) -> Result<Outcome, EngineError> {
        conclude(subject, template, self.settings, stop, exploration, self.results, self.observer)
    }
}
