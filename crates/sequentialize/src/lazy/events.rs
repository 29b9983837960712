//! Accesses as events: which writes of T' a read of T takes, and how far T' can go when T writes.

use super::access::{Offset, UAccess, happens, shifted};
use super::state::{Copy, Phase};
use super::value::Value;
use super::walk::Walk;
use crate::Error;
use crate::emit::pure::Registers;

impl Walk<'_> {
    /// Whether an access that others can see is an event.
    pub fn is_event(&self, pc: usize) -> Result<bool, Error> {
        if !self.plan.shared.contains(&self.point(pc)) {
            return Ok(false);
        }
        if self.state.phase == Phase::Forked {
            return Err(self.shares_with_main(pc));
        }
        Ok(match self.copy {
            Copy::T => matches!(self.state.phase, Phase::RunT | Phase::After),
            Copy::U => self.state.phase == Phase::RunU,
        })
    }

    /// T' reads. A read-modify-write has its number already.
    pub fn u_read(&mut self, pc: usize, object: usize, offset: &Offset, size: u64, event: u32) {
        self.say(&format!("uh_{event} = 1;"));
        self.variable(format!("uh_{event}"), "unsigned char");
        for (cell, nth) in self.cells("lu", object, offset, size).into_iter().zip(0..) {
            let source = self.variable(format!("us_{event}_{nth}"), "unsigned short");
            self.say(&format!("{source} = {cell};"));
        }
        self.seen.sources.insert(object);
        self.guess(pc, object, offset, size, event);
        let offset = self.kept(offset, event);
        let thread = self.thread;
        let access = UAccess { event, thread, offset, size, value: Value::Any, takes: false, frees: false, flag: "uh" };
        self.u_reads.entry(object).or_default().push(access);
    }

    /// The offset of an event, kept for later.
    fn kept(&mut self, offset: &Offset, event: u32) -> Offset {
        match offset {
            Offset::Known(_) => offset.clone(),
            Offset::Variable(name, divisor) => {
                let kept = self.variable(format!("uo_{event}"), "uint64_t");
                self.say(&format!("{kept} = {name};"));
                Offset::Variable(kept, *divisor)
            }
        }
    }

    /// T' writes what it has stored already.
    pub fn u_write(
        &mut self,
        pc: usize,
        object: usize,
        offset: &Offset,
        size: u64,
        value: Value,
        event: u32,
    ) -> Result<(), Error> {
        self.keep_main(pc, object, offset, size)?;
        let text = self.load_text(object, offset, size);
        for name in ["uv", "un", "uw", "ux"] {
            self.variable(format!("{name}_{event}"), if name == "uv" { "uint64_t" } else { "unsigned short" });
        }
        self.say(&format!("uw_{event} = 1; un_{event} = ++gs_writes; uv_{event} = {text};"));
        for cell in self.cells("lu", object, offset, size) {
            self.say(&format!("{cell} = {};", self.time(event)));
        }
        self.seen.sources.insert(object);
        let offset = self.kept(offset, event);
        let takes = self.may_take_part(&self.options.writes, pc);
        let thread = self.thread;
        let access = UAccess { event, thread, offset, size, value, takes, frees: false, flag: "uw" };
        self.u_writes.entry(object).or_default().push(access);
        Ok(())
    }

    /// Reads a value: code for the rules, and the value as an expression.
    pub fn read(&mut self, pc: usize, object: usize, offset: &Offset, size: u64) -> Result<(String, Value), Error> {
        if self.state.phase == Phase::Forked {
            self.main_reads(pc, object, offset, size)?;
        } else if self.is_event(pc)? {
            match self.copy {
                Copy::T => {
                    let steps = self.n_steps;
                    self.t_read(pc, object, offset, size);
                    self.note_event(steps);
                }
                Copy::U => {
                    let event = self.next_event();
                    self.u_read(pc, object, offset, size, event);
                }
            }
        }
        let contents = self.state.contents(self.copy, object);
        let of = &self.objects.list[object];
        let value = match offset {
            Offset::Known(offset) => contents.load(of, *offset, size),
            Offset::Variable(_, divisor) if *divisor >= size => contents.load_anywhere(of, size, &self.objects),
            Offset::Variable(..) => Value::Any,
        };
        Ok((self.load_text(object, offset, size), value))
    }

    /// Remembers what was stored; a weak store may have been to another object.
    pub fn remember(&mut self, object: usize, offset: &Offset, size: u64, value: Value, strong: bool) {
        let mut contents = (*self.state.contents(self.copy, object)).clone();
        let of = &self.objects.list[object];
        match offset {
            Offset::Known(offset) if strong => contents.store(*offset, size, value),
            Offset::Known(offset) => {
                let joined = contents.load(of, *offset, size).join(&value, &self.objects);
                contents.store(*offset, size, joined);
            }
            Offset::Variable(_, divisor) => {
                let value = if *divisor >= size { value } else { Value::Any };
                contents.store_anywhere(of, size, &value, &self.objects);
            }
        }
        *self.state.contents_mut(self.copy, object) = contents;
    }

    /// T reads: from a write of T' if `rds` says so, and otherwise what it has, if T' has written nothing since. Whether it is an event.
    pub fn t_read(&mut self, pc: usize, object: usize, offset: &Offset, size: u64) -> bool {
        let writes = self.u_writes.get(&object).cloned().unwrap_or_default();
        let writes: Vec<(UAccess, String)> = writes
            .into_iter()
            .filter_map(|write| happens(&write, offset, size).map(|condition| (write, condition)))
            .collect();
        if writes.is_empty() {
            return false;
        }
        self.seen.positions.insert(object);
        self.step();
        let any: Vec<&str> = writes.iter().map(|(_, condition)| condition.as_str()).collect();
        self.say(&format!("if ({}) {{", any.join(" | ")));
        self.say("gs_reads++;");
        self.take_end(pc, &writes);
        let may_take =
            self.may_take_part(&self.options.reads, pc) && writes.iter().any(|(write, _)| write.takes && !write.frees);
        if may_take {
            self.say("if (gs_is_taken()) {");
            self.take(pc, object, offset, size, &writes);
            self.say("} else {");
        }
        let cells = self.cells("lt", object, offset, size);
        for (write, _) in &writes {
            for (nth, cell) in cells.iter().enumerate() {
                let granule = self.granule(object);
                let Some(condition) = happens(write, &shifted(offset, nth as u64 * granule), granule) else { continue };
                let time = self.time(write.event);
                self.say(&format!("gs_suppose(!({condition} & ({cell} < {time}) & ({time} <= gs_pos)));"));
            }
        }
        if may_take {
            self.say("}");
        }
        self.say("}");
        // What T may have taken is where T' has written it.
        for (write, _) in writes.into_iter().filter(|(write, _)| write.takes && !write.frees && may_take) {
            let exactly = match offset {
                Offset::Known(_) => write.offset == *offset,
                Offset::Variable(_, divisor) => *divisor >= size,
            };
            let value = if exactly && write.size == size { write.value } else { Value::Any };
            self.remember(object, &write.offset, write.size, value, false);
        }
        true
    }

    /// T takes the write of T' that `wrts` says.
    fn take(&mut self, pc: usize, object: usize, offset: &Offset, size: u64, writes: &[(UAccess, String)]) {
        self.say("unsigned short from = 0, in_part GS_UNUSED = 0; uint64_t value = 0;");
        let mut may_be_in_part = false;
        for (write, condition) in writes.iter().filter(|(write, _)| write.takes && !write.frees) {
            let (event, time) = (write.event, self.time(write.event));
            self.say(&format!("if ({condition} && un_{event} == gs_taken()) {{"));
            self.say(&format!("gs_suppose(!ux_{event}); ux_{event} = 1; from = {time};"));
            let (at, start, whole) = (offset.text(), write.offset.text(), write.size);
            let shift = format!("value = uv_{event} >> (8 * ({at} - {start}));");
            match (offset, &write.offset) {
                _ if write.offset == *offset && write.size == size => self.say(&format!("value = uv_{event};")),
                (Offset::Known(at), Offset::Known(start)) => match at >= start && at + size <= start + whole {
                    true => self.say(&shift),
                    false => {
                        may_be_in_part = true;
                        self.say("in_part = 1;");
                    }
                },
                _ => {
                    may_be_in_part = true;
                    self.say(&format!("in_part = gs_ult({at}, {start}) || gs_ult({start} + {whole}, {at} + {size});"));
                    self.say(&format!("if (!in_part) {shift}"));
                }
            }
            for cell in self.cells("lt", object, offset, size) {
                self.say(&format!("gs_suppose({cell} < {time});"));
            }
            self.take_rest(object, write);
            self.say("}");
        }
        self.say("gs_suppose((from != 0) & (from <= gs_pos));");
        for (write, condition) in writes {
            let time = self.time(write.event);
            self.say(&format!("gs_suppose(!({condition} & (from < {time}) & ({time} <= gs_pos)));"));
        }
        for cell in self.cells("lt", object, offset, size) {
            self.say(&format!("{cell} = from;"));
        }
        if may_be_in_part {
            let what = format!("{}: a read takes bytes of several writes, which is not supported", self.place(pc));
            self.say(&format!("if (in_part) gs_refuse({});", crate::names::literal(&what)));
        }
        self.store_text(object, offset, size, "value");
        self.say("gs_next++;");
    }

    /// Other bytes of a write that T takes a part of: there for later reads where T has not written since.
    fn take_rest(&mut self, object: usize, write: &UAccess) {
        let (event, time, shift) = (write.event, self.time(write.event), 8 * self.granule(object));
        let positions = self.cells("lt", object, &write.offset, write.size);
        let cells = self.cells("m0", object, &write.offset, write.size);
        for ((position, cell), nth) in positions.iter().zip(&cells).zip(0u64..) {
            self.say(&format!(
                "if ({position} < {time}) {{ {position} = {time}; {cell} = (uint{shift}_t)(uv_{event} >> {}); }}",
                nth * shift
            ));
        }
    }

    /// An access of T that takes the end of an object fails.
    fn take_end(&mut self, pc: usize, accesses: &[(UAccess, String)]) {
        if !self.may_take_part(&self.options.reads, pc) {
            return;
        }
        for (end, condition) in accesses.iter().filter(|(access, _)| access.frees && access.takes) {
            let (event, time) = (end.event, self.time(end.event));
            self.say(&format!("if (gs_is_taken() && {condition} && un_{event} == gs_taken() && {time} <= gs_pos) {{"));
            self.say("gs_next++;");
            self.fail(pc, "GS_FREED");
            self.say("}");
        }
    }

    /// T writes or frees what T' frees: T fails, or that comes later.
    fn t_uses(&mut self, pc: usize, ends: &[(UAccess, String)]) {
        if ends.is_empty() {
            return;
        }
        let any: Vec<&str> = ends.iter().map(|(_, condition)| condition.as_str()).collect();
        self.say(&format!("if ({}) {{ gs_reads++;", any.join(" | ")));
        self.take_end(pc, ends);
        self.say("gs_suppose(!gs_is_taken());");
        for (end, condition) in ends {
            self.say(&format!("gs_suppose(!({condition} & ({} <= gs_pos)));", self.time(end.event)));
        }
        self.say("}");
    }

    /// T writes: T' goes no further than to a read of its own that would see it.
    pub fn t_write(&mut self, pc: usize, object: usize, offset: &Offset, size: u64, steps: bool) -> Result<(), Error> {
        self.keep_main(pc, object, offset, size)?;
        let reads = self.u_reads.get(&object).cloned().unwrap_or_default();
        let reads: Vec<UAccess> = reads.into_iter().filter(|read| happens(read, offset, size).is_some()).collect();
        let ends = self.u_writes.get(&object).cloned().unwrap_or_default();
        let ends: Vec<(UAccess, String)> = ends
            .into_iter()
            .filter(|access| access.frees && steps)
            .filter_map(|end| happens(&end, offset, size).map(|condition| (end, condition)))
            .collect();
        let has_positions = self.info.positions.contains(&object);
        if reads.is_empty() && ends.is_empty() && !has_positions {
            return Ok(());
        }
        if steps {
            self.step();
        }
        self.t_uses(pc, &ends);
        for read in reads {
            let granule = self.granule(object);
            for nth in 0..read.size / granule {
                let cell = UAccess { offset: shifted(&read.offset, nth * granule), size: granule, ..read.clone() };
                let Some(condition) = happens(&cell, offset, size) else { continue };
                let event = read.event;
                let local = self.is_not_guessed(event);
                self.stop_u_before(event, &format!("{condition} & (us_{event}_{nth} <= gs_pos){local}"));
            }
        }
        if has_positions {
            for cell in self.cells("lt", object, offset, size) {
                self.say(&format!("{cell} = gs_pos;"));
            }
        }
        Ok(())
    }

    /// Writes a value to memory, with its event.
    pub fn write(
        &mut self,
        pc: usize,
        object: usize,
        offset: &Offset,
        size: u64,
        (text, value): &(String, Value),
        strong: bool,
    ) -> Result<(), Error> {
        let is_event = self.is_event(pc)?;
        self.changes += 1;
        if is_event && self.copy == Copy::T {
            let steps = self.n_steps;
            self.t_write(pc, object, offset, size, true)?;
            self.note_event(steps);
        }
        self.store_text(object, offset, size, text);
        self.remember(object, offset, size, value.clone(), strong);
        if is_event && self.copy == Copy::T {
            self.offer(pc, object, offset, size)?;
        }
        if is_event && self.copy == Copy::U {
            let event = self.next_event();
            self.u_write(pc, object, offset, size, value.clone(), event)?;
        }
        Ok(())
    }
}
