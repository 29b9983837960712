//! `gordian run`.

use crate::args::RunArgs;
use crate::output::complain;
use crate::{findings, load};
use gordian_engine::End;
use gordian_trace::{Bound, exit_code};

pub fn run(args: &RunArgs) -> anyhow::Result<u8> {
    let program = load::from_command_line(&args.program, &args.machine)?;
    let template = load::template(&program, &args.program, &args.machine)?;
    let outcome = gordian_engine::run(&program, &template, true)?;
    findings::print_of_run(&outcome);
    if !outcome.findings.is_empty() {
        complain("`gordian check` saves what it finds as a test that replays");
        return Ok(exit_code::BUG);
    }
    Ok(match &outcome.end {
        // As a shell sees it: the low eight bits.
        End::Exit(status) => *status as u8,
        End::Failed => exit_code::INCONCLUSIVE,
        End::Dropped => {
            complain("an assumption of the program does not hold in this execution");
            exit_code::INCONCLUSIVE
        }
        End::Bound(Bound::Unroll) => {
            complain("a loop did not end within the iterations that --unroll allows");
            exit_code::INCONCLUSIVE
        }
        End::Bound(_) => {
            let most = template.machine.max_steps;
            complain(&format!("the execution did not end within {most} steps; see --max-steps"));
            exit_code::INCONCLUSIVE
        }
        End::Unsupported(what) => {
            complain(&format!("unsupported: {what}"));
            exit_code::INCONCLUSIVE
        }
    })
}
