//! The C programs of `tests/programs` that run by themselves.

use gordian_engine::toy::template;
use gordian_frontend::Options;
use gordian_ir::Program;
use gordian_trace::Test;
use std::path::{Path, PathBuf};

pub struct CProgram {
    pub name: String,
    pub program: Program,
    pub test: Test,
}

pub fn load(file: &Path, cflags: Vec<String>) -> Program {
    gordian_frontend::load(&[file.to_owned()], &Options { cflags, ..Options::default() })
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs")
}

/// Directories whose programs do not run by themselves, or have too many behaviours.
pub const LEFT_OUT: [&str; 5] = ["native", "multi", "usage", "unsupported", "counts"];

pub fn c_programs() -> impl Iterator<Item = CProgram> {
    programs_without(&LEFT_OUT)
}

/// Those of all directories but these.
pub fn programs_without(left_out: &[&str]) -> impl Iterator<Item = CProgram> {
    files_without(left_out).into_iter().map(|file| read(&file))
}

/// The files of all directories but these.
pub fn files_without(left_out: &[&str]) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Vec::new();
    for directory in std::fs::read_dir(folder()).expect("the programs are there") {
        let directory = directory.expect("a directory entry").path();
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if directory.is_dir() && !left_out.contains(&name.as_str()) {
            let inside = std::fs::read_dir(&directory).expect("a directory");
            files.extend(inside.map(|file| file.expect("a file").path()));
        }
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    files
}

/// Loads a program, with the settings that its directives ask for.
pub fn read(file: &Path) -> CProgram {
    let text = std::fs::read_to_string(file).expect("the program can be read");
    let cflags = text.lines().filter_map(|line| line.strip_prefix("//@ cflag: ")).map(str::to_owned).collect();
    let mut test = template();
    test.machine.weak_cas_fails = text.contains("--weak-cas-fails: ");
    test.machine.spurious_wakeups = text.contains("--spurious: ");
    test.machine.leaks = text.contains("--leaks");
    test.machine.max_steps = 2_000;
    CProgram { name: file.display().to_string(), program: load(file, cflags), test }
}
