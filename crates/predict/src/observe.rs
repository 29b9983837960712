//! What a machine whose reads are symbols does, as a run.

use crate::follow::{Follower, Seen};
use crate::outcomes::{appends, can_fail};
use crate::run::{Op, Run, Span};
use crate::simplify::{Steps, local_events};
use crate::values::{Decision, Term, Values, Ways};
use gordian_base::{FxHashMap, FxHashSet, Id, ThreadId};
use gordian_engine::EngineError;
use gordian_ir::Program;
use gordian_trace::{Choice, CodePoint, Machine as MachineSettings, OpKind, Test};
use gordian_vm::{Action, AnnotationKind, CallFrame, Does, Machine, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// A run of a program, with its terms and what is needed to make its reorderings.
pub struct Observed {
    pub run: Run,
    /// By place of an event.
    pub places: Vec<CodePoint>,
    /// By instant: how much of its thread was seen at its end.
    pub counts: Vec<u32>,
    /// By instant: the variant of the step that it began with.
    pub variants: Vec<u32>,
    /// By event: the calls that it was made in, the innermost last.
    pub stacks: Vec<u32>,
    pub frames: Vec<Box<[CallFrame]>>,
    /// Accesses that the program declares to be one, by the place of the declaration: first and last.
    pub declared: Vec<(CodePoint, Vec<u32>)>,
    pub kept: Vec<&'static str>,
    pub losses: Vec<String>,
    pub stdout: Vec<u8>,
}

/// What of the machine an event of the run is.
#[derive(Clone, Copy)]
enum Origin {
    Event(usize),
    Action(usize),
}

/// Builds a run while a machine goes on.
struct Builder {
    run: Run,
    origins: Vec<Origin>,
    terms: FxHashMap<u32, Term>,
    decisions: Vec<Decision>,
    /// Picks, whose conditions are made when the pool is at hand.
    picks: Vec<(u32, gordian_expr::ExprId, u128)>,
    places: Vec<CodePoint>,
    numbers: FxHashMap<CodePoint, u32>,
    last_instant: Vec<Option<u32>>,
    counts: Vec<u32>,
    variants: Vec<u32>,
}

impl Builder {
    fn place(&mut self, at: CodePoint) -> u32 {
        let next = self.places.len() as u32;
        let number = *self.numbers.entry(at).or_insert(next);
        if number == next {
            self.places.push(at);
        }
        number
    }

    fn see(&mut self, thread: ThreadId, seen: Seen<'_>, stepped: &mut FxHashSet<ThreadId>, variant: u32) {
        let event = self.run.events.len() as u32;
        let (at, atomic, op) = match seen {
            Seen::Event(number, event, op) => {
                self.origins.push(Origin::Event(number));
                (event.at, false, op)
            }
            Seen::Action(number, action) => {
                self.origins.push(Origin::Action(number));
                (action.at, action.atomic, self.action(event, action))
            }
        };
        // These happen of themselves once they are possible, so others may come before them.
        let waits = matches!(op, Op::Join(_) | Op::BarrierLeave(_) | Op::Fork(_) | Op::End | Op::ProcessExit);
        let begins = stepped.insert(thread) || waits;
        let place = self.place(at);
        self.run.push(thread.0, place, atomic, op, begins, &mut self.last_instant);
        if self.run.instants.len() > self.variants.len() {
            self.variants.push(variant);
            self.counts.push(0);
        }
    }

    fn action(&mut self, event: u32, action: &Action) -> Op {
        match &action.does {
            &Does::Read { address, size, symbol, initial, .. } => {
                self.terms.insert(event, Term::Read { symbol, initial });
                Op::Read(Span { address, size })
            }
            &Does::Write { address, size, term } => {
                self.terms.insert(event, Term::Write(term));
                Op::Write(Span { address, size })
            }
            Does::Publish { address, bytes } => {
                self.terms.insert(event, Term::Publish(bytes.clone()));
                Op::Publish(Span { address: *address, size: bytes.len() as u32 })
            }
            Does::Decide { conditions, taken } => {
                let others = (0..).zip(conditions).filter(|(way, _)| way != taken).map(|(_, &condition)| condition);
                let ways = Ways::Conditions(others.collect());
                self.decide(event, conditions[*taken as usize], ways)
            }
            &Does::Assume(condition) => self.decide(event, condition, Ways::None),
            &Does::Pick { term, value } => {
                let number = self.decisions.len() as u32;
                self.picks.push((number, term, value));
                // Filled in at the end.
                self.decide(event, term, Ways::Values(term))
            }
        }
    }

    /// Instants that nobody else has to do with become part of the one before in their thread. They are moved to it, which is an equivalent run.
    fn merge_local(&mut self) {
        let is_local = local_events(&self.run);
        let mut last: Vec<Option<usize>> = vec![None; self.run.n_threads as usize];
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for (number, instant) in (0u32..).zip(&self.run.instants) {
            let (from, to) = instant.events;
            let merges =
                is_local[from as usize..to as usize].iter().all(|&local| local) && self.variants[number as usize] == 0;
            match last[instant.thread as usize].filter(|_| merges) {
                Some(group) => groups[group].push(number),
                None => {
                    last[instant.thread as usize] = Some(groups.len());
                    groups.push(vec![number]);
                }
            }
        }
        if groups.len() == self.run.instants.len() {
            return;
        }
        let old = std::mem::take(&mut self.run);
        let (origins, variants) = (std::mem::take(&mut self.origins), std::mem::take(&mut self.variants));
        let mut moved_to = vec![0u32; old.events.len()];
        self.last_instant.clear();
        for group in &groups {
            for (nth, &number) in group.iter().enumerate() {
                let (from, to) = old.instants[number as usize].events;
                for event in from..to {
                    moved_to[event as usize] = self.run.events.len() as u32;
                    let begins = nth == 0 && event == from;
                    let crate::run::Event { thread, place, atomic, op, .. } = old.events[event as usize];
                    self.run.push(thread, place, atomic, op, begins, &mut self.last_instant);
                    self.origins.push(origins[event as usize]);
                }
            }
            self.variants.push(variants[group[0] as usize]);
        }
        self.counts = vec![0; groups.len()];
        let terms = std::mem::take(&mut self.terms);
        self.terms = terms.into_iter().map(|(event, term)| (moved_to[event as usize], term)).collect();
        for decision in &mut self.decisions {
            decision.event = moved_to[decision.event as usize];
        }
    }

    /// Finds the uses of files that see nothing of what others wrote there.
    fn find_what_appends(&mut self, program: &Program) {
        let does: Vec<bool> = self.places.iter().map(|&at| appends(program, at)).collect();
        for event in &mut self.run.events {
            if let Op::UseFile { appends, .. } = &mut event.op {
                *appends |= does[event.place as usize];
            }
        }
    }

    /// Whom signals woke: the machine tells of it right behind them.
    fn find_wakes(&mut self, machine: &Machine<'_>) {
        for ((number, event), origin) in (0u32..).zip(&self.run.events).zip(&self.origins) {
            if let (Op::Signal(_) | Op::Broadcast(_), &Origin::Event(at)) = (event.op, origin) {
                let wakes = machine.events()[at + 1..].iter().take_while(|event| event.kind == OpKind::Wake);
                self.run.wakes.extend(wakes.map(|wake| (number, wake.address as u32)));
            }
        }
    }

    fn find_what_can_fail(&mut self, program: &Program) {
        let can_fail: Vec<bool> = self.places.iter().map(|&at| can_fail(program, at)).collect();
        for (number, event) in (0u32..).zip(&self.run.events) {
            let waits = matches!(event.op, Op::Acquire { .. } | Op::SemWait(_) | Op::Woken { .. });
            if waits && can_fail[event.place as usize] {
                self.run.can_fail.insert(number);
            }
        }
    }

    fn decide(&mut self, event: u32, condition: gordian_expr::ExprId, ways: Ways) -> Op {
        self.decisions.push(Decision { event, condition, ways });
        Op::Decide(self.decisions.len() as u32 - 1)
    }
}

/// The test as a machine whose reads are symbols runs it.
pub fn symbolic(test: &Test) -> Test {
    let machine = MachineSettings { symbolic: true, coverage: false, ..test.machine.clone() };
    Test { machine, ..test.clone() }
}

/// Who is left alone makes steps here that it does not make in a test.
fn run_alone(machine: &mut Machine<'_>, watch: &mut impl FnMut(&mut Machine<'_>, Choice)) {
    while let Some(&only) = machine.choices().first()
        && machine.is_lone(only.thread)
    {
        watch(machine, only);
    }
}

/// Runs a test once more and keeps what its threads do, and in which terms.
pub fn observe(program: &Program, test: &Test, steps: Steps) -> Result<(Observed, Values), EngineError> {
    let mut machine =
        Machine::with_fresh_reads(program, &symbolic(test), Terms::default(), &gordian_solve::Model::new())?;
    let mut follower = Follower::default();
    let mut builder = Builder {
        run: Run::default(),
        origins: Vec::new(),
        terms: FxHashMap::default(),
        decisions: Vec::new(),
        picks: Vec::new(),
        places: Vec::new(),
        numbers: FxHashMap::default(),
        last_instant: Vec::new(),
        counts: Vec::new(),
        variants: Vec::new(),
    };
    let mut step = |machine: &mut Machine<'_>, choice: Option<Choice>| {
        if let Some(choice) = choice {
            machine.step(choice);
        }
        let mut stepped = FxHashSet::default();
        let variant = choice.map_or(0, |choice| choice.variant);
        follower.follow(machine, |thread, seen| builder.see(thread, seen, &mut stepped, variant));
    };
    step(&mut machine, None);
    let mut made = |machine: &mut Machine<'_>, choice: Choice| step(machine, Some(choice));
    for &choice in &test.schedule.0 {
        run_alone(&mut machine, &mut made);
        if machine.choices().binary_search(&choice).is_err() {
            break;
        }
        made(&mut machine, choice);
    }
    run_alone(&mut machine, &mut made);
    Ok(complete(program, machine, builder, follower, steps))
}

/// Objects whose operations cannot be reordered exactly keep the order of the run.
fn pin_objects(program: &Program, builder: &Builder, follower: &mut Follower) {
    let mut n_made: FxHashMap<u64, u32> = FxHashMap::default();
    let mut used: FxHashMap<u32, bool> = FxHashMap::default();
    let mut arrive: BTreeMap<u64, (u64, BTreeSet<u32>, bool)> = BTreeMap::new();
    for event in &builder.run.events {
        if let Some(object) = event.op.makes().or(event.op.ends()) {
            // Made and ended once is one life.
            let count = n_made.entry(object).or_default();
            *count += if event.op.makes().is_some() { 1 } else { 0x1_0000 };
            if *count & 0xffff > 1 || *count >> 16 > 1 {
                follower.keep("objects that are initialised or destroyed more than once", object);
            }
        }
        if let Op::BarrierArrive { barrier, count } = event.op {
            let (_, threads, is_used) = arrive.entry(barrier).or_insert((count, BTreeSet::new(), false));
            threads.insert(event.thread);
            let used = used.entry(event.place);
            *is_used |= *used.or_insert_with(|| is_result_used(program, builder.places[event.place as usize]));
        }
    }
    for (barrier, (count, threads, is_used)) in arrive {
        if threads.len() as u64 > count {
            follower.keep("barriers that threads fill in turn", barrier);
        } else if is_used {
            follower.keep("barriers whose result the program looks at", barrier);
        }
    }
}

/// Whether what the call at this place returns is looked at.
fn is_result_used(program: &Program, at: CodePoint) -> bool {
    if at == gordian_trace::NO_CODE {
        return true;
    }
    let function = &program.functions[gordian_ir::FuncId(at.function)];
    let Some(&gordian_ir::Inst::Call { site }) = function.code.get(at.pc as usize) else { return true };
    let site = &function.calls[site as usize];
    site.n_returns > 0 && gordian_ir::Liveness::of(function).is_live(at.pc as usize + 1, site.dst.index())
}

fn complete(
    program: &Program,
    mut machine: Machine<'_>,
    mut builder: Builder,
    mut follower: Follower,
    steps: Steps,
) -> (Observed, Values) {
    for &(number, term, value) in &builder.picks {
        let pool = machine.pool();
        let value = pool.constant(value, pool.width(term));
        builder.decisions[number as usize].condition = pool.eq(term, value);
    }
    if steps.local_variables && steps.merging {
        builder.merge_local();
    }
    pin_objects(program, &builder, &mut follower);
    builder.find_what_can_fail(program);
    builder.find_what_appends(program);
    builder.find_wakes(&machine);
    builder.run.complete(&follower.pinned);
    if builder.run.keeps_files {
        follower.kept.push("files that threads share");
    }
    let mut seen: Vec<u32> = vec![0; builder.run.n_threads as usize];
    let mut counts = std::mem::take(&mut builder.counts);
    for (count, instant) in counts.iter_mut().zip(&builder.run.instants) {
        seen[instant.thread as usize] += instant.events.1 - instant.events.0;
        *count = seen[instant.thread as usize];
    }
    let (stacks, frames) = stacks(&machine, &builder);
    let declared = declared(&machine, &builder);
    let (losses, stdout) = (machine.losses().to_vec(), machine.stdout().to_vec());
    let model = machine.values().clone();
    let pool = machine.into_terms().pool;
    let values = Values::new(pool, builder.terms, builder.decisions, &builder.run, &model);
    let (places, variants, kept) = (builder.places, builder.variants, follower.kept);
    let observed =
        Observed { run: builder.run, places, counts, variants, stacks, frames, declared, kept, losses, stdout };
    (observed, values)
}

/// By event the number of its stack, and the stacks.
fn stacks(machine: &Machine<'_>, builder: &Builder) -> (Vec<u32>, Vec<Box<[CallFrame]>>) {
    let mut frames: Vec<Box<[CallFrame]>> = Vec::new();
    let mut numbers: FxHashMap<Box<[CallFrame]>, u32> = FxHashMap::default();
    let number = |origin: &Origin| {
        let stack = match *origin {
            Origin::Event(number) => machine.calls().of_event(number),
            Origin::Action(number) => machine.calls().of_action(number),
        };
        if let Some(&known) = numbers.get(stack) {
            return known;
        }
        let number = frames.len() as u32;
        frames.push(stack.into());
        numbers.insert(stack.into(), number);
        number
    };
    let stacks = builder.origins.iter().map(number).collect();
    (stacks, frames)
}

/// Accesses between `gordian_atomic_begin` and the `gordian_atomic_end` that belongs to it.
fn declared(machine: &Machine<'_>, builder: &Builder) -> Vec<(CodePoint, Vec<u32>)> {
    let mut open: FxHashMap<ThreadId, (CodePoint, u32, u32)> = FxHashMap::default();
    let mut found = Vec::new();
    for annotation in machine.annotations() {
        let thread = annotation.thread;
        match annotation.kind {
            AnnotationKind::RegionBegins => {
                open.entry(thread).or_insert((annotation.at, annotation.actions, 0)).2 += 1;
            }
            AnnotationKind::RegionEnds => {
                let Some((at, from, depth)) = open.remove(&thread) else { continue };
                if depth > 1 {
                    open.insert(thread, (at, from, depth - 1));
                    continue;
                }
                let within = (from as usize)..(annotation.actions as usize);
                let is_within = |(number, event): &(u32, &crate::run::Event)| {
                    let origin = builder.origins[*number as usize];
                    event.thread == thread.0
                        && event.op.access().is_some()
                        && matches!(origin, Origin::Action(action) if within.contains(&action))
                };
                let events = (0u32..).zip(&builder.run.events).filter(is_within).map(|(number, _)| number);
                found.push((at, events.collect()));
            }
            AnnotationKind::Closes(_) | AnnotationKind::Uses(_) => {}
        }
    }
    found
}
