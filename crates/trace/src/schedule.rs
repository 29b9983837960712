//! The log of choices: everything that the program text does not determine, in order.

use gordian_base::ThreadId;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Which thread steps next, and in which of its possible ways: which waiter a signal wakes, whether a
/// timed wait times out, whether a weak compare-and-swap fails. Variant 0 is the ordinary way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Choice {
    pub thread: ThreadId,
    pub variant: u32,
}

impl Choice {
    pub const fn of(thread: ThreadId) -> Self {
        Choice { thread, variant: 0 }
    }
}

/// One choice for each step of an execution. Written as runs: `0*12 1 0*3 2.1` is twelve steps of
/// thread 0, one of thread 1, three of thread 0, and one of thread 2 in its variant 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule(pub Vec<Choice>);

impl Schedule {
    pub fn context_switches(&self) -> usize {
        self.0.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
    }
}

#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no step of a schedule")]
pub struct ScheduleError(String);

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, run) in self.0.chunk_by(|a, b| a == b).enumerate() {
            if nth > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{}", run[0].thread.0)?;
            if run[0].variant > 0 {
                write!(f, ".{}", run[0].variant)?;
            }
            if run.len() > 1 {
                write!(f, "*{}", run.len())?;
            }
        }
        Ok(())
    }
}

/// A file may not ask for more steps than this: a schedule of a few bytes must not fill the memory.
const LONGEST: usize = 200_000_000;

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Self, ScheduleError> {
        let mut choices = Vec::new();
        for word in text.split_ascii_whitespace() {
            let bad = || ScheduleError(word.to_owned());
            let (step, count) = match word.split_once('*') {
                Some((step, count)) => (step, count.parse::<usize>().map_err(|_| bad())?),
                None => (word, 1),
            };
            let (thread, variant) = match step.split_once('.') {
                Some((thread, variant)) => (thread, variant.parse().map_err(|_| bad())?),
                None => (step, 0),
            };
            let thread = ThreadId(thread.parse().map_err(|_| bad())?);
            if count > LONGEST - choices.len() {
                return Err(bad());
            }
            choices.extend(std::iter::repeat_n(Choice { thread, variant }, count));
        }
        Ok(Schedule(choices))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_comes_back_from_its_text() {
        let text = "0*12 1 0*3 2.1 2*2";
        let schedule: Schedule = text.parse().unwrap();
        assert_eq!(schedule.0.len(), 19);
        assert_eq!(schedule.to_string(), text);
        assert_eq!(schedule.context_switches(), 3);
    }

    #[test]
    fn nonsense_is_refused_by_the_word_that_is_wrong() {
        for (text, word) in [("0 x 1", "x"), ("0*", "0*"), ("-1", "-1"), ("0*99999999999", "0*99999999999")] {
            assert_eq!(text.parse::<Schedule>().unwrap_err().0, word);
        }
    }
}
