//! Values: what reads see in a line, and whether every decision goes as it did in the run.
//!
//! A line fixes which write each read takes, and inputs are those of the run, so a line has one set of values. A line with a decision that goes
//! another way is refused by a clause: the data solver gives a core, reads whose sources contradict the decision, and one of them must take
//! something else.

use crate::line::{Atom, END, Line};
use crate::reorder::{Deviation, Refused};
use crate::run::{Op, Run, Span};
use gordian_base::{FxHashMap, Id};
use gordian_expr::{Evaluator, ExprId, Pool, Symbol};
use gordian_solve::{Answer, Budget, Model, Query, Solver, Standard, standard};
use std::sync::Arc;

/// What an event is about, in terms.
#[derive(Clone, Debug)]
pub enum Term {
    /// The symbol that is read, and what stands there before anybody writes.
    Read {
        symbol: Symbol,
        initial: ExprId,
    },
    Write(ExprId),
    /// Byte by byte.
    Publish(Arc<[ExprId]>),
}

/// A condition that holds in the run.
#[derive(Clone, Copy, Debug)]
pub struct Decision {
    pub event: u32,
    pub condition: ExprId,
    /// It limits what is looked at, so nothing goes another way there.
    pub is_assumption: bool,
}

/// Conflicts of one query.
static BUDGET: Budget = Budget { conflicts: Some(20_000), decisions: None, stop: None };

/// The terms of a run.
pub struct Values {
    pub pool: Pool,
    pub terms: FxHashMap<u32, Term>,
    pub decisions: Vec<Decision>,
    /// Values of all symbols in the run.
    model: Vec<u128>,
    read_of: FxHashMap<Symbol, u32>,
    /// By aligned word: events that write there.
    writers: FxHashMap<u64, Vec<u32>>,
    evaluator: Evaluator,
    solver: Standard,
    pub n_queries: u64,
}

/// Where a byte comes from: the event that wrote it, none for what was there before.
type ByteSource = Option<u32>;

/// What a line has come to.
struct Memory {
    bytes: FxHashMap<u64, (u32, u8)>,
    model: Vec<u128>,
    /// By read: the sources of its bytes.
    sources: FxHashMap<u32, Vec<ByteSource>>,
    freed: Vec<(Span, u32)>,
}

impl Values {
    pub fn new(pool: Pool, terms: FxHashMap<u32, Term>, decisions: Vec<Decision>, run: &Run, model: &Model) -> Self {
        let mut values = vec![0; pool.n_symbols()];
        for (symbol, value) in model.iter() {
            values[symbol.index()] = value;
        }
        let mut read_of = FxHashMap::default();
        let mut writers: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        for (number, event) in (0u32..).zip(&run.events) {
            match event.op {
                Op::Write(span) | Op::Publish(span) => {
                    for word in span.address >> 3..(span.end() + 7) >> 3 {
                        writers.entry(word).or_default().push(number);
                    }
                }
                Op::Read(_) => {
                    if let Some(Term::Read { symbol, .. }) = terms.get(&number) {
                        read_of.insert(*symbol, number);
                    }
                }
                _ => {}
            }
        }
        let (evaluator, solver) = (Evaluator::new(), standard(None));
        Values { pool, terms, decisions, model: values, read_of, writers, evaluator, solver, n_queries: 0 }
    }

    fn value(&mut self, model: &[u128], term: ExprId) -> u128 {
        self.evaluator.value(&self.pool, term, model)
    }

    /// Goes through a line. What contradicts the run is said to `line`; `guard` stands first among what was assumed if a decision is to deviate.
    pub fn check(
        &mut self,
        run: &Run,
        line: &mut Line,
        instants: &[u32],
        assumed: &[Atom],
        deviation: Deviation,
    ) -> Result<(), Refused> {
        let mut memory = Memory {
            bytes: FxHashMap::default(),
            model: self.model.clone(),
            sources: FxHashMap::default(),
            freed: Vec::new(),
        };
        for &instant in instants {
            let (from, to) = run.instants[instant as usize].events;
            for event in from..to {
                let Some(decision) = self.play(run, line, &mut memory, event)? else { continue };
                let Decision { condition, .. } = self.decisions[decision as usize];
                let holds = self.value(&memory.model, condition) == 1;
                let deviates = deviation == Some(decision);
                if deviates && !holds {
                    // Nothing of its thread comes after it, and what others do was checked or does not matter to it.
                    break;
                }
                if holds != deviates {
                    continue;
                }
                let wanted = if deviates { self.pool.not(condition) } else { condition };
                let but = if deviates { assumed[0].not() } else { line.before(END, instant) };
                self.refuse(run, line, &memory, wanted, but);
                return Err(Refused::Learnt);
            }
        }
        Ok(())
    }

    /// Makes one event; gives the decision that it is.
    fn play(&mut self, run: &Run, line: &mut Line, memory: &mut Memory, event: u32) -> Result<Option<u32>, Refused> {
        match run.events[event as usize].op {
            Op::Decide(decision) => return Ok(Some(decision)),
            Op::Read(span) => {
                self.refuse_freed(run, line, memory, event, span)?;
                let Some(&Term::Read { symbol, initial }) = self.terms.get(&event) else {
                    return Err(Refused::Unknown);
                };
                let before = self.value(&memory.model, initial);
                let mut value = 0u128;
                let mut sources = Vec::with_capacity(span.size as usize);
                for (nth, byte) in (0..).zip(span.bytes()) {
                    let found = memory.bytes.get(&byte).copied();
                    sources.push(found.map(|(source, _)| source));
                    let byte = found.map_or((before >> (8 * nth)) as u8, |(_, byte)| byte);
                    value |= u128::from(byte) << (8 * nth);
                }
                memory.model[symbol.index()] = value;
                memory.sources.insert(event, sources);
            }
            Op::Write(span) => {
                self.refuse_freed(run, line, memory, event, span)?;
                let Some(&Term::Write(term)) = self.terms.get(&event) else { return Err(Refused::Unknown) };
                let value = self.value(&memory.model, term);
                for (nth, byte) in (0..).zip(span.bytes()) {
                    memory.bytes.insert(byte, (event, (value >> (8 * nth)) as u8));
                }
            }
            Op::Publish(span) => {
                let Some(Term::Publish(bytes)) = self.terms.get(&event).cloned() else { return Err(Refused::Unknown) };
                for (at, &byte) in span.bytes().zip(bytes.iter()) {
                    let value = self.value(&memory.model, byte) as u8;
                    memory.bytes.insert(at, (event, value));
                }
            }
            Op::Free(span) => {
                self.refuse_freed(run, line, memory, event, span)?;
                memory.freed.push((span, event));
            }
            _ => {}
        }
        Ok(None)
    }

    /// Rule: nobody touches what was freed before. It would fail there, and so it is the last event of its thread.
    fn refuse_freed(&self, run: &Run, line: &mut Line, memory: &Memory, event: u32, span: Span) -> Result<(), Refused> {
        let Some(&(_, free)) = memory.freed.iter().find(|(freed, _)| freed.overlaps(span)) else { return Ok(()) };
        let (access, free) = (run.instant(event), run.instant(free));
        let clause = [line.before(END, access), line.before(access, free)];
        line.add(&clause);
        Err(Refused::Learnt)
    }

    /// Says that the condition cannot hold with the sources that blamed reads have, unless `but`.
    fn refuse(&mut self, run: &Run, line: &mut Line, memory: &Memory, wanted: ExprId, but: Atom) {
        let mut facts: Vec<(ExprId, Option<u32>)> = Vec::new();
        let mut left: Vec<Symbol> = self.pool.symbols(wanted).iter().collect();
        let mut known: gordian_base::FxHashSet<Symbol> = left.iter().copied().collect();
        while let Some(symbol) = left.pop() {
            let read = self.read_of.get(&symbol).copied().filter(|read| memory.sources.contains_key(read));
            let (says, from) = match read {
                Some(read) => {
                    let taken = self.taken(run, memory, read);
                    let term = self.pool.symbol_term(symbol);
                    (self.pool.eq(term, taken), Some((taken, read)))
                }
                None => {
                    let term = self.pool.symbol_term(symbol);
                    let value = self.pool.constant(self.model[symbol.index()], self.pool.width(term));
                    (self.pool.eq(term, value), None)
                }
            };
            facts.push((says, from.map(|(_, read)| read)));
            if let Some((taken, _)) = from {
                left.extend(self.pool.symbols(taken).iter().filter(|&symbol| known.insert(symbol)));
            }
        }
        let mut constraints: Vec<ExprId> = facts.iter().map(|&(says, _)| says).collect();
        constraints.push(wanted);
        self.n_queries += 1;
        let blamed: Vec<u32> = match self.solver.check(&self.pool, &Query::new(&constraints).within(&BUDGET)) {
            Answer::Unsat(core) => {
                let is_blamed = |says: ExprId| core.ids().binary_search(&says).is_ok();
                facts.iter().filter(|&&(says, _)| is_blamed(says)).filter_map(|&(_, read)| read).collect()
            }
            // All of them together are enough, core or not: these are the values of the line.
            Answer::Sat(_) | Answer::Unknown(_) => facts.iter().filter_map(|&(_, read)| read).collect(),
        };
        let mut clause = vec![but];
        for read in blamed {
            self.other_sources(run, line, memory, read, &mut clause);
        }
        line.add(&clause);
    }

    /// What a read takes in a line, as a term.
    fn taken(&mut self, run: &Run, memory: &Memory, read: u32) -> ExprId {
        let Op::Read(span) = run.events[read as usize].op else { unreachable!("it reads") };
        let Some(&Term::Read { initial, .. }) = self.terms.get(&read) else { unreachable!("it reads") };
        let sources = &memory.sources[&read];
        let mut whole: Option<ExprId> = None;
        for (nth, (address, source)) in (0u32..).zip(span.bytes().zip(sources)) {
            let byte = match source {
                None => self.pool.extract(initial, 8 * nth, 8),
                Some(source) => {
                    let (Op::Write(from) | Op::Publish(from)) = run.events[*source as usize].op else {
                        unreachable!("it writes")
                    };
                    let offset = (address - from.address) as u32;
                    match &self.terms[source] {
                        Term::Write(term) => self.pool.extract(*term, 8 * offset, 8),
                        Term::Publish(bytes) => bytes[offset as usize],
                        Term::Read { .. } => unreachable!("it writes"),
                    }
                }
            };
            whole = Some(whole.map_or(byte, |low| self.pool.concat(byte, low)));
        }
        whole.expect("a read has a size")
    }

    /// Adds all that makes some byte of a read come from elsewhere.
    fn other_sources(&self, run: &Run, line: &mut Line, memory: &Memory, read: u32, clause: &mut Vec<Atom>) {
        let Op::Read(span) = run.events[read as usize].op else { unreachable!("it reads") };
        let reader = run.instant(read);
        let mut sources: Vec<(ByteSource, u64, u64)> = Vec::new();
        for (address, &source) in span.bytes().zip(&memory.sources[&read]) {
            match sources.iter_mut().find(|(known, _, to)| *known == source && *to == address) {
                Some((_, _, to)) => *to += 1,
                None => sources.push((source, address, address + 1)),
            }
        }
        for (source, from, to) in sources {
            let stretch = Span { address: from, size: (to - from) as u32 };
            if let Some(source) = source {
                clause.push(line.before(reader, run.instant(source)));
            }
            let mut others: Vec<u32> = Vec::new();
            for word in from >> 3..(to + 7) >> 3 {
                others.extend(self.writers.get(&word).into_iter().flatten());
            }
            others.sort_unstable();
            others.dedup();
            for other in others.into_iter().filter(|&other| Some(other) != source) {
                let (Op::Write(at) | Op::Publish(at)) = run.events[other as usize].op else { continue };
                let writer = run.instant(other);
                if !at.overlaps(stretch) || writer == reader {
                    continue;
                }
                clause.push(match source {
                    // Two writes in one instant never change places.
                    Some(source) if run.instant(source) == writer => continue,
                    Some(source) => line.in_row(run.instant(source), writer, reader),
                    None => line.before(writer, reader),
                });
            }
        }
    }
}
