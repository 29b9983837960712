//! Makes a reordering on a machine.

use crate::follow::Follower;
use crate::observe::{Observed, symbolic};
use crate::reorder::Reordering;
use gordian_base::ThreadId;
use gordian_engine::{EngineError, finish};
use gordian_ir::Program;
use gordian_trace::{Choice, OpKind, Test};
use gordian_vm::{Machine, Terms};

/// A machine that made a reordering, then `last`, one after the other, and then went on by the default schedule.
pub struct Replayed<'p> {
    pub machine: Machine<'p>,
    /// Whether it could make all of the reordering.
    pub went: bool,
    /// Steps that it had made when the reordering was over.
    pub n_steps: usize,
}

/// Follows a reordering, lets the threads of `last` come to the end of those instants, and goes on to the end.
pub fn replay<'p>(
    program: &'p Program,
    test: &Test,
    observed: &Observed,
    reordering: &Reordering,
    last: &[u32],
) -> Result<Replayed<'p>, EngineError> {
    let mut machine =
        Machine::with_fresh_reads(program, &symbolic(test), Terms::default(), &gordian_solve::Model::new())?;
    let mut follower = Follower::default();
    follower.follow(&machine, |_, _| {});
    let mut guide = Guide { observed, reordering };
    let went = reordering.instants.iter().chain(last).all(|&to| guide.come_to(&mut machine, &mut follower, to));
    let n_steps = machine.schedule().len();
    finish(&mut machine);
    Ok(Replayed { machine, went, n_steps })
}

struct Guide<'a> {
    observed: &'a Observed,
    reordering: &'a Reordering,
}

impl Guide<'_> {
    /// Lets a thread step until it has made an instant. Whether it could.
    fn come_to(&mut self, machine: &mut Machine<'_>, follower: &mut Follower, instant: u32) -> bool {
        let thread = ThreadId(self.observed.run.instants[instant as usize].thread);
        let mut count = self.observed.counts[instant as usize];
        let (from, to) = self.observed.run.instants[instant as usize].events;
        // What follows a decision that goes another way is not what followed it in the run.
        let deviates = self.reordering.deviates.iter().find(|event| (from..to).contains(event));
        if let Some(event) = deviates {
            count -= to - 1 - event;
        }
        while follower.count(thread) < count {
            // A thread whose last decision would make it wait is not let go on by the machine: a loop that polls, or an assumption.
            let Some(choice) = self.choice(machine, thread, instant) else {
                return deviates.is_some() && machine.end().is_none();
            };
            machine.step(choice);
            follower.follow(machine, |_, _| {});
        }
        true
    }

    /// The thread's next step, if it can make one: a signal wakes whom the reordering says, other steps take the variant of the run.
    fn choice(&self, machine: &Machine<'_>, thread: ThreadId, instant: u32) -> Option<Choice> {
        let wants = machine.wants(thread)?;
        let mut variant = self.observed.variants[instant as usize];
        if wants.kind == OpKind::Signal {
            let (from, to) = self.observed.run.instants[instant as usize].events;
            let planned = self.reordering.wakes.iter().find(|(signal, _)| (from..to).contains(signal));
            let waits = |other: &ThreadId| {
                let of = machine.wants(*other);
                of.is_some_and(|of| of.kind == OpKind::WaitEnd && of.address == wants.address)
            };
            let mut waiting = (0..machine.thread_numbers() as u32).map(ThreadId).filter(waits);
            variant = planned.and_then(|(_, woken)| waiting.position(|other| other.0 == *woken)).unwrap_or(0) as u32;
        }
        let possible = |variant: u32| {
            let choice = Choice { thread, variant };
            machine.choices().binary_search(&choice).is_ok().then_some(choice)
        };
        let any = || machine.choices().iter().copied().find(|choice| choice.thread == thread);
        possible(variant).or_else(|| possible(0)).or_else(any)
    }
}
