//! `gordian check`.

use crate::args::{CheckArgs, DEFAULT_RUNS, DEFAULT_STRATEGY, Races, SearchArgs, SearchOrder};
use crate::checkpoint::Store;
use crate::output::{ProgressLine, complain, print_report, sentence};
use crate::{emitted, estimate, inputs, load, saved};
use anyhow::Context;
use gordian_engine::{Budget, Jobs, Outcome, Settings, Strategy};
use gordian_ir::Program;
use gordian_report::{Report, Reported};
use gordian_strategies::dpor::tells_threads_apart;
use gordian_strategies::{DporTeam, Observers, Order, Parameters, Symmetry};
use gordian_trace::{Stop, Test, exit_code};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub fn check(args: &CheckArgs) -> anyhow::Result<u8> {
    args.search.strategy()?;
    let program = load::from_command_line(&args.program, &args.machine)?;
    let mut template = load::template(&program, &args.program, &args.machine)?;
    inputs::add_sources(&mut template, &args.inputs, &args.program)?;
    template.machine.symbolic = !args.inputs.fixed_inputs;
    template.machine.coverage = args.coverage || args.emit_tests.is_some();
    let interrupt = interrupt()?;
    if args.search.estimate {
        return estimate::estimate(args, &program, &template, interrupt);
    }
    let outcome = if args.search.strategy()? == gordian_interference::NAME {
        by_interferences(args, &program, &template, interrupt)?
    } else if let Some(arcs) = gordian_unfolding::by_name(args.search.strategy()?) {
        let settings = settings(&args.search, true, interrupt);
        let options = gordian_unfolding::Options { arcs };
        gordian_unfolding::check(&program, &template, options, &settings, &mut ProgressLine::new(&args.output))?
    } else {
        by_strategy(args, &program, &template, interrupt)?
    };
    report(args, &template, &outcome)
}

fn by_interferences(
    args: &CheckArgs,
    program: &Program,
    template: &Test,
    interrupt: Arc<AtomicBool>,
) -> anyhow::Result<Outcome> {
    if args.inputs.fixed_inputs {
        anyhow::bail!("`--fixed-inputs` does not go with `--strategy {}`", gordian_interference::NAME);
    }
    let settings = settings(&args.search, true, interrupt);
    let mut observer = ProgressLine::new(&args.output);
    let options = args.search.interference.options(args.search.workers());
    let mut outcome = gordian_interference::check(program, template, options, &settings, &mut observer)?;
    if !template.machine.coverage {
        outcome.summary.coverage = None;
    }
    Ok(outcome)
}

/// Executes the program in the ways that a strategy chooses.
fn by_strategy(
    args: &CheckArgs,
    program: &Program,
    template: &Test,
    interrupt: Arc<AtomicBool>,
) -> anyhow::Result<Outcome> {
    let mut strategy = strategy(args, program)?;
    let settings = Settings {
        inputs_first: template.machine.symbolic && strategy.habits().exhaustive && has_inputs(program, template),
        solver_summary: args.solver_summary,
        ..settings(&args.search, strategy.habits().exhaustive, Arc::clone(&interrupt))
    };
    let store = Store::new(&args.out, template, settings.stop_at_first);
    let mut observer = ProgressLine::new(&args.output);
    // Whether threads are symmetric after all, or writes need no order, is found out by one who sees every execution.
    let shares = args.search.strategy()? == DEFAULT_STRATEGY && !args.search.symmetry && !args.search.observers;
    if shares {
        observer.expect(estimate::Forecast::new(program, template, interrupt));
        return together(args, program, template, &settings, &store, &mut observer);
    }
    Ok(gordian_engine::check(program, template, strategy.as_mut(), &settings, &mut observer)?)
}

/// Saves and prints what was found.
fn report(args: &CheckArgs, template: &Test, outcome: &Outcome) -> anyhow::Result<u8> {
    if let Some(folder) = &args.emit_tests {
        emitted::emit(folder, template, &outcome.covering)?;
    }
    let mut saver = saved::Saver::new(&args.out, template);
    let saved = outcome.findings.iter().map(|found| saver.save(&found.test, &found.finding));
    let tests: Vec<anyhow::Result<PathBuf>> = saved.collect();
    let findings = outcome.findings.iter().zip(&tests).map(|(found, test)| Reported {
        finding: &found.finding,
        test: test.as_deref().ok(),
        trace: &found.trace,
        inputs: &found.inputs,
    });
    let report = Report { summary: &outcome.summary, findings: findings.collect() };
    print_report(&report, &args.output)?;
    if let Some(solver) = &outcome.summary.solver
        && !args.output.quiet
    {
        // Times are no part of a report, which is the same every time.
        complain(&format!("{:.3} s in the solver", solver.time.as_secs_f64()));
    }
    if let Some(interference) = &outcome.summary.interference
        && args.solver_summary
        && !args.output.quiet
    {
        let times = interference.degrees.iter().enumerate().map(|(k, of)| format!("{k}: {:.3}", of.time.as_secs_f64()));
        complain(&format!("seconds by number of interferences: {}", times.collect::<Vec<_>>().join(", ")));
    }
    // What was found is told all the same: it may have taken hours.
    if let Some(error) = tests.iter().find_map(|test| test.as_ref().err()) {
        complain(&format!("a test was not saved: {}", sentence(error)));
    }
    Ok(outcome.summary.verdict.exit_code())
}

/// Whether the program asks for inputs, or is given some that stand for all their values.
fn has_inputs(program: &Program, template: &Test) -> bool {
    let mut names = program.externals.iter().map(|external| external.name.as_str());
    !template.sources.is_empty() || names.any(gordian_vm::is_about_inputs)
}

/// By workers, and saved from time to time.
fn together<'a>(
    args: &CheckArgs,
    program: &Program,
    template: &Test,
    settings: &Settings,
    store: &'a Store,
    observer: &mut ProgressLine<'a>,
) -> anyhow::Result<Outcome> {
    let order = match args.search.order {
        SearchOrder::Depth => Order::Depth,
        SearchOrder::Breadth => Order::Breadth,
        SearchOrder::Coverage => Order::Coverage,
        SearchOrder::Random => Order::random(args.machine.seed),
    };
    let (team, template) =
        if args.search.resume { store.read()? } else { (DporTeam::in_order(order), template.clone()) };
    observer.save_in(store);
    let settings = &settings.begun();
    let outcome = match gordian_engine::check_together(program, &template, &team, jobs(args), settings, observer)? {
        Some(outcome) => outcome,
        // It can only be made by one.
        None => {
            let (team, jobs) = (DporTeam::default(), Jobs::new(1));
            gordian_engine::check_together(program, &template, &team, jobs, settings, observer)?
                .context("one worker alone shares nothing")?
        }
    };
    match outcome.summary.stop {
        Stop::Time | Stop::Interrupted if store.path().exists() => {
            complain(&format!("the search is saved in {}: --resume goes on with it", store.path().display()));
        }
        Stop::Time | Stop::Interrupted => {}
        _ => store.remove(),
    }
    Ok(outcome)
}

/// Which executions are made first depends on who is quicker, so a limit on them is kept by one worker, and so is the record of
/// who covered what first. Several workers would have several solvers.
fn jobs(args: &CheckArgs) -> Jobs {
    let in_order = args.search.order != SearchOrder::Depth
        || args.search.runs.is_some()
        || args.coverage
        || args.solver_summary
        || args.emit_tests.is_some();
    Jobs::new(if in_order { 1 } else { args.search.workers() })
}

fn strategy(args: &CheckArgs, program: &Program) -> anyhow::Result<Box<dyn Strategy>> {
    let name = args.search.strategy()?;
    let symmetry = if args.search.symmetry { symmetry(program) } else { Symmetry::Unused };
    let observers = match (args.search.observers, args.machine.races) {
        (false, _) => Observers::Unused,
        (true, Races::Ignore) => Observers::All,
        (true, Races::Report | Races::Stop) => Observers::Atomic,
    };
    let parameters = Parameters { seed: args.machine.seed, depth: args.search.depth, symmetry, observers };
    gordian_strategies::by_name(name, &parameters).with_context(|| format!("there is no strategy `{name}`"))
}

/// Functions that the program refers to are enough to refuse: whether it calls them is not known yet.
fn symmetry(program: &Program) -> Symmetry {
    let mut names = program.externals.iter().map(|external| external.name.as_str());
    match names.find(|name| tells_threads_apart(name)) {
        Some(name) => Symmetry::Refused(format!("the program calls `{name}`")),
        None => Symmetry::Used,
    }
}

/// Sampling ends with the first failure and after so many runs; a search that can end by itself goes on.
fn settings(args: &SearchArgs, exhaustive: bool, interrupt: Arc<AtomicBool>) -> Settings {
    let unlimited = exhaustive || args.time.is_some();
    Settings {
        budget: Budget { runs: args.runs.or((!unlimited).then_some(DEFAULT_RUNS)), time: args.time },
        preemptions: args.preemptions,
        stop_at_first: args.stop_at_first || !(exhaustive || args.keep_going),
        interrupt,
        ..Settings::default()
    }
}

/// The first Ctrl-C ends the search with what it has, the second ends gordian.
fn interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&flag);
    ctrlc::set_handler(move || {
        if set.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(exit_code::INCONCLUSIVE));
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(flag)
}
