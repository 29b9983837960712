//! The interferences of a test, in words.

use crate::degree::interference;
use gordian_base::ThreadId;
use gordian_engine::{EngineError, Found};
use gordian_ir::Program;
use gordian_solve::Model;
use gordian_trace::Test;
use gordian_vm::{Machine, Terms};
use gordian_witness::{EventKind, Recorder};

/// Says in the notes of a finding which reads took other threads' writes on the way to it.
pub fn add_interferences(program: &Program, found: &mut Found) -> Result<(), EngineError> {
    let machine = gordian_trace::Machine { symbolic: true, coverage: false, ..found.test.machine.clone() };
    let test = Test { machine, inputs: found.inputs.clone(), ..found.test.clone() };
    let mut machine = Machine::with_fresh_reads(program, &test, Terms::default(), &Model::new())?;
    let mut recorder = Recorder::default();
    for &choice in &found.test.schedule.0 {
        run_alone(&mut machine);
        if machine.choices().binary_search(&choice).is_err() {
            break;
        }
        machine.step(choice);
    }
    run_alone(&mut machine);
    recorder.take_in(&mut machine);
    let sentences = sentences(&machine, &recorder);
    let count = match sentences.len() {
        0 => "no interference".to_owned(),
        1 => "1 interference".to_owned(),
        n => format!("{n} interferences"),
    };
    found.finding.notes.push(format!("with {count}"));
    found.finding.notes.extend(sentences);
    Ok(())
}

/// Who is left alone makes steps here that it does not make in a test.
fn run_alone(machine: &mut Machine<'_>) {
    while let Some(&only) = machine.choices().first()
        && machine.is_lone(only.thread)
    {
        machine.step(only);
    }
}

fn sentences(machine: &Machine<'_>, recorder: &Recorder) -> Vec<String> {
    let mut sentences = Vec::new();
    for thread in (0..recorder.n_threads()).map(ThreadId) {
        let Some(me) = recorder.thread(thread) else { continue };
        for (index, seen) in (1..).zip(&me.events) {
            let EventKind::Read { place, .. } = seen.event.kind else { continue };
            let Some(write) = interference(recorder, thread, index) else { continue };
            let Some(by) = recorder.thread(write.thread) else { continue };
            let (read_at, write_at) = (seen.event.at, by.events[write.index as usize - 1].event.at);
            sentences.push(machine.interference_text((thread, read_at), (write.thread, write_at), place.address));
        }
    }
    sentences
}
