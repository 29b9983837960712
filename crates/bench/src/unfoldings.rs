//! Tests, CPU time and memory of the strategies by unfoldings, on programs of the kinds that LCT was measured on.
//!
//! Each cell is measured in a process of its own, with limits on its time and memory: unfoldings grow with their events, and one row must not
//! take the machine away from the others.

mod cell;

pub use self::cell::{ALONE, measure_alone};

use self::cell::{Cell, Limits, Measured};
use crate::Options;
use anyhow::Context;

/// A program of the table.
struct Row {
    name: &'static str,
    program: &'static str,
    cflags: &'static [&'static str],
    /// LCT's tests by `COLUMNS` without `dpor`; empty where the authors give no figure.
    lct: [&'static str; 5],
    /// Tests that some columns must take.
    expected: &'static [(&'static str, u64)],
}

const fn row(
    name: &'static str,
    program: &'static str,
    cflags: &'static [&'static str],
    lct: [&'static str; 5],
    expected: &'static [(&'static str, u64)],
) -> Row {
    Row { name, program, cflags, lct, expected }
}

/// Orders of twelve sections of three threads: 12! / 4!^3.
const UPDATES: &[(&str, u64)] = &[("dpor", 34_650), ("unfold", 34_650), ("contextual", 34_650)];

/// The programs tell why there are so many.
const ROWS: &[Row] = &[
    row(
        "Szymanski",
        "unfolding/szymanski",
        &[],
        ["65,138", "65,138", "65,138", "50,264", "46,679"],
        &[("dpor", 34_551), ("unfold", 34_551)],
    ),
    row("Filesystem 1", "counts/file_system", &["-DN=20"], ["142", "3", "", "–", "3"], &[("dpor", 128)]),
    row("Filesystem 2", "counts/file_system", &["-DN=24"], ["2,227", "3", "", "–", "3"], &[("dpor", 2_048)]),
    row(
        "Fib 1",
        "counts/fibonacci",
        &["-DROUNDS=4"],
        ["21,102", "19,605", "4,959", "5,746", "4,946"],
        &[("dpor", 19_605), ("unfold", 19_605)],
    ),
    row(
        "Fib 2",
        "counts/fibonacci",
        &["-DROUNDS=5"],
        ["232,531", "218,243", "46,918", "53,478", "46,829"],
        &[("dpor", 218_243), ("unfold", 218_243)],
    ),
    row(
        "Dining 1",
        "unfolding/dining",
        &["-DN=4", "-DROUNDS=2"],
        ["1,161", "798", "", "3", "4"],
        &[("dpor", 786), ("unfold", 786)],
    ),
    row(
        "Dining 2",
        "unfolding/dining",
        &["-DN=5", "-DROUNDS=2"],
        ["10,065", "5,746", "", "3", "3"],
        &[("dpor", 5_730), ("unfold", 5_730)],
    ),
    row(
        "Dining 3",
        "unfolding/dining",
        &["-DN=6", "-DROUNDS=2"],
        ["81,527", "36,095", "", "2", "4"],
        &[("dpor", 38_466)],
    ),
    row("Dining 4", "unfolding/dining", &["-DN=7", "-DROUNDS=2"], ["–", "205,161", "", "–", "2"], &[("dpor", 247_170)]),
    row(
        "Locking 1",
        "unfolding/locking",
        &["-DN=4", "-DROUNDS=2"],
        ["2,520", "2,520", "", "20", "18"],
        &[("dpor", 2_520), ("unfold", 2_520)],
    ),
    row(
        "Locking 2",
        "unfolding/locking",
        &["-DN=4", "-DROUNDS=2", "-DONCE"],
        ["22,680", "22,680", "22,680", "29", "26"],
        &[("dpor", 22_680), ("unfold", 22_680)],
    ),
    row("Locking 3", "unfolding/locking", &["-DN=4", "-DROUNDS=3"], ["–", "–", "", "115", "89"], &[("dpor", 369_600)]),
    row(
        "Updater 1",
        "unfolding/updater",
        &["-DROUNDS=4", "-DSETS=1"],
        ["33,463", "33,269", "33,269", "13,586", "12,259"],
        UPDATES,
    ),
    row("Updater 2", "unfolding/updater", &["-DROUNDS=4", "-DSETS=2"], ["34,031", "33,497", "", "", ""], UPDATES),
    row("Writes", "unfolding/writes", &[], ["–", "–", "", "1", "1"], &[("stateful-naive", 1), ("stateful", 1)]),
    row(
        "Synthetic 1",
        "unfolding/synthetic",
        &["-DN=5", "-DOPERATIONS=5", "-DSEED=10"],
        ["1,661", "926", "773", "68", "62"],
        &[],
    ),
    row(
        "Synthetic 2",
        "unfolding/synthetic",
        &["-DN=5", "-DOPERATIONS=5", "-DSEED=5"],
        ["22,462", "8,205", "3,221", "123", "97"],
        &[],
    ),
    row(
        "Synthetic 3",
        "unfolding/synthetic",
        &["-DN=5", "-DOPERATIONS=6", "-DSEED=1"],
        ["37,915", "11,458", "", "326", "298"],
        &[],
    ),
];

const COLUMNS: [&str; 6] = ["dpor-classic", "dpor", "unfold", "contextual", "stateful-naive", "stateful"];

/// What a cell may take; `–` stands where it takes more.
const LIMITS: Limits = Limits { seconds: 20, megabytes: 4_000 };
const QUICK: Limits = Limits { seconds: 5, ..LIMITS };

pub fn run(options: &Options) -> anyhow::Result<()> {
    if !options.wants("unfoldings") {
        return Ok(());
    }
    let limits = if options.quick { QUICK } else { LIMITS };
    let mut rows: Vec<Vec<Measured>> = Vec::new();
    for row in ROWS {
        let mut cells = Vec::new();
        for column in COLUMNS {
            let cell = cell::in_child(row.name, column, limits)?;
            eprintln!("{} | {column} | {} | {}", row.name, cell.tests(), cell.cost());
            cells.push(cell);
        }
        rows.push(cells);
    }
    println!("## Unfoldings: tests of each strategy, in parentheses those of LCT\n");
    println!("–: takes more than {} s of CPU or {} MB (LCT: 30 minutes)\n", limits.seconds, limits.megabytes);
    print_table(&rows, |row, column, cell| match lct(row, column) {
        "" => cell.tests(),
        lct => format!("{} ({lct})", cell.tests()),
    });
    println!("\n## The same: CPU seconds on one core, those of the executions alone, and memory\n");
    print_table(&rows, |_, _, cell| cell.cost());
    Ok(())
}

fn print_table(rows: &[Vec<Measured>], text: impl Fn(&Row, usize, &Measured) -> String) {
    println!("| program | {} |", COLUMNS.map(|column| format!("`{column}`")).join(" | "));
    println!("|---|{}", "---:|".repeat(COLUMNS.len()));
    for (row, cells) in ROWS.iter().zip(rows) {
        let cells: Vec<String> = cells.iter().enumerate().map(|(column, cell)| text(row, column, cell)).collect();
        println!("| {} | {} |", row.name, cells.join(" | "));
    }
}

/// LCT's figure for a column of ours. Its reduction is that of `dpor-classic`; `dpor` came later.
fn lct(row: &Row, column: usize) -> &'static str {
    match column {
        0 => row.lct[0],
        1 => "",
        column => row.lct[column - 1],
    }
}

/// The cell of a row and a column by their names.
fn find(row: &str, column: &str) -> anyhow::Result<Cell> {
    let row = ROWS.iter().find(|other| other.name == row).with_context(|| format!("there is no row `{row}`"))?;
    let column = COLUMNS.into_iter().find(|other| *other == column);
    let strategy = column.context("there is no such column")?;
    let expected = row.expected.iter().find(|expected| expected.0 == strategy).map(|expected| expected.1);
    Ok(Cell { program: row.program, cflags: row.cflags, strategy, expected })
}
