//! `gordian pairs`: what a static analysis finds suspicious.

use crate::args::{PairFilter, PairsArgs};
use crate::load;
use crate::output::{print, sources};
use anyhow::bail;
use gordian_analysis::{Analysis, Budget, Described, DescribedSide, Detail, Filter, Filters, Pairs, Place};
use gordian_report::{FilterCount, LockStep, PairItem, PairSide, PairsReport, Sources, pairs_document, pairs_report};
use gordian_trace::exit_code;

/// Nobody reads more.
const MOST_LISTED: usize = 10_000;

pub fn pairs(args: &PairsArgs) -> anyhow::Result<u8> {
    let program = load::from_command_line(&args.program, &args.machine)?;
    let users = program.functions.iter().filter(|function| !function.internal);
    if !users.clone().any(|function| function.locs.iter().any(|loc| loc.line > 0)) {
        bail!("the program has no debug information, so no pair could be named; compile it with -g");
    }
    let analysis = Analysis::of(&program, Budget::default())?;
    if analysis.threads().len() == 1 {
        bail!("the program creates no threads, so the order of its accesses is fixed");
    }
    let filters = args.without.iter().fold(Filters::default(), |filters, &filter| filters.without(filter.into()));
    let report = report(&analysis, filters, &args.without, &sources());
    print(&if args.json { pairs_document(&report) } else { pairs_report(&report) })?;
    Ok(if report.coarse.is_empty() { exit_code::SAFE } else { exit_code::INCONCLUSIVE })
}

impl From<PairFilter> for Filter {
    fn from(filter: PairFilter) -> Self {
        match filter {
            PairFilter::Alias => Filter::Alias,
            PairFilter::Escape => Filter::Escape,
            PairFilter::Mhp => Filter::Mhp,
            PairFilter::Disjoint => Filter::Disjoint,
        }
    }
}

fn report(analysis: &Analysis<'_>, filters: Filters, without: &[PairFilter], sources: &Sources) -> PairsReport {
    let pairs = analysis.pairs(filters);
    let position = |place: &Place| format!("{}:{}", sources.name(&place.file), place.line);
    let side = |side: &DescribedSide| PairSide {
        file: sources.name(&side.place.file),
        line: side.place.line,
        column: side.place.column,
        function: side.place.function.clone(),
        operation: side.kind.verb().to_owned(),
        thread: side.thread.clone(),
        start: side.start.clone(),
        called_from: side.called_from.as_ref().map(position),
        locks: side.locks.clone(),
    };
    let item = |pair: &Described| PairItem {
        kind: pair.kind.short().to_owned(),
        object: pair.object.clone(),
        sides: [side(&pair.sides[0]), side(&pair.sides[1])],
        must: pair.must,
        why: pair.why.clone(),
    };
    let steps = analysis.lock_cycles().into_iter().map(|cycle| {
        let step = |step: &gordian_analysis::LockOrder| LockStep {
            held: step.held.clone(),
            taken: step.taken.clone(),
            place: position(&step.place),
            thread: step.thread.clone(),
        };
        cycle.iter().map(step).collect()
    });
    let is_off = |filter: Filter| without.iter().any(|&off| Filter::from(off) == filter);
    let count = |(nth, filter): (usize, Filter)| FilterCount {
        filter: filter.name().to_owned(),
        removed: (!is_off(filter)).then_some(pairs.counts.removed[nth]),
    };
    PairsReport {
        pairs: analysis.describe(&pairs, MOST_LISTED).iter().map(item).collect(),
        totals: pairs.n_kept,
        lock_cycles: steps.collect(),
        waits_without_signal: analysis.waits_without_signal(&pairs).iter().map(side).collect(),
        threads: analysis.threads().into_iter().map(|thread| thread_text(analysis, thread)).collect(),
        candidates: pairs.counts.candidates,
        filters: Filter::ALL.into_iter().enumerate().map(count).collect(),
        coarse: coarse(analysis, &pairs, sources),
    }
}

fn thread_text(analysis: &Analysis<'_>, thread: gordian_analysis::AbstractThread) -> String {
    let name = analysis.thread_name(thread);
    if thread.0 == 0 {
        return name;
    }
    let several = if analysis.is_several(thread) { ", perhaps several times" } else { "" };
    format!("{name} runs {}{several}", analysis.start_name(thread))
}

/// What was not looked at as closely as it should.
fn coarse(analysis: &Analysis<'_>, pairs: &Pairs, sources: &Sources) -> Vec<String> {
    let position = |place: &Place| format!("{}:{}", sources.name(&place.file), place.line);
    let mut coarse = Vec::new();
    match analysis.detail() {
        Detail::CallSites => {}
        Detail::Threads => coarse.push("the program is large: calls of a function are not told apart".to_owned()),
        Detail::Functions => coarse.push(
            "the program is large: neither calls of a function nor threads that share it are told apart".to_owned(),
        ),
        Detail::Objects => coarse.push("the program is very large: fields of an object are not told apart".to_owned()),
        Detail::Memory => coarse.push("the program is too large: objects are not told apart".to_owned()),
    }
    if pairs.is_cut || pairs.pairs.len() > MOST_LISTED {
        coarse.push(format!("there are too many pairs to list; the {MOST_LISTED} most suspicious are"));
    }
    for (name, place) in analysis.unknown_functions() {
        coarse.push(format!("{} calls `{name}`, which is not known; what it does is left out", position(&place)));
    }
    for (what, place) in analysis.gaps() {
        coarse.push(format!("{}: {what}", position(&place)));
    }
    coarse
}
