//! The whole report as a person reads it.

use crate::elide::rows;
use crate::style::{Paint, Style};
use crate::text::{clean, wrap};
use crate::{Detail, Report, Reported, Sources, inputs, place, summary, table};
use std::fmt::Write;

/// Beyond so many findings a reader wants to see what there is; `gordian replay` shows the trace of each.
const MOST_TRACES: usize = 10;

/// Every finding, then what the search came to.
pub fn report(report: &Report, detail: Detail, sources: &mut Sources, style: Style) -> String {
    let mut out = String::new();
    for (nth, reported) in report.findings.iter().enumerate() {
        let detail = if nth >= MOST_TRACES && detail == Detail::Short { Detail::None } else { detail };
        out.push_str(&finding(reported, detail, sources, style));
        out.push('\n');
    }
    out.push_str(&summary(report, style));
    out
}

/// What, where, how it came about, and the next command to type.
pub fn finding(reported: &Reported, detail: Detail, sources: &mut Sources, style: Style) -> String {
    let finding = reported.finding;
    let mut out = String::new();
    let kind = style.paint(Paint::Bad, finding.kind.name());
    let message = style.paint(Paint::Bold, &clean(&finding.message));
    let _ = writeln!(out, "{kind}: {message}");
    for place in &finding.places {
        place::draw(&mut out, place, sources, style);
    }
    for note in &finding.notes {
        let label = style.paint(Paint::Dim, "note:");
        let lines = wrap(&clean(note), style.width.saturating_sub(8).max(20));
        let _ = writeln!(out, "  {label} {}", lines.join("\n        "));
    }
    let inputs = inputs(reported.inputs);
    if !inputs.is_empty() {
        let label = style.paint(Paint::Dim, "inputs:");
        let lines = wrap(&clean(&inputs.join(", ")), style.width.saturating_sub(10).max(20));
        let _ = writeln!(out, "  {label} {}", lines.join("\n          "));
    }
    let rows = rows(reported.trace, finding, detail);
    if !rows.is_empty() {
        out.push('\n');
        table::draw(&mut out, &rows, sources, style);
    }
    if let Some(test) = reported.test {
        let command = format!("gordian replay {}", quoted(&test.display().to_string()));
        let _ = writeln!(out, "\n  replay it: {}", style.paint(Paint::Bold, &command));
    }
    out
}

/// An argument as a shell takes it.
fn quoted(argument: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "/._-+,:@%=".contains(character);
    if !argument.is_empty() && !argument.starts_with('-') && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_can_be_pasted() {
        assert_eq!(quoted("out/bank-deadlock-1.gordian"), "out/bank-deadlock-1.gordian");
        assert_eq!(quoted("my bank.gordian"), "'my bank.gordian'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
