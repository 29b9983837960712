//! The examples of the thesis that access pairs come from (Huang 2009), with the pairs that its tables list.

use gordian_analysis::{Analysis, Budget, Filter, Filters, PairKind};
use std::path::Path;

/// Pairs by kind: RW, MM, WM, WN.
fn counts(program: &str, filters: Filters) -> [usize; 4] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/pairs");
    let program = gordian_frontend::load(&[folder.join(program)], &Default::default()).expect("it compiles");
    let analysis = Analysis::of(&program, Budget::default()).expect("it has a main function");
    let pairs = analysis.pairs(filters);
    let removed: u64 = pairs.counts.removed.iter().sum();
    assert_eq!(pairs.counts.candidates, removed + pairs.pairs.len() as u64, "every candidate stays or is removed");
    if std::env::var_os("SHOW").is_some() {
        for pair in analysis.describe(&pairs) {
            println!("{pair:?}");
        }
    }
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
