//! Watches a search from both sides: the machine for how executions end, the strategy for which trace they are.

use gordian_base::{FxHasher, ThreadId};
use gordian_engine::{
    Budget, End, Ended, EngineError, Executor, Next, Outcome, Point, RawFinding, Settings, Silent, Strategy, Subject,
    check,
};
use gordian_ir::Program;
use gordian_strategies::Classifier;
use gordian_trace::{Choice, Event, Exploration, FindingKind, InputValue, OpKind, Step, Test, ThreadOrigin, Wants};
use gordian_vm::{Machine, Mark};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

/// What a finding is known by: its kind and its places.
pub type Key = (FindingKind, Vec<(String, u32, u32)>);

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

/// What is known of a trace.
#[derive(Clone, Debug)]
pub struct Trace {
    pub ending: Ending,
    /// Executions that fell into it.
    pub executions: u64,
    /// Schedules that it consists of.
    pub schedules: u64,
    /// An execution of the same trace that ended otherwise.
    pub contradiction: Option<Ending>,
}

/// All of a search.
pub struct Search {
    pub outcome: Outcome,
    pub traces: BTreeMap<u64, Trace>,
    pub findings: BTreeSet<Key>,
    pub threads: Vec<ThreadOrigin>,
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

type Shared = RefCell<(Option<Ending>, Vec<ThreadOrigin>)>;

/// Searches; brute force counts the schedules of each trace.
pub fn search(program: &Program, test: &Test, strategy: Box<dyn Strategy>, runs: u64, counts: bool) -> Search {
    let shared = Shared::default();
    let subject = Watched { program, shared: &shared };
    let mut recorder = Recorder {
        strategy,
        classifier: Classifier::default(),
        shared: &shared,
        traces: BTreeMap::new(),
        findings: BTreeSet::new(),
        counts,
    };
    let settings = Settings { budget: Budget { runs: Some(runs), time: None }, ..Settings::default() };
    let outcome = check(&subject, test, &mut recorder, &settings, &mut Silent).expect("the program can be set up");
    let (traces, findings) = (recorder.traces, recorder.findings);
    let (last, threads) = shared.into_inner();
    let findings = last.iter().flat_map(|ending| ending.findings.clone()).chain(findings).collect();
    let only = last.filter(|_| traces.is_empty());
    Search { outcome, traces, findings, threads, only }
}

struct Recorder<'a> {
    strategy: Box<dyn Strategy>,
    classifier: Classifier,
    shared: &'a Shared,
    traces: BTreeMap<u64, Trace>,
    findings: BTreeSet<Key>,
    counts: bool,
}

impl Strategy for Recorder<'_> {
    fn exploration(&self) -> Exploration {
        self.strategy.exploration()
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        let chosen = self.strategy.choose(point)?;
        self.classifier.chosen(point, point.choices[chosen]);
        Some(chosen)
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        let class = self.classifier.class(ended);
        let ending = self.shared.borrow_mut().0.take();
        if let (Some(End::Exit(_) | End::Failed), Some(ending)) = (ended.end, ending) {
            self.findings.extend(ending.findings.iter().cloned());
            let (classifier, counts) = (&self.classifier, self.counts);
            let trace = self.traces.entry(class).or_insert_with(|| Trace {
                ending: ending.clone(),
                executions: 0,
                schedules: if counts { schedules(classifier) } else { 0 },
                contradiction: None,
            });
            trace.executions += 1;
            if trace.ending.state != ending.state || trace.ending.end != ending.end {
                trace.contradiction = Some(ending);
            }
        }
        let next = self.strategy.next(ended);
        if let Next::Backtrack(depth) = next {
            self.classifier.back(depth);
        }
        next
    }

    fn exhaustive(&self) -> bool {
        self.strategy.exhaustive()
    }

    fn backtracks(&self) -> bool {
        true
    }

    fn sees_every_step(&self) -> bool {
        true
    }
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
                    *next.entry(made).or_default() += n;
                }
            }
        }
        ways = next;
    }
    ways.into_values().sum()
}

struct Watched<'a> {
    program: &'a Program,
    shared: &'a Shared,
}

impl<'a> Subject for Watched<'a> {
    type Executor<'b>
        = Watcher<'b>
    where
        'a: 'b;

    fn start(&self, test: &Test, _: bool) -> Result<Watcher<'_>, EngineError> {
        let mut watcher = Watcher { machine: Machine::new(self.program, test)?, shared: self.shared };
        watcher.look();
        Ok(watcher)
    }
}

/// The machine. It keeps its findings to itself, so that the engine does not spend its time on confirming them, and
/// shows the same race in every execution.
struct Watcher<'a> {
    machine: Machine<'a>,
    shared: &'a Shared,
}

impl Watcher<'_> {
    fn look(&mut self) {
        let Some(end) = self.machine.end().cloned() else { return };
        // In which order threads print is no behaviour that is searched for.
        let stdout = String::from_utf8_lossy(self.machine.stdout()).into_owned();
        let mut words: Vec<&str> = stdout.split_whitespace().collect();
        words.sort_unstable();
        let findings: BTreeSet<Key> = self.machine.findings().iter().map(|raw| raw.finding.key()).collect();
        let mut hasher = FxHasher::default();
        (self.machine.state_fingerprint(), words).hash(&mut hasher);
        // What races depends on more than the trace: only the last accesses of a location are remembered.
        for (kind, places) in findings.iter().filter(|key| key.0 != FindingKind::DataRace) {
            (kind, places).hash(&mut hasher);
        }
        let cut_short = end == End::Failed && !self.machine.is_stuck();
        let ending = Ending { state: hasher.finish(), findings, stdout, end, cut_short };
        *self.shared.borrow_mut() = (Some(ending), self.machine.thread_origins());
    }
}

impl Executor for Watcher<'_> {
    type Mark = Mark;

    fn end(&self) -> Option<&End> {
        self.machine.end()
    }
    fn is_stuck(&self) -> bool {
        self.machine.is_stuck()
    }
    fn choices(&self) -> &[Choice] {
        self.machine.choices()
    }
    fn wants(&self, thread: ThreadId) -> Option<Wants> {
        self.machine.wants(thread)
    }
    fn watched(&self, thread: ThreadId) -> Vec<(u64, u32, u64)> {
        self.machine.watched(thread).collect()
    }
    fn step(&mut self, choice: Choice) {
        self.machine.step(choice);
        self.look();
    }
    fn schedule(&self) -> &[Choice] {
        self.machine.schedule()
    }
    fn events(&self) -> &[Event] {
        self.machine.events()
    }
    fn findings(&self) -> &[RawFinding] {
        &[]
    }
    fn notes(&self) -> &[String] {
        self.machine.notes()
    }
    fn n_threads(&self) -> usize {
        self.machine.n_threads()
    }
    fn thread_numbers(&self) -> usize {
        self.machine.thread_numbers()
    }
    fn thread_origins(&self) -> Vec<ThreadOrigin> {
        self.machine.thread_origins()
    }
    fn inputs(&self) -> Vec<InputValue> {
        self.machine.inputs()
    }
    fn has_inputs(&self) -> bool {
        self.machine.has_inputs()
    }
    fn mark(&mut self) -> Mark {
        self.machine.mark()
    }
    fn undo_to(&mut self, mark: Mark) {
        self.machine.undo_to(mark);
    }
    fn describe(&self) -> Vec<Step> {
        self.machine.describe()
    }
    fn stdout(&self) -> &[u8] {
        self.machine.stdout()
    }
    fn stderr(&self) -> &[u8] {
        self.machine.stderr()
    }
    fn last_operation(&self) -> Option<(ThreadId, OpKind)> {
        Executor::last_operation(&self.machine)
    }
}
