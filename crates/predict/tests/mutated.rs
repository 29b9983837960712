//! Traces of any operations in any order are refused with a sentence or predicted from, and never a panic.
//!
//! A recorder that is not ours may write what no run does: a wake-up without a wait, a barrier that nobody made. `GORDIAN_SEED` and
//! `GORDIAN_CASES` choose other traces.

use gordian_base::Rng;
use gordian_predict::{ForeignOptions, predict_foreign};
use gordian_trace::OpKind;
use gordian_tracefile::{Event, Format, Kind, NO_PLACE, Origin, Trace, TracePlace, read, write};

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

fn random_event(rng: &mut Rng, n_threads: u32) -> Event {
    let thread = rng.below(n_threads as usize) as u32;
    let frequent = [OpKind::Read, OpKind::Write, OpKind::Lock, OpKind::Unlock, OpKind::Wait, OpKind::Woken];
    let kind = match rng.below(3) {
        0 => Kind::Op(frequent[rng.below(frequent.len())]),
        _ => Kind::of_number(rng.below(usize::from(Kind::COUNT)) as u8).expect("no gaps"),
    };
    let small = |rng: &mut Rng| rng.below(5) as u64;
    let address = match rng.below(40) {
        0 => u64::MAX - small(rng),
        1 => u64::from(u32::MAX) + small(rng),
        _ => small(rng),
    };
    let size = if rng.below(60) == 0 { u32::MAX } else { [0, 1, 1, 4, 8, 16][rng.below(6)] };
    let optional = |rng: &mut Rng| (rng.below(4) > 0).then(|| if rng.below(30) == 0 { u64::MAX } else { small(rng) });
    let place = if rng.below(5) == 0 { NO_PLACE } else { rng.below(3) as u32 };
    Event { thread, kind, size, address, place, value: optional(rng), other: optional(rng) }
}

fn trace_of(events: Vec<Event>, n_threads: u32) -> Trace {
    Trace {
        origin: Origin::Foreign,
        threads: (0..n_threads).map(|thread| format!("t{thread}")).collect(),
        places: (1..4).map(|line| TracePlace { line, ..TracePlace::default() }).collect(),
        locks: Vec::new(),
        variables: Vec::new(),
        events,
        test: None,
        end: None,
        notes: Vec::new(),
        broken_locks: Vec::new(),
    }
}

/// Events one after the other, those left out that the reader refuses.
fn admitted(rng: &mut Rng, n_threads: u32, n_events: usize) -> Option<Trace> {
    let mut events: Vec<Event> = Vec::new();
    let mut taken = None;
    for _ in 0..n_events {
        events.push(random_event(rng, n_threads));
        let mut bytes = Vec::new();
        write(&trace_of(events.clone(), n_threads), Format::Gordian, &mut bytes).expect("memory takes it");
        match read(&bytes, None) {
            Ok(trace) => taken = Some(trace),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                events.pop();
            }
        }
    }
    taken
}

#[test]
fn any_operations_in_any_order_never_panic() {
    let (seed, cases) = (number("GORDIAN_SEED", 4), number("GORDIAN_CASES", 300));
    let (mut n_events, mut n_found) = (0, 0);
    for case in 0..cases {
        let mut rng = Rng::new(seed.wrapping_mul(1_000_003).wrapping_add(case));
        let n_threads = 1 + rng.below(4) as u32;
        let length = 1 + rng.below(30);
        let Some(trace) = admitted(&mut rng, n_threads, length) else { continue };
        n_events += trace.events.len();
        for fast in [true, false] {
            let options = ForeignOptions { fast, regions: true, ..ForeignOptions::default() };
            n_found += predict_foreign(&trace, options).found.len();
        }
    }
    assert!(n_events as u64 > cases * 5 && n_found as u64 > cases / 4, "{n_events} events, {n_found} findings");
}
