//! Going back: the state at a mark equals the state after returning to it, and that of a fresh machine that
//! made the same choices.

use crate::programs::{Subject, all, settings};
use crate::view::View;
use crate::walk::{follow, random_step, start};
use gordian_base::Rng;
use gordian_trace::{Machine as Settings, Test};
use gordian_vm::Mark;

/// Random walks with other settings through each program.
const WALKS: u64 = 4;
const ACTIONS: usize = 120;

#[test]
fn a_restored_state_equals_the_one_that_was_marked_and_a_fresh_run_to_it() {
    for (nth, subject) in all().enumerate() {
        for walk in 0..WALKS {
            let mut rng = Rng::stream(nth as u64, walk);
            let settings = settings(&mut rng);
            wander(subject, settings, &mut rng);
        }
    }
}

/// Steps, marks and returns in random order. Marks nest: returning to one keeps it and those before it.
fn wander(subject: &Subject, settings: Settings, rng: &mut Rng) {
    let context = format!("{} with {settings:?}", subject.name);
    let test: Test = subject.test(settings);
    let mut machine = start(subject.program, &test);
    let mut marks: Vec<(Mark, View)> = Vec::new();
    for _ in 0..ACTIONS {
        let ended = machine.end().is_some();
        if ended && marks.is_empty() {
            return;
        }
        match rng.below(12) {
            _ if ended => go_back(subject, &test, &mut machine, &mut marks, rng, &context),
            0 if !marks.is_empty() => go_back(subject, &test, &mut machine, &mut marks, rng, &context),
            1..4 => marks.push((machine.mark(), View::of(&machine))),
            _ => random_step(&mut machine, rng),
        }
    }
}

fn go_back(
    subject: &Subject,
    test: &Test,
    machine: &mut gordian_vm::Machine<'_>,
    marks: &mut Vec<(Mark, View)>,
    rng: &mut Rng,
    context: &str,
) {
    marks.truncate(1 + rng.below(marks.len()));
    let (mark, marked) = marks.last().expect("there was a mark");
    // Where this execution came to must be the same for a fresh one, whatever was gone back on before it.
    let fresh = follow(subject.program, test, machine, machine.schedule());
    View::of(&fresh).assert_same(&View::of(machine), &format!("{context}: fresh and reached after going back"));
    machine.undo_to(*mark);
    let restored = View::of(machine);
    marked.assert_same(&restored, &format!("{context}: marked and restored"));
    let fresh = follow(subject.program, test, machine, &marked.schedule);
    View::of(&fresh).assert_same(&restored, &format!("{context}: fresh and restored"));
}
