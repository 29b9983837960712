//! A search that several workers share, each with a machine of its own.

use crate::burst::Sampled;
use crate::guard::guarded;
use crate::inputs_first;
use crate::report::conclude;
use crate::search::Search;
use crate::{EngineError, Observer, Outcome, Results, Settings, Silent, Strategy, Subject};
use gordian_trace::{Stop, Test};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the workers of a search have in common. However many there are, they make the same executions between them.
pub trait Team: Sync {
    fn worker(&self) -> Box<dyn Strategy + Send>;

    /// The first of several workers, who is alone at first and finds out how they could divide the search.
    fn scout(&self) -> Box<dyn Strategy + Send> {
        self.worker()
    }

    /// How several workers should go about it, by what the scout has seen.
    fn division(&self) -> Division {
        Division::Shared
    }

    /// What the search came to as far as it has come, in the order in which a single worker would have come to it.
    fn results(&self) -> Results;

    /// Everything that is needed to go on from here another time.
    fn save(&self) -> String;

    /// Asks the workers to share what they know, for the next [`Team::save`].
    fn refresh(&self);

    /// The same search for a team of so many workers who need not speak to each other so often, if there is one. Nothing has been found, and
    /// the first worker has made some executions. If the search of that team fails, another may be asked for.
    fn split(&self, _n_workers: usize) -> Option<Box<dyn Team>> {
        None
    }

    /// Whether the search is not what it was to be, so that nothing can be said.
    fn has_failed(&self) -> bool {
        false
    }
}

/// How workers go about a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// They take parts of it from each other.
    Shared,
    /// It is split, see [`Team::split`], or else shared.
    Split,
    /// It is split, or else left to one: they would have more to tell each other than to do.
    SplitOrAlone,
}

/// How many workers a search has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jobs {
    pub n: usize,
    /// Executions that the first worker makes before others are called.
    pub alone: Few,
}

impl Jobs {
    /// For few executions others are not worth their while.
    pub fn new(n: usize) -> Jobs {
        Jobs { n, alone: Few { executions: 500, long: 100, steps: 25_000 } }
    }
}

/// So few executions, or fewer if they are long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Few {
    pub executions: u64,
    /// Of executions that have this many steps together, so many are enough.
    pub long: u64,
    pub steps: u64,
}

impl Few {
    pub const ONE: Few = Few { executions: 1, long: 1, steps: 0 };

    /// Whether they have not all been made.
    pub(crate) fn are_left(self, counts: Counts) -> bool {
        let Counts { executions, steps, .. } = counts;
        executions < self.executions && (executions < self.long || steps < self.steps)
    }
}

/// Ways to split a search that are tried.
const MOST_SPLITS: usize = 10;

/// As [`crate::check`], by the workers of a team. `None` if the search must be made by one worker alone, or had better be, and was not:
/// then nothing can be said.
pub fn check_together<S: Subject + Sync>(
    subject: &S,
    template: &Test,
    team: &dyn Team,
    jobs: Jobs,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Option<Outcome>, EngineError> {
    let settings = &settings.begun();
    let mut found = inputs_first::look(subject, template, settings, observer)?;
    let mut first = if jobs.n > 1 { team.scout() } else { team.worker() };
    let mut search = Search::start(subject, template, first.as_mut(), settings, observer)?;
    let counters = Arc::new(Counters::default());
    search.share(Arc::clone(&counters), Some(team));
    let at_once = inputs_first::ends_with(&found, settings);
    let few = settings.burst.map_or(jobs.alone, |burst| burst.before());
    let mut stop = at_once.or_else(|| guarded(|| search.run_few(few)).unwrap_or_else(Some));
    let mut sampled = Sampled::default();
    if let Some(burst) = &settings.burst
        && stop.is_none()
        && found.is_empty()
        && search.results.get_mut().collector.is_empty()
    {
        sampled = burst.sample(subject, template, settings, search.observer)?;
        found.append(std::mem::take(&mut sampled.found));
        stop = inputs_first::ends_with(&found, settings);
    }
    let note = sampled.note();
    let stop = match stop {
        Some(stop) => stop,
        None if jobs.n == 1 => guarded(|| search.run_on()).unwrap_or_else(|panicked| panicked),
        None => {
            let division = team.division();
            let has_found = !found.is_empty() || !search.results.get_mut().collector.is_empty();
            // All have to name threads alike, so they begin with the names that the scout gave.
            let named = Test { threads: search.thread_origins(), ..template.clone() };
            let n_splits = if division == Division::Shared || has_found { 0 } else { MOST_SPLITS };
            for _ in 0..n_splits {
                let Some(split) = team.split(jobs.n) else { break };
                let outcome = check_apart(subject, &named, &*split, jobs, settings, search.observer)?;
                if outcome.is_some() {
                    return Ok(outcome.map(|outcome| noted(outcome, note.clone())));
                }
            }
            let stop = match division {
                Division::SplitOrAlone => None,
                _ => work(subject, &named, team, jobs, settings, &counters, &mut search)?,
            };
            let Some(stop) = stop else { return Ok(None) };
            stop
        }
    };
    if team.has_failed() {
        return Ok(None);
    }
    let solver = search.solver_summary().filter(|_| jobs.n == 1);
    let rest = search.results.take();
    let mut results = team.results();
    results.found_before(found);
    results.tally.solver = solver;
    let outcome = finish(subject, template, jobs, settings, stop, rest, results, &*first, observer)?;
    Ok(outcome.map(|outcome| noted(outcome, note)))
}

fn noted(mut outcome: Outcome, note: Option<String>) -> Outcome {
    outcome.summary.notes.extend(note);
    outcome
}

/// A search that was split for the workers. None if it cannot be made so.
fn check_apart<S: Subject + Sync>(
    subject: &S,
    template: &Test,
    team: &dyn Team,
    jobs: Jobs,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Option<Outcome>, EngineError> {
    let mut first = team.worker();
    let mut search = Search::start(subject, template, first.as_mut(), settings, observer)?;
    let counters = Arc::new(Counters::default());
    search.share(Arc::clone(&counters), Some(team));
    let stop = match guarded(|| search.run_few(Few::ONE)).unwrap_or_else(Some) {
        Some(stop) => Some(stop),
        None => work(subject, template, team, jobs, settings, &counters, &mut search)?,
    };
    let rest = search.results.take();
    let Some(stop) = stop.filter(|_| !team.has_failed()) else { return Ok(None) };
    finish(subject, template, jobs, settings, stop, rest, team.results(), &*first, observer)
}

/// All workers make the rest of the search. None if they did not name all threads alike.
fn work<S: Subject + Sync>(
    subject: &S,
    template: &Test,
    team: &dyn Team,
    jobs: Jobs,
    settings: &Settings,
    counters: &Arc<Counters>,
    search: &mut Search<'_, S::Executor<'_>>,
) -> Result<Option<Stop>, EngineError> {
    search.agree(template.threads.clone());
    let (mut stop, others) = std::thread::scope(|scope| {
        let help = || help(subject, template, team, settings, Arc::clone(counters));
        let others: Vec<_> = (1..jobs.n).map(|_| scope.spawn(help)).collect();
        let stop = guarded(|| search.run_on()).unwrap_or_else(|panicked| panicked);
        search.leave();
        let results = others.into_iter().map(|other| other.join().expect("a worker catches its panics"));
        (stop, results.collect::<Result<Vec<_>, _>>())
    });
    let mut agree = search.keeps_agreement();
    for other in others? {
        let has_panicked = matches!(stop, Stop::Panicked(_));
        if matches!(other.stop, Stop::Time | Stop::Memory | Stop::Interrupted | Stop::Panicked(_)) && !has_panicked {
            stop = other.stop;
        }
        agree &= other.agrees;
        search.results.get_mut().append(other.results);
    }
    let has_panicked = matches!(stop, Stop::Panicked(_));
    Ok(Some(stop).filter(|_| agree || has_panicked))
}

/// Draws the verdict. `rest` is what workers did not hand over.
#[expect(clippy::too_many_arguments, reason = "all that a search is made of")]
fn finish<S: Subject>(
    subject: &S,
    template: &Test,
    jobs: Jobs,
    settings: &Settings,
    stop: Stop,
    mut rest: Results,
    mut results: Results,
    first: &dyn Strategy,
    observer: &mut dyn Observer,
) -> Result<Option<Outcome>, EngineError> {
    let (stop, counts) = match (stop, results.stop.take()) {
        (Stop::Exhausted, Some(stop)) => (stop, false),
        (Stop::Exhausted, None) => (Stop::Exhausted, false),
        (stop, _) => (stop, true),
    };
    if counts {
        rest.stop = None;
        results.append(rest);
    }
    if jobs.n > 1 && matches!(stop, Stop::Unsupported(_)) {
        // Whether that ends the search depends on what was found before.
        return Ok(None);
    }
    let stop = results.tally.stop_of(stop, first.capabilities().reduces);
    let mut exploration = first.exploration();
    if stop != Stop::Exhausted {
        exploration.guarantee.clear();
    }
    conclude(subject, template, settings, stop, exploration, results, observer).map(Some)
}

fn help<S: Subject + Sync>(
    subject: &S,
    template: &Test,
    team: &dyn Team,
    settings: &Settings,
    counters: Arc<Counters>,
) -> Result<Helped, EngineError> {
    let mut strategy = team.worker();
    let mut observer = Silent;
    let mut search = Search::start(subject, template, strategy.as_mut(), settings, &mut observer)?;
    search.share(counters, None);
    search.agree(template.threads.clone());
    let stop = guarded(|| search.run()).unwrap_or_else(|panicked| panicked);
    // Whoever waits for what this one has taken need not wait any more.
    search.leave();
    Ok(Helped { stop, agrees: search.keeps_agreement(), results: search.results.take() })
}

/// How a worker came to its end.
struct Helped {
    stop: Stop,
    /// It named threads as the others did.
    agrees: bool,
    /// What it did not hand over.
    results: Results,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub executions: u64,
    pub blocked: u64,
    pub steps: u64,
}

/// What all workers have counted.
#[derive(Default)]
pub(crate) struct Counters {
    executions: AtomicU64,
    blocked: AtomicU64,
    steps: AtomicU64,
}

impl Counters {
    /// Adds what a worker has counted, and gives what all have.
    pub fn tell(&self, untold: &mut Counts) -> Counts {
        let Counts { executions, blocked, steps } = std::mem::take(untold);
        let add = |counter: &AtomicU64, n: u64| counter.fetch_add(n, Ordering::Relaxed) + n;
        Counts {
            executions: add(&self.executions, executions),
            blocked: add(&self.blocked, blocked),
            steps: add(&self.steps, steps),
        }
    }
}
