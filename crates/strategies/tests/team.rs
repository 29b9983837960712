//! However many workers share a search, and however often they share what is left, they do what one does. `GORDIAN_PROGRAM=once` looks at those
//! programs alone that have `once` in their names.

#[allow(dead_code, reason = "shared with another test, which needs all of it")]
#[path = "common/workers.rs"]
mod workers;

use gordian_engine::{
    Budget, Capabilities, Division, Ended, FastForward, Few, Jobs, Next, Point, Results, Settings, Silent, Strategy,
    Team, Worker, check_together,
};
use gordian_frontend::Options;
use gordian_strategies::{DporTeam, Order};
use gordian_trace::{Exploration, FORMAT_VERSION, Machine, ProgramSource, RaceMode, Schedule, Stop, Test, Verdict};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use workers::{Report, one, scouted, several};

fn template() -> Test {
    Test {
        gordian: FORMAT_VERSION,
        program: ProgramSource { files: Vec::new(), cflags: Vec::new(), identity: String::new() },
        arguments: Vec::new(),
        environment: Vec::new(),
        stdin: String::new(),
        sources: Vec::new(),
        machine: Machine { symbolic: true, ..Default::default() },
        inputs: Vec::new(),
        threads: Vec::new(),
        schedule: Schedule::default(),
        finding: None,
    }
}

fn same(report: &Report, alone: &Report, what: &str) {
    assert!(report.is_as(alone), "{what}: {report:?} instead of {alone:?}");
    assert_eq!(report.executions, alone.executions, "{what}");
}

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let folders = [
        "counts",
        "safe",
        "deadlock",
        "assertion",
        "data-race",
        "lost-signal",
        "livelock",
        "use-after-free",
        "symbolic",
    ];
    let mut found = Vec::new();
    for folder in folders {
        let files = std::fs::read_dir(root.join(folder)).expect("the programs are there");
        let files = files.map(|file| file.expect("a file").path());
        found.extend(files.filter(|file| file.extension().is_some_and(|extension| extension == "c")));
    }
    if let Ok(wanted) = std::env::var("GORDIAN_PROGRAM") {
        found.retain(|file| file.to_string_lossy().contains(&wanted));
    }
    found.sort();
    found
}

#[test]
fn a_saved_search_goes_on_where_it_was() {
    let mut compared = 0;
    for file in programs() {
        let Ok(program) = gordian_frontend::load(std::slice::from_ref(&file), &Options::default()) else { continue };
        let test = template();
        let limited = |runs| Settings { budget: Budget { runs: Some(runs), time: None }, ..Settings::default() };
        let Some(alone) = one(&program, &test, &Settings::default(), 150) else { continue };
        for runs in [1, 7, 40] {
            let team = DporTeam::sharing_every(1);
            let Some(part) = several(&program, &test, &limited(runs), &team, 1) else { continue };
            if !part.is_partial() {
                break;
            }
            let team = DporTeam::resume(&team.save()).expect("it was just saved");
            let rest = several(&program, &test, &Settings::default(), &team, 1).expect("one worker shares with nobody");
            same(&rest, &alone, &format!("{}: saved after {runs} executions", file.display()));
            compared += 1;
        }
    }
    assert!(compared > 60, "only {compared} searches were saved");
    assert!(DporTeam::resume("{}").is_none() && DporTeam::resume("").is_none());
}

#[test]
fn a_saved_search_that_was_split_goes_on_where_it_was() {
    let mut compared = 0;
    let limited = |runs| Settings { budget: Budget { runs: Some(runs), time: None }, ..Settings::default() };
    for file in programs() {
        let Ok(program) = gordian_frontend::load(std::slice::from_ref(&file), &Options::default()) else { continue };
        let mut test = template();
        test.machine.races = RaceMode::Ignore;
        let Some(alone) = one(&program, &test, &Settings::default(), 150) else { continue };
        for runs in [2, 11] {
            let Some(split) = scouted(&program, &test, &Settings::default(), 150).split(2) else { continue };
            let Some(part) = several(&program, &test, &limited(runs), &*split, 1) else { continue };
            split.refresh();
            let rest = DporTeam::resume(&split.save()).expect("it was just saved");
            let Some(rest) = several(&program, &test, &Settings::default(), &rest, 2) else { continue };
            same(&rest, &alone, &format!("{}: saved after {runs} executions", file.display()));
            compared += usize::from(part.is_partial());
        }
    }
    assert!(compared > 20, "only {compared} searches were saved");
}

#[test]
fn workers_do_what_one_does() {
    let mut compared = 0;
    for file in programs() {
        let Ok(program) = gordian_frontend::load(std::slice::from_ref(&file), &Options::default()) else { continue };
        let mut test = template();
        test.machine.max_steps = 2_000;
        for stop_at_first in [false, true] {
            let settings = Settings { stop_at_first, ..Settings::default() };
            let Some(alone) = one(&program, &test, &settings, 400) else { continue };
            for (n, team) in [
                (1, DporTeam::sharing_every(1)),
                (1, DporTeam::sharing_every(3)),
                (2, DporTeam::sharing_every(1)),
                (3, DporTeam::sharing_every(2)),
                (2, DporTeam::default()),
            ] {
                if let Some(together) = several(&program, &test, &settings, &team, n) {
                    same(&together, &alone, &format!("{}: {n} workers", file.display()));
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 500, "only {compared} searches were compared");
}

/// Workers share a search if there is little to tell each other; otherwise it is split.
#[test]
fn a_scout_knows_how_to_divide_a_search() {
    let counts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/counts");
    for (file, cflag, division) in [
        ("lock_increment.c", "-DN=7", Division::Shared),
        ("fibonacci.c", "-DROUNDS=4", Division::Shared),
        ("peterson.c", "-DROUNDS=3", Division::Shared),
        ("readers.c", "-DN=12", Division::Shared),
        ("philosophers.c", "-DN=12", Division::Shared),
        ("last_zero.c", "-DN=10", Division::SplitOrAlone),
    ] {
        let options = Options { cflags: vec![cflag.to_owned()], ..Options::default() };
        let program = gordian_frontend::load(&[counts.join(file)], &options).expect("it compiles");
        let mut test = template();
        test.machine.races = RaceMode::Ignore;
        let team = scouted(&program, &test, &Settings::default(), 500);
        assert_eq!(team.division(), division, "{file}");
        assert!(team.split(2).is_some(), "{file}");
    }
}

/// A write among many reads can come anywhere, and what is planned must not be all of that.
#[test]
fn a_search_keeps_few_plans() {
    let counts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/counts");
    for (file, cflag) in [("readers.c", "-DN=16"), ("indexer.c", "-DN=16"), ("philosophers.c", "-DN=16")] {
        let options = Options { cflags: vec![cflag.to_owned()], ..Options::default() };
        let program = gordian_frontend::load(&[counts.join(file)], &options).expect("it compiles");
        let mut test = template();
        test.machine.races = RaceMode::Ignore;
        let team = DporTeam::sharing_every(250);
        let settings = Settings { budget: Budget { runs: Some(16_000), time: None }, ..Settings::default() };
        several(&program, &test, &settings, &team, 1).expect("one worker shares with nobody");
        let n_bytes = team.save().len();
        assert!(n_bytes < 200_000, "{file}: {n_bytes} bytes to save after 16,000 executions");
    }
}

/// Which of several ways a step goes, over and over: a `switch` on inputs, and the thread that a signal wakes.
#[test]
fn workers_lose_nothing_where_steps_go_many_ways() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    for (file, cflag, executions) in
        [("symbolic/maze.c", "-DSTEPS=14", 15_181), ("counts/who_is_woken.c", "-DTHREADS=3", 20_353)]
    {
        let options = Options { cflags: vec![cflag.to_owned()], ..Options::default() };
        let program = gordian_frontend::load(&[root.join(file)], &options).expect("it compiles");
        let (test, settings) = (template(), Settings::default());
        let alone = one(&program, &test, &settings, u64::MAX).expect("there is no limit");
        assert_eq!(alone.executions, executions, "{file}");
        for (n, team) in [
            (2, DporTeam::default()),
            (3, DporTeam::default()),
            (4, DporTeam::default()),
            (2, DporTeam::sharing_every(5)),
            (3, DporTeam::sharing_every(50)),
        ] {
            let together = several(&program, &test, &settings, &team, n).expect("nothing in it is for one worker");
            same(&together, &alone, &format!("{file}: {n} workers"));
        }
    }
}

/// Steps that turn out otherwise than planned while others have parts behind them.
#[test]
fn workers_lose_nothing_where_plans_are_guesses() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/counts/section_among_attempts.c");
    let program = gordian_frontend::load(&[file], &Options::default()).expect("it compiles");
    let (test, settings) = (template(), Settings::default());
    let alone = one(&program, &test, &settings, u64::MAX).expect("there is no limit");
    for (n, every) in [(1, 1), (1, 2), (2, 1), (3, 1), (2, 7)] {
        let team = DporTeam::sharing_every(every);
        let together = several(&program, &test, &settings, &team, n).expect("nothing in it is for one worker");
        same(&together, &alone, &format!("{n} workers that share every {every}"));
    }
}

#[test]
fn every_order_comes_to_the_same_end() {
    let mut compared = 0;
    for file in programs() {
        let Ok(program) = gordian_frontend::load(std::slice::from_ref(&file), &Options::default()) else { continue };
        let mut test = template();
        test.machine.max_steps = 2_000;
        let Some(alone) = one(&program, &test, &Settings::default(), 100) else { continue };
        for order in [Order::Breadth, Order::Coverage, Order::random(1)] {
            let message = format!("{}: {order:?}", file.display());
            let team = DporTeam::in_order(order);
            let ordered = several(&program, &test, &Settings::default(), &team, 1).expect("one worker");
            same(&ordered, &alone, &message);
            compared += 1;
        }
    }
    assert!(compared > 150, "only {compared} searches were compared");
}

/// A team whose workers panic after so many executions of all of them.
struct Panicking {
    team: DporTeam,
    left: Arc<AtomicI64>,
}

struct PanickingWorker {
    worker: Box<dyn Strategy + Send>,
    left: Arc<AtomicI64>,
}

impl Team for Panicking {
    fn worker(&self) -> Box<dyn Strategy + Send> {
        Box::new(PanickingWorker { worker: self.team.worker(), left: Arc::clone(&self.left) })
    }
    fn results(&self) -> Results {
        self.team.results()
    }
    fn save(&self) -> String {
        self.team.save()
    }
    fn refresh(&self) {
        self.team.refresh();
    }
}

impl Strategy for PanickingWorker {
    fn exploration(&self) -> Exploration {
        self.worker.exploration()
    }
    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        self.worker.choose(point)
    }
    fn fast_forward(&mut self) -> Option<FastForward<'_>> {
        self.worker.fast_forward()
    }
    fn next(&mut self, ended: &Ended<'_>) -> Next {
        assert!(self.left.fetch_sub(1, Ordering::Relaxed) != 0, "a worker is told to panic");
        self.worker.next(ended)
    }
    fn notes(&self) -> Vec<String> {
        self.worker.notes()
    }
    fn capabilities(&self) -> Capabilities {
        self.worker.capabilities()
    }
    fn done(&self) -> Option<f64> {
        self.worker.done()
    }
    fn as_worker(&mut self) -> Option<&mut dyn Worker> {
        self.worker.as_worker()
    }
}

#[test]
fn a_worker_that_panics_ends_the_search_with_what_was_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let load = |name: &str| gordian_frontend::load(&[root.join(name)], &Options::default()).unwrap();
    let check = |program: &str, n_executions: i64, n_workers: usize| {
        let team = Panicking { team: DporTeam::sharing_every(1), left: Arc::new(AtomicI64::new(n_executions)) };
        let jobs = Jobs { n: n_workers, alone: Few::ONE };
        let settings = Settings::default();
        let outcome = check_together(&load(program), &template(), &team, jobs, &settings, &mut Silent).unwrap();
        outcome.expect("a search that panicked is not made again")
    };
    for n_workers in [1, 2, 4] {
        for n_executions in [0, 1, 5, 60] {
            let outcome = check("counts/herlihy_wing_queue_small.c", n_executions, n_workers);
            assert!(matches!(outcome.summary.stop, Stop::Panicked(_)), "{:?}", outcome.summary.stop);
            assert_eq!(outcome.summary.verdict, Verdict::Inconclusive);
        }
        // Both orders of the critical sections are executed before.
        let outcome = check("assertion/assumption_stops_its_thread.c", 1, n_workers);
        assert!(matches!(outcome.summary.stop, Stop::Panicked(_)), "{:?}", outcome.summary.stop);
        assert_eq!((outcome.summary.verdict, outcome.findings.len()), (Verdict::Bug, 1));
    }
}
