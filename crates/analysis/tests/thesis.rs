//! The examples of the thesis that access pairs come from (Huang 2009), with the pairs that its tables list.

use gordian_analysis::{AccessKind, Analysis, Budget, Filter, Filters, Pair, PairKind};
use std::path::Path;

/// Pairs by kind: RW, MM, WM, WN.
fn counts(program: &str, filters: Filters) -> [usize; 4] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/pairs");
    let program = gordian_frontend::load(&[folder.join(program)], &Default::default()).expect("it compiles");
    let analysis = Analysis::of(&program, Budget::default()).expect("it has a main function");
    let pairs = analysis.pairs(filters);
    let removed: u64 = pairs.counts.removed.iter().sum();
    assert_eq!(pairs.counts.candidates, removed + pairs.pairs.len() as u64, "every candidate stays or is removed");
    assert_eq!(analysis.describe(&pairs, usize::MAX).len(), pairs.pairs.len());
    PairKind::ALL.map(|kind| pairs.pairs.iter().filter(|pair| pair.kind == kind).count())
}

fn all() -> Filters {
    Filters::default()
}

#[test]
fn table_3_1() {
    assert_eq!(counts("four_variables.c", all()), [3, 1, 0, 0]);
    assert_eq!(counts("four_variables_constant.c", all()), [2, 1, 0, 0]);
}

#[test]
fn table_4_1() {
    assert_eq!(counts("wait_and_notify.c", all()), [1, 1, 1, 1]);
}

#[test]
fn table_5_1() {
    assert_eq!(counts("two_accounts.c", all()), [5, 2, 0, 0]);
    // Without a look at locks, joins and creation there are more: those of Y.val, and those of main.
    let [rw, mm, ..] = counts("two_accounts.c", all().without(Filter::Mhp));
    assert!(rw > 5 && mm == 2, "{rw} {mm}");
}

#[test]
fn table_6_1() {
    assert_eq!(counts("managers.c", all()), [8, 1, 0, 0]);
}

/// Figure 4.14: one allocation site, called by both threads.
#[test]
fn what_stays_in_its_thread_is_no_pair() {
    assert_eq!(counts("own_object.c", all()), [0, 0, 0, 0]);
    let [rw, ..] = counts("own_object.c", all().without(Filter::Escape));
    assert!(rw > 0, "only the escape filter removes them");
}

/// Figure 4.15, for locks of any object.
#[test]
fn fields_under_the_lock_of_their_object_are_no_pairs() {
    for (program, mm) in [("own_lock.c", 3), ("fixed_pointer.c", 1), ("lock_wrappers.c", 1)] {
        assert_eq!(counts(program, all()), [0, mm, 0, 0], "{program}");
        let [rw, ..] = counts(program, all().without(Filter::Disjoint));
        assert!(rw > 0, "only the disjoint filter removes those of {program}");
    }
    for program in ["other_index.c", "moved_pointer.c"] {
        let [rw, ..] = counts(program, all());
        assert!(rw > 1, "{program} has a race");
    }
}

/// Whether there is a pair of plain accesses.
fn has_plain_pair(program: &str) -> bool {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/pairs");
    let program = gordian_frontend::load(&[folder.join(program)], &Default::default()).expect("it compiles");
    let analysis = Analysis::of(&program, Budget::default()).expect("it has a main function");
    let pairs = analysis.pairs(all());
    let is_plain = |kind: AccessKind| matches!(kind, AccessKind::Read | AccessKind::Write);
    let kinds = |pair: &Pair| pair.sides.map(|side| analysis.accesses()[side.access].kind);
    pairs.pairs.iter().any(|pair| kinds(pair).into_iter().all(is_plain))
}

/// Threads that initialise locks of objects which they have just made take nothing from the locks of others; what is known to others is another matter.
#[test]
fn locks_may_be_initialised_before_others_know_them() {
    assert!(!has_plain_pair("own_heap_lock.c"));
    let [rw, mm, ..] = counts("own_heap_lock.c", all());
    assert_eq!((rw, mm), (0, 4), "the lock of the list with itself, and two of nodes in all orders");
    for program in [
        "published_then_initialised.c",
        "published_under_two_names.c",
        "published_last_time.c",
        "published_on_one_way.c",
    ] {
        assert!(has_plain_pair(program), "{program} has a race");
    }
}

/// Tables 4.4 and 4.5: the programs in which the two filters must remove something.
#[test]
fn filters_bite_where_the_thesis_says() {
    let counts = |program: &str, filters| counts(&format!("../access-pairs/{program}.c"), filters);
    let rows = [
        (Filter::Escape, &["producerconsumer", "daisy"][..]),
        (Filter::Disjoint, &["account_race", "account_subtype", "piper", "replicatedworker"]),
    ];
    for (filter, programs) in rows {
        for program in programs {
            let [on, off] = [all(), all().without(filter)].map(|filters| counts(program, filters));
            println!("{program}: {off:?} without {}, {on:?} with it", filter.name());
            assert!(off[0] > on[0], "{} removes nothing in {program}", filter.name());
        }
    }
}

/// Two threads that come through a barrier together: their accesses in different phases are no pairs. The third thread does not wait there.
#[test]
fn barriers_divide_threads_into_phases() {
    assert_eq!(counts("barrier_phases.c", all()), [2, 4, 0, 0]);
    let [rw, ..] = counts("barrier_phases.c", all().without(Filter::Mhp));
    assert!(rw > 2, "only the filter removes them");
    assert_eq!(counts("barrier_for_fewer.c", all()), [1, 3, 0, 0]);
}

#[test]
fn locks_count() {
    assert_eq!(counts("recursive_mutex.c", all()), [0, 1, 0, 0]);
    let [rw, ..] = counts("error_checking_mutex.c", all());
    assert_eq!(rw, 3);
}
