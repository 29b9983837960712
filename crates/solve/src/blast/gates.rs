//! A circuit of gates, each kept once. It is what terms become before they become clauses.
//!
//! Gates are more than `and`: sums and choices have a gate of their own, so that an adder costs two variables a bit and a choice one.

use gordian_base::FxHashMap;

/// The output of a gate, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bit(u32);

impl Bit {
    pub const FALSE: Bit = Bit(0);
    pub const TRUE: Bit = Bit(1);

    pub fn constant(value: bool) -> Bit {
        Bit(value.into())
    }

    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 1)
    }

    pub fn gate(self) -> usize {
        (self.0 / 2) as usize
    }

    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    fn positive(self) -> Bit {
        Bit(self.0 & !1)
    }

    fn negated_if(self, negate: bool) -> Bit {
        Bit(self.0 ^ u32::from(negate))
    }
}

impl std::ops::Not for Bit {
    type Output = Bit;
    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

/// How a gate's output comes about. Invariant: inputs are older gates, in order where order does not matter, and no constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// The gate of the two constants.
    False,
    /// A bit of a symbol.
    Input,
    And(Bit, Bit),
    /// Inputs are not negated.
    Xor(Bit, Bit),
    /// Inputs are not negated.
    Xor3(Bit, Bit, Bit),
    /// At least two of three. The first input is not negated.
    Majority(Bit, Bit, Bit),
    /// The second input if the first holds, else the third. Neither the first nor the third is negated.
    Mux(Bit, Bit, Bit),
}

pub struct Gates {
    gates: Vec<Gate>,
    known: FxHashMap<Gate, Bit>,
    /// For [`Gates::cone`]: the walk in which a gate was seen last.
    seen: Vec<u32>,
    walk: u32,
}

impl Gates {
    pub fn new() -> Self {
        Gates { gates: vec![Gate::False], known: FxHashMap::default(), seen: Vec::new(), walk: 0 }
    }

    pub fn len(&self) -> usize {
        self.gates.len()
    }

    pub fn gate(&self, index: usize) -> Gate {
        self.gates[index]
    }

    pub fn input(&mut self) -> Bit {
        self.push(Gate::Input)
    }

    fn push(&mut self, gate: Gate) -> Bit {
        let index = u32::try_from(self.gates.len()).ok().filter(|&index| index < 1 << 31);
        self.gates.push(gate);
        Bit(index.expect("a circuit has fewer than 2^31 gates") * 2)
    }

    fn make(&mut self, gate: Gate) -> Bit {
        if let Some(&known) = self.known.get(&gate) {
            return known;
        }
        let bit = self.push(gate);
        self.known.insert(gate, bit);
        bit
    }

    pub fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = (a.min(b), a.max(b));
        match a {
            Bit::FALSE => return Bit::FALSE,
            Bit::TRUE => return b,
            _ if a == b => return a,
            _ if a == !b => return Bit::FALSE,
            _ => {}
        }
        // One level down: what an input says already, and what it contradicts.
        for (x, y) in [(a, b), (b, a)] {
            if let Gate::And(p, q) = self.gates[x.gate()] {
                if !x.is_negated() {
                    if p == y || q == y {
                        return x;
                    }
                    if p == !y || q == !y {
                        return Bit::FALSE;
                    }
                } else if p == !y || q == !y {
                    return y;
                } else if p == y {
                    return self.and(y, !q);
                } else if q == y {
                    return self.and(y, !p);
                }
            }
        }
        self.make(Gate::And(a, b))
    }

    pub fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        let negate = a.is_negated() ^ b.is_negated();
        let (a, b) = (a.positive().min(b.positive()), a.positive().max(b.positive()));
        if a == b {
            return Bit::FALSE.negated_if(negate);
        }
        if a == Bit::FALSE {
            return b.negated_if(negate);
        }
        self.make(Gate::Xor(a, b)).negated_if(negate)
    }

    /// The sum bit of a full adder.
    pub fn xor3(&mut self, a: Bit, b: Bit, c: Bit) -> Bit {
        let negate = a.is_negated() ^ b.is_negated() ^ c.is_negated();
        let mut inputs = [a.positive(), b.positive(), c.positive()];
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        let result = if a == Bit::FALSE {
            self.xor(b, c)
        } else if a == b {
            c
        } else if b == c {
            a
        } else {
            self.make(Gate::Xor3(a, b, c))
        };
        result.negated_if(negate)
    }

    /// The carry of a full adder.
    pub fn majority(&mut self, a: Bit, b: Bit, c: Bit) -> Bit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        if a == b || b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        if b == !c {
            return a;
        }
        match a {
            Bit::FALSE => self.and(b, c),
            Bit::TRUE => self.or(b, c),
            // The majority of negations is the negation of the majority.
            _ if a.is_negated() => !self.make(Gate::Majority(!a, !b, !c)),
            _ => self.make(Gate::Majority(a, b, c)),
        }
    }

    pub fn mux(&mut self, select: Bit, then: Bit, otherwise: Bit) -> Bit {
        if select.is_negated() {
            return self.mux(!select, otherwise, then);
        }
        if select == Bit::FALSE {
            return otherwise;
        }
        if then == otherwise {
            return then;
        }
        if then == !otherwise {
            return self.xor(select, otherwise);
        }
        match (then, otherwise) {
            (Bit::FALSE, _) => return self.and(!select, otherwise),
            (Bit::TRUE, _) => return self.or(select, otherwise),
            (_, Bit::FALSE) => return self.and(select, then),
            (_, Bit::TRUE) => return self.or(!select, then),
            _ => {}
        }
        if then.gate() == select.gate() {
            return if then == select { self.or(select, otherwise) } else { self.and(!select, otherwise) };
        }
        if otherwise.gate() == select.gate() {
            return if otherwise == select { self.and(select, then) } else { self.or(!select, then) };
        }
        let negate = otherwise.is_negated();
        self.make(Gate::Mux(select, then.negated_if(negate), otherwise.positive())).negated_if(negate)
    }

    /// How many gates some bits depend on, their own included.
    pub fn cone(&mut self, bits: impl Iterator<Item = Bit>) -> usize {
        self.walk += 1;
        self.seen.resize(self.gates.len(), 0);
        let mut stack: Vec<usize> = bits.map(Bit::gate).collect();
        let mut n = 0;
        while let Some(index) = stack.pop() {
            if std::mem::replace(&mut self.seen[index], self.walk) != self.walk {
                n += 1;
                stack.extend(Gates::inputs(self.gates[index]).map(Bit::gate));
            }
        }
        n
    }

    /// The inputs of a gate.
    pub fn inputs(gate: Gate) -> impl Iterator<Item = Bit> {
        let inputs = match gate {
            Gate::False | Gate::Input => [None; 3],
            Gate::And(a, b) | Gate::Xor(a, b) => [Some(a), Some(b), None],
            Gate::Xor3(a, b, c) | Gate::Majority(a, b, c) | Gate::Mux(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        inputs.into_iter().flatten()
    }
}
