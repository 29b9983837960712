//! The schedule that nobody chose: a thread runs until it blocks or yields, then the next one in a circle.
//! The circle matters: always taking the lowest number would let two threads that wait for a third hand
//! the processor to each other for ever.

use crate::preemptions::continuation_of;
use crate::{Executor, Point};
use gordian_base::ThreadId;
use gordian_trace::{Choice, OpKind};

/// What the default schedule does now. Time-outs and other unusual variants happen only when nothing else can.
pub fn default_choice<E: Executor>(machine: &E) -> Choice {
    let last = machine.schedule().last().map(|last| last.thread);
    choice_among(machine.choices(), machine.last_operation(), last)
}

/// The same at a point of a search.
pub(crate) fn default_choice_at(point: &Point<'_>) -> Choice {
    choice_among(point.choices, point.last_operation(), point.last())
}

fn choice_among(choices: &[Choice], operation: Option<(ThreadId, OpKind)>, last: Option<ThreadId>) -> Choice {
    if let Some(own) = continuation_of(operation, choices) {
        return choices[own.start];
    }
    let after = last.map_or(0, |last| last.0 + 1);
    let later_first = || {
        let (lower, higher) = choices.split_at(choices.partition_point(|choice| choice.thread.0 < after));
        higher.iter().chain(lower)
    };
    *later_first()
        .find(|choice| choice.variant == 0)
        .or_else(|| later_first().next())
        .expect("a machine without an end has a choice")
}
