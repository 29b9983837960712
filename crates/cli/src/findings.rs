//! What every command does with the findings of a search or a run.

use crate::args::OutputArgs;
use crate::output::{complain, print_error, print_report, sentence, sources, style};
use crate::saved::Saver;
use gordian_engine::{Outcome, RunOutcome};
use gordian_report::{Detail, Report, Reported};
use gordian_trace::{Stop, Test, exit_code};
use std::io::stderr;
use std::path::{Path, PathBuf};

/// Saves the findings of a search in this folder and prints its report. Returns the exit code.
pub fn conclude(outcome: &Outcome, template: &Test, out: &Path, output: &OutputArgs) -> anyhow::Result<u8> {
    let mut saver = Saver::new(out, template);
    let saved = outcome.findings.iter().map(|found| saver.save(&found.test, &found.finding));
    let tests: Vec<anyhow::Result<PathBuf>> = saved.collect();
    let findings = outcome.findings.iter().zip(&tests).map(|(found, test)| Reported {
        finding: &found.finding,
        test: test.as_deref().ok(),
        trace: &found.trace,
        inputs: &found.inputs,
    });
    print_report(&Report { summary: &outcome.summary, findings: findings.collect() }, output)?;
    // What was found is told all the same: it may have taken hours.
    if let Some(error) = tests.iter().find_map(|test| test.as_ref().err()) {
        complain(&format!("a test was not saved: {}", sentence(error)));
    }
    Ok(match outcome.summary.stop {
        Stop::Panicked(_) => exit_code::INTERNAL,
        _ => outcome.summary.verdict.exit_code(),
    })
}

/// Prints the findings of a single run, which are not saved.
pub fn print_of_run(outcome: &RunOutcome) {
    let (mut sources, style) = (sources(), style(&stderr()));
    for found in &outcome.findings {
        let reported = Reported { finding: &found.finding, test: None, trace: &found.trace, inputs: &found.inputs };
        print_error(&gordian_report::finding(&reported, Detail::Short, &mut sources, style));
    }
    for sentence in &outcome.unconfirmed {
        complain(&format!("a finding did not show again on replay, please report this: {sentence}"));
    }
}
