//! The verdict, why the search stopped, and what it covered.

use crate::Report;
use crate::style::{Paint, Style};
use crate::text::{clean, counted, grouped, wrap};
use gordian_trace::{
    Bound, BranchPlace, CheckSummary, Coverage, DegreeSummary, FirstCovered, InterferenceEnd, InterferenceSummary,
    PredictionSummary, RegionSummary, SimplificationSummary, SolverSummary, Stop, Summary, SwitchSet, Verdict,
};
use std::collections::BTreeMap;
use std::fmt::Write;

pub fn summary(report: &Report, style: Style) -> String {
    let summary = report.summary;
    let paint = match summary.verdict {
        Verdict::Bug => Paint::Bad,
        Verdict::Safe => Paint::Good,
        Verdict::Bounded | Verdict::Inconclusive => Paint::Caution,
    };
    let mut out = format!("{}: {}\n", style.paint(paint, summary.verdict.name()), verdict(report));
    let mut row = |label: &str, text: &str| {
        let label = style.paint(Paint::Dim, &format!("{label:<10}"));
        let lines = wrap(&clean(text), style.width.saturating_sub(13).max(20));
        let _ = writeln!(out, "  {label} {}", lines.join("\n             "));
    };
    row("search", &summary.stop.to_string());
    row("explored", &explored(summary));
    if summary.symbolic_inputs {
        row("inputs", &counted(summary.solver_queries, "solver query"));
    }
    if let Some(solver) = &summary.solver {
        row("paths", &paths(solver));
        row("solver", &answered(solver));
    }
    row("strategy", &summary.exploration.strategy);
    if let Some(interference) = &summary.interference {
        for line in degrees(interference) {
            row("scenarios", &line);
        }
        row("forest", &asked_of_forest(interference));
        row("end", end(interference.end));
    }
    if let Some(prediction) = &summary.prediction {
        row("run", &observed(prediction));
        for step in &prediction.simplification {
            row("simplified", &simplified(step));
        }
        for check in &prediction.checks {
            row("predicted", &checked(check));
        }
        row("predicted", &all_checked(prediction));
        row("regions", &regions(&prediction.regions));
        row("solver", &asked_for_orders(prediction));
        if !prediction.kept_in_order.is_empty() {
            row("as it was", &format!("the order of the run was kept for {}", prediction.kept_in_order.join(", ")));
        }
    }
    if !summary.exploration.guarantee.is_empty() {
        row("guarantee", &summary.exploration.guarantee);
    }
    row("bounds", &bounds(summary));
    if let Some(coverage) = &summary.coverage {
        row("coverage", &covered(coverage));
        for first in &coverage.first {
            row("covered", &first_covered(first));
            for way in &first.branches {
                row("", &format!("  {}", missed_way(way)));
            }
        }
        for missed in &coverage.missed {
            row(if coverage.unreachable { "unreachable" } else { "never" }, &missed_way(missed));
        }
    }
    for note in &summary.notes {
        row("note", note);
    }
    out
}

fn observed(prediction: &PredictionSummary) -> String {
    let PredictionSummary { events, threads, transitions, .. } = *prediction;
    let threads = counted(threads as u64, "thread");
    format!("{} of {threads} in {}", counted(events as u64, "event"), counted(transitions as u64, "transition"))
}

fn simplified(step: &SimplificationSummary) -> String {
    let SimplificationSummary { step, is_off, transitions, switches, set } = step;
    let off = if *is_off { " (off)" } else { "" };
    let (at_most, minimal) = match set {
        SwitchSet::Adequate => ("", ""),
        SwitchSet::Minimal => ("", ", none of which can be spared"),
        SwitchSet::AtMost => ("at most ", ""),
    };
    let (transitions, switches) = (counted(*transitions, "transition"), grouped(*switches));
    format!("{step}{off}: {transitions}, {at_most}{switches} context switches{minimal}")
}

fn checked(check: &CheckSummary) -> String {
    let number = |number: usize| grouped(number as u64);
    let (candidates, predicted) = (counted(check.candidates as u64, "candidate"), number(check.predicted));
    let mut text = format!("{}: {candidates}, {predicted} predicted, {} replayed", check.what, number(check.replayed));
    if check.undecided > 0 {
        let _ = write!(text, ", {} undecided", number(check.undecided));
    }
    if check.slice_transitions > 0 {
        let (transitions, switches) = (number(check.slice_transitions), grouped(check.slice_switches));
        let _ = write!(text, "; on average {transitions} transitions with {switches} context switches");
    }
    text
}

fn all_checked(prediction: &PredictionSummary) -> String {
    let number = |number: usize| grouped(number as u64);
    format!(
        "in all: {} predicted, {} replayed; {} violated regions, {} other findings",
        number(prediction.predicted),
        number(prediction.replayed),
        number(prediction.regions.violated),
        number(prediction.other_findings)
    )
}

fn regions(regions: &RegionSummary) -> String {
    let RegionSummary { inferred, declared, dropped, proved, unviolated, violated, undecided, .. } = *regions;
    let undecided = if undecided > 0 { format!(", {undecided} undecided") } else { String::new() };
    format!(
        "{inferred} inferred, {declared} declared; {dropped} dropped, {proved} proved, {unviolated} not violated, {violated} violated{undecided}"
    )
}

fn asked_for_orders(prediction: &PredictionSummary) -> String {
    let PredictionSummary { order_queries, lines, data_queries, .. } = *prediction;
    let (orders, lines) = (counted(order_queries, "order query"), counted(lines, "candidate order"));
    format!("{orders}, {lines} tried, {}", counted(data_queries, "data query"))
}

/// What was found with how many interferences.
fn degrees(summary: &InterferenceSummary) -> Vec<String> {
    let line = |(k, degree): (usize, &DegreeSummary)| {
        let DegreeSummary { branches, candidates, realizable, findings, .. } = *degree;
        let found = if findings > 0 { format!(", {}", counted(findings as u64, "finding")) } else { String::new() };
        format!(
            "{}: {}, {} realizable; {} new branch directions{found}",
            counted(k as u64, "interference"),
            counted(candidates, "candidate"),
            grouped(realizable),
            grouped(branches as u64),
        )
    };
    summary.degrees.iter().enumerate().map(line).collect()
}

fn asked_of_forest(summary: &InterferenceSummary) -> String {
    let InterferenceSummary { nodes, data_queries, order_queries, known, .. } = *summary;
    format!(
        "{}; {}, {}; {} refuted by known cores",
        counted(nodes as u64, "node"),
        counted(data_queries, "data query"),
        counted(order_queries, "order query"),
        grouped(known)
    )
}

fn end(end: InterferenceEnd) -> &'static str {
    match end {
        InterferenceEnd::FullCoverage => "full coverage: every branch was taken in both directions",
        InterferenceEnd::MaximalCoverage => "maximal coverage: all candidates were explored",
        InterferenceEnd::Interferences => "all candidates with so few interferences were explored",
        InterferenceEnd::Stopped => "stopped before all candidates were explored",
    }
}

fn paths(solver: &SolverSummary) -> String {
    let SolverSummary { paths, most_orders, .. } = *solver;
    let orders = match most_orders {
        0 | 1 => "each in one order of dependent steps".to_owned(),
        most => format!("each in up to {} orders of dependent steps", grouped(most)),
    };
    format!("{}, {orders}", counted(paths, "path"))
}

/// Who answered queries. One of several parts can be answered by several layers.
fn answered(solver: &SolverSummary) -> String {
    let queries = counted(solver.queries, "query");
    let layers = solver.layers.iter().map(|layer| format!("{} {}", layer.name, grouped(layer.answered)));
    format!("{queries}, answered by {}", layers.collect::<Vec<_>>().join(", "))
}

fn covered(coverage: &Coverage) -> String {
    let Coverage { branches, covered, .. } = *coverage;
    let percent = (100 * covered).checked_div(branches).unwrap_or(100);
    format!("{} of {} branch directions ({percent}%)", grouped(covered as u64), grouped(branches as u64))
}

/// Which execution it was: its number, its inputs, and whose steps it made.
fn first_covered(first: &FirstCovered) -> String {
    let mut text = format!("in execution {}", grouped(first.execution));
    let inputs = crate::inputs(&first.inputs);
    if !inputs.is_empty() {
        text.push_str(&format!(" with {}", inputs.join(", ")));
    }
    if !first.schedule.is_empty() {
        let told: String = first.schedule.chars().take(MOST_OF_SCHEDULE).collect();
        let cut = if told.len() < first.schedule.len() { "…" } else { "" };
        text.push_str(&format!(", schedule {told}{cut}"));
    }
    text
}

/// Characters of a schedule that are told.
const MOST_OF_SCHEDULE: usize = 120;

fn missed_way(missed: &BranchPlace) -> String {
    let BranchPlace { file, line, column, function, outcome } = missed;
    format!("{file}:{line}:{column} {outcome}, in {function}")
}

fn verdict(report: &Report) -> String {
    match report.summary.verdict {
        Verdict::Bug => findings(report),
        Verdict::Safe if report.summary.symbolic_inputs => {
            "no failure exists, for all inputs: every behaviour was explored and no bound was hit".to_owned()
        }
        Verdict::Safe => "no failure exists: every behaviour was explored and no bound was hit".to_owned(),
        Verdict::Bounded if !up_to(report.summary).is_empty() => {
            format!("safe up to {}; beyond there may be a failure", up_to(report.summary).join(" and "))
        }
        Verdict::Bounded if !report.findings.is_empty() => {
            format!("{}, not replayed or without harm that was seen; other runs may show more", findings(report))
        }
        Verdict::Bounded => "no failure was found within the bounds; beyond them there may be one".to_owned(),
        Verdict::Inconclusive => match report.summary.stop {
            Stop::NoEnd(_) => "no execution came to its end".to_owned(),
            Stop::Unsupported(_) => "the program does something that gordian cannot run".to_owned(),
            Stop::Unconfirmed(_) => "gordian could not confirm what it found; please report this".to_owned(),
            Stop::Panicked(_) => "gordian failed; please report this with the program that shows it".to_owned(),
            _ => "the search ended before it could tell".to_owned(),
        },
    }
}

/// How many findings there are of each kind.
fn findings(report: &Report) -> String {
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for reported in &report.findings {
        *kinds.entry(reported.finding.kind.name()).or_default() += 1;
    }
    let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    format!("{} ({})", counted(report.findings.len() as u64, "finding"), kinds.join(", "))
}

/// The bounds that a search to its end was safe up to; none if something else was left out.
fn up_to(summary: &Summary) -> Vec<String> {
    let bounds = &summary.bounds;
    let told = bounds.hit.iter().map(|bound| match bound {
        Bound::Steps => Some(counted(bounds.max_steps, "step")),
        Bound::Preemptions => bounds.preemptions.map(|preemptions| counted(preemptions.into(), "preemption")),
        Bound::Unroll => bounds.unroll.map(|unroll| format!("unroll {}", grouped(unroll.into()))),
        Bound::Rounds => {
            bounds.rounds.map(|rounds| format!("{} of loops that wait for others", counted(rounds.into(), "round")))
        }
        Bound::Interferences => bounds.interferences.map(|most| counted(most.into(), "interference")),
        Bound::Sampling
        | Bound::Instructions
        | Bound::Inputs
        | Bound::Values
        | Bound::Branches
        | Bound::Reorderings => None,
    });
    if summary.stop == Stop::Exhausted { told.collect::<Option<_>>().unwrap_or_default() } else { Vec::new() }
}

fn explored(summary: &Summary) -> String {
    let blocked = match summary.blocked {
        0 => String::new(),
        blocked => format!(" and {} blocked or cut off", grouped(blocked)),
    };
    format!("{}{blocked}, {} in total", counted(summary.executions, "execution"), counted(summary.steps, "step"))
}

fn bounds(summary: &Summary) -> String {
    let mut text = format!("{} an execution", counted(summary.bounds.max_steps, "step"));
    if let Some(preemptions) = summary.bounds.preemptions {
        let _ = write!(text, ", {}", counted(preemptions.into(), "preemption"));
    }
    if let Some(unroll) = summary.bounds.unroll {
        let _ = write!(text, ", {} a loop", counted(unroll.into(), "iteration"));
    }
    if let Some(rounds) = summary.bounds.rounds {
        let _ = write!(text, ", {} of a loop that waits for others", counted(rounds.into(), "round"));
    }
    let hit: Vec<&str> = summary.bounds.hit.iter().map(|bound| hit(*bound)).collect();
    match hit.as_slice() {
        [] => text.push_str("; none was hit"),
        hit => {
            let _ = write!(text, "; hit: {}", hit.join("; "));
        }
    }
    text
}

fn hit(bound: Bound) -> &'static str {
    match bound {
        Bound::Steps => "the steps of an execution",
        Bound::Preemptions => "the preemptions",
        Bound::Unroll => "the iterations of a loop",
        Bound::Rounds => "the rounds of a loop",
        Bound::Sampling => "executions were sampled, not enumerated",
        Bound::Inputs => "inputs took one value each",
        Bound::Values => "values that depend on inputs were made concrete",
        Bound::Interferences => "there are scenarios with more interferences",
        Bound::Reorderings => "only reorderings of one run were looked at",
        Bound::Branches => "races, deadlocks and endless waiting were looked for only in the executions that were made",
        Bound::Instructions => "the instructions of a thread between two visible operations",
    }
}
