//! Each verdict, and why the search stopped.

use super::{First, crossed_locks, lost_update, search};
use crate::toy::{Op, Toy, template};
use crate::{Budget, Observer, Settings, Silent, check};
use gordian_trace::{Bound, Finding, FindingKind, Stop, Verdict};
use std::time::Duration;

#[test]
fn safe_is_said_only_of_an_exhausted_search_without_a_hit_bound() {
    let toy = Toy::new(&[&[Op::Read(0)], &[Op::Read(0)]]);
    let summary = search(&toy, &Settings::default()).summary;
    assert_eq!((summary.verdict, summary.stop, summary.executions), (Verdict::Safe, Stop::Exhausted, 2));
    assert_eq!(summary.bounds.hit, []);
}

#[test]
fn a_bug_comes_with_a_test_that_replays_it() {
    let outcome = search(&lost_update(), &Settings::default());
    assert_eq!(outcome.summary.verdict, Verdict::Bug);
    assert_eq!(outcome.summary.stop, Stop::Exhausted);
    let [found] = &*outcome.findings else { panic!("one finding, however many schedules reach it") };
    assert_eq!(found.finding.kind, FindingKind::Assertion);
    assert_eq!(found.test.finding.as_ref(), Some(&found.finding));
    assert_eq!(found.trace.len(), found.test.schedule.0.len());
    let replay = crate::replay(&lost_update(), &found.test).unwrap();
    assert!(replay.divergence.is_none() && replay.as_claimed);
}

#[test]
fn a_finding_is_sighted_once_and_reported_with_its_shortest_schedule() {
    #[derive(Default)]
    struct Sightings(Vec<FindingKind>);
    impl Observer for Sightings {
        fn sighted(&mut self, finding: &Finding) {
            self.0.push(finding.kind);
        }
    }
    let mut sightings = Sightings::default();
    let mut strategy = super::Backwards::default();
    let outcome = check(&crossed_locks(), &template(), &mut strategy, &Settings::default(), &mut sightings).unwrap();
    assert_eq!(sightings.0, [FindingKind::Deadlock]);
    // One takes its lock, then the other: one switch is the least.
    assert_eq!(outcome.findings[0].test.schedule.context_switches(), 1);
}

#[test]
fn findings_that_do_not_end_the_execution_are_cut_where_they_show() {
    let toy =
        Toy::new(&[&[Op::Read(1), Op::ReportIf(0, 0), Op::Read(1), Op::Read(1)], &[Op::Read(1), Op::Write(0, 1)]]);
    let outcome = search(&toy, &Settings::default());
    assert_eq!(outcome.findings.len(), 1);
    assert_eq!(outcome.findings[0].test.schedule.to_string(), "0*2");
    assert_eq!(outcome.summary.executions, 15);
}

#[test]
fn stopping_at_the_first_finding() {
    let all = search(&lost_update(), &Settings::default()).summary;
    let settings = Settings { stop_at_first: true, ..Settings::default() };
    let summary = search(&lost_update(), &settings).summary;
    assert_eq!((summary.verdict, summary.stop), (Verdict::Bug, Stop::FirstFinding));
    assert!(summary.executions < all.executions);
}

#[test]
fn what_does_not_replay_is_no_bug() {
    let toy = Toy::new(&[&[Op::Read(0), Op::FailOnce], &[Op::Read(0)]]);
    let outcome = search(&toy, &Settings::default());
    assert!(outcome.findings.is_empty());
    assert_eq!(outcome.summary.verdict, Verdict::Inconclusive);
    let Stop::Unconfirmed(sentence) = outcome.summary.stop else { panic!("{}", outcome.summary.stop) };
    assert!(sentence.starts_with("abort at toy:0, the toy is broken"), "{sentence}");

    // A bug beside it is a bug all the same, and the doubt is not hidden.
    let toy = Toy::new(&[&[Op::ReportIf(0, 0), Op::FailOnce], &[Op::Read(0)]]);
    let outcome = search(&toy, &Settings::default());
    assert_eq!((outcome.summary.verdict, outcome.findings.len()), (Verdict::Bug, 1));
    assert!(matches!(outcome.summary.stop, Stop::Unconfirmed(_)));
}

#[test]
fn unsupported_is_never_success() {
    // Only one of the two orders reaches it.
    let ops: &[Op] = &[Op::Write(0, 1)];
    let toy = Toy::new(&[ops, &[Op::Assume(0, 1), Op::Unsupported]]);
    let summary = search(&toy, &Settings::default()).summary;
    assert_eq!(summary.verdict, Verdict::Inconclusive);
    assert_eq!(summary.stop, Stop::Unsupported("no toy does this".to_owned()));

    // With a finding the search goes on, but does not claim to have seen everything.
    let toy = Toy::new(&[ops, &[Op::Assume(0, 1), Op::ReportIf(0, 1), Op::Unsupported]]);
    let summary = search(&toy, &Settings::default()).summary;
    assert_eq!((summary.verdict, summary.executions), (Verdict::Bug, 0));
    assert!(matches!(summary.stop, Stop::Unsupported(_)));
}

#[test]
fn dropped_and_bounded_executions_are_blocked() {
    let toy = Toy::new(&[&[Op::Write(0, 1)], &[Op::Assume(0, 1)]]);
    let summary = search(&toy, &Settings::default()).summary;
    assert_eq!((summary.verdict, summary.executions, summary.blocked), (Verdict::Safe, 1, 1));

    let toy = Toy::new(&[&[Op::Assume(0, 1)], &[Op::Assume(0, 1)]]);
    let summary = search(&toy, &Settings::default()).summary;
    assert_eq!((summary.verdict, summary.executions, summary.blocked), (Verdict::Safe, 0, 2));
    assert_eq!(summary.notes, ["no execution ran to completion: each was blocked by an assumption"]);

    let toy = Toy::new(&[&[Op::LoopWhile(0, 0, 0)]]);
    let mut template = template();
    template.machine.max_steps = 50;
    let summary = check(&toy, &template, &mut First, &Settings::default(), &mut Silent).unwrap().summary;
    assert_eq!((summary.verdict, summary.executions, summary.blocked), (Verdict::Inconclusive, 0, 1));
    assert!(matches!(summary.stop, Stop::NoEnd(_)), "no execution has come to its end");
    assert_eq!((summary.bounds.hit, summary.steps), (vec![Bound::Steps], 50));
}

#[test]
fn budgets_bound_and_interrupts_decide_nothing() {
    let ops = [Op::Read(0); 12];
    let toy = Toy::new(&[&ops, &ops]);
    let with = |budget| Settings { budget, ..Settings::default() };

    let summary = search(&toy, &with(Budget { runs: Some(100), time: None })).summary;
    assert_eq!((summary.verdict, summary.stop, summary.executions), (Verdict::Bounded, Stop::Runs, 100));

    let summary = search(&toy, &with(Budget { runs: None, time: Some(Duration::ZERO) })).summary;
    assert_eq!((summary.verdict, summary.stop), (Verdict::Bounded, Stop::Time));

    let settings = Settings::default();
    assert!(settings.signal.interrupt());
    assert!(!settings.signal.end_for_memory(), "what was said first counts");
    let summary = search(&toy, &settings).summary;
    assert_eq!((summary.verdict, summary.stop), (Verdict::Inconclusive, Stop::Interrupted));

    let settings = Settings::default();
    assert!(settings.signal.end_for_memory());
    let summary = search(&toy, &settings).summary;
    assert_eq!((summary.verdict, summary.stop), (Verdict::Bounded, Stop::Memory));
}

#[test]
fn progress_of_sampling_is_counted_in_runs() {
    #[derive(Default)]
    struct Watch(Vec<f64>);
    impl Observer for Watch {
        fn progress(&mut self, progress: &crate::Progress) {
            self.0.extend(progress.done);
        }
    }
    let ops = [Op::Read(0); 12];
    let mut watch = Watch::default();
    let budget = Budget { runs: Some(300_000), time: None };
    let settings = Settings { budget, ..Settings::default() };
    check(&Toy::new(&[&ops, &ops]), &template(), &mut First, &settings, &mut watch).unwrap();
    assert!(watch.0.is_sorted() && watch.0.iter().all(|done| (0.0..=1.0).contains(done)));
}

#[test]
fn a_strategy_that_goes_back_to_nowhere_is_an_internal_error() {
    struct Lost;
    impl crate::Strategy for Lost {
        fn exploration(&self) -> gordian_trace::Exploration {
            gordian_trace::Exploration::default()
        }
        fn choose(&mut self, _point: &crate::Point<'_>) -> Option<usize> {
            Some(0)
        }
        fn next(&mut self, _ended: &crate::Ended<'_>) -> crate::Next {
            crate::Next::Backtrack(7)
        }
    }
    let toy = Toy::new(&[&[Op::Read(0)], &[Op::Read(0)]]);
    let outcome = check(&toy, &template(), &mut Lost, &Settings::default(), &mut Silent).expect("toys start");
    let stop = outcome.summary.stop.to_string();
    assert!(stop.starts_with("internal error") && stop.contains("never passed"), "{stop}");
}
