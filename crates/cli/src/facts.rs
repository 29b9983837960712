//! Static facts for a search: which accesses need no scheduling point, and tests with all steps afterwards.

use crate::args::{CheckArgs, FactsMode};
use anyhow::{Context, bail};
use gordian_analysis::{Analysis, Budget};
use gordian_base::ThreadId;
use gordian_engine::{Outcome, Subject, replay};
use gordian_ir::Program;
use gordian_trace::{Choice, OpKind, Schedule, Test};

/// Strategies that go by what steps depend on, and so can do without steps of which no order matters.
const STRATEGIES: [&str; 3] = ["dpor", "dpor-classic", gordian_value_schedule::NAME];

/// Adds to the program what can be proved of it, if that was asked for and goes with the search.
pub fn prove(args: &CheckArgs, program: &mut Program, template: &mut Test, has_inputs: bool) -> anyhow::Result<()> {
    let search = &args.search;
    let is_usual =
        !search.symmetry && !search.observers && !search.estimate && !args.coverage && args.emit_tests.is_none();
    let is_plain = is_usual && !has_inputs && !args.machine.uninit && !args.machine.leaks;
    if search.facts == FactsMode::On && is_plain && STRATEGIES.contains(&search.strategy()?) {
        program.invisible = Analysis::of(program, Budget::default())?.invisible();
        template.machine.facts = !program.invisible.is_empty();
    }
    Ok(())
}

/// Gives the tests of all findings the steps that the search left out, and replays them.
pub fn spell_out(program: &Program, outcome: &mut Outcome) -> anyhow::Result<()> {
    for found in outcome.findings.iter_mut().filter(|found| found.test.machine.facts) {
        found.test = with_all_steps(program, &found.test)?;
        let replayed = replay(program, &found.test)?;
        if !replayed.as_claimed {
            bail!("a finding does not show without static facts; search with `--facts off`, and report this");
        }
        found.trace = replayed.trace;
    }
    Ok(())
}

fn with_all_steps(program: &Program, test: &Test) -> anyhow::Result<Test> {
    let mut plain = test.clone();
    plain.machine.facts = false;
    plain.schedule = Schedule::default();
    let mut machine = program.start(&plain, false)?;
    let mut schedule = Vec::new();
    for &choice in &test.schedule.0 {
        make_invisible_steps(&mut machine, &mut schedule);
        // The failure is a step of its own behind one that others see, and a part of a step that only reads.
        if machine.choices().is_empty() {
            break;
        }
        if !machine.choices().contains(&choice) {
            let step = schedule.len();
            return Err(anyhow::anyhow!("{choice:?} is not possible")).with_context(|| format!("at step {step}"));
        }
        machine.step(choice);
        schedule.push(choice);
    }
    make_invisible_steps(&mut machine, &mut schedule);
    if let Some(fails) = test.schedule.0.last().map(|choice| Choice::of(choice.thread))
        && machine.wants(fails.thread).is_some_and(|wants| wants.kind == OpKind::Yield)
        && machine.choices().contains(&fails)
    {
        schedule.push(fails);
    }
    Ok(Test { schedule: Schedule(schedule), ..plain })
}

/// Lets every thread go on that is at an access which the search took for a part of the step before.
fn make_invisible_steps(machine: &mut gordian_vm::Machine<'_>, schedule: &mut Vec<Choice>) {
    let is_invisible = |machine: &gordian_vm::Machine<'_>| {
        let threads = (0..machine.thread_numbers() as u32).map(ThreadId);
        let mut invisible = threads.filter(|thread| machine.is_at_invisible_access(*thread)).map(Choice::of);
        invisible.find(|choice| machine.choices().contains(choice))
    };
    while let Some(choice) = is_invisible(machine) {
        machine.step(choice);
        schedule.push(choice);
    }
}
