//! Accesses through symbolic addresses: which objects they can reach, and where within one.

use super::fork::Alternatives;
use super::step::MOST_BYTES;
use crate::access::Access;
use crate::machine::Machine;
use crate::memory::Mode;
use gordian_base::ThreadId;
use gordian_expr::ExprId;
use gordian_ir::{Inst, Slot, address};
use gordian_solve::{Extreme, Model, Query, minimum};

impl Machine<'_> {
    /// An object that an address may lie in, and the condition that it does: the one for inputs of zero, or else the first
    /// there is. Both are the same whatever others did.
    pub(crate) fn object_of(&mut self, thread: ThreadId, term: ExprId, size: u64) -> Option<(u64, ExprId)> {
        let zero = Model::new();
        let symbolic = &mut self.symbolic;
        let at_zero = symbolic.evaluator.value(&symbolic.pool, term, &zero) as u64;
        let found = self.object_at(thread, term, size, at_zero);
        if found.is_some() {
            return found;
        }
        let least = self.least_for(thread, term)?;
        self.object_at(thread, term, size, least)
    }

    /// The least value that a term has for all that the thread knows.
    pub(super) fn least_for(&mut self, thread: ThreadId, term: ExprId) -> Option<u64> {
        let known = self.known(thread);
        let symbolic = &mut self.symbolic;
        let query = Query::new(known.as_deref().unwrap_or(symbolic.path.conditions())).within(&symbolic.budget);
        match minimum(&mut symbolic.solver, &mut symbolic.pool, &query, term) {
            Extreme::Found(least) => Some(least.value as u64),
            Extreme::Infeasible | Extreme::Unknown(..) => None,
        }
    }

    /// An access at `least` fails, and so does every other at an address with the name of the same object. Whether there are
    /// no others.
    fn fails_like(&mut self, thread: ThreadId, term: ExprId, least: u64) -> bool {
        let pool = &mut self.symbolic.pool;
        let bits = address::OFFSET_BITS;
        let name = pool.extract(term, bits, 64 - bits);
        let same = pool.constant(u128::from(least >> bits), 64 - bits);
        let same = pool.eq(name, same);
        let others = pool.not(same);
        !self.is_feasible_for(thread, others)
    }

    fn object_at(&mut self, thread: ThreadId, term: ExprId, size: u64, place: u64) -> Option<(u64, ExprId)> {
        let object = *self.memory.object(place)?;
        if object.mode > Mode::Shared || u64::from(object.size) < size {
            return None;
        }
        let start = address::object_start(place);
        let pool = &mut self.symbolic.pool;
        let (first, last) =
            (pool.constant(u128::from(start), 64), pool.constant(u128::from(u64::from(object.size) - size), 64));
        let offset = pool.sub(term, first);
        let inside = pool.ule(offset, last);
        self.is_feasible_for(thread, inside).then_some((start, inside))
    }

    /// An access at a symbolic address: within the object that it is meant for, or elsewhere.
    pub(crate) fn symbolic_place(&mut self, thread: ThreadId, inst: Inst, slot: Slot) -> Option<Alternatives> {
        let term = self.term(thread, slot)?;
        let access = self.access_of(thread, inst).expect("it has an address");
        if self.symbolic.is_fresh() {
            return self.place_at_hand(thread, inst, (slot, term), access);
        }
        let Some((start, inside)) = self.object_of(thread, term, access.size) else {
            let fails = self.least_for(thread, term).is_some_and(|least| self.fails_like(thread, term, least));
            return if fails { None } else { self.first_value(thread, &[slot], "an address") };
        };
        let outside = self.symbolic.pool.not(inside);
        if self.is_feasible_for(thread, outside) {
            return Some(Alternatives { again: true, ..Alternatives::new([inside, outside]) });
        }
        let object = *self.memory.object(start).expect("the object was found");
        let is_plain = matches!(inst, Inst::Load { .. } | Inst::Store { .. });
        let visible = object.mode == Mode::Shared && self.accesses_are_visible();
        if is_plain && !visible && u64::from(object.size) <= MOST_BYTES {
            return None;
        }
        // Others see which place it is.
        self.first_value(thread, &[slot], "an address")
    }

    /// Where reads are symbols: decides which object is accessed, and where if others can tell.
    ///
    /// What is decided must be the same in every execution in which the thread has come here by the same decisions, whatever the
    /// values at hand are. So the object that was found here first is asked for first, and then one after the other by name.
    fn place_at_hand(
        &mut self,
        thread: ThreadId,
        inst: Inst,
        (slot, term): (Slot, ExprId),
        access: Access,
    ) -> Option<Alternatives> {
        if !matches!(inst, Inst::Load { .. } | Inst::Store { .. }) {
            return self.first_value(thread, &[slot], "an address");
        }
        let start = address::object_start(access.address);
        let at_hand = self.within_own(term, access.size, start).map(|_| start);
        let Some(first) = self.first_object(term, access.size, at_hand) else {
            return self.first_value(thread, &[slot], "an address");
        };
        let first = self.within_own(term, access.size, first).map(|inside| (first, inside));
        if let Some((_, inside)) = first
            && self.is_decided(thread, inside)
        {
            return None;
        }
        let bits = address::OFFSET_BITS;
        let name = self.symbolic.pool.extract(term, bits, 64 - bits);
        self.pin(thread, name);
        if first.is_some_and(|(first, _)| first == start) {
            // Outside of it, and next to no other object.
            return None;
        }
        match self.within_own(term, access.size, start) {
            Some(inside) => {
                self.is_decided(thread, inside);
                None
            }
            // It fails wherever it is, unless others know the object.
            None if self.memory.object(start).is_none_or(|object| object.mode > Mode::Shared) => None,
            None => self.first_value(thread, &[slot], "an address"),
        }
    }

    /// The condition that an access lies within an object that is the thread's own.
    fn within_own(&mut self, term: ExprId, size: u64, start: u64) -> Option<ExprId> {
        let object = *self.memory.object(start)?;
        let is_own = object.mode < Mode::Shared || object.mode == Mode::Shared && !self.records_accesses();
        if !is_own || u64::from(object.size) > MOST_BYTES {
            return None;
        }
        let last = u64::from(object.size).checked_sub(size)?;
        let pool = &mut self.symbolic.pool;
        let (first, last) = (pool.constant(u128::from(start), 64), pool.constant(u128::from(last), 64));
        let offset = pool.sub(term, first);
        Some(pool.ule(offset, last))
    }
}
