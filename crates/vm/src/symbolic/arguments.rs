//! What functions that gordian itself provides must know of their arguments before they are called.

use super::fork::Alternatives;
use crate::machine::Machine;
use crate::memory::Mode;
use crate::models::{Decided, Use, decided, uses};
use gordian_base::ThreadId;
use gordian_expr::ExprId;
use gordian_ir::{CallSite, FuncId, Slot, address};
use smallvec::SmallVec;

impl Machine<'_> {
    /// A call copies the structs that it passes by value from one place each.
    pub(super) fn passed_structs(
        &mut self,
        thread: ThreadId,
        site: &CallSite,
        function: FuncId,
    ) -> Option<Alternatives> {
        let slots: SmallVec<[Slot; 4]> = self.struct_slots(site, function).map(|(slot, _)| slot).collect();
        let what = "the place of a struct that is passed by value";
        slots.into_iter().find_map(|slot| self.argument(thread, slot, Use::Number, what))
    }

    /// Such functions take plain values, with few exceptions.
    pub(super) fn arguments_of_model(&mut self, thread: ThreadId, site: &CallSite, name: &str) -> Option<Alternatives> {
        let what = format!("an argument of `{name}`");
        match decided(name) {
            Decided::All => {
                let variadic = site.variadic.iter().map(|arg| arg.slot);
                let slots: Vec<Slot> = site.args.iter().copied().chain(variadic).collect();
                slots.into_iter().find_map(|slot| self.argument(thread, slot, Use::Number, &what))
            }
            Decided::Fixed(which) => self.fixed_arguments(thread, site, which, &what),
            Decided::FixedAndObject(which, pointer) => {
                let alternatives = self.fixed_arguments(thread, site, which, &what);
                if alternatives.is_some() {
                    return alternatives;
                }
                let term = self.term(thread, *site.args.get(pointer)?)?;
                self.which_object(thread, term, Use::Number)
            }
            Decided::Format(nth) => {
                let fixed = site.args.iter().take(nth + 1);
                let alternatives = fixed.into_iter().find_map(|&slot| self.argument(thread, slot, Use::Number, &what));
                if alternatives.is_some() {
                    return alternatives;
                }
                let format = self.register(thread, *site.args.get(nth)?);
                let taken = self.taken_by(format, site.variadic.len());
                taken.into_iter().find_map(|(nth, of)| {
                    let slot = site.variadic.get(nth)?.slot;
                    if of == Use::Printed { None } else { self.argument(thread, slot, of, &what) }
                })
            }
        }
    }

    fn fixed_arguments(
        &mut self,
        thread: ThreadId,
        site: &CallSite,
        which: &[usize],
        what: &str,
    ) -> Option<Alternatives> {
        which.iter().find_map(|&nth| self.argument(thread, *site.args.get(nth)?, Use::Number, what))
    }

    /// What a format takes its arguments for. If inputs or other threads decide the format, they may be taken for anything.
    fn taken_by(&self, format: u64, n_arguments: usize) -> Vec<(usize, Use)> {
        // If this is no string, the call itself will say so.
        let Ok(object) = self.memory.check(format, 1, false) else { return Vec::new() };
        let rest = u64::from(object.size) - address::offset(format);
        let text = self.memory.view(format, rest);
        let len = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        let is_shared = object.mode == Mode::Shared && self.accesses_are_visible();
        if is_shared || self.memory.has_terms(format, rest.min(len as u64 + 1)) {
            return (0..n_arguments).map(|nth| (nth, Use::Pointer)).collect();
        }
        uses(&text[..len])
    }

    /// Lets an argument take each of its values. If it is an address, those that lie in an object are told from others
    /// before: of either there may be more than can be looked at one by one.
    fn argument(&mut self, thread: ThreadId, slot: Slot, of: Use, what: &str) -> Option<Alternatives> {
        let term = self.term(thread, slot)?;
        self.which_object(thread, term, of).or_else(|| self.first_value(thread, &[slot], what))
    }

    fn which_object(&mut self, thread: ThreadId, term: ExprId, of: Use) -> Option<Alternatives> {
        let here = match self.object_of(thread, term, 1) {
            Some((_, inside)) => inside,
            // Null is no object, and what is near it looks like a number.
            None if of == Use::Pointer => {
                let pool = &mut self.symbolic.pool;
                let name = pool.extract(term, address::OFFSET_BITS, 64 - address::OFFSET_BITS);
                let null = pool.constant(0, 64 - address::OFFSET_BITS);
                pool.eq(name, null)
            }
            None => return None,
        };
        let elsewhere = self.symbolic.pool.not(here);
        let both = self.is_feasible_for(thread, here) && self.is_feasible_for(thread, elsewhere);
        both.then(|| Alternatives { again: true, ..Alternatives::new([here, elsewhere]) })
    }
}
