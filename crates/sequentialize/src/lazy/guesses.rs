//! Reads of T' that take writes of T.
//!
//! T' runs first, so what such a read sees is guessed. A write of T is the one that it sees if T makes it at a position between the write of T' that the read would
//! see otherwise and the read, and if it is the last one. Where T fails, all guesses must have been right, and T' must have come to its last one.

use super::access::{Offset, UAccess, happens};
use super::state::{Copy, Phase};
use super::value::Value;
use super::walk::Walk;
use crate::Error;
use crate::emit::pure::Registers;
use crate::names::literal;

impl Walk<'_> {
    /// T' is about to read, as event `event`; its sources are known.
    pub fn guess(&mut self, pc: usize, object: usize, offset: &Offset, size: u64, event: u32) {
        if self.options.k2 == 0 || !self.plan.reads_of_others.contains(&self.point(pc)) {
            return;
        }
        self.say("gs_reads2++;");
        if !self.may_take_part(&self.options.reads, pc) {
            return;
        }
        for (name, ty) in [
            ("ug", "unsigned char"),
            ("um", "unsigned short"),
            ("uz", "unsigned short"),
            ("uq", "uint64_t"),
            ("uc", "uint64_t"),
        ] {
            self.variable(format!("{name}_{event}"), ty);
        }
        self.say("if (gs_next2 != GS_K2 && gs_rds2[gs_next2] == gs_reads2) {");
        self.say(&format!("ug_{event} = 1; uz_{event} = gs_wrts2[gs_next2]; gs_least = {event};"));
        self.say(&format!("uq_{event} = gs_vals2[gs_next2] = gs_any_u64() & gs_mask({}); gs_next2++;", 8 * size));
        self.store_text(object, offset, size, &format!("uq_{event}"));
        for cell in self.cells("lu", object, offset, size) {
            self.say(&format!("{cell} = {event};"));
        }
        self.say("}");
        self.remember(object, offset, size, Value::Any, false);
        self.guessed.insert(event);
    }

    /// The condition that a read of T' takes nothing from T.
    pub fn is_not_guessed(&self, event: u32) -> String {
        if self.guessed.contains(&event) { format!(" & (!ug_{event})") } else { String::new() }
    }

    /// T has written: reads of T' that come later may take it.
    pub fn offer(&mut self, pc: usize, object: usize, offset: &Offset, size: u64) -> Result<(), Error> {
        let reads = self.u_reads.get(&object).cloned().unwrap_or_default();
        let reads: Vec<(UAccess, String)> = reads
            .into_iter()
            .filter_map(|read| happens(&read, offset, size).map(|condition| (read, condition)))
            .collect();
        if self.options.k2 == 0 || reads.is_empty() {
            return Ok(());
        }
        let any: Vec<&str> = reads.iter().map(|(_, condition)| condition.as_str()).collect();
        self.say(&format!("if ({}) gs_writes2++;", any.join(" | ")));
        let number = if self.may_take_part(&self.options.writes, pc) { "gs_writes2" } else { "0" };
        for (read, condition) in
            reads.iter().filter(|(read, _)| self.guessed.contains(&read.event)).cloned().collect::<Vec<_>>()
        {
            let event = read.event;
            let own: Vec<String> =
                (0..read.size / self.granule(object)).map(|nth| format!("(us_{event}_{nth} <= gs_pos)")).collect();
            self.say(&format!("if (ug_{event} & {condition} & (gs_pos < {event}) & ({})) {{", own.join(" | ")));
            let (at, from) = (offset.text(), read.offset.text());
            let is_part = format!("gs_ult({from}, {at}) | gs_ult({at} + {size}, {from} + {})", read.size);
            if read.offset != *offset || read.size != size || own.len() > 1 {
                self.refuse_if(
                    pc,
                    &format!("{is_part} | (!({}))", own.join(" & ")),
                    "T' may read bytes of several writes of T at once",
                );
            }
            let others: Vec<UAccess> =
                self.u_reads[&object].iter().filter(|other| other.event > event).cloned().collect();
            for other in others.iter().filter(|_| read.offset != *offset || read.size != size) {
                let Some(meets) = happens(other, offset, size) else { continue };
                let (start, length) = (other.offset.text(), other.size);
                let is_outside =
                    format!("(gs_ult({start}, {from}) | gs_ult({from} + {}, {start} + {length}))", read.size);
                let earlier =
                    (0..length / self.granule(object)).map(|nth| format!("(us_{}_{nth} < {event})", other.event));
                let earlier = earlier.collect::<Vec<_>>().join(" | ");
                let what = "T' may read another part of a write of T of which it has read a part before";
                self.refuse_if(pc, &format!("{meets} & {is_outside} & ({earlier})"), what);
            }
            let value = self.load_text(object, &read.offset, read.size);
            self.say(&format!("um_{event} = {number}; uc_{event} = {value};"));
            self.say("}");
        }
        Ok(())
    }

    fn refuse_if(&mut self, pc: usize, condition: &str, what: &str) {
        let what = format!("{}: {what}, which is not supported", self.place(pc));
        self.say(&format!("if ({condition}) gs_refuse({});", literal(&what)));
    }

    /// T has made an event; if it was no step, T' may have made some before it.
    pub fn note_event(&mut self, steps_before: usize) {
        let is_t = matches!(self.state.phase, Phase::RunT | Phase::After) && self.copy == Copy::T;
        if self.options.k2 > 0 && is_t && self.n_steps == steps_before {
            self.say("gs_between = 1;");
        }
    }

    /// All guesses were right, and T' makes its last one before the last event of T, with which T fails.
    pub fn confirm_guesses(&mut self) {
        if self.options.k2 == 0 {
            return;
        }
        self.say("if (gs_between) {");
        self.step();
        self.say("}");
        self.say("gs_suppose(gs_pos >= gs_least);");
        for event in self.guessed.clone() {
            self.say(&format!(
                "gs_suppose((!ug_{event}) | ((um_{event} != 0) & (um_{event} == uz_{event}) & (uc_{event} == uq_{event})));"
            ));
        }
    }
}
