//! Reports of made-up findings against files. `GORDIAN_BLESS=1 cargo test -p gordian-report` rewrites them.

use gordian_report::{Detail, Report, Reported, Sources, Style, document, finding, report};
use gordian_trace::{
    Bound, Bounds, Exploration, Finding, FindingKind, InputValue, Place, SolverLayer, SolverSummary, Step, StepForm,
    Stop, Summary, ThreadName, Verdict,
};
use std::path::{Path, PathBuf};

const BANK: &str = "\
#include <pthread.h>

static int balance;
static pthread_mutex_t a, b;

static void *deposit(void *arg)
{
\tint seen = balance;
\tbalance = seen + *(int *)arg;
\treturn NULL;
}

static void *transfer(void *arg)
{
    pthread_mutex_lock(&a); pthread_mutex_lock(&b); /* a long line: the remark on the right of it does not fit on the page */
    return arg;
}
";

fn sources() -> Sources {
    Sources::in_memory([("bank.c", BANK), ("ledger.c", "int open_ledger(void) { return 1; }\n")])
}

fn thread(number: u32, function: &str) -> ThreadName {
    ThreadName { number, function: function.into() }
}

fn place(line: u32, column: u32, thread: ThreadName, what: &str) -> Place {
    Place { file: "bank.c".into(), line, column, function: thread.function.clone(), thread, what: what.into() }
}

fn step(index: usize, form: StepForm, place: Place) -> Step {
    Step { index, thread: place.thread.clone(), form, place }
}

fn race() -> (Finding, Vec<Step>) {
    let (main, t1, t2) = (thread(0, "main"), thread(1, "deposit"), thread(2, "deposit"));
    let finding = Finding {
        kind: FindingKind::DataRace,
        message: "two threads access `balance` and nothing orders the accesses".into(),
        places: vec![
            place(9, 10, t2.clone(), "writes balance = 10"),
            place(8, 13, t1.clone(), "reads balance = 0"),
            Place { file: "gone.c".into(), line: 3, column: 1, ..place(0, 0, main.clone(), "creates T2 deposit") },
        ],
        notes: vec!["no lock is held at both places; T1 deposit holds none, and T2 deposit holds none either, so that any order of the two is possible".into()],
    };
    let trace = vec![
        step(0, StepForm::Life, place(0, 0, main.clone(), "creates T1 deposit")),
        step(1, StepForm::Life, place(0, 0, main, "creates T2 deposit")),
        step(2, StepForm::Access, place(8, 13, t1, "reads balance = 0")),
        step(3, StepForm::Access, place(8, 13, t2.clone(), "reads balance = 0")),
        step(
            4,
            StepForm::Failure,
            place(9, 10, t2, "writes balance = 10 in place of 0, which another thread has read"),
        ),
    ];
    (finding, trace)
}

fn deadlock(n_threads: u32) -> (Finding, Vec<Step>) {
    let threads: Vec<ThreadName> = (1..=n_threads).map(|number| thread(number, "transfer")).collect();
    let places = threads.iter().map(|thread| place(15, 29, thread.clone(), "waits for the mutex b")).collect();
    let mut trace = Vec::new();
    for round in 0..200 {
        for thread in &threads {
            let rows = if thread.number == 1 { 40 } else { 1 };
            for _ in 0..rows {
                trace.push(step(trace.len(), StepForm::Access, place(8, 13, thread.clone(), "reads balance = 0")));
            }
        }
        if round == 1 {
            break;
        }
    }
    for thread in &threads {
        trace.push(step(trace.len(), StepForm::Stuck, place(15, 29, thread.clone(), "waits for the mutex b")));
    }
    let mut ledger = place(1, 25, threads[0].clone(), "reads the ledger");
    ledger.file = "ledger.c".into();
    trace.insert(3, step(3, StepForm::Access, ledger));
    let finding = Finding {
        kind: FindingKind::Deadlock,
        message: "every thread waits for another".into(),
        places,
        notes: vec!["T1 transfer holds a\x1b[31m and wants b".into()],
    };
    (finding, trace)
}

fn inputs() -> Vec<InputValue> {
    let input = |nth, name: &str, bits, value, function: &str| InputValue {
        thread: nth / 2,
        nth,
        value,
        name: name.into(),
        bits,
        function: function.into(),
    };
    vec![
        input(0, "amount", 32, 0xffff_fff6, "gordian_int"),
        input(1, "", 8, 71, "__VERIFIER_nondet_char"),
        input(2, "stdin[0]", 8, 55, ""),
        input(3, "stdin[1]", 8, 10, ""),
    ]
}

fn summary(verdict: Verdict, stop: Stop) -> Summary {
    Summary {
        verdict,
        stop,
        bounds: Bounds {
            max_steps: 100_000,
            preemptions: Some(2),
            unroll: None,
            rounds: None,
            interferences: None,
            hit: vec![Bound::Sampling, Bound::Steps],
        },
        exploration: Exploration {
            strategy: "pct".into(),
            guarantee:
                "each run meets a bug of depth 2 with a probability of at least 1/48, for this many threads and steps"
                    .into(),
        },
        executions: 12_345,
        blocked: 3,
        steps: 1_234_567,
        symbolic_inputs: false,
        solver_queries: 0,
        notes: vec!["2 threads were still running at exit".into()],
        coverage: None,
        solver: None,
        interference: None,
        prediction: None,
    }
}

fn compare(name: &str, actual: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("GORDIAN_BLESS").is_some() {
        std::fs::write(&path, actual).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == actual, "{name} differs; it is now:\n{actual}\nGORDIAN_BLESS=1 accepts it");
}

#[test]
fn a_whole_report() {
    let (race, race_trace) = race();
    let (deadlock, deadlock_trace) = deadlock(2);
    let summary = summary(Verdict::Bug, Stop::Runs);
    let inputs = inputs();
    let findings = vec![
        Reported {
            finding: &race,
            test: Some(Path::new("bank-data-race-1.gordian")),
            trace: &race_trace,
            inputs: &inputs,
        },
        Reported {
            finding: &deadlock,
            test: Some(Path::new("my tests/1.gordian")),
            trace: &deadlock_trace,
            inputs: &[],
        },
    ];
    let whole = Report { summary: &summary, findings };
    compare("bug.txt", &report(&whole, Detail::Short, &mut sources(), Style::PLAIN));
    compare("bug-colour.txt", &report(&whole, Detail::Short, &mut sources(), Style { colour: true, width: 80 }));
    compare("bug.json", &document(&whole, Detail::Short));
    compare("bug-no-trace.json", &document(&whole, Detail::None));
}

#[test]
fn many_threads_share_a_column() {
    let (deadlock, trace) = deadlock(7);
    let reported = Reported { finding: &deadlock, test: None, trace: &trace, inputs: &[] };
    compare("many-threads.txt", &finding(&reported, Detail::Short, &mut sources(), Style::PLAIN));
}

#[test]
fn a_narrow_terminal_shares_a_column() {
    let (race, trace) = race();
    let reported = Reported { finding: &race, test: None, trace: &trace, inputs: &[] };
    compare("narrow.txt", &finding(&reported, Detail::Full, &mut sources(), Style { colour: false, width: 60 }));
}

#[test]
fn the_other_verdicts() {
    let mut text = String::new();
    let mut json = String::new();
    let safe = Summary {
        bounds: Bounds {
            max_steps: 1000,
            preemptions: None,
            unroll: None,
            rounds: None,
            interferences: None,
            hit: vec![],
        },
        exploration: Exploration { strategy: "exhaustive".into(), guarantee: String::new() },
        executions: 1,
        blocked: 0,
        notes: vec![],
        ..summary(Verdict::Safe, Stop::Exhausted)
    };
    let layer = |name, queries, answered| SolverLayer { name, queries, answered };
    let for_all_inputs = Summary {
        symbolic_inputs: true,
        solver_queries: 1234,
        solver: Some(SolverSummary {
            paths: 8,
            most_orders: 6,
            queries: 1000,
            layers: vec![layer("fold", 1000, 10), layer("bits", 1200, 1200)],
            ..SolverSummary::default()
        }),
        ..safe.clone()
    };
    let unrolled = Summary {
        bounds: Bounds {
            max_steps: 1000,
            preemptions: None,
            unroll: Some(3),
            rounds: None,
            interferences: None,
            hit: vec![Bound::Unroll],
        },
        ..summary(Verdict::Bounded, Stop::Exhausted)
    };
    let unsupported = Stop::Unsupported("inline assembly at bank.c:9:3".into());
    let (bounded, inconclusive) = (summary(Verdict::Bounded, Stop::Time), summary(Verdict::Inconclusive, unsupported));
    for summary in [safe, for_all_inputs, unrolled, bounded, inconclusive] {
        let whole = Report { summary: &summary, findings: vec![] };
        text.push_str(&report(&whole, Detail::Short, &mut sources(), Style::PLAIN));
        text.push('\n');
        json.push_str(&document(&whole, Detail::Short));
    }
    compare("verdicts.txt", &text);
    compare("verdicts.json", &json);
}

#[test]
fn every_width_is_survived() {
    let (deadlock, trace) = deadlock(3);
    let reported = Reported { finding: &deadlock, test: None, trace: &trace, inputs: &[] };
    for width in 0..200 {
        let text = finding(&reported, Detail::Short, &mut sources(), Style { colour: false, width });
        let widest = text.lines().filter(|line| line.contains('│')).map(|line| line.chars().count()).max();
        assert!(width < 70 || widest.unwrap() <= width, "width {width}:\n{text}");
    }
}
