//! The interferences of a test, in words.

use crate::forest::Kind;
use crate::seen::Follower;
use gordian_base::ThreadId;
use gordian_engine::{EngineError, Found};
use gordian_ir::Program;
use gordian_solve::Model;
use gordian_trace::Test;
use gordian_vm::{Machine, Terms};

/// Says in the notes of a finding which reads took other threads' writes on the way to it.
pub fn add_interferences(program: &Program, found: &mut Found) -> Result<(), EngineError> {
    let machine = gordian_trace::Machine { symbolic: true, coverage: false, ..found.test.machine.clone() };
    let test = Test { machine, inputs: found.inputs.clone(), ..found.test.clone() };
    let mut machine = Machine::with_fresh_reads(program, &test, Terms::default(), &Model::new())?;
    let mut follower = Follower::default();
    for &choice in &found.test.schedule.0 {
        run_alone(&mut machine);
        if machine.choices().binary_search(&choice).is_err() {
            break;
        }
        machine.step(choice);
    }
    run_alone(&mut machine);
    follower.follow(&mut machine);
    let sentences = sentences(&machine, &follower);
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

fn sentences(machine: &Machine<'_>, follower: &Follower) -> Vec<String> {
    let mut sentences = Vec::new();
    for thread in (0..follower.n_threads()).map(ThreadId) {
        let Some(me) = follower.thread(thread) else { continue };
        for (depth, seen) in (1..).zip(&me.seen) {
            let Kind::Read { place, .. } = seen.kind else { continue };
            let Some(writer) = follower.interference(thread, depth) else { continue };
            let Some(by) = follower.thread(writer.thread) else { continue };
            let write = &by.seen[writer.depth as usize - 1];
            sentences.push(machine.interference_text((thread, seen.at), (writer.thread, write.at), place.address));
        }
    }
    sentences
}

/// How many reads took what another thread wrote, in an execution whose reads are symbols.
pub fn n_interferences(machine: &mut Machine<'_>) -> u32 {
    let mut follower = Follower::default();
    follower.follow(machine);
    sentences(machine, &follower).len() as u32
}
