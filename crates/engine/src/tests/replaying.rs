//! The default schedule, and following one to the letter.

use super::{crossed_locks, lost_update, test_with};
use crate::toy::{Op, Toy, template};
use crate::{Divergence, End, replay, run};
use gordian_base::ThreadId;
use gordian_trace::{Choice, FindingKind};

fn default_schedule(toy: &Toy) -> String {
    run(toy, &template(), false).unwrap().test.schedule.to_string()
}

#[test]
fn by_default_a_thread_runs_until_it_blocks() {
    assert_eq!(default_schedule(&lost_update()), "0*2 1*2 2*2 0*3");
    // A yield hands over in a circle: with the lowest number first, the third thread would never come.
    let spin: &[Op] = &[Op::Yield, Op::LoopWhile(0, 0, 0)];
    let toy = Toy::new(&[spin, spin, &[Op::Write(0, 1)]]);
    assert_eq!(default_schedule(&toy), "0 1 2 0 1");
    // A time-out happens only when nothing else can.
    let toy = Toy::new(&[&[Op::Timeout], &[Op::Read(0), Op::Pick(2)]]);
    assert_eq!(default_schedule(&toy), "1*2 0.1");
}

#[test]
fn a_run_reports_confirmed_findings_with_their_own_schedules() {
    let toy = Toy::new(&[&[Op::Read(0), Op::ReportIf(0, 0), Op::Read(0), Op::FailIf(0, 0), Op::Read(0)]]);
    let outcome = run(&toy, &template(), false).unwrap();
    assert_eq!((outcome.end, outcome.steps), (End::Failed, 4));
    let kinds: Vec<_> = outcome.findings.iter().map(|found| found.finding.kind).collect();
    assert_eq!(kinds, [FindingKind::DataRace, FindingKind::Assertion]);
    let lengths: Vec<_> = outcome.findings.iter().map(|found| found.test.schedule.0.len()).collect();
    assert_eq!(lengths, [2, 4]);

    let outcome = run(&Toy::new(&[&[Op::FailOnce]]), &template(), false).unwrap();
    assert!(outcome.findings.is_empty());
    assert_eq!(outcome.unconfirmed.len(), 1);
}

#[test]
fn a_replay_follows_the_schedule_and_then_the_default() {
    let replayed = replay(&lost_update(), &test_with("0*2 1 2", None)).unwrap();
    assert_eq!((replayed.divergence, replayed.end), (None, Some(End::Failed)));
    assert_eq!(replayed.findings.len(), 1);
    assert_eq!(replayed.trace.len(), 9);
    assert!(replayed.as_claimed);

    // By the default schedule alone nothing is lost.
    let claim = Some(replayed.findings[0].clone());
    let replayed = replay(&lost_update(), &test_with("0*2", claim)).unwrap();
    assert_eq!(replayed.end, Some(End::Exit(0)));
    assert!(!replayed.as_claimed);
}

#[test]
fn a_replay_says_where_it_could_not_follow() {
    // After both took a lock nobody can go on.
    let replayed = replay(&crossed_locks(), &test_with("0*2 1*2 0", None)).unwrap();
    let divergence = replayed.divergence.unwrap();
    assert_eq!(divergence.to_string(), "step 4 is to be made by T0, but the execution had ended");
    assert_eq!(replayed.end, Some(End::Failed));

    // The second waits for the lock.
    let replayed = replay(&crossed_locks(), &test_with("0*3 1*2", None)).unwrap();
    let wanted = Choice::of(ThreadId(1));
    let possible = vec![Choice::of(ThreadId(0))];
    assert_eq!(replayed.divergence, Some(Divergence { step: 4, wanted, possible }));
    assert_eq!(replayed.end, None);
    assert_eq!(replayed.trace.len(), 4);

    let replayed = replay(&crossed_locks(), &test_with("0 7.3", None)).unwrap();
    let sentence = "step 1 is to be made by T7 in variant 3, but only T0, T1 can go on";
    assert_eq!(replayed.divergence.unwrap().to_string(), sentence);
}
