//! One small program for every kind of error that gordian claims to find, in every storage class and by every access.
//! What is found, and with which flag, is written down in `docs/undefined-behaviour.md`; `GORDIAN_BLESS=1 cargo test -p
//! gordian-vm --test known_bad` rewrites the page, and without it the page must be true.

mod case;
mod memory;
mod others;
mod page;

use case::{Case, Expected, Section};
use gordian_base::FxHashMap;
use gordian_frontend::{Options, load};
use gordian_ir::Program;
use gordian_trace::{FORMAT_VERSION, FindingKind, ProgramSource, Schedule, Test};
use gordian_vm::{End, Machine};
use std::path::{Path, PathBuf};

const PRELUDE: &str = r#"
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct pair { int a, b; };
static volatile int sink, zero, one = 1;
static int nonzero = 1;
static char other[64];
static const char xs[64] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
static const char constant[24] = "xxxxxxxxxxxxxxxxxxxxxxx";
static int through(int n, ...) {
    va_list list;
    va_start(list, n);
    int sum = 0;
    while (n-- > 0) sum += *va_arg(list, char *);
    va_end(list);
    return sum;
}
static int sum(int n, ...) {
    va_list list;
    va_start(list, n);
    int sum = 0;
    while (n-- > 0) sum += va_arg(list, int);
    va_end(list);
    return sum;
}
static int compare(const void *a, const void *b) { return *(char *)a - *(char *)b; }
"#;

/// The flags of gordian that a case is tried with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    Default,
    /// All locals in memory: nothing else may be found than by default.
    InMemory,
    Uninit,
    Undefined,
    Overflow,
    Leaks,
}

impl Mode {
    const ALL: [Mode; 6] = [Mode::Default, Mode::InMemory, Mode::Uninit, Mode::Undefined, Mode::Overflow, Mode::Leaks];

    fn options(self) -> Options {
        Options {
            cflags: vec!["-D_GNU_SOURCE".into(), "-w".into()],
            keep_memory: matches!(self, Mode::InMemory | Mode::Uninit),
            check_undefined: self == Mode::Undefined,
            check_overflow: self == Mode::Overflow,
            ..Options::default()
        }
    }

    pub fn flag(self) -> Option<&'static str> {
        match self {
            Mode::Default | Mode::InMemory => None,
            Mode::Uninit => Some("`--uninit`"),
            Mode::Undefined => Some("`--undefined`"),
            Mode::Overflow => Some("`--overflow`"),
            Mode::Leaks => Some("`--leaks`"),
        }
    }
}

/// What came of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    Finding(FindingKind),
    /// Nothing was found, and gordian says that it does not know.
    Inconclusive(String),
    Nothing,
}

fn main_function(cases: &[&Case]) -> String {
    let mut code = PRELUDE.to_owned();
    for (number, case) in cases.iter().enumerate() {
        code.push_str(&case.code.replace("@n", &number.to_string()));
    }
    code.push_str("int main(int argc, char **argv) {\n    switch (atoi(argv[1])) {\n");
    for number in 0..cases.len() {
        code.push_str(&format!("    case {number}: case{number}(); return 0;\n"));
    }
    code + "    }\n    return 1;\n}\n"
}

fn test(mode: Mode, case: usize) -> Test {
    let (uninitialised, leaks) = (mode == Mode::Uninit, mode == Mode::Leaks);
    let machine = gordian_trace::Machine { uninitialised, leaks, ..gordian_trace::Machine::default() };
    Test {
        gordian: FORMAT_VERSION,
        program: ProgramSource { files: Vec::new(), cflags: Vec::new(), identity: String::new() },
        arguments: vec![case.to_string()],
        environment: Vec::new(),
        stdin: "x".repeat(63),
        sources: Vec::new(),
        machine,
        inputs: Vec::new(),
        threads: Vec::new(),
        schedule: Schedule(Vec::new()),
        finding: None,
    }
}

fn run(program: &Program, mode: Mode, case: usize) -> Seen {
    let mut machine = Machine::new(program, &test(mode, case)).expect("the program can be set up");
    while machine.end().is_none() {
        let Some(&choice) = machine.choices().first() else { break };
        machine.step(choice);
    }
    if let Some(found) = machine.findings().first() {
        return Seen::Finding(found.finding.kind);
    }
    match machine.end() {
        Some(End::Exit(0)) if !machine.doubts().is_empty() => Seen::Inconclusive(machine.doubts()[0].clone()),
        Some(End::Exit(0)) if machine.losses().is_empty() => Seen::Nothing,
        Some(End::Exit(0)) => Seen::Inconclusive(machine.losses()[0].clone()),
        Some(End::Unsupported(why)) => Seen::Inconclusive(why.clone()),
        end => panic!("case {case} ends with {end:?}, and nothing was found"),
    }
}

/// What came of all cases in all modes.
pub type Results = FxHashMap<(usize, Mode), Seen>;

fn run_section(section: &Section, folder: &Path) -> Results {
    let cases: Vec<&Case> = section.cases.iter().collect();
    let path = folder.join(format!("{}.c", section.title.to_lowercase().replace([' ', ',', '`'], "_")));
    std::fs::write(&path, main_function(&cases)).expect("the folder can be written to");
    let mut results = Results::default();
    for mode in Mode::ALL {
        let program = load(std::slice::from_ref(&path), &mode.options()).expect("the cases compile");
        for number in 0..cases.len() {
            results.insert((number, mode), run(&program, mode, number));
        }
    }
    results
}

/// Whatever a mode finds in a case must be what is wrong there.
fn complaints(section: &Section, results: &Results) -> Vec<String> {
    let mut complaints = Vec::new();
    for (number, case) in section.cases.iter().enumerate() {
        for mode in Mode::ALL {
            let seen = &results[&(number, mode)];
            let fits = match (case.expected, seen) {
                // Nothing is freed in the end.
                (_, Seen::Finding(FindingKind::Leak)) => mode == Mode::Leaks,
                (Expected::Nothing, Seen::Nothing) => true,
                (Expected::Nothing, _) => false,
                // Some are wrong in two ways, such as misaligned besides.
                (Expected::Kind(_), Seen::Finding(FindingKind::UndefinedBehaviour)) if mode == Mode::Undefined => true,
                (Expected::Kind(kind), Seen::Finding(found)) => kind == *found,
                (Expected::Unseen, Seen::Finding(_)) => false,
                (_, Seen::Nothing | Seen::Inconclusive(_)) => true,
            };
            if !fits {
                let Case { row, column, expected, is_good, .. } = case;
                complaints.push(format!(
                    "{}: {row}, {column} (good: {is_good}): expected {expected:?}, {mode:?} gives {seen:?}",
                    section.title
                ));
            }
        }
        let (default, in_memory) = (&results[&(number, Mode::Default)], &results[&(number, Mode::InMemory)]);
        let both_found = matches!((default, in_memory), (Seen::Finding(_), _) | (_, Seen::Finding(_)));
        if both_found && default != in_memory {
            complaints.push(format!(
                "{}: {}, {}: {default:?} by default, and {in_memory:?} with all locals in memory",
                section.title, case.row, case.column
            ));
        }
    }
    complaints
}

#[test]
fn the_page_says_what_is_found() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("known-bad");
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written to");
    let mut sections = vec![
        memory::out_of_bounds(),
        memory::after_life(),
        memory::no_object(),
        memory::frees(),
        memory::uninitialised(),
    ];
    sections.extend(others::sections());
    let (mut text, mut wrong) = (page::HEAD.to_owned(), Vec::new());
    for section in &sections {
        let results = run_section(section, &folder);
        wrong.extend(complaints(section, &results));
        text.push_str(&page::table(section, &results));
    }
    assert!(wrong.is_empty(), "{} cases are wrong:\n{}", wrong.len(), wrong.join("\n"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/undefined-behaviour.md");
    if std::env::var_os("GORDIAN_BLESS").is_some() {
        std::fs::write(&path, &text).expect("docs can be written to");
    }
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        page == text,
        "docs/undefined-behaviour.md is out of date; GORDIAN_BLESS=1 renews it; it should be:\n{text}"
    );
}
