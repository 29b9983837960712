//! Shrinking reaches the least number of context switches, wherever it starts.

use super::{all_failing, crossed_locks, lost_update, test_with};
use crate::toy::{Op, Toy};
use crate::{Cost, Effort, EngineError, Silent, replay, shrink, shrink_within};
use gordian_trace::Test;

fn switches(test: &Test) -> usize {
    test.schedule.context_switches()
}

/// Shrinks every failing schedule, checks that the result still fails, and compares with the best of all.
fn reaches_the_minimum(toy: &Toy, expected_switches: usize) {
    let failing = all_failing(toy);
    assert!(failing.len() > 1);
    let key = failing[0].finding.as_ref().unwrap().key();
    let of_key = || failing.iter().filter(|test| test.finding.as_ref().unwrap().key() == key);
    assert_eq!(of_key().map(switches).min(), Some(expected_switches));
    for test in of_key() {
        let shrunk = shrink(toy, test, &mut Silent).unwrap();
        let replayed = replay(toy, &shrunk).unwrap();
        assert!(replayed.divergence.is_none() && replayed.as_claimed);
        assert!(Cost::of(&shrunk.schedule.0) <= Cost::of(&test.schedule.0));
        assert_eq!(switches(&shrunk), expected_switches, "{} became {}", test.schedule, shrunk.schedule);
        assert_eq!(shrink(toy, &shrunk, &mut Silent).unwrap(), shrunk, "shrinking again changes nothing");
    }
}

#[test]
fn of_a_lost_update() {
    // Main, one reads, the other updates, the first stores, main.
    reaches_the_minimum(&lost_update(), 4);
}

#[test]
fn of_a_deadlock() {
    reaches_the_minimum(&crossed_locks(), 1);
}

#[test]
fn of_an_order_violation_among_noise() {
    // The bug needs the second thread alone; the others are noise.
    let noise = [Op::Read(1); 3];
    let toy = Toy::new(&[&[Op::Read(1), Op::Write(0, 1)], &[Op::Read(1), Op::FailIf(0, 0)], &noise]);
    reaches_the_minimum(&toy, 0);
}

#[test]
fn of_an_atomicity_violation() {
    let toy = Toy::new(&[
        &[Op::Read(1), Op::Write(0, 1), Op::Write(0, 0), Op::Read(1)],
        &[Op::Read(1), Op::FailIf(0, 1)],
        &[Op::Read(2)],
    ]);
    reaches_the_minimum(&toy, 1);
}

#[test]
fn unusual_variants_are_removed_where_the_bug_does_not_need_them() {
    let toy = Toy::new(&[&[Op::Pick(3), Op::Read(1), Op::Pick(2), Op::Store(0, 0), Op::FailIf(0, 1)], &[Op::Read(1)]]);
    for test in all_failing(&toy) {
        let shrunk = shrink(&toy, &test, &mut Silent).unwrap();
        assert_eq!(shrunk.schedule.to_string(), "0*2 0.1 0*2");
    }
}

#[test]
fn a_finding_that_does_not_end_the_execution_is_kept() {
    let toy =
        Toy::new(&[&[Op::Read(1), Op::Write(0, 1), Op::Write(0, 0)], &[Op::Read(1), Op::ReportIf(0, 1), Op::Read(1)]]);
    reaches_the_minimum(&toy, 1);
}

#[test]
fn without_a_claim_the_failure_is_kept() {
    let shrunk = shrink(&lost_update(), &test_with("0*2 1 2 1 2", None), &mut Silent).unwrap();
    assert_eq!(switches(&shrunk), 4);
    let error = shrink(&lost_update(), &test_with("", None), &mut Silent).unwrap_err();
    assert_eq!(error.to_string(), "the test shows no finding, so there is nothing to shrink");
    let error = shrink(&lost_update(), &test_with("1", None), &mut Silent).unwrap_err();
    assert!(matches!(error, EngineError::Diverged(_)), "{error}");
}

#[test]
fn effort_is_counted_and_may_be_none() {
    let test = test_with("0*2 1 2 1 2", None);
    let none = Effort { attempts: 0, steps: 0 };
    let kept = shrink_within(&lost_update(), &test, none, &mut Silent).unwrap();
    assert_eq!(kept.schedule.to_string(), "0*2 1 2 1 2 0*3");
}
