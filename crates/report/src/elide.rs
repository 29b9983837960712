//! Which steps of a long trace to show.

use crate::Detail;
use gordian_trace::{Finding, Step, StepForm};
use std::collections::BTreeSet;

/// A trace of up to this many rows is shown whole.
const WHOLE: usize = 60;
/// Shown of any trace, however long.
const START: usize = 8;
const END: usize = 24;
/// What the neighbourhood of context switches may add up to; past it, it shrinks.
const SWITCHES: usize = 160;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row<'a> {
    /// With its position in the trace, from 1.
    Step(usize, &'a Step),
    LeftOut {
        steps: usize,
        switches: usize,
    },
}

pub(crate) fn rows<'a>(trace: &'a [Step], finding: &Finding, detail: Detail) -> Vec<Row<'a>> {
    match detail {
        Detail::None => Vec::new(),
        Detail::Full => keep(trace, &vec![true; trace.len()]),
        Detail::Short if trace.len() <= WHOLE => keep(trace, &vec![true; trace.len()]),
        Detail::Short => keep(trace, &chosen(trace, finding)),
    }
}

fn is_switch(trace: &[Step], nth: usize) -> bool {
    nth > 0 && trace[nth - 1].thread != trace[nth].thread
}

/// For each row whether it stays: the start, the end, what happened last at the finding's own places,
/// and a few rows on both sides of every context switch, the later switches first where they are too many.
fn chosen(trace: &[Step], finding: &Finding) -> Vec<bool> {
    let n_rows = trace.len();
    let mut keep = vec![false; n_rows];
    keep[..START].fill(true);
    keep[n_rows - END..].fill(true);
    let mut seen = BTreeSet::new();
    for (nth, step) in trace.iter().enumerate().rev() {
        let own = finding
            .places
            .iter()
            .any(|place| place.file == step.place.file && place.line == step.place.line && place.thread == step.thread);
        let first_of_place = own && seen.insert((step.thread.number, step.place.line, step.place.column));
        keep[nth] |= first_of_place || matches!(step.form, StepForm::Failure | StepForm::Stuck);
    }
    let switches: Vec<usize> = (1..n_rows).filter(|&nth| is_switch(trace, nth)).collect();
    let around = if switches.len() * 4 <= SWITCHES { 2 } else { 1 };
    for &nth in switches.iter().rev().take(SWITCHES / (2 * around)) {
        keep[nth.saturating_sub(around)..(nth + around).min(n_rows)].fill(true);
    }
    keep
}

fn keep<'a>(trace: &'a [Step], keep: &[bool]) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    let mut nth = 0;
    while nth < trace.len() {
        let gap = keep[nth..].iter().take_while(|kept| !**kept).count();
        // A line that says "one step left out" is no shorter than the step.
        if gap <= 1 {
            rows.push(Row::Step(nth + 1, &trace[nth]));
            nth += 1;
            continue;
        }
        let switches = (nth..nth + gap).filter(|&nth| is_switch(trace, nth)).count();
        rows.push(Row::LeftOut { steps: gap, switches });
        nth += gap;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use gordian_trace::{FindingKind, Place, ThreadName};

    fn step(index: usize, number: u32) -> Step {
        let thread = ThreadName { number, function: "f".into() };
        let place = Place {
            file: "a.c".into(),
            line: index as u32 + 1,
            column: 1,
            function: "f".into(),
            thread: thread.clone(),
            what: "reads x".into(),
        };
        Step { index, thread, form: StepForm::Access, place }
    }

    fn finding(places: Vec<Place>) -> Finding {
        Finding { kind: FindingKind::Assertion, message: "m".into(), places, notes: Vec::new() }
    }

    fn check_nothing_is_lost(trace: &[Step], rows: &[Row]) {
        let mut nth = 0;
        for row in rows {
            match row {
                Row::Step(position, step) => {
                    assert_eq!(**step, trace[nth]);
                    nth += 1;
                    assert_eq!(*position, nth);
                }
                Row::LeftOut { steps, .. } => nth += steps,
            }
        }
        assert_eq!(nth, trace.len());
    }

    #[test]
    fn a_short_trace_stays_whole() {
        let trace: Vec<Step> = (0..WHOLE).map(|index| step(index, 0)).collect();
        assert_eq!(rows(&trace, &finding(vec![]), Detail::Short).len(), WHOLE);
    }

    #[test]
    fn switches_and_the_places_of_the_finding_stay() {
        let trace: Vec<Step> = (0..1000).map(|index| step(index, u32::from(index >= 400))).collect();
        let finding = finding(vec![trace[700].place.clone()]);
        let rows = rows(&trace, &finding, Detail::Short);
        check_nothing_is_lost(&trace, &rows);
        for nth in [0, 7, 398, 399, 400, 401, 700, 999] {
            assert!(rows.contains(&Row::Step(nth + 1, &trace[nth])), "step {nth} is missing");
        }
        assert!(rows.contains(&Row::LeftOut { steps: 390, switches: 0 }));
    }

    #[test]
    fn a_trace_of_switches_alone_is_cut_too() {
        let trace: Vec<Step> = (0..5000).map(|index| step(index, index as u32 % 3)).collect();
        let rows = rows(&trace, &finding(vec![]), Detail::Short);
        check_nothing_is_lost(&trace, &rows);
        assert!(rows.len() < 250, "{} rows", rows.len());
    }
}
