//! An executed step as a person reads it: made by whoever has the program at hand, shown by `report`.

use crate::{Place, ThreadName};
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Position in the schedule.
    pub index: usize,
    pub thread: ThreadName,
    pub form: StepForm,
    /// `place.what` says what the step did.
    pub place: Place,
}

/// How a step is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepForm {
    Access,
    Synchronisation,
    Life,
    /// The step in which the finding showed.
    Failure,
    /// The thread is stuck here at the end.
    Stuck,
}
