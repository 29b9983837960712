//! The same questions for Z3's difference logic: for each pair of accesses, is there a reordering of the trace in which both are next? Left out if there is no `z3`.

use crate::measure::{children_seconds, timed};
use anyhow::{Context, ensure};
use gordian_predict::{ForeignOptions, RaceQuery, predict_foreign, race_queries};
use gordian_trace::{FindingKind, OpKind};
use gordian_tracefile::{Kind, Trace};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;

/// Compares both on one trace.
pub fn beside(name: &str, trace: &Trace) -> anyhow::Result<()> {
    if Command::new("z3").arg("--version").output().is_err() {
        println!("Z3 is left out: there is no `z3` (Debian package `z3`).\n");
        return Ok(());
    }
    let options = ForeignOptions { deadlocks: false, fast: false, ..ForeignOptions::default() };
    let (own, prediction) = timed(|| Ok(predict_foreign(trace, options)))?;
    let queries = race_queries(trace);
    let text = smt(trace, &queries)?;
    let file = std::env::temp_dir().join(format!("gordian-bench-{}.smt2", std::process::id()));
    std::fs::write(&file, text)?;
    let before = children_seconds()?;
    let output = Command::new("z3").arg("-T:600").arg(&file).output().context("`z3` does not run")?;
    let theirs = children_seconds()? - before;
    std::fs::remove_file(&file)?;
    let answers = String::from_utf8_lossy(&output.stdout).into_owned();
    let n_sat = answers.lines().filter(|line| *line == "sat").count();
    let n_answers = answers.lines().filter(|line| matches!(*line, "sat" | "unsat")).count();
    ensure!(n_answers == queries.len() || theirs > 500.0, "z3 answers {n_answers} of {} queries", queries.len());
    let n_races = prediction.found.iter().filter(|found| found.kind == FindingKind::DataRace).count();
    println!(
        "| {name} | {} | {} | {n_races} | {n_sat} | {own:.2} | {theirs:.2} | {:.0} |",
        trace.events.len(),
        queries.len(),
        theirs / own.max(0.001)
    );
    Ok(())
}

pub fn header() {
    println!("## Prediction: the same queries in Z3's difference logic, CPU seconds\n");
    println!("| trace | events | queries | races | satisfiable | gordian | z3 | times |");
    println!("|---|---|---|---|---|---|---|---|");
}

/// All constraints, and one query after the other.
fn smt(trace: &Trace, queries: &[RaceQuery]) -> anyhow::Result<String> {
    let mut text = "(set-logic QF_IDL)\n(declare-const e Int)\n".to_owned();
    let n = trace.events.len();
    for event in 0..n {
        writeln!(text, "(declare-const t{event} Int)")?;
    }
    let mut of_thread: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let mut created: BTreeMap<u32, usize> = BTreeMap::new();
    let mut joined: Vec<(u32, usize)> = Vec::new();
    let mut open: BTreeMap<(u32, u64), usize> = BTreeMap::new();
    let mut sections: BTreeMap<u64, Vec<(u32, usize, Option<usize>)>> = BTreeMap::new();
    let mut writes: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let mut reads: Vec<(usize, u64, Option<usize>)> = Vec::new();
    for (number, event) in trace.events.iter().enumerate() {
        of_thread.entry(event.thread).or_default().push(number);
        match event.kind {
            Kind::Op(OpKind::Create) => {
                created.insert(event.address as u32, number);
            }
            Kind::Op(OpKind::Join) => joined.push((event.address as u32, number)),
            Kind::Op(OpKind::Lock) => {
                let of = sections.entry(event.address).or_default();
                open.insert((event.thread, event.address), of.len());
                of.push((event.thread, number, None));
            }
            Kind::Op(OpKind::Unlock) => {
                if let Some(at) = open.remove(&(event.thread, event.address)) {
                    sections.entry(event.address).or_default()[at].2 = Some(number);
                }
            }
            Kind::Op(OpKind::Read) => {
                let source = writes.get(&event.address).and_then(|writes| writes.last().copied());
                reads.push((number, event.address, source));
            }
            Kind::Op(OpKind::Write) => writes.entry(event.address).or_default().push(number),
            _ => {}
        }
    }
    for (thread, events) in &of_thread {
        for pair in events.windows(2) {
            writeln!(text, "(assert (< t{} t{}))", pair[0], pair[1])?;
        }
        if let Some(fork) = created.get(thread) {
            writeln!(text, "(assert (< t{fork} t{}))", events[0])?;
        }
    }
    for (thread, join) in joined {
        if let Some(last) = of_thread.get(&thread).and_then(|events| events.last()) {
            writeln!(text, "(assert (< t{last} t{join}))")?;
        }
    }
    for of in sections.values() {
        for (nth, a) in of.iter().enumerate() {
            for b in of[nth + 1..].iter().filter(|b| b.0 != a.0) {
                let first = a.2.map_or(String::new(), |release| format!("(< t{release} t{})", b.1));
                let second = b.2.map_or(String::new(), |release| format!("(< t{release} t{})", a.1));
                writeln!(text, "(assert (or (< e t{}) (< e t{}) {first} {second}))", a.1, b.1)?;
            }
        }
    }
    for (read, variable, source) in reads {
        if let Some(source) = source {
            writeln!(text, "(assert (or (< e t{read}) (< t{source} t{read})))")?;
        }
        for &other in writes.get(&variable).into_iter().flatten().filter(|&&other| Some(other) != source) {
            let before = source.map_or(String::new(), |source| format!("(< t{other} t{source})"));
            writeln!(text, "(assert (or (< e t{read}) (< t{read} t{other}) {before}))")?;
        }
    }
    let previous = |event: usize| {
        let events = &of_thread[&trace.events[event].thread];
        let at = events.iter().position(|&other| other == event);
        at.and_then(|at| at.checked_sub(1)).map(|at| events[at])
    };
    let next = |&event: &u32| {
        let event = event as usize;
        let before = previous(event).or_else(|| created.get(&trace.events[event].thread).copied());
        let before = before.map_or(String::new(), |before| format!("(< t{before} e)"));
        format!("(and (< e t{event}) {before})")
    };
    for (first, second) in queries {
        let one = |events: &[u32]| events.iter().map(next).collect::<Vec<_>>().join(" ");
        writeln!(text, "(push)\n(assert (or {}))\n(assert (or {}))\n(check-sat)\n(pop)", one(first), one(second))?;
    }
    Ok(text)
}
