//! Which thread is T, and which instructions are events.

use crate::Error;
use gordian_analysis::{Analysis, Budget, Point};
use gordian_base::{FxHashSet, ThreadId};
use gordian_ir::Program;
use gordian_trace::{Choice, Machine as MachineSettings, ProgramSource, RaceMode, Schedule, Test};
use gordian_vm::Machine;

/// Each thread has a copy of the memory.
pub const MOST_THREADS: usize = 8;

/// Steps of main before it waits.
const MOST_STEPS: usize = 100_000;

/// Which thread is T. Threads are numbered as main creates them, from 1 on; main is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    pub number: u32,
    /// `main`, or the start function.
    pub name: String,
    /// How many threads main creates: with one, main is the other.
    pub n_created: u32,
}

/// What is known of a program before it is written.
pub struct Plan {
    /// Instructions that may access what several threads do.
    pub shared: FxHashSet<Point>,
    /// Those of them that may read what another thread writes while it runs; all, if that is not known.
    pub reads_of_others: FxHashSet<Point>,
    pub roles: Vec<Role>,
}

impl Plan {
    pub fn of(program: &Program, arguments: &[String]) -> Result<Plan, Error> {
        let analysis = Analysis::of(program, Budget::default()).map_err(|_| Error::NoMain)?;
        let shared = analysis.accessed_by_several();
        let reads_of_others = analysis.reads_of_others().unwrap_or_else(|| shared.clone());
        Ok(Plan { shared, reads_of_others, roles: roles_of(program, &analysis, arguments)? })
    }

    /// The choices of T that a name stands for: `main`, a start function, or a number.
    pub fn named(&self, name: &str) -> Result<Vec<Role>, Error> {
        let is_meant = |role: &&Role| role.name == name || role.number.to_string() == name;
        let found: Vec<Role> = self.roles.iter().filter(is_meant).cloned().collect();
        if found.is_empty() {
            let known: Vec<String> = self.roles.iter().map(|role| format!("{} ({})", role.number, role.name)).collect();
            return Err(Error::NoSuchThread { name: name.to_owned(), known: known.join(", ") });
        }
        Ok(found)
    }
}

/// The choices of T: each thread that main creates, and main if that is one.
fn roles_of(program: &Program, analysis: &Analysis<'_>, arguments: &[String]) -> Result<Vec<Role>, Error> {
    let threads: Vec<_> = analysis.threads().into_iter().filter(|thread| thread.0 != 0).collect();
    let names = match threads.iter().any(|&thread| analysis.is_several(thread)) {
        true => created(program, arguments),
        false => threads.iter().map(|&thread| analysis.start_name(thread).to_owned()).collect(),
    };
    let n_created = u32::try_from(names.len()).unwrap_or(u32::MAX);
    let role = |(number, name)| Role { number, name, n_created };
    match names.len() {
        0 => Err(Error::NoThread),
        1 => Ok((0..).zip(["main".to_owned(), names[0].clone()]).map(role).collect()),
        n if n > MOST_THREADS => Err(Error::ManyThreads(n)),
        _ => Ok((1..).zip(names).map(role).collect()),
    }
}

/// The start functions of the threads that main creates before it waits, all inputs being 0. How many they are in other executions shows when
/// these are made.
fn created(program: &Program, arguments: &[String]) -> Vec<String> {
    let test = Test {
        gordian: gordian_trace::FORMAT_VERSION,
        program: ProgramSource { files: Vec::new(), cflags: Vec::new(), identity: String::new() },
        arguments: arguments.to_vec(),
        environment: Vec::new(),
        stdin: String::new(),
        sources: Vec::new(),
        machine: MachineSettings { races: RaceMode::Ignore, ..MachineSettings::default() },
        inputs: Vec::new(),
        threads: Vec::new(),
        schedule: Schedule::default(),
        finding: None,
    };
    let Ok(mut machine) = Machine::new(program, &test) else { return Vec::new() };
    let main = Choice::of(ThreadId::MAIN);
    for _ in 0..MOST_STEPS {
        if machine.end().is_some() || machine.choices().binary_search(&main).is_err() {
            break;
        }
        machine.step(main);
    }
    (1..machine.n_threads() as u32).map(|number| machine.thread_name(ThreadId(number)).function).collect()
}
