//! The examples of the thesis that value schedules come from (Huang 2009).

use gordian_analysis::{Analysis, Budget, Filters};
use gordian_engine::{Outcome, Settings, Silent, check};
use gordian_ir::Program;
use gordian_strategies::Dpor;
use gordian_trace::{RaceMode, Stop, Test, Verdict};
use gordian_value_schedule::{Focus, FocusError, Guide, Options, ValueSchedule, ordered_pairs};
use std::path::{Path, PathBuf};

fn path(program: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/pairs").join(program)
}

fn read(program: &str) -> Program {
    gordian_frontend::load(&[path(program)], &Default::default()).expect("it compiles")
}

fn template() -> Test {
    let mut test = gordian_engine::toy::template();
    test.machine.races = RaceMode::Ignore;
    test
}

/// The first line of a program that contains the text.
fn line(program: &str, text: &str) -> usize {
    let source = std::fs::read_to_string(path(program)).expect("it is there");
    1 + source.lines().position(|line| line.contains(text)).expect("it has such a line")
}

fn focus(text: &str) -> Focus {
    text.parse().expect("a place")
}

/// What the strategy did, and what it tried out of order: fulfilled, inaccessible, blocked.
fn search(program: &str, focus: Option<&Focus>, options: Options) -> (Outcome, [u64; 3]) {
    let program = read(program);
    let analysis = Analysis::of(&program, Budget::default()).expect("it has a main function");
    let guide = Guide::new(&analysis, Filters::default(), focus).expect("the focus is met");
    let mut strategy = ValueSchedule::new(guide, options);
    let outcome = check(&program, &template(), &mut strategy, &Settings::default(), &mut Silent).expect("it starts");
    let counts = strategy.counts();
    (outcome, [counts.fulfilled, counts.inaccessible, counts.blocked])
}

/// Figures 3.1, 5.1, 5.18, 5.20, 6.2, 6.9, 6.10 and 2.7: as many executions as there are traces.
#[test]
fn there_are_as_many_schedules_as_traces() {
    let programs = [
        ("four_variables.c", 4),
        ("two_accounts.c", 9),
        ("accounts_and_third.c", 60),
        ("two_readers.c", 4),
        ("one_account.c", 4),
        ("trigger_twice.c", 9),
        ("partner_twice.c", 34),
        ("vanishing_access.c", 3),
    ];
    for (program, n) in programs {
        let (outcome, _) = search(program, None, Options::default());
        assert_eq!((outcome.summary.executions, outcome.summary.stop), (n, Stop::Exhausted), "{program}");
    }
}

/// Figure 5.1 with the focus on the first thread's write. It is the trigger of three orders: after the read of the second thread (schedule 5.9), after its
/// write (the one behind 5.5), and after the write in the branch (5.11), which is never taken. As the write cannot come twice, further instances are inaccessible.
#[test]
fn a_focus_tries_all_orders_around_an_access() {
    let place = format!("two_accounts.c:{},write,t1", line("two_accounts.c", "X.val += amt"));
    let options = Options { priorities: false, ..Options::default() };
    let (outcome, [fulfilled, inaccessible, blocked]) = search("two_accounts.c", Some(&focus(&place)), options);
    assert_eq!(outcome.summary.verdict, Verdict::Bug);
    assert!(fulfilled >= 2, "5.9 and the one behind 5.5 are possible: {fulfilled}");
    assert!(inaccessible >= 1, "5.11 is not: {inaccessible}");
    assert_eq!(blocked, 0);
}

#[test]
fn a_focus_without_access_names_the_nearest_lines() {
    let program = read("two_accounts.c");
    let analysis = Analysis::of(&program, Budget::default()).expect("it has a main function");
    let error = Guide::new(&analysis, Filters::default(), Some(&focus("two_accounts.c:1"))).err();
    let Some(FocusError::Nothing { nearest, .. }) = error else { panic!("there is nothing in line 1") };
    assert!(nearest.contains(&line("two_accounts.c", "X.val += amt").to_string()), "{nearest}");
}

/// Figure 3.1: one report, the division by zero, which one ordered pair leads to.
#[test]
fn findings_have_ordered_pairs() {
    let (outcome, _) = search("four_variables.c", None, Options::default());
    let [found] = &outcome.findings[..] else { panic!("there is one finding") };
    let pairs = ordered_pairs(&read("four_variables.c"), &found.test).expect("it starts");
    assert!(pairs.iter().any(|pair| pair.contains("→def") && pair.contains("v4.val")), "{pairs:?}");
}

/// Figure 5.1 with static facts: reads of `amt`, what is under `Y.m`, and `X.m`, which one thread takes, need no scheduling points. Each execution has 21 steps, of which 11
/// are such: four reads of `amt`, the accesses to `Y.val`, two by the first thread and three by the second, and two operations on `X.m`.
#[test]
fn facts_save_steps() {
    let program = read("two_accounts.c");
    let analysis = Analysis::of(&program, Budget::default()).expect("it has a main function");
    let proved = Program { invisible: analysis.invisible(), ..program.clone() };
    let steps = |facts: bool| {
        let mut test = template();
        test.machine.facts = facts;
        let mut strategy = Dpor::default();
        let outcome = check(&proved, &test, &mut strategy, &Settings::default(), &mut Silent).expect("it starts");
        assert_eq!((outcome.summary.executions, outcome.findings.len()), (9, 1));
        outcome.summary.steps
    };
    assert_eq!([steps(false), steps(true)], [189, 90]);
}
