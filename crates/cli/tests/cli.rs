//! The command as its users meet it: exit codes, messages, saved tests.

mod common;

use common::{Folder, LOST_UPDATE};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

impl Folder {
    fn gordian_reading(&self, input: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gordian"));
        command.args(arguments).current_dir(&self.0);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }
}

#[track_caller]
fn assert_ends(output: &Output, code: i32) {
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{text}");
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn bad_input_is_one_sentence() {
    let folder = Folder::new("bad-input");
    folder.write("note.txt", "hello");
    folder.write("empty.c", "");
    folder.write("future.gordian", r#"{"gordian": 99}"#);
    for (arguments, said) in [
        (&["check", "absent.c"][..], "absent.c"),
        (&["check", "note.txt"], "note.txt"),
        (&["check", "empty.c"], "main"),
        (&["replay", "absent.gordian"], "absent.gordian"),
        (&["replay", "note.txt"], "is not a gordian test"),
        (&["replay", "future.gordian"], "newer gordian"),
        (&["check", "empty.c", "--stdin", "absent"], ""),
    ] {
        let output = folder.gordian(arguments);
        assert_ends(&output, 2);
        let stderr = stderr(&output);
        assert!(stderr.starts_with("gordian: ") && stderr.contains(said), "{arguments:?}: {stderr}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn bad_usage_ends_with_two() {
    let folder = Folder::new("bad-usage");
    for arguments in [&[][..], &["check"], &["check", "a.c", "--strategy", "luck"], &["check", "a.c", "--time", "soon"]]
    {
        assert_ends(&folder.gordian(arguments), 2);
    }
    assert_ends(&folder.gordian(&["check", "--help"]), 0);
}

#[test]
fn a_finding_is_saved_replayed_and_shrunk() {
    let folder = Folder::new("replay");
    folder.write("lost.c", LOST_UPDATE);
    let output = folder.gordian(&["check", "lost.c", "--out", "tests", "--json"]);
    assert_ends(&output, 1);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["verdict"], "bug");
    assert_eq!(document["findings"][0]["kind"], "assertion");
    assert_eq!(document["findings"][0]["test"], "tests/lost-assertion-1.gordian");
    assert_eq!(document["findings"][0]["places"][0]["line"], 19);

    let output = folder.gordian(&["replay", "tests/lost-assertion-1.gordian"]);
    assert_ends(&output, 1);
    assert!(stdout(&output).contains("lost.c:19:"), "{}", stdout(&output));
    assert!(stdout(&output).contains("the finding showed again"), "{}", stdout(&output));
    assert_ends(&folder.gordian(&["shrink", "tests/lost-assertion-1.gordian"]), 0);
    assert_ends(&folder.gordian(&["replay", "tests/lost-assertion-1-shrunk.gordian", "--json"]), 1);

    // The same program again: the file is renewed and not doubled.
    assert_ends(&folder.gordian(&["check", "lost.c", "--out", "tests"]), 1);
    assert!(!folder.0.join("tests/lost-assertion-2.gordian").exists());
}

#[test]
fn a_test_of_a_changed_program_says_so() {
    let folder = Folder::new("changed");
    folder.write("lost.c", LOST_UPDATE);
    assert_ends(&folder.gordian(&["check", "lost.c"]), 1);
    folder.write("lost.c", &LOST_UPDATE.replace("counter == 2", "counter >= 1"));
    let output = folder.gordian(&["replay", "lost-assertion-1.gordian"]);
    assert_ends(&output, 2);
    assert!(stderr(&output).contains("the program has changed"), "{}", stderr(&output));
    assert_ends(&folder.gordian(&["replay", "lost-assertion-1.gordian", "--force"]), 0);

    // Another program of the same name does not take the file of the first.
    folder.write("lost.c", &LOST_UPDATE.replace("counter == 2", "counter > 1"));
    assert_ends(&folder.gordian(&["check", "lost.c"]), 1);
    assert!(folder.0.join("lost-assertion-2.gordian").exists());
}

#[test]
fn a_test_moves_with_its_program() {
    let folder = Folder::new("moved");
    std::fs::create_dir(folder.0.join("here")).unwrap();
    folder.write("here/lost.c", LOST_UPDATE);
    assert_ends(&folder.gordian(&["check", "here/lost.c", "--out", "here"]), 1);
    std::fs::rename(folder.0.join("here"), folder.0.join("there")).unwrap();
    assert_ends(&folder.gordian(&["replay", "there/lost-assertion-1.gordian"]), 1);
}

#[test]
fn run_is_the_program() {
    let folder = Folder::new("run");
    folder.write(
        "echo.c",
        r#"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    char line[64];
    while (fgets(line, sizeof line, stdin)) printf("%s: %s", getenv("WHO"), line);
    return argc > 1 ? atoi(argv[1]) : 0;
}
"#,
    );
    folder.write("input.txt", "one\ntwo\n");
    let output = folder.gordian(&["run", "echo.c", "--stdin", "input.txt", "--env", "WHO=ann", "--", "7"]);
    assert_ends(&output, 7);
    assert_eq!(stdout(&output), "ann: one\nann: two\n");
}

#[test]
fn every_schedule_of_a_right_program_is_safe() {
    let folder = Folder::new("safe");
    folder.write("right.c", &LOST_UPDATE.replace("int seen = counter;", "").replace("counter = seen + 1", "counter++"));
    let output = folder.gordian(&["check", "right.c", "--strategy", "exhaustive", "--quiet"]);
    assert_ends(&output, 0);
    assert!(stdout(&output).starts_with("safe: "), "{}", stdout(&output));
    assert_ends(&folder.gordian(&["check", "right.c"]), 0);
    assert_ends(&folder.gordian(&["check", "right.c", "--strategy", "random"]), 3);
}

/// Three threads that write the same variable so often have (3n)! / (n!)^3 traces.
const WRITERS: &str = r#"
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) x = i;
    return arg;
}
int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return 0;
}
"#;

#[test]
fn an_estimate_is_exact_or_has_an_interval() {
    let folder = Folder::new("estimate");
    folder.write("writers.c", WRITERS);
    let output = folder.gordian(&["check", "writers.c", "--cflag=-DROUNDS=2", "--estimate"]);
    assert_ends(&output, 0);
    assert_eq!(stdout(&output), "exactly 90 executions: the search was made\n");

    let arguments = ["check", "writers.c", "--cflag=-DROUNDS=4", "--estimate"];
    let output = folder.gordian(&arguments);
    assert_ends(&output, 0);
    assert!(stdout(&output).starts_with("about 3") && stdout(&output).contains("(95%: "), "{}", stdout(&output));
    assert!(stderr(&output).contains("a search takes one worker about"), "{}", stderr(&output));
    assert_eq!(stdout(&folder.gordian(&arguments)), stdout(&output));

    let output = folder.gordian(&[&arguments[..], &["--json", "--seed", "5", "--quiet"]].concat());
    assert_ends(&output, 0);
    assert!(output.stderr.is_empty());
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let number = |field: &str| document["estimate"][field].as_f64().unwrap();
    // 12! / 4!^3
    assert!(number("low") <= 34_650.0 * 1.1 && 34_650.0 <= number("high") * 1.1, "{document}");
    assert_eq!(document["estimate"]["exact"], false);
}

#[test]
fn an_estimate_is_of_dpor_and_of_what_can_be_run() {
    let folder = Folder::new("no-estimate");
    folder.write("lost.c", LOST_UPDATE);
    for wrong in [&["--strategy", "random"][..], &["--strategy", "exhaustive"], &["--preemptions", "2"]] {
        let output = folder.gordian(&[&["check", "lost.c", "--estimate"], wrong].concat());
        assert_ends(&output, 2);
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    }
    folder.write("fork.c", "#include <unistd.h>\nint main(void) { return fork(); }\n");
    let output = folder.gordian(&["check", "fork.c", "--estimate"]);
    assert_ends(&output, 3);
    assert!(stderr(&output).contains("fork.c:2"), "{}", stderr(&output));
}

#[test]
fn the_lowered_program_can_be_read() {
    let folder = Folder::new("ir");
    folder.write("lost.c", LOST_UPDATE);
    let output = folder.gordian(&["ir", "lost.c"]);
    assert_ends(&output, 0);
    assert!(stdout(&output).contains("pthread_create("), "{}", stdout(&output));
}

/// What it read from a pipe and found on disk is what the confirming run sees too.
#[test]
fn a_plain_run_is_confirmed_with_its_input_and_its_files() {
    let folder = Folder::new("plain-run");
    folder.write(
        "append.c",
        r#"
#include <assert.h>
#include <stdio.h>
int main(void)
{
    char line[20];
    assert(fgets(line, sizeof line, stdin));
    FILE *file = fopen("lines.txt", "a+");
    fputs(line, file);
    rewind(file);
    int n = 0;
    while (fgets(line, sizeof line, file))
        n++;
    fclose(file);
    printf("%d\n", n);
    assert(n != 2);
    return 5;
}
"#,
    );
    let first = folder.gordian_reading("one\n", &["run", "append.c"]);
    assert_ends(&first, 5);
    assert_eq!(first.stdout, b"1\n");
    let second = folder.gordian_reading("two\n", &["run", "append.c"]);
    assert_ends(&second, 1);
    assert_eq!(second.stdout, b"2\n");
    assert!(String::from_utf8_lossy(&second.stderr).contains("the assertion `n != 2` failed"));
    assert_eq!(std::fs::read_to_string(folder.0.join("lines.txt")).unwrap(), "one\ntwo\n");
}

#[test]
fn a_folder_that_cannot_be_written_to_is_refused_before_the_search() {
    let folder = Folder::new("unsaved");
    folder.write("lost.c", LOST_UPDATE);
    folder.write("taken", "");
    for flag in ["--out", "--emit-tests"] {
        let output = folder.gordian(&["check", "lost.c", flag, "taken"]);
        assert_ends(&output, 2);
        assert!(output.stdout.is_empty());
        assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to the folder taken"));
    }
}

/// Each thread reads or not, as its input says: 2 * 3^2 executions of 2^3 paths, up to 2^2 of one.
#[test]
fn what_the_solver_did_is_told_and_the_same_every_time() {
    let folder = Folder::new("solver");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/symbolic/which_reads.c");
    folder.write("which_reads.c", &std::fs::read_to_string(path).unwrap());
    let arguments = ["check", "which_reads.c", "--races", "ignore", "--solver-summary", "--json"];
    let told = folder.gordian(&arguments);
    assert_ends(&told, 0);
    assert!(stderr(&told).contains("s in the solver"), "{}", stderr(&told));
    assert_eq!(stdout(&told), stdout(&folder.gordian(&arguments)));
    let document: Value = serde_json::from_str(&stdout(&told)).unwrap();
    let solver = &document["solver"];
    assert_eq!((&solver["paths"], &solver["most_orders"], &document["executions"]), (&8.into(), &4.into(), &18.into()));
    assert!(solver["queries"].as_u64() <= document["questions"].as_u64(), "{solver}");
    let answered = |layer: &Value| layer["answered"].as_u64().unwrap();
    assert!(solver["layers"].as_array().unwrap().iter().map(answered).sum::<u64>() > 0, "{solver}");
    // Without inputs there is nothing to tell.
    folder.write("plain.c", LOST_UPDATE);
    let plain = folder.gordian(&["check", "plain.c", "--solver-summary", "--json", "--trace", "none"]);
    assert!(!stdout(&plain).contains("\"solver\""), "{}", stdout(&plain));
}
