//! The order of an execution in which writes that nobody reads are not ordered; see the strategy `observers`.
//!
//! A *blind* write stores without looking. Two blind writes of the same byte are ordered only if somebody reads what the
//! later one has left there. The end of an execution reads everything: whoever is left alone reads without a step.

use crate::happens_before::history::{History, NONE};
use crate::happens_before::location::{Access, Class, Mode};
use gordian_trace::{Choice, Event, Wants};

impl Access {
    /// Whether it is a write that does not look. Where all writes are ordered, there is none.
    #[inline]
    pub fn is_blind(&self) -> bool {
        self.mode == Mode::Blind
    }

    pub fn writes(&self) -> bool {
        self.mode != Mode::Read
    }
}

impl History {
    /// Works out the order of an execution, now that it is known who reads what; `wants` is what each step was about to do.
    pub(crate) fn look_back(&mut self, events: &[Event], wants: impl Fn(usize) -> Option<Wants>) {
        self.look();
        let steps: Vec<Choice> = self.steps.iter().map(|step| step.choice).collect();
        self.take_back(0);
        for (index, &choice) in steps.iter().enumerate() {
            let end = self.n_events(index + 1).unwrap_or(events.len());
            self.push(choice, &events[..end], wants(index));
        }
    }

    /// Notes in which bytes somebody reads what blind writes have left.
    fn look(&mut self) {
        // By slot and byte: the record of the last blind write.
        let mut last = vec![[NONE; 8]; self.footprints.n_slots()];
        self.observed.clear();
        self.observed.resize(self.records.len(), 0);
        for (number, record) in self.records.iter().enumerate() {
            let access = record.access;
            if access.location.class != Class::Memory {
                continue;
            }
            let behind = if access.words > 1 { self.footprints.overlapping(record.slot) } else { &[] };
            let touched = behind.iter().map(|&slot| (slot, u8::MAX)).chain([(record.slot, access.bytes)]);
            let bytes = |bytes: u8| (0..8).filter(move |byte| bytes & 1 << byte != 0);
            for (slot, byte) in touched.flat_map(|(slot, mask)| bytes(mask).map(move |byte| (slot, byte))) {
                let last = &mut last[slot as usize][byte];
                if !access.is_blind() && *last != NONE {
                    self.observed[*last as usize] |= 1 << byte;
                }
                match access.mode {
                    Mode::Read => {}
                    Mode::Blind => *last = number as u32,
                    Mode::Share | Mode::Write => *last = NONE,
                }
            }
        }
        for last in last {
            for (byte, record) in last.into_iter().enumerate().filter(|(_, record)| *record != NONE) {
                self.observed[record as usize] |= 1 << byte;
            }
        }
    }
}
