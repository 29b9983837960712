//! Prediction from traces without values: races and deadlocks, not replayed.

use crate::candidates::{acquisitions, circles, race_pairs};
use crate::closure::Clocks;
use crate::from_trace::run_of;
use crate::line::Atom;
use crate::reorder::{Answer, Reorderer};
use crate::run::Run;
use crate::sync_preserving;
use gordian_base::FxHashSet;
use gordian_trace::FindingKind;
use gordian_tracefile::Trace;

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
    /// Candidates that nobody decided.
    pub n_open: usize,
    pub n_threads: u32,
    pub n_events: usize,
    /// Questions for the solver, and lines that it tried.
    pub questions: u64,
    pub lines: u64,
}

/// Work that the solver may do for races: instants times lines. Deadlocks are few and always asked for.
const MOST_WORK: u64 = 400_000_000;

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub struct ForeignOptions {
    pub races: bool,
    pub deadlocks: bool,
    /// Off: the solver decides everything, so that both can be compared.
    pub fast: bool,
}

impl Default for ForeignOptions {
    fn default() -> Self {
        ForeignOptions { races: true, deadlocks: true, fast: true }
    }
}

/// Predicts races and deadlocks of a trace without values.
pub fn predict_foreign(trace: &Trace, options: ForeignOptions) -> Prediction {
    let run = run_of(trace);
    predict_run(&run, options)
}

/// Predicts races and deadlocks of a run whose reads keep their writes.
pub fn predict_run(run: &Run, options: ForeignOptions) -> Prediction {
    let clocks = Clocks::new(run);
    let mut prediction = Prediction { n_threads: run.n_threads, n_events: run.events.len(), ..Prediction::default() };
    let mut reorderer = Reorderer::new(run, None);
    if options.deadlocks {
        deadlocks(run, &clocks, &mut reorderer, &mut prediction, options);
    }
    if options.races {
        races(run, &clocks, &mut reorderer, &mut prediction, options);
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
    clocks: &Clocks,
    reorderer: &mut Reorderer<'_>,
    prediction: &mut Prediction,
    options: ForeignOptions,
) {
    let acquires = acquisitions(run);
    let (circles, is_cut) = circles(&acquires);
    prediction.n_circles = circles.len();
    prediction.n_open += usize::from(is_cut);
    let mut known: FxHashSet<Vec<u32>> = FxHashSet::default();
    let mut open = Vec::new();
    for circle in circles {
        let found = options.fast.then(|| sync_preserving::deadlock(run, clocks, &acquires, &circle)).flatten();
        match found {
            Some(events) if known.insert(places(run, &events)) => {
                prediction.found.push(Predicted { kind: FindingKind::Deadlock, events, by: By::SyncPreserving });
            }
            Some(_) => {}
            None => open.push(circle),
        }
    }
    for circle in open {
        let firsts: Vec<u32> = circle.iter().map(|&acquire| acquires[acquire].events[0]).collect();
        if known.contains(&places(run, &firsts)) {
            continue;
        }
        let mut assumed: Vec<Atom> = Vec::new();
        for &acquire in &circle {
            let instants: Vec<u32> = acquires[acquire].events.iter().map(|&event| run.instant(event)).collect();
            assumed.push(reorderer.one_is_next(&instants));
        }
        match reorderer.find(&assumed, None) {
            Answer::Found(found) => {
                let next = |&acquire: &usize| {
                    let made = |&event: &u32| found.instants.contains(&run.instant(event));
                    acquires[acquire].events.iter().copied().find(|event| !made(event))
                };
                let events: Vec<u32> = circle.iter().filter_map(next).collect();
                known.insert(places(run, &events));
                prediction.found.push(Predicted { kind: FindingKind::Deadlock, events, by: By::Solver });
            }
            Answer::Impossible => {}
            Answer::GivenUp => prediction.n_open += 1,
        }
    }
}

fn races(
    run: &Run,
    clocks: &Clocks,
    reorderer: &mut Reorderer<'_>,
    prediction: &mut Prediction,
    options: ForeignOptions,
) {
    let pairs = race_pairs(run, |a, b| reorderer.is_ordered(a, b));
    prediction.n_race_pairs = pairs.len();
    let mut known: FxHashSet<Vec<u32>> = FxHashSet::default();
    let mut open = Vec::new();
    for pair in pairs {
        if known.contains(&places(run, &[pair.first[0], pair.second[0]])) {
            continue;
        }
        let found = options.fast.then(|| sync_preserving::race(run, clocks, &pair)).flatten();
        match found {
            Some((a, b)) => {
                known.insert(places(run, &[a, b]));
                let events = vec![a, b];
                prediction.found.push(Predicted { kind: FindingKind::DataRace, events, by: By::SyncPreserving });
            }
            None => open.push(pair),
        }
    }
    for pair in open {
        if known.contains(&places(run, &[pair.first[0], pair.second[0]])) {
            continue;
        }
        if reorderer.n_lines * run.instants.len() as u64 > MOST_WORK {
            prediction.n_open += 1;
            continue;
        }
        let instants = |events: &[u32]| events.iter().map(|&event| run.instant(event)).collect::<Vec<u32>>();
        let assumed = [reorderer.one_is_next(&instants(&pair.first)), reorderer.one_is_next(&instants(&pair.second))];
        match reorderer.find(&assumed, None) {
            Answer::Found(found) => {
                let next = |events: &[u32]| {
                    let made = |&event: &u32| found.instants.contains(&run.instant(event));
                    events.iter().copied().find(|event| !made(event)).expect("one of them is next")
                };
                let events = vec![next(&pair.first), next(&pair.second)];
                known.insert(places(run, &events));
                prediction.found.push(Predicted { kind: FindingKind::DataRace, events, by: By::Solver });
            }
            Answer::Impossible => {}
            Answer::GivenUp => prediction.n_open += 1,
        }
    }
}
