//! Makes the execution that a plan asks for, and goes on with one thread alone.

use crate::forest::Place;
use crate::realize::Plan;
use crate::seen::{Follower, Writer};
use gordian_base::ThreadId;
use gordian_trace::{Choice, OpKind, Wants};
use gordian_vm::Machine;

/// How an execution went.
pub struct Execution {
    pub follower: Follower,
    /// The depth up to which the thread that went on alone took nobody's writes but those planned.
    pub foreseen: u32,
}

/// The thread goes on alone after the plan. At the depth of `source` it may read that write.
pub fn execute(machine: &mut Machine<'_>, plan: &Plan, thread: ThreadId, source: Option<(u32, Writer)>) -> Execution {
    let mut follower = Follower::default();
    follower.follow(machine);
    let went = plan.turns.iter().all(|&(thread, depth)| come_to(machine, &mut follower, plan, thread, depth));
    let planned = follower.depth(thread);
    while went && let Some(choice) = choice(machine, &follower, plan, thread) {
        let takes = machine.wants(thread).and_then(|wants| unforeseen(&follower, thread, wants));
        if takes.is_some_and(|writer| source != Some((follower.depth(thread) + 1, writer))) {
            break;
        }
        machine.step(choice);
        follower.follow(machine);
    }
    let foreseen = foreseen(&follower, thread, planned, source);
    Execution { follower, foreseen }
}

/// Lets the thread step until it has come so far. Whether it could.
fn come_to(machine: &mut Machine<'_>, follower: &mut Follower, plan: &Plan, thread: ThreadId, depth: u32) -> bool {
    while follower.depth(thread) < depth {
        let Some(choice) = choice(machine, follower, plan, thread) else { return false };
        machine.step(choice);
        follower.follow(machine);
    }
    true
}

/// What the thread can do now, with the waiter that the plan wants if it is a signal.
fn choice(machine: &Machine<'_>, follower: &Follower, plan: &Plan, thread: ThreadId) -> Option<Choice> {
    let choices = machine.choices();
    let wants = machine.wants(thread)?;
    let mut variant = 0;
    if wants.kind == OpKind::Signal {
        let next = follower.depth(thread) + 1;
        let planned = plan.wakes.iter().find(|(signals, depth, _)| (*signals, *depth) == (thread, next));
        let waits = |other: &ThreadId| {
            let wants_of = machine.wants(*other);
            wants_of.is_some_and(|of| of.kind == OpKind::WaitEnd && of.address == wants.address)
        };
        let mut waiting = (0..machine.thread_numbers() as u32).map(ThreadId).filter(waits);
        variant = planned.and_then(|(_, _, woken)| waiting.position(|other| other == *woken)).unwrap_or(0) as u32;
    }
    let choice = Choice { thread, variant };
    choices.binary_search(&choice).is_ok().then_some(choice)
}

/// Whose write a read is about to take that nobody planned.
fn unforeseen(follower: &Follower, thread: ThreadId, wants: Wants) -> Option<Writer> {
    let place = Place { address: wants.address, size: wants.size };
    let writer = follower.writer(place).filter(|_| wants.kind.reads_memory())?;
    follower.interferes(thread, place, writer).then_some(writer)
}

/// Some reads are seen only when they have been made.
fn foreseen(follower: &Follower, thread: ThreadId, planned: u32, source: Option<(u32, Writer)>) -> u32 {
    let all = follower.depth(thread);
    let takes = |depth: u32| follower.interference(thread, depth).is_some_and(|writer| source != Some((depth, writer)));
    (planned + 1..=all).find(|&depth| takes(depth)).map_or(all, |depth| depth - 1)
}
