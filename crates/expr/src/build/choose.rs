//! Choices: `ite`, and arrays that are read and written at an index that is not known.

use crate::ops::mask;
use crate::pool::Pool;
use crate::term::{Binary, ExprId, Term, Unary};

impl Pool {
    /// `then` where the condition holds, else `otherwise`.
    pub fn ite(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        assert_eq!(self.width(condition), 1, "a condition is a boolean");
        let width = self.same_width(then, otherwise);
        if let Some(value) = self.as_constant(condition) {
            return if value == 1 { then } else { otherwise };
        }
        if then == otherwise {
            return then;
        }
        if let Some(opposite) = self.preferred_opposite(condition) {
            return self.ite(opposite, otherwise, then);
        }
        if width == 1 {
            return self.ite_of_booleans(condition, then, otherwise);
        }
        if let (Some(then), Some(otherwise)) = (self.as_constant(then), self.as_constant(otherwise)) {
            return self.ite_constants(condition, then, otherwise, width);
        }
        // The other arm of an inner choice by the same condition is out of reach.
        if let Term::Ite(inner, reached, _) = self.term(then)
            && inner == condition
        {
            return self.ite(condition, reached, otherwise);
        }
        if let Term::Ite(inner, _, reached) = self.term(otherwise)
            && inner == condition
        {
            return self.ite(condition, then, reached);
        }
        self.ite_of_words(condition, then, otherwise, width)
    }

    fn ite_of_words(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId, width: u32) -> ExprId {
        match self.term(condition) {
            // Where it matters which arm is taken, the condition does not hold.
            Term::Binary(Binary::Eq, x, y) if (x, y) == (then, otherwise) || (y, x) == (then, otherwise) => {
                return otherwise;
            }
            _ => {}
        }
        match (self.term(then), self.term(otherwise)) {
            (_, Term::Ite(second, same, last)) if same == then => {
                let either = self.or(condition, second);
                self.ite(either, then, last)
            }
            (Term::Ite(second, last, same), _) if same == otherwise => {
                let both = self.and(condition, second);
                self.ite(both, last, otherwise)
            }
            (Term::Zext(x, _), Term::Zext(y, _)) if self.width(x) == self.width(y) => {
                let narrow = self.ite(condition, x, y);
                self.zext(narrow, width)
            }
            (Term::Sext(x, _), Term::Sext(y, _)) if self.width(x) == self.width(y) => {
                let narrow = self.ite(condition, x, y);
                self.sext(narrow, width)
            }
            _ => self.make(Term::Ite(condition, then, otherwise)),
        }
    }

    fn ite_of_booleans(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        if then == condition || self.as_constant(then) == Some(1) {
            return self.or(condition, otherwise);
        }
        if otherwise == condition || self.as_constant(otherwise) == Some(0) {
            return self.and(condition, then);
        }
        if self.as_constant(then) == Some(0) || self.are_complements(then, condition) {
            let negated = self.not(condition);
            return self.and(negated, otherwise);
        }
        if self.as_constant(otherwise) == Some(1) || self.are_complements(otherwise, condition) {
            let negated = self.not(condition);
            return self.or(negated, then);
        }
        if self.are_complements(then, otherwise) {
            return self.eq(condition, then);
        }
        self.make(Term::Ite(condition, then, otherwise))
    }

    /// A choice between constants, which are cut to `width` bits.
    pub(super) fn ite_constants(&mut self, condition: ExprId, then: u128, otherwise: u128, width: u32) -> ExprId {
        let all = mask(width);
        if let Some(value) = self.as_constant(condition) {
            return self.constant(if value == 1 { then } else { otherwise }, width);
        }
        match (then & all, otherwise & all) {
            (then, otherwise) if then == otherwise => self.constant(then, width),
            (1, 0) if width == 1 => condition,
            (0, 1) if width == 1 => self.not(condition),
            (1, 0) => self.make(Term::Zext(condition, width as u8)),
            (then, 0) if then == all => self.make(Term::Sext(condition, width as u8)),
            (0, 1) => {
                let condition = self.not(condition);
                self.make(Term::Zext(condition, width as u8))
            }
            (0, otherwise) if otherwise == all => {
                let condition = self.not(condition);
                self.make(Term::Sext(condition, width as u8))
            }
            (then, otherwise) => {
                if let Some(opposite) = self.preferred_opposite(condition) {
                    return self.ite_constants(opposite, otherwise, then, width);
                }
                let (then, otherwise) = (self.constant(then, width), self.constant(otherwise, width));
                self.make(Term::Ite(condition, then, otherwise))
            }
        }
    }

    /// The negation of a condition, if choices are to be made by that one: of a condition and its negation the older one decides,
    /// and what is negated is always older than the negation.
    fn preferred_opposite(&mut self, condition: ExprId) -> Option<ExprId> {
        match self.term(condition) {
            Term::Unary(Unary::Not, inner) => Some(inner),
            Term::Binary(Binary::Ult | Binary::Ule | Binary::Slt | Binary::Sle, ..) => {
                Some(self.not(condition)).filter(|&opposite| opposite < condition)
            }
            _ => None,
        }
    }

    /// Condition and both values of a choice between constants that has more than one bit. The condition is no negation.
    pub(super) fn as_choice(&self, id: ExprId) -> Option<(ExprId, u128, u128)> {
        let (condition, then) = match self.term(id) {
            Term::Ite(condition, then, otherwise) => {
                return Some((condition, self.as_constant(then)?, self.as_constant(otherwise)?));
            }
            Term::Zext(condition, _) if self.width(condition) == 1 => (condition, 1),
            Term::Sext(condition, _) if self.width(condition) == 1 => (condition, mask(self.width(id))),
            _ => return None,
        };
        match self.term(condition) {
            Term::Unary(Unary::Not, negated) => Some((negated, 0, then)),
            _ => Some((condition, then, 0)),
        }
    }

    /// The element at an index that counts elements; zero outside. All elements have one width.
    pub fn select(&mut self, elements: &[ExprId], index: ExprId) -> ExprId {
        let width = self.width(*elements.first().expect("an array has elements"));
        let range = *self.facts(index);
        let n = elements.len() as u128;
        if range.lo >= n {
            return self.constant(0, width);
        }
        let inside = &elements[range.lo as usize..=range.hi.min(n - 1) as usize];
        if range.hi < n && inside.iter().all(|&element| element == inside[0]) {
            return inside[0];
        }
        if let Some((condition, then, otherwise)) = self.as_choice(index) {
            let mut at = |position: u128| match usize::try_from(position).ok().and_then(|at| elements.get(at)) {
                Some(&element) => element,
                None => self.constant(0, width),
            };
            let (then, otherwise) = (at(then), at(otherwise));
            return self.ite(condition, then, otherwise);
        }
        if range.hi < n && inside.len() == 2 {
            let first = self.constant(range.lo, self.width(index));
            let is_first = self.eq(index, first);
            return self.ite(is_first, inside[0], inside[1]);
        }
        let mut reached = elements[..=range.hi.min(n - 1) as usize].to_vec();
        for (position, element) in reached.iter_mut().enumerate() {
            assert_eq!(self.width(*element), width, "elements of one array have one width");
            *element = self.if_index_is(index, position, *element);
        }
        let array = self.array(&reached);
        self.make(Term::Select(array, index))
    }

    /// What an element is where it is read: if it was written at the same index, what was written.
    fn if_index_is(&mut self, index: ExprId, position: usize, element: ExprId) -> ExprId {
        if let Term::Ite(condition, then, otherwise) = self.term(element)
            && let Term::Binary(Binary::Eq, ..) | Term::Unary(..) = self.term(condition)
        {
            let position = self.constant(position as u128, self.width(index));
            let here = self.eq(index, position);
            if here == condition {
                return then;
            }
            if self.are_complements(here, condition) {
                return otherwise;
            }
        }
        element
    }

    /// The elements after `value` was written at `index`; nothing changes if that is outside.
    pub fn store(&mut self, elements: &mut [ExprId], index: ExprId, value: ExprId) {
        let range = *self.facts(index);
        let index_width = self.width(index);
        for (position, element) in elements.iter_mut().enumerate() {
            let position = position as u128;
            if position < range.lo || position > range.hi {
                continue;
            }
            let position = self.constant(position, index_width);
            let is_here = self.eq(index, position);
            *element = self.ite(is_here, value, *element);
        }
    }
}
