//! How the second step of a race would turn out if it came first.

use super::history::{History, Level, Race, Record};
use super::location::{Class, Mode};
use super::touch::AccessEffect;
use super::transition::Transition;

impl Record {
    /// Whether it merely reads, and of memory.
    #[inline]
    fn only_reads(&self) -> bool {
        self.access.mode == Mode::Read && self.access.location.class == Class::Memory
    }
}

impl History {
    /// The second step of the race as it would be if it came before the first: an exchange or a try-lock that failed may
    /// succeed then, and one that succeeded may fail; an atomic section may do anything.
    #[inline]
    pub fn second_if_reversed(&mut self, race: Race, second: u32) -> Transition {
        match self.plain_second(race, second) {
            Some(label) => label,
            None => self.any_second(race, second),
        }
    }

    /// The same where both steps are one access each, and the second turns out the same at any time: nearly always.
    #[inline]
    fn plain_second(&self, race: Race, second: u32) -> Option<Transition> {
        if self.may_turn_out_otherwise(second) {
            return None;
        }
        let (first, second) = (&self.steps[race.first as usize], &self.steps[second as usize]);
        if !first.is_plain || !second.is_plain {
            return None;
        }
        let mut label = second.label;
        let (first, second) = (&self.records[first.n_records as usize], &self.records[second.n_records as usize]);
        if !first.only_reads() && second.access.conflicts(&first.access) {
            label.variant = None;
        }
        Some(label)
    }

    #[inline(never)]
    fn any_second(&mut self, race: Race, second: u32) -> Transition {
        let (mut label, range) = (self.steps[second as usize].label, self.records_of(second));
        // Which variants there are may depend on what came before, unless that only looked.
        let keeps_variants = self.only_reads(race.first, range.clone())
            || self.footprints.keeps_variants(label.footprint) && self.hides_nothing(race.first);
        label.variant = label.variant.filter(|_| keeps_variants);
        if self.steps[second as usize].is_section || self.may_turn_out_otherwise(second) {
            label.footprint = self.footprints.guess(label.footprint);
            return label;
        }
        if self.records[range.clone()].iter().all(|record| !record.about.depends_on_time()) {
            return label;
        }
        let mut changed = None;
        for (nth, record) in self.records[range].iter().enumerate() {
            let (mode, is_guess) = match self.mode_without(record, race.first) {
                Some(mode) => (mode, false),
                None => (Mode::Write, true),
            };
            if mode != record.access.mode || is_guess {
                let footprint = changed.get_or_insert_with(|| self.footprints.get(label.footprint).clone());
                footprint.accesses[nth].mode = mode;
                footprint.is_guess |= is_guess;
            }
        }
        if let Some(footprint) = changed {
            label.footprint = self.footprints.intern(&footprint);
        }
        label
    }

    /// Whether a step would turn out the same in any race, whatever is made after it.
    #[inline]
    pub fn is_same_if_reversed(&self, step: u32) -> bool {
        if self.may_turn_out_otherwise(step) {
            return false;
        }
        if self.steps[step as usize].is_plain {
            return true;
        }
        let records = &self.records[self.records_of(step)];
        !self.steps[step as usize].is_section && records.iter().all(|record| !record.about.depends_on_time())
    }

    /// Whether the step may touch something else at another time: what it finds decides how much it touches; or it may be the last of its thread at one time and not
    /// at another, and others see that, since the end of a thread is a part of the step before it.
    #[inline]
    fn may_turn_out_otherwise(&self, step: u32) -> bool {
        let step = &self.steps[step as usize];
        step.varies || self.visibility.ends && step.finds
    }

    #[inline]
    fn records_of(&self, step: u32) -> std::ops::Range<usize> {
        let end = self.steps.get(step as usize + 1).map_or(self.records.len(), |next| next.n_records as usize);
        self.steps[step as usize].n_records as usize..end
    }

    /// Whether a step merely reads, of memory, what those records of another touch.
    fn only_reads(&self, step: u32, of: std::ops::Range<usize>) -> bool {
        let slots = &self.records[of];
        let mut shared = self.records[self.records_of(step)]
            .iter()
            .filter(|record| slots.iter().any(|other| other.access.conflicts(&record.access)));
        shared.all(Record::only_reads)
    }

    /// Whether what a step overwrote is the same for all inputs.
    fn hides_nothing(&self, step: u32) -> bool {
        let mut written = self.records[self.records_of(step)].iter().filter(|record| record.access.mode != Mode::Read);
        written.all(|record| !matches!(record.about, AccessEffect::Value { known: false, .. }))
    }

    /// In which mode an access would touch its location if `first` and all that happens after it were taken away; none if
    /// that cannot be told, as where inputs decide.
    fn mode_without(&self, record: &Record, first: u32) -> Option<Mode> {
        let mode = match record.about {
            AccessEffect::Level { tries: Some(tries), .. } => {
                match self.level_without(record.slot, record.access.bytes, first) {
                    Level::Is(level) if !tries.needs.met_by(level) => Mode::Read,
                    Level::Is(_) | Level::Untouched => tries.mode,
                    Level::Overwritten => return None,
                }
            }
            AccessEffect::Value { address, size, expects: Some(expects), known, .. } => {
                let is_here = |other: &Record| other.slot == record.slot || other.access.overlaps(&record.access);
                let writes_here = |other: &&Record| other.access.mode != Mode::Read && is_here(other);
                match self.records[self.records_of(first)].iter().find(writes_here).map(|other| other.about) {
                    // It does not change what the exchange finds.
                    None => record.access.mode,
                    Some(AccessEffect::Value { address: there, size: as_much, before, known: true, .. })
                        if known && (there, as_much) == (address, size) =>
                    {
                        if before == expects {
                            Mode::Write
                        } else {
                            Mode::Read
                        }
                    }
                    Some(_) => return None,
                }
            }
            _ => record.access.mode,
        };
        Some(mode)
    }
}
