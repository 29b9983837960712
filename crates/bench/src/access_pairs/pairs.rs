//! Tables 4.2 to 4.5: the pairs of each program, and what two filters remove.

use super::thesis::Kinds;
use super::{ROWS, Row};
use crate::measure::timed_well;
use anyhow::ensure;
use gordian_analysis::{Analysis, Budget, Detail, Filter, Filters, PairKind};

/// The filter that must remove something, as in the thesis.
const BITES: [(&str, Filter); 6] = [
    ("producerconsumer", Filter::Escape),
    ("daisy", Filter::Escape),
    ("account_race", Filter::Disjoint),
    ("account_subtype", Filter::Disjoint),
    ("piper", Filter::Disjoint),
    ("replicatedworker", Filter::Disjoint),
];

/// What was found in one program.
struct Found {
    row: &'static Row,
    nodes: usize,
    mhp_pairs: u64,
    pairs: Kinds,
    seconds: f64,
    /// The pairs without the filter, and the time.
    without: Vec<(Filter, Kinds, f64)>,
}

pub fn run() -> anyhow::Result<()> {
    let rows = ROWS.iter().filter(|row| row.cflag.is_none());
    let found = rows.map(look_at).collect::<anyhow::Result<Vec<Found>>>()?;
    println!("\n## Access pairs (tables 4.2 and 4.3)\n");
    println!("Pairs are RW/MM/WM/WN. Every second column is the thesis's.\n");
    println!("| | program | nodes | | MHP pairs | | pairs | | ms | s |");
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for Found { row, nodes, mhp_pairs, pairs, seconds, .. } in &found {
        let thesis = row.thesis();
        println!(
            "| {} | {} | {nodes} | {} | {mhp_pairs} | {} | {} | {} | {:.2} | {:.2} |",
            row.group.letter(),
            row.program,
            thesis.nodes,
            thesis.mhp_pairs,
            list(*pairs),
            list(thesis.pairs),
            1000.0 * seconds,
            thesis.seconds,
        );
    }
    for (filter, table) in [(Filter::Escape, "4.4"), (Filter::Disjoint, "4.5")] {
        println!("\n## What the filter `{}` removes (table {table})\n", filter.name());
        println!("| program | off | ms | on | ms | thesis: off | on |");
        println!("|---|--:|--:|--:|--:|--:|--:|");
        found.iter().for_each(|of| print_filter(of, filter));
    }
    found.iter().try_for_each(ensure_bites)
}

fn look_at(row: &'static Row) -> anyhow::Result<Found> {
    ensure!(PairKind::ALL[0] == PairKind::ReadWrite, "the first kind is the first column");
    let program = row.load(row.size)?;
    let with = |filters: Filters| {
        timed_well(|| {
            let analysis = Analysis::of(&program, Budget::default())?;
            Ok(analysis.pairs(filters).n_kept)
        })
    };
    let analysis = Analysis::of(&program, Budget::default())?;
    ensure!(analysis.detail() == Detail::CallSites, "{}: too large for the precise view", row.program);
    let (seconds, pairs) = with(Filters::default())?;
    let mut without = Vec::new();
    for filter in [Filter::Escape, Filter::Disjoint] {
        let (seconds, pairs) = with(Filters::default().without(filter))?;
        without.push((filter, pairs, seconds));
    }
    let mhp_pairs = analysis.pairs(Filters::only(Filter::Mhp)).n_kept.iter().sum();
    Ok(Found { row, nodes: analysis.n_nodes(), mhp_pairs, pairs, seconds, without })
}

/// A line for a program in which the filter removes something, here or in the thesis.
fn print_filter(found: &Found, filter: Filter) {
    let Some((_, off, seconds)) = found.without.iter().find(|(of, ..)| *of == filter) else { return };
    let in_thesis = BITES.contains(&(found.row.program, filter)).then(|| found.row.thesis());
    if *off == found.pairs && in_thesis.is_none() {
        return;
    }
    let [thesis_off, thesis_on] = match in_thesis {
        Some(thesis) => [list(thesis.without.unwrap_or(thesis.pairs)), list(thesis.pairs)],
        None => ["–".to_owned(), "–".to_owned()],
    };
    println!(
        "| {} | {} | {:.2} | {} | {:.2} | {thesis_off} | {thesis_on} |",
        found.row.program,
        list(*off),
        1000.0 * seconds,
        list(found.pairs),
        1000.0 * found.seconds,
    );
}

fn ensure_bites(found: &Found) -> anyhow::Result<()> {
    for (filter, off, _) in &found.without {
        let must_bite = BITES.contains(&(found.row.program, *filter));
        let bites = off[0] > found.pairs[0];
        ensure!(bites || !must_bite, "{}: the filter {} removes nothing", found.row.program, filter.name());
    }
    Ok(())
}

fn list(kinds: Kinds) -> String {
    kinds.map(|n| n.to_string()).join("/")
}
