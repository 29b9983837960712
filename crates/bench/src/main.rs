//! The benchmarks: `cargo xtask bench [--quick] [--alone] [FILTER]`. Prints tables in Markdown.
//!
//! What is counted (executions, exit codes) is the same on every machine, and a wrong count fails. What is
//! timed is CPU time, because machines are loaded, and taken side by side with what it is compared with.

mod access_pairs;
mod explore;
mod interference;
mod interpret;
mod machine;
mod measure;
mod predict;
mod programs;
mod sequentialize;
mod shortcuts;
mod symbolic;
mod unfoldings;
mod workers;
mod z3;

use std::process::ExitCode;

pub struct Options {
    /// One repetition instead of three.
    quick: bool,
    /// Leave LLVM's interpreter out: for work on gordian's.
    alone: bool,
    filter: String,
}

impl Options {
    fn repetitions(&self) -> usize {
        if self.quick { 1 } else { 3 }
    }

    fn wants(&self, name: &str) -> bool {
        name.contains(&self.filter)
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [unfoldings::ALONE, cell @ ..] = &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return ended(unfoldings::measure_alone(cell));
    }
    let mut options = Options { quick: false, alone: false, filter: String::new() };
    for argument in &arguments {
        match argument.as_str() {
            "--quick" => options.quick = true,
            "--alone" => options.alone = true,
            flag if flag.starts_with('-') => {
                return ended(Err(anyhow::anyhow!("takes --quick, --alone and one filter, not `{flag}`")));
            }
            filter => filter.clone_into(&mut options.filter),
        }
    }
    let ran = interpret::run(&options)
        .and_then(|()| machine::run(&options))
        .and_then(|()| explore::run(&options))
        .and_then(|()| shortcuts::run(&options))
        .and_then(|()| workers::run(&options))
        .and_then(|()| symbolic::run(&options))
        .and_then(|()| interference::run(&options))
        .and_then(|()| unfoldings::run(&options))
        .and_then(|()| access_pairs::run(&options))
        .and_then(|()| sequentialize::run(&options))
        .and_then(|()| predict::run(&options));
    ended(ran)
}

fn ended(ran: anyhow::Result<()>) -> ExitCode {
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}
