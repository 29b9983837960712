//! The programs of table 1 of the paper on bounded-interference sequentialization: with how many sources each bug shows, and how long
//! k = 1 to 3 take together. `cargo xtask bench sequentialize` prints this table alone.

use crate::measure::timed;
use crate::{Options, programs};
use anyhow::{Context, ensure};
use gordian_engine::{Settings, Silent};
use gordian_ir::Program;
use gordian_sequentialize::{CheckOptions, Checked, check};
use gordian_trace::RaceMode;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A program of the table.
struct Tested {
    /// What the paper calls it.
    name: &'static str,
    path: &'static str,
    /// The k from 1 on at which the paper finds its bug.
    k: u32,
    /// Seconds in the paper, for k = 1 to 3 together.
    seconds: u32,
}

const fn tested(name: &'static str, path: &'static str, k: u32, seconds: u32) -> Tested {
    Tested { name, path, k, seconds }
}

const PROGRAMS: &[Tested] = &[
    tested("Bluetooth", "interference/bluetooth", 2, 26),
    tested("Account", "interference/account", 1, 28),
    tested("Meeting", "interference/meeting", 1, 16),
    tested("Vector1", "interference/vector", 2, 104),
    tested("Vector2", "sequentialize/vector_index", 2, 80),
    tested("Vector3", "sequentialize/vector_last", 2, 102),
    tested("Stack1", "interference/stack", 2, 100),
    tested("Stack2", "sequentialize/stack_search", 2, 74),
    tested("Stack3", "sequentialize/stack_duplicate", 2, 98),
    tested("HashSet", "interference/hash_set", 1, 22),
    tested("StringBuffer", "interference/string_buffer", 1, 12),
    tested("Series", "sequentialize/series", 1, 10),
    tested("SOR", "interference/sor", 2, 490),
    tested("Ray", "interference/ray_tracer", 1, 18),
    tested("FTPNET, first", "interference/ftp_quit", 1, 56),
    tested("FTPNET, second", "sequentialize/ftp_transfer", 1, 56),
    tested("Mutual", "interference/mutual", 1, 10),
];

pub fn run(options: &Options) -> anyhow::Result<()> {
    let wanted = |tested: &&Tested| options.wants("sequentialize") || options.wants(tested.path);
    let wanted: Vec<&Tested> = PROGRAMS.iter().filter(wanted).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    println!("## Bounded-interference sequentialization: one core, CPU seconds\n");
    println!("Failures at k, over both choices of T; executions of all sequential programs for k = 0 to 3.\n");
    println!(
        "| program | file | lines | failures at 0 | at 1 | at 2 | at 3 | executions | seconds | paper: at | seconds |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for tested in wanted {
        tested.print()?;
    }
    println!();
    Ok(())
}

impl Tested {
    fn path(&self) -> PathBuf {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
        folder.join(format!("{}.c", self.path))
    }

    fn print(&self) -> anyhow::Result<()> {
        let path = self.path();
        let lines = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let program = programs::read(&path, &[])?;
        let (seconds, checked) = timed(|| search(&program))?;
        let failures = |k: u32| {
            let rows = checked.rows.iter().filter(|row| row.k == k);
            rows.flat_map(|row| &row.failures).collect::<BTreeSet<_>>().len()
        };
        let lost = checked.rows.iter().find_map(|row| row.lost.first());
        ensure!(lost.is_none(), "{}: {}", self.name, lost.map_or("", String::as_str));
        for k in 1..=3 {
            let expected = usize::from(k == self.k);
            ensure!(failures(k) == expected, "{} has {} failures at {k}, not {expected}", self.name, failures(k));
        }
        println!(
            "| {} | `{}.c` | {} | {} | {} | {} | {} | {} | {seconds:.2} | {} | {} |",
            self.name,
            self.path,
            lines.lines().count(),
            failures(0),
            failures(1),
            failures(2),
            failures(3),
            checked.rows.iter().map(|row| row.executions).sum::<u64>(),
            self.k,
            self.seconds,
        );
        Ok(())
    }
}

fn search(program: &Program) -> anyhow::Result<Checked> {
    let options = CheckOptions { max_interferences: Some(3), ..CheckOptions::default() };
    let settings = Settings::default();
    Ok(check(program, &programs::test(RaceMode::Ignore), &options, &compile, &settings, &mut Silent)?)
}

fn compile(text: &str) -> Result<Program, String> {
    let file = std::env::temp_dir().join(format!("gordian-bench-{}.c", std::process::id()));
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    let program = programs::read(&file, &[]).map_err(|error| format!("{error:#}"));
    let _ = std::fs::remove_file(&file);
    program
}
