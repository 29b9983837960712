//! Tests that extend the model: each follows a path that the model predicts, then goes on to the end of the execution.

use crate::learn::Prober;
use crate::model::Model;
use crate::places::Markings;
use crate::run::{LEFT_BY_MAIN, leaves_others};
use crate::workers::Jobs;
use gordian_base::FxHashSet;
use gordian_engine::{Executor, Gathering};
use gordian_trace::{Bound, Choice, Stop};

/// Where all threads stood that could not go on.
pub type Situation = Vec<(u32, u32, u32, bool)>;

pub struct Tester<'a, E: Executor> {
    pub prober: Prober<E>,
    pub model: Model,
    pub gathering: Gathering<'a>,
    /// Called with every execution that has come to its end.
    pub each: &'a mut dyn FnMut(&E),
    pub visited: Markings,
    /// Situations in which nobody can go on, and that were executed.
    pub stuck: FxHashSet<Situation>,
    /// Most steps of one thread.
    pub max_thread_steps: Option<u32>,
    /// Workers that look for extensions.
    pub jobs: Jobs,
    pub n_cut_off: u64,
    pub n_blocked: u64,
}

/// Why an execution that was to show something did not.
const UNPREDICTED: &str = "an execution differed from what earlier ones had shown; use `--strategy unfold`";

/// Which ways of a branch are possible depends on what inputs decided in all threads, and a marking of the unfolding does not order that.
const WITH_INPUTS: &str =
    "inputs decide what happens, which the stateful strategies do not explore; use `--strategy unfold`";

impl<E: Executor> Tester<'_, E> {
    /// Executes the path, then this step if it is possible, then any to the end. Why the search must stop, if it must.
    pub fn test(&mut self, path: &[Choice], step: Option<Choice>) -> Option<Stop> {
        if !self.prober.go_to(&mut self.model, path) {
            return Some(Stop::Unsupported(UNPREDICTED.to_owned()));
        }
        if let Some(step) = step {
            while !self.prober.machine.choices().contains(&step)
                && self.prober.step_urgent(&mut self.model, step.thread)
            {}
        }
        if let Some(step) = step.filter(|step| self.prober.machine.choices().contains(step)) {
            self.prober.step(&mut self.model, step);
        }
        while self.prober.machine.end().is_none() {
            let next = self.prober.next(&mut self.model);
            self.prober.step(&mut self.model, next);
            if let Some(stop) = self.gathering.must_stop() {
                return Some(stop);
            }
        }
        let machine = &mut self.prober.machine;
        if !machine.findings().is_empty() {
            machine.choose_inputs();
        }
        if let Some(why) = self.prober.unsupported {
            return Some(Stop::Unsupported(why.to_owned()));
        }
        if self.prober.looks_at_ends && leaves_others(machine.events()) {
            return Some(Stop::Unsupported(LEFT_BY_MAIN.to_owned()));
        }
        if machine.has_symbolic_inputs() {
            return Some(Stop::Unsupported(WITH_INPUTS.to_owned()));
        }
        (self.each)(machine);
        self.gathering.add(machine);
        self.gathering.must_stop()
    }

    /// As [`Tester::test`], for something that the model does not know: it must know more then.
    pub fn learn(&mut self, path: &[Choice], step: Option<Choice>) -> Option<Stop> {
        let before = self.model.extent();
        let stop = self.test(path, step);
        if stop.is_none() && self.model.extent() == before {
            return Some(Stop::Unsupported(UNPREDICTED.to_owned()));
        }
        stop
    }

    /// Whether the thread has made as many steps as it may.
    pub fn is_beyond_bound(&mut self, choice: Choice, marking: &crate::places::Marking) -> bool {
        let n_steps = self.model.locals[marking.thread(choice.thread)].n_steps;
        let is_beyond = self.max_thread_steps.is_some_and(|most| n_steps >= most);
        if is_beyond {
            self.gathering.hit(Bound::Steps);
        }
        is_beyond
    }
}
