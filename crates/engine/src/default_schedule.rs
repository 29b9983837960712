//! The schedule that nobody chose: a thread runs until it blocks or yields, then the next one in a circle.
//! The circle matters: always taking the lowest number would let two threads that wait for a third hand
//! the processor to each other for ever.

use crate::Executor;
use crate::preemptions::continuation;
use gordian_trace::Choice;

/// What the default schedule does now. Time-outs and other unusual variants happen only when nothing else can.
pub(crate) fn default_choice<E: Executor>(machine: &E) -> Choice {
    let choices = machine.choices();
    if let Some(own) = continuation(machine) {
        return choices[own.start];
    }
    let after = machine.schedule().last().map_or(0, |last| last.thread.0 + 1);
    let later_first = || {
        let (lower, higher) = choices.split_at(choices.partition_point(|choice| choice.thread.0 < after));
        higher.iter().chain(lower)
    };
    *later_first()
        .find(|choice| choice.variant == 0)
        .or_else(|| later_first().next())
        .expect("a machine without an end has a choice")
}
