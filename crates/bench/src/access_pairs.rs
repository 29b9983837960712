//! The programs of Huang's thesis (2009) in C. `cargo xtask bench pairs` prints the pairs of each beside those of the thesis (tables 4.2 to 4.5),
//! `cargo xtask bench value-schedules` how soon `value-schedule` finds the failure, beside the explicit-state baseline (tables 6.2 to 6.5).

mod pairs;
mod schedules;
mod thesis;

use crate::{Options, programs};
use gordian_ir::Program;
use gordian_trace::FindingKind;

/// Where a program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Kernel,
    Real,
    Benchmark,
}

impl Group {
    const ALL: [Group; 3] = [Group::Kernel, Group::Real, Group::Benchmark];

    fn name(self) -> &'static str {
        match self {
            Group::Kernel => "kernel",
            Group::Real => "real",
            Group::Benchmark => "benchmark",
        }
    }

    fn letter(self) -> &'static str {
        match self {
            Group::Kernel => "K",
            Group::Real => "R",
            Group::Benchmark => "B",
        }
    }
}

/// A row of the tables.
struct Row {
    group: Group,
    program: &'static str,
    cflag: Option<&'static str>,
    kind: FindingKind,
    /// The size parameter for as many threads as in the thesis, or rounds.
    size: u32,
    /// Sizes that are tried for the baseline.
    sizes: &'static [u32],
}

const ROUNDS: &[u32] = &[1, 2, 4, 8, 16, 32, 64, 128];
const THREADS: &[u32] = &[2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16];

const fn row(group: Group, program: &'static str, kind: FindingKind, size: u32, sizes: &'static [u32]) -> Row {
    Row { group, program, cflag: None, kind, size, sizes }
}

const ROWS: &[Row] = &[
    row(Group::Kernel, "twostage", FindingKind::Assertion, 1, THREADS),
    row(Group::Kernel, "wronglock", FindingKind::Assertion, 1, THREADS),
    row(Group::Kernel, "producerconsumer", FindingKind::Assertion, 1, ROUNDS),
    row(Group::Kernel, "blockbarrier", FindingKind::Assertion, 4, THREADS),
    row(Group::Kernel, "reorder", FindingKind::Assertion, 1, THREADS),
    row(Group::Kernel, "deadlock_d1", FindingKind::Deadlock, 1, ROUNDS),
    row(Group::Kernel, "deadlock_d2", FindingKind::Deadlock, 1, ROUNDS),
    row(Group::Kernel, "diningphilosopher", FindingKind::Deadlock, 5, THREADS),
    row(Group::Kernel, "losenotify", FindingKind::LostSignal, 1, ROUNDS),
    row(Group::Kernel, "clean", FindingKind::LostSignal, 2, ROUNDS),
    row(Group::Kernel, "nestedmonitor", FindingKind::Deadlock, 1, ROUNDS),
    row(Group::Real, "alarmclock", FindingKind::NullDereference, 2, ROUNDS),
    row(Group::Real, "raxextend", FindingKind::Assertion, 9, THREADS),
    row(Group::Real, "daisy", FindingKind::Assertion, 1, ROUNDS),
    row(Group::Real, "rw", FindingKind::LostSignal, 1, ROUNDS),
    Row { cflag: Some("-DCHECK"), ..row(Group::Real, "rw", FindingKind::Assertion, 1, ROUNDS) },
    row(Group::Real, "replicatedworker", FindingKind::Deadlock, 5, THREADS),
    row(Group::Real, "boundedbuffer", FindingKind::Deadlock, 4, THREADS),
    row(Group::Benchmark, "linkedlist", FindingKind::Assertion, 2, ROUNDS),
    row(Group::Benchmark, "piper", FindingKind::LostSignal, 16, THREADS),
    row(Group::Benchmark, "account_race", FindingKind::Assertion, 5, THREADS),
    row(Group::Benchmark, "account_deadlock", FindingKind::Deadlock, 5, THREADS),
    row(Group::Benchmark, "account_subtype", FindingKind::Assertion, 5, THREADS),
];

pub fn run(options: &Options) -> anyhow::Result<()> {
    if options.wants("pairs") {
        pairs::run()?;
    }
    if options.wants("value-schedules") {
        schedules::run(options)?;
    }
    Ok(())
}

impl Row {
    fn name(&self) -> String {
        self.cflag.map_or_else(|| self.program.to_owned(), |flag| format!("{} {flag}", self.program))
    }

    fn load(&self, size: u32) -> anyhow::Result<Program> {
        let size = format!("-DN={size}");
        let cflags: Vec<&str> = [size.as_str()].into_iter().chain(self.cflag).collect();
        programs::read(&programs::access_pairs(self.program), &cflags)
    }

    /// What the thesis says of the program.
    fn thesis(&self) -> &'static thesis::Figures {
        let is_same = |of: &&thesis::Figures| of.program == self.program && of.cflag == self.cflag;
        thesis::FIGURES.iter().find(is_same).expect("the thesis has a line for every row")
    }
}

/// None without values.
fn geometric_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<f64> = values.map(f64::ln).collect();
    (!logarithms.is_empty()).then(|| (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp())
}
