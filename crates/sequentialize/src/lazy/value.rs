//! What is known of values and of memory while code is unrolled.

use gordian_ir::{Inst, Pred, address};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Sets of values are no larger than this.
const MOST_VALUES: usize = 16;

/// A superset of the values that something can have.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Any,
    OneOf(BTreeSet<u64>),
    /// A pointer into one of these objects; offsets are multiples of this power of two.
    Within(BTreeSet<usize>, u64),
}

impl Value {
    pub fn constant(value: u64) -> Value {
        Value::OneOf(BTreeSet::from([value]))
    }

    pub fn truth() -> Value {
        Value::OneOf(BTreeSet::from([0, 1]))
    }

    pub fn known(&self) -> Option<u64> {
        match self {
            Value::OneOf(values) if values.len() == 1 => values.first().copied(),
            _ => None,
        }
    }

    fn of(values: BTreeSet<u64>) -> Value {
        if values.len() > MOST_VALUES { Value::Any } else { Value::OneOf(values) }
    }

    pub fn join(&self, other: &Value, objects: &Objects) -> Value {
        match (self, other) {
            (Value::OneOf(a), Value::OneOf(b)) => match a.union(b).copied().collect::<BTreeSet<u64>>() {
                values if values.len() <= MOST_VALUES => Value::OneOf(values),
                _ => match (objects.within(self), objects.within(other)) {
                    (Some((a, m)), Some((b, n))) => Value::Within(&a | &b, m.min(n)),
                    _ => Value::Any,
                },
            },
            (Value::Any, _) | (_, Value::Any) => Value::Any,
            (a, b) => match (objects.within(a), objects.within(b)) {
                (Some((a, m)), Some((b, n))) => Value::Within(&a | &b, m.min(n)),
                _ => Value::Any,
            },
        }
    }

    /// The result of a function of each pair of values.
    pub fn map2(&self, other: &Value, f: impl Fn(u64, u64) -> u64) -> Value {
        match (self, other) {
            (Value::OneOf(a), Value::OneOf(b)) => {
                Value::of(a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b))).map(|(a, b)| f(a, b)).collect())
            }
            _ => Value::Any,
        }
    }

    fn map(&self, f: impl Fn(u64) -> u64) -> Value {
        match self {
            Value::OneOf(values) => Value::of(values.iter().map(|&value| f(value)).collect()),
            _ => Value::Any,
        }
    }
}

pub struct Object {
    pub start: u64,
    pub size: u64,
    pub constant: bool,
    pub name: String,
    pub init: Rc<[u8]>,
}

/// All objects so far, by their number.
#[derive(Default)]
pub struct Objects {
    pub list: Vec<Object>,
    by_start: BTreeMap<u64, usize>,
}

impl Objects {
    pub fn add(&mut self, object: Object) -> usize {
        let number = self.list.len();
        self.by_start.insert(object.start, number);
        self.list.push(object);
        number
    }

    pub fn at(&self, pointer: u64) -> Option<usize> {
        self.by_start.get(&address::object_start(pointer)).copied()
    }

    /// The objects that a value points into, if it is a pointer for certain, and what divides its offsets.
    fn within(&self, value: &Value) -> Option<(BTreeSet<usize>, u64)> {
        match value {
            Value::Any => None,
            Value::Within(objects, divisor) => Some((objects.clone(), *divisor)),
            Value::OneOf(values) => {
                let objects: Option<BTreeSet<usize>> = values.iter().map(|&value| self.at(value)).collect();
                let divisor = values.iter().map(|&value| divisor_of(address::offset(value))).min()?;
                Some((objects?, divisor))
            }
        }
    }

    /// A pointer moved by a multiple of `step`.
    fn moved(&self, base: &Value, step: u64) -> Value {
        match self.within(base) {
            Some((objects, divisor)) => Value::Within(objects, divisor.min(divisor_of(step))),
            None => Value::Any,
        }
    }
}

/// The largest power of two up to 8 that divides it.
pub fn divisor_of(number: u64) -> u64 {
    1 << number.trailing_zeros().min(3)
}

pub fn mask(w: u8) -> u64 {
    if w >= 64 { u64::MAX } else { (1 << w) - 1 }
}

pub fn signed(value: u64, w: u8) -> i64 {
    if w >= 64 { value as i64 } else { (value << (64 - w)) as i64 >> (64 - w) }
}

pub fn compare(pred: Pred, w: u8, a: u64, b: u64) -> bool {
    match pred {
        Pred::Eq => a == b,
        Pred::Ne => a != b,
        Pred::Ult => a < b,
        Pred::Ule => a <= b,
        Pred::Slt => signed(a, w) < signed(b, w),
        Pred::Sle => signed(a, w) <= signed(b, w),
    }
}

pub fn comparison(pred: Pred, w: u8, a: &Value, b: &Value) -> Value {
    match a.map2(b, |a, b| u64::from(compare(pred, w, a, b))) {
        Value::Any => Value::truth(),
        known => known,
    }
}

/// The result of an instruction that concerns nothing but registers.
pub fn evaluate(inst: Inst, objects: &Objects, value: impl Fn(gordian_ir::Slot) -> Value) -> Value {
    use Inst::*;
    let cmp = |pred, w, a, b| comparison(pred, w, &value(a), &value(b));
    match inst {
        Move { src, .. } => value(src),
        Add { w, a, b, .. } => match value(a).map2(&value(b), |a, b| a.wrapping_add(b) & mask(w)) {
            Value::Any if w == 64 => pointer_sum(objects, &value(a), &value(b)),
            sum => sum,
        },
        Sub { w, a, b, .. } => value(a).map2(&value(b), |a, b| a.wrapping_sub(b) & mask(w)),
        Mul { w, a, b, .. } => value(a).map2(&value(b), |a, b| a.wrapping_mul(b) & mask(w)),
        And { a, b, .. } => value(a).map2(&value(b), |a, b| a & b),
        Or { a, b, .. } => value(a).map2(&value(b), |a, b| a | b),
        Xor { a, b, .. } => value(a).map2(&value(b), |a, b| a ^ b),
        Shl { w, a, b, .. } => value(a).map2(&value(b), |a, b| if b < u64::from(w) { (a << b) & mask(w) } else { 0 }),
        LShr { w, a, b, .. } => value(a).map2(&value(b), |a, b| if b < u64::from(w) { a >> b } else { 0 }),
        CmpEq { a, b, .. } => cmp(Pred::Eq, 64, a, b),
        CmpNe { a, b, .. } => cmp(Pred::Ne, 64, a, b),
        CmpUlt { a, b, .. } => cmp(Pred::Ult, 64, a, b),
        CmpUle { a, b, .. } => cmp(Pred::Ule, 64, a, b),
        CmpSlt { w, a, b, .. } => cmp(Pred::Slt, w, a, b),
        CmpSle { w, a, b, .. } => cmp(Pred::Sle, w, a, b),
        FCmp { .. } => Value::truth(),
        Select { cond, a, b, .. } => match value(cond).known() {
            Some(0) => value(b),
            Some(_) => value(a),
            None => value(a).join(&value(b), objects),
        },
        Trunc { w, a, .. } => value(a).map(|a| a & mask(w)),
        SExt { from, to, a, .. } => value(a).map(|a| signed(a, from) as u64 & mask(to)),
        Index { scale, base, index, .. } => {
            let scale = i64::from(scale) as u64;
            match value(base).map2(&value(index), |base, index| base.wrapping_add(index.wrapping_mul(scale))) {
                Value::Any => objects.moved(&value(base), scale),
                sum => sum,
            }
        }
        _ => Value::Any,
    }
}

/// One of both may be a pointer.
fn pointer_sum(objects: &Objects, a: &Value, b: &Value) -> Value {
    match (objects.within(a), objects.within(b)) {
        (Some(_), None) => objects.moved(a, 1),
        (None, Some(_)) => objects.moved(b, 1),
        _ => Value::Any,
    }
}

/// What is known of an object's contents.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// By offset: size and value.
    cells: BTreeMap<u64, (u64, Value)>,
    /// All other bytes, as values of some size; none if they are as the object was made.
    rest: Option<(u64, Value)>,
}

impl Contents {
    pub fn load(&self, object: &Object, offset: u64, size: u64) -> Value {
        if let Some((of, value)) = self.cells.get(&offset)
            && *of == size
        {
            return value.clone();
        }
        if self.overlapping(offset, size).next().is_some() {
            let bytes: Option<Vec<u64>> = (offset..offset + size).rev().map(|at| self.byte(object, at)).collect();
            let joined = bytes.map(|bytes| bytes.iter().fold(0, |word, byte| word << 8 | byte));
            return joined.map_or(Value::Any, Value::constant);
        }
        match &self.rest {
            Some((of, value)) if *of == size && offset.is_multiple_of(size) => value.clone(),
            Some(_) => Value::Any,
            None => Value::constant(initial(object, offset, size)),
        }
    }

    /// A byte, if it is known.
    fn byte(&self, object: &Object, at: u64) -> Option<u64> {
        match self.overlapping(at, 1).next() {
            Some((start, _)) => Some(self.cells[&start].1.known()? >> (8 * (at - start)) & 255),
            None => self.rest.is_none().then(|| initial(object, at, 1)),
        }
    }

    fn overlapping(&self, offset: u64, size: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        let cells = self.cells.range(offset.saturating_sub(16)..offset + size);
        cells.map(|(&at, &(size, _))| (at, size)).filter(move |&(at, size)| at + size > offset)
    }

    pub fn store(&mut self, offset: u64, size: u64, value: Value) {
        let gone: Vec<(u64, u64)> = self.overlapping(offset, size).collect();
        for (at, of) in gone {
            self.cells.remove(&at);
            for byte in (at..at + of).filter(|byte| !(offset..offset + size).contains(byte)) {
                self.cells.insert(byte, (1, Value::Any));
            }
        }
        self.cells.insert(offset, (size, value));
    }

    /// A value of this size at any multiple of it.
    pub fn load_anywhere(&self, object: &Object, size: u64, objects: &Objects) -> Value {
        let mut all = match &self.rest {
            Some((of, value)) if *of == size => value.clone(),
            Some(_) => return Value::Any,
            None => {
                let words = (0..object.size / size).map(|nth| initial(object, nth * size, size));
                Value::of(words.take(MOST_VALUES * 16).collect())
            }
        };
        for (at, (of, value)) in &self.cells {
            if *of != size || !at.is_multiple_of(size) {
                return Value::Any;
            }
            all = all.join(value, objects);
        }
        all
    }

    pub fn store_anywhere(&mut self, object: &Object, size: u64, value: &Value, objects: &Objects) {
        let all = self.load_anywhere(object, size, objects).join(value, objects);
        self.cells.clear();
        self.rest = Some((size, all));
    }

    pub fn join(&self, other: &Contents, object: &Object, objects: &Objects) -> Contents {
        let mut cells = BTreeMap::new();
        for (&offset, &(size, _)) in self.cells.iter().chain(&other.cells) {
            let value = self.load(object, offset, size).join(&other.load(object, offset, size), objects);
            let known: &mut (u64, Value) = cells.entry(offset).or_insert((size, value));
            if known.0 != size {
                *known = (known.0.max(size), Value::Any);
            }
        }
        let rest = match (&self.rest, &other.rest) {
            (None, None) => None,
            (Some((m, a)), Some((n, b))) if m == n => Some((*m, a.join(b, objects))),
            (Some((size, value)), None) | (None, Some((size, value))) => {
                let before = Contents::default().load_anywhere(object, *size, objects);
                Some((*size, value.join(&before, objects)))
            }
            _ => Some((1, Value::Any)),
        };
        Contents { cells, rest }
    }
}

fn initial(object: &Object, offset: u64, size: u64) -> u64 {
    let byte = |at: u64| u64::from(object.init.get((offset + at) as usize).copied().unwrap_or(0));
    (0..size.min(8)).map(|at| byte(at) << (8 * at)).fold(0, |word, byte| word | byte)
}
