//! Where threads stand, and which of these places are the same.
//!
//! Spots are told apart by how a thread got there, unless its private memory is still as it was in the beginning: then
//! all that its future depends on is in its frames and registers, and spots with the same of these are one.

use super::tables::{LocalState, LocalStateId, Needs, Sort, Tables, Watch};
use super::{Memo, is_remembered};
use crate::machine::Machine;
use crate::memory::Mode;
use crate::spin::Visit;
use crate::sync::{MUTEX_SIZE, SPIN_SIZE};
use crate::thread::{Core, Frame, Park};
use gordian_base::{Id, ThreadId};
use gordian_ir::address;
use gordian_trace::{NO_CODE, OpKind, Wants};

/// Threads whose state takes more words are not compared.
const MOST_WORDS: usize = 256;

/// The part of a word that `size` bytes at `address` are: the word's address, the lowest bit and the mask.
fn part(address: u64, size: u32) -> Option<(u64, u8, u64)> {
    let from = address % 8;
    let is_within = (1..=8).contains(&size) && from + u64::from(size) <= 8;
    is_within.then(|| (address - from, 8 * from as u8, u64::MAX >> (64 - 8 * size)))
}

/// The bytes of a lock that tell who holds it, and how often.
pub fn lock_state(size: u32) -> Option<u32> {
    match size {
        MUTEX_SIZE => Some(8),
        SPIN_SIZE => Some(4),
        _ => None,
    }
}

/// Where a word lies that others can see.
pub fn physical(machine: &Machine<'_>, word: u64) -> Option<usize> {
    let object = machine.memory.object(word).filter(|object| object.mode == Mode::Shared)?;
    let offset = address::offset(word);
    (offset < u64::from(object.size)).then(|| object.at() + offset as usize)
}

/// What stands in the word of memory that others can see.
pub fn word_at(machine: &Machine<'_>, word: u64) -> Option<u64> {
    physical(machine, word).map(|at| machine.memory.load_at(at, 8))
}

impl Memo {
    /// The cell for the word at this address. What stands in one that is new has stood there all the time: otherwise it
    /// would have been written to, and have a cell.
    fn cell(&mut self, machine: &Machine<'_>, word: u64) -> Option<u32> {
        match self.tables.cell(word) {
            Some(known) => Some(known),
            None => self.cell_with(machine, word, word_at(machine, word)?),
        }
    }

    /// The same for a word of which it is known what stood there all the time.
    pub(super) fn cell_with(&mut self, machine: &Machine<'_>, word: u64, value: u64) -> Option<u32> {
        if let Some(known) = self.tables.cell(word) {
            return Some(known);
        }
        let at = physical(machine, word)? as u64 / 8;
        if self.without_cell.contains(&at) {
            return None;
        }
        self.with_cell.insert(at);
        self.cells.push(value);
        Some(self.tables.add_cell(word))
    }

    /// The spot at which the thread stands now, if it is one that steps can be remembered from. `state` is all that its
    /// future depends on, if that is known.
    pub(super) fn spot_of(
        &mut self,
        machine: &Machine<'_>,
        thread: ThreadId,
        state: Option<&[u64]>,
    ) -> Option<LocalStateId> {
        if let Some(known) = state.and_then(|state| self.tables.spot_with(state)) {
            return Some(known);
        }
        let core = &machine.threads[thread.index()].core;
        if core.atomic > 0 || core.cancel_pending || core.copying != 0 || core.halfway || core.awaits {
            return None;
        }
        let nothing = Wants { kind: OpKind::Yield, size: 0, address: 0, at: NO_CODE, varies: false };
        let (spot, watches) = match core.park {
            Park::Unborn => return Some(Tables::NOWHERE),
            Park::Ended => (LocalState::new(Sort::Ended { result: core.result }, Needs::Never, nothing), Vec::new()),
            Park::Joining { target, result } => {
                let sort = Sort::Joining { target, takes: result != 0 };
                (LocalState::new(sort, Needs::Never, machine.wants(thread)?), Vec::new())
            }
            Park::FalseAssumption | Park::WentRound | Park::Idles => {
                (LocalState::new(Sort::Stopped, Needs::Never, nothing), Vec::new())
            }
            Park::Before(wants) if is_remembered(wants.kind) => self.spot_before(machine, thread, wants)?,
            _ => return None,
        };
        let mut spot = spot.with_pristine(state.is_some());
        spot.round = self.round_of(machine, thread);
        Some(self.tables.add_spot(spot, &watches, state))
    }

    /// The point of a loop that the thread has just come to, 0 if there is none.
    fn round_of(&mut self, machine: &Machine<'_>, thread: ThreadId) -> u32 {
        let newest = machine.threads[thread.index()].newest_visit.checked_sub(1);
        let visit = newest.map(|index| &machine.waiting.visits[index as usize]);
        let is_here =
            |visit: &&Visit| machine.log.events[visit.event as usize..].iter().all(|event| event.thread != thread);
        visit.filter(is_here).map_or(0, |visit| self.tables.round(visit.hash.wrapping_add(u64::from(thread.0))))
    }

    fn spot_before(
        &mut self,
        machine: &Machine<'_>,
        thread: ThreadId,
        wants: Wants,
    ) -> Option<(LocalState, Vec<Watch>)> {
        let mut spot = LocalState::new(Sort::Operation, Needs::Nothing, wants);
        let size = match wants.kind {
            OpKind::Yield => 0,
            OpKind::Lock | OpKind::TryLock | OpKind::Unlock => {
                if machine.is_timed(thread) || machine.is_unusual_lock(wants.address, wants.size) {
                    return None;
                }
                lock_state(wants.size)?
            }
            _ => wants.size,
        };
        if size > 0 {
            let word;
            (word, spot.shift, spot.mask) = part(wants.address, size)?;
            spot.cell = self.cell(machine, word)?;
            let is_blind = matches!(wants.kind, OpKind::Write | OpKind::AtomicWrite);
            spot.looks_at = if is_blind { 0 } else { spot.mask };
        }
        if wants.kind == OpKind::Lock {
            spot.needs = Needs::Lock;
        }
        let mut watches = Vec::new();
        for watch in machine.watches_of(thread) {
            let (word, shift, mask) = part(watch.address, u32::from(watch.size))?;
            let cell = self.cell(machine, word)?;
            let (address, size, place, seen) = (watch.address, u32::from(watch.size), watch.place, watch.seen);
            watches.push(Watch { address, size, place, seen, cell, shift, mask });
        }
        if !watches.is_empty() {
            spot.needs = Needs::Change;
        }
        Some((spot, watches))
    }
}

impl Machine<'_> {
    /// All that the thread's future depends on besides memory.
    pub(super) fn local_state(&mut self, thread: ThreadId) -> Option<Vec<u64>> {
        let me = &self.threads[thread.index()];
        let mut words = vec![u64::from(thread.0)];
        words_of_core(&me.core, &mut words);
        for frame in &me.frames {
            words_of_frame(frame, &mut words);
        }
        self.each_word_of_state(thread, |word| words.push(word));
        words.push(u64::MAX);
        self.each_word_of_visits(thread, |word| words.push(word));
        (words.len() <= MOST_WORDS).then_some(words)
    }
}

/// All of a core but what it knows of others, what its visits to loops say, and what cannot be while steps are remembered.
fn words_of_core(core: &Core, words: &mut Vec<u64>) {
    let Core {
        park,
        clock: _,
        time: _,
        fence_release: _,
        fence_acquire: _,
        next_heap,
        next_stack,
        newest_local,
        n_created,
        n_inputs,
        detached,
        joined,
        cancel_enabled,
        cancel_pending,
        ending,
        atomic,
        copying,
        halfway,
        result,
        visits: _,
        watching: _,
        n_watching,
        awaits: _,
        changes: _,
        may_err_in: _,
        erred_in: _,
        cleanup,
    } = *core;
    match park {
        Park::Before(Wants { kind, size, address, at, varies }) => {
            let kind = kind as u64 | u64::from(varies) << 8;
            words.extend([1, kind, u64::from(size), address, u64::from(at.function), u64::from(at.pc)]);
        }
        Park::Joining { target, result } => words.extend([2, u64::from(target.0), result]),
        Park::Ended => words.push(3),
        Park::FalseAssumption => words.push(4),
        Park::WentRound => words.push(6),
        Park::Idles => words.push(7),
        // No spots.
        _ => words.push(5),
    }
    let (round, key) = ending.map_or((0, 0), |ending| (u64::from(ending.round()) + 1, u64::from(ending.key())));
    let flags = [detached, joined, cancel_enabled, cancel_pending, halfway].into_iter();
    words.extend([u64::from(next_heap), u64::from(next_stack), u64::from(newest_local), u64::from(n_created)]);
    words.extend([u64::from(n_inputs), flags.fold(0, |all, flag| all << 1 | u64::from(flag)), round, key]);
    words.extend([u64::from(atomic), u64::from(copying), result, u64::from(n_watching), cleanup]);
}

fn words_of_frame(frame: &Frame, words: &mut Vec<u64>) {
    // The function and the place in it are told with the registers.
    let Frame { function: _, pc: _, base, result, n_results, entry, locals_before, variadic } = *frame;
    use crate::thread::Entry;
    let entry = match entry {
        Entry::Call => [0, 0],
        Entry::Start => [1, 0],
        Entry::Main => [2, 0],
        Entry::Callback => [3, 0],
        Entry::Once { control } => [4, control],
        Entry::Atomic => [5, 0],
    };
    words.extend(entry);
    words.extend([u64::from(base), u64::from(result), u64::from(n_results), u64::from(locals_before), variadic]);
}
