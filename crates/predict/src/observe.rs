//! What a machine whose reads are symbols does, as a run.

use crate::run::{Op, Run, Span};
use crate::values::{Decision, Term, Values};
use gordian_base::{FxHashMap, FxHashSet, Id, ThreadId};
use gordian_engine::EngineError;
use gordian_ir::Program;
use gordian_trace::{Choice, CodePoint, Event, Machine as MachineSettings, OpKind, Test};
use gordian_vm::{Action, Does, Machine, Terms};

/// Something that a thread did, in the order in which it shows.
pub enum Seen<'a> {
    Action(&'a Action),
    Event(Event, Op),
}

/// Follows a machine and counts what each thread did. The same thread with the same decisions has the same counts in every execution.
#[derive(Default)]
pub struct Follower {
    n_actions: usize,
    n_events: usize,
    counts: Vec<u32>,
    /// By thread: locks that it holds, each as often as it took it.
    holds: Vec<Vec<u64>>,
    barriers: FxHashMap<u64, u64>,
    /// Kinds of operations that keep the order of the run.
    pub kept: Vec<&'static str>,
}

impl Follower {
    /// How much of a thread was seen.
    pub fn count(&self, thread: ThreadId) -> u32 {
        self.counts.get(thread.index()).copied().unwrap_or(0)
    }

    fn entry(&mut self, thread: ThreadId) {
        if self.counts.len() <= thread.index() {
            self.counts.resize(thread.index() + 1, 0);
            self.holds.resize_with(thread.index() + 1, Vec::new);
        }
    }

    /// Takes in what happened since it last did.
    pub fn follow(&mut self, machine: &Machine<'_>, mut see: impl FnMut(ThreadId, Seen<'_>)) {
        let (actions, events) = (machine.actions(), machine.events());
        while self.n_actions < actions.len() || self.n_events < events.len() {
            let action = actions.get(self.n_actions);
            match action.filter(|action| action.event as usize <= self.n_events) {
                Some(action) => {
                    self.n_actions += 1;
                    self.entry(action.thread);
                    self.counts[action.thread.index()] += 1;
                    see(action.thread, Seen::Action(action));
                }
                None => {
                    let event = events[self.n_events];
                    self.n_events += 1;
                    self.entry(event.thread);
                    if let Some(op) = self.op(event) {
                        self.counts[event.thread.index()] += 1;
                        see(event.thread, Seen::Event(event, op));
                    }
                }
            }
        }
    }

    fn keep(&mut self, what: &'static str, object: u64) -> Option<Op> {
        if !self.kept.contains(&what) {
            self.kept.push(what);
        }
        Some(Op::Pinned(object))
    }

    /// What an event means for the run; nothing for those that actions or other events tell of.
    fn op(&mut self, event: Event) -> Option<Op> {
        let Event { thread, kind, address, other, value, size, .. } = event;
        let holds = &mut self.holds[thread.index()];
        let n_held = holds.iter().filter(|&&lock| lock == address).count();
        Some(match kind {
            OpKind::Create => Op::Fork(address as u32),
            OpKind::Join => Op::Join(address as u32),
            OpKind::Exit => Op::End,
            OpKind::ProcessExit => Op::ProcessExit,
            OpKind::Lock | OpKind::TryLock | OpKind::ReadLock | OpKind::TryReadLock => {
                holds.push(address);
                if n_held > 0 {
                    return None;
                }
                Op::Acquire { lock: address, shared: matches!(kind, OpKind::ReadLock | OpKind::TryReadLock) }
            }
            OpKind::TryLockFail | OpKind::TryReadLockFail => {
                if n_held > 0 {
                    return None;
                }
                Op::AcquireFails { lock: address, shared: kind == OpKind::TryReadLockFail }
            }
            OpKind::Unlock => {
                if let Some(last) = holds.iter().rposition(|&lock| lock == address) {
                    holds.remove(last);
                }
                if n_held > 1 {
                    return None;
                }
                Op::Release { lock: address }
            }
            OpKind::Wait => {
                holds.retain(|&lock| lock != other);
                Op::Wait { cond: address, mutex: other }
            }
            OpKind::Woken => {
                holds.push(other);
                if value != OpKind::WOKEN_BY_SIGNAL {
                    self.keep("waits that end without a signal", address);
                    return Some(Op::Acquire { lock: other, shared: false });
                }
                Op::Woken { cond: address, mutex: other }
            }
            OpKind::Signal => Op::Signal(address),
            OpKind::Broadcast => Op::Broadcast(address),
            OpKind::SemInit => Op::SemInit { semaphore: address, value },
            OpKind::SemWait | OpKind::SemTryWait => Op::SemWait(address),
            OpKind::SemPost => Op::SemPost(address),
            OpKind::BarrierInit => {
                self.barriers.insert(address, value);
                return None;
            }
            OpKind::BarrierArrive => Op::BarrierArrive(address),
            OpKind::BarrierLeave => Op::BarrierLeave(address),
            OpKind::Free => Op::Free(Span { address, size }),
            OpKind::LockTimeout | OpKind::SemTimeout | OpKind::WaitEnd => {
                return self.keep("waits that time out", address);
            }
            OpKind::SemTryWaitFail | OpKind::SemGet => return self.keep("semaphores that are looked at", address),
            OpKind::OnceEnter | OpKind::OnceDone => return self.keep("`pthread_once`", address),
            OpKind::Cancel | OpKind::Cancelled => return self.keep("cancellation", 0),
            OpKind::File => return self.keep("files", 1),
            OpKind::Random => return self.keep("random numbers", 2),
            OpKind::MutexInit
            | OpKind::MutexDestroy
            | OpKind::CondInit
            | OpKind::CondDestroy
            | OpKind::SemDestroy
            | OpKind::BarrierDestroy
            | OpKind::Detach => Op::Nothing,
            OpKind::Read
            | OpKind::Write
            | OpKind::AtomicRead
            | OpKind::AtomicWrite
            | OpKind::Rmw
            | OpKind::RmwSame
            | OpKind::CasOk
            | OpKind::CasFail
            | OpKind::Fence
            | OpKind::Watch
            | OpKind::Wake
            | OpKind::Yield
            | OpKind::Sleep
            | OpKind::AtomicBegin
            | OpKind::AtomicEnd
            | OpKind::Branch => return None,
        })
    }
}

/// A run of a program, with its terms and what is needed to make its reorderings.
pub struct Observed {
    pub run: Run,
    /// By place of an event.
    pub places: Vec<CodePoint>,
    /// By instant: how much of its thread was seen at its end.
    pub counts: Vec<u32>,
    /// By instant: the variant of the step that it began with.
    pub variants: Vec<u32>,
    pub kept: Vec<&'static str>,
    pub losses: Vec<String>,
    pub stdout: Vec<u8>,
}

/// Builds a run while a machine goes on.
struct Builder {
    run: Run,
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
            Seen::Event(event, op) => (event.at, false, op),
            Seen::Action(action) => (action.at, action.atomic, self.action(event, action)),
        };
        // These happen of themselves once they are possible, so others may come before them.
        let waits = matches!(op, Op::Join(_) | Op::BarrierLeave(_) | Op::Fork(_) | Op::End);
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
            Does::Decide { conditions, taken } => self.decide(event, conditions[*taken as usize], false),
            &Does::Assume(condition) => self.decide(event, condition, true),
            &Does::Pick { term, value } => {
                let number = self.decisions.len() as u32;
                self.picks.push((number, term, value));
                // Filled in at the end.
                self.decide(event, term, false)
            }
        }
    }

    fn decide(&mut self, event: u32, condition: gordian_expr::ExprId, is_assumption: bool) -> Op {
        self.decisions.push(Decision { event, condition, is_assumption });
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
pub fn observe(program: &Program, test: &Test) -> Result<(Observed, Values), EngineError> {
    let mut machine =
        Machine::with_fresh_reads(program, &symbolic(test), Terms::default(), &gordian_solve::Model::new())?;
    let mut follower = Follower::default();
    let mut builder = Builder {
        run: Run::default(),
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
    Ok(complete(machine, builder, follower))
}

fn complete(mut machine: Machine<'_>, mut builder: Builder, follower: Follower) -> (Observed, Values) {
    for &(number, term, value) in &builder.picks {
        let pool = machine.pool();
        let value = pool.constant(value, pool.width(term));
        builder.decisions[number as usize].condition = pool.eq(term, value);
    }
    builder.run.complete();
    let mut seen: Vec<u32> = vec![0; builder.run.n_threads as usize];
    let mut counts = std::mem::take(&mut builder.counts);
    for (count, instant) in counts.iter_mut().zip(&builder.run.instants) {
        seen[instant.thread as usize] += instant.events.1 - instant.events.0;
        *count = seen[instant.thread as usize];
    }
    let (losses, stdout) = (machine.losses().to_vec(), machine.stdout().to_vec());
    let model = machine.values().clone();
    let pool = machine.into_terms().pool;
    let values = Values::new(pool, builder.terms, builder.decisions, &builder.run, &model);
    let (places, variants, kept) = (builder.places, builder.variants, follower.kept);
    let observed = Observed { run: builder.run, places, counts, variants, kept, losses, stdout };
    (observed, values)
}
