//! The lazy runtime with an outside tester: CBMC agrees with our own engine on the programs of the paper's table.
//!
//! `cargo xtask cbmc` gets CBMC; without it the tests that need it say that they were skipped.

use gordian_engine::{Settings, Silent};
use gordian_ir::Program;
use gordian_sequentialize::{Error, Options, Plan, Role, Runtime, Target, sequentialize};
use gordian_strategies::Exhaustive;
use gordian_trace::Stop;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs, and at which k from 1 on they fail.
const TABLE: [(&str, u32); 17] = [
    ("interference/bluetooth", 2),
    ("interference/account", 1),
    ("interference/meeting", 1),
    ("interference/vector", 2),
    ("sequentialize/vector_index", 2),
    ("sequentialize/vector_last", 2),
    ("interference/stack", 2),
    ("sequentialize/stack_search", 2),
    ("sequentialize/stack_duplicate", 2),
    ("interference/hash_set", 1),
    ("interference/string_buffer", 1),
    ("sequentialize/series", 1),
    ("interference/sor", 2),
    ("interference/ray_tracer", 1),
    ("interference/ftp_quit", 1),
    ("sequentialize/ftp_transfer", 1),
    ("interference/mutual", 1),
];

/// How often its loops go round at most; none need it whose length is known.
fn unroll(name: &str) -> Option<u32> {
    match name {
        // It moves up to 4 characters.
        "interference/string_buffer" => Some(4),
        // Up to three entries, and the end.
        "interference/hash_set" => Some(4),
        _ => None,
    }
}

fn load(name: &str) -> Program {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(format!("{name}.c"));
    let mut program = gordian_frontend::load(&[path], &Default::default()).expect("it compiles");
    if unroll(name).is_some() {
        gordian_ir::count_loops(&mut program);
    }
    program
}

fn options(name: &str, role: &Role, k: u32, target: Target) -> Options {
    Options {
        k,
        k2: 0,
        role: role.clone(),
        target,
        runtime: Runtime::Lazy,
        unroll: unroll(name),
        reads: Vec::new(),
        writes: Vec::new(),
        arguments: Vec::new(),
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("gordian-lazy-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// CBMC, from `GORDIAN_CBMC`, the path, or where `cargo xtask cbmc` puts it.
fn cbmc() -> Option<Command> {
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/cbmc/usr");
    let given = std::env::var_os("GORDIAN_CBMC").map(PathBuf::from);
    for path in given.into_iter().chain([PathBuf::from("cbmc"), fetched.join("bin/cbmc")]) {
        let command = || {
            let mut command = Command::new("timeout");
            command.arg("600").arg(&path).env("LD_LIBRARY_PATH", fetched.join("lib"));
            command
        };
        if command().arg("--version").output().is_ok_and(|output| output.status.success()) {
            return Some(command());
        }
    }
    None
}

/// Whether CBMC finds a failure, and which.
fn failures(mut cbmc: Command, file: &Path) -> Vec<String> {
    let output = cbmc.args(["--slice-formula", "--trace"]).arg(file).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let decided = text.contains("VERIFICATION SUCCESSFUL") || text.contains("VERIFICATION FAILED");
    assert!(decided, "{}:\n{text}\n{}", file.display(), String::from_utf8_lossy(&output.stderr));
    text.lines().filter(|line| line.ends_with(": FAILURE")).map(ToOwned::to_owned).collect()
}

/// The programs of the table that `GORDIAN_ONLY` names, all by default.
fn table() -> impl Iterator<Item = (&'static str, u32)> {
    let only = std::env::var("GORDIAN_ONLY").unwrap_or_default();
    TABLE.into_iter().filter(move |(name, _)| name.contains(&only))
}

/// Writes one program for CBMC or SV-COMP, and what is wrong with it.
fn warnings(name: &str, program: &Program, plan: &Plan, role: &Role, target: Target) -> Option<String> {
    let text = match sequentialize(program, plan, &options(name, role, 2, target)) {
        Ok(text) => text,
        Err(error) => return Some(error.to_string()),
    };
    let file = folder("warnings").join("out.c");
    std::fs::write(&file, text).unwrap();
    let output = Command::new("cc").args(["-Wall", "-Wextra", "-c", "-o", "/dev/null"]).arg(&file).output().unwrap();
    (!output.status.success() || !output.stderr.is_empty())
        .then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn what_is_written_compiles_without_a_warning() {
    let mut wrong = Vec::new();
    for (name, _) in table() {
        let program = load(name);
        let plan = Plan::of(&program, &[]).unwrap();
        for role in &plan.roles {
            for target in [Target::Cbmc, Target::Svcomp] {
                let warnings = warnings(name, &program, &plan, role, target);
                wrong.extend(warnings.map(|warnings| format!("{name}, T = {}: {warnings}", role.number)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn cbmc_agrees_on_the_programs_of_the_table() {
    if cbmc().is_none() {
        println!("skipped: there is no CBMC; `cargo xtask cbmc` gets it");
        return;
    }
    let folder = folder("cbmc");
    let mut wrong = Vec::new();
    for (name, fails_at) in table() {
        let program = load(name);
        let plan = Plan::of(&program, &[]).unwrap();
        for k in 1..=3 {
            let mut failing = Vec::new();
            for role in &plan.roles {
                let text = sequentialize(&program, &plan, &options(name, role, k, Target::Cbmc)).unwrap();
                let file = folder.join(format!("{}.{k}.{}.c", name.replace('/', "-"), role.number));
                std::fs::write(&file, text).unwrap();
                failing.extend(failures(cbmc().unwrap(), &file));
            }
            println!("{name}: {} at k = {k}", if failing.is_empty() { "holds" } else { "fails" });
            if failing.is_empty() == (k == fails_at) {
                wrong.push(format!("{name} at k = {k}: {failing:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "CBMC disagrees:\n{}", wrong.join("\n"));
}

/// Programs of three threads, and the k at which each fails, by T.
const THREE: [(&str, &[(u32, u32)]); 8] = [
    ("three_threads", &[(2, 2)]),
    ("three_sections", &[]),
    ("three_sleepers", &[(3, 1)]),
    ("three_relay", &[]),
    ("three_reads", &[]),
    ("three_heap", &[(3, 1)]),
    ("three_joins", &[(3, 2), (3, 3)]),
    ("three_counts", &[(1, 2)]),
];

#[test]
fn cbmc_agrees_on_programs_of_three_threads() {
    let is_there = cbmc().is_some();
    if !is_there {
        println!("skipped: there is no CBMC; `cargo xtask cbmc` gets it");
    }
    let folder = folder("three");
    let mut wrong = Vec::new();
    for (name, fails) in THREE {
        let name = format!("sequentialize/{name}");
        let program = load(&name);
        let plan = Plan::of(&program, &[]).unwrap();
        assert_eq!(plan.roles.len(), 3, "{name}");
        for (role, k) in plan.roles.iter().flat_map(|role| (0..=3).map(move |k| (role, k))) {
            let text = sequentialize(&program, &plan, &options(&name, role, k, Target::Cbmc)).unwrap();
            let file = folder.join(format!("{}.{k}.{}.c", name.replace('/', "-"), role.number));
            std::fs::write(&file, text).unwrap();
            let output = Command::new("cc").args(["-Wall", "-Wextra", "-c", "-o", "/dev/null"]).arg(&file).output();
            assert!(output.is_ok_and(|output| output.status.success() && output.stderr.is_empty()), "{name}");
            if is_there {
                let found = failures(cbmc().unwrap(), &file);
                if found.is_empty() == fails.contains(&(role.number, k)) {
                    wrong.push(format!("{name}, T = {}, k = {k}: {found:?}", role.number));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "CBMC disagrees:\n{}", wrong.join("\n"));
}

#[test]
fn cbmc_agrees_where_both_threads_read_from_each_other() {
    // By program: the pairs of k and k' with which the first thread fails.
    let expected = [("sequentialize/both_ways", vec![(1, 1)]), ("sequentialize/both_ways_circle", vec![])];
    let is_there = cbmc().is_some();
    if !is_there {
        println!("skipped: there is no CBMC; `cargo xtask cbmc` gets it");
    }
    for (name, fails) in expected {
        let program = load(name);
        let plan = Plan::of(&program, &[]).unwrap();
        for (k, k2) in [(0, 1), (1, 0), (1, 1)] {
            let options = Options { k2, ..options(name, &plan.roles[0], k, Target::Cbmc) };
            let text = sequentialize(&program, &plan, &options).unwrap();
            let file = folder("both").join(format!("{}.{k}.{k2}.c", name.replace('/', "-")));
            std::fs::write(&file, text).unwrap();
            let output = Command::new("cc").args(["-Wall", "-Wextra", "-c", "-o", "/dev/null"]).arg(&file).output();
            assert!(output.is_ok_and(|output| output.status.success() && output.stderr.is_empty()));
            if is_there {
                let found = failures(cbmc().unwrap(), &file);
                assert_eq!(found.is_empty(), !fails.contains(&(k, k2)), "{name} at {k},{k2}: {found:?}");
            }
        }
    }
}

#[test]
fn what_has_no_known_end_needs_a_bound() {
    let program = load("sequentialize/unbounded_loop");
    let plan = Plan::of(&program, &[]).unwrap();
    let error = sequentialize(&program, &plan, &options("", &plan.roles[0], 1, Target::Cbmc)).unwrap_err();
    assert!(matches!(&error, Error::Unbounded { .. }), "{error}");
}

#[test]
fn a_local_variable_of_the_other_thread_is_refused_and_no_use_after_free() {
    let name = "sequentialize/local_of_the_other";
    let program = load(name);
    let plan = Plan::of(&program, &[]).unwrap();
    let [user] = &plan.named("user").unwrap()[..] else { panic!("there is one thread of this name") };
    let text = sequentialize(&program, &plan, &options(name, user, 1, Target::Gordian { print: false })).unwrap();
    let file = folder("local").join("out.c");
    std::fs::write(&file, text).unwrap();
    let sequential = gordian_frontend::load(&[file], &Default::default()).expect("it compiles");
    let mut test = gordian_engine::toy::template();
    test.machine.symbolic = true;
    test.arguments = vec!["1".to_owned()];
    let settings = Settings { stop_at_first: false, inputs_first: false, ..Settings::default() };
    let outcome =
        gordian_engine::check(&sequential, &test, &mut Exhaustive::default(), &settings, &mut Silent).unwrap();
    assert_eq!(outcome.summary.stop, Stop::Exhausted);
    let messages: Vec<&str> = outcome.findings.iter().map(|found| found.finding.message.as_str()).collect();
    let is_refused =
        |message: &&str| message.contains("refused: ") && message.contains("a local variable of another one");
    assert!(messages.len() == 1 && messages.iter().all(is_refused), "{messages:?}");
}

#[test]
fn more_than_two_threads_that_read_from_t_are_refused() {
    let program = load("sequentialize/three_threads");
    let plan = Plan::of(&program, &[]).unwrap();
    assert_eq!(plan.roles.len(), 3);
    let options = Options { k2: 1, ..options("", &plan.roles[0], 1, Target::Cbmc) };
    let error = sequentialize(&program, &plan, &options).unwrap_err();
    assert_eq!(error, Error::ManyThreadsReadFromT(3));
}
