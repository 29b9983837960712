//! The owner of all terms.

use crate::facts::Facts;
use crate::symbols::{SetId, SymbolSet, SymbolSets};
use crate::term::{ArrayId, Binary, ConstId, ExprId, MAX_WIDTH, Symbol, Term, Unary};
use gordian_base::{FxHashMap, FxHasher, Id, IndexVec};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

struct SymbolInfo {
    name: String,
    width: u32,
    term: ExprId,
}

struct Array {
    elements: Arc<[ExprId]>,
    symbols: SetId,
}

/// An arena of terms in which every term is kept once. It only grows.
pub struct Pool {
    terms: IndexVec<ExprId, Term>,
    widths: IndexVec<ExprId, u8>,
    /// Invariant: facts that admit one value alone belong to constants.
    facts: IndexVec<ExprId, Facts>,
    sets_of: IndexVec<ExprId, SetId>,
    sets: SymbolSets,
    table: Table,
    constants: FxHashMap<(u128, u8), ExprId>,
    n_constants: u32,
    symbols: IndexVec<Symbol, SymbolInfo>,
    arrays: IndexVec<ArrayId, Array>,
    arrays_by_content: FxHashMap<Arc<[ExprId]>, ArrayId>,
}

impl Pool {
    pub fn new() -> Self {
        Pool {
            terms: IndexVec::new(),
            widths: IndexVec::new(),
            facts: IndexVec::new(),
            sets_of: IndexVec::new(),
            sets: SymbolSets::new(),
            table: Table::new(),
            constants: FxHashMap::default(),
            n_constants: 0,
            symbols: IndexVec::new(),
            arrays: IndexVec::new(),
            arrays_by_content: FxHashMap::default(),
        }
    }

    /// The number of terms built so far. Ids are below it.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    #[inline]
    pub fn term(&self, id: ExprId) -> Term {
        self.terms[id]
    }

    #[inline]
    pub fn width(&self, id: ExprId) -> u32 {
        self.widths[id].into()
    }

    #[inline]
    pub fn facts(&self, id: ExprId) -> &Facts {
        &self.facts[id]
    }

    #[inline]
    pub fn as_constant(&self, id: ExprId) -> Option<u128> {
        self.facts[id].as_constant()
    }

    /// The symbols that occur in a term.
    pub fn symbols(&self, id: ExprId) -> SymbolSet<'_> {
        self.sets.get(self.sets_of[id])
    }

    pub fn n_symbols(&self) -> usize {
        self.symbols.len()
    }

    pub fn symbol_name(&self, symbol: Symbol) -> &str {
        &self.symbols[symbol].name
    }

    pub fn symbol_width(&self, symbol: Symbol) -> u32 {
        self.symbols[symbol].width
    }

    /// The term that is the symbol alone.
    pub fn symbol_term(&self, symbol: Symbol) -> ExprId {
        self.symbols[symbol].term
    }

    pub fn elements(&self, array: ArrayId) -> &Arc<[ExprId]> {
        &self.arrays[array].elements
    }

    /// A new unknown. Names are for readers; two symbols may share one.
    pub fn fresh_symbol(&mut self, name: impl Into<String>, width: u32) -> Symbol {
        assert_width(width);
        let symbol = Symbol::from_index(self.symbols.len());
        let set = self.sets.single(symbol);
        let term = self.push(Term::Symbol(symbol), width, Facts::unknown(width), set);
        self.symbols.push(SymbolInfo { name: name.into(), width, term })
    }

    /// A new unknown, as a term.
    pub fn fresh(&mut self, name: impl Into<String>, width: u32) -> ExprId {
        let symbol = self.fresh_symbol(name, width);
        self.symbol_term(symbol)
    }

    /// The constant `value`, cut to `width` bits.
    pub fn constant(&mut self, value: u128, width: u32) -> ExprId {
        assert_width(width);
        let value = value & crate::ops::mask(width);
        if let Some(&known) = self.constants.get(&(value, width as u8)) {
            return known;
        }
        let term = Term::Const(ConstId(self.n_constants));
        self.n_constants += 1;
        let id = self.push(term, width, Facts::constant(value, width), SetId::EMPTY);
        self.constants.insert((value, width as u8), id);
        id
    }

    pub fn bool(&mut self, value: bool) -> ExprId {
        self.constant(value.into(), 1)
    }

    pub(crate) fn array(&mut self, elements: &[ExprId]) -> ArrayId {
        if let Some(&known) = self.arrays_by_content.get(elements) {
            return known;
        }
        let elements: Arc<[ExprId]> = elements.into();
        let symbols = elements.iter().fold(SetId::EMPTY, |set, &element| self.sets.union(set, self.sets_of[element]));
        let id = self.arrays.push(Array { elements: Arc::clone(&elements), symbols });
        self.arrays_by_content.insert(elements, id);
        id
    }

    /// The node itself: found again or new, not simplified beyond what its facts decide.
    pub(crate) fn make(&mut self, term: Term) -> ExprId {
        let hash = hash_of(term);
        if let Some(known) = self.table.find(hash, |id| self.terms[id] == term) {
            return known;
        }
        let (width, facts) = self.describe(term);
        if let Some(value) = facts.as_constant() {
            return self.constant(value, width);
        }
        let mut set = SetId::EMPTY;
        for operand in term.operands() {
            set = self.sets.union(set, self.sets_of[operand]);
        }
        if let Term::Select(array, _) = term {
            set = self.sets.union(set, self.arrays[array].symbols);
        }
        let id = self.push(term, width, facts, set);
        self.table.insert(hash, id, |id| hash_of(self.terms[id]));
        id
    }

    fn push(&mut self, term: Term, width: u32, facts: Facts, set: SetId) -> ExprId {
        let id = self.terms.push(term);
        self.widths.push(width as u8);
        self.facts.push(facts);
        self.sets_of.push(set);
        id
    }

    /// Width and facts of a term that is about to be made.
    fn describe(&self, term: Term) -> (u32, Facts) {
        match term {
            Term::Const(_) | Term::Symbol(_) => unreachable!("constants and symbols are made by their own functions"),
            Term::Unary(op, a) => {
                let (width, facts) = (self.width(a), self.facts(a));
                let facts = match op {
                    Unary::Not => facts.not(width),
                    Unary::Ctpop => facts.ctpop(width),
                    Unary::Ctlz => facts.ctlz(width),
                    Unary::Cttz => facts.cttz(width),
                };
                (width, facts)
            }
            Term::Binary(op, a, b) => self.describe_binary(op, a, b),
            Term::Zext(a, to) => (to.into(), self.facts(a).zext(self.width(a), to.into())),
            Term::Sext(a, to) => (to.into(), self.facts(a).sext(self.width(a), to.into())),
            Term::Extract { of, low, width } => (width.into(), self.facts(of).extract(low.into(), width.into())),
            Term::Ite(_, a, b) => (self.width(a), self.facts(a).join(self.facts(b))),
            Term::Select(array, index) => self.describe_select(array, index),
        }
    }

    fn describe_binary(&self, op: Binary, a: ExprId, b: ExprId) -> (u32, Facts) {
        let (width, low_width) = (self.width(a), self.width(b));
        let (a, b) = (self.facts(a), self.facts(b));
        let facts = match op {
            Binary::Add => a.add(b, width),
            Binary::Mul => a.mul(b, width),
            Binary::Udiv => a.udiv(b, width),
            Binary::Urem => a.urem(b, width),
            Binary::And => a.and(b, width),
            Binary::Or => a.or(b, width),
            Binary::Xor => a.xor(b, width),
            Binary::Shl => a.shl(b, width),
            Binary::Lshr => a.lshr(b, width),
            Binary::Ashr => a.ashr(b, width),
            Binary::Sdiv | Binary::Srem => Facts::unknown(width),
            Binary::Concat => return (width + low_width, a.concat(b, low_width)),
            Binary::Eq
            | Binary::Ult
            | Binary::Ule
            | Binary::Slt
            | Binary::Sle
            | Binary::UmulOverflow
            | Binary::SmulOverflow => return (1, Facts::unknown(1)),
        };
        (width, facts)
    }

    fn describe_select(&self, array: ArrayId, index: ExprId) -> (u32, Facts) {
        let elements = &self.arrays[array].elements;
        let width = self.width(elements[0]);
        let range = self.facts(index);
        let last = elements.len() - 1;
        let mut facts = (range.hi > last as u128).then(|| Facts::constant(0, width));
        let end = usize::try_from(range.hi).unwrap_or(usize::MAX).min(last);
        let start = usize::try_from(range.lo).unwrap_or(usize::MAX).min(end);
        for &element in &elements[start..=end] {
            facts = Some(facts.map_or(self.facts[element], |facts| facts.join(&self.facts[element])));
        }
        (width, facts.expect("a range has elements"))
    }
}

impl Default for Pool {
    fn default() -> Self {
        Pool::new()
    }
}

fn assert_width(width: u32) {
    assert!((1..=MAX_WIDTH).contains(&width), "vectors have 1 to {MAX_WIDTH} bits, not {width}");
}

fn hash_of(term: Term) -> u64 {
    let mut hasher = FxHasher::default();
    term.hash(&mut hasher);
    hasher.finish()
}

/// Ids by hash, with open addressing: the terms themselves stand in the arena and nowhere else.
struct Table {
    slots: Vec<u32>,
    used: usize,
}

const FREE: u32 = u32::MAX;

impl Table {
    fn new() -> Self {
        Table { slots: vec![FREE; 1024], used: 0 }
    }

    #[inline]
    fn find(&self, hash: u64, is_it: impl Fn(ExprId) -> bool) -> Option<ExprId> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let id = self.slots[slot];
            if id == FREE {
                return None;
            }
            if is_it(ExprId(id)) {
                return Some(ExprId(id));
            }
            slot = (slot + 1) & mask;
        }
    }

    fn insert(&mut self, hash: u64, id: ExprId, hash_of: impl Fn(ExprId) -> u64) {
        if (self.used + 1) * 2 > self.slots.len() {
            let doubled = vec![FREE; self.slots.len() * 2];
            let old = std::mem::replace(&mut self.slots, doubled);
            for id in old.into_iter().filter(|&id| id != FREE) {
                self.place(hash_of(ExprId(id)), id);
            }
        }
        self.place(hash, id.0);
        self.used += 1;
    }

    fn place(&mut self, hash: u64, id: u32) {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != FREE {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = id;
    }
}
