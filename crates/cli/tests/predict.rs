//! `record`, `predict` and `trace` as their users meet them.

mod common;

use common::{Folder, LOST_UPDATE};
use std::process::Output;

/// The same race in every turn of a loop.
const RACE_IN_A_LOOP: &str = r#"
#include <pthread.h>
static int total;
static void *add(void *unused)
{
    for (int turn = 0; turn < 20; turn++)
        total++;
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
"#;

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_race_in_a_loop_is_reported_once() {
    let folder = Folder::new("loop");
    std::fs::write(folder.0.join("loop.c"), RACE_IN_A_LOOP).unwrap();
    let recorded = folder.gordian(&["record", "loop.c", "-o", "run.trace"]);
    let text = String::from_utf8(recorded.stdout.clone()).unwrap() + &stderr(&recorded);
    let tests = std::fs::read_dir(&folder.0)
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().contains("data-race"));
    // A read and a write of each thread: the write races with both, at one place or two.
    let n_reported = text.lines().filter(|line| line.starts_with("data-race")).count();
    assert!((1..=3).contains(&n_reported), "{text}");
    assert!(tests.count() <= 3, "{text}");
}

#[test]
fn a_recorded_run_is_predicted_from_replayed_and_refused_once_the_program_changes() {
    let folder = Folder::new("recorded");
    std::fs::write(folder.0.join("lost.c"), LOST_UPDATE).unwrap();
    let recorded = folder.gordian(&["record", "lost.c", "-o", "run.trace"]);
    assert_eq!(recorded.status.code(), Some(0), "{}", stderr(&recorded));
    let predicted = folder.gordian(&["predict", "run.trace", "--quiet"]);
    let text = String::from_utf8(predicted.stdout).unwrap();
    assert_eq!(predicted.status.code(), Some(1), "{text}");
    assert!(text.contains("assertion: the assertion `counter == 2` failed"), "{text}");
    assert_eq!(folder.gordian(&["replay", "lost-assertion-1.gordian"]).status.code(), Some(1));
    // The same from the file that was cut off behind its first blocks is no crash, and says what happened.
    let bytes = std::fs::read(folder.0.join("run.trace")).unwrap();
    std::fs::write(folder.0.join("cut.trace"), &bytes[..bytes.len() - 3]).unwrap();
    let cut = folder.gordian(&["predict", "cut.trace", "--quiet"]);
    assert!(stderr(&cut).contains("the trace was cut off"), "{}", stderr(&cut));
    std::fs::write(folder.0.join("lost.c"), LOST_UPDATE.replace("seen + 1", "seen + 2 - 1")).unwrap();
    let changed = folder.gordian(&["predict", "run.trace"]);
    assert_eq!(changed.status.code(), Some(2));
    assert!(stderr(&changed).contains("the program has changed since run.trace was recorded"), "{}", stderr(&changed));
    assert_eq!(folder.gordian(&["predict", "run.trace", "--force", "--quiet"]).status.code(), Some(1));
}

#[test]
fn traces_of_other_recorders_are_searched_and_bad_ones_refused() {
    let folder = Folder::new("foreign");
    let text = "t|acq(a)|1\nt|acq(b)|2\nt|rel(b)|3\nt|rel(a)|4\nu|acq(b)|5\nu|acq(a)|6\nu|rel(a)|7\nu|rel(b)|8\n";
    std::fs::write(folder.0.join("run.std"), text).unwrap();
    let predicted = folder.gordian(&["predict", "run.std", "--json"]);
    assert_eq!(predicted.status.code(), Some(3), "{}", stderr(&predicted));
    let document: serde_json::Value = serde_json::from_slice(&predicted.stdout).unwrap();
    assert_eq!(document["findings"][0]["kind"], "deadlock");
    assert_eq!(
        document["findings"][0]["notes"][0],
        "not replayed: events 2, 6 of the trace, found by the sync-preserving closure"
    );
    std::fs::write(folder.0.join("bad.std"), "t|rel(a)|1\n").unwrap();
    for arguments in [&["predict", "bad.std"][..], &["trace", "bad.std", "-o", "x", "--to", "gordian"]] {
        let refused = folder.gordian(arguments);
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains("bad.std: line 1: thread 0 releases a lock that it does not hold"));
    }
    assert_eq!(folder.gordian(&["trace", "run.std", "-o", "run.data", "--to", "rapidbin"]).status.code(), Some(0));
    assert_eq!(folder.gordian(&["trace", "run.data", "-o", "again.trace", "--to", "gordian"]).status.code(), Some(0));
    assert_eq!(folder.gordian(&["predict", "again.trace", "--quiet"]).status.code(), Some(3));
}
