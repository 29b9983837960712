//! Executes a plan on a machine.

use crate::event::EventRef;
use crate::record::Recorder;
use gordian_base::ThreadId;
use gordian_solve::Model;
use gordian_trace::{Choice, OpKind};
use gordian_vm::Machine;

/// Which thread comes to which of its events, one after the other.
pub type Turns = Vec<EventRef>;

/// A signal, and the thread that it is to wake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wake {
    pub signal: EventRef,
    pub woken: ThreadId,
}

/// How to make an execution.
pub struct Plan {
    pub inputs: Model,
    pub turns: Turns,
    pub wakes: Vec<Wake>,
}

/// Makes the steps of a plan. Whether all of them could be made.
pub fn follow(machine: &mut Machine<'_>, recorder: &mut Recorder, plan: &Plan) -> bool {
    recorder.take_in(machine);
    plan.turns.iter().all(|&turn| come_to(machine, recorder, plan, turn))
}

/// Makes steps that `next` chooses, until it chooses none, the execution ends or the machine is to stop.
pub fn run(machine: &mut Machine<'_>, recorder: &mut Recorder, mut next: impl FnMut(&Machine<'_>) -> Option<Choice>) {
    recorder.take_in(machine);
    while machine.end().is_none()
        && !machine.must_stop()
        && let Some(choice) = next(machine)
    {
        recorder.step(machine, choice);
    }
}

/// Lets the thread step until it has come to its event. Whether it could.
fn come_to(machine: &mut Machine<'_>, recorder: &mut Recorder, plan: &Plan, to: EventRef) -> bool {
    while recorder.n_events(to.thread) < to.index {
        let Some(choice) = choice(machine, recorder, plan, to.thread).filter(|_| !machine.must_stop()) else {
            return false;
        };
        recorder.step(machine, choice);
    }
    true
}

/// The thread's next step, if it can make one. A signal wakes the thread that the plan says.
pub fn choice(machine: &Machine<'_>, recorder: &Recorder, plan: &Plan, thread: ThreadId) -> Option<Choice> {
    let choices = machine.choices();
    let wants = machine.wants(thread)?;
    let mut variant = 0;
    if wants.kind == OpKind::Signal {
        let signal = EventRef { thread, index: recorder.n_events(thread) + 1 };
        let planned = plan.wakes.iter().find(|wake| wake.signal == signal);
        let waits = |other: &ThreadId| {
            let wants_of = machine.wants(*other);
            wants_of.is_some_and(|of| of.kind == OpKind::WaitEnd && of.address == wants.address)
        };
        let mut waiting = (0..machine.thread_numbers() as u32).map(ThreadId).filter(waits);
        variant = planned.and_then(|wake| waiting.position(|other| other == wake.woken)).unwrap_or(0) as u32;
    }
    let choice = Choice { thread, variant };
    choices.binary_search(&choice).is_ok().then_some(choice)
}
