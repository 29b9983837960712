//! What must hold between a symbolic search and brute force over inputs and schedules.

use crate::generator::Case;
use crate::observe::{self, Key, Search, Trace};
use crate::watch::{self, Execution, Symbolic};
use crate::workers;
use gordian_engine::{Capabilities, End, Ended, Next, Point, Settings, Strategy};
use gordian_ir::Program;
use gordian_strategies::{Dpor, DporTeam, Exhaustive, Order};
use gordian_trace::{Choice, Exploration, FORMAT_VERSION, InputValue, ProgramSource, RaceMode, Schedule, Stop, Test};
use gordian_vm::Machine;
use std::collections::{BTreeMap, BTreeSet};

/// Cases with more schedules over all inputs are left out.
const SCHEDULES: u64 = 4_000;

pub enum Comparison {
    /// Or not all inputs were followed, which was said.
    Equal {
        losses: bool,
    },
    /// Cannot be compared, and why.
    LeftOut(&'static str),
    Different(String),
}

fn template(nth: usize) -> Test {
    let mut test = Test {
        gordian: FORMAT_VERSION,
        program: ProgramSource { files: Vec::new(), cflags: Vec::new(), identity: String::new() },
        arguments: vec![nth.to_string()],
        environment: Vec::new(),
        stdin: String::new(),
        machine: Default::default(),
        sources: Vec::new(),
        inputs: Vec::new(),
        threads: Vec::new(),
        schedule: Schedule::default(),
        finding: None,
    };
    test.machine.max_steps = 500;
    test.machine.races = RaceMode::Ignore;
    test
}

/// Every choice of values.
fn all_inputs(case: &Case) -> Vec<Vec<InputValue>> {
    let mut all = vec![Vec::new()];
    for (thread, inputs) in (0..).zip(&case.inputs) {
        for (nth, &bits) in (0..).zip(inputs) {
            let with = |inputs: &Vec<InputValue>, value: u64| {
                let input =
                    InputValue { thread, nth, value, name: String::new(), function: String::new(), bits: bits as u8 };
                inputs.iter().cloned().chain([input]).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(|inputs| (0..1 << bits).map(move |value| with(inputs, value))).collect();
        }
    }
    all
}

pub type Compare = fn(&Program, &Case, usize) -> Comparison;

/// `nth` is where the case stands in the program.
pub fn compare(program: &Program, case: &Case, nth: usize) -> Comparison {
    let test = template(nth);
    let inputs = all_inputs(case);
    let mut oracles = Vec::new();
    let mut left = SCHEDULES;
    for inputs in &inputs {
        let test = Test { inputs: inputs.clone(), ..test.clone() };
        let oracle = search(program, &test, Box::new(Exhaustive::default()), left);
        match &oracle.outcome.summary.stop {
            Stop::Exhausted => {}
            Stop::Runs => return Comparison::LeftOut("too many schedules"),
            Stop::Unsupported(_) => return Comparison::LeftOut("unsupported"),
            _ => return Comparison::LeftOut("stopped otherwise"),
        }
        left = left.saturating_sub(oracle.outcome.summary.executions).max(1);
        oracles.push(oracle);
    }
    let mut symbolic_test = test.clone();
    symbolic_test.machine.symbolic = true;
    let symbolic = watch::search(program, &symbolic_test, &inputs, &mut Dpor::default(), 4 * SCHEDULES);
    if symbolic.outcome.summary.stop != Stop::Exhausted {
        return Comparison::Different(format!("stop: {:?}", symbolic.outcome.summary.stop));
    }
    let (counts, waits) = (!case.has_other_ways(), case.waits());
    let comparison = Comparing { program, test, inputs, oracles, symbolic, counts, waits };
    match comparison.all().and_then(|()| together(program, &symbolic_test)) {
        Ok(()) => Comparison::Equal { losses: !comparison.symbolic.losses.is_empty() },
        Err(what) => Comparison::Different(what),
    }
}

/// Workers that share the search, in every order, report what one does.
fn together(program: &Program, test: &Test) -> Result<(), String> {
    let settings = Settings::default();
    let Some(alone) = workers::one(program, test, &settings, 4 * SCHEDULES) else { return Ok(()) };
    type Make = fn() -> DporTeam;
    let teams: [(&str, Make); 4] = [
        ("as one goes", || DporTeam::sharing_every(1)),
        ("breadth", || DporTeam::in_order(Order::Breadth)),
        ("coverage", || DporTeam::in_order(Order::Coverage)),
        ("random", || DporTeam::in_order(Order::random(1))),
    ];
    for (nth, (name, team)) in teams.into_iter().enumerate() {
        for n in [1, 2] {
            let Some(shared) = workers::several(program, test, &settings, &team(), n) else { continue };
            if !shared.concludes_as(&alone) || nth == 0 && !shared.is_as(&alone) {
                return Err(format!("{n} workers, order {name}: {shared:?} and one: {alone:?}"));
            }
        }
    }
    Ok(())
}

/// An execution without choices is a trace as well.
fn search(program: &Program, test: &Test, strategy: Box<dyn Strategy>, runs: u64) -> Search {
    let mut search = observe::search(program, test, strategy, runs, false);
    if let Some(ending) = search.only.take().filter(|ending| matches!(ending.end, End::Exit(_) | End::Failed)) {
        search.traces.insert(0, Trace { ending, executions: 1, steps: Vec::new(), schedules: 1, contradiction: None });
    }
    search
}

struct Comparing<'a> {
    program: &'a Program,
    test: Test,
    inputs: Vec<Vec<InputValue>>,
    /// By number of the inputs: what brute force found.
    oracles: Vec<Search>,
    symbolic: Symbolic,
    /// Whether the number of executions is known.
    counts: bool,
    /// Threads wait in loops. One that waits for what inputs decide looks again although nothing has changed for the inputs
    /// that are fixed here: then that step is left out, and some executions are the same with these inputs.
    waits: bool,
}

fn text(inputs: &[InputValue]) -> String {
    let parts: Vec<String> =
        inputs.iter().map(|input| format!("{}.{}={}", input.thread, input.nth, input.value)).collect();
    parts.join(" ")
}

impl Comparing<'_> {
    fn all(&self) -> Result<(), String> {
        let mut covered = BTreeMap::<(usize, u64), u32>::new();
        let mut findings = vec![BTreeSet::<Key>::new(); self.inputs.len()];
        for execution in &self.symbolic.executions {
            if matches!(execution.end, End::Dropped) {
                continue;
            }
            for &(nth, state) in &execution.states {
                let replayed = self.replay(nth, execution)?;
                findings[nth].extend(execution.findings.iter().cloned());
                let Some((&class, trace)) = replayed.traces.first_key_value() else {
                    return Err(format!("replay: no end with {}", text(&self.inputs[nth])));
                };
                if trace.ending.findings != execution.findings {
                    let (now, then) = (&trace.ending.findings, &execution.findings);
                    return Err(format!("findings: {now:?} and not {then:?} with {}", text(&self.inputs[nth])));
                }
                if !trace.ending.cut_short {
                    if self.run(nth, execution)?.state_fingerprint() != state && !self.waits {
                        return Err(format!("state: another one with {}", text(&self.inputs[nth])));
                    }
                    *covered.entry((nth, class)).or_default() += 1;
                }
            }
        }
        if !self.symbolic.losses.is_empty() {
            return Ok(());
        }
        for (nth, oracle) in self.oracles.iter().enumerate() {
            let with = text(&self.inputs[nth]);
            if oracle.findings != findings[nth] {
                let missed: Vec<_> = oracle.findings.difference(&findings[nth]).collect();
                let invented: Vec<_> = findings[nth].difference(&oracle.findings).collect();
                return Err(format!("missed: findings {missed:?}, and has others {invented:?}, with {with}"));
            }
            for (&class, trace) in oracle.complete() {
                if !covered.contains_key(&(nth, class)) {
                    return Err(format!("missed: a trace that prints {:?} with {with}", trace.ending.stdout));
                }
            }
        }
        if self.oracles.iter().any(Search::is_cut_short) {
            return Ok(());
        }
        if let Some((&(nth, _), n)) = covered.iter().find(|(_, n)| **n > 1 && !self.waits) {
            return Err(format!("twice: {n} executions of one trace with {}", text(&self.inputs[nth])));
        }
        if self.counts { self.count() } else { Ok(()) }
    }

    /// As many executions as there are pairs of a way through the program and a trace.
    fn count(&self) -> Result<(), String> {
        let pairs: BTreeSet<(&str, u64)> = self
            .oracles
            .iter()
            .flat_map(|oracle| oracle.complete().map(|(&class, trace)| (trace.ending.stdout.as_str(), class)))
            .collect();
        let complete = self.symbolic.executions.iter().filter(|execution| !matches!(execution.end, End::Dropped));
        let made = complete.count();
        if made != pairs.len() {
            return Err(format!("count: {made} executions for {} ways and traces", pairs.len()));
        }
        Ok(())
    }

    fn fixed(&self, nth: usize) -> Test {
        Test { inputs: self.inputs[nth].clone(), ..self.test.clone() }
    }

    /// The execution with fixed inputs.
    fn replay(&self, nth: usize, execution: &Execution) -> Result<Search, String> {
        let test = self.fixed(nth);
        let schedule =
            if self.waits { self.run(nth, execution)?.schedule().to_vec() } else { execution.schedule.clone() };
        let follow = Follow { schedule };
        let replayed = search(self.program, &test, Box::new(follow), 1);
        if replayed.traces.len() != 1 {
            let stop = &replayed.outcome.summary;
            let (steps, with) = (&execution.schedule, text(&self.inputs[nth]));
            return Err(format!("replay: {:?} {:?} of {steps:?} with {with}", stop.stop, stop.blocked));
        }
        Ok(replayed)
    }

    /// The machine that made the execution with fixed inputs.
    fn run(&self, nth: usize, execution: &Execution) -> Result<Machine<'_>, String> {
        let mut machine = Machine::new(self.program, &self.fixed(nth)).expect("it was set up before");
        for &choice in &execution.schedule {
            let is_possible = machine.choices().contains(&choice);
            if is_possible {
                machine.step(choice);
            } else if !self.waits {
                return Err(format!("replay: the state cannot be reached with {}", text(&self.inputs[nth])));
            }
        }
        while machine.end().is_none() {
            let choice = machine.choices()[0];
            machine.step(choice);
        }
        Ok(machine)
    }
}

/// Follows a schedule, and then whatever comes first.
struct Follow {
    schedule: Vec<Choice>,
}

impl Strategy for Follow {
    fn exploration(&self) -> Exploration {
        Exploration { strategy: "follow".to_owned(), guarantee: String::new() }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        match self.schedule.get(point.step) {
            Some(choice) => point.choices.iter().position(|possible| possible == choice),
            None => Some(0),
        }
    }

    fn next(&mut self, _: &Ended<'_>) -> Next {
        Next::Done
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { sees_every_step: true, ..Capabilities::default() }
    }
}
