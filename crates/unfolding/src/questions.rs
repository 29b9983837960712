//! What a user asks of a finished unfolding: whether threads can be at some places at once, and for a picture of it.

use crate::deadlocks::{Answer, Deadlocks, Goal};
use crate::events::{EventId, ROOT, Unfolding};
use crate::explore::Search;
use gordian_base::{Id, IndexVec, ThreadId};
use gordian_engine::{Executor, Gathering};
use gordian_solve::Budget;
use gordian_trace::{Choice, CodePoint, InputValue, Schedule, Stop, Test, ThreadOrigin, Wants};
use std::fmt::Write;

/// What is asked when every event is known.
#[derive(Clone, Copy, Default)]
pub struct Questions<'q> {
    /// Whether different threads can be at these places at once: one before an instruction of each set.
    pub reach: &'q [Vec<CodePoint>],
    /// Names instructions, for a picture of the unfolding in the language of Graphviz.
    pub dot: Option<&'q dyn Fn(CodePoint) -> String>,
    /// Whether to list the events.
    pub events: bool,
}

/// The answers.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    pub reached: Reached,
    pub dot: Option<String>,
    pub events: Vec<Shape>,
    /// Tests that made no event for the first time, because a step turned out otherwise than expected.
    pub n_redundant_tests: u64,
}

/// A step with its causal past.
#[derive(Clone, Debug)]
pub struct Shape {
    pub thread: ThreadId,
    pub variant: u32,
    /// The steps in its past, by their positions in the list.
    pub past: Vec<usize>,
}

/// Whether threads can be at the places that were asked for.
#[derive(Clone, Debug, Default)]
pub enum Reached {
    /// It was not asked, or the search came to no end.
    #[default]
    Unknown,
    Never,
    /// By a test whose schedule ends there.
    By(Box<Test>),
}

/// A way to a state: what a test needs.
pub struct Way {
    schedule: Vec<Choice>,
    inputs: Vec<InputValue>,
    threads: Vec<ThreadOrigin>,
}

impl Way {
    pub fn to_present<E: Executor>(machine: &mut E) -> Way {
        machine.choose_inputs();
        Way {
            schedule: machine.fixed_schedule(machine.schedule().len()).into_owned(),
            inputs: machine.inputs(),
            threads: machine.thread_origins(),
        }
    }

    pub fn test(self, template: &Test) -> Test {
        let Way { schedule, inputs, threads } = self;
        let mut test = Test { schedule: Schedule(schedule), inputs, threads, ..template.clone() };
        test.machine.symbolic = false;
        test.machine.coverage = false;
        test
    }
}

/// Whether different threads stand before instructions of all these sets.
pub fn are_at<E: Executor>(machine: &E, sets: &[Vec<CodePoint>]) -> bool {
    let at = |thread: u32| machine.wants(ThreadId(thread)).map(|wants: Wants| wants.at);
    let mut taken: Vec<u32> = Vec::new();
    let n_threads = machine.thread_numbers() as u32;
    // Few sets are asked for; the first thread that fits is taken, and the next one where that leaves another set without.
    fn fit(sets: &[Vec<CodePoint>], n: u32, at: &dyn Fn(u32) -> Option<CodePoint>, taken: &mut Vec<u32>) -> bool {
        let Some((first, rest)) = sets.split_first() else { return true };
        for thread in 0..n {
            if !taken.contains(&thread) && at(thread).is_some_and(|at| first.contains(&at)) {
                taken.push(thread);
                if fit(rest, n, at, taken) {
                    return true;
                }
                taken.pop();
            }
        }
        false
    }
    fit(sets, n_threads, &at, &mut taken)
}

/// The answer to whether places can be reached, or why there is none.
pub fn answer(way: Result<Option<Way>, ()>, gathering: &mut Gathering<'_>, template: &Test) -> Result<Reached, Stop> {
    match way {
        Ok(Some(way)) => Ok(Reached::By(Box::new(way.test(template)))),
        Ok(None) => Ok(Reached::Never),
        Err(()) => Err(gathering.must_stop_now().unwrap_or(Stop::Interrupted)),
    }
}

impl<E: Executor> Search<'_, E> {
    /// Whether threads can be at these places at once, asked of all events.
    pub(crate) fn find_places(&mut self, sets: &[Vec<CodePoint>], template: &Test) -> Result<Reached, Stop> {
        let budget = Budget { stop: Some(self.gathering.interrupt()), ..Budget::UNLIMITED };
        let mut question = Deadlocks::new(&self.unfolding, |_| false, Goal::At(sets));
        loop {
            match question.next(&self.unfolding, &budget) {
                Answer::None => return answer(Ok(None), &mut self.gathering, template),
                Answer::Unknown => return answer(Err(()), &mut self.gathering, template),
                Answer::Found(cut) => {
                    let positions = question.positions();
                    self.go_back_towards(&cut);
                    if self.reach_until(&cut, |machine| are_at(machine, sets)) {
                        let way = Way::to_present(&mut self.machine);
                        return answer(Ok(Some(way)), &mut self.gathering, template);
                    }
                    question.exclude_positions(&positions);
                }
            }
        }
    }
}

/// The steps of an unfolding.
pub fn shapes(unfolding: &Unfolding) -> Vec<Shape> {
    let is_step = |id: &EventId| *id != ROOT && !unfolding.events[*id].is_join;
    let steps: Vec<EventId> = unfolding.events.ids().filter(is_step).collect();
    let mut positions: IndexVec<EventId, usize> = unfolding.events.ids().map(|_| usize::MAX).collect();
    for (position, &step) in steps.iter().enumerate() {
        positions[step] = position;
    }
    let shape = |&id: &EventId| {
        let event = &unfolding.events[id];
        let past = unfolding.sorted(unfolding.past(id)).into_iter().filter(|other| *other != id && is_step(other));
        Shape { thread: event.thread, variant: event.variant, past: past.map(|other| positions[other]).collect() }
    };
    steps.iter().map(shape).collect()
}

/// The unfolding as a graph: events by thread, with the causes that no other cause has.
pub fn dot(unfolding: &Unfolding, name: &dyn Fn(CodePoint) -> String) -> String {
    let mut text = String::from("digraph unfolding {\n  node [shape=box, fontname=monospace];\n");
    let _ = writeln!(text, "  e0 [label=\"begin\", shape=circle];");
    for (id, event) in unfolding.events.enumerate().skip(1) {
        let wants = unfolding.wants(event.point);
        let what = wants.map_or_else(String::new, |wants| match wants.joins_by_itself() {
            true => format!("joins T{}", wants.address),
            false => format!("{:?} {}", wants.kind, name(wants.at)),
        });
        let variant = if event.variant > 0 { format!(" variant {}", event.variant) } else { String::new() };
        let style = if event.is_cut_off { ", style=dashed" } else { "" };
        let label = format!("{} {what}{variant}", event.thread).replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "  e{} [label=\"{label}\"{style}];", id.index());
        for cause in unfolding.direct_causes(id) {
            let is_own = unfolding.events[cause].thread == event.thread;
            let style = if is_own { " [style=bold]" } else { "" };
            let _ = writeln!(text, "  e{} -> e{}{style};", cause.index(), id.index());
        }
    }
    text.push_str("}\n");
    text
}
