//! Files, streams and other parts of libc that a single native run does not show: several threads, going
//! back to earlier states, and what must not reach the disk.

use gordian_frontend::{Options, load};
use gordian_ir::Program;
use gordian_trace::{Choice, FORMAT_VERSION, FindingKind, ProgramSource, Schedule, Test};
use gordian_vm::{End, Machine};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn compile(name: &str, text: &str) -> Program {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.c"));
    std::fs::write(&path, text).expect("the directory for temporary files can be written to");
    let options = Options { cflags: vec!["-D_GNU_SOURCE".into(), "-w".into()], ..Options::default() };
    load(&[path], &options).expect("the program compiles")
}

fn test() -> Test {
    Test {
        gordian: FORMAT_VERSION,
        program: ProgramSource { files: Vec::new(), cflags: Vec::new(), identity: String::new() },
        arguments: Vec::new(),
        environment: Vec::new(),
        stdin: String::new(),
        sources: Vec::new(),
        machine: gordian_trace::Machine::default(),
        inputs: Vec::new(),
        threads: Vec::new(),
        schedule: Schedule(Vec::new()),
        finding: None,
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What an execution leaves: how it ended, what it printed, what was found.
type Outcome = (String, String, Vec<FindingKind>);

fn outcome(machine: &Machine<'_>) -> Outcome {
    let kinds = machine.findings().iter().map(|raw| raw.finding.kind).collect();
    (format!("{:?}", machine.end().expect("it ended")), text(machine.stdout()), kinds)
}

fn replay(program: &Program, schedule: &[Choice]) -> Outcome {
    let mut machine = Machine::new(program, &test()).expect("the program can be set up");
    for &choice in schedule {
        machine.step(choice);
    }
    outcome(&machine)
}

/// All executions, by going back; each must be what a run from the start is.
fn explore(program: &Program) -> BTreeSet<String> {
    let mut machine = Machine::new(program, &test()).expect("the program can be set up");
    let mut seen = BTreeSet::new();
    if machine.end().is_some() {
        seen.insert(outcome(&machine).1);
    }
    let mut stack = vec![(machine.mark(), machine.choices().to_vec())];
    while let Some((mark, choices)) = stack.last_mut() {
        let Some(choice) = choices.pop() else {
            stack.pop();
            continue;
        };
        machine.undo_to(*mark);
        machine.step(choice);
        if machine.end().is_none() {
            stack.push((machine.mark(), machine.choices().to_vec()));
            continue;
        }
        let here = outcome(&machine);
        assert_eq!(here, replay(program, machine.schedule()), "going back changed something");
        seen.insert(if here.2.is_empty() { here.1 } else { format!("{:?}", here.2) });
    }
    seen
}

fn run_with(program: &Program, test: &Test) -> (End, String) {
    let mut machine = Machine::new(program, test).expect("the program can be set up");
    while let Some(&choice) = machine.choices().first() {
        machine.step(choice);
    }
    (machine.end().expect("it ended").clone(), text(machine.stdout()))
}

fn set(outcomes: &[&str]) -> BTreeSet<String> {
    outcomes.iter().map(|outcome| (*outcome).to_owned()).collect()
}

#[test]
fn a_stream_is_shared_in_every_order() {
    let program = compile(
        "stream_orders",
        r#"
        #include <pthread.h>
        #include <stdio.h>
        static FILE *f;
        static void *writer(void *letter) { fputs(letter, f); return NULL; }
        int main(void) {
            f = fopen("orders.tmp", "w+");
            pthread_t a, b;
            pthread_create(&a, NULL, writer, "a");
            pthread_create(&b, NULL, writer, "bb");
            pthread_join(a, NULL);
            pthread_join(b, NULL);
            rewind(f);
            char text[8] = "";
            fgets(text, sizeof text, f);
            puts(text);
            fclose(f);
            return remove("orders.tmp");
        }"#,
    );
    assert_eq!(explore(&program), set(&["abb\n", "bba\n"]));
    assert!(!PathBuf::from("orders.tmp").exists(), "exploration does not touch the disk");
}

#[test]
fn a_lost_update_in_a_file_is_found() {
    let program = compile(
        "file_update",
        r#"
        #include <fcntl.h>
        #include <pthread.h>
        #include <stdio.h>
        #include <unistd.h>
        static int fd;
        static void *add(void *unused) {
            char n;
            pread(fd, &n, 1, 0);
            n++;
            pwrite(fd, &n, 1, 0);
            return NULL;
        }
        int main(void) {
            fd = open("update.tmp", O_RDWR | O_CREAT, 0600);
            write(fd, "0", 1);
            pthread_t other;
            pthread_create(&other, NULL, add, NULL);
            add(NULL);
            pthread_join(other, NULL);
            char n;
            pread(fd, &n, 1, 0);
            printf("%c\n", n);
        }"#,
    );
    assert_eq!(explore(&program), set(&["1\n", "2\n"]));
}

#[test]
fn reading_an_empty_pipe_waits() {
    let source = |close: &str| {
        let text = r#"
        #include <pthread.h>
        #include <stdio.h>
        #include <unistd.h>
        static int ends[2];
        static void *reader(void *unused) {
            char text[8] = "";
            while (read(ends[0], text, 1) == 1)
                putchar(text[0]);
            return NULL;
        }
        int main(void) {
            pipe(ends);
            pthread_t other;
            pthread_create(&other, NULL, reader, NULL);
            write(ends[1], "x", 1);
            write(ends[1], "y", 1);
            CLOSE;
            pthread_join(other, NULL);
        }"#;
        text.replace("CLOSE", close)
    };
    let program = compile("pipe_closed", &source("close(ends[1])"));
    assert_eq!(explore(&program), set(&["xy"]));
    let program = compile("pipe_open", &source(""));
    assert_eq!(explore(&program), set(&["[Deadlock]"]));
}

#[test]
fn a_stream_used_after_it_was_closed() {
    let program = compile(
        "closed_stream",
        r#"
        #include <stdio.h>
        int main(void) {
            FILE *f = tmpfile();
            fclose(f);
            return fputc('x', f);
        }"#,
    );
    assert_eq!(replay(&program, &[]).2, [FindingKind::UseAfterClose]);
}

#[test]
fn static_buffers_race_and_streams_do_not() {
    let source = |call: &str| {
        let text = r#"
        #include <pthread.h>
        #include <stdio.h>
        #include <time.h>
        static void *work(void *unused) {
            time_t t = 5;
            struct tm tm;
            CALL;
            return NULL;
        }
        int main(void) {
            pthread_t other;
            pthread_create(&other, NULL, work, NULL);
            work(NULL);
            pthread_join(other, NULL);
        }"#;
        text.replace("CALL", call)
    };
    let racy = compile("racy_time", &source("localtime(&t)"));
    assert_eq!(explore(&racy), set(&["[DataRace]"]));
    for (name, call) in [("safe_time", "localtime_r(&t, &tm)"), ("safe_print", "fprintf(stderr, \"%d\", 1)")] {
        assert_eq!(explore(&compile(name, &source(call))), set(&[""]), "{call}");
    }
}

#[test]
fn a_real_file_is_read_and_left_alone() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("real.txt");
    std::fs::write(&path, "from disk\n").expect("the directory can be written to");
    let program = compile(
        "real_file",
        r#"
        #include <stdio.h>
        int main(int argc, char **argv) {
            char line[32];
            FILE *f = fopen(argv[1], "r+");
            fputs(fgets(line, sizeof line, f), stdout);
            fputs("more\n", f);
            fclose(f);
            f = fopen(argv[1], "r");
            while (fgets(line, sizeof line, f))
                fputs(line, stdout);
            remove(argv[1]);
            return fopen(argv[1], "r") != NULL;
        }"#,
    );
    let test = Test { arguments: vec![path.to_string_lossy().into_owned()], ..test() };
    for _ in 0..2 {
        assert_eq!(run_with(&program, &test), (End::Exit(0), "from disk\nfrom disk\nmore\n".to_owned()));
    }
    assert_eq!(std::fs::read_to_string(&path).expect("it is still there"), "from disk\n");
}

#[test]
fn a_plain_run_writes_to_disk() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("written.txt");
    let program = compile(
        "plain_run",
        r#"
        #include <stdio.h>
        int main(int argc, char **argv) {
            FILE *f = fopen(argv[1], "w");
            fprintf(f, "%d\n", 42);
            FILE *g = fopen(argv[2], "w");
            fclose(g);
            remove(argv[2]);
        }"#,
    );
    let other = path.with_extension("removed");
    let arguments = [&path, &other].map(|path| path.to_string_lossy().into_owned()).to_vec();
    let test = Test { arguments, ..test() };
    let mut machine = Machine::with_passthrough(&program, &test, true).expect("the program can be set up");
    assert_eq!(machine.end(), Some(&End::Exit(0)));
    machine.commit_files();
    assert_eq!(std::fs::read_to_string(&path).expect("it was written"), "42\n");
    assert!(!other.exists());
}

#[test]
fn native_calls_get_copies() {
    let program = compile(
        "native_call",
        r#"
        #include <math.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        int main(void) {
            char text[16] = "hello";
            char *end = strfry(text);
            printf("%d %zu %.3f %d\n", end == text, strlen(text), pow(2, 0.5), (int)sinf(0));
            swab("badc", text, 4);
            printf("%.4s\n", text);
        }"#,
    );
    let natives = ["strfry", "pow", "sinf", "swab"].map(str::to_owned).to_vec();
    let machine = gordian_trace::Machine { native: natives, ..gordian_trace::Machine::default() };
    let outcome = run_with(&program, &Test { machine, ..test() });
    assert_eq!(outcome, (End::Exit(0), "1 5 1.414 0\nabcd\n".to_owned()));
    let (end, _) = run_with(&program, &test());
    assert!(matches!(&end, End::Unsupported(what) if what.contains("`strfry`")), "{end:?}");
    let missing =
        gordian_trace::Machine { native: vec!["no_such_function".into()], ..gordian_trace::Machine::default() };
    let error = Machine::new(&program, &Test { machine: missing, ..test() }).err().expect("there is no such function");
    assert!(error.to_string().contains("no_such_function"));
}

#[test]
fn standard_input_is_one_stream_for_all() {
    let program = compile(
        "shared_stdin",
        r#"
        #include <pthread.h>
        #include <stdio.h>
        static int got[2];
        static void *take(void *place) { *(int *)place = getchar(); return NULL; }
        int main(void) {
            pthread_t other;
            pthread_create(&other, NULL, take, &got[1]);
            take(&got[0]);
            pthread_join(other, NULL);
            printf("%c%c%d\n", got[0], got[1], getchar());
        }"#,
    );
    let test = Test { stdin: "ab".into(), ..test() };
    let (end, printed) = run_with(&program, &test);
    assert_eq!(end, End::Exit(0));
    assert!(["ab-1\n", "ba-1\n"].contains(&printed.as_str()), "{printed}");
}

/// Each look at the clock takes a microsecond and is a step of its own, so few looks make all orders few.
#[test]
fn waiting_for_time_ends() {
    let program = compile(
        "wait_for_time",
        r#"
        #include <pthread.h>
        #include <stdio.h>
        #include <time.h>
        static void *waiter(void *unused) {
            struct timespec now, start;
            clock_gettime(CLOCK_MONOTONIC, &start);
            do {
                clock_gettime(CLOCK_MONOTONIC, &now);
            } while (now.tv_sec == start.tv_sec && now.tv_nsec < start.tv_nsec + 3000);
            return NULL;
        }
        int main(void) {
            pthread_t other;
            pthread_create(&other, NULL, waiter, NULL);
            waiter(NULL);
            pthread_join(other, NULL);
            puts("done");
        }"#,
    );
    assert_eq!(explore(&program), set(&["done\n"]));
}
