//! One thread of plain computation, against LLVM's own interpreter on the same bitcode.

use crate::measure::{children_seconds, timed};
use crate::{Options, programs};
use anyhow::{Context, bail, ensure};
use gordian_engine::End;
use gordian_ir::Program;
use gordian_trace::{RaceMode, Test};
use gordian_vm::Machine;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const NAMES: [&str; 6] = ["sieve", "matrix", "quicksort", "mix", "nbody", "strings"];
/// At least this is expected of a sieve and a matrix product.
const EXPECTED_RATIO: f64 = 20.0;
/// The kernel tells CPU time in milliseconds, and some programs take few.
const TIMES: u32 = 10;

pub fn run(options: &Options) -> anyhow::Result<()> {
    let names: Vec<_> = NAMES.into_iter().filter(|name| options.wants(name)).collect();
    if names.is_empty() {
        return Ok(());
    }
    println!("## Interpreting: one thread, CPU seconds, best of {}\n", options.repetitions());
    println!(
        "`gordian` runs the loaded program; `lli` is `lli-22 --force-interpreter` on the same bitcode (sroa only), start included.\n"
    );
    println!("| program | exit code | gordian (s) | lli (s) | lli / gordian |");
    println!("|---|---:|---:|---:|---:|");
    let folder = std::env::temp_dir().join(format!("gordian-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).context("cannot make a temporary folder")?;
    let mut least = f64::INFINITY;
    for name in names {
        let bitcode = compile(name, &folder)?;
        let program = programs::read(&bitcode, &[])?;
        let (ours, code) = best(options, || on_gordian(&program))?;
        if options.alone {
            println!("| {name} | {code} | {ours:.4} | | |");
            continue;
        }
        let (theirs, reference) = best(options, || on_lli(&bitcode))?;
        ensure!(code == reference, "{name} gives {code} on gordian and {reference} on lli");
        let ratio = theirs / ours;
        least = least.min(ratio);
        println!("| {name} | {code} | {ours:.4} | {theirs:.2} | {ratio:.0} |");
    }
    if options.alone {
        return Ok(());
    }
    println!("\nAt least {least:.0} times faster; expected {EXPECTED_RATIO:.0}.\n");
    let _ = std::fs::remove_dir_all(&folder);
    Ok(())
}

fn best(options: &Options, mut work: impl FnMut() -> anyhow::Result<(f64, i32)>) -> anyhow::Result<(f64, i32)> {
    let mut best = work()?;
    for _ in 1..options.repetitions() {
        let (seconds, code) = work()?;
        ensure!(code == best.1, "two runs of one program give {code} and {}", best.1);
        best.0 = best.0.min(seconds);
    }
    Ok(best)
}

/// As gordian's front end would: no pass but sroa. lli knows no fused multiply-add.
fn compile(name: &str, folder: &Path) -> anyhow::Result<PathBuf> {
    let (plain, bitcode) = (folder.join(format!("{name}-plain.bc")), folder.join(format!("{name}.bc")));
    let mut clang = Command::new("clang-22");
    clang.args(["-O1", "-g", "-ffp-contract=off", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "-o"]);
    succeed(clang.arg(&plain).arg(programs::source(name)))?;
    succeed(Command::new("opt-22").args(["-passes=sroa", "-o"]).arg(&bitcode).arg(&plain))?;
    Ok(bitcode)
}

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}; install the package llvm-22"))?;
    ensure!(status.success(), "{command:?} failed");
    Ok(())
}

fn on_gordian(program: &Program) -> anyhow::Result<(f64, i32)> {
    let test = programs::test(RaceMode::Report);
    let (seconds, code) = timed(|| (0..TIMES).try_fold(0, |_, _| once(program, &test)))?;
    Ok((seconds / f64::from(TIMES), code))
}

fn once(program: &Program, test: &Test) -> anyhow::Result<i32> {
    let mut machine = Machine::new(program, test)?;
    while machine.end().is_none() {
        machine.step(machine.choices()[0]);
    }
    match machine.end() {
        Some(End::Exit(code)) => Ok(*code),
        other => bail!("the execution ended with {other:?}"),
    }
}

fn on_lli(bitcode: &Path) -> anyhow::Result<(f64, i32)> {
    let before = children_seconds()?;
    let mut command = Command::new("lli-22");
    command.arg("--force-interpreter").arg(bitcode).stdin(Stdio::null());
    let status = command.status().context("cannot run lli-22; install the package llvm-22")?;
    let seconds = children_seconds()? - before;
    Ok((seconds, status.code().context("lli-22 was ended by a signal")?))
}
