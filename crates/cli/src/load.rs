//! From the command line to a program and the test that its executions start from.

use crate::args::{DEFAULT_MAX_STEPS, MachineArgs, ProgramArgs};
use anyhow::{Context, bail};
use gordian_frontend::Options;
use gordian_ir::Program;
use gordian_trace::{FORMAT_VERSION, Machine, ProgramSource, Schedule, Test};
use std::io::Read;
use std::path::{Path, PathBuf};

/// What the machine is to look for decides how the program is lowered, so a test says both.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lowering {
    pub overflow: bool,
    pub undefined: bool,
    pub uninit: bool,
    pub count_loops: bool,
}

pub fn program(files: &[PathBuf], cflags: &[String], lowering: Lowering) -> anyhow::Result<Program> {
    let cflags = file_name_flag(files).into_iter().chain(cflags.iter().cloned()).collect();
    let Lowering { overflow, undefined, uninit, count_loops } = lowering;
    let options =
        Options { cflags, check_overflow: overflow, check_undefined: undefined, keep_memory: uninit, count_loops };
    Ok(gordian_frontend::load(files, &options)?)
}

/// `assert` writes `__FILE__` into the program. Named from the folder that all files stand in, it does not depend
/// on where the user stands, and a test can be replayed from elsewhere.
fn file_name_flag(files: &[PathBuf]) -> Option<String> {
    let mut common = files.first()?.parent()?;
    while !files.iter().all(|file| file.starts_with(common)) {
        common = common.parent()?;
    }
    let common = common.to_str().filter(|common| !common.is_empty())?;
    Some(format!("-fmacro-prefix-map={}/=", common.trim_end_matches('/')))
}

pub fn from_command_line(from: &ProgramArgs, machine: &MachineArgs) -> anyhow::Result<Program> {
    let MachineArgs { overflow, undefined, uninit, unroll, .. } = *machine;
    program(&from.files, &from.cflags, Lowering { overflow, undefined, uninit, count_loops: unroll.is_some() })
}

pub fn identity(program: &Program) -> String {
    format!("{:016x}", program.identity)
}

/// A test with an empty schedule.
pub fn template(program: &Program, from: &ProgramArgs, machine: &MachineArgs) -> anyhow::Result<Test> {
    let stdin = match &machine.stdin {
        None => String::new(),
        Some(path) => read_stdin(path)?,
    };
    Ok(Test {
        gordian: FORMAT_VERSION,
        program: ProgramSource { files: from.files.clone(), cflags: from.cflags.clone(), identity: identity(program) },
        arguments: from.arguments.clone(),
        environment: machine.environment.clone(),
        stdin,
        sources: Vec::new(),
        machine: Machine {
            seed: machine.seed,
            max_steps: machine.max_steps.unwrap_or(DEFAULT_MAX_STEPS),
            unroll: machine.unroll,
            races: machine.races.into(),
            spurious_wakeups: machine.spurious,
            weak_cas_fails: machine.weak_cas_fails,
            uninitialised: machine.uninit,
            leaks: machine.leaks,
            overflow: machine.overflow,
            undefined: machine.undefined,
            symbolic: false,
            coverage: false,
            native: machine.native.clone(),
        },
        inputs: Vec::new(),
        threads: Vec::new(),
        schedule: Schedule::default(),
        finding: None,
    })
}

fn read_stdin(path: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
    } else {
        bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(_) => bail!("{} is not UTF-8 text; a test keeps the input as text", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_from_their_common_folder() {
        let flag = |files: &[&str]| file_name_flag(&files.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(flag(&["a.c"]), None);
        assert_eq!(flag(&["src/a.c"]).as_deref(), Some("-fmacro-prefix-map=src/="));
        assert_eq!(flag(&["/x/src/a.c", "/x/src/lib/b.c"]).as_deref(), Some("-fmacro-prefix-map=/x/src/="));
        assert_eq!(flag(&["src/a.c", "b.c"]), None);
    }
}
