//! `gordian check`.

use crate::args::{CheckArgs, DEFAULT_RUNS, DEFAULT_STRATEGY, Races, SearchArgs, SearchOrder};
use crate::checkpoint::Store;
use crate::findings::conclude;
use crate::output::{ProgressLine, complain, sentence};
use crate::{emitted, estimate, facts, inputs, load, saved, stop, unfolding};
use anyhow::Context;
use gordian_analysis::Analysis;
use gordian_engine::{Begin, Budget, Burst, Jobs, Outcome, Settings, StopSignal, Strategy};
use gordian_ir::Program;
use gordian_strategies::dpor::tells_threads_apart;
use gordian_strategies::{DporTeam, Observers, Order, Parameters, Symmetry};
use gordian_trace::{Bound, RaceMode, Stop, Summary, Test};
use gordian_value_schedule::{Guide, ValueSchedule};
use std::sync::Arc;

pub fn check(args: &CheckArgs) -> anyhow::Result<u8> {
    args.search.strategy()?;
    #[cfg(feature = "explain")]
    if args.search.explain {
        crate::explain::show()?;
    }
    let mut program = load::from_command_line(&args.program, &args.machine)?;
    let mut template = load::template(&program, &args.program, &args.machine)?;
    inputs::add_sources(&mut template, &args.inputs, &args.program)?;
    template.machine.symbolic = !args.inputs.fixed_inputs;
    template.machine.coverage = args.coverage || args.emit_tests.is_some();
    // For every strategy: other threads may act on an operation before its thread fails in the code behind it.
    template.machine.separate_failures = true;
    if args.search.strategy()? == gordian_strategies::explicit::NAME {
        // Its states have no clocks.
        template.machine.races = RaceMode::Ignore;
    }
    let has_inputs = has_inputs(&program, &template);
    let without_facts = facts::prove(args, &mut program, &mut template, has_inputs)?;
    let signal = stop::listen(args.search.memory)?;
    saved::probe(&args.out)?;
    if let Some(folder) = &args.emit_tests {
        saved::probe(folder)?;
    }
    if args.search.estimate {
        return estimate::estimate(args, &program, &template, signal);
    }
    let mut outcome = search(args, &program, &mut template, signal.clone())?;
    let mut note = without_facts;
    if !facts::spell_out(&program, &mut outcome)? {
        note = Some(facts::take_back(&mut program, &mut template));
        outcome = search(args, &program, &mut template, signal)?;
    }
    outcome.summary.notes.extend(note);
    if args.search.strategy()? == gordian_value_schedule::NAME {
        for found in &mut outcome.findings {
            found.finding.notes.extend(gordian_value_schedule::ordered_pairs(&program, &found.test)?);
        }
    }
    report(args, &template, &outcome)
}

/// Searches with the strategy that was asked for.
fn search(
    args: &CheckArgs,
    program: &Program,
    template: &mut Test,
    signal: Arc<StopSignal>,
) -> anyhow::Result<Outcome> {
    if args.search.strategy()? == gordian_interference::NAME {
        by_interferences(args, program, template, signal)
    } else if args.search.strategy()? == gordian_sequentialize::NAME {
        by_sequentialization(args, program, template, signal)
    } else if let Some(kind) = gordian_unfolding::by_name(args.search.strategy()?) {
        unfolding::check(args, kind, program, template, &settings(&args.search, true, signal, Begin::now()))
    } else if args.search.strategy()? == gordian_value_schedule::NAME {
        by_value_schedules(args, program, template, signal)
    } else {
        reduced(args, program, template, signal)
    }
}

/// Switches on what the machine leaves out because it makes no difference. Where inputs decide or branches are counted, all rounds and reads are made.
pub fn leave_out(program: &Program, template: &mut Test) {
    let is_plain = !template.machine.coverage && !has_inputs(program, template);
    let machine = &mut template.machine;
    (machine.awaits, machine.delayed_exits) = (true, true);
    (machine.net_effect, machine.private_reads) = (is_plain, is_plain && !machine.facts);
}

/// Executions after which rounds of loops are not let grow any more.
const EXECUTIONS_OF_ROUNDS: u64 = 20_000;
const MOST_ROUNDS: u32 = 64;

/// Searches with what the machine leaves out because it makes no difference. If it does in this program, without. Where loops go round without end, their
/// rounds are bounded, and the bound grows while it is hit and nothing is found.
fn reduced(
    args: &CheckArgs,
    program: &Program,
    template: &mut Test,
    signal: Arc<StopSignal>,
) -> anyhow::Result<Outcome> {
    let begin = Begin::now();
    leave_out(program, template);
    // Whether a round has a net effect is a matter of the way to a state, which `explicit` does not compare.
    template.machine.net_effect &= args.search.strategy()? != gordian_strategies::explicit::NAME;
    let is_exhaustive = strategy(args, program)?.capabilities().exhaustive;
    if is_exhaustive && args.machine.max_steps.is_none() && args.machine.unroll.is_none() {
        template.machine.rounds = Some(0);
    }
    let mut executions = 0;
    // With a smaller bound on rounds, all of it.
    let mut completed: Option<Outcome> = None;
    loop {
        // What a larger bound costs is not known before, and the smaller one has its verdict already.
        let most = completed.as_ref().and(Some(EXECUTIONS_OF_ROUNDS.saturating_sub(executions)));
        let limit = most.filter(|_| args.search.runs.is_none());
        let outcome = by_strategy(args, program, template, Arc::clone(&signal), begin, limit)?;
        let outcome = if needs_classic(args, &outcome)? {
            by_classic(args, program, template, Arc::clone(&signal), begin)?
        } else {
            outcome
        };
        if let Some(objection) = outcome.objection {
            template.machine = template.machine.after(objection);
            continue;
        }
        let Summary { ref bounds, ref stop, .. } = outcome.summary;
        if limit.is_some() && *stop == Stop::Runs && outcome.findings.is_empty() {
            let completed = completed.expect("there is a limit");
            template.machine.rounds = completed.summary.bounds.rounds;
            return Ok(completed);
        }
        executions += outcome.summary.executions + outcome.summary.blocked;
        let Some(rounds) = bounds.rounds.filter(|_| bounds.hit.contains(&Bound::Rounds)) else { return Ok(outcome) };
        // Loops that end by themselves are cut off like others.
        let may_grow = outcome.findings.is_empty() && matches!(stop, Stop::Exhausted | Stop::CutOff | Stop::NoEnd(_));
        if !may_grow || rounds >= MOST_ROUNDS || executions >= EXECUTIONS_OF_ROUNDS {
            return Ok(outcome);
        }
        template.machine.rounds = Some(2 * rounds);
        completed = Some(outcome);
    }
}

fn by_interferences(
    args: &CheckArgs,
    program: &Program,
    template: &Test,
    signal: Arc<StopSignal>,
) -> anyhow::Result<Outcome> {
    if args.inputs.fixed_inputs {
        anyhow::bail!("`--fixed-inputs` does not go with `--strategy {}`", gordian_interference::NAME);
    }
    let settings = settings(&args.search, true, signal, Begin::now());
    let mut observer = ProgressLine::new(&args.output);
    let options = args.search.interference.options(args.search.workers());
    let mut outcome = gordian_interference::check(program, template, options, &settings, &mut observer)?;
    if !template.machine.coverage {
        outcome.summary.coverage = None;
    }
    Ok(outcome)
}

/// Guided by static access pairs.
fn by_value_schedules(
    args: &CheckArgs,
    program: &Program,
    template: &Test,
    signal: Arc<StopSignal>,
) -> anyhow::Result<Outcome> {
    let begin = Begin::now();
    let analysis = Analysis::of(program, gordian_analysis::Budget::default())?;
    let guided = &args.search.guided;
    let guide = Guide::new(&analysis, guided.filters(), guided.focus.as_ref())?;
    let mut strategy = ValueSchedule::new(guide, guided.options());
    let settings = Settings {
        inputs_first: template.machine.symbolic && has_inputs(program, template),
        solver_summary: args.solver_summary,
        ..settings(&args.search, true, Arc::clone(&signal), begin)
    };
    let mut observer = ProgressLine::new(&args.output);
    let outcome = gordian_engine::check(program, template, &mut strategy, &settings, &mut observer)?;
    if outcome.has_blocked_sections && outcome.summary.stop == Stop::Exhausted {
        return by_classic(args, program, template, signal, begin);
    }
    Ok(outcome)
}

fn by_sequentialization(
    args: &CheckArgs,
    program: &Program,
    template: &Test,
    signal: Arc<StopSignal>,
) -> anyhow::Result<Outcome> {
    if args.inputs.fixed_inputs || !template.sources.is_empty() {
        let name = gordian_sequentialize::NAME;
        anyhow::bail!("`--strategy {name}` takes the inputs that the program asks for as they come, and no others");
    }
    let settings = settings(&args.search, true, signal, Begin::now());
    let mut observer = ProgressLine::new(&args.output);
    let options = gordian_sequentialize::CheckOptions {
        max_interferences: args.search.interference.max_interferences.map(|most| most.of_t),
        max_in_other: args.search.interference.max_interferences.map_or(0, |most| most.of_other),
        unroll: args.machine.unroll,
        arguments: args.program.arguments.clone(),
    };
    let compile = |text: &str| crate::sequentialize::compile(text).map_err(|error| sentence(&error));
    let checked = gordian_sequentialize::check(program, template, &options, &compile, &settings, &mut observer)?;
    Ok(checked.outcome)
}

/// Whether `dpor` has come to its end with executions that a false assumption in an atomic section ended. It may have left out traces then: a plan
/// that is cut short by such a section wakes nobody, and what was left to it is not planned again. `dpor-classic` makes no plans.
fn needs_classic(args: &CheckArgs, outcome: &Outcome) -> anyhow::Result<bool> {
    let is_optimal = args.search.strategy()? == DEFAULT_STRATEGY;
    Ok(is_optimal && outcome.has_blocked_sections && outcome.summary.stop == Stop::Exhausted)
}

fn by_classic(
    args: &CheckArgs,
    program: &Program,
    template: &Test,
    signal: Arc<StopSignal>,
    begin: Begin,
) -> anyhow::Result<Outcome> {
    let Parameters { seed, depth, .. } = parameters(args, program);
    let parameters = Parameters { seed, depth, symmetry: Symmetry::Unused, observers: Observers::Unused };
    let mut strategy = gordian_strategies::by_name("dpor-classic", &parameters).context("there is such a strategy")?;
    let settings = settings(&args.search, true, signal, begin);
    let mut observer = ProgressLine::new(&args.output);
    Ok(gordian_engine::check(program, template, strategy.as_mut(), &settings, &mut observer)?)
}

/// Executes the program in the ways that a strategy chooses.
fn by_strategy(
    args: &CheckArgs,
    program: &Program,
    template: &Test,
    signal: Arc<StopSignal>,
    begin: Begin,
    limit: Option<u64>,
) -> anyhow::Result<Outcome> {
    let mut strategy = strategy(args, program)?;
    let mut settings = Settings {
        inputs_first: template.machine.symbolic && strategy.capabilities().exhaustive && has_inputs(program, template),
        solver_summary: args.solver_summary,
        burst: has_burst(args, program, template).then_some(BURST),
        ..settings(&args.search, strategy.capabilities().exhaustive, Arc::clone(&signal), begin)
    };
    settings.budget.runs = settings.budget.runs.or(limit);
    let store = Store::new(&args.out, template, settings.stop_at_first);
    let mut observer = ProgressLine::new(&args.output);
    // Whether threads are symmetric after all, or writes need no order, is found out by one who sees every execution.
    let shares = args.search.strategy()? == DEFAULT_STRATEGY && !args.search.symmetry && !args.search.observers;
    if shares {
        observer.expect(estimate::Forecast::new(program, template, signal));
        return together(args, program, template, &settings, &store, &mut observer);
    }
    Ok(gordian_engine::check(program, template, strategy.as_mut(), &settings, &mut observer)?)
}

/// Sampled executions within a search that does not end soon.
const BURST: Burst = Burst { after: 1_000, executions: 1_000, strategies: samplers };

fn samplers(seed: u64) -> Vec<Box<dyn Strategy>> {
    let parameters = Parameters { seed, ..Parameters::default() };
    ["random", "pos"].into_iter().filter_map(|name| gordian_strategies::by_name(name, &parameters)).collect()
}

/// Whether a search may sample, too: it was asked neither for so many executions nor for what they cover, and chooses no inputs.
fn has_burst(args: &CheckArgs, program: &Program, template: &Test) -> bool {
    args.search.runs.is_none()
        && args.search.preemptions.is_none()
        && !args.search.resume
        && !template.machine.coverage
        && !(template.machine.symbolic && has_inputs(program, template))
}

/// Saves and prints what was found.
fn report(args: &CheckArgs, template: &Test, outcome: &Outcome) -> anyhow::Result<u8> {
    let emitted = args.emit_tests.as_ref().map_or(Ok(()), |folder| emitted::emit(folder, template, &outcome.covering));
    let code = conclude(outcome, template, &args.out, &args.output)?;
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
    emitted?;
    Ok(code)
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
    let jobs = if settings.budget.runs.is_some() { Jobs::new(1) } else { jobs(args) };
    let outcome = match gordian_engine::check_together(program, &template, &team, jobs, settings, observer)? {
        Some(outcome) => outcome,
        // It can only be made by one.
        None => {
            let (team, jobs) = (DporTeam::default(), Jobs::new(1));
            gordian_engine::check_together(program, &template, &team, jobs, settings, observer)?
                .context("one worker alone shares nothing")?
        }
    };
    match outcome.summary.stop {
        Stop::Time | Stop::Memory | Stop::Interrupted | Stop::Panicked(_) if store.path().exists() => {
            complain(&format!("the search is saved in {}: --resume goes on with it", store.path().display()));
        }
        Stop::Time | Stop::Memory | Stop::Interrupted | Stop::Panicked(_) => {}
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
    let parameters = parameters(args, program);
    gordian_strategies::by_name(name, &parameters).with_context(|| format!("there is no strategy `{name}`"))
}

fn parameters(args: &CheckArgs, program: &Program) -> Parameters {
    let symmetry = if args.search.symmetry { symmetry(program) } else { Symmetry::Unused };
    let observers = match (args.search.observers, args.machine.races) {
        (false, _) => Observers::Unused,
        (true, Races::Ignore) => Observers::All,
        (true, Races::Report | Races::Stop) => Observers::Atomic,
    };
    Parameters { seed: args.machine.seed, depth: args.search.depth, symmetry, observers }
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
fn settings(args: &SearchArgs, exhaustive: bool, signal: Arc<StopSignal>, begin: Begin) -> Settings {
    let unlimited = exhaustive || args.time.is_some();
    Settings {
        budget: Budget { runs: args.runs.or((!unlimited).then_some(DEFAULT_RUNS)), time: args.time },
        preemptions: args.preemptions,
        stop_at_first: args.stop_at_first || !(exhaustive || args.keep_going),
        signal,
        begin,
        ..Settings::default()
    }
}
