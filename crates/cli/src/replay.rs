//! `gordian replay`.

use crate::args::{OutputArgs, ReplayArgs};
use crate::load::{self, Lowering};
use crate::output::{complain, print, print_report, sources, style};
use crate::saved;
use anyhow::{Context, bail};
use gordian_engine::{End, Replay};
use gordian_ir::Program;
use gordian_report::{Report, Reported};
use gordian_trace::{Bound, Bounds, Exploration, Finding, Machine, Stop, Summary, Test, Verdict, exit_code};
use std::io::stdout;
use std::path::Path;

pub fn replay(args: &ReplayArgs) -> anyhow::Result<u8> {
    let (program, test) = open(&args.test, args.force)?;
    show(&args.test, &program, &test, &args.output)
}

/// Replays a test and reports. Unlike elsewhere exit code 0 says no more than that no finding showed.
pub fn show(path: &Path, program: &Program, test: &Test, output: &OutputArgs) -> anyhow::Result<u8> {
    let mut replay = gordian_engine::replay(program, test)?;
    // The machine does not know which steps look like one: the order of its events tells.
    if let Some(claim) = &test.finding
        && gordian_predict::shows_violation(program, test)?
    {
        replay.findings.push(claim.clone());
        replay.as_claimed = true;
    }
    let claimed = shown(test, &replay);
    // After a change of the program something else may go wrong, which is worth as much.
    let shown = claimed.or(replay.findings.last());
    let summary = summary(test, &replay, shown);
    let reported = |finding| Reported { finding, test: Some(path), trace: &replay.trace, inputs: &replay.inputs };
    let finding = shown.map(reported);
    if output.json {
        print_report(&Report { summary: &summary, findings: finding.into_iter().collect() }, output)?;
    } else {
        print(&told(test, finding, claimed.is_some(), &summary, &replay, output))?;
    }
    Ok(match summary.verdict {
        Verdict::Bug => exit_code::BUG,
        Verdict::Safe | Verdict::Bounded => exit_code::SAFE,
        Verdict::Inconclusive => exit_code::INCONCLUSIVE,
    })
}

/// One execution needs no account of a search: what it printed, what it showed, and whether that was expected.
fn told(
    test: &Test,
    finding: Option<Reported>,
    is_claimed: bool,
    summary: &Summary,
    replay: &Replay,
    output: &OutputArgs,
) -> String {
    let mut text = String::new();
    if !output.quiet {
        text.push_str(&program_output(&replay.stdout));
        // Who replays a test knows the command.
        let shown = finding.map(|finding| Reported { test: None, ..finding });
        let told =
            shown.map(|shown| gordian_report::finding(&shown, output.trace.into(), &mut sources(), style(&stdout())));
        text.extend(told.map(|told| told + "\n"));
    }
    text.push_str(match (summary.verdict, &test.finding) {
        (Verdict::Bug, Some(_)) if is_claimed => "the finding showed again\n",
        (Verdict::Bug, Some(_)) => "the finding did not show, but another one did\n",
        (Verdict::Bug, None) => "the test ran to a failure\n",
        (Verdict::Inconclusive, _) => "the test could not be replayed to its end\n",
        (Verdict::Safe | Verdict::Bounded, Some(_)) => "the finding did not show\n",
        (Verdict::Safe | Verdict::Bounded, None) => "the test ran to its end without a failure\n",
    });
    for note in &summary.notes {
        text.push_str(&format!("  note: {note}\n"));
    }
    text
}

/// A saved test with its program, which must be the one that it was made from.
pub fn open(path: &Path, force: bool) -> anyhow::Result<(Program, Test)> {
    let mut test = Test::read(path)?;
    test.program.files = saved::files(&test, path);
    let Machine { overflow, undefined, uninitialised: uninit, unroll, .. } = test.machine;
    let lowering = Lowering { overflow, undefined, uninit, count_loops: unroll.is_some() };
    let program = load::program(&test.program.files, &test.machine.file_names, &test.program.cflags, lowering)
        .with_context(|| format!("cannot load the program of {}", path.display()))?;
    let (then, now) = (&test.program.identity, load::identity(&program));
    if *then != now {
        let path = path.display();
        if !force {
            bail!(
                "the program has changed since {path} was saved (it was {then} and is now {now}), so the test may \
                 not mean the same any more; `gordian replay --force {path}` replays it as far as it fits"
            );
        }
        complain(&format!("the program has changed since {path} was saved: it was {then} and is now {now}"));
    }
    if let Some(finding) = &mut test.finding {
        saved::rename_places(finding, &program);
    }
    Ok((program, test))
}

/// The finding that the replay was for, as this replay shows it.
fn shown<'a>(test: &Test, replay: &'a Replay) -> Option<&'a Finding> {
    match &test.finding {
        None => replay.findings.last(),
        Some(claim) => replay.findings.iter().find(|finding| finding.key() == claim.key()),
    }
}

fn summary(test: &Test, replay: &Replay, shown: Option<&Finding>) -> Summary {
    let mut hit = Vec::new();
    if let Some(End::Bound(bound)) = &replay.end {
        hit.push(*bound);
    }
    hit.push(Bound::Sampling);
    let mut notes = replay.notes.clone();
    let (verdict, stop) = match (shown, &replay.end) {
        (Some(_), _) => (Verdict::Bug, Stop::FirstFinding),
        (None, Some(End::Unsupported(what))) => (Verdict::Inconclusive, Stop::Unsupported(what.clone())),
        (None, None) => (Verdict::Inconclusive, Stop::Runs),
        (None, Some(_)) => (Verdict::Bounded, Stop::Runs),
    };
    if let Some(End::Unsupported(what)) = &replay.end {
        notes.push(format!("unsupported: {what}"));
    }
    if let Some(divergence) = &replay.divergence {
        notes.push(format!("the schedule does not fit this program: {divergence}"));
    }
    if let Some(claim) = test.finding.as_ref().filter(|claim| shown.is_none_or(|shown| shown.key() != claim.key())) {
        notes.push(format!("the test was to show: {}, {}", claim.kind, claim.message));
    }
    for other in replay.findings.iter().filter(|finding| shown != Some(finding)) {
        notes.push(format!("this execution also shows: {}, {}", other.kind, other.message));
    }
    let ended = u64::from(matches!(replay.end, Some(End::Exit(_) | End::Failed)));
    Summary {
        verdict,
        stop,
        bounds: Bounds {
            max_steps: test.machine.max_steps,
            preemptions: None,
            unroll: test.machine.unroll,
            rounds: None,
            interferences: None,
            hit,
        },
        exploration: Exploration { strategy: "replay".to_owned(), guarantee: String::new() },
        executions: ended,
        blocked: 1 - ended,
        steps: test.schedule.0.len() as u64,
        symbolic_inputs: false,
        solver_queries: 0,
        notes,
        coverage: None,
        solver: None,
        interference: None,
        prediction: None,
    }
}

const MOST_LINES: usize = 20;

/// What the program printed, set apart from what gordian says.
fn program_output(stdout: &[u8]) -> String {
    if stdout.is_empty() {
        return String::new();
    }
    let text = String::from_utf8_lossy(stdout);
    let mut out = String::from("the program printed:\n");
    for line in text.lines().take(MOST_LINES) {
        let line: String = line.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        out.push_str(&format!("  {line}\n"));
    }
    let more = text.lines().count().saturating_sub(MOST_LINES);
    if more > 0 {
        out.push_str(&format!("  … and {more} lines more\n"));
    }
    out.push('\n');
    out
}
