//! Symbolic standard input, files and arguments against brute force: what a program does for any bytes of a small alphabet,
//! some way of the search does as well; and every way of the search does what its inputs do when they are fixed.

use gordian_frontend::{Options, load};
use gordian_ir::Program;
use gordian_trace::{
    FORMAT_VERSION, InputSource, InputValue, Machine as Settings, ProgramSource, Schedule, Test, ThreadOrigin,
};
use gordian_vm::Machine;
use std::collections::BTreeSet;
use std::path::PathBuf;

const N_BYTES: u32 = 3;
/// What the parsers below tell apart, and something else.
const ALPHABET: &[u8] = b"\0\n 09ax-+q";

fn compile(name: &str, body: &str) -> Program {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("inputs-{name}.c"));
    let head =
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n#include <pthread.h>\n";
    std::fs::write(&path, format!("{head}{body}")).expect("the directory for temporary files can be written to");
    let options = Options { cflags: vec!["-D_GNU_SOURCE".into(), "-w".into()], ..Options::default() };
    load(&[path], &options).expect("the program compiles")
}

fn test(source: InputSource, symbolic: bool) -> Test {
    let n_arguments = usize::from(matches!(source, InputSource::Argument { .. }));
    Test {
        gordian: FORMAT_VERSION,
        program: ProgramSource { files: Vec::new(), cflags: Vec::new(), identity: String::new() },
        arguments: vec![String::new(); n_arguments],
        environment: Vec::new(),
        stdin: String::new(),
        sources: vec![source],
        machine: Settings { symbolic, ..Settings::default() },
        inputs: Vec::new(),
        threads: Vec::new(),
        schedule: Schedule(Vec::new()),
        finding: None,
    }
}

fn outcome(machine: &Machine<'_>) -> String {
    let findings: Vec<_> = machine.findings().iter().map(|raw| &raw.finding.message).collect();
    format!("{:?} {findings:?}", machine.end().expect("it ended"))
}

/// What the program does with fixed inputs, by the schedule that always takes the first choice or the given one.
fn with_inputs(
    program: &Program,
    source: &InputSource,
    inputs: Vec<InputValue>,
    machine: Option<&Machine<'_>>,
) -> String {
    let threads: Vec<ThreadOrigin> = machine.map(|machine| machine.thread_origins()).unwrap_or_default();
    let fixed = Test { inputs, threads, ..test(source.clone(), false) };
    let mut again = Machine::new(program, &fixed).expect("the program can be set up");
    if let Some(machine) = machine {
        machine.fixed_schedule(machine.schedule().len()).iter().for_each(|&choice| again.step(choice));
    }
    while again.end().is_none() {
        again.step(again.choices()[0]);
    }
    outcome(&again)
}

/// Every way that inputs lead to.
fn search(program: &Program, source: &InputSource) -> BTreeSet<String> {
    let mut machine = Machine::new(program, &test(source.clone(), true)).expect("the program can be set up");
    let mut seen = BTreeSet::new();
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
        machine.choose_inputs();
        assert_eq!(machine.losses(), [""; 0], "nothing is lost");
        let here = outcome(&machine);
        let fixed = with_inputs(program, source, machine.inputs(), Some(&machine));
        assert_eq!(here, fixed, "for {:?}", machine.inputs());
        seen.insert(here);
    }
    seen
}

fn brute_force(program: &Program, source: &InputSource) -> BTreeSet<String> {
    let n_inputs = ALPHABET.len().pow(N_BYTES);
    let digit = |n: usize, place: u32| ALPHABET[n / ALPHABET.len().pow(place) % ALPHABET.len()];
    let byte = |n, nth| InputValue {
        thread: 0,
        nth,
        value: digit(n, nth).into(),
        name: String::new(),
        bits: 8,
        function: String::new(),
    };
    let inputs = (0..n_inputs).map(|n| (0..N_BYTES).map(|nth| byte(n, nth)).collect());
    inputs.map(|inputs| with_inputs(program, source, inputs, None)).collect()
}

fn compare(name: &str, source: InputSource, body: &str, least: usize) {
    let program = compile(name, body);
    let (found, known) = (search(&program, &source), brute_force(&program, &source));
    assert!(known.len() >= least, "{name} tells too little apart: {known:?}");
    let missing: Vec<_> = known.difference(&found).collect();
    assert!(missing.is_empty(), "{name}: the search misses {missing:?}");
}

fn stdin() -> InputSource {
    InputSource::Stdin { len: N_BYTES }
}

#[test]
fn decimal_numbers_and_characters() {
    let body = "int main(void) { int n = -1; char c = '?'; int k = scanf(\"%d%c\", &n, &c);
        if (k < 0) return 100; if (k == 0) return 101; if (k == 1) c = 0;
        if (n == 9) { if (c == 'x') return 1; return 2; }
        if (n == -9) return 3; if (n == 90) return 4; if (n == 990) return 5; if (n == 0) { if (c == '-') return 6; return 7; }
        if (n < 0) return 8; return 9; }";
    compare("decimal", stdin(), body, 9);
}

#[test]
fn numbers_in_other_bases() {
    let body = "int main(void) { unsigned n = 77; int k = scanf(\"%x\", &n); int next = getchar();
        if (k != 1) { if (k < 0) return 100; return 101; }
        if (n == 0xa) { if (next == 'q') return 1; return 2; }
        if (n == 0x9a) return 3; if (n == 0xaaa) return 4; if (n == -9u) return 5; if (n == 0) return 6; return 7; }";
    compare("hexadecimal", stdin(), body, 7);
    let body = "int main(void) { int n = 77; int k = scanf(\"%2i\", &n); int next = getchar();
        if (k != 1) return 100; if (n == 0) { if (next == '9') return 1; return 2; }
        if (n == 9) { if (next == 'x') return 3; return 4; } if (n == 99) return 5; if (n == -9) return 6; return 7; }";
    compare("any-base", stdin(), body, 7);
}

#[test]
fn words_and_sets() {
    let body = "int main(void) { char digits[4] = \"\", word[4] = \"\"; int k = scanf(\" %2[0-9]%s\", digits, word);
        if (k < 0) return 100; if (k == 0) return 101;
        if (digits[0] == '9') { if (digits[1] == 0) { if (word[0] == 'q') return 1; return 2; } return 3; }
        if (k == 2) { if (word[0] == '+') return 4; return 5; } return 6; }";
    compare("words", stdin(), body, 8);
}

#[test]
fn lines() {
    let body = "int main(void) { char line[3] = \"\"; int n = 0;
        while (fgets(line, sizeof line, stdin)) { n++; if (line[0] == 'q') return 10 + n; if (line[1] == '\\n') n += 20; }
        if (feof(stdin)) return n; return 99; }";
    compare("fgets", stdin(), body, 7);
    let body = "int main(void) { char *line = 0; size_t size = 0; long n, sum = 0;
        while ((n = getdelim(&line, &size, 'x', stdin)) > 0) { sum = 4 * sum + n; if (line[0] == 'a') return 200; }
        return sum; }";
    compare("getdelim", stdin(), body, 4);
}

#[test]
fn lines_are_scanned() {
    let body = "int main(void) { char line[8]; int n = 5, rest = 0;
        if (!fgets(line, sizeof line, stdin)) return 100;
        int k = sscanf(line, \"%d%n\", &n, &rest);
        if (k < 0) return 101; if (k == 0) return 102; if (n == 90) return 1; if (n == -9) return 2; return 10 + rest; }";
    compare("sscanf", stdin(), body, 6);
}

#[test]
fn bytes_come_back() {
    let body =
        "int main(void) { int c = getchar(); if (c == 'q') ungetc('9', stdin); else if (c == '9') ungetc(c, stdin);
        c = fgetc(stdin); if (c == '9') return 1; if (c == '\\n') return 2; char two[2]; int n = read(0, two, 2);
        if (n == 1) { if (two[0] == 'a') return 3; return 4; } return 5 + n; }";
    compare("ungetc", stdin(), body, 4);
}

#[test]
fn arguments_are_strings() {
    let body =
        "int main(int argc, char **argv) { if (strlen(argv[1]) == 2) return 1; if (atoi(argv[1]) == 90) return 2;
        if (strcmp(argv[1], \"ax\") > 0) return 3; if (strchr(argv[1], 'q')) return 4; return 5; }";
    compare("argument", InputSource::Argument { nth: 1, len: N_BYTES }, body, 5);
    let body = "int main(void) { char *mode = getenv(\"MODE\"); if (!mode) return 1; if (*mode == 0) return 2;
        char *copy = strdup(mode); if (strstr(copy, \"-q\")) return 3; return 4; }";
    compare("variable", InputSource::Variable { name: "MODE".into(), len: N_BYTES }, body, 3);
}

#[test]
fn files_are_read_anywhere() {
    let body = "int main(void) { FILE *file = fopen(\"some-file.txt\", \"r+\"); unsigned char b[3]; if (!file) return 100;
        fseek(file, 1, SEEK_SET); if (fread(b, 1, 3, file) != 2) return 101; if (b[0] == 'a') { if (b[1] == 'x') return 1; return 2; }
        rewind(file); fputc('q', file); fseek(file, 0, SEEK_SET); if (fgetc(file) != 'q') return 102;
        if (fgetc(file) == b[0]) { if (b[0] == '9') return 3; return 4; } return 103; }";
    compare("file", InputSource::File { name: "some-file.txt".into(), len: N_BYTES }, body, 4);
}

#[test]
fn a_thread_reads_while_main_waits() {
    let body = "static void *reader(void *sum) { char line[4]; while (fgets(line, 4, stdin)) {
            *(int *)sum += line[0] == 'x' ? 5 : 1; if (line[0] == 'q') *(int *)sum += 50; } return 0; }
        int main(void) { int sum = 0; pthread_t thread; pthread_create(&thread, 0, reader, &sum); pthread_join(thread, 0);
        for (int n = 0; n < 200; n++) if (sum == n) return n; return 201; }";
    compare("thread", stdin(), body, 8);
}
