//! `exhaustive` against brute force.

mod common;

use common::{Recording, brute_force, programs, random_program, search};
use gordian_base::Rng;
use gordian_engine::toy::{Op, Toy, template};
use gordian_engine::{Cost, Observer, Progress, Settings, Silent, Strategy, check, replay, shrink};
use gordian_strategies::Exhaustive;
use gordian_trace::{Bound, Stop, Verdict};

#[test]
fn two_independent_threads_have_binomially_many_schedules() {
    // C(2n, n) for n = 1..=6.
    for (n, expected) in [(1, 2), (2, 6), (3, 20), (4, 70), (5, 252), (6, 924)] {
        let (left, right) = (vec![Op::Read(0); n], vec![Op::Read(1); n]);
        let outcome = search(&Toy::new(&[&left, &right]), &mut Exhaustive::default(), &Settings::default());
        assert_eq!(outcome.summary.executions, expected);
        assert_eq!((outcome.summary.verdict, outcome.summary.stop), (Verdict::Safe, Stop::Exhausted));
    }
}

#[test]
fn it_executes_exactly_the_schedules_of_brute_force() {
    for toy in programs() {
        let mut strategy = Recording::new(Exhaustive::default());
        let outcome = search(&toy, &mut strategy, &Settings::default());
        assert_eq!(strategy.set(), brute_force(&toy, None));
        assert_eq!(outcome.summary.executions + outcome.summary.blocked, strategy.schedules.len() as u64);
        assert_eq!(outcome.summary.stop, Stop::Exhausted);
        assert_eq!(strategy.inner.done(), Some(0.0), "nothing is left on the path");
    }
}

#[test]
fn within_a_preemption_bound_too() {
    for toy in programs() {
        let all = brute_force(&toy, None);
        for bound in 0..4 {
            let settings = Settings { preemptions: Some(bound), ..Settings::default() };
            let mut strategy = Recording::new(Exhaustive::default());
            let outcome = search(&toy, &mut strategy, &settings);
            let expected = brute_force(&toy, Some(bound));
            if strategy.schedules.is_empty() {
                // Without a choice the strategy is never asked.
                assert_eq!((expected.len(), outcome.summary.executions), (1, 1));
            } else {
                assert_eq!(strategy.set(), expected);
            }
            // The bound is hit exactly if it cut something off.
            let hit = outcome.summary.bounds.hit.contains(&Bound::Preemptions);
            assert_eq!(hit, expected.len() < all.len());
            if outcome.findings.is_empty() {
                assert_eq!(outcome.summary.verdict, if hit { Verdict::Bounded } else { Verdict::Safe });
            }
        }
    }
}

#[test]
fn the_prefix_before_the_first_choice_runs_once() {
    let toy = Toy::new(&[&[Op::Read(0), Op::Read(0), Op::Read(0), Op::Create(1), Op::Read(0)], &[Op::Read(0)]]);
    let outcome = search(&toy, &mut Exhaustive::default(), &Settings::default());
    assert_eq!((outcome.summary.executions, outcome.summary.steps), (2, 2 * 6));
    // Four steps, then two orders of two steps.
    assert_eq!(toy.steps_made(), 4 + 2 * 2);
    assert_eq!(toy.started(), 1);
}

#[test]
fn the_estimate_of_what_is_done_only_grows() {
    #[derive(Default)]
    struct Watch(Vec<f64>, u64);
    impl Observer for Watch {
        fn progress(&mut self, progress: &Progress) {
            self.0.push(progress.done.expect("exhaustive estimates"));
            self.1 = progress.executions;
        }
    }
    let ops = [Op::Read(0); 11];
    let toy = Toy::new(&[&ops, &ops]);
    let mut watch = Watch::default();
    let outcome = check(&toy, &template(), &mut Exhaustive::default(), &Settings::default(), &mut watch).unwrap();
    assert_eq!(outcome.summary.executions, 705_432);
    assert!(watch.0.is_sorted());
    assert!(watch.0.iter().all(|done| (0.0..=1.0).contains(done)));
    assert!(watch.1 <= outcome.summary.executions);
}

#[test]
fn random_programs_agree_with_brute_force_and_their_findings_replay() {
    let mut rng = Rng::new(1);
    for _ in 0..300 {
        let toy = random_program(&mut rng);
        for preemptions in [None, Some(rng.below(3) as u32)] {
            let mut strategy = Recording::new(Exhaustive::default());
            let outcome = search(&toy, &mut strategy, &Settings { preemptions, ..Settings::default() });
            let expected = brute_force(&toy, preemptions);
            assert_eq!(outcome.summary.executions + outcome.summary.blocked, expected.len() as u64);
            if outcome.summary.executions + outcome.summary.blocked > 1 {
                assert_eq!(strategy.set(), expected);
            }
            for found in &outcome.findings {
                let replayed = replay(&toy, &found.test).unwrap();
                assert!(replayed.divergence.is_none() && replayed.as_claimed);
                let shrunk = shrink(&toy, &found.test, &mut Silent).unwrap();
                assert!(Cost::of(&shrunk.schedule.0) <= Cost::of(&found.test.schedule.0));
                assert!(replay(&toy, &shrunk).unwrap().as_claimed);
            }
        }
    }
}
