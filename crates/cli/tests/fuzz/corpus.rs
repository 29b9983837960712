//! What the mutants are made from.

use crate::child::Folder;
use gordian_base::Rng;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs that between them use most of what C compiles to, and the optimisation that they are compiled with:
/// more of it gives vectors, intrinsics and other things that gordian's own compilation never makes.
const PROGRAMS: &[(&str, &str)] = &[
    ("safe/thread_pool.c", "-O1"),
    ("safe/atomic_struct.c", "-O0"),
    ("safe/cas_weak_loop.c", "-O2"),
    ("assertion/lost_update.c", "-O1"),
    ("native/int128.c", "-O1"),
    ("native/float_arithmetic.c", "-O0"),
    ("native/control_flow.c", "-O2"),
    ("native/function_pointers.c", "-O1"),
    ("native/bit_builtins.c", "-O1"),
    ("native/globals.c", "-O0"),
    ("native/checksums.c", "-O3"),
];

fn program(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    root.join(name).canonicalize().unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn compiled(folder: &Folder, flags: &[&str], extension: &str) -> Vec<Vec<u8>> {
    let compile = |(name, optimisation): &(&str, &str)| {
        let output = folder.path().join(format!("corpus.{extension}"));
        let mut clang = Command::new("clang-22");
        clang.args(["-g", "-pthread", "-w", optimisation]).args(flags).arg("-o").arg(&output).arg(program(name));
        assert!(clang.status().expect("clang-22 runs").success(), "{name} does not compile");
        let bytes = std::fs::read(&output).expect("clang has written its output");
        let _ = std::fs::remove_file(&output);
        bytes
    };
    PROGRAMS.iter().map(compile).collect()
}

pub fn bitcode(folder: &Folder) -> Vec<Vec<u8>> {
    compiled(folder, &["-emit-llvm", "-c"], "bc")
}

/// Without debug information: its lines would take most of the mutations.
pub fn assembly(folder: &Folder) -> Vec<String> {
    let texts = compiled(folder, &["-emit-llvm", "-S", "-g0"], "ll");
    texts.into_iter().map(|bytes| String::from_utf8(bytes).expect("assembly is text")).collect()
}

/// Tests that gordian saves of programs with bugs.
pub fn tests(folder: &Folder) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for name in ["assertion/lost_update.c", "assertion/spurious_wakeup.c", "double-free/two_threads.c"] {
        // Where the mutants will stand: a test names its program from where it stands itself.
        let mut check = Command::new(env!("CARGO_BIN_EXE_gordian"));
        check
            .arg("check")
            .arg(program(name))
            .args(["--quiet", "--spurious", "--runs", "100", "--out"])
            .arg(folder.path());
        check.output().expect("gordian starts");
        for path in folder.saved_tests() {
            found.push(std::fs::read(&path).expect("a saved test can be read"));
            std::fs::remove_file(&path).expect("the target folder can be written to");
        }
    }
    assert!(found.len() > 2, "gordian saved too few tests to mutate");
    found
}

const VALUES: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "1e9",
    "4294967295",
    "18446744073709551615",
    "null",
    "true",
    "\"\"",
    "[]",
    "{}",
    "\"0*3 1 0 1*2\"",
    "\"7\"",
];
const STEPS: &[&str] =
    &["0", "1", "2", "3", "0.1", "1.1", "1.2", "1.3", "9", "4294967295", "0*5", "1*100", "0*199999999", "0.4294967295"];

/// A test with another value for one of its fields, or other steps in its schedule.
pub fn mutate_test(rng: &mut Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    let text = String::from_utf8_lossy(&corpus[rng.below(corpus.len())]).into_owned();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=rng.below(3) {
        let at = rng.below(lines.len());
        let line = lines[at].clone();
        if rng.below(2) == 0
            && let Some(schedule) = lines.iter_mut().find(|line| line.contains("\"schedule\""))
        {
            *schedule = format!("  \"schedule\": \"{}\",", mutate_schedule(rng, schedule));
        } else if let Some((name, _)) = line.split_once(": ") {
            let comma = if line.ends_with(',') { "," } else { "" };
            lines[at] = format!("{name}: {}{comma}", VALUES[rng.below(VALUES.len())]);
        } else if rng.below(4) == 0 {
            lines.remove(at);
        }
    }
    lines.join("\n").into_bytes()
}

fn mutate_schedule(rng: &mut Rng, line: &str) -> String {
    let text = line.split('"').nth(3).unwrap_or_default();
    let mut steps: Vec<&str> = text.split(' ').collect();
    for _ in 0..=rng.below(4) {
        let at = rng.below(steps.len());
        match rng.below(3) {
            0 => steps[at] = STEPS[rng.below(STEPS.len())],
            1 => steps.insert(at, STEPS[rng.below(STEPS.len())]),
            _ if steps.len() > 1 => drop(steps.remove(at)),
            _ => {}
        }
    }
    steps.join(" ")
}
