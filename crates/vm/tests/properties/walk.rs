//! Ways through a program.

use gordian_base::Rng;
use gordian_ir::Program;
use gordian_trace::{Choice, Test};
use gordian_vm::Machine;

pub fn start<'p>(program: &'p Program, test: &Test) -> Machine<'p> {
    Machine::new(program, test).expect("the program can be set up")
}

pub fn random_step(machine: &mut Machine<'_>, rng: &mut Rng) {
    let choices = machine.choices();
    let choice = choices[rng.below(choices.len())];
    machine.step(choice);
}

/// A fresh machine that makes these choices. It is told the numbers of threads that `other` knows: in a search
/// they come from the first execution that created the thread, and tests carry them.
pub fn follow<'p>(program: &'p Program, test: &Test, other: &Machine<'_>, schedule: &[Choice]) -> Machine<'p> {
    let test = Test { threads: other.thread_origins(), ..test.clone() };
    let mut machine = start(program, &test);
    for &choice in schedule {
        machine.step(choice);
    }
    machine
}
