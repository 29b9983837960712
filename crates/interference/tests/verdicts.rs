//! Programs that fail are never called safe, whatever their failure is: most are no matter of branches.

use gordian_engine::{Budget, Settings, Silent};
use gordian_interference::{Options, check};
use gordian_trace::Verdict;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Searches are left after this; then they claim nothing.
const LIMIT: Duration = Duration::from_millis(300);

/// What a search may take beyond its limit on a busy machine: findings are confirmed for a second at most.
const SLACK: Duration = Duration::from_secs(15);

/// Folders of `tests/programs` whose programs fail without further flags.
const FOLDERS: &[&str] = &[
    "abort",
    "assertion",
    "bad-free",
    "data-race",
    "deadlock",
    "division-by-zero",
    "double-free",
    "livelock",
    "lock-misuse",
    "lost-signal",
    "null-dereference",
    "out-of-bounds",
    "use-after-free",
];

/// Those that need nothing but themselves to fail.
fn programs() -> Vec<PathBuf> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut found = Vec::new();
    for folder in FOLDERS {
        for entry in std::fs::read_dir(all.join(folder)).expect("the folder is there") {
            let path = entry.expect("an entry").path();
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if text.lines().any(|line| line.starts_with("//@ check: bug")) && !text.contains("//@ files:") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[expect(clippy::disallowed_methods, reason = "whether a limit of time holds is for a clock to say")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = std::time::Instant::now();
    let result = work();
    (result, start.elapsed())
}

#[test]
fn what_fails_is_not_called_safe() {
    let settings = Settings { budget: Budget { runs: None, time: Some(LIMIT) }, ..Settings::default() };
    let mut template = gordian_engine::toy::template();
    template.machine.symbolic = true;
    let mut n_found = 0;
    let programs = programs();
    for path in &programs {
        let program = gordian_frontend::load(std::slice::from_ref(path), &Default::default()).expect("it compiles");
        let (outcome, took) =
            timed(|| check(&program, &template, Options::default(), &settings, &mut Silent).expect("it can be set up"));
        assert!(took < LIMIT + SLACK, "{} took {took:?}", path.display());
        assert!(outcome.summary.verdict != Verdict::Safe, "{} fails", path.display());
        n_found += usize::from(outcome.summary.verdict == Verdict::Bug);
    }
    println!("{n_found} of {} failures found", programs.len());
    assert!(programs.len() > 25 && n_found > 15, "{n_found} of {}", programs.len());
}
