//! Watches a search from both sides: the machine for how executions end, the strategy for which trace they are.

use crate::brute;
use crate::form::Form;
pub use crate::form::Key;
use crate::watched::{Look, Watched};
use gordian_base::{FxHasher, ThreadId};
use gordian_engine::{Budget, Capabilities, End, Ended, Next, Outcome, Point, Settings, Silent, Strategy, check};
use gordian_ir::Program;
use gordian_strategies::{Classifier, Observers};
use gordian_trace::{Event, Exploration, FindingKind, OpKind, Test, ThreadOrigin};
use gordian_vm::Machine;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

/// How an execution ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// Of memory, of where the threads stand, of what was printed.
    pub state: u64,
    pub findings: BTreeSet<Key>,
    pub stdout: String,
    pub end: End,
    /// It failed where it might have gone on.
    pub cut_short: bool,
}

impl Ending {
    /// What was printed, in any order: which thread prints first is no behaviour that is searched for.
    fn printed(&self) -> String {
        let mut words: Vec<&str> = self.stdout.split_whitespace().collect();
        words.sort_unstable();
        words.join(" ")
    }
}

/// What is known of a trace.
#[derive(Clone, Debug)]
pub struct Trace {
    pub ending: Ending,
    /// Executions that fell into it.
    pub executions: u64,
    /// What one of them did, in order.
    pub steps: Vec<(ThreadId, OpKind)>,
    /// Schedules that it consists of.
    pub schedules: u64,
    /// An execution of the same trace that ended otherwise.
    pub contradiction: Option<Ending>,
}

/// All of a search.
pub struct Search {
    pub outcome: Outcome,
    pub traces: BTreeMap<u64, Trace>,
    /// Of the executions that came to an end of their own.
    pub forms: BTreeSet<Form>,
    pub findings: BTreeSet<Key>,
    pub threads: Vec<ThreadOrigin>,
    /// With other names for threads that were created alike: every trace that came to an end of its own.
    pub orbits: BTreeSet<u64>,
    /// The same with the names that they had.
    pub named: BTreeSet<u64>,
    /// Those of `named` with a schedule in which no thread overtakes one that it could change names with.
    pub in_order: BTreeSet<u64>,
    /// Of `named`, one of those that only differ in the names of threads.
    pub representatives: BTreeSet<u64>,
    /// What was printed at the ends.
    pub outputs: BTreeSet<String>,
    /// What each thread read in the executions that came to an end of their own, with the state at the end.
    pub behaviours: BTreeSet<u64>,
    /// The traces of those, where writes that nobody reads are not ordered, each with what was read.
    pub observed: BTreeMap<u64, BTreeSet<u64>>,
    /// The only execution, if it ended before its first choice; it is not among the traces.
    pub only: Option<Ending>,
}

impl Search {
    /// States in which executions came to an end of their own.
    pub fn states(&self) -> BTreeSet<u64> {
        self.complete().map(|(_, trace)| trace.ending.state).collect()
    }

    pub fn complete(&self) -> impl Iterator<Item = (&u64, &Trace)> {
        self.traces.iter().filter(|(_, trace)| !trace.ending.cut_short)
    }

    pub fn is_cut_short(&self) -> bool {
        self.traces.values().any(|trace| trace.ending.cut_short)
    }
}

/// What the machine has shown.
#[derive(Default)]
struct Shown {
    /// How the execution ended.
    ending: Option<Ending>,
    threads: Vec<ThreadOrigin>,
    /// All so far: those of executions that were given up are reported as well.
    findings: BTreeSet<Key>,
    forms: BTreeSet<Form>,
}

type Shared = RefCell<Shown>;

/// Searches; brute force counts the schedules of each trace.
pub fn search(program: &Program, test: &Test, strategy: Box<dyn Strategy>, runs: u64, counts: bool) -> Search {
    search_observing(
        program,
        test,
        strategy,
        &Settings { budget: within(runs), ..Settings::default() },
        counts,
        Observers::Unused,
    )
}

pub fn within(runs: u64) -> Budget {
    Budget { runs: Some(runs), time: None }
}

/// As [`search`], and tells executions apart by what is read in them.
pub fn search_observing(
    program: &Program,
    test: &Test,
    strategy: Box<dyn Strategy>,
    settings: &Settings,
    counts: bool,
    observers: Observers,
) -> Search {
    let shared = Shared::default();
    let subject = Watched { program, observer: Watch { shared: &shared } };
    let mut recorder = Recorder {
        strategy,
        classifier: Classifier::default(),
        observing: (observers != Observers::Unused).then(|| (observers, Classifier::observing(observers))),
        behaviours: BTreeSet::new(),
        observed: BTreeMap::new(),
        shared: &shared,
        traces: BTreeMap::new(),
        orbits: BTreeSet::new(),
        named: BTreeSet::new(),
        in_order: BTreeSet::new(),
        representatives: BTreeSet::new(),
        outputs: BTreeSet::new(),
        overtaken: None,
        counts,
    };
    let outcome = check(&subject, test, &mut recorder, settings, &mut Silent).expect("the program can be set up");
    let Recorder { traces, orbits, named, in_order, representatives, outputs, behaviours, observed, .. } = recorder;
    let Shown { ending, threads, findings, forms } = shared.into_inner();
    let only = ending.filter(|_| traces.is_empty());
    Search {
        outcome,
        traces,
        forms,
        findings,
        threads,
        orbits,
        named,
        in_order,
        representatives,
        outputs,
        behaviours,
        observed,
        only,
    }
}

struct Recorder<'a> {
    strategy: Box<dyn Strategy>,
    classifier: Classifier,
    observing: Option<(Observers, Classifier)>,
    behaviours: BTreeSet<u64>,
    observed: BTreeMap<u64, BTreeSet<u64>>,
    shared: &'a Shared,
    traces: BTreeMap<u64, Trace>,
    orbits: BTreeSet<u64>,
    named: BTreeSet<u64>,
    in_order: BTreeSet<u64>,
    representatives: BTreeSet<u64>,
    outputs: BTreeSet<String>,
    /// The first step of the present execution whose thread overtook another that it could have changed names with.
    overtaken: Option<usize>,
    counts: bool,
}

impl Strategy for Recorder<'_> {
    fn exploration(&self) -> Exploration {
        self.strategy.exploration()
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        let chosen = self.strategy.choose(point)?;
        let choice = point.choices[chosen];
        self.classifier.chosen(point, choice);
        if let Some((_, observing)) = &mut self.observing {
            observing.chosen(point, choice);
        }
        if self.overtaken.is_none() && overtakes(&self.classifier, choice.thread, point.events) {
            self.overtaken = Some(point.depth);
        }
        Some(chosen)
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        let class = self.classifier.class(ended);
        let observed = self.observing.as_mut().map(|(_, observing)| observing.class(ended));
        let ending = self.shared.borrow_mut().ending.take();
        if let (Some(End::Exit(_) | End::Failed), Some(ending)) = (ended.end, ending) {
            if let Some(observed) = observed
                && !ending.cut_short
            {
                let behaviour = behaviour(ended.events, ending.state);
                self.behaviours.insert(behaviour);
                self.observed.entry(observed).or_default().insert(behaviour);
            }
            if !ending.cut_short {
                self.outputs.insert(ending.printed());
                let renamings = renamings(ended.events, ended.thread_numbers);
                let classes: Vec<u64> = renamings.iter().map(|names| self.classifier.class_renamed(names)).collect();
                self.named.insert(classes[0]);
                self.representatives.extend(classes.iter().min());
                if self.overtaken.is_none() {
                    self.in_order.insert(classes[0]);
                }
                self.orbits.extend(classes);
            }
            let (classifier, counts) = (&self.classifier, self.counts);
            let trace = self.traces.entry(class).or_insert_with(|| Trace {
                ending: ending.clone(),
                executions: 0,
                steps: ended.events.iter().map(|event| (event.thread, event.kind)).collect(),
                schedules: if counts { schedules(classifier) } else { 0 },
                contradiction: None,
            });
            trace.executions += 1;
            if trace.ending.state != ending.state || trace.ending.end != ending.end {
                trace.contradiction = Some(ending);
            }
        }
        let next = self.strategy.next(ended);
        match next {
            Next::Backtrack(depth) => {
                self.classifier.back(depth);
                if let Some((_, observing)) = &mut self.observing {
                    observing.back(depth);
                }
                self.overtaken = self.overtaken.filter(|&step| step < depth);
            }
            Next::Anew => {
                self.classifier = Classifier::default();
                if let Some((observers, observing)) = &mut self.observing {
                    *observing = Classifier::observing(*observers);
                }
                self.behaviours.clear();
                self.observed.clear();
                self.traces.clear();
                self.orbits.clear();
                self.named.clear();
                self.shared.borrow_mut().forms.clear();
                self.overtaken = None;
            }
            Next::Restart | Next::Elsewhere { .. } | Next::Done => {}
        }
        next
    }

    fn notes(&self) -> Vec<String> {
        self.strategy.notes()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { backtracks: true, sees_every_step: true, ..self.strategy.capabilities() }
    }
}

/// What each thread read, in its order, and the state at the end.
fn behaviour(events: &[Event], state: u64) -> u64 {
    use OpKind::{AtomicRead, CasFail, CasOk, Read, Rmw, RmwSame};
    let reads = events.iter().filter(|event| matches!(event.kind, Read | AtomicRead | Rmw | RmwSame | CasOk | CasFail));
    let mut reads: Vec<_> =
        reads.map(|event| (event.thread, event.kind as u8, event.address, event.value, event.other)).collect();
    reads.sort_by_key(|read| read.0);
    let mut hasher = FxHasher::default();
    (reads, state).hash(&mut hasher);
    hasher.finish()
}

/// Whether a thread goes on although another, created before it, could change names with it so far.
fn overtakes(classifier: &Classifier, thread: ThreadId, events: &[Event]) -> bool {
    twins(events).filter(|(_, later)| *later == thread.0).any(|(earlier, later)| {
        let mut names: Vec<u32> = (0..=thread.0).collect();
        let so_far = classifier.class_renamed(&names);
        names.swap(earlier as usize, later as usize);
        classifier.class_renamed(&names) == so_far
    })
}

/// In a crowd nobody's name is exchanged: there are too many ways.
const MOST_RENAMED: usize = 8;

/// All ways to exchange the names of threads that one thread created with the same start function and argument; the first
/// leaves them as they are.
fn renamings(events: &[Event], n_threads: usize) -> Vec<Vec<u32>> {
    let mut all = vec![(0..n_threads as u32).collect::<Vec<u32>>()];
    if n_threads > MOST_RENAMED {
        return all;
    }
    let twins: Vec<(u32, u32)> = twins(events).collect();
    for thread in 0..n_threads as u32 {
        let exchanged: Vec<Vec<u32>> = twins
            .iter()
            .filter(|(_, later)| *later == thread)
            .flat_map(|&(earlier, later)| {
                all.iter().map(move |names| {
                    let mut names = names.clone();
                    names.swap(earlier as usize, later as usize);
                    names
                })
            })
            .collect();
        all.extend(exchanged);
    }
    all
}

/// Pairs of threads that were created alike, the earlier one first.
fn twins(events: &[Event]) -> impl Iterator<Item = (u32, u32)> {
    // What the creator did between two creations tells the threads apart.
    let done = |at: usize| {
        let own = events[..at].iter().filter(|event| event.thread == events[at].thread && event.kind != OpKind::Create);
        own.count()
    };
    let creates = events.iter().enumerate().filter(|(_, event)| event.kind == OpKind::Create);
    let births: Vec<(&Event, usize)> = creates.map(|(at, event)| (event, done(at))).collect();
    let key = |(event, done): &(&Event, usize)| (event.thread, event.value, event.other, *done);
    let name = |(event, _): &(&Event, usize)| event.address as u32;
    let mut pairs = Vec::new();
    for (nth, later) in births.iter().enumerate() {
        let alike = births[..nth].iter().filter(|earlier| key(earlier) == key(later));
        pairs.extend(alike.map(|earlier| (name(earlier), name(later))));
    }
    pairs.into_iter()
}

/// The number of schedules of the trace that the present execution belongs to: the linear extensions of its order.
fn schedules(classifier: &Classifier) -> u64 {
    let mut threads: Vec<Vec<Vec<u32>>> = Vec::new();
    let mut total = 0;
    for (choice, clock) in classifier.order() {
        let thread = choice.thread.0 as usize;
        threads.resize(threads.len().max(thread + 1), Vec::new());
        threads[thread].push(clock.to_vec());
        total += 1;
    }
    // By how far each thread has come: the ways to come there.
    let mut ways = BTreeMap::from([(vec![0_u32; threads.len()], 1_u64)]);
    for _ in 0..total {
        let mut next = BTreeMap::<Vec<u32>, u64>::new();
        for (made, n) in ways {
            for (thread, steps) in threads.iter().enumerate() {
                let Some(clock) = steps.get(made[thread] as usize) else { continue };
                let known = |other: usize| made.get(other).copied().unwrap_or(0) + u32::from(other == thread);
                if clock.iter().enumerate().all(|(other, &time)| time <= known(other)) {
                    let mut made = made.clone();
                    made[thread] += 1;
                    // Of too many nobody asks for the exact number.
                    let ways = next.entry(made).or_default();
                    *ways = ways.saturating_add(n);
                }
            }
        }
        ways = next;
    }
    ways.into_values().fold(0, u64::saturating_add)
}

/// Of all executions of a search.
struct Watch<'a> {
    shared: &'a Shared,
}

impl Look for Watch<'_> {
    fn look(&self, machine: &mut Machine<'_>) {
        let findings: BTreeSet<Key> = machine.findings().iter().map(|raw| raw.finding.key()).collect();
        self.shared.borrow_mut().findings.extend(findings.iter().cloned());
        let Some(end) = machine.end().cloned() else { return };
        // In which order threads print is no behaviour that is searched for.
        let stdout = String::from_utf8_lossy(machine.stdout()).into_owned();
        let mut words: Vec<&str> = stdout.split_whitespace().collect();
        words.sort_unstable();
        let mut hasher = FxHasher::default();
        (machine.state_fingerprint(), words).hash(&mut hasher);
        // What races depends on more than the trace: only the last accesses of a location are remembered.
        for (kind, places) in findings.iter().filter(|key| key.0 != FindingKind::DataRace) {
            (kind, places).hash(&mut hasher);
        }
        let cut_short = end == End::Failed && !machine.is_stuck();
        let ending = Ending { state: hasher.finish(), findings, stdout, end, cut_short };
        let mut shared = self.shared.borrow_mut();
        (shared.ending, shared.threads) = (Some(ending), machine.thread_origins());
        shared.forms.extend(brute::form(machine));
    }
}
