//! What CI runs.

use crate::packages;
use crate::process::{cargo, exit_code, root, run, say, text};
use anyhow::{Context, bail};
use std::process::{Command, Stdio};

pub fn test(arguments: &[String]) -> anyhow::Result<()> {
    let bless = arguments.iter().any(|argument| argument == "--bless");
    let words: Vec<&String> = arguments.iter().filter(|argument| *argument != "--bless").collect();
    let filter = match words.as_slice() {
        [] => None,
        [filter] if !filter.starts_with('-') => Some(filter.as_str()),
        _ => bail!("`cargo xtask test` takes --bless and one filter"),
    };
    packages::compiler()?;
    packages::rust_tools()?;
    run("format", cargo().args(["fmt", "--all", "--check"]))?;
    run("lints", cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    let mut unit = cargo();
    unit.args(["test", "--workspace", "--no-fail-fast"]).args(filter);
    if bless {
        unit.env("GORDIAN_BLESS", "1");
    }
    run("unit tests", &mut unit)?;
    run_programs(filter.into_iter().chain(filter.map(|_| "--may-be-none")))
}

pub fn programs(arguments: &[String]) -> anyhow::Result<()> {
    packages::compiler()?;
    run_programs(arguments.iter().map(String::as_str))
}

/// With optimisation: the programs are explored exhaustively. The runner has the last word, so it is built by
/// cargo but not run by it.
fn run_programs<'a>(arguments: impl Iterator<Item = &'a str>) -> anyhow::Result<()> {
    let mut build = cargo();
    build.args(["test", "--release", "--package", "gordian", "--test", "programs", "--no-run"]);
    build.arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit());
    say("building the program tests");
    let output = build.output().with_context(|| format!("cannot run `{}`", text(&build)))?;
    if !output.status.success() {
        bail!("`{}` failed", text(&build));
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let runner = messages.lines().filter(|line| line.contains("\"kind\":[\"test\"]")).find_map(executable);
    let runner = runner.context("cargo did not say where the runner of the program tests is")?;
    if exit_code("program tests", Command::new(runner).args(arguments).current_dir(root()))? != 0 {
        std::process::exit(1);
    }
    Ok(())
}

/// The value of the field `executable` of one of cargo's messages.
pub fn executable(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("\"executable\":\"")?;
    rest.split_once('"').map(|(path, _)| path)
}

pub fn bench(arguments: &[String]) -> anyhow::Result<()> {
    packages::compiler()?;
    packages::interpreter()?;
    run("benchmarks", cargo().args(["run", "--release", "--package", "gordian-bench", "--"]).args(arguments))
}

/// A round for each kind of input after the other, with another seed each round, until the user has enough.
pub fn fuzz(arguments: &[String]) -> anyhow::Result<()> {
    let (mut seconds, mut seed) = (None, 1u64);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let number = || words.next().and_then(|number| number.parse().ok());
        match (word.as_str(), number) {
            ("--seconds", mut number) => seconds = Some(number().context("--seconds wants a number")?),
            ("--seed", mut number) => seed = number().context("--seed wants a number")?,
            (other, _) => bail!("`cargo xtask fuzz` takes --seconds N and --seed S, not `{other}`"),
        }
    }
    packages::compiler()?;
    loop {
        let mut test = cargo();
        test.args(["test", "--release", "--package", "gordian", "--test", "fuzz", "--", "--nocapture"]);
        test.env("GORDIAN_FUZZ_SECONDS", seconds.unwrap_or(600u64).to_string());
        test.env("GORDIAN_FUZZ_SEED", seed.to_string());
        run(&format!("fuzzing with seed {seed}; what breaks gordian is kept in target/fuzz"), &mut test)?;
        if seconds.is_some() {
            return Ok(());
        }
        seed += 1;
    }
}
