//! The programs under `benches/programs`.

use anyhow::Context;
use gordian_frontend::{Options, load};
use gordian_ir::Program;
use gordian_trace::{FORMAT_VERSION, Machine, ProgramSource, RaceMode, Schedule, Test};
use std::path::{Path, PathBuf};

pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/programs").join(format!("{name}.c"))
}

pub fn read(path: &Path) -> anyhow::Result<Program> {
    load(&[path.to_owned()], &Options::default()).with_context(|| format!("cannot load {}", path.display()))
}

pub fn test(races: RaceMode) -> Test {
    Test {
        gordian: FORMAT_VERSION,
        program: ProgramSource { files: Vec::new(), cflags: Vec::new(), identity: String::new() },
        arguments: Vec::new(),
        environment: Vec::new(),
        stdin: String::new(),
        machine: Machine { races, ..Machine::default() },
        inputs: Vec::new(),
        threads: Vec::new(),
        schedule: Schedule::default(),
        finding: None,
    }
}
