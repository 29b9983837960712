//! What a search finds, and what it did, does not depend on how many threads checked candidates.

use gordian_engine::{Outcome, Settings, Silent};
use gordian_interference::{Options, check};
use gordian_trace::InterferenceSummary;
use std::path::Path;

/// Programs, and the most interferences: enough for many candidates to wait at once.
const PROGRAMS: &[(&str, Option<u32>)] = &[("addall", Some(4)), ("sor", None), ("string_buffer", None)];

fn search(name: &str, max_interferences: Option<u32>, jobs: usize) -> Outcome {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/programs/interference/{name}.c"));
    let program = gordian_frontend::load(&[path], &Default::default()).expect("it compiles");
    let mut template = gordian_engine::toy::template();
    template.machine.symbolic = true;
    let options = Options { max_interferences, jobs, ..Options::default() };
    check(&program, &template, options, &Settings::default(), &mut Silent).expect("it can be set up")
}

fn without_times(outcome: &Outcome) -> InterferenceSummary {
    let mut summary = outcome.summary.interference.clone().expect("a search by interferences tells of them");
    summary.degrees.iter_mut().for_each(|degree| degree.time = Default::default());
    summary
}

#[test]
fn the_number_of_workers_changes_nothing() {
    for &(name, most) in PROGRAMS {
        let alone = search(name, most, 1);
        for jobs in [2, 5] {
            let shared = search(name, most, jobs);
            assert_eq!(without_times(&alone), without_times(&shared), "{name} with {jobs}");
            assert_eq!(alone.summary.executions, shared.summary.executions, "{name} with {jobs}");
            let tests = |outcome: &Outcome| {
                format!("{:?}", outcome.findings.iter().map(|found| &found.test).collect::<Vec<_>>())
            };
            assert_eq!(tests(&alone), tests(&shared), "{name} with {jobs}");
        }
    }
}
