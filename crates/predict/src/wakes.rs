//! Whom the signals of a line wake, if some of them have to wake certain threads.

use crate::atomicity::Wake;
use crate::played::{Played, Waiter};
use crate::reorder::{Reorderer, Reordering};
use crate::run::Op;

/// The same line with these wakes among its own, if that is found. Others are served as [`Played::signal`] does.
///
/// Nothing else of the line depends on who wakes whom: each wait still ends where it did, and nobody is woken who gave up.
pub fn with_wakes(reorderer: &Reorderer<'_>, reordering: &Reordering, wanted: &[Wake]) -> Option<Reordering> {
    let run = reorderer.run;
    let mut state = Played::new(true, &reordering.instants);
    for &instant in &reordering.instants {
        for (number, event) in run.events_of(instant) {
            match event.op {
                Op::Wait { cond, .. } => {
                    state.begin_wait(run, cond, number, reorderer.wait_ends.get(&number).copied());
                }
                Op::Signal(cond) => signal(&mut state, cond, number, wanted)?,
                Op::Broadcast(cond) => state.broadcast(cond, number),
                Op::Woken { cond, .. } | Op::GiveUp { cond } => {
                    let waiting = state.conds.entry(cond).or_default();
                    // Who gave up waits no more.
                    let at = waiting.iter().position(|waiter| waiter.thread == event.thread);
                    let Some(at) = at else { continue };
                    let is_to_be_woken = matches!(event.op, Op::Woken { .. });
                    if waiting.remove(at).is_woken != is_to_be_woken {
                        return None;
                    }
                }
                _ => {}
            }
        }
    }
    let thread = |event: u32| run.events[event as usize].thread;
    let is_made = |wake: &Wake| state.wakes.contains(&(wake.signal, thread(wake.woken)));
    let woken = state.woken();
    wanted.iter().all(is_made).then(|| Reordering { wakes: state.wakes.clone(), woken, ..reordering.clone() })
}

/// A signal that is wanted for a wait wakes that one, any other none of those that are spoken for. Nothing if it had to.
fn signal(state: &mut Played, cond: u64, event: u32, wanted: &[Wake]) -> Option<()> {
    let own = wanted.iter().find(|wake| wake.signal == event).map(|wake| wake.wait);
    let is_meant = |waiter: &Waiter| match own {
        Some(wait) => waiter.wait == wait,
        None => wanted.iter().all(|wake| wake.wait != waiter.wait),
    };
    let n_before = state.wakes.len();
    state.signal_one_of(cond, event, is_meant);
    let is_lost = state.conds.get(&cond).into_iter().flatten().all(|waiter| waiter.is_woken);
    (state.wakes.len() > n_before || is_lost).then_some(())
}
