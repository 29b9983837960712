//! Failures that inputs alone lead to, before the search: every path of the schedule that nobody chose. A search comes to
//! them as well, but perhaps only after very many orders of the threads.

use crate::collect::Collector;
use crate::default_schedule::default_choice_at;
use crate::search::Search;
use crate::{Budget, Capabilities, Ended, EngineError, Next, Observer, Point, Settings, Strategy, Subject};
use gordian_trace::{Choice, Exploration, OpKind, Stop, Test};

/// Paths that are looked at.
const MOST_PATHS: u64 = 1_000;

/// What shows on the first paths. Why there are no more does not matter: the search says what it covers.
pub(crate) fn look<S: Subject>(
    subject: &S,
    template: &Test,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Collector, EngineError> {
    if !settings.inputs_first {
        return Ok(Collector::default());
    }
    let mut strategy = EachPath::default();
    let budget = Budget { runs: Some(MOST_PATHS), time: settings.budget.time.map(|time| time / 10) };
    let settings = Settings { budget, solver_summary: false, ..settings.clone() };
    let mut search = Search::start(subject, template, &mut strategy, &settings, observer)?;
    search.run();
    Ok(search.into_results().collector)
}

/// Why the search is not made at all, if it is to end with the first finding and there is one.
pub(crate) fn ends_with(found: &Collector, settings: &Settings) -> Option<Stop> {
    (settings.stop_at_first && found.has_more_than_races()).then_some(Stop::FirstFinding)
}

/// The default schedule; where inputs decide, all ways are taken.
#[derive(Default)]
struct EachPath {
    /// The decisions of the present execution.
    decisions: Vec<Decision>,
}

struct Decision {
    depth: usize,
    /// Ways that are left, the next one last; the first of these is under way.
    ways: Vec<Choice>,
}

impl Strategy for EachPath {
    fn exploration(&self) -> Exploration {
        Exploration { strategy: "paths".to_owned(), guarantee: String::new() }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        let index_of = |choice: &Choice| point.choices.binary_search(choice).ok();
        if let Some(decision) = self.decisions.last().filter(|decision| decision.depth == point.depth) {
            return decision.ways.last().and_then(index_of);
        }
        let next = default_choice_at(point);
        let thread = next.thread;
        let wants = point.wants(thread).map(|wants| wants.kind);
        if matches!(wants, Some(OpKind::Branch | OpKind::AtomicBegin | OpKind::CasOk)) {
            let mut ways: Vec<Choice> = point.choices.iter().copied().filter(|way| way.thread == thread).collect();
            ways.reverse();
            self.decisions.push(Decision { depth: point.depth, ways });
        }
        index_of(&next)
    }

    fn next(&mut self, _: &Ended<'_>) -> Next {
        while let Some(decision) = self.decisions.last_mut() {
            decision.ways.pop();
            if !decision.ways.is_empty() {
                return Next::Backtrack(decision.depth);
            }
            self.decisions.pop();
        }
        Next::Done
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { backtracks: true, ..Capabilities::default() }
    }
}
