//! Steps that are one plain access to one word, or take or give up a mutex, after which their thread parks or ends; and those that
//! read a word after their thread has waited in a loop. Nearly all are, so they are added to the history without detours; what
//! comes of them is the same.

use super::history::{History, NONE, Race, RaceQuery, Second, Sort};
use super::location::{Access, Class, Location, Mode};
use super::touch::{AccessEffect, EnabledIf, Touch};
use gordian_base::ThreadId;
use gordian_trace::{Choice, Event, OpKind};
use smallvec::SmallVec;

/// The access if it is to one word.
#[inline]
pub(crate) fn plain_access(event: &Event) -> Option<Touch> {
    let mode = match event.kind {
        OpKind::Read | OpKind::AtomicRead | OpKind::Watch => Mode::Read,
        OpKind::Write | OpKind::AtomicWrite | OpKind::Rmw | OpKind::RmwSame => Mode::Write,
        _ => return None,
    };
    let Event { address, size, other: before, unsure, .. } = *event;
    let access = word_access(address, size, mode)?;
    let about = AccessEffect::Value { address, size, before, expects: None, known: !unsure };
    Some(Touch { access, needs: EnabledIf::Nothing, about })
}

/// An access to bytes of one word.
#[inline]
pub(crate) fn word_access(address: u64, size: u32, mode: Mode) -> Option<Access> {
    let from = address % 8;
    let within = size.wrapping_sub(1) < 8 && from + u64::from(size) <= 8;
    let location = Location { address: address - from, class: Class::Memory };
    within.then(|| Access::new(location, ((0xff >> (8 - size)) << from) as u8, mode))
}

/// Whether an event behind the operation of a step of `thread` touches nothing. The end of the process does not either,
/// unless it comes within an atomic section.
#[inline]
fn follows_quietly(thread: ThreadId, event: &Event) -> bool {
    match event.kind {
        // The end of a thread that others may join by a step of their own is something that they look at.
        OpKind::Exit => event.other == 0,
        OpKind::Join => true,
        OpKind::ProcessExit => event.alone || event.thread != thread,
        OpKind::Create | OpKind::Wake | OpKind::BarrierLeave => false,
        _ => event.alone,
    }
}

impl History {
    /// Adds the step if it is of this sort.
    #[inline(always)]
    pub(crate) fn push_plain(&mut self, choice: Choice, events: &[Event]) -> bool {
        let Some((event, rest)) = events.split_first() else { return false };
        if event.alone || event.thread != choice.thread || choice.variant > 0 {
            return false;
        }
        match event.kind {
            OpKind::Lock | OpKind::Unlock => self.push_mutex(choice, event, rest),
            OpKind::Watch => self.push_reads(choice, events),
            _ => self.push_access(choice, event, rest),
        }
    }

    #[inline(never)]
    fn push_access(&mut self, choice: Choice, event: &Event, rest: &[Event]) -> bool {
        !event.varies && plain_access(event).is_some_and(|touch| self.push_touch(choice, touch, rest))
    }

    #[inline(never)]
    fn push_mutex(&mut self, choice: Choice, event: &Event, rest: &[Event]) -> bool {
        !event.varies && Touch::of_mutex(event).is_some_and(|touch| self.push_touch(choice, touch, rest))
    }

    /// A step that reads a word, of a thread that watched others before.
    #[inline(never)]
    fn push_reads(&mut self, choice: Choice, events: &[Event]) -> bool {
        let thread = choice.thread;
        let is_read = |event: &Event| matches!(event.kind, OpKind::Read | OpKind::AtomicRead);
        let Some(last) = events.iter().position(is_read) else { return false };
        let (reads, rest) = events.split_at(last + 1);
        let mut touches: SmallVec<[Touch; 4]> = SmallVec::new();
        for (nth, event) in reads.iter().enumerate() {
            let is_watch = event.kind == OpKind::Watch && event.value == OpKind::WATCHES_MEMORY;
            if event.thread != thread || event.alone || nth < last && !is_watch {
                return false;
            }
            let Some(touch) = plain_access(event) else { return false };
            if !touches.iter().any(|known| known.access == touch.access) {
                touches.push(touch);
            }
        }
        let begun = self.begin_step(choice);
        let before = begun.before;
        if before.n_joined > 0 || !rest.iter().all(|event| follows_quietly(thread, event)) {
            return false;
        }
        let index = self.steps.len() as u32;
        let footprint = self.footprints.intern_accesses(touches.iter().map(|touch| touch.access));
        debug_assert_eq!(footprint, self.footprint_of(choice, events), "it is the same with detours");
        self.make_room_for_slots();
        self.begin_clock(before.clock);
        let of = RaceQuery { thread, touches: &touches, footprint, enabled_by: &[], could_precede: NONE };
        self.find_races(of, None, Second::Step(index));
        let clock = self.finish_clock(begun);
        for (nth, &Touch { access, about, .. }) in touches.iter().enumerate() {
            self.add_record(access, about, self.footprints.slots(footprint)[nth], index, thread);
        }
        self.end_step(begun, clock, footprint, Sort { finds: true, ..Sort::default() });
        self.take_joins(rest, index, begun.n_saved);
        true
    }

    #[inline]
    fn take_joins(&mut self, events: &[Event], step: u32, n_saved: u32) {
        for event in events.iter().filter(|event| event.kind == OpKind::Join) {
            self.take_join(event.thread, ThreadId(event.address as u32), step, n_saved);
        }
    }

    #[inline(always)]
    fn push_touch(&mut self, choice: Choice, touch: Touch, rest: &[Event]) -> bool {
        let Touch { access, needs, about } = touch;
        let thread = choice.thread;
        let begun = self.begin_step(choice);
        let before = begun.before;
        if before.n_joined > 0 || !rest.iter().all(|event| follows_quietly(thread, event)) {
            return false;
        }
        let index = self.steps.len() as u32;
        let (footprint, slot) = self.footprints.intern_single(access, false);
        if self.newest.len() <= slot as usize {
            self.make_room_for_slots();
        }
        self.begin_clock(before.clock);
        let n_races = self.races.len();
        let is_access = matches!(about, AccessEffect::Value { .. });
        let are_found = if !self.footprints.overlapping(slot).is_empty() {
            false
        } else if is_access {
            self.find_plain_races(thread, access, slot, index)
        } else {
            self.find_mutex_races(thread, access, needs, slot, index)
        };
        if !are_found {
            if is_access {
                self.races.truncate(n_races);
                self.clocks.drop_draft();
                self.begin_clock(before.clock);
            }
            let touches = &[Touch { access, needs, about }];
            let of = RaceQuery { thread, touches, footprint, enabled_by: &[], could_precede: NONE };
            self.find_races(of, None, Second::Step(index));
        }
        let is_solo =
            is_access && are_found && self.races.len() == n_races && self.awaited.is_empty() && self.is_solo(&before);
        let clock = self.finish_clock(begun);
        self.add_record(access, about, slot, index, thread);
        let sort = Sort { is_plain: true, finds: is_access, about_to: footprint, is_solo, ..Sort::default() };
        self.end_step(begun, clock, footprint, sort);
        self.take_joins(rest, index, begun.n_saved);
        true
    }

    /// As [`History::find_races`] if nobody had the mutex before, the thread itself has or had it last, or another took it and
    /// gave it up again; otherwise nothing is done.
    fn find_mutex_races(&mut self, thread: ThreadId, access: Access, needs: EnabledIf, slot: u32, index: u32) -> bool {
        let Some(newest) = self.records.get(self.newest[slot as usize] as usize) else { return true };
        if newest.access.bytes != access.bytes {
            return false;
        }
        if newest.thread == thread {
            return newest.access.mode == Mode::Write;
        }
        let Some(taken) = self.records.get(newest.previous as usize) else { return false };
        if taken.access.bytes != access.bytes {
            return false;
        }
        let is_given_up = newest.access.mode == Mode::Write && newest.about.level().is_some_and(|before| before != 0);
        let was_free = taken.access.mode == Mode::Write && taken.about.level() == Some(0);
        let is_one_holder = newest.thread == taken.thread && newest.step != taken.step;
        if needs != EnabledIf::Free || !is_given_up || !was_free || !is_one_holder {
            return false;
        }
        let (first, holder, given_up) = (taken.step, taken.thread, newest.step);
        if self.clocks.draft_time(holder) < self.steps[first as usize].time {
            self.races.push(Race { first, second: Second::Step(index), thread, overtakes_readers: false });
        }
        self.clocks.add(self.steps[given_up as usize].clock);
        true
    }

    /// As [`History::find_races`] if all that the access depends on could have come after it, or is known to come before;
    /// otherwise that may have been done in part.
    #[inline(always)]
    fn find_plain_races(&mut self, thread: ThreadId, access: Access, slot: u32, index: u32) -> bool {
        let mut next = self.newest[slot as usize];
        while next != NONE {
            if access.mode == Mode::Read {
                next = self.records[next as usize].effective;
                if next == NONE {
                    break;
                }
            }
            let record = &self.records[next as usize];
            let (previous, covers) =
                (record.previous, record.access.mode == Mode::Write && access.bytes & !record.access.bytes == 0);
            if record.access.bytes & access.bytes != 0 && record.thread != thread {
                let first = record.step;
                if self.clocks.draft_time(record.thread) < self.steps[first as usize].time {
                    if !self.could_overtake(thread, first) {
                        return false;
                    }
                    self.races.push(Race { first, second: Second::Step(index), thread, overtakes_readers: false });
                    self.add_clock_of(first);
                }
            }
            if covers {
                break;
            }
            next = previous;
        }
        true
    }
}
