//! What is known of a term's value whatever its symbols are: bits and an unsigned interval.

use crate::ops::mask;

/// An over-approximation of the values of a term. Bits and interval are kept consistent: each is as tight as the other one
/// makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Bits that are zero in every value.
    pub zeros: u128,
    /// Bits that are one in every value.
    pub ones: u128,
    pub lo: u128,
    pub hi: u128,
}

impl Facts {
    pub const fn constant(value: u128, width: u32) -> Facts {
        Facts { zeros: !value & mask(width), ones: value, lo: value, hi: value }
    }

    pub const fn unknown(width: u32) -> Facts {
        Facts { zeros: 0, ones: 0, lo: 0, hi: mask(width) }
    }

    fn interval(lo: u128, hi: u128, width: u32) -> Facts {
        Facts { zeros: 0, ones: 0, lo, hi }.tightened(width)
    }

    fn bits(zeros: u128, ones: u128, width: u32) -> Facts {
        Facts { zeros, ones, lo: 0, hi: mask(width) }.tightened(width)
    }

    #[inline]
    pub fn as_constant(&self) -> Option<u128> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// The bits that may be one.
    #[inline]
    pub fn possible(&self, width: u32) -> u128 {
        !self.zeros & mask(width)
    }

    fn tightened(mut self, width: u32) -> Facts {
        self.lo = self.lo.max(self.ones);
        self.hi = self.hi.min(self.possible(width));
        // The bits above the highest one in which the ends differ are the same in all values between.
        let differ = 128 - (self.lo ^ self.hi).leading_zeros();
        let same = mask(width) & !mask(differ);
        self.ones |= self.lo & same;
        self.zeros |= !self.lo & same;
        debug_assert!(self.lo <= self.hi && self.zeros & self.ones == 0, "contradictory facts {self:?}");
        self
    }

    /// Whether no value belongs to both.
    pub fn disjoint(&self, other: &Facts) -> bool {
        self.hi < other.lo || other.hi < self.lo || self.zeros & other.ones != 0 || self.ones & other.zeros != 0
    }

    /// The facts that hold of both.
    pub fn join(&self, other: &Facts) -> Facts {
        Facts {
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    pub(crate) fn not(&self, width: u32) -> Facts {
        let all = mask(width);
        Facts { zeros: self.ones, ones: self.zeros, lo: all - self.hi, hi: all - self.lo }
    }

    pub(crate) fn add(&self, other: &Facts, width: u32) -> Facts {
        let all = mask(width);
        // Known bits of a sum: those where both operands and the carry are known.
        let most = (!self.zeros).wrapping_add(!other.zeros);
        let least = self.ones.wrapping_add(other.ones);
        let carry_known = !(most ^ self.zeros ^ other.zeros) | (least ^ self.ones ^ other.ones);
        let known = (self.zeros | self.ones) & (other.zeros | other.ones) & carry_known & all;
        let mut facts = Facts { zeros: !most & known, ones: least & known, lo: 0, hi: all };
        let (lo, lo_wraps) = wrapping_sum(self.lo, other.lo, width);
        let (hi, hi_wraps) = wrapping_sum(self.hi, other.hi, width);
        if lo_wraps == hi_wraps {
            (facts.lo, facts.hi) = (lo, hi);
        }
        facts.tightened(width)
    }

    pub(crate) fn mul(&self, other: &Facts, width: u32) -> Facts {
        let trailing = trailing_zeros(self, width) + trailing_zeros(other, width);
        let mut facts = Facts { zeros: mask(trailing.min(width)), ones: 0, lo: 0, hi: mask(width) };
        if let Some(hi) = self.hi.checked_mul(other.hi).filter(|&hi| hi <= mask(width)) {
            (facts.lo, facts.hi) = (self.lo * other.lo, hi);
        }
        facts.tightened(width)
    }

    pub(crate) fn udiv(&self, other: &Facts, width: u32) -> Facts {
        if other.lo == 0 {
            return Facts::unknown(width);
        }
        Facts::interval(self.lo / other.hi, self.hi / other.lo, width)
    }

    pub(crate) fn urem(&self, other: &Facts, width: u32) -> Facts {
        let below_divisor = if other.lo == 0 { mask(width) } else { other.hi - 1 };
        Facts::interval(0, self.hi.min(below_divisor), width)
    }

    pub(crate) fn and(&self, other: &Facts, width: u32) -> Facts {
        let (zeros, ones) = (self.zeros | other.zeros, self.ones & other.ones);
        Facts { zeros, ones, lo: 0, hi: self.hi.min(other.hi) }.tightened(width)
    }

    pub(crate) fn or(&self, other: &Facts, width: u32) -> Facts {
        let (zeros, ones) = (self.zeros & other.zeros, self.ones | other.ones);
        Facts { zeros, ones, lo: self.lo.max(other.lo), hi: mask(width) }.tightened(width)
    }

    pub(crate) fn xor(&self, other: &Facts, width: u32) -> Facts {
        let zeros = (self.zeros & other.zeros) | (self.ones & other.ones);
        let ones = (self.zeros & other.ones) | (self.ones & other.zeros);
        Facts::bits(zeros, ones, width)
    }

    pub(crate) fn shl(&self, amount: &Facts, width: u32) -> Facts {
        let shift = amount.lo.min(u128::from(width)) as u32;
        Facts::bits(mask((trailing_zeros(self, width) + shift).min(width)), 0, width)
    }

    pub(crate) fn lshr(&self, amount: &Facts, width: u32) -> Facts {
        let shift = |value: u128, by: u128| if by >= u128::from(width) { 0 } else { value >> by };
        Facts::interval(shift(self.lo, amount.hi), shift(self.hi, amount.lo), width)
    }

    pub(crate) fn ashr(&self, amount: &Facts, width: u32) -> Facts {
        let sign = 1 << (width - 1);
        if self.zeros & sign != 0 {
            self.lshr(amount, width)
        } else if self.ones & sign != 0 {
            // The complement of a number below zero is not, and shifting commutes with it.
            self.not(width).lshr(amount, width).not(width)
        } else {
            Facts::unknown(width)
        }
    }

    pub(crate) fn concat(&self, low: &Facts, low_width: u32) -> Facts {
        Facts {
            zeros: self.zeros << low_width | low.zeros,
            ones: self.ones << low_width | low.ones,
            lo: self.lo << low_width | low.lo,
            hi: self.hi << low_width | low.hi,
        }
    }

    pub(crate) fn zext(&self, from: u32, to: u32) -> Facts {
        Facts { zeros: self.zeros | (mask(to) & !mask(from)), ..*self }
    }

    pub(crate) fn sext(&self, from: u32, to: u32) -> Facts {
        let (sign, high) = (1 << (from - 1), mask(to) & !mask(from));
        if self.zeros & sign != 0 {
            self.zext(from, to)
        } else if self.ones & sign != 0 {
            Facts { zeros: self.zeros, ones: self.ones | high, lo: self.lo | high, hi: self.hi | high }
        } else {
            Facts::bits(self.zeros, self.ones, to)
        }
    }

    pub(crate) fn extract(&self, low: u32, width: u32) -> Facts {
        let all = mask(width);
        let mut facts = Facts { zeros: self.zeros >> low & all, ones: self.ones >> low & all, lo: 0, hi: all };
        let above = |value: u128| value.checked_shr(low + width).unwrap_or(0);
        if above(self.lo) == above(self.hi) {
            (facts.lo, facts.hi) = (self.lo >> low & all, self.hi >> low & all);
        }
        facts.tightened(width)
    }

    pub(crate) fn ctpop(&self, width: u32) -> Facts {
        let most = self.possible(width).count_ones();
        Facts::interval(self.ones.count_ones().into(), most.into(), width)
    }

    pub(crate) fn ctlz(&self, width: u32) -> Facts {
        let zeros = |value: u128| u128::from(value.leading_zeros() - (128 - width));
        Facts::interval(zeros(self.hi), zeros(self.lo), width)
    }

    pub(crate) fn cttz(&self, width: u32) -> Facts {
        let most = self.ones.trailing_zeros().min(width);
        Facts::interval(trailing_zeros(self, width).into(), most.into(), width)
    }
}

fn trailing_zeros(facts: &Facts, width: u32) -> u32 {
    facts.zeros.trailing_ones().min(width)
}

fn wrapping_sum(a: u128, b: u128, width: u32) -> (u128, bool) {
    let (sum, carry) = a.overflowing_add(b);
    (sum & mask(width), carry || sum > mask(width))
}
