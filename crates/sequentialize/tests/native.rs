//! What is written, as compilers other than ours take it: no warnings, and the same failures.

use gordian_engine::toy::template;
use gordian_engine::{Settings, Silent};
use gordian_ir::Program;
use gordian_sequentialize::{
    CheckOptions, ConcurrentOrder, Error, Line, Options, Plan, Role, Runtime, Target, bring_home, check, sequentialize,
};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(name)
}

fn load(name: &str) -> Program {
    gordian_frontend::load(&[source(name)], &Default::default()).expect("it compiles")
}

fn options(role: &Role, k: u32) -> Options {
    Options {
        k,
        k2: 0,
        role: role.clone(),
        target: Target::Plain,
        runtime: Runtime::Eager,
        unroll: None,
        reads: Vec::new(),
        writes: Vec::new(),
        arguments: Vec::new(),
    }
}

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("gordian-native-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Compiles with the system's compiler, which must not say a word.
fn compile(text: &str, folder: &Path, flags: &[&str]) -> PathBuf {
    let (file, binary) = (folder.join("out.c"), folder.join("out"));
    std::fs::write(&file, text).expect("it can be written");
    let output = Command::new("cc").args(["-Wall", "-Wextra"]).args(flags).arg(&file).arg("-o").arg(&binary).output();
    let output = output.expect("there is a compiler");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    binary
}

fn run(binary: &Path, arguments: &[&str]) -> Output {
    Command::new(binary).args(arguments).output().expect("it runs")
}

fn aborted(output: &Output) -> bool {
    output.status.code().is_none()
}

#[test]
fn bluetooth_fails_natively_and_its_order_fails_at_home() {
    let program = load("interference/bluetooth.c");
    let plan = Plan::of(&program, &[]).unwrap();
    let text = sequentialize(&program, &plan, &options(&plan.roles[0], 2)).unwrap();
    let binary = compile(&text, &folder("bluetooth"), &[]);
    // The numbers of `pending_io` at its increment and of `stopped`, and of the writes of both.
    let output = run(&binary, &["rds=2,3", "wrts=2,4"]);
    assert!(aborted(&output));
    let order = ConcurrentOrder::parse(&String::from_utf8_lossy(&output.stdout)).unwrap();
    assert_eq!((order.sources, order.reads, order.failing), (2, 2, 1));
    assert!(bring_home(&program, &template(), &order).unwrap().fails);
    // All others are no failures, and end without one.
    let mut n_failures = 0;
    for a in 1..=3 {
        for b in a + 1..=4 {
            for (c, d) in (1..=4).flat_map(|c| (1..=4).map(move |d| (c, d))) {
                let output = run(&binary, &[&format!("rds={a},{b}"), &format!("wrts={c},{d}")]);
                assert!(aborted(&output) || output.status.code() == Some(0));
                n_failures += usize::from(aborted(&output));
            }
        }
    }
    assert_eq!(n_failures, 1);
}

#[test]
fn reads_in_both_threads_fail_natively_and_at_home() {
    let program = load("sequentialize/both_ways.c");
    let plan = Plan::of(&program, &[]).unwrap();
    let text = sequentialize(&program, &plan, &Options { k2: 1, ..options(&plan.roles[0], 1) }).unwrap();
    let binary = compile(&text, &folder("both"), &[]);
    let output = run(&binary, &["rds=1", "wrts=1", "rds2=1", "wrts2=1", "vals2=1"]);
    assert!(aborted(&output));
    let order = ConcurrentOrder::parse(&String::from_utf8_lossy(&output.stdout)).unwrap();
    assert_eq!((order.sources, order.reads, order.other, order.failing), (1, 1, 1, 1));
    assert!(bring_home(&program, &template(), &order).unwrap().fails);
    // A guess that is wrong makes no execution, nor does a write that T does not make.
    for inputs in [["wrts2=1", "vals2=2"], ["wrts2=2", "vals2=1"]] {
        let output = run(&binary, &["rds=1", "wrts=1", "rds2=1", inputs[0], inputs[1]]);
        assert_eq!(output.status.code(), Some(0), "{inputs:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("these inputs make no execution"));
    }
}

#[test]
fn all_programs_of_the_table_compile_without_a_warning() {
    let names = [
        "interference/account.c",
        "interference/hash_set.c",
        "interference/ray_tracer.c",
        "interference/sor.c",
        "interference/string_buffer.c",
        "interference/vector.c",
        "interference/splay.c",
        "sequentialize/published.c",
        "sequentialize/main_is_a_thread.c",
    ];
    for name in names {
        let program = load(name);
        let plan = Plan::of(&program, &[]).unwrap();
        for role in &plan.roles {
            let text = sequentialize(&program, &plan, &options(role, 2)).unwrap();
            let flags: &[&str] = if name.contains("vector") { &["-O2"] } else { &[] };
            compile(&text, &folder("table"), flags);
        }
    }
}

#[test]
fn inputs_have_the_names_that_the_program_gives_them() {
    let program = load("interference/stack.c");
    let plan = Plan::of(&program, &[]).unwrap();
    let text = sequentialize(&program, &plan, &options(&plan.roles[0], 2)).unwrap();
    let binary = compile(&text, &folder("stack"), &[]);
    let mut failures = Vec::new();
    for (a, b) in (2..=4).flat_map(|a| (a + 1..=5).map(move |b| (a, b))) {
        for (c, d) in (2..=4).flat_map(|c| (1..=4).map(move |d| (c, d))) {
            for element in ["element=5", "element=7"] {
                let output = run(&binary, &[&format!("rds={a},{b}"), &format!("wrts={c},{d}"), element]);
                if aborted(&output) {
                    let order = ConcurrentOrder::parse(&String::from_utf8_lossy(&output.stdout)).unwrap();
                    assert!(bring_home(&program, &template(), &order).unwrap().fails);
                    failures.push(element);
                }
            }
        }
    }
    assert!(!failures.is_empty() && failures.iter().all(|element| *element == "element=7"), "{failures:?}");
}

#[test]
fn klee_is_spoken_to_in_its_words() {
    let program = load("interference/stack.c");
    let plan = Plan::of(&program, &[]).unwrap();
    let options = Options { target: Target::Klee, ..options(&plan.roles[0], 2) };
    let text = sequentialize(&program, &plan, &options).unwrap();
    let folder = folder("klee");
    std::fs::create_dir_all(folder.join("klee")).unwrap();
    // As KLEE declares them; a definition of each, so that the program links.
    let header = "#include <stddef.h>\n#include <stdlib.h>\n#include <stdint.h>\n\
        static inline void klee_make_symbolic(void *at, size_t size, const char *name) { (void)name; char *p = at; while (size-- > 0) *p++ = 0; }\n\
        static inline void klee_assume(uintptr_t holds) { if (!holds) exit(0); }\n\
        __attribute__((noreturn)) static inline void klee_silent_exit(int status) { exit(status); }\n";
    std::fs::write(folder.join("klee/klee.h"), header).unwrap();
    let include = format!("-I{}", folder.display());
    let binary = compile(&text, &folder, &[&include]);
    assert_eq!(run(&binary, &[]).status.code(), Some(0));
    assert!(text.contains("klee_make_symbolic(gs_rds, sizeof gs_rds, \"rds\")"));
}

#[test]
fn only_the_lines_that_were_asked_for_may_take_part() {
    let program = load("interference/bluetooth.c");
    let plan = Plan::of(&program, &[]).unwrap();
    let line = |line| vec![Line { file: "bluetooth.c".to_owned(), line }];
    let both = Options { reads: [line(20), line(34)].concat(), ..options(&plan.roles[0], 2) };
    let binary = compile(&sequentialize(&program, &plan, &both).unwrap(), &folder("lines"), &[]);
    assert!(aborted(&run(&binary, &["rds=2,3", "wrts=2,4"])));
    let one = Options { reads: line(34), ..options(&plan.roles[0], 2) };
    let binary = compile(&sequentialize(&program, &plan, &one).unwrap(), &folder("line"), &[]);
    assert_eq!(run(&binary, &["rds=2,3", "wrts=2,4"]).status.code(), Some(0));
    let none = Options { writes: line(1), ..options(&plan.roles[0], 2) };
    assert!(matches!(sequentialize(&program, &plan, &none), Err(Error::NoSuchLine(_))));
}

#[test]
fn what_cannot_be_said_is_refused() {
    let refused = |name: &str| {
        let program = load(name);
        Plan::of(&program, &[])
            .and_then(|plan| sequentialize(&program, &plan, &options(&plan.roles[0], 1)))
            .unwrap_err()
    };
    assert!(refused("assertion/trylock_fails.c").to_string().contains("`pthread_mutex_trylock`"));
    assert!(matches!(refused("sequentialize/refused.c"), Error::NoThread));
}

/// For each k up to 2: how many failures our own engine finds, for all choices of T together.
fn failures(name: &str) -> Vec<usize> {
    let program = load(name);
    let folder = folder(&name.replace('/', "-"));
    let compile = |text: &str| {
        let file = folder.join("sequential.c");
        std::fs::write(&file, text).map_err(|error| error.to_string())?;
        gordian_frontend::load(&[file], &Default::default()).map_err(|error| error.to_string())
    };
    let options = CheckOptions { max_interferences: Some(2), ..CheckOptions::default() };
    let mut test = template();
    test.machine.races = gordian_trace::RaceMode::Ignore;
    let checked = check(&program, &test, &options, &compile, &Settings::default(), &mut Silent).unwrap();
    assert!(checked.rows.iter().all(|row| row.lost.is_empty()), "{:?}", checked.rows);
    (0..=2).map(|k| checked.rows.iter().filter(|row| row.k == k).map(|row| row.failures.len()).sum()).collect()
}

#[test]
fn signals_and_semaphores_order_threads_and_are_no_reads() {
    assert_eq!(failures("sequentialize/condition.c"), [0, 1, 0]);
    assert_eq!(failures("sequentialize/semaphore.c"), [0, 1, 0]);
    assert_eq!(failures("sequentialize/semaphore_turns.c"), [0, 0, 0]);
}
