//! A panic in a search is a fault of gordian's, and no reason to lose what was found before.

use gordian_trace::Stop;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a part of a search. If that panics, the search stops with what it has: results are handed over whole after each
/// execution, and nothing else of whoever panicked is used again.
pub(crate) fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, Stop> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| Stop::Panicked(text(&*payload)))
}

fn text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no reason given").replace('\n', " ")
}
