//! Every pair of operations that executions show next to each other, in either order, is among the static pairs: with all
//! filters, with each of them alone, and in less detail than usual. The programs are those of `tests/programs` and generated ones.
//!
//! What it would not see: a pair that shows up in no execution that was made. Small programs are executed in every order;
//! of the others only so many orders are tried.
//!
//! `GORDIAN_CASES=500 GORDIAN_SEED=7` tries more and other generated programs, `GORDIAN_ONLY=12` one of them.

#[path = "../../../strategies/tests/generated/features.rs"]
#[allow(dead_code, reason = "only the generator asks for them")]
mod features;
#[path = "../../../strategies/tests/generated/generator.rs"]
#[allow(dead_code, reason = "only some of its cases are used")]
mod generator;
mod observe;
#[path = "../../../strategies/tests/generated/statements.rs"]
#[allow(dead_code, reason = "only the generator writes them")]
mod statements;

use gordian_analysis::{
    AbstractThread, Analysis, Budget, Described, Detail, Filter, Filters, Pair, PairKind, Pairs, Point,
};
use gordian_base::Rng;
use gordian_engine::{Settings, Silent};
use gordian_frontend::{Options, load};
use gordian_ir::Program;
use gordian_trace::Test;
use observe::{Observer, Seen, SeenSide};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().map_or(otherwise, |text| text.parse().expect("a number"))
}

/// What executions show: at most so many in order, and as many at random if there are more.
fn seen(program: &Program, test: &Test, most: u64) -> BTreeSet<Seen> {
    let mut observer = Observer::new(program, most);
    let settings = Settings { makes_every_step: true, ..Settings::default() };
    gordian_engine::check(program, test, &mut observer, &settings, &mut Silent).expect("it can be set up");
    observer.seen
}

/// The static pairs in the terms of executions.
fn claimed(analysis: &Analysis<'_>, pairs: &Pairs) -> BTreeSet<Seen> {
    let mut claimed = BTreeSet::new();
    let creators = |thread: AbstractThread| -> Vec<Option<Point>> {
        if thread.0 == 0 { vec![None] } else { analysis.created_at(thread).into_iter().map(Some).collect() }
    };
    for pair in &pairs.pairs {
        let sides = pair.sides.map(|side| {
            let mut sides = Vec::new();
            for creator in creators(side.thread) {
                sides.extend(analysis.points(side.access).into_iter().map(|at| SeenSide { creator, at }));
            }
            sides
        });
        for &a in &sides[0] {
            for &b in &sides[1] {
                claimed.insert(Seen::new(pair.kind, a, b));
            }
        }
    }
    claimed
}

fn all_filters() -> impl Iterator<Item = (&'static str, Filters)> {
    let alone = Filter::ALL.into_iter().map(|filter| (filter.name(), Filters::only(filter)));
    std::iter::once(("all", Filters::default())).chain(alone)
}

/// Whether a filter removes a pair.
type Removes = fn(&Analysis<'_>, &Described) -> bool;

/// Filters that remove too much, as mistakes in them would.
const BROKEN: [(&str, Removes); 6] = [
    ("alias: only what surely is the same", |_, pair| !pair.must),
    ("escape: local variables", |_, pair| {
        !pair.object.contains("heap") && pair.sides.iter().all(|side| side.start != "main")
    }),
    ("escape: the heap", |_, pair| pair.object.starts_with("heap")),
    ("mhp: main runs alone", |_, pair| pair.sides.iter().any(|side| side.thread == "main")),
    ("mhp: threads of one place", |_, pair| pair.sides[0].thread == pair.sides[1].thread),
    ("disjoint: any two locks", |_, pair| pair.sides.iter().all(|side| !side.locks.is_empty())),
];

/// Which of the broken filters the executions of a program give away.
fn noticed(analysis: &Analysis<'_>, seen: &BTreeSet<Seen>) -> [bool; BROKEN.len()] {
    let pairs = analysis.pairs(Filters::default());
    BROKEN.map(|(_, removes)| {
        let stays = |pair: &&Pair| !removes(analysis, &analysis.describe_pair(pair));
        let left = Pairs { pairs: pairs.pairs.iter().filter(stays).copied().collect(), ..Pairs::default() };
        seen.difference(&claimed(analysis, &left)).next().is_some()
    })
}

/// What is seen and not claimed, in words, and which broken filters were noticed.
fn missing(name: &str, program: &Program, test: &Test, most: u64) -> (usize, Vec<String>, [bool; BROKEN.len()]) {
    let analysis = Analysis::of(program, Budget::default()).expect("it has a main function");
    let seen = seen(program, test, most);
    let mut missing = Vec::new();
    for (filters, chosen) in all_filters() {
        let pairs = analysis.pairs(chosen);
        assert!(!pairs.is_cut, "{name} has too many pairs to compare");
        let claimed = claimed(&analysis, &pairs);
        for pair in seen.difference(&claimed) {
            missing.push(format!("{name}, filter {filters}: {}", describe(program, pair)));
        }
    }
    for detail in [Detail::Threads, Detail::Functions, Detail::Objects, Detail::Memory] {
        let analysis = Analysis::in_detail(program, detail).expect("it has a main function");
        let pairs = analysis.pairs(Filters::default());
        assert!(!pairs.is_cut, "{name} has too many pairs to compare");
        for pair in seen.difference(&claimed(&analysis, &pairs)) {
            missing.push(format!("{name}, detail {detail:?}: {}", describe(program, pair)));
        }
    }
    (seen.len(), missing, noticed(&analysis, &seen))
}

fn describe(program: &Program, seen: &Seen) -> String {
    let side = |side: SeenSide| {
        let function = &program.functions[side.at.function];
        let line = function.locs.get(side.at.pc as usize).map_or(0, |loc| loc.line);
        format!("{}:{line} ({}) of {:?}", function.name, side.at.pc, side.creator.map(|at| at.pc))
    };
    format!("{} {} | {}", seen.kind.short(), side(seen.sides[0]), side(seen.sides[1]))
}

fn programs() -> Vec<PathBuf> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let left_out = ["multi", "usage", "unsupported", "native"];
    let mut files = Vec::new();
    for folder in std::fs::read_dir(all).expect("the programs are there") {
        let folder = folder.expect("an entry").path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if folder.is_dir() && !left_out.contains(&&name[..]) {
            files.extend(std::fs::read_dir(&folder).expect("a folder").map(|file| file.expect("a file").path()));
        }
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    files
}

/// What is seen and not claimed of some programs, and how many of these notice each broken filter.
#[derive(Default)]
struct Compared {
    n_seen: usize,
    wrong: Vec<String>,
    n_noticed: [usize; BROKEN.len()],
}

impl Compared {
    fn add(&mut self, file: &Path) {
        let text = std::fs::read_to_string(file).expect("a program");
        let cflags = text.lines().filter_map(|line| line.strip_prefix("//@ cflag: ")).map(str::to_owned).collect();
        let program = load(&[file.to_owned()], &Options { cflags, ..Options::default() });
        let program = program.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        // Nothing is claimed of them: the analysis says that it cannot know all.
        if !program.hidden_addresses.is_empty() {
            return;
        }
        let mut test = gordian_engine::toy::template();
        test.machine.weak_cas_fails = text.contains("--weak-cas-fails: ");
        test.machine.spurious_wakeups = text.contains("--spurious: ");
        test.machine.max_steps = 300;
        let (n, missing, noticed) = missing(&file.display().to_string(), &program, &test, 60);
        self.n_seen += n;
        self.wrong.extend(missing);
        self.n_noticed.iter_mut().zip(noticed).for_each(|(n, noticed)| *n += usize::from(noticed));
    }
}

#[test]
fn what_programs_show_is_claimed() {
    let only = std::env::var("GORDIAN_PROGRAM").unwrap_or_default();
    let files: Vec<PathBuf> =
        programs().into_iter().filter(|file| file.display().to_string().contains(&only)).collect();
    let next = AtomicUsize::new(0);
    let compare = || {
        let mut compared = Compared::default();
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            compared.add(file);
        }
        compared
    };
    let all: Vec<Compared> = std::thread::scope(|scope| {
        let n_workers = std::thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..n_workers).map(|_| scope.spawn(compare)).collect();
        workers.into_iter().map(|worker| worker.join().expect("what it compares does not panic")).collect()
    });
    let n_seen: usize = all.iter().map(|compared| compared.n_seen).sum();
    let mut wrong: Vec<String> = all.iter().flat_map(|compared| compared.wrong.iter().cloned()).collect();
    wrong.sort_unstable();
    println!("{n_seen} pairs were seen");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (nth, (broken, _)) in BROKEN.iter().enumerate() {
        let n: usize = all.iter().map(|compared| compared.n_noticed[nth]).sum();
        println!("{n} programs give a broken filter away: {broken}");
        assert!(!only.is_empty() || n > 0, "nobody notices a broken filter: {broken}");
    }
    assert!(!only.is_empty() || n_seen > 1000, "only {n_seen} pairs were seen");
}

#[test]
fn what_generated_programs_show_is_claimed() {
    let (cases, seed) = (number("GORDIAN_CASES", 40), number("GORDIAN_SEED", 1));
    let only = std::env::var("GORDIAN_ONLY").ok().map(|text| text.parse::<u64>().expect("a number"));
    let (mut n_seen, mut wrong) = (0, Vec::new());
    for nth in (0..cases).filter(|nth| only.is_none_or(|only| only == *nth)) {
        let mut rng = Rng::stream(seed, nth);
        let kinds = [generator::Case::random, generator::Case::symmetric, generator::Case::deciding];
        let case = kinds[rng.below(4).saturating_sub(1)](&mut rng);
        let mut test = gordian_engine::toy::template();
        test.machine.weak_cas_fails = case.weak_cas_fails;
        test.machine.spurious_wakeups = case.spurious_wakeups;
        test.arguments = vec!["0".to_owned()];
        test.machine.max_steps = 300;
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pairs_{nth}.c"));
        std::fs::write(&path, generator::source(&[case])).expect("cargo's folder for tests can be written to");
        let program = load(std::slice::from_ref(&path), &Options::default()).expect("it compiles");
        let (n, missing, _) = missing(&path.display().to_string(), &program, &test, 300);
        n_seen += n;
        wrong.extend(missing);
    }
    println!("{n_seen} pairs were seen");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(only.is_some() || n_seen as u64 > cases, "only {n_seen} pairs were seen");
}

/// A claim that lacks a pair is noticed, whichever pair it is.
#[test]
fn a_pair_that_is_left_out_is_noticed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/pairs/two_accounts.c");
    let program = load(std::slice::from_ref(&path), &Options::default()).expect("it compiles");
    let test = gordian_engine::toy::template();
    let seen = seen(&program, &test, 5000);
    let analysis = Analysis::of(&program, Budget::default()).expect("it has a main function");
    let mut pairs = analysis.pairs(Filters::default());
    assert_eq!(seen.difference(&claimed(&analysis, &pairs)).count(), 0);
    // Three pairs of accesses show up: those with the branch that is never taken do not.
    let shown = |kind: PairKind| seen.iter().filter(|pair| pair.kind == kind).count();
    assert_eq!((shown(PairKind::ReadWrite), shown(PairKind::MonitorMonitor)), (3, 2));
    let mut n_noticed = 0;
    for _ in 0..pairs.pairs.len() {
        let left_out = pairs.pairs.remove(0);
        n_noticed += usize::from(seen.difference(&claimed(&analysis, &pairs)).count() > 0);
        pairs.pairs.push(left_out);
    }
    assert_eq!(n_noticed, 5);
}
