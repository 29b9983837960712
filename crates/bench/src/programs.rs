//! The programs under `benches/programs`.

use anyhow::Context;
use gordian_frontend::{Options, load};
use gordian_ir::Program;
use gordian_trace::{FORMAT_VERSION, Machine, ProgramSource, RaceMode, Schedule, Test};
use std::path::{Path, PathBuf};

pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/programs").join(format!("{name}.c"))
}

/// A program whose number of executions is a test, too.
pub fn counted(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/counts").join(format!("{name}.c"))
}

/// A program with symbolic inputs, whose number of executions is a test, too.
pub fn symbolic(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/symbolic").join(format!("{name}.c"))
}

/// A program of the papers on interferences.
pub fn interference(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/interference").join(format!("{name}.c"))
}

/// A program of the thesis on access pairs.
pub fn access_pairs(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/access-pairs").join(format!("{name}.c"))
}

/// A program under `tests/programs`, with its folder.
pub fn tested(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(format!("{name}.c"))
}

pub fn read(path: &Path, cflags: &[&str]) -> anyhow::Result<Program> {
    let cflags = cflags.iter().map(|&flag| flag.to_owned()).collect();
    load(&[path.to_owned()], &Options { cflags, ..Options::default() })
        .with_context(|| format!("cannot load {}", path.display()))
}

pub fn test(races: RaceMode) -> Test {
    Test {
        gordian: FORMAT_VERSION,
        program: ProgramSource { files: Vec::new(), cflags: Vec::new(), identity: String::new() },
        arguments: Vec::new(),
        environment: Vec::new(),
        stdin: String::new(),
        sources: Vec::new(),
        machine: Machine { races, ..Machine::default() },
        inputs: Vec::new(),
        threads: Vec::new(),
        schedule: Schedule::default(),
        finding: None,
    }
}
