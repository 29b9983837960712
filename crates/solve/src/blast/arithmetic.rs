//! Circuits for the operations. Constant inputs fold away in the gates, so few operations treat them specially.

use super::gates::{Bit, Gates};

impl Gates {
    pub fn add(&mut self, a: &[Bit], b: &[Bit], mut carry: Bit) -> Vec<Bit> {
        let mut sum = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            sum.push(self.xor3(x, y, carry));
            carry = self.majority(x, y, carry);
        }
        sum
    }

    pub fn subtract(&mut self, a: &[Bit], b: &[Bit]) -> Vec<Bit> {
        let negated: Vec<Bit> = b.iter().map(|&bit| !bit).collect();
        self.add(a, &negated, Bit::TRUE)
    }

    fn negate(&mut self, a: &[Bit]) -> Vec<Bit> {
        self.subtract(&vec![Bit::FALSE; a.len()], a)
    }

    pub fn choose(&mut self, condition: Bit, then: &[Bit], otherwise: &[Bit]) -> Vec<Bit> {
        then.iter().zip(otherwise).map(|(&x, &y)| self.mux(condition, x, y)).collect()
    }

    /// As a balanced tree.
    fn all(&mut self, bits: &[Bit]) -> Bit {
        match *bits {
            [] => Bit::TRUE,
            [bit] => bit,
            _ => {
                let (left, right) = bits.split_at(bits.len() / 2);
                let (left, right) = (self.all(left), self.all(right));
                self.and(left, right)
            }
        }
    }

    fn any(&mut self, bits: &[Bit]) -> Bit {
        let negated: Vec<Bit> = bits.iter().map(|&bit| !bit).collect();
        !self.all(&negated)
    }

    pub fn equal(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let same: Vec<Bit> = a.iter().zip(b).map(|(&x, &y)| !self.xor(x, y)).collect();
        self.all(&same)
    }

    /// The borrow of `a - b`.
    pub fn less(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        a.iter().zip(b).fold(Bit::FALSE, |less, (&x, &y)| self.majority(!x, y, less))
    }

    pub fn less_signed(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let top = a.len() - 1;
        let below = self.less(&a[..top], &b[..top]);
        self.majority(a[top], !b[top], below)
    }

    pub fn multiply(&mut self, a: &[Bit], b: &[Bit]) -> Vec<Bit> {
        let n_constant = |bits: &[Bit]| bits.iter().filter(|bit| bit.as_constant().is_some()).count();
        // Rows belong to the bits of the one with more constants: zeros have no row.
        let (a, b) = if n_constant(a) > n_constant(b) { (b, a) } else { (a, b) };
        if n_constant(b) == b.len() {
            return self.multiply_constant(a, b);
        }
        let width = a.len();
        let mut product = vec![Bit::FALSE; width];
        for (shift, &bit) in b.iter().enumerate().filter(|&(_, &bit)| bit != Bit::FALSE) {
            let row: Vec<Bit> = a[..width - shift].iter().map(|&x| self.and(x, bit)).collect();
            let sum = self.add(&product[shift..], &row, Bit::FALSE);
            product[shift..].copy_from_slice(&sum);
        }
        product
    }

    /// A row for each digit of the factor in non-adjacent form, which has the fewest: 7 is 8 - 1.
    fn multiply_constant(&mut self, a: &[Bit], factor: &[Bit]) -> Vec<Bit> {
        let width = a.len();
        let mut product = vec![Bit::FALSE; width];
        let mut carry = 0;
        for shift in 0..width {
            let digit = |at: usize| factor.get(at).map_or(0, |&bit| u32::from(bit == Bit::TRUE));
            let sum = digit(shift) + carry;
            if sum != 1 {
                carry = sum / 2;
                continue;
            }
            let minus = shift + 1 < width && digit(shift + 1) == 1;
            carry = u32::from(minus);
            let row = &a[..width - shift];
            let sum = if minus {
                self.subtract(&product[shift..], row)
            } else {
                self.add(&product[shift..], row, Bit::FALSE)
            };
            product[shift..].copy_from_slice(&sum);
        }
        product
    }

    /// Quotient and remainder by long division. Zero as divisor gives what SMT-LIB wants: all ones and the dividend.
    pub fn divide(&mut self, a: &[Bit], b: &[Bit]) -> (Vec<Bit>, Vec<Bit>) {
        let width = a.len();
        let mut wide_divisor = b.to_vec();
        wide_divisor.push(Bit::FALSE);
        let mut quotient = vec![Bit::FALSE; width];
        let mut remainder = vec![Bit::FALSE; width];
        for position in (0..width).rev() {
            let mut shifted = vec![a[position]];
            shifted.extend(&remainder);
            let smaller = self.less(&shifted, &wide_divisor);
            let difference = self.subtract(&shifted, &wide_divisor);
            quotient[position] = !smaller;
            remainder = self.choose(smaller, &shifted[..width], &difference[..width]);
        }
        (quotient, remainder)
    }

    /// Rounded toward zero; the remainder has the sign of the dividend.
    pub fn divide_signed(&mut self, a: &[Bit], b: &[Bit]) -> (Vec<Bit>, Vec<Bit>) {
        let (a_sign, b_sign) = (a[a.len() - 1], b[b.len() - 1]);
        let (a_size, b_size) = (self.negate_if(a_sign, a), self.negate_if(b_sign, b));
        let (quotient, remainder) = self.divide(&a_size, &b_size);
        let signs_differ = self.xor(a_sign, b_sign);
        (self.negate_if(signs_differ, &quotient), self.negate_if(a_sign, &remainder))
    }

    fn negate_if(&mut self, condition: Bit, a: &[Bit]) -> Vec<Bit> {
        if condition == Bit::FALSE {
            return a.to_vec();
        }
        let negated = self.negate(a);
        self.choose(condition, &negated, a)
    }

    /// A barrel shifter that moves `fill` in from above.
    pub fn shift_right(&mut self, a: &[Bit], amount: &[Bit], fill: Bit) -> Vec<Bit> {
        let width = a.len();
        let mut bits = a.to_vec();
        for (stage, &select) in amount.iter().enumerate() {
            let by = 1usize.checked_shl(stage as u32).filter(|&by| by < width);
            let Some(by) = by else {
                let too_far = self.any(&amount[stage..]);
                return bits.into_iter().map(|bit| self.mux(too_far, fill, bit)).collect();
            };
            bits = (0..width)
                .map(|at| {
                    let from = bits.get(at + by).copied().unwrap_or(fill);
                    self.mux(select, from, bits[at])
                })
                .collect();
        }
        bits
    }

    /// The number of ones, by adding halves.
    pub fn count_ones(&mut self, a: &[Bit]) -> Vec<Bit> {
        let mut counts: Vec<Vec<Bit>> = a.iter().map(|&bit| vec![bit]).collect();
        while counts.len() > 1 {
            counts = counts
                .chunks(2)
                .map(|pair| match pair {
                    [x, y] => {
                        let width = x.len().max(y.len()) + 1;
                        let extended = |bits: &Vec<Bit>| {
                            let mut bits = bits.clone();
                            bits.resize(width, Bit::FALSE);
                            bits
                        };
                        self.add(&extended(x), &extended(y), Bit::FALSE)
                    }
                    _ => pair[0].clone(),
                })
                .collect();
        }
        let mut count = counts.pop().expect("a vector has bits");
        count.resize(a.len(), Bit::FALSE);
        count
    }

    /// The number of zeros before the first one, from one end or the other.
    pub fn count_zeros(&mut self, a: &[Bit], from_below: bool) -> Vec<Bit> {
        let width = a.len();
        let number = |value: usize| -> Vec<Bit> {
            (0..width).map(|bit| Bit::constant(bit < 32 && value >> bit & 1 == 1)).collect()
        };
        let mut count = number(width);
        for zeros in (0..width).rev() {
            let bit = if from_below { a[zeros] } else { a[width - 1 - zeros] };
            count = self.choose(bit, &number(zeros), &count);
        }
        count
    }

    /// The element at an index, by halving the list for each bit of it; zero outside.
    pub fn select(&mut self, mut elements: Vec<Vec<Bit>>, index: &[Bit], width: usize) -> Vec<Bit> {
        let zero = vec![Bit::FALSE; width];
        for (stage, &bit) in index.iter().enumerate() {
            if elements.len() == 1 {
                let outside = self.any(&index[stage..]);
                return self.choose(outside, &zero, &elements[0]);
            }
            elements =
                elements.chunks(2).map(|pair| self.choose(bit, pair.get(1).unwrap_or(&zero), &pair[0])).collect();
        }
        elements.swap_remove(0)
    }

    /// Whether the product needs more bits than one operand has. Schulte, Balzola, Akkas and Brocato, "Integer multiplication with
    /// overflow detection or saturation" (2000): one more bit of the product is enough, because what goes further shows in the
    /// operands' leading zeros.
    pub fn multiply_overflows(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let width = a.len();
        if width == 1 {
            return Bit::FALSE;
        }
        let mut overflow = Bit::FALSE;
        let mut leading = Bit::FALSE;
        for low in 1..width {
            leading = self.or(leading, b[width - low]);
            let beyond = self.and(a[low], leading);
            overflow = self.or(overflow, beyond);
        }
        let extended = |bits: &[Bit]| [bits, &[Bit::FALSE]].concat();
        let product = self.multiply(&extended(a), &extended(b));
        self.or(overflow, product[width])
    }

    /// As [`Gates::multiply_overflows`], with leading copies of the sign in place of zeros.
    pub fn multiply_overflows_signed(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let width = a.len();
        let top = width - 1;
        if width == 1 {
            return self.and(a[0], b[0]);
        }
        let differs_from_sign = |gates: &mut Gates, bits: &[Bit]| -> Vec<Bit> {
            bits.iter().map(|&bit| gates.xor(bit, bits[top])).collect()
        };
        let (x, y) = (differs_from_sign(self, a), differs_from_sign(self, b));
        let mut overflow = Bit::FALSE;
        let mut leading = Bit::FALSE;
        for low in 1..top {
            leading = self.or(leading, y[top - low]);
            let beyond = self.and(x[low], leading);
            overflow = self.or(overflow, beyond);
        }
        let extended = |bits: &[Bit]| [bits, &bits[top..]].concat();
        let product = self.multiply(&extended(a), &extended(b));
        let differ = self.xor(product[width], product[top]);
        self.or(overflow, differ)
    }
}
