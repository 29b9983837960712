//! The schedule says everything: on a fresh machine it gives the same execution.

use crate::programs::{all, settings};
use crate::view::View;
use crate::walk::{follow, random_step, start};
use gordian_base::Rng;

const WALKS: u64 = 6;

#[test]
fn the_schedule_of_a_random_walk_replays() {
    for (nth, subject) in all().enumerate() {
        for walk in 0..WALKS {
            let mut rng = Rng::stream(1000 + nth as u64, walk);
            let test = subject.test(settings(&mut rng));
            let mut machine = start(subject.program, &test);
            while machine.end().is_none() {
                random_step(&mut machine, &mut rng);
            }
            let again = follow(subject.program, &test, &machine, machine.schedule());
            let context = format!("{} with {:?}", subject.name, test.machine);
            View::of(&machine).assert_same(&View::of(&again), &context);
        }
    }
}
