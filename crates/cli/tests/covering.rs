//! The tests that `--emit-tests` writes do what the list beside them says: each is replayed on a fresh machine, which notes
//! the ways that branches go.

use gordian_frontend::{Options, load};
use gordian_trace::Test;
use gordian_vm::Machine;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = r#"
#include <gordian.h>
#include <pthread.h>
static int ready, value;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *fill(void *unused)
{
    int n = gordian_int("n");
    pthread_mutex_lock(&lock);
    switch (n) {
    case 7: value = 1; break;
    case 9: value = 2; break;
    default: value = 3;
    }
    ready = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t other;
    unsigned char c = gordian_uchar("c");
    pthread_create(&other, 0, fill, 0);
    pthread_mutex_lock(&lock);
    if (ready)
        c = c > 200 && value == 2;
    else if (value)
        c = 3; // never
    pthread_mutex_unlock(&lock);
    pthread_join(other, 0);
    return c == 1;
}
"#;

/// By file: the ways that the list says it covers.
fn claims(list: &str) -> Vec<(String, BTreeSet<String>)> {
    let mut claims: Vec<(String, BTreeSet<String>)> = Vec::new();
    for line in list.lines() {
        if let Some(way) = line.strip_prefix("  covers   ") {
            claims.last_mut().expect("a test is named first").1.insert(way.to_owned());
        } else if !line.starts_with(' ') {
            claims.push((line.to_owned(), BTreeSet::new()));
        }
    }
    claims
}

/// The ways that branches go when the test is replayed.
fn covered(file: &Path, source: &Path) -> BTreeSet<String> {
    let mut test = Test::read(file).expect("it was just written");
    test.machine.coverage = true;
    let program = load(&[source.to_owned()], &Options::default()).expect("it was compiled before");
    let mut machine = Machine::new(&program, &test).expect("it ran before");
    for choice in test.schedule.0 {
        assert!(machine.choices().contains(&choice), "{}: {choice:?} is not possible", file.display());
        machine.step(choice);
    }
    assert!(machine.end().is_some(), "{}: the schedule goes to the end", file.display());
    let places = machine.branches();
    let ways = machine.take_new_branches().into_iter().map(|number| &places[number as usize]);
    ways.map(|way| format!("{}:{}:{} {}, in {}", way.file, way.line, way.column, way.outcome, way.function)).collect()
}

#[test]
fn emitted_tests_cover_what_the_list_says() {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("covering");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let source = folder.join("ways.c");
    std::fs::write(&source, PROGRAM).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gordian"))
        .args(["check", "ways.c", "--coverage", "--emit-tests", "tests"])
        .current_dir(&folder)
        .output()
        .unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    let list = std::fs::read_to_string(folder.join("tests/ways-covers.txt")).unwrap();
    let claims = claims(&list);
    assert!(claims.len() > 2, "several executions are needed:\n{list}");
    let mut all = BTreeSet::new();
    for (name, claimed) in &claims {
        let covered = covered(&folder.join("tests").join(name), &source);
        // Files are named as the command met them.
        let covered: BTreeSet<String> =
            covered.iter().map(|way| way.replace(&format!("{}/", folder.display()), "")).collect();
        let claimed: BTreeSet<String> =
            claimed.iter().map(|way| way.replace(&format!("{}/", folder.display()), "")).collect();
        assert!(!claimed.is_empty() && claimed.is_subset(&covered), "{name} claims {claimed:?} and covers {covered:?}");
        // None before it does, claimed or not.
        assert!(claimed.is_disjoint(&all), "{name} is not the first to cover {claimed:?}");
        all.extend(covered);
    }
    // The line that nothing leads to.
    assert!(!all.iter().any(|way| way.contains(":33:") && way.contains("true")), "{all:?}");
    assert!(report.contains("unreachable"), "{report}");
    assert!(report.contains("in execution 1 with "), "{report}");
    assert!(list.contains("  found    in execution "), "{list}");
    let _ = std::fs::remove_dir_all(&folder);
}

/// Conditions that clang turns around, and branches that the front end copies.
const CONDITIONS: &str = r#"
#include <gordian.h>
int main(void)
{
    int a = gordian_bool("a"), b = gordian_bool("b"), n = 0;
    if (!a)
        n++;
    if (a && !b)
        n = 2;
    if (!(a || b))
        n += 2;
    else
        n += 3;
    while (!a)
        a++;
    for (int i = 0; i < 3; i++)
        n++;
    if (n > 100)
        n = 1;
    return n + (!a && b);
}
"#;

/// By hand: what each branch does for the four inputs, in the order of the lines. `a` is true after the loop.
const DIRECTIONS: &[(&str, &[&str])] = &[
    ("6:9", &["false", "true"]),
    ("8:9", &["false", "true"]),
    ("8:15", &["false", "true"]),
    ("10:9", &["false", "true"]),
    ("10:13", &["false", "true"]),
    ("14:5", &["false", "true"]),
    ("16:5", &["false", "true"]),
    ("18:11", &["false"]),
    ("20:20", &["false"]),
];
const NEVER: &[&str] = &["18:11 true", "20:20 true"];

#[test]
fn branches_are_those_of_the_source() {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conditions");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("conditions.c"), CONDITIONS).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gordian"))
        .args(["check", "conditions.c", "--coverage"])
        .current_dir(&folder)
        .output()
        .unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    let place = |line: &str| line.trim().strip_suffix(", in main").map(|line| line.replace("conditions.c:", ""));
    let covered: BTreeSet<String> =
        report.lines().filter(|line| line.starts_with("             ")).filter_map(place).collect();
    let never: BTreeSet<String> =
        report.lines().filter_map(|line| line.strip_prefix("  unreachable ")).filter_map(place).collect();
    let expected = DIRECTIONS.iter().flat_map(|(place, ways)| ways.iter().map(move |way| format!("{place} {way}")));
    assert_eq!(covered, expected.collect::<BTreeSet<_>>(), "{report}");
    assert_eq!(never, NEVER.iter().map(|way| (*way).to_owned()).collect(), "{report}");
    assert!(report.contains("16 of 18 branch directions"), "each branch counts once:\n{report}");
}
