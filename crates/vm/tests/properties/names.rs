//! An object's address comes from the thread that allocated it and that thread's count, never from the
//! interleaving.

use crate::programs::own;
use crate::walk::{random_step, start};
use gordian_base::Rng;
use gordian_trace::{Machine as Settings, OpKind, RaceMode, Test};
use gordian_vm::Machine;
use std::collections::BTreeMap;

/// Threads create threads, and each puts the addresses of its objects into slots of its own; what the others
/// do in between differs with the schedule.
const NESTED: &str = r#"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic(void *) slots[6][4];
static atomic_int noise;
static void publish(int who) {
    int local = who;
    void *first = malloc(8), *second = malloc(24);
    slots[who][0] = first;
    noise++;
    slots[who][1] = second;
    slots[who][2] = &local;
    free(first);
    slots[who][3] = malloc(8);
}
static void *leaf(void *argument) { publish((int)(long)argument); return 0; }
static void *branch(void *argument) {
    long who = (long)argument;
    pthread_t one, two;
    // Who is created first depends on the schedule, over both branches.
    pthread_create(&one, 0, leaf, (void *)(2 + 2 * (who - 1)));
    if (noise % 2) free(malloc(100));
    publish(who - 1);
    pthread_create(&two, 0, leaf, (void *)(3 + 2 * (who - 1)));
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, branch, (void *)1);
    pthread_create(&b, 0, branch, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"#;

/// What was put in each slot: the address of the slot, and the address published there.
fn published(machine: &Machine<'_>) -> BTreeMap<u64, u64> {
    let writes = machine.events().iter().filter(|event| event.kind == OpKind::AtomicWrite && event.size == 8);
    writes.map(|event| (event.address, event.value)).collect()
}

#[test]
fn objects_have_the_same_address_in_every_execution() {
    let subject = own(NESTED, "nested");
    let test = subject.test(Settings { races: RaceMode::Ignore, ..Settings::default() });
    // One search: the machine goes back and remembers the numbers of threads.
    let mut machine = start(subject.program, &test);
    let first = machine.mark();
    // A branch that skips the extra allocation gets other names, by its own doing: both are allowed.
    let mut names: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let mut creations = Vec::new();
    for walk in 0..300 {
        let mut rng = Rng::stream(3000, walk);
        while machine.end().is_none() {
            random_step(&mut machine, &mut rng);
        }
        for (slot, address) in published(&machine) {
            let known = names.entry(slot).or_default();
            if !known.contains(&address) {
                known.push(address);
            }
        }
        let created = machine.events().iter().filter(|event| event.kind == OpKind::Create);
        creations.push(created.map(|event| event.address).collect::<Vec<_>>());
        machine.undo_to(first);
    }
    assert_eq!(names.len(), 24);
    for (slot, addresses) in &names {
        assert!(addresses.len() <= 2, "slot {slot:#x} got {addresses:x?}");
    }
    let varied = names.values().filter(|addresses| addresses.len() == 2).count();
    assert!(varied <= 6, "only what is allocated behind the branch on shared data may differ, not {varied} slots");
    creations.sort();
    creations.dedup();
    assert!(creations.len() > 1, "the schedules create the threads in different orders");

    // Fresh machines that are told the numbers give the same names.
    let test = Test { threads: machine.thread_origins(), ..test };
    for walk in 0..100 {
        let mut rng = Rng::stream(4000, walk);
        let mut machine = start(subject.program, &test);
        while machine.end().is_none() {
            random_step(&mut machine, &mut rng);
        }
        for (slot, address) in published(&machine) {
            assert!(names[&slot].contains(&address), "slot {slot:#x} got {address:#x}");
        }
    }
}
