//! Traces come back as they were written, and broken ones are refused with a sentence.

use gordian_base::Rng;
use gordian_trace::OpKind;
use gordian_tracefile::{Event, Format, Header, Kind, NO_PLACE, Trace, TraceError, TracePlace, Writer, read, write};
use std::path::PathBuf;

const EXAMPLE: &str = "\
main|fork(T1)|1
T1|acq(L3)|27
T1|r(x.y)|27
T1|acq(L3)|28
T1|w(x.y)|29
T1|rel(L3)|30
T1|rel(L3)|31
main|begin
main|request(L3)|a.c:7
main|acq(L3)|a.c:7
main|end
main|join(T1)
";

fn written(trace: &Trace, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(trace, format, &mut bytes).expect("it can be written");
    bytes
}

#[test]
fn text_comes_back_through_all_formats() {
    let trace = read(EXAMPLE.as_bytes(), None).expect("it is well formed");
    assert_eq!(String::from_utf8(written(&trace, Format::Std)).expect("text"), EXAMPLE);
    let own = read(&written(&trace, Format::Gordian), None).expect("it is well formed");
    assert_eq!(own, trace);
    let binary = read(&written(&trace, Format::RapidBin), Some(Format::RapidBin)).expect("it is well formed");
    let kinds =
        |trace: &Trace| trace.events.iter().map(|event| (event.thread, event.kind, event.address)).collect::<Vec<_>>();
    assert_eq!(kinds(&binary), kinds(&trace));
    let again = written(&binary, Format::RapidBin);
    assert_eq!(read(&again, None).expect("it is well formed"), binary);
}

fn refused(text: &str) -> String {
    read(text.as_bytes(), None).expect_err("it is broken").to_string()
}

#[test]
fn what_no_run_can_do_is_refused_with_its_line() {
    assert_eq!(refused("a|rel(l)|1"), "line 1: thread 0 releases a lock that it does not hold");
    assert_eq!(refused("a|w(x)|1\nb|r(x)|2\na|fork(b)|3"), "line 3: thread 0 creates thread 1, which has acted before");
    assert_eq!(refused("a|join(b)|1\n\nb|r(x)|2"), "line 3: thread 1 acts after it was joined");
    assert_eq!(refused("a|cas(x)|1"), "line 1: the operation `cas` is not known");
    assert_eq!(refused("some text\n"), "line 1: `some text` is not of the form thread|operation(operand)|place");
    assert_eq!(refused("a|r(x|1"), "line 1: `a|r(x|1` is not of the form thread|operation(operand)|place");
}

#[test]
fn a_lock_that_two_hold_excludes_nobody() {
    let trace = read(b"a|acq(l)|1\nb|acq(l)|2\na|rel(l)|3\nb|rel(l)|4\n", None).expect("it is taken");
    assert_eq!(trace.broken_locks, [0]);
    assert_eq!(trace.notes, ["two threads hold lock l at the same time, so it excludes no thread"]);
}

/// A trace of several blocks.
fn long_trace() -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &Header { test: None }).expect("memory takes it");
    writer.thread("main");
    for nth in 0..40_000u64 {
        let place =
            writer.place(&TracePlace { file: "a.c".to_owned(), line: nth as u32 % 50, ..TracePlace::default() });
        let kind = Kind::Op(if nth % 3 == 0 { OpKind::Write } else { OpKind::Read });
        let event =
            Event { thread: 0, kind, size: 4, address: nth * 0x1234_5678, place, value: Some(nth), other: None };
        writer.event(&event).expect("memory takes it");
    }
    writer.finish(None).expect("memory takes it")
}

#[test]
fn a_trace_that_was_cut_off_is_used_up_to_its_last_whole_block() {
    let bytes = long_trace();
    let whole = read(&bytes, None).expect("it is whole");
    assert_eq!((whole.events.len(), whole.notes.len()), (40_000, 0));
    let mut lengths = Vec::new();
    for len in [bytes.len() - 1, bytes.len() / 2, bytes.len() / 4] {
        let part = read(&bytes[..len], None).expect("its beginning is whole");
        assert!(part.notes[0].starts_with("the trace was cut off"), "{:?}", part.notes);
        assert_eq!(part.events, whole.events[..part.events.len()]);
        lengths.push(part.events.len());
    }
    assert!(lengths.is_sorted_by(|a, b| a > b) && lengths[2] > 0, "{lengths:?}");
}

#[test]
fn a_broken_block_and_an_unknown_version_are_refused() {
    let bytes = long_trace();
    let mut broken = bytes.clone();
    let middle = broken.len() / 2;
    broken[middle] ^= 4;
    let error = read(&broken, None).expect_err("a bit is wrong").to_string();
    assert!(error.starts_with("offset ") && error.ends_with(": the checksum of a block is wrong"), "{error}");
    let mut newer = bytes;
    newer[16] = 9;
    assert!(matches!(read(&newer, None), Err(TraceError::Version { found: 9 })));
}

/// Mutated files of all formats never panic, and what is taken can be written again.
#[test]
fn mutated_traces_never_panic() {
    let seed = std::env::var("GORDIAN_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(25);
    let cases = std::env::var("GORDIAN_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(3000);
    let mut rng = Rng::new(seed);
    let example = read(EXAMPLE.as_bytes(), None).expect("it is well formed");
    let originals = [Format::Gordian, Format::Std, Format::RapidBin].map(|format| (format, written(&example, format)));
    let (mut n_taken, mut n_refused) = (0, 0);
    for _ in 0..cases {
        let (format, original) = &originals[rng.below(3)];
        let mut bytes = original.clone();
        for _ in 0..=rng.below(4) {
            if bytes.is_empty() {
                break;
            }
            let at = rng.below(bytes.len());
            match rng.below(4) {
                0 => bytes[at] = rng.below(256) as u8,
                1 => bytes[at] ^= 1 << rng.below(8),
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(at + 1),
            }
        }
        match read(&bytes, Some(*format)) {
            Ok(trace) => {
                n_taken += 1;
                for format in [Format::Gordian, Format::Std] {
                    written(&trace, format);
                }
            }
            Err(error) => {
                n_refused += 1;
                assert!(!error.to_string().is_empty());
            }
        }
    }
    assert!(n_taken > cases / 20 && n_refused > cases / 20, "{n_taken} taken, {n_refused} refused");
}

/// The blocks of a mutated trace with checksums made right again reach the readers of their contents.
#[test]
fn events_without_thread_or_place_are_refused() {
    let mut writer = Writer::new(Vec::new(), &Header { test: None }).expect("memory takes it");
    let event =
        Event { thread: 3, kind: Kind::Request, size: 0, address: 0, place: NO_PLACE, value: None, other: None };
    writer.event(&event).expect("memory takes it");
    let error = read(&writer.finish(None).expect("memory takes it"), None).expect_err("nobody is thread 3").to_string();
    assert!(error.ends_with("event 1, in the block there: there is no thread 3"), "{error}");
}

/// Public traces, where they are at hand.
#[test]
fn public_traces_are_taken_and_come_back() {
    let Some(folder) = std::env::var_os("GORDIAN_TRACES").map(PathBuf::from) else { return };
    let mut n_traces = 0;
    for entry in std::fs::read_dir(folder).expect("it is a folder") {
        let path = entry.expect("it is there").path();
        if path.extension().is_none_or(|extension| extension != "data") {
            continue;
        }
        n_traces += 1;
        let trace = gordian_tracefile::open(&path, None).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let own = read(&written(&trace, Format::Gordian), None).expect("it was written so");
        assert_eq!((&own.events, &own.places), (&trace.events, &trace.places), "{}", path.display());
        let text = read(&written(&trace, Format::Std), Some(Format::Std)).expect("it was written so");
        assert_eq!(text.events.len(), trace.events.len(), "{}", path.display());
    }
    assert!(n_traces > 0);
}
