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
    folder.write("loop.c", RACE_IN_A_LOOP);
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
    folder.write("lost.c", LOST_UPDATE);
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
    folder.write("run.std", text);
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

/// Numbers as reports write them.
fn grouped(number: &serde_json::Value) -> String {
    let digits = number.as_u64().expect("a number").to_string();
    let mut text = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The rows that a report in words has of a prediction in JSON.
fn rows(prediction: &serde_json::Value) -> Vec<String> {
    let list = |name: &str| prediction[name].as_array().cloned().unwrap_or_default();
    let mut rows = vec![format!(
        "run {} events of {} threads in {} transitions",
        grouped(&prediction["events"]),
        grouped(&prediction["threads"]),
        grouped(&prediction["transitions"])
    )];
    for step in list("simplification") {
        let off = if step["is_off"] == true { " (off)" } else { "" };
        let (at_most, minimal) = match step["set"].as_str() {
            Some("at-most") => ("at most ", ""),
            Some("minimal") => ("", ", none of which can be spared"),
            _ => ("", ""),
        };
        let (transitions, switches) = (grouped(&step["transitions"]), grouped(&step["switches"]));
        let name = step["step"].as_str().unwrap();
        rows.push(format!(
            "simplified {name}{off}: {transitions} transitions, {at_most}{switches} context switches{minimal}"
        ));
    }
    for check in list("checks") {
        let [candidates, predicted, replayed, undecided, transitions, switches] =
            ["candidates", "predicted", "replayed", "undecided", "slice_transitions", "slice_switches"]
                .map(|name| grouped(&check[name]));
        let noun = if candidates == "1" { "candidate" } else { "candidates" };
        let what = check["what"].as_str().unwrap();
        let mut row = format!("predicted {what}: {candidates} {noun}, {predicted} predicted, {replayed} replayed");
        if undecided != "0" {
            row += &format!(", {undecided} undecided");
        }
        if transitions != "0" {
            row += &format!("; on average {transitions} transitions with {switches} context switches");
        }
        rows.push(row);
    }
    let regions = &prediction["regions"];
    rows.push(format!(
        "predicted in all: {} predicted, {} replayed; {} violated regions, {} other findings",
        grouped(&prediction["predicted"]),
        grouped(&prediction["replayed"]),
        grouped(&regions["violated"]),
        grouped(&prediction["other_findings"])
    ));
    let [inferred, declared, dropped, proved, unviolated, violated] =
        ["inferred", "declared", "dropped", "proved", "unviolated", "violated"].map(|name| grouped(&regions[name]));
    rows.push(format!(
        "regions {inferred} inferred, {declared} declared; {dropped} dropped, {proved} proved, {unviolated} not violated, {violated} violated"
    ));
    rows
}

#[test]
fn json_has_what_the_text_says() {
    let folder = Folder::new("json");
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/best.c");
    std::fs::copy(example, folder.0.join("best.c")).unwrap();
    let mut trace = String::new();
    for turn in 0..400 {
        trace += &format!("t{}|w(x)|{turn}\n", turn % 3);
    }
    folder.write("run.std", &trace);
    for (file, flags) in
        [("best.c", &[][..]), ("best.c", &["--without", "merging", "--without", "locks"]), ("run.std", &[])]
    {
        let words = folder.gordian(&[&["predict", file, "--trace", "none"][..], flags].concat());
        let in_json = [&["predict", file, "--json", "--trace", "none"][..], flags].concat();
        let json = folder.gordian(&in_json);
        assert_eq!(words.status.code(), json.status.code(), "{}", stderr(&json));
        let text = String::from_utf8(words.stdout).unwrap();
        // Long rows go on in the next line.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut document: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
        for row in rows(&document["prediction"]) {
            assert!(text.contains(&row), "{row}\nis not in\n{text}");
        }
        let n_listed = document["prediction"]["simplification"].as_array().map_or(0, Vec::len);
        assert_eq!(text.matches(" simplified ").count(), n_listed, "{text}");
        // Timings aside it is the same every time.
        let again = folder.gordian(&in_json);
        let mut again: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
        for document in [&mut document, &mut again] {
            document["prediction"].as_object_mut().unwrap().remove("timings");
        }
        // The second time there are files of the first, so tests have other names.
        let tests = |document: &mut serde_json::Value| {
            document["findings"].as_array_mut().unwrap().iter_mut().for_each(|it| it["test"] = serde_json::Value::Null);
        };
        tests(&mut document);
        tests(&mut again);
        assert_eq!(document, again);
    }
}
