//! States in which every thread that is left waits: deadlocks of all kinds, and lost signals.

use crate::line::Atom;
use crate::reorder::{Answer, Reorderer, Reordering};
use crate::run::{Op, Run};
use gordian_base::{FxHashMap, FxHashSet};

/// Stuck states that are looked for, before the rest is given up.
const MOST_STATES: usize = 64;

/// Where a thread may wait for ever.
struct Cut {
    instant: u32,
    place: u32,
    waits_for: WaitsFor,
    atom: Atom,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WaitsFor {
    /// A signal that does not come.
    Signal,
    /// The mutex, after a signal came.
    Mutex,
    /// What its operation says.
    Operation,
}

/// What every thread does in a stuck state.
struct Threads {
    cuts: Vec<Vec<Cut>>,
    guard: Atom,
}

/// Enumerates stuck states by the places where threads wait. `replay` is told each; whether all were found, and how many questions failed.
pub fn stuck_states(reorderer: &mut Reorderer<'_>, mut replay: impl FnMut(&Reordering)) -> (usize, usize) {
    let run = reorderer.run;
    let threads = say_threads(reorderer);
    let (mut n_found, mut n_undecided) = (0, 0);
    while n_found < MOST_STATES {
        match find(reorderer, &threads) {
            Answer::Found(reordering) => {
                n_found += 1;
                replay(&reordering);
                block(reorderer, run, &threads, &reordering);
            }
            Answer::Impossible => return (n_found, n_undecided),
            Answer::GivenUp => {
                n_undecided += 1;
                return (n_found, n_undecided);
            }
        }
    }
    (n_found, n_undecided + 1)
}

/// Candidates for one state that are refused, before the rest is given up.
const MOST_REFUSED: usize = 2_000;

/// A candidate is refused until its last state is one in which nobody goes on.
fn find(reorderer: &mut Reorderer<'_>, threads: &Threads) -> Answer {
    for _ in 0..MOST_REFUSED {
        match reorderer.find(&[threads.guard], None) {
            Answer::Found(reordering) => {
                if !refuse_if_somebody_goes_on(reorderer, threads, &reordering) {
                    return Answer::Found(reordering);
                }
            }
            other => return other,
        }
    }
    Answer::GivenUp
}

/// By lock: critical sections in which the thread may wait for ever, so that others wait for the lock. Lemma: in a stuck state whoever holds a
/// lock stands at an operation that can block within the section, or has ended without a release.
fn blocking_sections(run: &Run) -> FxHashMap<u64, Vec<u32>> {
    let mut open: Vec<Vec<u32>> = vec![Vec::new(); run.n_threads as usize];
    let mut is_blocking = vec![false; run.sections.len()];
    for (number, event) in (0u32..).zip(&run.events) {
        let open = &mut open[event.thread as usize];
        if let Op::Release { lock } | Op::Wait { mutex: lock, .. } = event.op {
            open.retain(|&section| run.sections[section as usize].lock != lock);
        }
        let blocks = matches!(
            event.op,
            Op::Acquire { .. }
                | Op::Woken { .. }
                | Op::Wait { .. }
                | Op::SemWait(_)
                | Op::Join(_)
                | Op::BarrierLeave(_)
        );
        if blocks {
            open.iter().for_each(|&section| is_blocking[section as usize] = true);
        }
        open.extend(run.begins.get(&number));
    }
    let mut of: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    for (number, section) in (0u32..).zip(&run.sections) {
        if is_blocking[number as usize] || section.release.is_none() {
            of.entry(section.lock).or_default().push(number);
        }
    }
    of
}

fn say_threads(reorderer: &mut Reorderer<'_>) -> Threads {
    let run = reorderer.run;
    let sections = blocking_sections(run);
    let guard = reorderer.line.fresh();
    let mut of_thread: Vec<Vec<u32>> = vec![Vec::new(); run.n_threads as usize];
    for (number, instant) in (0..).zip(&run.instants) {
        of_thread[instant.thread as usize].push(number);
    }
    let mut cuts: Vec<Vec<Cut>> = Vec::new();
    let mut unfinished = vec![];
    for instants in &of_thread {
        let mut mine = Vec::new();
        for &instant in instants {
            let (event, first) = run.events_of(instant).next().expect("an instant has an event");
            for (waits_for, blocked) in blocked(reorderer, event, &of_thread, &sections) {
                let next = reorderer.is_next(instant);
                let atom = reorderer.line.fresh();
                reorderer.line.add_when(atom, &[next]);
                reorderer.line.add_when(atom, &blocked);
                mine.push(Cut { instant, place: first.place, waits_for, atom });
            }
        }
        let mut one_of: Vec<Atom> = mine.iter().map(|cut| cut.atom).collect();
        unfinished.extend(one_of.iter().copied());
        if let (Some(&first), Some(&last)) = (instants.first(), instants.last()) {
            one_of.push(reorderer.line.within(last));
            // It was never created.
            if let Some(creator) = run.instants[first as usize].enabled_by {
                one_of.push(reorderer.line.within(creator).not());
            }
            reorderer.line.add_when(guard, &one_of);
        }
        cuts.push(mine);
    }
    reorderer.line.add_when(guard, &unfinished);
    Threads { cuts, guard }
}

/// Ways in which the operation can block, each with atoms one of which then holds. What depends on counts is looked at afterwards.
fn blocked(
    reorderer: &mut Reorderer<'_>,
    event: u32,
    of_thread: &[Vec<u32>],
    sections: &FxHashMap<u64, Vec<u32>>,
) -> Vec<(WaitsFor, Vec<Atom>)> {
    let run = reorderer.run;
    let thread = run.events[event as usize].thread;
    if run.can_fail.contains(&event) {
        return Vec::new();
    }
    let atoms = match run.events[event as usize].op {
        Op::Acquire { lock, shared } => match held_by_others(reorderer, thread, sections, lock, shared) {
            held if held.is_empty() => return Vec::new(),
            held => held,
        },
        Op::Join(child) => match of_thread.get(child as usize).and_then(|instants| instants.last()) {
            Some(&last) => vec![reorderer.line.within(last).not()],
            None => return Vec::new(),
        },
        Op::SemWait(_) => vec![Atom::True],
        Op::Woken { mutex, .. } => {
            let held = held_by_others(reorderer, thread, sections, mutex, false);
            return vec![(WaitsFor::Signal, vec![Atom::True]), (WaitsFor::Mutex, held)];
        }
        Op::BarrierLeave(_) => {
            let instant = run.instant(event);
            let arrivals = run.certain.iter().filter(|(_, to)| *to == instant).map(|&(from, _)| from);
            arrivals.map(|arrival| reorderer.line.within(arrival).not()).collect()
        }
        _ => return Vec::new(),
    };
    vec![(WaitsFor::Operation, atoms)]
}

/// One of these holds if another thread holds the lock at the end.
fn held_by_others(
    reorderer: &mut Reorderer<'_>,
    thread: u32,
    sections: &FxHashMap<u64, Vec<u32>>,
    lock: u64,
    shared: bool,
) -> Vec<Atom> {
    let run = reorderer.run;
    let mut held = Vec::new();
    for section in sections.get(&lock).into_iter().flatten().map(|&number| &run.sections[number as usize]) {
        if section.thread == thread || shared && section.shared {
            continue;
        }
        let acquired = reorderer.line.within(run.instant(section.acquire));
        let kept = section.release.map_or(Atom::True, |release| reorderer.line.within(run.instant(release)).not());
        let both = reorderer.line.all(&[acquired, kept]);
        held.push(both);
    }
    held
}

/// Says what must change if a thread is said to wait for what it has; whether the state is refused because somebody goes on.
fn refuse_if_somebody_goes_on(reorderer: &mut Reorderer<'_>, threads: &Threads, reordering: &Reordering) -> bool {
    let run = reorderer.run;
    let made: FxHashSet<u32> = reordering.instants.iter().copied().collect();
    let mut refused = false;
    for cut in threads.cuts.iter().flatten().filter(|cut| is_here(run, &made, cut)) {
        let (event, first) = run.events_of(cut.instant).next().expect("an instant has an event");
        let is_wrong = match (first.op, cut.waits_for) {
            (Op::Woken { .. }, WaitsFor::Signal) => reordering.is_woken(run, event),
            (Op::Woken { .. }, _) => !reordering.is_woken(run, event),
            (Op::SemWait(semaphore), _) => semaphore_count(run, reordering, semaphore) > 0,
            _ => false,
        };
        if is_wrong {
            let changes = other_orders(reorderer, reordering, cut.instant, first.op.object());
            let clause: Vec<Atom> = [threads.guard.not(), cut.atom.not()].into_iter().chain(changes).collect();
            reorderer.line.add(&clause);
        }
        refused |= match first.op {
            Op::Woken { mutex, .. } => {
                reordering.is_woken(run, event) && !is_held_by_others(run, &made, first.thread, mutex)
            }
            Op::SemWait(_) => is_wrong,
            _ => false,
        };
    }
    refused
}

/// Whether a thread stands at this cut when a reordering that made these instants ends.
fn is_here(run: &Run, made: &FxHashSet<u32>, cut: &Cut) -> bool {
    let enabled_by = run.instants[cut.instant as usize].enabled_by;
    !made.contains(&cut.instant) && enabled_by.is_none_or(|before| made.contains(&before))
}

/// Whether another thread holds the lock when a reordering that made these instants ends.
fn is_held_by_others(run: &Run, made: &FxHashSet<u32>, thread: u32, lock: u64) -> bool {
    run.sections.iter().any(|section| {
        let is_open = made.contains(&run.instant(section.acquire))
            && section.release.is_none_or(|release| !made.contains(&run.instant(release)));
        section.lock == lock && section.thread != thread && is_open
    })
}

/// One of these holds in every reordering that has another set or another order of the events about an object.
pub fn other_orders(
    reorderer: &mut Reorderer<'_>,
    reordering: &Reordering,
    cut: u32,
    object: Option<u64>,
) -> Vec<Atom> {
    let run = reorderer.run;
    let position: FxHashMap<u32, usize> = reordering.instants.iter().copied().zip(0..).collect();
    let mut changes = Vec::new();
    let mut order: Vec<(usize, u32)> = Vec::new();
    for event in run.events.iter().filter(|event| event.op.object() == object) {
        let within = reorderer.line.within(event.instant);
        match position.get(&event.instant) {
            Some(&at) => {
                order.push((at, event.instant));
                changes.push(within.not());
            }
            None if event.instant != cut => changes.push(within),
            None => {}
        }
    }
    order.sort_unstable();
    for pair in order.windows(2) {
        changes.push(reorderer.line.before(pair[1].1, pair[0].1));
    }
    changes
}

pub fn semaphore_count(run: &Run, reordering: &Reordering, semaphore: u64) -> i64 {
    let events = reordering.instants.iter().flat_map(|&instant| run.events_of(instant));
    events.fold(0, |count, (_, event)| match event.op {
        Op::SemInit { semaphore: at, value } if at == semaphore => value as i64,
        Op::SemPost(at) if at == semaphore => count + 1,
        Op::SemWait(at) if at == semaphore => count - 1,
        _ => count,
    })
}

/// No state with the same places again.
fn block(reorderer: &mut Reorderer<'_>, run: &Run, threads: &Threads, reordering: &Reordering) {
    let made: FxHashSet<u32> = reordering.instants.iter().copied().collect();
    let mut clause = vec![threads.guard.not()];
    let ends: Vec<(usize, u32, bool)> = last_instants(run).map(|(of, last)| (of, last, made.contains(&last))).collect();
    for (thread, mine) in threads.cuts.iter().enumerate() {
        let is_so = |cut: &&Cut| {
            let (event, _) = run.events_of(cut.instant).next().expect("an instant has an event");
            is_here(run, &made, cut)
                && (cut.waits_for == WaitsFor::Operation
                    || (cut.waits_for == WaitsFor::Mutex) == reordering.is_woken(run, event))
        };
        let Some(here) = mine.iter().find(is_so) else {
            // It has ended or was never created, and may do otherwise another time.
            clause.extend(ends.iter().filter(|(of, ..)| *of == thread).map(|(_, last, made_last)| {
                let within = reorderer.line.within(*last);
                if *made_last { within.not() } else { within }
            }));
            continue;
        };
        // A thread that waits at this place for the same, whichever time it comes there.
        let is_same = |cut: &&Cut| cut.place == here.place && cut.waits_for == here.waits_for;
        let same: Vec<Atom> = mine.iter().filter(is_same).map(|cut| cut.atom).collect();
        let elsewhere = reorderer.line.fresh();
        for cut in same {
            reorderer.line.add(&[elsewhere.not(), cut.not()]);
        }
        clause.push(elsewhere);
    }
    reorderer.line.add(&clause);
}

/// The last instant of each thread.
fn last_instants(run: &Run) -> impl Iterator<Item = (usize, u32)> {
    let mut last: Vec<Option<u32>> = vec![None; run.n_threads as usize];
    for (number, instant) in (0..).zip(&run.instants) {
        last[instant.thread as usize] = Some(number);
    }
    last.into_iter().enumerate().filter_map(|(thread, last)| Some((thread, last?)))
}
