//! Values: what reads see in a line, and whether every decision goes as it did in the run.
//!
//! A line fixes which write each read takes, and inputs are those of the run, so a line has one set of values. A line with a decision that goes
//! another way is refused by a clause: the data solver gives a core, reads whose sources contradict the decision, and one of them must take
//! something else.

use crate::line::{Atom, END, Line};
use crate::reorder::{Deviation, Refused};
use crate::run::{Op, Run, Span};
use gordian_base::{FxHashMap, FxHashSet, Id};
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
#[derive(Clone, Debug)]
pub struct Decision {
    pub event: u32,
    pub condition: ExprId,
    pub ways: Ways,
}

/// How else a decision can go.
#[derive(Clone, Debug)]
pub enum Ways {
    /// Not at all: it limits what is looked at.
    None,
    /// One of these holds instead.
    Conditions(Vec<ExprId>),
    /// This term has another value.
    Values(ExprId),
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
    /// The same in the line that was checked last.
    last_model: Vec<u128>,
    read_of: FxHashMap<Symbol, u32>,
    /// By aligned word: events that write there.
    writers: FxHashMap<u64, Vec<u32>>,
    /// Decisions, by event, that something follows in the same instant which others see.
    has_effect: FxHashSet<u32>,
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
        Values {
            pool,
            terms,
            decisions,
            model: values,
            last_model: Vec::new(),
            read_of,
            writers,
            has_effect: with_effect(run),
            evaluator,
            solver,
            n_queries: 0,
        }
    }

    fn value(&mut self, model: &[u128], term: ExprId) -> u128 {
        self.evaluator.value(&self.pool, term, model)
    }

    /// Goes through a line and gives the events of decisions that go another way. What contradicts the run is said to `line`; a guard stands first
    /// among what was assumed if a decision is to deviate.
    ///
    /// Rule: a decision goes as in the run if its thread makes its next instant, or if the question says so. The last decision of a thread is free,
    /// unless the instant goes on with something that others see (a compare-and-swap that succeeds): then the question has to name it.
    pub fn check(
        &mut self,
        run: &Run,
        line: &mut Line,
        instants: &[u32],
        assumed: &[Atom],
        deviation: Deviation,
    ) -> Result<Vec<u32>, Refused> {
        let made: FxHashSet<u32> = instants.iter().copied().collect();
        let mut deviating = Vec::new();
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
                let other_way = deviation.filter(|&(deviates, _)| deviates == decision).map(|(_, wanted)| wanted);
                let wanted = other_way.unwrap_or(self.decisions[decision as usize].condition);
                let holds = self.value(&memory.model, wanted) == 1;
                let but = match other_way {
                    None if holds => continue,
                    // Nothing of its thread comes after it.
                    Some(_) if holds => {
                        deviating.push(event);
                        break;
                    }
                    Some(_) => assumed[0].not(),
                    None if self.is_free(run, line, &made, event) => {
                        deviating.push(event);
                        break;
                    }
                    None => keeps(run, line, event, self.has_effect.contains(&event)).not(),
                };
                self.refuse(run, line, &memory, wanted, but);
                return Err(Refused::Learnt);
            }
        }
        self.last_model = memory.model;
        Ok(deviating)
    }

    /// Whether a decision may go another way in a line that makes these instants.
    fn is_free(&self, run: &Run, line: &Line, made: &FxHashSet<u32>, event: u32) -> bool {
        let goes_on = run.next_of_thread(run.instant(event)).is_some_and(|next| made.contains(&next));
        !goes_on && !self.has_effect.contains(&event) && !line.is_kept(event)
    }

    /// The atom that a decision, by its event, goes as in the run.
    pub fn keeps(&self, run: &Run, line: &mut Line, event: u32) -> Atom {
        keeps(run, line, event, self.has_effect.contains(&event))
    }

    /// The value of a term in the run.
    pub fn run_value(&mut self, term: ExprId) -> u128 {
        self.evaluator.value(&self.pool, term, &self.model[..])
    }

    /// The value of a term in the line that was checked last.
    pub fn last_value(&mut self, term: ExprId) -> u128 {
        let model = std::mem::take(&mut self.last_model);
        let value = self.value(&model, term);
        self.last_model = model;
        value
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
            op => {
                for object in op.uses().into_iter().flatten() {
                    self.refuse_freed(run, line, memory, event, Span { address: object, size: 1 })?;
                }
            }
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
        let mut known: FxHashSet<Symbol> = left.iter().copied().collect();
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

fn keeps(run: &Run, line: &mut Line, event: u32, has_effect: bool) -> Atom {
    let instant = run.instant(event);
    if has_effect {
        let left_out = line.before(END, instant);
        return line.keeps_unless_named(event, left_out);
    }
    let stops = run.next_of_thread(instant).map_or(Atom::True, |next| line.before(END, next));
    line.keeps(event, stops)
}

/// Decisions that something follows in the same instant which others see. What becomes known to others there is seen only by what comes later.
fn with_effect(run: &Run) -> FxHashSet<u32> {
    let is_local = crate::simplify::local_events(run);
    let mut found = FxHashSet::default();
    for instant in 0..run.instants.len() as u32 {
        let mut has_effect = false;
        for (number, event) in run.events_of(instant).rev() {
            match event.op {
                Op::Decide(_) if has_effect => {
                    found.insert(number);
                }
                Op::Decide(_) | Op::Nothing | Op::Read(_) | Op::Publish(_) => {}
                _ => has_effect |= !is_local[number as usize],
            }
        }
    }
    found
}
