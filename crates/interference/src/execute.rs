//! Makes the execution that a plan asks for, and goes on with one thread alone.

use crate::degree::{interference, interferes};
use gordian_base::ThreadId;
use gordian_trace::Wants;
use gordian_vm::Machine;
use gordian_witness::{EventRef, Place, Plan, Recorder, choice, follow};

/// How an execution went.
pub struct Execution {
    pub recorder: Recorder,
    /// All steps of the plan could be made.
    pub went: bool,
    /// The index up to which the thread that went on alone took nobody's writes but those planned.
    pub foreseen: u32,
}

/// The thread goes on alone after the plan. At the index of `source` it may read that write.
pub fn execute(machine: &mut Machine<'_>, plan: &Plan, thread: ThreadId, source: Option<(u32, EventRef)>) -> Execution {
    let mut recorder = Recorder::default();
    let went = follow(machine, &mut recorder, plan);
    let planned = recorder.n_events(thread);
    while went
        && !machine.must_stop()
        && let Some(choice) = choice(machine, &recorder, plan, thread)
    {
        let takes = machine.wants(thread).and_then(|wants| unforeseen(&recorder, thread, wants));
        if takes.is_some_and(|write| source != Some((recorder.n_events(thread) + 1, write))) {
            break;
        }
        recorder.step(machine, choice);
    }
    let foreseen = foreseen(&recorder, thread, planned, source);
    Execution { recorder, went, foreseen }
}

/// Whose write a read is about to take that nobody planned.
fn unforeseen(recorder: &Recorder, thread: ThreadId, wants: Wants) -> Option<EventRef> {
    if !wants.kind.reads_memory() {
        return None;
    }
    let place = Place { address: wants.address, size: wants.size };
    let write = recorder.writer(place)?;
    interferes(recorder, thread, place, write).then_some(write)
}

/// Some reads are seen only when they have been made.
fn foreseen(recorder: &Recorder, thread: ThreadId, planned: u32, source: Option<(u32, EventRef)>) -> u32 {
    let all = recorder.n_events(thread);
    let takes = |index: u32| interference(recorder, thread, index).is_some_and(|write| source != Some((index, write)));
    (planned + 1..=all).find(|&index| takes(index)).map_or(all, |index| index - 1)
}
