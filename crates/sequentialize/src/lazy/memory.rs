//! Accesses to memory: which cells they are, and which of them are events.
//!
//! An object is an array of cells, as large as all its accesses allow. Beside the cells of T stands from which position on
//! T has what it reads (`lt`): where the walk was at T's own write, or the number of the write of T' that it took. Beside those of T'
//! stands the number of its last write (`lu`).

pub use super::value::{Object, Objects};

use super::state::{Copy, Phase};
use super::value::{Value, divisor_of};
use super::walk::{Walk, constant};
use crate::Error;
use crate::emit::pure::Registers;
use gordian_base::{Id, ThreadId};
use gordian_ir::{Inst, RmwOp, Slot, address};

/// A copy of unknown length is written once for each length up to this.
const MOST_LENGTHS: u64 = 32;

/// Where in an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Offset {
    Known(u64),
    /// A variable, and what divides its values.
    Variable(String, u64),
}

impl Offset {
    fn text(&self) -> String {
        match self {
            Offset::Known(offset) => offset.to_string(),
            Offset::Variable(name, _) => name.clone(),
        }
    }
}

/// An access of T' that T may meet.
#[derive(Clone, Debug)]
pub struct UAccess {
    pub event: u32,
    pub offset: Offset,
    pub size: u64,
    pub value: Value,
    /// Of a write: whether T may take it. Otherwise it is on a line that was not asked for.
    pub takes: bool,
    /// The end of the object: an access that takes it fails.
    pub frees: bool,
    /// The variable that says whether it has happened begins with this: an exchange may read and not write.
    pub flag: &'static str,
}

/// Whether two accesses overlap.
enum Overlap {
    Never,
    Always,
    If(String),
}

fn overlap(a: &Offset, a_size: u64, b: &Offset, b_size: u64) -> Overlap {
    match (a, b) {
        (Offset::Known(a), Offset::Known(b)) if *a < b + b_size && *b < a + a_size => Overlap::Always,
        (Offset::Known(_), Offset::Known(_)) => Overlap::Never,
        _ => {
            let (a, b) = (a.text(), b.text());
            Overlap::If(format!("(({a} < {b} + {b_size}) & ({b} < {a} + {a_size}))"))
        }
    }
}

/// The condition that an access of T' has happened and overlaps; none if it cannot.
fn happens(access: &UAccess, offset: &Offset, size: u64) -> Option<String> {
    let happened = format!("{}_{}", access.flag, access.event);
    match overlap(offset, size, &access.offset, access.size) {
        Overlap::Never => None,
        Overlap::Always => Some(happened),
        Overlap::If(condition) => Some(format!("({happened} & {condition})")),
    }
}

/// An object that an access may be to.
struct Case {
    condition: String,
    object: usize,
    offset: Offset,
}

impl Walk<'_> {
    /// Writes an instruction that concerns memory; whether control goes on, or none if it is another instruction.
    pub fn memory_instruction(&mut self, pc: usize, inst: Inst) -> Result<Option<bool>, Error> {
        use Inst::*;
        match inst {
            Load { size, dst, address } | WideLoad { size, dst, address } | AtomicLoad { size, dst, address, .. } => {
                self.load(pc, size, dst, address)?;
            }
            Store { size, address, src }
            | WideStore { size, address, src }
            | AtomicStore { size, address, src, .. } => {
                self.store_slots(pc, size, address, src)?;
            }
            AtomicRmw { op, size, dst, address, src, .. } if size <= 8 => {
                self.read_modify_write(pc, op, size, dst, address, src)?;
            }
            CmpXchg { size, dst, address, expected_new, .. } if size <= 8 => {
                self.compare_exchange(pc, size, dst, address, expected_new)?;
            }
            Alloca { variable, dst, size, .. } => {
                let Some(size) = self.known(size).known() else {
                    return Err(self.unsupported(pc, "the size of a local variable is not known".to_owned()));
                };
                let name = self.function().allocas[variable as usize].name.clone().unwrap_or_default();
                let at = self.allocate_on_stack(size, &name);
                self.assign(dst, "", Value::constant(at));
            }
            StackSave { dst } => self.assign(dst, "0", Value::constant(0)),
            StackRestore { .. } => {}
            MemCopy { dst, src, len, .. } => {
                let (to, from) = ((self.value(dst), self.known(dst)), (self.value(src), self.known(src)));
                let length = self.within_objects(pc, (self.value(len), self.known(len)), [&to.1, &from.1]);
                self.for_each_value(pc, &length, "how many bytes are copied is not known", |walk, length| {
                    walk.move_bytes(pc, to.clone(), from.clone(), length)
                })?;
            }
            MemSet { dst, value, len } => {
                let length = (self.value(len), self.known(len));
                self.for_each_value(pc, &length, "how many bytes are set is not known", |walk, length| {
                    walk.fill(pc, dst, value, length)
                })?;
            }
            ThreadLocal { global, dst } => {
                let at = self.thread_local(global);
                self.assign(dst, "", Value::constant(at));
            }
            _ => return Ok(None),
        }
        Ok(Some(true))
    }

    pub fn allocate_on_stack(&mut self, size: u64, name: &str) -> u64 {
        let start = self.fresh(address::stack_space(ThreadId(self.thread)));
        let object = Object { start, size, constant: false, name: name.to_owned(), init: [].into() };
        let number = self.objects.add(object);
        self.frame.objects.push(number);
        start
    }

    pub fn allocate_on_heap(&mut self, size: u64) -> u64 {
        self.changes += 1;
        let start = self.fresh(address::heap_space(ThreadId(self.thread)));
        self.objects.add(Object { start, size, constant: false, name: "malloc".to_owned(), init: [].into() });
        start
    }

    fn thread_local(&mut self, global: gordian_ir::GlobalId) -> u64 {
        let key = (self.thread, global.index() as u32);
        let number = match self.thread_locals.get(&key) {
            Some(&number) => number,
            None => {
                let start = self.fresh(address::heap_space(ThreadId(self.thread)));
                let of = &self.program.globals[global];
                let (name, init) = (of.name.clone(), of.init.clone().into());
                let number = self.objects.add(Object { start, size: of.size, constant: false, name, init });
                self.thread_locals.insert(key, number);
                number
            }
        };
        self.objects.list[number].start
    }

    /// The objects that an access may be to, and code for those that it must not be to.
    fn cases(&mut self, pc: usize, (text, value): &(String, Value), size: u64, writes: bool) -> Vec<Case> {
        let mut cases = Vec::new();
        match value {
            Value::OneOf(values) => {
                let only = values.len() == 1;
                for &at in values {
                    let condition = format!("{text} == {}", constant(at));
                    match self.fault(at, size, writes) {
                        Some(what) if only => self.fail(pc, what),
                        Some(what) => self.fail_if(pc, &condition, what),
                        None => {
                            let object = self.objects.at(at).expect("it has no fault");
                            cases.push(Case { condition, object, offset: Offset::Known(address::offset(at)) });
                        }
                    }
                }
            }
            Value::Within(objects, divisor) => {
                let objects: Vec<usize> = objects.iter().copied().collect();
                self.cases_within(pc, text, &objects, *divisor, (size, writes), &mut cases);
            }
            Value::Any => {
                let all: Vec<usize> = (0..self.objects.list.len()).collect();
                self.cases_within(pc, text, &all, 1, (size, writes), &mut cases);
                let known: Vec<String> = cases.iter().map(|case| format!("({})", case.condition)).collect();
                let known = if known.is_empty() { "0".to_owned() } else { known.join(" | ") };
                self.fail_if(pc, &format!("{text} >> 30 == 0"), "GS_NULL");
                self.fail_if(pc, &format!("!({known})"), "GS_POINTER");
            }
        }
        for Case { object, condition, .. } in &cases {
            if self.freed[self.copy as usize].contains(object) {
                let freed = self.variable(format!("f{}_{object}", self.copy as usize), "unsigned char");
                let condition = format!("({condition}) && {freed}");
                self.fail_if(pc, &condition, "GS_FREED");
            }
        }
        cases
    }

    /// Cases of unknown offsets: what is out of bounds fails first.
    fn cases_within(
        &mut self,
        pc: usize,
        text: &str,
        objects: &[usize],
        divisor: u64,
        (size, writes): (u64, bool),
        cases: &mut Vec<Case>,
    ) {
        let offset = self.temporary(&format!("({text} & 0x3fffffff) - 0x100000"));
        for &object in objects {
            let of = &self.objects.list[object];
            let condition = format!("{text} >> 30 == {}", constant(of.start >> 30));
            let (constant_object, of_size) = (of.constant, of.size);
            if self.ended.contains(&object) {
                self.fail_if(pc, &condition, "GS_FREED");
            } else if size > of_size {
                self.fail_if(pc, &condition, "GS_BOUNDS");
            } else if writes && constant_object {
                self.fail_if(pc, &condition, "GS_READ_ONLY");
            } else {
                self.fail_if(pc, &format!("{condition} && {offset} > {}u", of_size - size), "GS_BOUNDS");
                cases.push(Case { condition, object, offset: Offset::Variable(offset.clone(), divisor) });
            }
        }
    }

    fn fault(&self, at: u64, size: u64, writes: bool) -> Option<&'static str> {
        if at >> 30 == 0 {
            return Some("GS_NULL");
        }
        let Some(object) = self.objects.at(at) else { return Some("GS_POINTER") };
        let of = &self.objects.list[object];
        let offset = address::offset(at);
        if self.ended.contains(&object) {
            Some("GS_FREED")
        } else if offset > of.size || size > of.size - offset {
            Some("GS_BOUNDS")
        } else if writes && of.constant {
            Some("GS_READ_ONLY")
        } else {
            None
        }
    }

    /// Writes an access, case by case; `each` says whether the case is the only one.
    pub fn access(
        &mut self,
        pc: usize,
        pointer: (String, Value),
        size: u64,
        writes: bool,
        mut each: impl FnMut(&mut Self, usize, &Offset, bool) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let pointer = match pointer.1.known() {
            Some(_) => pointer,
            None => (self.temporary(&pointer.0), pointer.1),
        };
        let cases = self.cases(pc, &pointer, size, writes);
        if cases.is_empty() {
            let stop = self.stop();
            self.say(&stop);
        }
        let only = cases.len() == 1;
        for (nth, case) in cases.iter().enumerate() {
            self.note_access(case.object, &case.offset, size);
            if !only {
                let otherwise = if nth > 0 { "else " } else { "" };
                self.say(&format!("{otherwise}if ({}) {{", case.condition));
            }
            each(self, case.object, &case.offset, only)?;
            if !only {
                self.say("}");
            }
        }
        Ok(())
    }

    fn note_access(&mut self, object: usize, offset: &Offset, size: u64) {
        let divisor = match offset {
            Offset::Known(offset) => divisor_of(*offset),
            Offset::Variable(_, divisor) => *divisor,
        };
        let granule = divisor.min(divisor_of(size));
        let known = self.seen.granules.entry(object).or_insert(8);
        *known = granule.min(*known);
        self.seen.used[self.copy as usize].insert(object);
    }

    fn granule(&self, object: usize) -> u64 {
        self.info.granules.get(&object).copied().unwrap_or(1)
    }

    /// The cells of an access in one of the arrays of an object, first byte first.
    fn cells(&self, array: &str, object: usize, offset: &Offset, size: u64) -> Vec<String> {
        let granule = self.granule(object);
        (0..size / granule)
            .map(|nth| match offset {
                Offset::Known(offset) => format!("{array}_{object}[{}]", offset / granule + nth),
                Offset::Variable(name, _) => format!("{array}_{object}[{name} / {granule} + {nth}]"),
            })
            .collect()
    }

    fn memory_name(&self, object: usize) -> &'static str {
        match self.copy {
            Copy::U if !self.objects.list[object].constant => "m1",
            _ => "m0",
        }
    }

    fn load_text(&self, object: usize, offset: &Offset, size: u64) -> String {
        let shift = 8 * self.granule(object);
        let cells = self.cells(self.memory_name(object), object, offset, size);
        let parts = cells.iter().zip(0u64..).map(|(cell, nth)| match nth {
            0 => format!("(uint64_t){cell}"),
            _ => format!("(uint64_t){cell} << {}", nth * shift),
        });
        parts.collect::<Vec<_>>().join(" | ")
    }

    fn store_text(&mut self, object: usize, offset: &Offset, size: u64, value: &str) {
        let granule = self.granule(object);
        let cells = self.cells(self.memory_name(object), object, offset, size);
        for (cell, nth) in cells.iter().zip(0u64..) {
            match nth {
                0 => self.say(&format!("{cell} = (uint{}_t)({value});", 8 * granule)),
                _ => self.say(&format!("{cell} = (uint{}_t)(({value}) >> {});", 8 * granule, 8 * granule * nth)),
            }
        }
    }

    /// Whether an access that others can see is an event.
    pub fn is_event(&self, pc: usize) -> Result<bool, Error> {
        if !self.plan.shared.contains(&self.point(pc)) {
            return Ok(false);
        }
        if self.state.phase == Phase::Forked {
            let what = "main uses what the threads share while both of them run, which makes three threads";
            return Err(self.unsupported(pc, what.to_owned()));
        }
        Ok(match self.copy {
            Copy::T => matches!(self.state.phase, Phase::RunT | Phase::After),
            Copy::U => self.state.phase == Phase::RunU,
        })
    }

    pub fn next_event(&mut self) -> u32 {
        self.n_events += 1;
        self.n_events
    }

    /// T' reads. A read-modify-write has its number already.
    fn u_read(&mut self, object: usize, offset: &Offset, size: u64, event: u32) {
        self.say(&format!("uh_{event} = 1;"));
        self.variable(format!("uh_{event}"), "unsigned char");
        for (cell, nth) in self.cells("lu", object, offset, size).into_iter().zip(0..) {
            let source = self.variable(format!("us_{event}_{nth}"), "unsigned short");
            self.say(&format!("{source} = {cell};"));
        }
        self.seen.sources.insert(object);
        let offset = self.kept(offset, event);
        let access = UAccess { event, offset, size, value: Value::Any, takes: false, frees: false, flag: "uh" };
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
    fn u_write(&mut self, pc: usize, object: usize, offset: &Offset, size: u64, value: Value, event: u32) {
        let text = self.load_text(object, offset, size);
        for name in ["uv", "un", "uw", "ux"] {
            self.variable(format!("{name}_{event}"), if name == "uv" { "uint64_t" } else { "unsigned short" });
        }
        self.say(&format!("uw_{event} = 1; un_{event} = ++gs_writes; uv_{event} = {text};"));
        for cell in self.cells("lu", object, offset, size) {
            self.say(&format!("{cell} = {event};"));
        }
        self.seen.sources.insert(object);
        let offset = self.kept(offset, event);
        let takes = self.may_take_part(&self.options.writes, pc);
        self.u_writes.entry(object).or_default().push(UAccess {
            event,
            offset,
            size,
            value,
            takes,
            frees: false,
            flag: "uw",
        });
    }

    /// Reads a value: code for the rules, and the value as an expression.
    fn read(&mut self, pc: usize, object: usize, offset: &Offset, size: u64) -> Result<(String, Value), Error> {
        if self.is_event(pc)? {
            match self.copy {
                Copy::T => {
                    self.t_read(pc, object, offset, size);
                }
                Copy::U => {
                    let event = self.next_event();
                    self.u_read(object, offset, size, event);
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
    fn remember(&mut self, object: usize, offset: &Offset, size: u64, value: Value, strong: bool) {
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
    fn t_read(&mut self, pc: usize, object: usize, offset: &Offset, size: u64) -> bool {
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
                let event = write.event;
                self.say(&format!("gs_suppose(!({condition} & ({cell} < {event}) & ({event} <= gs_pos)));"));
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
            let event = write.event;
            self.say(&format!("if ({condition} && un_{event} == gs_taken()) {{"));
            self.say(&format!("gs_suppose(!ux_{event}); ux_{event} = 1; from = {event};"));
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
                self.say(&format!("gs_suppose({cell} < {event});"));
            }
            self.take_rest(object, write);
            self.say("}");
        }
        self.say("gs_suppose((from != 0) & (from <= gs_pos));");
        for (write, condition) in writes {
            let event = write.event;
            self.say(&format!("gs_suppose(!({condition} & (from < {event}) & ({event} <= gs_pos)));"));
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
        let (event, shift) = (write.event, 8 * self.granule(object));
        let positions = self.cells("lt", object, &write.offset, write.size);
        let cells = self.cells("m0", object, &write.offset, write.size);
        for ((position, cell), nth) in positions.iter().zip(&cells).zip(0u64..) {
            self.say(&format!(
                "if ({position} < {event}) {{ {position} = {event}; {cell} = (uint{shift}_t)(uv_{event} >> {}); }}",
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
            let event = end.event;
            self.say(&format!("if (gs_is_taken() && {condition} && un_{event} == gs_taken() && {event} <= gs_pos) {{"));
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
            self.say(&format!("gs_suppose(!({condition} & ({} <= gs_pos)));", end.event));
        }
        self.say("}");
    }

    /// T writes: T' goes no further than to a read of its own that would see it.
    fn t_write(&mut self, pc: usize, object: usize, offset: &Offset, size: u64, steps: bool) {
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
            return;
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
                self.say(&format!(
                    "if ({condition} & (us_{event}_{nth} <= gs_pos) & (gs_pos < {event}) & (gs_cap >= {event})) gs_cap = {};",
                    event - 1
                ));
            }
        }
        if has_positions {
            for cell in self.cells("lt", object, offset, size) {
                self.say(&format!("{cell} = gs_pos;"));
            }
        }
    }

    /// Writes a value to memory, with its event.
    fn write(
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
            self.t_write(pc, object, offset, size, true);
        }
        self.store_text(object, offset, size, text);
        self.remember(object, offset, size, value.clone(), strong);
        if is_event && self.copy == Copy::U {
            let event = self.next_event();
            self.u_write(pc, object, offset, size, value.clone(), event);
        }
        Ok(())
    }

    /// Loads up to eight bytes into a register.
    fn load_word(&mut self, pc: usize, size: u64, dst: Slot, pointer: (String, Value)) -> Result<(), Error> {
        let mut known: Option<Value> = None;
        self.access(pc, pointer, size, false, |walk, object, offset, _| {
            let (text, value) = walk.read(pc, object, offset, size)?;
            walk.set(dst, &text);
            known = Some(match &known {
                Some(before) => before.join(&value, &walk.objects),
                None => value,
            });
            Ok(())
        })?;
        self.state.registers[dst.index()] = known.unwrap_or(Value::Any);
        Ok(())
    }

    fn load(&mut self, pc: usize, size: u8, dst: Slot, from: Slot) -> Result<(), Error> {
        let pointer = (self.value(from), self.known(from));
        if size <= 8 {
            return self.load_word(pc, u64::from(size), dst, pointer);
        }
        let high = self.plus(&pointer, 8);
        let high = (self.temporary(&high.0), high.1);
        self.load_word(pc, 8, dst, pointer)?;
        self.load_word(pc, u64::from(size) - 8, Slot(dst.0 + 1), high)
    }

    fn plus(&self, (text, value): &(String, Value), bytes: u64) -> (String, Value) {
        let moved = match value {
            Value::OneOf(values) => Value::OneOf(values.iter().map(|value| value.wrapping_add(bytes)).collect()),
            Value::Within(objects, divisor) => Value::Within(objects.clone(), (*divisor).min(divisor_of(bytes))),
            Value::Any => Value::Any,
        };
        match moved.known() {
            Some(known) => (constant(known), moved),
            None => (format!("({text} + {bytes})"), moved),
        }
    }

    /// Stores up to eight bytes.
    pub fn store(
        &mut self,
        pc: usize,
        size: u64,
        pointer: (String, Value),
        value: (String, Value),
    ) -> Result<(), Error> {
        self.access(pc, pointer, size, true, |walk, object, offset, only| {
            walk.write(pc, object, offset, size, &value, only)
        })
    }

    fn store_slots(&mut self, pc: usize, size: u8, to: Slot, src: Slot) -> Result<(), Error> {
        let pointer = (self.value(to), self.known(to));
        let low = (self.value(src), self.known(src));
        self.store(pc, u64::from(size.min(8)), pointer.clone(), low)?;
        if size > 8 {
            let src = Slot(src.0 + 1);
            let high = (self.value(src), self.known(src));
            self.store(pc, u64::from(size) - 8, self.plus(&pointer, 8), high)?;
        }
        Ok(())
    }

    /// A length that is not known is no more than two objects have room for.
    fn within_objects(&mut self, pc: usize, length: (String, Value), pointers: [&Value; 2]) -> (String, Value) {
        let room = |pointer: &Value| {
            let at = pointer.known()?;
            let size = self.objects.list[self.objects.at(at)?].size;
            size.checked_sub(address::offset(at))
        };
        match (&length.1, room(pointers[0]).zip(room(pointers[1]))) {
            (Value::OneOf(_), _) | (_, None) => length,
            (_, Some((to, from))) if to.min(from) > MOST_LENGTHS => length,
            (_, Some((to, from))) => {
                let most = to.min(from);
                let text = self.temporary(&length.0);
                self.fail_if(pc, &format!("{text} > {}", constant(most)), "GS_BOUNDS");
                (text, Value::OneOf((0..=most).collect()))
            }
        }
    }

    /// In pieces. Nobody comes between the reads, nor between the writes, as on the machine; but each piece counts as a read or a write.
    pub fn move_bytes(
        &mut self,
        pc: usize,
        to: (String, Value),
        from: (String, Value),
        length: u64,
    ) -> Result<(), Error> {
        let mut pieces = Vec::new();
        self.at_once(pc, length, |walk| {
            for (at, size) in pieces_of(length) {
                let register = walk.temporary("0");
                let mut known: Option<Value> = None;
                let piece = walk.plus(&from, at);
                walk.access(pc, piece, size, false, |walk, object, offset, _| {
                    let (text, value) = walk.read(pc, object, offset, size)?;
                    walk.say(&format!("{register} = {text};"));
                    known = Some(known.as_ref().map_or(value.clone(), |before| before.join(&value, &walk.objects)));
                    Ok(())
                })?;
                pieces.push((at, size, (register, known.unwrap_or(Value::Any))));
            }
            Ok(())
        })?;
        self.at_once(pc, length, |walk| {
            for (at, size, value) in pieces {
                walk.store(pc, size, walk.plus(&to, at), value)?;
            }
            Ok(())
        })
    }

    /// An access in pieces, as an atomic section.
    fn at_once(
        &mut self,
        pc: usize,
        length: u64,
        access: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let is_section = pieces_of(length).count() > 1 && self.is_event(pc)?;
        if is_section {
            self.section(pc, true)?;
        }
        access(self)?;
        if is_section {
            self.section(pc, false)?;
        }
        Ok(())
    }

    fn fill(&mut self, pc: usize, to: Slot, value: Slot, length: u64) -> Result<(), Error> {
        let pointer = (self.value(to), self.known(to));
        let byte = self.known(value).known();
        let text = format!("(({} & 255) * UINT64_C(0x0101010101010101))", self.value(value));
        self.at_once(pc, length, |walk| {
            for (at, size) in pieces_of(length) {
                let known = byte.map_or(Value::Any, |byte| {
                    Value::constant(u64::from_le_bytes([byte as u8; 8]) & super::value::mask(8 * size as u8))
                });
                let text = format!("({text} & gs_mask({}))", 8 * size);
                walk.store(pc, size, walk.plus(&pointer, at), (text, known))?;
            }
            Ok(())
        })
    }

    fn read_modify_write(
        &mut self,
        pc: usize,
        op: RmwOp,
        size: u8,
        dst: Slot,
        at: Slot,
        src: Slot,
    ) -> Result<(), Error> {
        let Some(op) = crate::emit::modification(op) else {
            return Err(self.unsupported(pc, "this is an atomic operation that has no counterpart in C".to_owned()));
        };
        let (pointer, by) = ((self.value(at), self.known(at)), self.value(src));
        let by = self.temporary(&by);
        let bytes = u64::from(size);
        self.changes += 1;
        self.access(pc, pointer, bytes, true, |walk, object, offset, only| {
            let event = walk.is_event(pc)?.then(|| if walk.copy == Copy::U { walk.next_event() } else { 0 });
            let (text, has_stepped) = walk.read_part(pc, object, offset, bytes, event);
            walk.set(dst, &text);
            walk.state.registers[dst.index()] = Value::Any;
            if event == Some(0) {
                walk.t_write(pc, object, offset, bytes, !has_stepped);
            }
            let old = format!("r{}_{}", walk.frame_id(), dst.0);
            walk.store_text(object, offset, bytes, &format!("gs_modified({op}, {old}, {by}, {})", 8 * size));
            walk.remember(object, offset, bytes, Value::Any, only);
            if let Some(event @ 1..) = event {
                walk.u_write(pc, object, offset, bytes, Value::Any, event);
            }
            Ok(())
        })
    }

    /// The read of a read-modify-write.
    fn read_part(
        &mut self,
        pc: usize,
        object: usize,
        offset: &Offset,
        size: u64,
        event: Option<u32>,
    ) -> (String, bool) {
        let has_stepped = match event {
            Some(0) => self.t_read(pc, object, offset, size),
            Some(event) => {
                self.u_read(object, offset, size, event);
                false
            }
            None => false,
        };
        (self.load_text(object, offset, size), has_stepped)
    }

    fn compare_exchange(&mut self, pc: usize, size: u8, dst: Slot, at: Slot, expected: Slot) -> Result<(), Error> {
        let pointer = (self.value(at), self.known(at));
        let (old, new) = (self.value(expected), self.value(Slot(expected.0 + 1)));
        let (old, new) = (self.temporary(&old), self.temporary(&new));
        let bytes = u64::from(size);
        self.changes += 1;
        let happened = Slot(dst.0 + 1);
        self.access(pc, pointer, bytes, true, |walk, object, offset, only| {
            let event = walk.is_event(pc)?.then(|| if walk.copy == Copy::U { walk.next_event() } else { 0 });
            let (text, has_stepped) = walk.read_part(pc, object, offset, bytes, event);
            walk.set(dst, &text);
            let was = format!("r{}_{}", walk.frame_id(), dst.0);
            walk.set(happened, &format!("gs_eq({was}, {old})"));
            walk.say(&format!("if ({was} == {old}) {{"));
            if event == Some(0) {
                walk.t_write(pc, object, offset, bytes, !has_stepped);
            }
            walk.store_text(object, offset, bytes, &new);
            walk.remember(object, offset, bytes, Value::Any, only);
            if let Some(event @ 1..) = event {
                walk.u_write(pc, object, offset, bytes, Value::Any, event);
            }
            walk.say("}");
            Ok(())
        })?;
        self.state.registers[dst.index()] = Value::Any;
        self.state.registers[happened.index()] = Value::truth();
        Ok(())
    }

    pub fn free(&mut self, pc: usize, pointer: (String, Value)) -> Result<(), Error> {
        let (text, value) = pointer;
        let value = match value {
            Value::OneOf(mut values) => {
                // Null is no object, and nothing happens.
                values.remove(&0);
                if values.is_empty() {
                    return Ok(());
                }
                Value::OneOf(values)
            }
            other => return self.free_unknown(pc, &other),
        };
        self.changes += 1;
        let text = self.temporary(&text);
        let objects = match &value {
            Value::OneOf(values) => values.clone(),
            _ => Default::default(),
        };
        for at in objects {
            self.say(&format!("if ({text} == {}) {{", constant(at)));
            let space = address::space(at);
            let is_heap = address::owner(space).is_some() && !address::is_stack_space(space);
            match self.objects.at(at) {
                Some(object) if is_heap && address::offset(at) == 0 => self.free_object(pc, object)?,
                _ => self.fail(pc, "GS_BAD_FREE"),
            }
            self.say("}");
        }
        Ok(())
    }

    fn free_unknown(&self, pc: usize, _: &Value) -> Result<(), Error> {
        Err(self.unsupported(pc, "which object is freed is not known".to_owned()))
    }

    fn free_object(&mut self, pc: usize, object: usize) -> Result<(), Error> {
        let copy = self.copy as usize;
        if self.freed[copy].contains(&object) {
            self.fail_if(pc, &format!("f{copy}_{object}"), "GS_FREED");
        }
        let freed = self.variable(format!("f{copy}_{object}"), "unsigned char");
        self.say(&format!("{freed} = 1;"));
        self.freed[copy].insert(object);
        if self.state.phase == Phase::Init {
            let other = self.variable(format!("f{}_{object}", 1 - copy), "unsigned char");
            self.say(&format!("{other} = 1;"));
            self.freed[1 - copy].insert(object);
        }
        let size = self.objects.list[object].size;
        let (offset, is_u) = (Offset::Known(0), self.is_u());
        if size == 0 {
            return Ok(());
        }
        if is_u {
            let event = self.next_event();
            for name in ["un", "uw"] {
                self.variable(format!("{name}_{event}"), "unsigned short");
            }
            self.say(&format!("uw_{event} = 1; un_{event} = ++gs_writes;"));
            let takes = self.may_take_part(&self.options.writes, pc);
            let access = UAccess { event, offset, size, value: Value::Any, takes, frees: true, flag: "uw" };
            self.u_writes.entry(object).or_default().push(access);
        } else if matches!(self.state.phase, Phase::RunT | Phase::After) {
            let is_used = |accesses: &std::collections::BTreeMap<usize, Vec<UAccess>>| {
                accesses.get(&object).is_some_and(|accesses| !accesses.is_empty())
            };
            if is_used(&self.u_reads) || is_used(&self.u_writes) {
                self.note_access(object, &offset, size);
                self.t_write(pc, object, &offset, size / self.granule(object) * self.granule(object), true);
                self.stop_before_uses(object);
            }
        }
        Ok(())
    }
}

impl Walk<'_> {
    /// T has freed an object: T' goes no further than to its next use of it.
    fn stop_before_uses(&mut self, object: usize) {
        let (reads, writes) = (self.u_reads.get(&object), self.u_writes.get(&object));
        let uses: Vec<String> = reads
            .into_iter()
            .chain(writes)
            .flatten()
            .map(|access| {
                let (flag, event) = (access.flag, access.event);
                format!("if ({flag}_{event} & (gs_pos < {event}) & (gs_cap >= {event})) gs_cap = {};", event - 1)
            })
            .collect();
        uses.iter().for_each(|text| self.say(text));
    }
}

/// Where the pieces of so many bytes begin, and how large they are.
fn pieces_of(length: u64) -> impl Iterator<Item = (u64, u64)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let size = [8, 4, 1].into_iter().find(|size| length - done >= *size)?;
        done += size;
        Some((done - size, size))
    })
}

fn shifted(offset: &Offset, by: u64) -> Offset {
    match offset {
        Offset::Known(offset) => Offset::Known(offset + by),
        Offset::Variable(name, divisor) => Offset::Variable(format!("({name} + {by})"), (*divisor).min(divisor_of(by))),
    }
}
