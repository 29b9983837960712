//! What lets a step happen that would have to wait otherwise: the end of a thread, data in a pipe, a unit of a semaphore, or that its thread is cancelled.

use super::{EnabledBy, Touches, object_access, place_of_file, plain_access};
use crate::happens_before::location::{Class, Mode};
use gordian_base::ThreadId;
use gordian_trace::{Event, Hidden, OpKind};

impl Touches {
    /// Finds what lets a join happen, or a wait that ends by cancellation.
    #[inline]
    pub(super) fn find_what_enables(&mut self, thread: ThreadId, events: &[Event]) {
        let awaits = |event: &Event| match event.kind {
            OpKind::Join => event.size == 1,
            OpKind::SemTimeout | OpKind::File => event.other == OpKind::GIVEN_UP_BY_CANCEL,
            OpKind::Look => matches!(Hidden::of(event.address), Some(Hidden::End(_))),
            _ => false,
        };
        if events.iter().any(|event| event.thread == thread && !event.alone && awaits(event)) {
            self.find_all_that_enables(thread, events);
        }
    }

    #[cold]
    fn find_all_that_enables(&mut self, thread: ThreadId, events: &[Event]) {
        for event in events.iter().filter(|event| event.thread == thread && !event.alone) {
            let hidden = |what: Hidden| plain_access(what.address(), Class::Hidden, Mode::Read);
            let (access, already) = match event.kind {
                OpKind::Join if event.size == 1 => (hidden(Hidden::End(ThreadId(event.address as u32))), true),
                OpKind::Look => match Hidden::of(event.address) {
                    Some(what @ Hidden::End(_)) => (hidden(what), event.value != 0),
                    Some(what @ Hidden::Thread(_)) => (hidden(what), true),
                    _ => continue,
                },
                OpKind::Cancelled => (hidden(Hidden::Cancellation(thread)), true),
                OpKind::SemTimeout => (object_access(event.address, event.size, Mode::Read), event.value != 0),
                OpKind::File => (plain_access(place_of_file(event.address), Class::File, Mode::Read), event.value != 0),
                _ => continue,
            };
            let Some(nth) = self.list.iter().position(|touch| touch.access.is_same_place(&access)) else {
                // It is not known what lets this happen, so the step counts as possible at any time: what is left would say too little of it.
                self.enabled_by.clear();
                return;
            };
            self.enabled_by.push(match event.kind {
                OpKind::SemTimeout => EnabledBy::Unit { nth, already },
                _ => EnabledBy::Change { nth, already },
            });
        }
    }
}
