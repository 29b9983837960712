//! Waiting loops, exits and rounds, against the graph of all states: what a search with awaits, delayed exits and bounded rounds comes to is what the program can come to.
//!
//! `GORDIAN_SEED` and `GORDIAN_CASES` choose other programs.

#[path = "../common/c_programs.rs"]
#[allow(dead_code, reason = "only programs are loaded")]
mod c_programs;
mod generator;
mod graph;

use gordian_base::Rng;
use gordian_engine::toy::template;
use gordian_engine::{Capabilities, Ended, Next, Outcome, Point, Settings, Silent, Strategy, check};
use gordian_ir::Program;
use gordian_strategies::{Parameters, by_name};
use gordian_trace::{Bound, Exploration, OpKind, Stop, Test};
use graph::{Outcomes, name, outcomes};
use std::collections::BTreeSet;
use std::path::Path;

/// States of a program that is compared.
const MOST_STATES: usize = 60_000;
const MOST_STATES_OF_A_FILE: usize = 10_000;
/// Executions of a search that is compared.
const MOST_EXECUTIONS: u64 = 40_000;

/// Notes with which status executions end.
struct Statuses {
    inner: Box<dyn Strategy>,
    seen: BTreeSet<i32>,
}

impl Strategy for Statuses {
    fn exploration(&self) -> Exploration {
        self.inner.exploration()
    }
    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        self.inner.choose(point)
    }
    fn next(&mut self, ended: &Ended<'_>) -> Next {
        let exit = ended.events.iter().find(|event| event.kind == OpKind::ProcessExit);
        self.seen.extend(exit.map(|event| event.value as u32 as i32));
        self.inner.next(ended)
    }
    fn notes(&self) -> Vec<String> {
        self.inner.notes()
    }
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }
}

/// What a search with everything switched on comes to, and whether it hit no bound.
fn search(program: &Program, strategy: &str) -> Option<(Outcomes, bool)> {
    let mut test = template();
    let machine = &mut test.machine;
    (machine.awaits, machine.net_effect, machine.private_reads) = (true, true, true);
    (machine.delayed_exits, machine.rounds) = (true, Some(0));
    loop {
        let (outcome, statuses) = search_once(program, strategy, &test);
        if let Some(objection) = outcome.objection {
            test.machine = test.machine.after(objection);
            continue;
        }
        let is_exact = outcome.summary.bounds.hit.is_empty();
        let is_whole = is_exact || outcome.summary.bounds.hit == [Bound::Rounds];
        if !is_whole || !matches!(outcome.summary.stop, Stop::Exhausted | Stop::CutOff | Stop::NoEnd(_)) {
            return None;
        }
        if !is_exact && test.machine.rounds < Some(4) {
            test.machine.rounds = test.machine.rounds.map(|rounds| 2 * rounds);
            continue;
        }
        let findings = outcome.findings.iter().map(|found| name(found.finding.kind, &found.finding.message));
        let mut found = Outcomes { statuses, findings: findings.collect(), livelock: false };
        let livelocks: Vec<String> =
            found.findings.iter().filter(|name| name.starts_with("livelock")).cloned().collect();
        found.livelock = !livelocks.is_empty();
        livelocks.iter().for_each(|name| {
            found.findings.remove(name);
        });
        return Some((found, is_exact));
    }
}

fn search_once(program: &Program, strategy: &str, test: &Test) -> (Outcome, BTreeSet<i32>) {
    let inner = by_name(strategy, &Parameters::default()).expect("there is such a strategy");
    let mut strategy = Statuses { inner, seen: BTreeSet::new() };
    let mut settings = Settings::default();
    settings.budget.runs = Some(MOST_EXECUTIONS);
    let outcome = check(program, test, &mut strategy, &settings, &mut Silent).expect("the program can be set up");
    (outcome, strategy.seen)
}

fn load(text: &str, name: &str) -> Program {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("waits-{name}.c"));
    std::fs::write(&file, text).expect("the program can be written");
    c_programs::load(&file, Vec::new())
}

/// Compares one program; gives whether there was anything to compare.
fn compare(text: &str, name_of_case: &str, strategies: &[&str]) -> bool {
    compare_program(&load(text, name_of_case), text, strategies, MOST_STATES)
}

fn compare_program(program: &Program, text: &str, strategies: &[&str], most_states: usize) -> bool {
    let Some(mut expected) = outcomes(program, &template(), most_states) else { return false };
    // A thread that is left alone loops within one step.
    expected.livelock |= expected.findings.iter().any(|name| name.starts_with("livelock"));
    // States are compared without the clocks of the race detector, so the graph has no say on races.
    let is_compared = |name: &String| !name.starts_with("livelock") && !name.starts_with("data-race");
    expected.findings.retain(is_compared);
    for strategy in strategies {
        let Some((mut found, is_exact)) = search(program, strategy) else { return false };
        found.findings.retain(is_compared);
        if is_exact {
            // An exit that waits for others does not come where one of them always fails.
            // A strategy that is never asked does not see the only execution.
            let is_unseen = found.statuses.is_empty() && *strategy == "exhaustive";
            let is_cut_short =
                is_unseen || !expected.findings.is_empty() && found.statuses.is_subset(&expected.statuses);
            assert!(
                is_cut_short || found.statuses == expected.statuses,
                "exit statuses of {strategy}: {found:?} {expected:?}\n{text}"
            );
            assert_eq!(found.findings, expected.findings, "findings of {strategy}:\n{text}");
            assert_eq!(found.livelock, expected.livelock, "livelocks of {strategy}:\n{text}");
        } else {
            assert!(
                found.statuses.is_subset(&expected.statuses),
                "exit statuses of {strategy}: {found:?} {expected:?}\n{text}"
            );
            assert!(
                found.findings.is_subset(&expected.findings),
                "findings of {strategy}: {found:?} {expected:?}\n{text}"
            );
        }
    }
    true
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Compares programs that `make` makes, of which most must be comparable.
fn compare_many(name: &str, cases: u64, strategies: &[&str], make: impl Fn(&mut Rng) -> String) {
    let (seed, cases) = (number("GORDIAN_SEED", 1), number("GORDIAN_CASES", cases));
    let mut compared = 0;
    for case in 0..cases {
        let text = make(&mut Rng::stream(seed, case));
        compared += u64::from(compare(&text, &format!("{name}-{seed}-{case}"), strategies));
    }
    println!("{compared} of {cases} programs were compared");
    assert!(2 * compared > cases, "only {compared} of {cases} programs were compared");
}

#[test]
fn searches_come_to_what_the_graph_of_states_has() {
    compare_many("loops", 60, &["dpor", "exhaustive", "dpor-classic"], generator::program);
}

#[test]
fn bounded_rounds_find_nothing_that_is_not_there() {
    compare_many("polling", 24, &["dpor"], |rng| {
        let text = generator::program(rng);
        let polling = generator::polling_statement(rng);
        text.replacen("    (void)e, (void)i;\n", &format!("    {polling}\n    (void)e, (void)i;\n"), 1)
    });
}

/// The programs of `tests/programs` that wait, or those in the folder that `GORDIAN_PROGRAMS` names.
#[test]
fn programs_that_wait_come_to_what_the_graph_of_states_has() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let folders = match std::env::var_os("GORDIAN_PROGRAMS") {
        Some(folder) => vec![folder.into()],
        None => vec![root.join("awaits"), root.join("livelock"), root.join("polling")],
    };
    let (mut compared, mut all) = (0, 0);
    for folder in folders {
        let entries = std::fs::read_dir(&folder).expect("the folder is there");
        let mut files: Vec<_> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
        files.sort();
        for file in files {
            let program = c_programs::load(&file, Vec::new());
            let name = file.display().to_string();
            let is_compared = compare_program(&program, &name, &["dpor"], MOST_STATES_OF_A_FILE);
            println!("{} {name}", if is_compared { "agrees:" } else { "too large:" });
            compared += usize::from(is_compared);
            all += 1;
        }
    }
    assert!(2 * compared > all, "only {compared} of {all} programs were compared");
}
