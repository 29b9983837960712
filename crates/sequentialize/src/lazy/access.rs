//! Which cells an access is to, in which objects, and what it must not be to.
//!
//! An object is an array of cells, as large as all its accesses allow. Beside the cells of T stands from which position on
//! T has what it reads (`lt`): where the walk was at T's own write, or the number of the write of T' that it took. Beside those of T'
//! stands the number of its last write (`lu`).

use super::state::Copy;
use super::value::{Value, divisor_of};
use super::walk::{Walk, constant};
use crate::Error;
use crate::emit::pure::Registers;
use crate::names::literal;
use gordian_ir::address;

/// Where in an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Offset {
    Known(u64),
    /// A variable, and what divides its values.
    Variable(String, u64),
}

impl Offset {
    pub fn text(&self) -> String {
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
    pub thread: u32,
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
pub enum Overlap {
    Never,
    Always,
    If(String),
}

pub fn overlap(a: &Offset, a_size: u64, b: &Offset, b_size: u64) -> Overlap {
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
pub fn happens(access: &UAccess, offset: &Offset, size: u64) -> Option<String> {
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
    /// The objects that an access may be to, and code for those that it must not be to.
    fn cases(&mut self, pc: usize, (text, value): &(String, Value), size: u64, writes: bool) -> Vec<Case> {
        let mut cases = Vec::new();
        match value {
            Value::OneOf(values) => {
                let only = values.len() == 1;
                for &at in values {
                    let condition = format!("{text} == {}", constant(at));
                    match self.fault(at, size, writes) {
                        Some("GS_FREED") => {
                            let condition = if only { "1" } else { &condition };
                            self.use_ended(pc, self.objects.at(at), condition);
                        }
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
                self.stop_at_objects_of_t(text, &known);
                self.fail_if(pc, &format!("!({known})"), "GS_POINTER");
            }
        }
        for Case { object, condition, .. } in &cases {
            let is_of_u = self.ended_in_u.contains(object) || self.is_thread_local_of_other(*object);
            if !self.is_u() && is_of_u && !self.ended.contains(object) {
                self.refuse_local(pc, condition);
            }
            if self.freed[self.copy as usize].contains(object) {
                let freed = self.variable(format!("f{}_{object}", self.copy as usize), "unsigned char");
                let condition = format!("({condition}) && {freed}");
                self.fail_if(pc, &condition, "GS_FREED");
            }
        }
        cases
    }

    /// What T makes while T' runs is not there yet when T' does.
    fn stop_at_objects_of_t(&mut self, text: &str, known: &str) {
        if !self.is_u() || self.options.k2 == 0 {
            return;
        }
        let t = gordian_base::ThreadId(self.options.role.number);
        let (stack, heap) = (address::stack_space(t), address::heap_space(t));
        let stop = self.stop_at_bound("T' uses an object that T makes while both run");
        self.say(&format!("if (!({known}) && ({text} >> 53 == {stack} || {text} >> 53 == {heap})) {stop}"));
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
                self.use_ended(pc, Some(object), &condition);
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

    /// An access to a local variable whose function has returned. Returning is no event, so whether T comes before is not known.
    fn use_ended(&mut self, pc: usize, object: Option<usize>, condition: &str) {
        let is_refused = !self.is_u() && object.is_some_and(|object| self.ended_in_u.contains(&object));
        if !is_refused {
            return self.fail_if(pc, condition, "GS_FREED");
        }
        self.refuse_local(pc, condition);
    }

    fn refuse_local(&mut self, pc: usize, condition: &str) {
        let what =
            "a thread uses a local variable of another one whose function or thread ends, which is not supported";
        let what = format!("{}: {what}", self.place(pc));
        self.say(&format!("if ({condition}) gs_refuse({});", literal(&what)));
    }

    /// A thread-local variable of T', or of T where T' accesses it; main's are there to the end.
    fn is_thread_local_of_other(&self, object: usize) -> bool {
        let is_other = |&(&(thread, _), &number): &(&(u32, u32), &usize)| number == object && thread != self.thread;
        self.thread_locals.iter().find(is_other).is_some_and(|(&(thread, _), _)| thread != 0)
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

    pub fn note_access(&mut self, object: usize, offset: &Offset, size: u64) {
        let divisor = match offset {
            Offset::Known(offset) => divisor_of(*offset),
            Offset::Variable(_, divisor) => *divisor,
        };
        let granule = divisor.min(divisor_of(size));
        let known = self.seen.granules.entry(object).or_insert(8);
        *known = granule.min(*known);
        self.seen.used[self.copy as usize].insert(object);
    }

    pub fn granule(&self, object: usize) -> u64 {
        self.info.granules.get(&object).copied().unwrap_or(1)
    }

    /// The cells of an access in one of the arrays of an object, first byte first.
    pub fn cells(&self, array: &str, object: usize, offset: &Offset, size: u64) -> Vec<String> {
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

    pub fn load_text(&self, object: usize, offset: &Offset, size: u64) -> String {
        let shift = 8 * self.granule(object);
        let cells = self.cells(self.memory_name(object), object, offset, size);
        let parts = cells.iter().zip(0u64..).map(|(cell, nth)| match nth {
            0 => format!("(uint64_t){cell}"),
            _ => format!("(uint64_t){cell} << {}", nth * shift),
        });
        parts.collect::<Vec<_>>().join(" | ")
    }

    pub fn store_text(&mut self, object: usize, offset: &Offset, size: u64, value: &str) {
        let granule = self.granule(object);
        let cells = self.cells(self.memory_name(object), object, offset, size);
        for (cell, nth) in cells.iter().zip(0u64..) {
            match nth {
                0 => self.say(&format!("{cell} = (uint{}_t)({value});", 8 * granule)),
                _ => self.say(&format!("{cell} = (uint{}_t)(({value}) >> {});", 8 * granule, 8 * granule * nth)),
            }
        }
    }
}

pub fn shifted(offset: &Offset, by: u64) -> Offset {
    match offset {
        Offset::Known(offset) => Offset::Known(offset + by),
        Offset::Variable(name, divisor) => Offset::Variable(format!("({name} + {by})"), (*divisor).min(divisor_of(by))),
    }
}
