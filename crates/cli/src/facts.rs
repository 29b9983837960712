//! Static facts for a search: which accesses need no scheduling point, and tests with all steps afterwards.

use crate::args::{CheckArgs, FactsMode};
use gordian_analysis::{Analysis, Budget};
use gordian_base::ThreadId;
use gordian_engine::{End, Outcome, Subject, replay};
use gordian_ir::Program;
use gordian_trace::{Choice, OpKind, Schedule, Test};
use gordian_vm::Machine;

/// Strategies that go by what steps depend on, and so can do without steps of which no order matters.
const STRATEGIES: [&str; 3] = ["dpor", "dpor-classic", gordian_value_schedule::NAME];

/// Adds to the program what can be proved of it, if that was asked for and goes with the search. If it does not, this is the note for the report.
pub fn prove(
    args: &CheckArgs,
    program: &mut Program,
    template: &mut Test,
    has_inputs: bool,
) -> anyhow::Result<Option<String>> {
    let search = &args.search;
    if search.facts == FactsMode::Off {
        return Ok(None);
    }
    let strategy = search.strategy()?;
    let reasons = [
        (!STRATEGIES.contains(&strategy), "this strategy"),
        (search.symmetry, "`--symmetry`"),
        (search.observers, "`--observers`"),
        (search.estimate, "`--estimate`"),
        (args.coverage, "`--coverage`"),
        (args.emit_tests.is_some(), "`--emit-tests`"),
        (args.machine.uninit, "`--uninit`"),
        (args.machine.leaks, "`--leaks`"),
        (has_inputs, "inputs"),
    ];
    if let Some((_, what)) = reasons.into_iter().find(|(holds, _)| *holds) {
        return Ok(Some(format!("static facts do not go with {what}: the search was made without them")));
    }
    program.invisible = Analysis::of(program, Budget::default())?.invisible();
    template.machine.facts = !program.invisible.is_empty();
    let why = "nothing was proved of this program: the search was made without static facts";
    Ok((!template.machine.facts).then(|| why.to_owned()))
}

/// Gives the tests of all findings the steps that the search left out, and replays them. Says no if one does not show then: a thread that waits in a loop for what a
/// fact says of a variable is not seen to wait, for example.
pub fn spell_out(program: &Program, outcome: &mut Outcome) -> anyhow::Result<bool> {
    for found in outcome.findings.iter_mut().filter(|found| found.test.machine.facts) {
        let test = with_all_steps(program, &found.test)?;
        let replayed = replay(program, &test)?;
        if !replayed.as_claimed {
            return Ok(false);
        }
        (found.test, found.trace) = (test, replayed.trace);
    }
    Ok(true)
}

/// Takes back what was proved, for a search without it, and gives the note for the report.
pub fn take_back(program: &mut Program, template: &mut Test) -> String {
    program.invisible = Default::default();
    template.machine.facts = false;
    "a finding did not show in the same way without static facts: the search was made again without them".to_owned()
}

/// The invisible steps of a thread come right before its next one, although they were a part of the step before that: what fails behind an invisible access
/// ends the execution with it, and must not come before steps of others that the test is about.
fn with_all_steps(program: &Program, test: &Test) -> anyhow::Result<Test> {
    let mut plain = test.clone();
    plain.machine.facts = false;
    plain.schedule = Schedule::default();
    let mut machine = program.start(&plain, false)?;
    let mut schedule = Vec::new();
    for &choice in &test.schedule.0 {
        make_invisible_steps(&mut machine, &mut schedule, choice.thread);
        if !machine.choices().contains(&choice) && machine.end().is_none() {
            // It waits for what another thread does behind such an access, such as its end.
            make_harmless_steps(&mut machine, &mut schedule);
        }
        // The failure is a step of its own behind one that others see, and a part of a step that only reads.
        if machine.end().is_some() || !machine.choices().contains(&choice) {
            break;
        }
        machine.step(choice);
        schedule.push(choice);
    }
    if let Some(fails) = test.schedule.0.last().map(|choice| Choice::of(choice.thread)) {
        make_invisible_steps(&mut machine, &mut schedule, fails.thread);
        if machine.wants(fails.thread).is_some_and(|wants| wants.kind == OpKind::Yield)
            && machine.choices().contains(&fails)
        {
            machine.step(fails);
            schedule.push(fails);
        }
    }
    // Who waits for each other is not seen before all have come there.
    make_harmless_steps(&mut machine, &mut schedule);
    Ok(Test { schedule: Schedule(schedule), ..plain })
}

/// Lets a thread go on that is at an access which the search took for a part of the step before.
fn make_invisible_steps(machine: &mut Machine<'_>, schedule: &mut Vec<Choice>, thread: ThreadId) {
    let choice = Choice::of(thread);
    while machine.is_at_invisible_access(thread) && machine.choices().contains(&choice) {
        machine.step(choice);
        schedule.push(choice);
    }
}

/// The same for all threads, without steps in which one fails.
fn make_harmless_steps(machine: &mut Machine<'_>, schedule: &mut Vec<Choice>) {
    for thread in (0..machine.thread_numbers() as u32).map(ThreadId) {
        let (mark, n_steps) = (machine.mark(), schedule.len());
        make_invisible_steps(machine, schedule, thread);
        if matches!(machine.end(), Some(End::Failed)) && schedule.len() > n_steps {
            machine.undo_to(mark);
            schedule.truncate(n_steps);
        }
    }
}
