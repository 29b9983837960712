//! `gordian check --explain`: what the search says of its decisions goes to standard error, a line each.

use std::fmt::{Debug, Write};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Metadata, Subscriber};

/// Shows decisions from now on.
pub fn show() -> anyhow::Result<()> {
    Ok(tracing::subscriber::set_global_default(ToStandardError)?)
}

/// Writes the messages of one target. There are no spans.
struct ToStandardError;

fn is_shown(metadata: &Metadata<'_>) -> bool {
    metadata.target() == "gordian::explain"
}

impl Subscriber for ToStandardError {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if is_shown(metadata) { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        is_shown(metadata)
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        eprintln!("{}", message.0);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The text of an event.
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            let _ = write!(self.0, "{value:?}");
        }
    }
}
