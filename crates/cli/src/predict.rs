//! `gordian predict`.

use crate::args::{PredictArgs, PredictKind, PredictStep, RunSchedule};
use crate::findings::conclude;
use crate::load::{self, Lowering};
use crate::output::{ProgressLine, complain, print_report};
use crate::stop;
use crate::{saved, traces};
use anyhow::{Context, bail};
use gordian_engine::{Course, End, Settings, run_along};
use gordian_ir::Program;
use gordian_predict::{DeclaredRegion, ForeignOptions, Options, Predicted, Prediction, Steps, predict_foreign};
use gordian_report::{Report, Reported};
use gordian_trace::{
    Bound, Bounds, CheckSummary, Exploration, Finding, FindingKind, Machine, Place, PredictionSummary, RegionSummary,
    Stop, Summary, Test, ThreadName, Verdict, exit_code,
};
use gordian_tracefile::{Origin, Trace};
use std::path::Path;

pub fn predict(args: &PredictArgs) -> anyhow::Result<u8> {
    let [first, rest @ ..] = &args.program.files[..] else { bail!("there is no file to predict from") };
    if is_program(first) {
        let (program, test) = run_once(args)?;
        return from_test(args, &program, &test);
    }
    if !rest.is_empty() {
        bail!("`gordian predict` takes one trace, or the files of one program");
    }
    let trace = traces::open(first, args.from.map(Into::into))?;
    trace.notes.iter().for_each(|note| complain(note));
    match trace.origin {
        Origin::Foreign => from_foreign(args, &trace),
        Origin::Machine => {
            let (program, test) = recorded(args, first, &trace)?;
            // The run is made again, so its events are not needed any more.
            drop(trace);
            from_test(args, &program, &test)
        }
    }
}

fn is_program(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("c" | "bc" | "ll"))
}

/// Runs a program once; the test holds its schedule.
fn run_once(args: &PredictArgs) -> anyhow::Result<(Program, Test)> {
    let program = load::from_command_line(&args.program, &args.machine)?;
    let template = load::template(&program, &args.program, &args.machine)?;
    let course = match args.schedule {
        RunSchedule::Default => Course::Default,
        RunSchedule::Random => Course::Random(args.machine.seed),
    };
    let outcome = run_along(&program, &template, false, course, |_| {})?;
    if let End::Unsupported(what) = &outcome.end {
        complain(&format!("the run ends early; unsupported: {what}"));
    }
    Ok((program, outcome.test))
}

/// The program and the test of a recorded run.
fn recorded(args: &PredictArgs, path: &Path, trace: &Trace) -> anyhow::Result<(Program, Test)> {
    let mut test = trace.test.clone().context("the trace does not hold the test that was run")?;
    test.program.files = saved::files(&test, path);
    let Machine { overflow, undefined, uninitialised: uninit, unroll, .. } = test.machine;
    let lowering = Lowering { overflow, undefined, uninit, count_loops: unroll.is_some() };
    let program = load::program(&test.program.files, &test.machine.file_names, &test.program.cflags, lowering)
        .with_context(|| format!("cannot load the program of {}", path.display()))?;
    let (then, now) = (test.program.identity.clone(), load::identity(&program));
    if then != now {
        let path = path.display();
        if !args.force {
            bail!(
                "the program has changed since {path} was recorded (it was {then} and is now {now}); record it again, or \
                 `gordian predict --force {path}` follows the run as far as it fits"
            );
        }
        complain(&format!("the program has changed since {path} was recorded: it was {then} and is now {now}"));
        test.program.identity = now;
    }
    Ok((program, test))
}

fn wants(args: &PredictArgs, kind: PredictKind) -> bool {
    args.only.is_empty() || args.only.contains(&kind)
}

/// `--regions` for what the trace itself marks.
const BEGIN_END: &str = "begin-end";

/// The regions that a file declares.
fn declared(args: &PredictArgs) -> anyhow::Result<Vec<DeclaredRegion>> {
    let Some(path) = &args.regions else { return Ok(Vec::new()) };
    if path.as_os_str() == BEGIN_END {
        bail!(
            "`--regions begin-end` is for traces of other recorders; a program says it by `gordian_atomic_begin` and `gordian_atomic_end`"
        );
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let parse = |(nth, line): (u32, &str)| {
        line.parse().map_err(|what: String| anyhow::anyhow!("{}: line {nth}: {what}", path.display()))
    };
    lines.map(parse).collect()
}

fn steps(args: &PredictArgs) -> Steps {
    let has = |step: PredictStep| !args.without.contains(&step);
    Steps {
        local_variables: has(PredictStep::LocalVariables),
        merging: has(PredictStep::Merging),
        locks: has(PredictStep::Locks),
        transactions: has(PredictStep::Transactions),
    }
}

fn from_test(args: &PredictArgs, program: &Program, test: &Test) -> anyhow::Result<u8> {
    let settings = Settings { signal: stop::listen(None)?, ..Settings::default() };
    let options = Options {
        races: wants(args, PredictKind::Races),
        deadlocks: wants(args, PredictKind::Deadlocks),
        orders: wants(args, PredictKind::Orders),
        decisions: wants(args, PredictKind::Decisions),
        atomicity: wants(args, PredictKind::Atomicity),
        lines: args.lines,
        declared: declared(args)?,
        steps: steps(args),
        rounds: args.rounds,
        keep_spurious: args.keep_spurious.is_some(),
    };
    let mut observer = ProgressLine::new(&args.output);
    let predicted = gordian_predict::predict_and_keep(program, test, options, &settings, &mut observer)?;
    drop(observer);
    if let Some(folder) = &args.keep_spurious {
        saved::keep_spurious(folder, &predicted.spurious)?;
    }
    conclude(&predicted.outcome, test, &args.out, &args.output)
}

/// Events times threads of a trace of another recorder.
const MOST_CLOCKS: usize = 400_000_000;

/// Predicts from a trace without values. Nothing of it can be replayed.
fn from_foreign(args: &PredictArgs, trace: &Trace) -> anyhow::Result<u8> {
    let options = ForeignOptions {
        races: wants(args, PredictKind::Races),
        deadlocks: wants(args, PredictKind::Deadlocks),
        fast: true,
        regions: args.regions.as_ref().is_some_and(|regions| regions.as_os_str() == BEGIN_END),
    };
    if args.regions.is_some() && !options.regions {
        bail!(
            "a trace of another recorder has no lines to declare regions by; `--regions begin-end` takes those that it marks"
        );
    }
    // Vector clocks of all events.
    if trace.events.len().saturating_mul(trace.threads.len()) > MOST_CLOCKS {
        bail!(
            "the trace has {} events of {} threads, which is more than gordian keeps clocks for",
            trace.events.len(),
            trace.threads.len()
        );
    }
    let prediction = predict_foreign(trace, options);
    let findings: Vec<Finding> = prediction.found.iter().map(|found| finding(trace, found)).collect();
    let mut summary = summary(trace, &prediction);
    summary.prediction.iter_mut().for_each(|prediction| prediction.sum_up(findings.iter()));
    let reported = findings.iter().map(|finding| Reported { finding, test: None, trace: &[], inputs: &[] }).collect();
    print_report(&Report { summary: &summary, findings: reported }, &args.output)?;
    Ok(exit_code::INCONCLUSIVE)
}

fn finding(trace: &Trace, found: &Predicted) -> Finding {
    let place = |&event: &u32| {
        let event = &trace.events[event as usize];
        let at = trace.place(event);
        let what = match found.kind {
            FindingKind::Deadlock => format!("acquires {}", trace.lock_name(event.address)),
            _ => {
                let writes = event.kind == gordian_tracefile::Kind::Op(gordian_trace::OpKind::Write);
                let verb = if writes { "writes" } else { "reads" };
                format!("{verb} {}", trace.variable_name(event.address))
            }
        };
        let thread = ThreadName { number: event.thread, function: trace.thread_name(event.thread) };
        Place { file: at.file, line: at.line, column: at.column, function: at.function, thread, what }
    };
    let places: Vec<Place> = found.events.iter().map(place).collect();
    let numbers: Vec<String> = found.events.iter().map(|event| (event + 1).to_string()).collect();
    let message = match found.kind {
        FindingKind::Deadlock => format!("{} threads can block each other", places.len()),
        FindingKind::Atomicity => "another thread can come between steps that the trace marks as one".to_owned(),
        _ => "two accesses can come next to each other, unsynchronised".to_owned(),
    };
    let notes =
        vec![format!("not replayed: events {} of the trace, found by the {}", numbers.join(", "), found.by.name())];
    Finding { kind: found.kind, message, places, notes }
}

fn summary(trace: &Trace, prediction: &Prediction) -> Summary {
    let count = |kind: FindingKind| prediction.found.iter().filter(|found| found.kind == kind).count();
    let check = |what: &str, candidates: usize, kind: FindingKind| CheckSummary {
        what: what.to_owned(),
        candidates,
        predicted: count(kind),
        ..CheckSummary::default()
    };
    let mut checks = vec![
        check("circles of locks", prediction.n_circles, FindingKind::Deadlock),
        check("races", prediction.n_race_pairs, FindingKind::DataRace),
    ];
    (checks[0].undecided, checks[1].undecided) = (prediction.n_open_circles, prediction.n_open);
    if prediction.n_regions > 0 {
        let mut marked = check("marked regions", prediction.n_regions, FindingKind::Atomicity);
        marked.undecided = prediction.n_open_regions;
        checks.push(marked);
    }
    let hit = vec![Bound::Reorderings];
    let bounds = Bounds { max_steps: 0, preemptions: None, unroll: None, rounds: None, interferences: None, hit };
    Summary {
        verdict: Verdict::Bounded,
        stop: Stop::Exhausted,
        bounds,
        exploration: Exploration {
            strategy: gordian_predict::NAME.to_owned(),
            guarantee: "reads take their write of the run, unless they are the last event of their thread".to_owned(),
        },
        executions: 0,
        blocked: 0,
        steps: trace.events.len() as u64,
        symbolic_inputs: false,
        solver_queries: 0,
        notes: trace.notes.clone(),
        coverage: None,
        solver: None,
        interference: None,
        prediction: Some(PredictionSummary {
            events: prediction.n_events,
            threads: prediction.n_threads as usize,
            transitions: prediction.n_events,
            checks,
            order_queries: prediction.questions,
            lines: prediction.lines,
            regions: RegionSummary {
                declared: prediction.n_regions,
                violated: count(FindingKind::Atomicity),
                undecided: prediction.n_open_regions,
                ..RegionSummary::default()
            },
            ..PredictionSummary::default()
        }),
    }
}
