//! One directive: run it, and compare what came with what was expected.

use crate::directive::{Action, Case, Expected, Mark, Program};
use crate::process::{Ran, run};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

const GORDIAN: &str = env!("CARGO_BIN_EXE_gordian");

pub struct Failure {
    pub line: usize,
    pub directive: String,
    command: String,
    expected: String,
    came: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.line, self.directive)?;
        writeln!(f, "        command:  {}", self.command)?;
        writeln!(f, "        expected: {}", self.expected)?;
        write!(f, "        came:     {}", self.came.trim_end().replace('\n', "\n                  "))
    }
}

/// A difference: what was expected and what came instead.
struct Difference {
    expected: String,
    came: String,
}

fn differs(expected: impl Into<String>, came: impl Into<String>) -> Difference {
    Difference { expected: expected.into(), came: came.into() }
}

pub fn run_program(program: &Program, scratch: &Path) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut replayed = false;
    for (nth, case) in program.cases.iter().enumerate() {
        let scratch = scratch.join(nth.to_string());
        let mut runner = Runner { program, case, scratch, failures: &mut failures, command: String::new() };
        if let Err(error) = runner.run(&mut replayed) {
            runner.fail(differs("the command can be run", error.to_string()));
        }
    }
    failures
}

struct Runner<'a> {
    program: &'a Program,
    case: &'a Case,
    scratch: PathBuf,
    failures: &'a mut Vec<Failure>,
    /// The latest one.
    command: String,
}

impl Runner<'_> {
    fn run(&mut self, replayed: &mut bool) -> io::Result<()> {
        std::fs::create_dir_all(&self.scratch)?;
        match &self.case.action {
            Action::Native { arguments } => self.native(arguments),
            Action::Gordian { subcommand, flags, arguments, expected } => {
                let json = matches!(subcommand.as_str(), "check" | "predict");
                let mut command = self.gordian(subcommand)?;
                command.args(flags);
                if json {
                    command.args(["--json", "--trace", "none"]);
                }
                let ran = self.start(command.arg("--").args(arguments), "work", None)?;
                let document = if json { serde_json::from_slice(&ran.stdout).ok() } else { None };
                match document {
                    Some(document) => self.document(&ran, &document, expected, replayed),
                    None => {
                        self.ending(&ran, expected);
                        Ok(())
                    }
                }
            }
        }
    }

    /// `gordian SUBCOMMAND FILE…` with what the program asks for.
    fn gordian(&self, subcommand: &str) -> io::Result<Command> {
        let mut command = Command::new(GORDIAN);
        command.arg(subcommand).arg(&self.program.path).args(&self.program.files);
        for flag in &self.program.cflags {
            command.arg(format!("--cflag={flag}"));
        }
        if let Some(stdin) = self.stdin()? {
            command.arg("--stdin").arg(stdin);
        }
        Ok(command)
    }

    fn stdin(&self) -> io::Result<Option<PathBuf>> {
        let Some(stdin) = &self.program.stdin else { return Ok(None) };
        let path = self.scratch.join("stdin.txt");
        std::fs::write(&path, stdin)?;
        Ok(Some(path))
    }

    fn start(&mut self, command: &mut Command, folder: &str, stdin: Option<&Path>) -> io::Result<Ran> {
        let ran = run(command, &self.scratch.join(folder), stdin)?;
        self.command = ran.command.clone();
        Ok(ran)
    }

    fn fail(&mut self, difference: Difference) {
        self.failures.push(Failure {
            line: self.case.line,
            directive: self.case.text.clone(),
            command: self.command.clone(),
            expected: difference.expected,
            came: difference.came,
        });
    }

    /// All that can be said of a command that printed no document.
    fn ending(&mut self, ran: &Ran, expected: &Expected) {
        let stderr = String::from_utf8_lossy(&ran.stderr);
        let code = exit_code(&expected.verdict);
        if ran.code() != Some(code) {
            let expected = format!("exit code {code} ({})", expected.verdict);
            return self.fail(differs(expected, format!("{}\n{stderr}", ran.ending())));
        }
        if let Some(message) = &expected.message
            && !stderr.contains(message.as_str())
        {
            self.fail(differs(format!("a message with `{message}`"), stderr));
        }
    }

    fn document(&mut self, ran: &Ran, document: &Value, expected: &Expected, replayed: &mut bool) -> io::Result<()> {
        for difference in compare(document, expected) {
            self.fail(difference);
        }
        if document["verdict"] != expected.verdict.as_str() {
            return Ok(());
        }
        let code = exit_code(&expected.verdict);
        if ran.code() != Some(code) {
            self.fail(differs(format!("exit code {code} ({})", expected.verdict), ran.ending()));
        }
        let expected_marks = self.program.marks.iter().filter(|mark| expected.kinds.contains(&mark.kind));
        for mark in expected_marks {
            if !names(document, mark) {
                let line = format!("a {} at {}:{}", mark.kind, mark.file.display(), mark.line);
                self.fail(differs(line, told(document)));
            }
        }
        if expected.verdict == "bug" && !*replayed {
            *replayed = true;
            self.replay(document)?;
        }
        Ok(())
    }

    fn replay(&mut self, document: &Value) -> io::Result<()> {
        let Some(test) = document["findings"][0]["test"].as_str() else {
            self.fail(differs("a saved test for each finding", "none"));
            return Ok(());
        };
        let ran = self.start(Command::new(GORDIAN).arg("replay").arg(test), "work", None)?;
        if ran.code() != Some(1) {
            let output = [ran.stdout.as_slice(), &ran.stderr].concat();
            let came = format!("{}\n{}", ran.ending(), String::from_utf8_lossy(&output));
            self.fail(differs("the finding shows again on replay, exit code 1", came));
        }
        Ok(())
    }

    fn native(&mut self, arguments: &[String]) -> io::Result<()> {
        let binary = self.scratch.join("native");
        let mut compile = Command::new("clang-22");
        compile.args(["-O0", "-w", "-mlong-double-64", "-pthread"]).args(&self.program.cflags);
        compile.arg(&self.program.path).args(&self.program.files).arg("-o").arg(&binary).arg("-lm");
        let compiled = self.start(&mut compile, "compile", None)?;
        if compiled.code() != Some(0) {
            self.fail(differs("it compiles", String::from_utf8_lossy(&compiled.stderr)));
            return Ok(());
        }
        let stdin = self.stdin()?;
        let native = self.start(Command::new(&binary).args(arguments).env_clear(), "native-work", stdin.as_deref())?;
        let mut command = self.gordian("run")?;
        let ours = self.start(command.arg("--").args(arguments), "work", None)?;
        if native.code().is_none() {
            self.fail(differs("the native program exits", native.ending()));
        } else if native.code() != ours.code() {
            let stderr = String::from_utf8_lossy(&ours.stderr);
            self.fail(differs(format!("{} as natively", native.ending()), format!("{}\n{stderr}", ours.ending())));
        }
        if native.stdout != ours.stdout {
            let (native, ours) = (String::from_utf8_lossy(&native.stdout), String::from_utf8_lossy(&ours.stdout));
            self.fail(first_difference(&native, &ours));
        }
        Ok(())
    }
}

fn exit_code(verdict: &str) -> i32 {
    match verdict {
        "safe" => 0,
        "bug" => 1,
        "usage" => 2,
        _ => 3,
    }
}

fn first_difference(native: &str, ours: &str) -> Difference {
    let same = native.lines().zip(ours.lines()).take_while(|(native, ours)| native == ours).count();
    let line =
        |text: &str| text.lines().nth(same).map_or("the end of the output".to_owned(), |line| format!("{line:?}"));
    differs(format!("line {} of the native output: {}", same + 1, line(native)), line(ours))
}

fn findings(document: &Value) -> &[Value] {
    document["findings"].as_array().map_or(&[], Vec::as_slice)
}

fn compare(document: &Value, expected: &Expected) -> Vec<Difference> {
    let mut differences = Vec::new();
    if document["verdict"] != expected.verdict.as_str() {
        let came = format!("{} ({})\n{}", document["verdict"], document["stop"], told(document));
        differences.push(differs(format!("verdict \"{}\"", expected.verdict), came));
    } else {
        let kinds: BTreeSet<&str> = findings(document).iter().filter_map(|finding| finding["kind"].as_str()).collect();
        if !kinds.iter().copied().eq(expected.kinds.iter().map(String::as_str)) {
            differences.push(differs(format!("kinds {}", expected.kinds.join(",")), told(document)));
        }
    }
    for (field, count) in [("executions", expected.executions), ("blocked", expected.blocked)] {
        if let Some(count) = count
            && document[field] != count
        {
            differences.push(differs(format!("{field}={count}"), format!("{field}={}", document[field])));
        }
    }
    if let Some(message) = &expected.message {
        let in_finding = findings(document)
            .iter()
            .any(|finding| finding["message"].as_str().is_some_and(|said| said.contains(message.as_str())));
        let in_stop = document["stop"]["detail"].as_str().is_some_and(|said| said.contains(message.as_str()));
        let notes = document["notes"].as_array().into_iter().flatten();
        let in_note = notes.into_iter().any(|note| note.as_str().is_some_and(|said| said.contains(message.as_str())));
        if !in_finding && !in_stop && !in_note {
            let came = format!("{} {}", document["stop"], told(document));
            differences.push(differs(format!("a message with `{message}`"), came));
        }
    }
    differences
}

/// Whether a finding of the mark's kind has a place on the marked line.
fn names(document: &Value, mark: &Mark) -> bool {
    let of_kind = findings(document).iter().filter(|finding| finding["kind"] == mark.kind.as_str());
    let mut places = of_kind.flat_map(|finding| finding["places"].as_array().map_or(&[][..], Vec::as_slice));
    places.any(|place| {
        let file = Path::new(place["file"].as_str().unwrap_or(""));
        place["line"] == mark.line && file.file_name() == mark.file.file_name()
    })
}

/// The findings in a line each.
fn told(document: &Value) -> String {
    let lines: Vec<String> = findings(document)
        .iter()
        .map(|finding| {
            let places: Vec<String> = finding["places"]
                .as_array()
                .map_or(&[][..], Vec::as_slice)
                .iter()
                .map(|place| {
                    let file = Path::new(place["file"].as_str().unwrap_or("")).file_name().unwrap_or_default();
                    format!("{}:{}", file.to_string_lossy(), place["line"])
                })
                .collect();
            let text = |field: &str| finding[field].as_str().unwrap_or("").to_owned();
            format!("{}: {} ({})", text("kind"), text("message"), places.join(", "))
        })
        .collect();
    if lines.is_empty() { "no finding".to_owned() } else { lines.join("\n") }
}
