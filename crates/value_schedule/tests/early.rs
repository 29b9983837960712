//! How soon failures of the thesis's programs are found: rounds of loops and numbers of threads do not put them off.

use gordian_analysis::{Analysis, Budget, Filters};
use gordian_engine::{Settings, Silent, check};
use gordian_frontend::{Options as Load, load};
use gordian_trace::RaceMode;
use gordian_value_schedule::{Guide, Options, ValueSchedule};
use std::path::Path;

/// The executions out of order until the first failure, and whether it took the ordinary search to find it.
fn tried(program: &str, size: u32) -> (u64, bool) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/programs/access-pairs/{program}.c"));
    let options = Load { cflags: vec![format!("-DN={size}")], ..Load::default() };
    let program_of = load(&[path], &options).expect("it compiles");
    let analysis = Analysis::of(&program_of, Budget::default()).expect("it has a main function");
    let guide = Guide::new(&analysis, Filters::default(), None).expect("there is no focus");
    let mut strategy = ValueSchedule::new(guide, Options::default());
    let mut test = gordian_engine::toy::template();
    test.machine.races = RaceMode::Ignore;
    let settings = Settings { stop_at_first: true, ..Settings::default() };
    let outcome = check(&program_of, &test, &mut strategy, &settings, &mut Silent).expect("it starts");
    assert_eq!(outcome.findings.len(), 1, "{program} has a failure");
    let counts = strategy.counts();
    println!("{program} {size}: {counts:?}, steps {}", outcome.summary.steps);
    (counts.tried, counts.forgotten_steps > 0)
}

/// A small size and a large one of each. The bounds are about twice what it takes today.
#[test]
fn failures_are_found_out_of_order_at_any_size() {
    for (program, sizes, most) in [
        ("twostage", [4, 8], 500),
        ("reorder", [4, 9], 20),
        ("producerconsumer", [1, 128], 25),
        ("daisy", [2, 16], 15),
        ("rw", [1, 2], 20),
        ("replicatedworker", [2, 14], 5),
        ("linkedlist", [4, 128], 5),
        ("losenotify", [5, 128], 6),
        ("clean", [4, 128], 15),
        ("alarmclock", [8, 128], 30),
        ("boundedbuffer", [2, 16], 400),
    ] {
        for size in sizes {
            let (tried, is_ordinary) = tried(program, size);
            assert!(tried <= most && !is_ordinary, "{program} of size {size}: {tried} were tried");
        }
    }
}
