//! Instructions that concern memory.

use super::access::{Offset, UAccess};
use super::state::{Copy, Phase};
use super::value::{Object, Value, divisor_of};
use super::walk::{Walk, constant};
use crate::Error;
use crate::emit::pure::Registers;
use gordian_base::{Id, ThreadId};
use gordian_ir::{Inst, RmwOp, Slot, address};

/// A copy of unknown length is written once for each length up to this.
const MOST_LENGTHS: u64 = 32;

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
            StackSave { dst } => {
                let n = self.frame.objects.len() as u64;
                self.assign(dst, "0", Value::constant(n));
            }
            StackRestore { src } => {
                let Some(n) = self.known(src).known() else {
                    return Err(self.unsupported(pc, "which local variables end is not known".to_owned()));
                };
                let ended = self.frame.objects[n as usize..].to_vec();
                for object in ended {
                    self.leave_scope(object);
                }
            }
            LifetimeStart { address } => {
                let object = self.known(address).known().and_then(|at| self.objects.at(at));
                if let Some(object) = object.filter(|object| self.freed[self.copy as usize].contains(object)) {
                    self.say(&format!("f{}_{object} = 0;", self.copy as usize));
                }
            }
            LifetimeEnd { address, .. } => {
                if let Some(object) = self.known(address).known().and_then(|at| self.objects.at(at)) {
                    self.leave_scope(object);
                }
            }
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

    /// A local variable ends before its function returns; it may begin again.
    fn leave_scope(&mut self, object: usize) {
        let flag = self.variable(format!("f{}_{object}", self.copy as usize), "unsigned char");
        self.say(&format!("{flag} = 1;"));
        self.freed[self.copy as usize].insert(object);
        if self.is_u() {
            self.ended_in_u.insert(object);
        }
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
            let steps = walk.n_steps;
            let (text, has_stepped) = walk.read_part(pc, object, offset, bytes, event);
            if event == Some(0) {
                walk.note_event(steps);
            }
            walk.set(dst, &text);
            walk.state.registers[dst.index()] = Value::Any;
            if event == Some(0) {
                walk.t_write(pc, object, offset, bytes, !has_stepped)?;
            }
            let old = format!("r{}_{}", walk.frame_id(), dst.0);
            walk.store_text(object, offset, bytes, &format!("gs_modified({op}, {old}, {by}, {})", 8 * size));
            walk.remember(object, offset, bytes, Value::Any, only);
            if event == Some(0) {
                walk.offer(pc, object, offset, bytes)?;
            }
            if let Some(event @ 1..) = event {
                walk.u_write(pc, object, offset, bytes, Value::Any, event)?;
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
                self.u_read(pc, object, offset, size, event);
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
            let steps = walk.n_steps;
            let (text, has_stepped) = walk.read_part(pc, object, offset, bytes, event);
            if event == Some(0) {
                walk.note_event(steps);
            }
            walk.set(dst, &text);
            let was = format!("r{}_{}", walk.frame_id(), dst.0);
            walk.set(happened, &format!("gs_eq({was}, {old})"));
            walk.say(&format!("if ({was} == {old}) {{"));
            if event == Some(0) {
                walk.t_write(pc, object, offset, bytes, !has_stepped)?;
            }
            walk.store_text(object, offset, bytes, &new);
            walk.remember(object, offset, bytes, Value::Any, only);
            if event == Some(0) {
                walk.offer(pc, object, offset, bytes)?;
            }
            if let Some(event @ 1..) = event {
                walk.u_write(pc, object, offset, bytes, Value::Any, event)?;
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
            self.keep_main(pc, object, &offset, size)?;
            let (takes, thread) = (self.may_take_part(&self.options.writes, pc), self.thread);
            let access = UAccess { event, thread, offset, size, value: Value::Any, takes, frees: true, flag: "uw" };
            self.u_writes.entry(object).or_default().push(access);
        } else if matches!(self.state.phase, Phase::RunT | Phase::After) {
            let is_used = |accesses: &std::collections::BTreeMap<usize, Vec<UAccess>>| {
                accesses.get(&object).is_some_and(|accesses| !accesses.is_empty())
            };
            if is_used(&self.u_reads) || is_used(&self.u_writes) || !self.syncs_within(object, None).is_empty() {
                self.note_access(object, &offset, size);
                let steps = self.n_steps;
                self.t_write(pc, object, &offset, size / self.granule(object) * self.granule(object), true)?;
                // How far T' has come matters, even if T reads nothing of it.
                if self.n_steps == steps {
                    self.step();
                }
                self.stop_before_uses(object);
            }
        }
        Ok(())
    }

    /// T has freed an object: T' goes no further than to its next use of it.
    fn stop_before_uses(&mut self, object: usize) {
        let (reads, writes) = (self.u_reads.get(&object), self.u_writes.get(&object));
        let uses: Vec<UAccess> = reads.into_iter().chain(writes).flatten().cloned().collect();
        for UAccess { event, flag, .. } in uses {
            self.stop_u_before(event, &format!("{flag}_{event}"));
        }
        for (event, happens) in self.syncs_within(object, None) {
            self.stop_u_before(event, &happens);
        }
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
