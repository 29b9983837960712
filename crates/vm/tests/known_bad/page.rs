//! The page: a table for each section.

use crate::case::{Expected, Section};
use crate::{Mode, Results, Seen};

pub const HEAD: &str = "# Undefined behaviour: what is found\n\n\
This page is written by a test that runs one small program for every cell (`GORDIAN_BLESS=1 cargo test -p gordian-vm --test known_bad` \
renews it), so what it says is what gordian does.\n\n\
- **yes**: a finding by default, in any execution that comes to it.\n\
- a flag: a finding with that flag.\n\
- **said**: no finding, but gordian says that it cannot know, with the place, and the verdict is `inconclusive`.\n\
- **no**: gordian gives it some meaning and goes on. Where a cell is empty there is nothing to test.\n";

pub fn table(section: &Section, results: &Results) -> String {
    let (mut rows, mut columns) = (Vec::new(), Vec::new());
    for case in &section.cases {
        if !rows.contains(&case.row) {
            rows.push(case.row.clone());
        }
        if !columns.contains(&case.column) {
            columns.push(case.column.clone());
        }
    }
    let mut text = format!("\n## {}\n\n", section.title);
    if !section.text.is_empty() {
        text.push_str(&format!("{}\n\n", section.text));
    }
    text.push_str(&format!("| | {} |\n|---|{}\n", columns.join(" | "), "---|".repeat(columns.len())));
    for row in &rows {
        text.push_str(&format!("| {row} |"));
        for column in &columns {
            let case =
                section.cases.iter().position(|case| case.row == *row && case.column == *column && !case.is_good);
            text.push_str(&format!(" {} |", case.map_or(String::new(), |case| cell(section, case, results))));
        }
        text.push('\n');
    }
    text
}

fn cell(section: &Section, case: usize, results: &Results) -> String {
    let found = |mode: Mode| match (&results[&(case, mode)], section.cases[case].expected) {
        (Seen::Finding(found), Expected::Kind(kind)) => *found == kind,
        _ => false,
    };
    if found(Mode::Default) {
        return "yes".to_owned();
    }
    let flags: Vec<&str> = Mode::ALL.into_iter().filter(|mode| found(*mode)).filter_map(Mode::flag).collect();
    let said = matches!(results[&(case, Mode::Default)], Seen::Inconclusive(_));
    match (said, flags.is_empty()) {
        (true, true) => "said".to_owned(),
        (true, false) => format!("said; {}", flags.join(", ")),
        (false, true) => "no".to_owned(),
        (false, false) => flags.join(", "),
    }
}
