//! What the properties are tested on: the programs under `tests/programs`, and generated ones.

use crate::generator;
use gordian_base::Rng;
use gordian_frontend::{Options, load};
use gordian_ir::Program;
use gordian_trace::{FORMAT_VERSION, Machine as Settings, ProgramSource, RaceMode, Schedule, Test};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A program with the arguments that make it one case.
pub struct Subject {
    pub name: String,
    pub program: &'static Program,
    pub arguments: Vec<String>,
}

/// Generated cases, all functions of one C file.
pub const GENERATED: usize = 60;
/// Threaded programs taken of each folder of `tests/programs`.
const OF_EACH_FOLDER: usize = 8;

static WRITTEN: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let chosen = chosen();
    chosen.iter().enumerate().map(|(nth, path)| subject(path, nth % 4 == 3, nth % 3 == 1)).collect()
});

static GENERATED_SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = directory.join("generated.c");
    std::fs::write(&path, generator::source(1, GENERATED)).expect("cargo's folder for tests can be written to");
    let program = leak(&path, false, true);
    let case = |n: usize| Subject { name: format!("generated case {n}"), program, arguments: vec![n.to_string()] };
    (0..GENERATED).map(case).collect()
});

/// Programs of every folder of `tests/programs` that use threads and stand in one file.
pub fn written() -> &'static [Subject] {
    &WRITTEN
}

pub fn generated() -> &'static [Subject] {
    &GENERATED_SUBJECTS
}

pub fn all() -> impl Iterator<Item = &'static Subject> {
    written().iter().chain(generated())
}

/// The program in a C file of `tests/properties`.
pub fn own(text: &str, name: &str) -> Subject {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.c"));
    std::fs::write(&path, text).expect("cargo's folder for tests can be written to");
    subject(&path, false, false)
}

fn subject(path: &Path, keep_memory: bool, count_loops: bool) -> Subject {
    let program = leak(path, keep_memory, count_loops);
    Subject { name: path.display().to_string(), program, arguments: Vec::new() }
}

/// Programs live as long as the tests do.
fn leak(path: &Path, keep_memory: bool, count_loops: bool) -> &'static Program {
    let options = Options { keep_memory, count_loops, ..Options::default() };
    let program = load(&[path.to_owned()], &options).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Box::leak(Box::new(program))
}

fn chosen() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut chosen = Vec::new();
    for folder in entries(&root) {
        // Those of several files need all of them; those that are not supported need not load.
        if ["multi", "unsupported", "usage"].iter().any(|name| folder.ends_with(name)) {
            continue;
        }
        let threaded: Vec<PathBuf> = entries(&folder).into_iter().filter(|path| uses_threads(path)).collect();
        let n = threaded.len().min(OF_EACH_FOLDER);
        // Evenly over the folder: neighbours in the alphabet are often alike.
        chosen.extend((0..n).map(|nth| threaded[nth * threaded.len() / n].clone()));
    }
    chosen
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    paths
}

fn uses_threads(path: &Path) -> bool {
    let is_c = path.extension().is_some_and(|extension| extension == "c");
    let text = || std::fs::read_to_string(path).expect("the programs are text");
    is_c && ["pthread_create", "thrd_create"].iter().any(|name| text().contains(name))
}

impl Subject {
    /// A test without a schedule.
    pub fn test(&self, settings: Settings) -> Test {
        Test {
            gordian: FORMAT_VERSION,
            program: ProgramSource { files: vec!["program.c".into()], cflags: Vec::new(), identity: String::new() },
            arguments: self.arguments.clone(),
            environment: Vec::new(),
            stdin: "3 1 2\nhello\n".to_owned(),
            sources: Vec::new(),
            machine: settings,
            inputs: Vec::new(),
            threads: Vec::new(),
            schedule: Schedule::default(),
            finding: None,
        }
    }
}

/// Every setting of the machine that changes what an execution does.
pub fn settings(rng: &mut Rng) -> Settings {
    let mut flip = || rng.below(2) == 0;
    let (spurious_wakeups, weak_cas_fails, leaks) = (flip(), flip(), flip());
    let uninitialised = flip() && flip();
    let unroll = (rng.below(2) == 0).then(|| 1 + rng.below(3) as u32);
    let races = [RaceMode::Report, RaceMode::Ignore, RaceMode::Stop][rng.below(3)];
    Settings {
        seed: rng.below(3) as u64,
        max_steps: 300,
        unroll,
        spurious_wakeups,
        weak_cas_fails,
        leaks,
        uninitialised,
        races,
        ..Settings::default()
    }
}
