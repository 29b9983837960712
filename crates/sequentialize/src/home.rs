//! Brings a concurrent order home: makes it on a machine that runs the program itself.

use crate::order::{ConcurrentOrder, OrderedEvent, Verb};
use gordian_base::{FxHashMap, ThreadId};
use gordian_engine::{EngineError, finish};
use gordian_ir::Program;
use gordian_trace::{Choice, CodePoint, InputValue, OpKind, Schedule, Test};
use gordian_vm::Machine;
use std::collections::VecDeque;

/// An execution of the program that follows an order.
pub struct Home<'p> {
    pub machine: Machine<'p>,
    /// Whether the execution fails, by more than a data race.
    pub fails: bool,
}

/// Steps of a thread between two events of the order, before it is given up.
const MOST_STEPS_BETWEEN: usize = 100_000;

/// Executes the program with the inputs of the order, in that order, and then to its end.
pub fn bring_home<'p>(program: &'p Program, template: &Test, order: &ConcurrentOrder) -> Result<Home<'p>, EngineError> {
    let inputs = order.inputs.iter().map(|input| InputValue {
        thread: input.thread,
        nth: input.nth,
        value: input.value,
        name: input.name.clone(),
        bits: input.bits,
        function: input.function.clone(),
    });
    let machine = gordian_trace::Machine { symbolic: false, coverage: false, ..template.machine.clone() };
    let test = Test { inputs: inputs.collect(), machine, schedule: Schedule::default(), ..template.clone() };
    let mut guide = Guide { machine: Machine::new(program, &test)?, left: FxHashMap::default() };
    for event in order.events.iter().chain(&order.rest) {
        guide.left.entry(event.thread).or_default().push_back(point(event));
    }
    for event in &order.events {
        guide.come_to(event);
    }
    guide.run_alone(ThreadId(order.failing));
    let mut machine = guide.machine;
    finish(&mut machine);
    let fails = machine.findings().iter().any(|raw| raw.finding.kind != gordian_trace::FindingKind::DataRace);
    Ok(Home { machine, fails })
}

fn point(event: &OrderedEvent) -> CodePoint {
    CodePoint { function: event.function, pc: event.pc }
}

struct Guide<'p> {
    machine: Machine<'p>,
    /// By thread: the events that it has yet to make.
    left: FxHashMap<u32, VecDeque<CodePoint>>,
}

impl Guide<'_> {
    /// Lets a thread make its next event. The machine may think less of it: an operation that nobody else can see is made
    /// with the one before it, so a thread that is about to make a later event has made this one.
    fn come_to(&mut self, event: &OrderedEvent) {
        let thread = ThreadId(event.thread);
        let to = point(event);
        for _ in 0..MOST_STEPS_BETWEEN {
            if self.machine.end().is_some() {
                break;
            }
            let Some(wants) = self.machine.wants(thread) else {
                // It does not exist yet, or has made all that others see.
                if self.machine.n_threads() > event.thread as usize || !self.step(ThreadId::MAIN) {
                    break;
                }
                continue;
            };
            let left = &self.left[&event.thread];
            if wants.at == to {
                // Where memory is copied, what it is copied from or to may be the thread's own.
                if !matches!((event.verb, wants.kind), (Verb::Reads, OpKind::Write) | (Verb::Writes, OpKind::Read)) {
                    self.step_in(thread, self.variant(event.wakes, wants.address));
                }
                break;
            }
            if left.iter().skip(1).any(|&later| later == wants.at) || !self.step(thread) {
                break;
            }
        }
        self.left.get_mut(&event.thread).expect("it has events").pop_front();
    }

    /// The variant of a signal that wakes this thread: which it is among those that wait for the condition.
    fn variant(&self, wakes: Option<u32>, condition: u64) -> u32 {
        let waits = |number: &u32| {
            let wants = self.machine.wants(ThreadId(*number));
            wants.is_some_and(|wants| wants.kind == OpKind::WaitEnd && wants.address == condition)
        };
        wakes.map_or(0, |woken| (0..woken).filter(waits).count() as u32)
    }

    /// Steps a thread, if it can.
    fn step(&mut self, thread: ThreadId) -> bool {
        self.step_in(thread, 0)
    }

    fn step_in(&mut self, thread: ThreadId, variant: u32) -> bool {
        let choice = Choice { thread, variant };
        let possible = self.machine.choices().binary_search(&choice).is_ok();
        if possible {
            self.machine.step(choice);
        }
        possible
    }

    /// The thread that fails comes to its failure before others do anything more.
    fn run_alone(&mut self, thread: ThreadId) {
        for _ in 0..MOST_STEPS_BETWEEN {
            if self.machine.end().is_some() || !self.step(thread) {
                return;
            }
        }
    }
}
