//! The command `gordian`: flags, exit codes, wiring.

mod args;
mod check;
mod checkpoint;
mod emitted;
mod estimate;
#[cfg(feature = "explain")]
mod explain;
mod facts;
mod findings;
mod inputs;
mod listing;
mod load;
mod output;
mod pairs;
mod predict;
mod record;
mod replay;
mod run;
mod saved;
mod sequentialize;
mod shrink;
mod stop;
mod traces;
mod unfolding;
mod values;

use args::{Cli, Command};
use clap::Parser;
use gordian_trace::exit_code;
use std::panic::{PanicHookInfo, catch_unwind};
use std::process::ExitCode;

fn main() -> ExitCode {
    // clap ends a wrong command line with exit code 2, which is `exit_code::USAGE`.
    let cli = Cli::parse();
    std::panic::set_hook(Box::new(internal_error));
    let code = match catch_unwind(|| dispatch(&cli.command)) {
        Ok(Ok(code)) => code,
        Ok(Err(error)) => {
            output::complain(&output::sentence(&error));
            exit_code::USAGE
        }
        Err(_) => exit_code::INTERNAL,
    };
    ExitCode::from(code)
}

fn dispatch(command: &Command) -> anyhow::Result<u8> {
    match command {
        Command::Check(args) => check::check(args),
        Command::Run(args) => run::run(args),
        Command::Replay(args) => replay::replay(args),
        Command::Shrink(args) => shrink::shrink(args),
        Command::Record(args) => record::record(args),
        Command::Predict(args) => predict::predict(args),
        Command::Trace(args) => traces::convert(args),
        Command::Ir(args) => listing::ir(args),
        Command::Pairs(args) => pairs::pairs(args),
        Command::Sequentialize(args) => sequentialize::sequentialize(args),
    }
}

fn internal_error(panic: &PanicHookInfo) {
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    let place = panic.location().map(|place| format!(" at {place}")).unwrap_or_default();
    let text = text.unwrap_or("no reason given").replace('\n', " ");
    output::complain(&format!("internal error: {text}{place}; please report this with the program that shows it"));
}
