//! What CI runs.

use crate::process::{cargo, exit_code, root, run, say, text};
use crate::{packages, times};
use anyhow::{Context, bail};
use std::process::{Command, Stdio};

/// Test binaries that generate their programs, explore many, or wait for compilers: `--quick` leaves them out.
const SLOW: [&str; 19] = [
    "commute",
    "degrees",
    "enumeration",
    "estimate",
    "exhaustive",
    "foreign",
    "fuzz",
    "generated",
    "known_bad",
    "native",
    "own",
    "programs",
    "properties",
    "random",
    "soundness",
    "symbolic",
    "team",
    "verdicts",
    "workers",
];

pub fn test(arguments: &[String]) -> anyhow::Result<()> {
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let (bless, quick) = (has("--bless"), has("--quick"));
    let words: Vec<&String> =
        arguments.iter().filter(|argument| !["--bless", "--quick"].contains(&argument.as_str())).collect();
    let filter = match words.as_slice() {
        [] => None,
        [filter] if !filter.starts_with('-') => Some(filter.as_str()),
        _ => bail!("`cargo xtask test` takes --quick, --bless and one filter"),
    };
    packages::compiler()?;
    packages::rust_tools()?;
    run("format", cargo().args(["fmt", "--all", "--check"]))?;
    run("lints", cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    let mut unit = cargo();
    unit.args(["test", "--workspace", "--no-fail-fast"]);
    if quick {
        unit.args(["--lib", "--bins"]);
        for name in quick_tests()? {
            unit.args(["--test", &name]);
        }
    }
    unit.args(filter);
    if bless {
        unit.env("GORDIAN_BLESS", "1");
    }
    times::run_tests("unit tests", &mut unit)?;
    if quick {
        return Ok(());
    }
    let explain = ["test", "--package", "gordian-strategies", "--features", "explain", "--lib", "explain"];
    run("a search that says why", cargo().args(explain))?;
    run_programs(filter.into_iter().chain(filter.map(|_| "--may-be-none")))
}

/// Names of all integration tests but the slow ones.
fn quick_tests() -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for package in std::fs::read_dir(root().join("crates"))? {
        let Ok(tests) = std::fs::read_dir(package?.path().join("tests")) else { continue };
        for test in tests {
            let path = test?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let is_test = path.extension().is_some_and(|extension| extension == "rs") || path.join("main.rs").exists();
            if is_test && !SLOW.contains(&name.as_str()) {
                names.push(name);
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
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

/// The values of `--seconds`, if it is there, and `--seed`.
fn seconds_and_seed(command: &str, arguments: &[String]) -> anyhow::Result<(Option<u64>, u64)> {
    let (mut seconds, mut seed) = (None, 1u64);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let number = || words.next().and_then(|number| number.parse().ok());
        match (word.as_str(), number) {
            ("--seconds", mut number) => seconds = Some(number().context("--seconds wants a number")?),
            ("--seed", mut number) => seed = number().context("--seed wants a number")?,
            (other, _) => bail!("`cargo xtask {command}` takes --seconds N and --seed S, not `{other}`"),
        }
    }
    Ok((seconds, seed))
}

/// Generated programs against native compilers and against enumeration, with another seed each round, until the user has enough.
pub fn native_fuzz(arguments: &[String]) -> anyhow::Result<()> {
    let (seconds, mut seed) = seconds_and_seed("native-fuzz", arguments)?;
    packages::compiler()?;
    packages::gcc()?;
    let csmith = packages::csmith();
    let round = seconds.unwrap_or(600);
    loop {
        for (name, seconds) in [("native", round.div_ceil(2)), ("enumeration", round / 2)] {
            let mut test = cargo();
            test.args(["test", "--release", "--package", "gordian", "--test", name, "--", "--nocapture"]);
            test.env("GORDIAN_SECONDS", seconds.to_string()).env("GORDIAN_SEED", seed.to_string());
            if let Some((program, include)) = &csmith {
                test.env("GORDIAN_CSMITH", program).env("GORDIAN_CSMITH_INCLUDE", include);
            }
            run(&format!("generated programs with seed {seed}; those that differ are kept in target/tmp"), &mut test)?;
        }
        if seconds.is_some() {
            return Ok(());
        }
        seed += 1;
    }
}

/// A round for each kind of input after the other, with another seed each round, until the user has enough.
pub fn fuzz(arguments: &[String]) -> anyhow::Result<()> {
    let (seconds, mut seed) = seconds_and_seed("fuzz", arguments)?;
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
