//! The one entry point for contributors: `cargo xtask demo`, `test`, `programs`, `bench`, `fuzz`,
//! `native-fuzz`, `soak`, `cbmc`.
//!
//! Works with nothing installed but Rust and a C linker, and installs the rest; so it depends on no other
//! crate of the workspace.

mod cbmc;
mod demo;
mod packages;
mod process;
mod soak;
mod test;
mod times;

use anyhow::bail;
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask demo                            build gordian and watch it find, replay and rule out a bug
cargo xtask test [--quick] [--bless] [FILTER]
                                            format, lints, unit tests, program tests; the quick ones alone
cargo xtask programs [FILTER] [--jobs N]    the programs under tests/programs alone
cargo xtask bench [--quick] [FILTER]        the benchmarks
cargo xtask fuzz [--seconds N] [--seed S]   mutated programs and tests until stopped, or for N seconds of each kind
cargo xtask native-fuzz [--seconds N] [--seed S]
                                            generated programs against clang, gcc and enumeration, until stopped or for N seconds
cargo xtask soak [--seconds N] [--seed S] [--cases N] [--jobs N] [FILTER]
                                            all generated tests with new seeds until stopped, then a report
cargo xtask cbmc                            get CBMC, for the tests of sequentialized programs

FILTER is a part of a test's or program's name. --bless rewrites the expected output of reports.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match arguments.split_first() {
        Some((_, rest)) if rest.iter().any(|argument| argument == "--help") => ("help", rest),
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", &[][..]),
    };
    let result = match command {
        "demo" => demo::demo(),
        "test" => test::test(rest),
        "programs" => test::programs(rest),
        "bench" => test::bench(rest),
        "fuzz" => test::fuzz(rest),
        "native-fuzz" => test::native_fuzz(rest),
        "soak" => soak::soak(rest),
        "cbmc" => cbmc::cbmc(),
        times::TIME => times::time(rest),
        "help" | "--help" | "-h" => {
            println!("{HELP}");
            Ok(())
        }
        other => unknown(other),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn unknown(command: &str) -> anyhow::Result<()> {
    bail!("`{command}` is no command; there are:\n{HELP}")
}
