//! Pairs of accesses whose order matters, as a static analysis sees them: for people, and for other programs.

use crate::SCHEMA_VERSION;
use crate::text::{counted, grouped};
use serde::Serialize;
use std::collections::BTreeMap;

const KINDS: [&str; 4] = ["RW", "MM", "WM", "WN"];

/// One access of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PairSide {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
    /// `reads`, `locks`, …
    pub operation: String,
    pub thread: String,
    /// The start function of the thread.
    pub start: String,
    /// Where the function of the access is called, if contexts are told apart.
    pub called_from: Option<String>,
    pub locks: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PairItem {
    /// `RW`, `MM`, `WM` or `WN`.
    pub kind: String,
    pub object: String,
    pub sides: [PairSide; 2],
    /// Both surely touch the same bytes.
    pub must: bool,
    /// Why no filter removes it.
    pub why: String,
}

/// A lock that is taken while another is held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LockStep {
    pub held: String,
    pub taken: String,
    pub place: String,
    pub thread: String,
}

/// How many pairs a filter removed; none if it was switched off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FilterCount {
    pub filter: String,
    pub removed: Option<u64>,
}

/// All that there is to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairsReport {
    pub pairs: Vec<PairItem>,
    /// How many there are of each kind (RW, MM, WM, WN), listed or not.
    pub totals: [u64; 4],
    pub lock_cycles: Vec<Vec<LockStep>>,
    pub waits_without_signal: Vec<PairSide>,
    /// Each with its start function: `t1 runs deposit`.
    pub threads: Vec<String>,
    pub candidates: u64,
    pub filters: Vec<FilterCount>,
    /// What was not looked at as closely as it should.
    pub coarse: Vec<String>,
}

#[derive(Serialize)]
struct Document<'a> {
    gordian: u32,
    pairs: &'a [PairItem],
    totals: BTreeMap<&'static str, u64>,
    lock_cycles: &'a [Vec<LockStep>],
    waits_without_signal: &'a [PairSide],
    threads: &'a [String],
    candidates: u64,
    filters: &'a [FilterCount],
    coarse: &'a [String],
}

/// The report for other programs.
pub fn pairs_document(report: &PairsReport) -> String {
    let document = Document {
        gordian: SCHEMA_VERSION,
        pairs: &report.pairs,
        totals: KINDS.into_iter().zip(report.totals).collect(),
        lock_cycles: &report.lock_cycles,
        waits_without_signal: &report.waits_without_signal,
        threads: &report.threads,
        candidates: report.candidates,
        filters: &report.filters,
        coarse: &report.coarse,
    };
    let mut text = serde_json::to_string_pretty(&document).expect("plain data");
    text.push('\n');
    text
}

fn side(side: &PairSide) -> String {
    format!("{}:{} {} {}", side.file, side.line, side.thread, side.operation)
}

/// The report for people: a line for each pair, then what else is suspicious, then numbers.
pub fn pairs_report(report: &PairsReport) -> String {
    let mut lines: Vec<(String, u64)> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for pair in &report.pairs {
        let [a, b] = &pair.sides;
        let line = format!("{} {}  {} | {}: {}", pair.kind, pair.object, side(a), side(b), pair.why);
        // Contexts of calls and columns are told apart by other programs only.
        match known.get(&line) {
            Some(&nth) => lines[nth].1 += 1,
            None => {
                known.insert(line.clone(), lines.len());
                lines.push((line, 1));
            }
        }
    }
    let mut text = String::new();
    for (line, n) in lines {
        text.push_str(&if n > 1 { format!("{line} ({n} times)\n") } else { line + "\n" });
    }
    for cycle in &report.lock_cycles {
        let step =
            |step: &LockStep| format!("{} takes {} under {} at {}", step.thread, step.taken, step.held, step.place);
        let steps: Vec<String> = cycle.iter().map(step).collect();
        text.push_str(&format!("lock order  {}: a deadlock is possible\n", steps.join(" | ")));
    }
    for wait in &report.waits_without_signal {
        text.push_str(&format!("no signal  {}: no thread can wake it\n", side(wait)));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&numbers(report));
    for sentence in &report.coarse {
        text.push_str(&format!("coarse: {sentence}\n"));
    }
    text
}

fn numbers(report: &PairsReport) -> String {
    let kinds: Vec<String> =
        KINDS.iter().zip(report.totals).map(|(kind, n)| format!("{} {kind}", grouped(n))).collect();
    let total = counted(report.totals.iter().sum(), "pair");
    let removed = report.filters.iter().map(|filter| match filter.removed {
        Some(n) => format!("{} {}", filter.filter, grouped(n)),
        None => format!("{} off", filter.filter),
    });
    let removed: Vec<String> = removed.collect();
    format!(
        "{total} ({}) in {}: {}\nout of {}; removed by filters: {}\n",
        kinds.join(", "),
        counted(report.threads.len() as u64, "thread"),
        report.threads.join(", "),
        counted(report.candidates, "candidate"),
        removed.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> PairsReport {
        let side = |line, thread: &str, operation: &str, lock: &str| PairSide {
            file: "bank.c".to_owned(),
            line,
            column: 11,
            function: "f".to_owned(),
            operation: operation.to_owned(),
            thread: thread.to_owned(),
            start: "f".to_owned(),
            called_from: None,
            locks: vec![lock.to_owned()],
        };
        let pair = PairItem {
            kind: "RW".to_owned(),
            object: "X.val".to_owned(),
            sides: [side(9, "t1", "writes", "X.m"), side(18, "t2", "reads", "Y.m")],
            must: true,
            why: "no common lock (X.m | Y.m)".to_owned(),
        };
        let filter = |name: &str, removed| FilterCount { filter: name.to_owned(), removed };
        PairsReport {
            pairs: vec![pair.clone(), pair],
            totals: [2, 0, 0, 0],
            threads: vec!["main".to_owned(), "t1 runs f".to_owned(), "t2 runs f".to_owned()],
            candidates: 1234,
            filters: vec![filter("alias", Some(1232)), filter("mhp", None)],
            ..PairsReport::default()
        }
    }

    #[test]
    fn a_pair_is_a_line() {
        assert_eq!(
            pairs_report(&example()),
            "RW X.val  bank.c:9 t1 writes | bank.c:18 t2 reads: no common lock (X.m | Y.m) (2 times)\n\n\
             2 pairs (2 RW, 0 MM, 0 WM, 0 WN) in 3 threads: main, t1 runs f, t2 runs f\n\
             out of 1,234 candidates; removed by filters: alias 1,232, mhp off\n"
        );
    }

    #[test]
    fn the_document_has_all_pairs() {
        let document: serde_json::Value = serde_json::from_str(&pairs_document(&example())).expect("it is JSON");
        assert_eq!(document["pairs"].as_array().map(Vec::len), Some(2));
        assert_eq!(document["pairs"][0]["sides"][1]["locks"][0], "Y.m");
        assert_eq!(document["filters"][1]["removed"], serde_json::Value::Null);
    }
}
