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

/// The program in some files, which the compiler is told are called `names`.
pub fn program(files: &[PathBuf], names: &[PathBuf], cflags: &[String], lowering: Lowering) -> anyhow::Result<Program> {
    for file in files {
        refuse_pipe(file)?;
    }
    let cflags = file_name_flags(files, names).into_iter().chain(cflags.iter().cloned()).collect();
    let Lowering { overflow, undefined, uninit, count_loops } = lowering;
    let options =
        Options { cflags, check_overflow: overflow, check_undefined: undefined, keep_memory: uninit, count_loops };
    Ok(gordian_frontend::load(files, &options)?)
}

/// Whoever reads from a pipe may wait for ever, and the compiler reads a file more than once.
fn refuse_pipe(path: &Path) -> anyhow::Result<()> {
    match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => bail!("{} is no regular file", path.display()),
        // Whoever opens it has more to say.
        _ => Ok(()),
    }
}

/// `assert` writes `__FILE__` into the program, so a program is the same only if its files are called the same. A test that
/// is replayed from elsewhere has other paths to them.
fn file_name_flags(files: &[PathBuf], names: &[PathBuf]) -> Vec<String> {
    let mut flags = Vec::new();
    for (file, name) in files.iter().zip(names).filter(|(file, name)| file != name) {
        let folder = |path: &Path| match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => format!("{}/", folder.display()).replace("//", "/"),
            _ => String::new(),
        };
        let (from, to) = (folder(file), folder(name));
        // Files that are included stand in the same folder.
        let flag = match from.is_empty() || file.file_name() != name.file_name() {
            true => format!("-fmacro-prefix-map={}={}", file.display(), name.display()),
            false => format!("-fmacro-prefix-map={from}={to}"),
        };
        if !flags.contains(&flag) {
            flags.push(flag);
        }
    }
    flags
}

pub fn from_command_line(from: &ProgramArgs, machine: &MachineArgs) -> anyhow::Result<Program> {
    let MachineArgs { overflow, undefined, uninit, unroll, .. } = *machine;
    program(
        &from.files,
        &from.files,
        &from.cflags,
        Lowering { overflow, undefined, uninit, count_loops: unroll.is_some() },
    )
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
            file_names: from.files.clone(),
            native: machine.native.clone(),
            ..Machine::default()
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
        refuse_pipe(path).context("`--stdin -` reads from a pipe")?;
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
    fn files_keep_the_names_that_they_were_given() {
        let flags = |file: &str, name: &str| file_name_flags(&[file.into()], &[name.into()]);
        assert!(flags("src/a.c", "src/a.c").is_empty());
        assert_eq!(flags("/x/src/a.c", "src/a.c"), ["-fmacro-prefix-map=/x/src/=src/"]);
        assert_eq!(flags("../a.c", "a.c"), ["-fmacro-prefix-map=../="]);
        assert_eq!(flags("a.c", "src/a.c"), ["-fmacro-prefix-map=a.c=src/a.c"]);
    }
}
