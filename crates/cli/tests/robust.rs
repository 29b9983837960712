//! What must not bring gordian down: deep searches on a small stack, damaged checkpoints, disks and files that are of no use.

mod common;

use common::{Folder, LOST_UPDATE};
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

impl Folder {
    /// With a shell around it, in which `$GORDIAN` is the command.
    fn shell(&self, script: &str) -> Output {
        let mut command = Command::new("sh");
        command.env("GORDIAN", env!("CARGO_BIN_EXE_gordian")).args(["-c", script]).current_dir(&self.0);
        command.output().unwrap()
    }

    fn names(&self) -> Vec<String> {
        let files = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn program(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    root.join(name).canonicalize().unwrap().display().to_string()
}

/// Every thread of the search has a stack of 256 KB; the main thread, which also compiles, is limited alike once it is loaded.
#[test]
fn deep_searches_get_by_with_a_small_stack() {
    let folder = Folder::new("deep");
    for jobs in ["1", "2"] {
        for (name, steps, runs) in
            [("deep/long_threads.c", "200000", "1000"), ("deep/polls_under_a_lock.c", "20000", "4")]
        {
            let bitcode = "program.bc";
            let compile =
                format!("clang-22 -O1 -Xclang -disable-llvm-passes -emit-llvm -c {} -o {bitcode}", program(name));
            assert_eq!(code(&folder.shell(&compile)), Some(0), "{name}");
            let runs = if jobs == "1" { format!("--runs {runs}") } else { "--time 5s".to_owned() };
            let script = format!(
                "ulimit -s 256; RUST_MIN_STACK=262144 exec \"$GORDIAN\" check {bitcode} --races ignore --max-steps {steps} --jobs {jobs} {runs}"
            );
            let output = folder.shell(&script);
            assert!(matches!(code(&output), Some(0 | 3)), "{name} with {jobs} workers: {}", text(&output));
        }
    }
}

#[test]
fn a_damaged_checkpoint_is_refused() {
    let folder = Folder::new("checkpoint");
    folder.write(
        "long.c",
        "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int x;\n\
         static void *f(void *a) { for (int i = 0; i < 8; i++) x++; return a; }\n\
         int main(void) { pthread_t t[4]; for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, f, 0);\n\
         for (int i = 0; i < 4; i++) pthread_join(t[i], 0); return 0; }\n",
    );
    // Far more executions than there is time for, and saved while it was under way.
    let check = ["check", "long.c", "--races", "ignore", "--quiet", "--time", "5s"];
    let stopped = folder.gordian(&check);
    assert!(matches!(code(&stopped), Some(0 | 3)), "{}", text(&stopped));
    let name = "long.checkpoint";
    let saved = std::fs::read(folder.0.join(name)).expect("it was saved");
    let resume = [&check[..6], &["1s", "--resume"]].concat();
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..40 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let mut damaged = saved.clone();
        let at = (random >> 8) as usize % damaged.len();
        match random % 4 {
            0 => damaged[at] ^= 1 << (random >> 40 & 7),
            1 => damaged.truncate(at),
            2 => drop(damaged.remove(at)),
            _ => damaged.insert(at, b'1'),
        }
        std::fs::write(folder.0.join(name), &damaged).unwrap();
        let output = folder.gordian(&resume);
        assert_eq!(code(&output), Some(2), "{}", text(&output));
    }
    std::fs::write(folder.0.join(name), &saved).unwrap();
    let output = folder.gordian(&resume);
    assert!(matches!(code(&output), Some(0 | 3)), "{}", text(&output));
}

#[test]
fn what_cannot_be_written_is_noticed_at_once() {
    let folder = Folder::new("unwritable");
    folder.write("race.c", LOST_UPDATE);
    folder.write("taken", "");
    for out in ["taken", "taken/below", "/proc/none", "/dev/full/x"] {
        let output = folder.gordian(&["check", "race.c", "--out", out]);
        assert_eq!(code(&output), Some(2), "{out}: {}", text(&output));
        assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1, "{}", text(&output));
    }
    let output = folder.shell("\"$GORDIAN\" check race.c > /dev/full");
    assert_eq!(code(&output), Some(2), "{}", text(&output));
    assert!(text(&output).contains("cannot write to standard output"), "{}", text(&output));
    let output = folder.shell("\"$GORDIAN\" check race.c | true");
    assert_eq!(text(&output), "");
    assert!(folder.names().iter().all(|name| !name.ends_with(".part")), "{:?}", folder.names());
}

#[test]
fn a_pipe_is_no_file() {
    let folder = Folder::new("pipe");
    folder.write("race.c", LOST_UPDATE);
    let make = "mkfifo program.c test.gordian input race.checkpoint";
    assert_eq!(code(&folder.shell(make)), Some(0));
    let commands: [&[&str]; 4] = [
        &["check", "program.c"],
        &["replay", "test.gordian"],
        &["check", "race.c", "--stdin", "input"],
        &["check", "race.c", "--resume"],
    ];
    for arguments in commands {
        let output = folder.gordian(arguments);
        assert_eq!(code(&output), Some(2), "{arguments:?}: {}", text(&output));
        assert!(text(&output).contains("no regular file"), "{arguments:?}: {}", text(&output));
    }
    for arguments in
        [&["check", "race.c", "--strategy", "unfold", "--dot", "input"][..], &["record", "race.c", "--out", "input"]]
    {
        let output = folder.gordian(arguments);
        assert_eq!(code(&output), Some(2), "{arguments:?}: {}", text(&output));
        assert!(text(&output).contains("is a named pipe"), "{arguments:?}: {}", text(&output));
    }
}

#[test]
fn another_finding_of_a_changed_program_is_told() {
    let folder = Folder::new("changed");
    folder.write("race.c", LOST_UPDATE);
    assert_eq!(code(&folder.gordian(&["check", "race.c"])), Some(1));
    let test = folder.names().into_iter().find(|name| name.ends_with(".gordian")).unwrap();
    folder.write("race.c", &LOST_UPDATE.replace("    assert(counter == 2);", "    int *none = 0;\n    *none = 1;"));
    let output = folder.gordian(&["replay", "--force", &test]);
    assert_eq!(code(&output), Some(1), "{}", text(&output));
    assert!(text(&output).contains("the finding did not show, but another one did"), "{}", text(&output));
}

/// A thread that computes for long, and races that are many: both must end soon after the time is up.
#[test]
#[expect(clippy::disallowed_methods, reason = "it is about time")]
fn the_time_holds() {
    let folder = Folder::new("time");
    folder.write(
        "long.c",
        "#include <pthread.h>\nstatic volatile unsigned x;\nstatic void *f(void *a) { unsigned long n = 1; for (unsigned long i = 1; i; i++) n = n * 3 + i; x = n; return a; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 1; pthread_join(t, 0); return 0; }\n",
    );
    for strategy in ["dpor", "exhaustive", "random"] {
        let begin = Instant::now();
        let output = folder.gordian(&["check", "long.c", "--races", "ignore", "--time", "1s", "--strategy", strategy]);
        assert!(matches!(code(&output), Some(0 | 3)), "{}", text(&output));
        assert!(begin.elapsed() < Duration::from_secs(20), "{strategy} took {:?}", begin.elapsed());
    }
}

/// A search is ended before it takes all memory there is, tells so, and is gone on with later.
#[test]
fn the_memory_holds() {
    let folder = Folder::new("memory");
    folder.write(
        "long.c",
        "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int x;\n\
         static void *f(void *a) { for (int i = 0; i < 9; i++) x++; return a; }\n\
         int main(void) { pthread_t t[4]; for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, f, 0);\n\
         for (int i = 0; i < 4; i++) pthread_join(t[i], 0); return 0; }\n",
    );
    for strategy in ["dpor", "unfold", "stateful-naive", "interference", "value-schedule", "random"] {
        let limits = ["--memory", "1M", "--time", "100s"];
        let arguments = [&["check", "long.c", "--races", "ignore", "--strategy", strategy][..], &limits].concat();
        let output = folder.gordian(&arguments);
        assert_eq!(code(&output), Some(3), "{strategy}: {}", text(&output));
        assert!(text(&output).contains("the memory limit was reached"), "{strategy}: {}", text(&output));
    }
    let output = folder.gordian(&["check", "long.c", "--memory", "much"]);
    assert_eq!(code(&output), Some(2), "{}", text(&output));
    assert!(text(&output).contains("is no size of memory"), "{}", text(&output));
}
