//! A look at gordian in three commands.

use crate::packages;
use crate::process::{cargo, exit_code, root, run, say, target, text};
use anyhow::{Context, bail};
use std::path::PathBuf;
use std::process::Command;

/// Exit codes of gordian.
const SAFE: i32 = 0;
const BUG: i32 = 1;

pub fn demo() -> anyhow::Result<()> {
    packages::compiler()?;
    run("building gordian", cargo().args(["build", "--release", "--package", "gordian"]))?;
    let folder = target().join("demo");
    let _ = std::fs::remove_dir_all(&folder);

    say(
        "examples/bank.c moves money between two accounts in two threads. Most runs end well. gordian looks for one that does not:",
    );
    let mut check = gordian(&["check", "examples/bank.c"]);
    expect(check.arg("--out").arg(&folder), BUG)?;

    let test = saved_test(&folder)?;
    say("The failing schedule was saved. It replays exactly, as often as you like, here or on another machine:");
    expect(gordian(&["replay"]).arg(test), BUG)?;

    say("examples/bank_fixed.c takes the locks in one order. gordian tries every schedule, and there is no bug left:");
    expect(&mut gordian(&["check", "examples/bank_fixed.c"]), SAFE)?;

    say("Done: a bug found, replayed, and its correction proved. Now try it on a program of yours:");
    println!("   {} check your_program.c", binary().display());
    Ok(())
}

fn binary() -> PathBuf {
    target().join("release/gordian")
}

fn gordian(arguments: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.current_dir(root()).args(arguments);
    command
}

fn expect(command: &mut Command, expected: i32) -> anyhow::Result<()> {
    let shown = text(command).replace(&binary().display().to_string(), "gordian");
    let code = exit_code(&format!("$ {shown}"), command)?;
    if code != expected {
        bail!("`{shown}` ended with exit code {code} instead of {expected}");
    }
    Ok(())
}

/// The first of the deadlocks, else of anything.
fn saved_test(folder: &std::path::Path) -> anyhow::Result<PathBuf> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut tests: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    tests.sort_by_key(|test| (!test.display().to_string().contains("deadlock"), test.clone()));
    tests.into_iter().next().context("gordian saved no test")
}
