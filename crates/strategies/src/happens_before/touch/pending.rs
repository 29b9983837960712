//! What a step touches that was not made: one that a blocked thread waits to make, that a thread is about to make, or that failed before it was logged.

use super::{AccessEffect, EnabledIf, Touch, Touches};
use crate::happens_before::location::{Access, Class, Location, Mode};
use crate::happens_before::operation::{Object, WRITER, reading_mode};
use gordian_base::ThreadId;
use gordian_engine::Ended;
use gordian_trace::{CodePoint, Event, Hidden, OpKind, Wants, words};

impl Touches {
    /// What a blocked thread would touch if it could: orders with those who block it that could be reversed. Nothing
    /// for operations that block in other ways.
    pub fn of_blocked(&mut self, thread: ThreadId, ended: &Ended<'_>) {
        self.clear();
        let Some(Wants { kind, address, size, at, varies }) = ended.wants(thread) else { return };
        for (address, size, value) in ended.watched(thread) {
            if value & 0xff == OpKind::WATCHES_AWAIT {
                return self.of_await(kind, Object { address, size }, value >> 8);
            }
            self.add_watched(thread, at, address, size, value);
        }
        self.is_once = kind == OpKind::OnceEnter;
        let (mode, needs) = match kind {
            OpKind::Lock | OpKind::Woken | OpKind::OnceEnter => (Mode::Write, EnabledIf::Free),
            OpKind::ReadLock => (reading_mode(thread), EnabledIf::NoWriter),
            OpKind::SemWait => (Mode::Write, EnabledIf::Unit),
            // Others have taken what was in the pipe.
            OpKind::File => {
                return self.add_failed(thread, Wants { kind, address, size, at, varies });
            }
            _ => return,
        };
        self.add_object(
            Object { address, size },
            mode,
            needs,
            AccessEffect::Level { before: 0, change: 0, tries: None },
        );
    }

    /// What a thread would touch that awaits something, and could have gone on before that event.
    fn of_await(&mut self, kind: OpKind, object: Object, could_precede: u64) {
        self.awaits = Some(could_precede);
        if kind == OpKind::TryLock {
            let about = AccessEffect::Level { before: 0, change: 0, tries: None };
            return self.add_object(object, Mode::Write, EnabledIf::Free, about);
        }
        let mode = if matches!(kind, OpKind::Read | OpKind::AtomicRead) { Mode::Read } else { Mode::Write };
        let Object { address, size } = object;
        let about = AccessEffect::Value { address, size, before: 0, expects: None, known: false };
        for (word, bytes) in words(address, u64::from(size)) {
            let location = Location { address: word, class: Class::Memory };
            self.push(Touch { access: Access::new(location, bytes, mode), needs: EnabledIf::Value, about });
        }
    }

    fn add_watched(&mut self, thread: ThreadId, at: CodePoint, address: u64, size: u32, value: u64) {
        let (alone, unsure, varies, other) = (false, false, false, 0);
        self.add_event(&Event { thread, kind: OpKind::Watch, alone, unsure, varies, size, at, address, value, other });
    }

    /// What a thread that can go on would touch, in the worst way.
    pub fn of_waiting(&mut self, thread: ThreadId, ended: &Ended<'_>) {
        self.clear();
        if let Some(wants) = ended.wants(thread) {
            self.is_once = wants.kind == OpKind::OnceEnter;
            self.add_failed(thread, wants);
        }
    }

    /// What a thread that stands before `wants` would touch, in the worst way, with the places that it watches.
    pub fn of_wants(&mut self, thread: ThreadId, wants: Wants, watched: &[(u64, u32, u64)]) {
        self.clear();
        for &(address, size, value) in watched {
            self.add_watched(thread, wants.at, address, size, value & 0xff);
        }
        self.add_failed(thread, wants);
    }

    /// The operation failed before it could be logged: it touches what it was about to touch, in the worst way.
    pub(crate) fn add_failed(&mut self, thread: ThreadId, wants: Wants) {
        let Wants { kind, size, address, at, varies } = wants;
        match kind {
            OpKind::Join if size == 1 => {
                let target = ThreadId(address as u32);
                self.add_hidden(Hidden::End(target), Mode::Read);
                self.add_hidden(Hidden::Thread(target), Mode::Write);
            }
            OpKind::Join | OpKind::Create | OpKind::Wake | OpKind::BarrierLeave => {}
            // It takes the next handler, if there is one.
            OpKind::ProcessExit => self.add_hidden(Hidden::ExitHandlers, Mode::Write),
            // The mutex behind a wait is not known here.
            OpKind::Wait | OpKind::Woken => {
                self.footprint.unknown = true;
                self.says_more = true;
            }
            // Nobody could have come before it by way of the lock: it was held, or was none.
            OpKind::Lock | OpKind::TryLock | OpKind::ReadLock | OpKind::TryReadLock | OpKind::Unlock => {
                let about = AccessEffect::Level { before: WRITER, change: 0, tries: None };
                self.add_object(Object { address, size }, Mode::Write, EnabledIf::Nothing, about);
            }
            _ => self.add_event(&Event {
                thread,
                kind,
                alone: false,
                unsure: false,
                varies,
                size,
                at,
                address,
                value: 1,
                other: 1,
            }),
        }
    }
}
