//! Native builds of a program, and gordian's.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs that take longer are given up.
const SECONDS: &str = "20";

#[derive(Default)]
pub struct Ran {
    pub stdout: String,
    pub stderr: String,
}

pub struct Native<'a> {
    source: &'a Path,
}

const UNDEFINED: &str = "-fsanitize=undefined,float-cast-overflow,bounds-strict,address";

impl<'a> Native<'a> {
    pub fn new(source: &'a Path) -> Self {
        Native { source }
    }

    fn binary(&self, name: &str) -> PathBuf {
        self.source.with_extension(name)
    }

    /// None if it does not compile.
    fn build(&self, compiler: &str, flags: &[&str], name: &str) -> Option<PathBuf> {
        let binary = self.binary(name);
        let mut command = Command::new(compiler);
        command.args(flags).args(["-w", "-o"]).arg(&binary).arg(self.source);
        command.args(include_of_csmith());
        let output = command.output().unwrap_or_else(|error| panic!("{compiler} cannot be run: {error}"));
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            panic!("{compiler} refuses {}:\n{message}", self.source.display());
        }
        Some(binary)
    }

    /// With sanitizers that go on after a message.
    pub fn sanitized(&self, which: &str) -> Option<Ran> {
        let binary = self.build("gcc", &["-O0", UNDEFINED], "sanitized")?;
        Some(run(Command::new("timeout").args(["-s", "KILL", SECONDS]).arg(binary).arg(which)))
    }

    pub fn clang(&self, which: &str) -> Ran {
        self.run("clang-22", &["-O0"], "clang", which)
    }

    pub fn gcc(&self, which: &str) -> Ran {
        self.run("gcc", &["-O1"], "gcc", which)
    }

    fn run(&self, compiler: &str, flags: &[&str], name: &str, which: &str) -> Ran {
        match self.build(compiler, flags, name) {
            Some(binary) => run(Command::new("timeout").args(["-s", "KILL", SECONDS]).arg(binary).arg(which)),
            None => Ran::default(),
        }
    }

    pub fn remove(&self) {
        for name in ["sanitized", "clang", "gcc"] {
            // Not all of them were built.
            let _ = std::fs::remove_file(self.binary(name));
        }
    }
}

fn run(command: &mut Command) -> Ran {
    let output = command.stdin(Stdio::null()).output().expect("the program can be started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

pub fn gordian(source: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::new("timeout");
    command.args(["-s", "KILL", "120"]).arg(env!("CARGO_BIN_EXE_gordian")).arg("run").arg(source);
    command.args(include_of_csmith().map(|flag| format!("--cflag={flag}")));
    run(command.arg("--").args(arguments))
}

fn include_of_csmith() -> Option<String> {
    std::env::var("GORDIAN_CSMITH_INCLUDE").ok().map(|folder| format!("-I{folder}"))
}

/// Writes a program of csmith; false if it does not make one.
pub fn csmith(program: &str, seed: u64, path: &Path) -> bool {
    let output = Command::new("timeout").args(["-s", "KILL", "20", program, "--seed", &seed.to_string()]).output();
    match output {
        Ok(output) if output.status.success() && !output.stdout.is_empty() => {
            std::fs::write(path, output.stdout).expect("cargo's folder for tests can be written to");
            true
        }
        _ => false,
    }
}
