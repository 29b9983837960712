//! A machine whose threads park before everything, also what nobody else should be able to see, against the usual one: the same findings and
//! the same outcomes. What is private, who is alone and what a libc model touches is a matter of belief for all searches, which see only
//! where threads park.

use crate::brute::{Behaviours, Obstacle, brute_force};
use crate::compare::{Comparison, template};
use crate::form::Seen;
use crate::generator::Case;
use gordian_ir::Program;
use gordian_trace::Test;
use std::collections::BTreeSet;

/// Schedules of the usual machine, and of the one whose threads park everywhere.
const SCHEDULES: (u64, u64) = (300, 20_000);

pub fn compare_parking(program: &Program, case: &Case, nth: usize) -> Comparison {
    let mut test = template(case, nth);
    test.machine.max_steps = 3_000;
    let usual = brute_force(program, &test, SCHEDULES.0);
    match usual.obstacle {
        Some(obstacle) if obstacle != Obstacle::NoChoice => return Comparison::LeftOut(obstacle.name()),
        _ => {}
    }
    test.machine.parks_everywhere = true;
    let everywhere = brute_force(program, &Test { threads: usual.threads.clone(), ..test }, SCHEDULES.1);
    match everywhere.obstacle {
        Some(obstacle) if obstacle != Obstacle::NoChoice => return Comparison::LeftOut(obstacle.name()),
        _ => {}
    }
    if usual.findings != everywhere.findings {
        let missed: Vec<_> = everywhere.findings.difference(&usual.findings).collect();
        let invented: Vec<_> = usual.findings.difference(&everywhere.findings).collect();
        return Comparison::Different(format!("parking: misses the findings {missed:?}, has others {invented:?}"));
    }
    let (ours, all) = (outcomes(&usual), outcomes(&everywhere));
    if ours != all {
        let missed: Vec<_> = all.difference(&ours).collect();
        let invented: Vec<_> = ours.difference(&all).collect();
        return Comparison::Different(format!("parking: misses the outcomes {missed:?}, has others {invented:?}"));
    }
    Comparison::Equal
}

/// What each thread did and saw in executions in which all came to their ends. Where the process ends before a thread does, how far that one
/// had come is seen by nobody unless another thread saw what it did.
fn outcomes(all: &Behaviours) -> BTreeSet<&[Vec<Seen>]> {
    let complete = all.forms.iter().filter(|form| form.is_of_ended_threads());
    complete.map(|form| form.threads.as_slice()).collect()
}
