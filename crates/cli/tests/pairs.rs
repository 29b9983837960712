//! `gordian pairs` as its users meet it: the report, exit codes, sentences about bad input.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const HEAD: &str = "#include <pthread.h>\nstatic int x;\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n";

const MAIN: &str = "\
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return x;
}
";

/// A program with these lines before `main`, in a folder of its own.
fn program(name: &str, lines: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pairs-{name}"));
    std::fs::create_dir_all(&folder).expect("cargo's folder for tests can be written to");
    let file = folder.join("p.c");
    std::fs::write(&file, format!("{HEAD}{lines}{MAIN}")).expect("the folder can be written to");
    file
}

fn pairs(file: &Path, flags: &[&str]) -> Output {
    let mut gordian = Command::new(env!("CARGO_BIN_EXE_gordian"));
    let folder = file.parent().expect("a file stands in a folder");
    gordian.arg("pairs").arg("p.c").args(flags).current_dir(folder).output().expect("gordian runs")
}

#[track_caller]
fn assert_ends(output: &Output, code: i32, text: &str) {
    let all = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{all}");
    assert!(all.contains(text), "{all}");
}

#[test]
fn a_race_is_a_pair() {
    let file = program("race", "static void *run(void *p) {\n    x++;\n    return p;\n}\n");
    let output = pairs(&file, &[]);
    assert_ends(&output, 0, "RW x  p.c:5 t1 writes | p.c:5 t2 writes: no lock\n");
    assert_ends(&output, 0, "3 pairs (3 RW, 0 MM, 0 WM, 0 WN) in 3 threads: main, t1 runs run, t2 runs run\n");
    let json: Value = serde_json::from_slice(&pairs(&file, &["--json"]).stdout).expect("one document");
    assert_eq!(json["pairs"].as_array().map(Vec::len), Some(3));
    assert_eq!(json["pairs"][0]["sides"][0]["start"], "run");
    assert_eq!(json["pairs"][0]["must"], true);
}

#[test]
fn locks_make_another_pair_and_filters_can_be_switched_off() {
    let body = "    pthread_mutex_lock(&m);\n    x++;\n    pthread_mutex_unlock(&m);\n";
    let file = program("locked", &format!("static void *run(void *p) {{\n{body}    return p;\n}}\n"));
    assert_ends(&pairs(&file, &[]), 0, "MM m  p.c:5 t1 locks | p.c:5 t2 locks: either may come first\n");
    assert_ends(&pairs(&file, &[]), 0, "1 pair (0 RW, 1 MM, 0 WM, 0 WN)");
    let output = pairs(&file, &["--without", "mhp", "--without", "disjoint"]);
    assert_ends(&output, 0, "no common lock (m | m)");
    assert_ends(&output, 0, "mhp off, disjoint off\n");
}

#[test]
fn lock_orders_and_waits_that_nobody_ends_are_told() {
    let lines = "\
static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *run(void *p) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&n);
    pthread_cond_wait(&c, &n);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&n);
    return p;
}
";
    let output = pairs(&program("circle", lines), &[]);
    assert_ends(&output, 0, "t1 takes m under n at p.c:11");
    assert_ends(&output, 0, "no signal  p.c:9 t1 waits: no thread can wake it\n");
}

#[test]
fn bad_input_is_a_sentence() {
    let file = program("bad", "static void *run(void *p) { return p; }\n");
    std::fs::write(file.with_file_name("q.c"), "int main(void) { return 0; }\n").expect("the folder can be written to");
    let mut gordian = Command::new(env!("CARGO_BIN_EXE_gordian"));
    let folder = file.parent().expect("a file stands in a folder");
    let output = gordian.args(["pairs", "q.c"]).current_dir(folder).output().expect("gordian runs");
    assert_ends(&output, 2, "gordian: the program creates no threads");
    assert_ends(&pairs(&file, &["--cflag=-g0"]), 2, "gordian: the program has no debug information");
    assert_ends(&pairs(&file, &["--without", "luck"]), 2, "invalid value 'luck'");
}

#[test]
fn what_is_not_known_is_told() {
    let unknown = program("unknown", "void mystery(int *);\nstatic void *run(void *p) { mystery(&x); return p; }\n");
    assert_ends(&pairs(&unknown, &[]), 3, "p.c:5 calls `mystery`, which is not known");
    let wild = program("wild", "static void (*f)(void);\nstatic void *run(void *p) { f(); return p; }\n");
    assert_ends(&pairs(&wild, &[]), 3, "p.c:5: a call through a pointer that could go anywhere");
    let assembly = program("assembly", "static void *run(void *p) { __asm__ volatile(\"cpuid\"); return p; }\n");
    assert_ends(&pairs(&assembly, &[]), 3, "coarse: p.c:4: ");
}
