//! Prediction from traces without values: races and deadlocks, not replayed.

use crate::atomicity;
use crate::candidates::{Wanted, acquisitions, circles, race_pairs};
use crate::from_trace::run_of;
use crate::line::Atom;
use crate::patterns::{Accesses, violations};
use crate::regions::{Instance, Region};
use crate::reorder::{Answer, Reorderer};
use crate::run::Run;
use crate::simplify::{LeftSwitches, Steps, Switches};
use crate::sync_preserving::{Closed, Closures};
use gordian_base::{FxHashMap, FxHashSet};
use gordian_trace::{FindingKind, OpKind};
use gordian_tracefile::{Kind, Trace};
use std::collections::BTreeMap;

/// Who found a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// A sync-preserving closure.
    SyncPreserving,
    /// The order and data solver.
    Solver,
}

impl By {
    pub fn name(self) -> &'static str {
        match self {
            By::SyncPreserving => "sync-preserving closure",
            By::Solver => "order solver",
        }
    }
}

/// Something that a reordering of a trace has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicted {
    pub kind: FindingKind,
    /// Of a race the two accesses, of a deadlock the acquisitions, as numbers of events in the trace.
    pub events: Vec<u32>,
    pub by: By,
}

/// What was predicted from a foreign trace.
#[derive(Clone, Debug, Default)]
pub struct Prediction {
    /// One for each set of places.
    pub found: Vec<Predicted>,
    pub n_race_pairs: usize,
    pub n_circles: usize,
    /// Pairs and circles that nobody decided.
    pub n_open: usize,
    pub n_open_circles: usize,
    pub n_threads: u32,
    pub n_events: usize,
    /// Questions for the solver, and lines that it tried.
    pub questions: u64,
    pub lines: u64,
    /// Regions that the trace marks, those that it violates itself, and those that nobody decided.
    pub n_regions: usize,
    pub n_violated_in_run: usize,
    pub n_open_regions: usize,
}

/// Work that the solver may do for deadlocks and for races, as [`Reorderer::work`] counts it. What is left then is undecided, and the report says so.
const DEADLOCK_WORK: u64 = 40_000_000;
const RACE_WORK: u64 = 40_000_000;

/// Work that closures may do for each of the two: threads looked at. It is linear in the run for every circle and pair of places, of which there may be very many.
const CLOSURE_WORK: u64 = 1_500_000_000;

/// What it costs to compare two accesses, in threads looked at.
const COMPARISON_WORK: u64 = 8;

/// Pairs that are kept for the solver once closures have done their work; of the others nothing is decided.
const MOST_OPEN: usize = 20_000;

/// Pairs of events that the solver has to order for the questions before, beyond which it begins anew. What it learnt from them helps less than all of them cost.
const MOST_PAIRS: usize = 20_000;

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub struct ForeignOptions {
    pub races: bool,
    pub deadlocks: bool,
    /// Off: the solver decides everything, so that both can be compared.
    pub fast: bool,
    /// Look whether others can interrupt what the trace marks by `begin` and `end`.
    pub regions: bool,
}

impl Default for ForeignOptions {
    fn default() -> Self {
        ForeignOptions { races: true, deadlocks: true, fast: true, regions: false }
    }
}

/// Predicts races and deadlocks of a trace without values.
pub fn predict_foreign(trace: &Trace, options: ForeignOptions) -> Prediction {
    let run = run_of(trace);
    let mut prediction = predict_run(&run, options);
    if options.regions {
        marked_regions(trace, &run, &mut prediction);
    }
    prediction
}

/// Accesses between `begin` and `end`, by the place where they begin; what is nested belongs to the outermost.
fn marked(trace: &Trace, run: &Run) -> Vec<Region> {
    let mut open: FxHashMap<u32, (u32, u32, Vec<u32>)> = FxHashMap::default();
    let mut regions: BTreeMap<u32, Vec<Instance>> = BTreeMap::new();
    for (number, event) in (0u32..).zip(&trace.events) {
        match event.kind {
            Kind::Op(OpKind::AtomicBegin) => {
                open.entry(event.thread).or_insert((event.place, 0, Vec::new())).1 += 1;
            }
            Kind::Op(OpKind::AtomicEnd) => {
                let Some((place, depth, accesses)) = open.remove(&event.thread) else { continue };
                if depth > 1 {
                    open.insert(event.thread, (place, depth - 1, accesses));
                } else if accesses.len() > 1 {
                    regions.entry(place).or_default().push(Instance { accesses });
                }
            }
            _ => {
                if let Some((_, _, accesses)) = open.get_mut(&event.thread)
                    && run.events[number as usize].op.access().is_some()
                {
                    accesses.push(number);
                }
            }
        }
    }
    regions.into_values().map(|instances| Region { instances, is_declared: true }).collect()
}

fn marked_regions(trace: &Trace, run: &Run, prediction: &mut Prediction) {
    let regions = marked(trace, run);
    prediction.n_regions = regions.len();
    let is_violated: Vec<bool> = regions.iter().map(|region| atomicity::is_violated_by_run(run, region)).collect();
    prediction.n_violated_in_run = is_violated.iter().filter(|&&violated| violated).count();
    let accesses = Accesses::new(run, true);
    let violations = violations(run, &regions, &accesses, |_| true);
    let mut reorderer = Reorderer::new(run, None);
    reorderer.limit_work(RACE_WORK);
    let mut known: FxHashSet<usize> = FxHashSet::default();
    for violation in &violations {
        if known.contains(&violation.region) {
            continue;
        }
        if reorderer.is_out_of_work() {
            prediction.n_open_regions += 1;
            continue;
        }
        let atoms: Vec<Atom> =
            violation.patterns.iter().map(|pattern| atomicity::atom(&mut reorderer, pattern)).collect();
        let one = reorderer.line.fresh();
        reorderer.line.add_when(one, &atoms);
        match reorderer.find(&[one], None) {
            Answer::Found(found) => {
                known.insert(violation.region);
                let shown = atomicity::shown_by(run, &found, &violation.patterns);
                let events = shown.map(atomicity::events).unwrap_or_default();
                prediction.found.push(Predicted { kind: FindingKind::Atomicity, events, by: By::Solver });
            }
            Answer::Impossible if !violation.is_cut => {}
            Answer::Impossible | Answer::GivenUp => prediction.n_open_regions += 1,
        }
    }
    prediction.questions += reorderer.n_questions;
    prediction.lines += reorderer.n_lines;
}

/// The context switches that are left of a trace, as pairs of events: one, and another of another thread that may come next. Reads may take any write.
pub fn context_switches(trace: &Trace, steps: Steps) -> LeftSwitches {
    let mut run = run_of(trace);
    // What a read takes is no matter of order alone.
    run.sources = None;
    run.certain.clear();
    run.sections.clear();
    run.complete(&gordian_base::FxHashSet::default());
    Switches::new(&run, steps).switches()
}

/// Accesses, one of each list, that race if both can be next.
pub type RaceQuery = (Vec<u32>, Vec<u32>);

/// The questions about races that the solver is asked if nobody else finds them, all places included.
pub fn race_queries(trace: &Trace) -> Vec<RaceQuery> {
    let run = run_of(trace);
    let reorderer = Reorderer::new(&run, None);
    let mut queries = Vec::new();
    race_pairs(
        &run,
        true,
        |a, b| reorderer.is_ordered(a, b),
        |_, _, make| {
            queries.extend(make().map(|pair| (pair.first, pair.second)));
            Wanted::More
        },
    );
    queries
}

/// Predicts races and deadlocks of a run whose reads keep their writes.
pub fn predict_run(run: &Run, options: ForeignOptions) -> Prediction {
    let mut closures = Closures::new(run);
    let mut prediction = Prediction { n_threads: run.n_threads, n_events: run.events.len(), ..Prediction::default() };
    let mut reorderer = Reorderer::new(run, None);
    if options.deadlocks {
        deadlocks(run, &mut closures, &mut reorderer, &mut prediction, options);
    }
    if options.races {
        races(run, &mut closures, &mut reorderer, &mut prediction, options);
    }
    (prediction.questions, prediction.lines) = (reorderer.n_questions, reorderer.n_lines);
    prediction
}

fn places(run: &Run, events: &[u32]) -> Vec<u32> {
    let mut places: Vec<u32> = events.iter().map(|&event| run.events[event as usize].place).collect();
    places.sort_unstable();
    places
}

fn deadlocks(
    run: &Run,
    closures: &mut Closures<'_>,
    reorderer: &mut Reorderer<'_>,
    prediction: &mut Prediction,
    options: ForeignOptions,
) {
    let acquires = acquisitions(run);
    let (circles, is_cut) = circles(&acquires);
    prediction.n_circles = circles.len();
    prediction.n_open_circles += usize::from(is_cut);
    let mut known: FxHashSet<Vec<u32>> = FxHashSet::default();
    let mut open = Vec::new();
    for circle in circles {
        let firsts: Vec<u32> = circle.iter().map(|&acquire| acquires[acquire].events[0]).collect();
        if known.contains(&places(run, &firsts)) {
            continue;
        }
        let is_asked = options.fast && closures.work < CLOSURE_WORK;
        match if is_asked { closures.deadlock(&acquires, &circle) } else { Closed::Open } {
            Closed::Found(events) if known.insert(places(run, &events)) => {
                prediction.found.push(Predicted { kind: FindingKind::Deadlock, events, by: By::SyncPreserving });
            }
            Closed::Found(_) | Closed::Impossible => {}
            Closed::Open => open.push(circle),
        }
    }
    closures.work = 0;
    reorderer.limit_work(DEADLOCK_WORK);
    for circle in open {
        let firsts: Vec<u32> = circle.iter().map(|&acquire| acquires[acquire].events[0]).collect();
        if known.contains(&places(run, &firsts)) {
            continue;
        }
        if reorderer.is_out_of_work() {
            prediction.n_open_circles += 1;
            continue;
        }
        let wanted: Vec<&[u32]> = circle.iter().map(|&acquire| &acquires[acquire].events[..]).collect();
        match all_next(run, reorderer, &wanted) {
            Next::Found(events) => {
                known.insert(places(run, &events));
                prediction.found.push(Predicted { kind: FindingKind::Deadlock, events, by: By::Solver });
            }
            Next::Impossible => {}
            Next::GivenUp => prediction.n_open_circles += 1,
        }
    }
}

/// Whether one of each of these lists can be the next event of its thread, all at once.
enum Next {
    Found(Vec<u32>),
    Impossible,
    GivenUp,
}

/// Asks the solver for a reordering after which one event of each list is the next of its thread. A list has events of one thread.
fn all_next(run: &Run, reorderer: &mut Reorderer<'_>, lists: &[&[u32]]) -> Next {
    if reorderer.line.n_pairs() > MOST_PAIRS {
        reorderer.line.forget();
    }
    let instants = |events: &[u32]| events.iter().map(|&event| run.instant(event)).collect::<Vec<u32>>();
    let assumed: Vec<Atom> = lists.iter().map(|events| reorderer.one_is_next(&instants(events))).collect();
    match reorderer.find(&assumed, None) {
        Answer::Found(found) => {
            let next = |events: &&[u32]| {
                let instant = found.first_left_out(run, &instants(events));
                events.iter().copied().find(|&event| Some(run.instant(event)) == instant)
            };
            Next::Found(lists.iter().filter_map(next).collect())
        }
        Answer::Impossible => Next::Impossible,
        Answer::GivenUp => Next::GivenUp,
    }
}

fn races(
    run: &Run,
    closures: &mut Closures<'_>,
    reorderer: &mut Reorderer<'_>,
    prediction: &mut Prediction,
    options: ForeignOptions,
) {
    let mut known: FxHashSet<(u32, u32)> = FxHashSet::default();
    let mut open = Vec::new();
    let mut left_out: FxHashSet<(u32, u32)> = FxHashSet::default();
    let is_cut = race_pairs(
        run,
        true,
        |a, b| reorderer.is_ordered(a, b),
        |places, n_compared, make| {
            if known.contains(&places) {
                return Wanted::NoMore;
            }
            if options.fast && closures.work >= CLOSURE_WORK && open.len() >= MOST_OPEN {
                let is_new = usize::from(left_out.insert(places));
                prediction.n_race_pairs += is_new;
                prediction.n_open += is_new;
                return Wanted::NoMore;
            }
            closures.work += n_compared * COMPARISON_WORK;
            let Some(pair) = make() else { return Wanted::More };
            prediction.n_race_pairs += 1;
            let is_asked = options.fast && closures.work < CLOSURE_WORK;
            match if is_asked { closures.race(&pair) } else { Closed::Open } {
                Closed::Found(events) => {
                    known.insert(places);
                    prediction.found.push(Predicted { kind: FindingKind::DataRace, events, by: By::SyncPreserving });
                    return Wanted::NoMore;
                }
                Closed::Impossible => {}
                Closed::Open => open.push((places, pair)),
            }
            Wanted::More
        },
    );
    prediction.n_open += usize::from(is_cut);
    reorderer.limit_work(RACE_WORK);
    for (places, pair) in open {
        if known.contains(&places) {
            continue;
        }
        if reorderer.is_out_of_work() {
            prediction.n_open += 1;
            continue;
        }
        match all_next(run, reorderer, &[&pair.first, &pair.second]) {
            Next::Found(events) => {
                known.insert(places);
                prediction.found.push(Predicted { kind: FindingKind::DataRace, events, by: By::Solver });
            }
            Next::Impossible => {}
            Next::GivenUp => prediction.n_open += 1,
        }
    }
}
