//! `gordian check --strategy sequentialize`: tests P̂_0, P̂_1, … for each choice of T in our own engine.

use crate::emit::sequentialize;
use crate::home::bring_home;
use crate::order::ConcurrentOrder;
use crate::plan::{Plan, Role};
use crate::{Error, Options as EmitOptions, Runtime, Target};
use gordian_engine::{EngineError, Found, Gathering, Observer, Outcome, Settings, Silent, finish};
use gordian_ir::Program;
use gordian_strategies::Exhaustive;
use gordian_trace::{Bound, Exploration, Machine as MachineSettings, RaceMode, Stop, Test};
use gordian_vm::Machine;

pub const NAME: &str = "sequentialize";
pub const HELP: &str = "For k = 0, 1, …: a sequential program in which one thread reads k writes of the others";

/// The paper found every bug of its programs with fewer.
const DEFAULT_K: u32 = 3;

/// The program is told k as a digit.
const MOST_K: u32 = 9;

/// Compiles C to a program, or says why not.
pub type Compile<'a> = &'a dyn Fn(&str) -> Result<Program, String>;

/// How to search.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The largest k.
    pub max_interferences: Option<u32>,
    /// The largest number of writes of T that T' reads; none by default.
    pub max_in_other: u32,
    pub unroll: Option<u32>,
    /// Of the program, without its name.
    pub arguments: Vec<String>,
}

/// What goes wrong before anything is found.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    #[error(transparent)]
    Emit(#[from] Error),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("the sequentialized program does not compile: {0}")]
    Compile(String),
}

/// What a sequential program showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub k: u32,
    /// Writes of T that T' reads.
    pub k2: u32,
    /// T.
    pub number: u32,
    pub name: String,
    /// Executions of the sequential program that came to an end or to a failure.
    pub executions: u64,
    /// Failures of the program itself, as the sequential program names them.
    pub failures: Vec<String>,
    /// Failures of the sequential program that the program itself did not show: none, if nothing is wrong with gordian.
    pub lost: Vec<String>,
    /// Failures of T that come right after an event of T' with which, on the machine, T' fails itself: its own failure is reported.
    pub overtaken: Vec<String>,
}

/// A search, and what it did for each k and each choice of T.
pub struct Checked {
    pub outcome: Outcome,
    pub rows: Vec<Row>,
}

struct Search<'a> {
    program: &'a Program,
    template: &'a Test,
    plan: &'a Plan,
    options: &'a Options,
    settings: &'a Settings,
    compile: Compile<'a>,
    gathering: Gathering<'a>,
    /// Why some executions were left out.
    refused: Option<String>,
    rows: Vec<Row>,
    /// Something lies beyond a bound of the sequential programs.
    cut: bool,
}

/// Tests the sequential programs of `program` one after the other and brings what they show home.
pub fn check(
    program: &Program,
    template: &Test,
    options: &Options,
    compile: Compile<'_>,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Checked, CheckError> {
    let settings = &settings.begun();
    let most =
        Most { k: options.max_interferences.unwrap_or(DEFAULT_K).min(MOST_K), k2: options.max_in_other.min(MOST_K) };
    let plan = match Plan::of(program, &options.arguments) {
        Err(error @ Error::ManyThreads(_)) => return unsupported(program, template, settings, observer, &error),
        plan => plan?,
    };
    let gathering = Gathering::start(settings, observer);
    let mut search = Search {
        program,
        template,
        plan: &plan,
        options,
        settings,
        compile,
        gathering,
        refused: None,
        rows: Vec::new(),
        cut: false,
    };
    let stop = match search.run(most) {
        Err(CheckError::Emit(error @ (Error::Unsupported { .. } | Error::ManyThreadsReadFromT(_)))) => {
            Stop::Unsupported(error.to_string())
        }
        stop => stop?,
    };
    let Search { mut gathering, rows, cut, .. } = search;
    gathering.hit(Bound::Interferences);
    let guarantee = match stop {
        Stop::Exhausted if !cut => most.guarantee(plan.roles.len()),
        _ => String::new(),
    };
    let exploration = Exploration { strategy: NAME.to_owned(), guarantee };
    let mut outcome = gathering.conclude(program, template, stop, exploration)?;
    outcome.summary.bounds.interferences = Some(most.k);
    Ok(Checked { outcome, rows })
}

/// The largest numbers of sources, of T and of T'.
#[derive(Clone, Copy)]
struct Most {
    k: u32,
    k2: u32,
}

impl Most {
    /// All pairs up to these, the smallest sums first.
    fn pairs(self) -> impl Iterator<Item = (u32, u32)> {
        let of_sum = move |sum: u32| (0..=sum.min(self.k2)).map(move |k2| (sum - k2, k2));
        (0..=self.k + self.k2).flat_map(of_sum).filter(move |&(k, _)| k <= self.k)
    }

    /// What is true if all of them were explored to the end.
    fn guarantee(self, n_threads: usize) -> String {
        let Most { k, k2 } = self;
        let other = match (n_threads, k2) {
            (3.., _) => "s, and none of the others from another thread".to_owned(),
            (_, 0) => ", and the other from none of its".to_owned(),
            _ => format!(", and the other from at most {k2} of its"),
        };
        format!("every execution in which one thread reads from at most {k} writes of the other{other}, was covered")
    }
}

/// A program that has no sequential one: nothing was looked at.
fn unsupported(
    program: &Program,
    template: &Test,
    settings: &Settings,
    observer: &mut dyn Observer,
    error: &Error,
) -> Result<Checked, CheckError> {
    let exploration = Exploration { strategy: NAME.to_owned(), guarantee: String::new() };
    let stop = Stop::Unsupported(error.to_string());
    let outcome = Gathering::start(settings, observer).conclude(program, template, stop, exploration)?;
    Ok(Checked { outcome, rows: Vec::new() })
}

/// A sequential program. It serves for every k, and for several choices of T: it is told both.
struct Sequential {
    roles: Vec<Role>,
    program: Program,
    /// The one that tells the order, made when there is something to tell.
    printing: Option<Program>,
}

impl Search<'_> {
    fn run(&mut self, most: Most) -> Result<Stop, CheckError> {
        let mut programs = Vec::new();
        // Where main is one of both threads, each has code of its own.
        let n_together = if self.plan.roles[0].n_created == 1 { 1 } else { self.plan.roles.len() };
        for roles in self.plan.roles.chunks(n_together) {
            let program = self.emit(most, &roles[0], false)?;
            programs.push(Sequential { roles: roles.to_vec(), program, printing: None });
        }
        for k in most.pairs() {
            for sequential in &mut programs {
                for role in sequential.roles.clone() {
                    if let Some(stop) = self.gathering.must_stop() {
                        return Ok(stop);
                    }
                    let stop = self.test(k, most, sequential, &role)?;
                    if stop != Stop::Exhausted {
                        return Ok(stop);
                    }
                }
            }
        }
        let lost = self.rows.iter().find_map(|row| row.lost.first());
        Ok(match (self.refused.take(), lost) {
            (_, Some(lost)) => Stop::Unconfirmed(lost.clone()),
            (Some(what), None) => Stop::Unsupported(what),
            (None, None) => Stop::Exhausted,
        })
    }

    fn emit(&self, most: Most, role: &Role, print: bool) -> Result<Program, CheckError> {
        let options = EmitOptions {
            k: most.k,
            k2: most.k2,
            role: role.clone(),
            target: Target::Gordian { print },
            runtime: Runtime::Eager,
            unroll: self.options.unroll,
            reads: Vec::new(),
            writes: Vec::new(),
            arguments: self.options.arguments.clone(),
        };
        let text = sequentialize(self.program, self.plan, &options)?;
        (self.compile)(&text).map_err(CheckError::Compile)
    }

    /// Tests one sequential program, for one choice of T.
    fn test(
        &mut self,
        (k, k2): (u32, u32),
        most: Most,
        sequential: &mut Sequential,
        role: &Role,
    ) -> Result<Stop, CheckError> {
        let Role { number, name, .. } = role.clone();
        let template = self.sequential_template(k, k2, number);
        let settings =
            Settings { stop_at_first: false, inputs_first: false, preemptions: None, ..self.settings.clone() };
        let mut strategy = Exhaustive::default();
        let outcome = gordian_engine::check(&sequential.program, &template, &mut strategy, &settings, &mut Silent)?;
        let summary = &outcome.summary;
        self.gathering.add_queries(summary.solver_queries);
        summary.bounds.hit.iter().for_each(|&bound| self.gathering.hit(bound));
        self.cut |= !summary.bounds.hit.is_empty();
        let executions = summary.executions;
        let mut row =
            Row { k, k2, number, name, executions, failures: Vec::new(), lost: Vec::new(), overtaken: Vec::new() };
        for found in &outcome.findings {
            self.take_in(found, most, sequential, &template, &mut row)?;
        }
        let k_is = if most.k2 == 0 { format!("k = {k}") } else { format!("k = {k}, k' = {k2}") };
        self.gathering.note(format!(
            "{k_is}, T = {number} ({}): {executions} executions of the sequential program, {} failures",
            row.name,
            row.failures.len()
        ));
        self.rows.push(row);
        Ok(match &summary.stop {
            Stop::Exhausted | Stop::CutOff => Stop::Exhausted,
            stop => stop.clone(),
        })
    }

    /// A finding of the sequential program: one of the program itself, or a sentence why some executions are left out.
    fn take_in(
        &mut self,
        found: &Found,
        most: Most,
        sequential: &mut Sequential,
        template: &Test,
        row: &mut Row,
    ) -> Result<(), CheckError> {
        if let Some(what) = said_by("gs_refuse", &found.finding) {
            self.refused.get_or_insert_with(|| what.to_owned());
            return Ok(());
        }
        if let Some(what) = said_by("gs_bound", &found.finding) {
            self.cut = true;
            if what.contains("loop") {
                self.gathering.hit(Bound::Unroll);
            }
            self.gathering.note(format!("left out: {what}"));
            return Ok(());
        }
        if sequential.printing.is_none() {
            sequential.printing = Some(self.emit(most, &sequential.roles[0], true)?);
        }
        let printing = sequential.printing.as_ref().expect("it was just made");
        match self.show(printing, template, &found.test)? {
            Ok((order, false)) => row.overtaken.push(order.failure),
            Ok((order, true)) if row.failures.contains(&order.failure) => {}
            Ok((order, true)) => {
                let ConcurrentOrder { failure, sources, reads, .. } = order;
                let back = if row.k2 == 0 { String::new() } else { format!(", and k' = {}", row.k2) };
                let number = row.number;
                self.gathering.note(format!("{failure}: k = {sources}, in {reads} reads of thread {number}{back}"));
                row.failures.push(failure);
            }
            Err(why) => row.lost.push(why),
        }
        Ok(())
    }

    /// The sequential program has no threads: races cannot show, and steps are decisions.
    fn sequential_template(&self, k: u32, k2: u32, number: u32) -> Test {
        let machine = MachineSettings {
            seed: self.template.machine.seed,
            symbolic: true,
            races: RaceMode::Ignore,
            ..MachineSettings::default()
        };
        Test {
            machine,
            arguments: vec![k.to_string(), k2.to_string(), number.to_string()],
            inputs: Vec::new(),
            sources: Vec::new(),
            ..self.template.clone()
        }
    }

    /// Lets the sequential program tell its order, and makes that on the program itself; or says why that does not fail. With it: whether
    /// the same thread fails.
    fn show(
        &mut self,
        printing: &Program,
        template: &Test,
        found: &Test,
    ) -> Result<Result<(ConcurrentOrder, bool), String>, CheckError> {
        let machine = MachineSettings { symbolic: false, ..template.machine.clone() };
        let test = Test { inputs: found.inputs.clone(), machine, ..template.clone() };
        let mut sequential = Machine::new(printing, &test).map_err(EngineError::from)?;
        finish(&mut sequential);
        let output = String::from_utf8_lossy(sequential.stdout()).into_owned();
        let order = match ConcurrentOrder::parse(&output) {
            Ok(order) => order,
            Err(error) => return Ok(Err(format!("a finding of the sequential program was lost: {error}"))),
        };
        let mut home = bring_home(self.program, self.template, &order)?;
        let by = |raw: &gordian_vm::RawFinding| raw.finding.places.first().map(|place| place.thread.number);
        let is_same = home.machine.findings().iter().any(|raw| by(raw) == Some(order.failing));
        self.gathering.add(&mut home.machine);
        if !home.fails {
            return Ok(Err(format!("`{}` of the sequential program did not fail again", order.failure)));
        }
        Ok(Ok((order, is_same)))
    }
}

/// The sentence with which a function of the runtime ends an execution that the sequential program does not make.
fn said_by<'f>(function: &str, finding: &'f gordian_trace::Finding) -> Option<&'f str> {
    let by = finding.places.iter().any(|place| place.function == function);
    by.then_some(finding.message.trim_start_matches("the assertion `").trim_end_matches("` failed"))
}
