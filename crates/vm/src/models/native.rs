//! External functions that the user allows to be called natively (`--native`), with concrete arguments.
//!
//! A pointer argument becomes a pointer to a copy of the whole object, which is copied back afterwards.
//! Pointers inside the object are not followed.

use super::native_ffi::{self, Floats, Integers};
use super::{Call, Model};
use crate::access::Access;
use crate::fault::Fault;
use crate::interp::Flow;
use crate::memory::{Kind, Mode};
use crate::setup::SetupError;
use gordian_ir::{PassedAs, address};
use gordian_trace::OpKind;

/// Pointers that native functions returned: the program may keep them, compare them and pass them to native functions, but what they point to
/// is not the machine's.
#[derive(Default)]
pub struct Foreign {
    pointers: Vec<u64>,
}

impl Foreign {
    /// What the program knows a native pointer as: the same each time.
    fn name(&mut self, pointer: u64) -> u64 {
        let known = self.pointers.iter().position(|&known| known == pointer);
        let index = known.unwrap_or_else(|| {
            self.pointers.push(pointer);
            self.pointers.len() - 1
        });
        address::make(address::NO_SPACE, index as u32 % address::MAX_INDEX, 0)
    }

    fn native(&self, address: u64) -> Option<u64> {
        let pointer = self.pointers.get(address::index(address) as usize).filter(|_| is_foreign(address))?;
        Some(pointer.wrapping_add(address::offset(address)))
    }
}

/// Whether an address is the name of a native pointer, or an input's of which nothing is known.
pub fn is_foreign(address: u64) -> bool {
    address::space(address) == address::NO_SPACE
}

/// An object of the program and its copy, in units that are aligned for every type.
struct Copy {
    start: u64,
    size: usize,
    units: Vec<u128>,
    before: Vec<u8>,
}

impl Copy {
    fn base(&self) -> u64 {
        self.units.as_ptr() as u64
    }

    fn bytes(&self) -> Vec<u8> {
        self.units.iter().flat_map(|unit| unit.to_le_bytes()).take(self.size).collect()
    }
}

pub fn model(name: &str) -> Result<Model, SetupError> {
    native_ffi::find(name).ok_or_else(|| SetupError::NoNative(name.to_owned()))?;
    Ok(Model::touching(run))
}

fn run(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let name = call.name();
    let symbol = native_ffi::find(name).expect("it was found at the start");
    let unsupported = |what: &str| Err(Fault::Unsupported(format!("native call of `{name}` with {what}")));
    if call.site.n_returns > 1 || !call.site.byval.is_empty() {
        return unsupported("a struct");
    }
    let (mut integers, mut floats) = (Integers::default(), Floats::default());
    let (mut n_integers, mut n_floats) = (0, 0);
    let mut copies: Vec<Copy> = Vec::new();
    let slots: Vec<_> = call.site.args.iter().copied().chain(call.site.variadic.iter().map(|arg| arg.slot)).collect();
    for (n, slot) in slots.into_iter().enumerate() {
        let value = call.slot_value(slot);
        match call.site.passed_as.get(n).copied().unwrap_or_default() {
            PassedAs::Single | PassedAs::Double => {
                let Some(register) = floats.get_mut(n_floats) else {
                    return unsupported("more arguments than registers");
                };
                *register = f64::from_bits(value);
                n_floats += 1;
            }
            PassedAs::Other => return unsupported("an argument that is neither a number nor a pointer"),
            kind => {
                let Some(register) = integers.get_mut(n_integers) else {
                    return unsupported("more arguments than registers");
                };
                *register = if kind == PassedAs::Pointer { lend(call, value, &mut copies)? } else { value };
                n_integers += 1;
            }
        }
    }
    let returned = call.site.returned_as;
    let value = match returned {
        PassedAs::Single | PassedAs::Double => {
            // SAFETY: the user says that this function can be called, with arguments that are live copies.
            let value = unsafe { native_ffi::call_float(symbol, integers, floats) }.to_bits();
            if returned == PassedAs::Single { value & u64::from(u32::MAX) } else { value }
        }
        // SAFETY: as above.
        _ => unsafe { native_ffi::call(symbol, integers, floats) },
    };
    for copy in &copies {
        take_back(call, copy)?;
    }
    let lent = copies.iter().find(|copy| (copy.base()..=copy.base() + copy.size as u64).contains(&value));
    match lent.filter(|_| returned == PassedAs::Pointer) {
        Some(copy) => call.result(copy.start + (value - copy.base())),
        None if returned == PassedAs::Pointer && value != 0 => {
            let place = call.machine.foreign.name(value);
            call.result(place)
        }
        None => call.result(value),
    }
}

/// The address of a copy of what a pointer of the program points to.
fn lend(call: &mut Call<'_, '_>, pointer: u64, copies: &mut Vec<Copy>) -> Result<u64, Fault> {
    if pointer == 0 {
        return Ok(0);
    }
    if let Some(native) = call.machine.foreign.native(pointer) {
        return Ok(native);
    }
    if address::function_of(pointer).is_some() {
        return Err(Fault::Unsupported(format!("native call of `{}` with a function pointer", call.name())));
    }
    let start = address::object_start(pointer);
    let offset = address::offset(pointer);
    if let Some(copy) = copies.iter().find(|copy| copy.start == start) {
        return Ok(copy.base().wrapping_add(offset));
    }
    let object = call.machine.memory.check(pointer, 0, false)?;
    if object.kind == Kind::Hidden {
        return Err(Fault::Unsupported(format!("native call of `{}` with a stream", call.name())));
    }
    let size = u64::from(object.size);
    if size > 0 && call.machine.is_visible(call.thread, start, object)? {
        call.machine.note_access(call.thread, Access::bulk(OpKind::Read, start, size), 0, 0)?;
    }
    let before = call.machine.memory.view(start, size).to_vec();
    let unit = |chunk: &[u8]| {
        let mut bytes = [0; 16];
        bytes[..chunk.len()].copy_from_slice(chunk);
        u128::from_le_bytes(bytes)
    };
    // One more, so that an empty object has an address as well.
    let units: Vec<u128> = before.chunks(16).map(unit).chain([0]).collect();
    let copy = Copy { start, size: before.len(), units, before };
    let place = copy.base().wrapping_add(offset);
    copies.push(copy);
    Ok(place)
}

/// Writes what the function changed, from the first changed byte to the last.
fn take_back(call: &mut Call<'_, '_>, copy: &Copy) -> Result<(), Fault> {
    let after = copy.bytes();
    let differs = |n: &usize| after[*n] != copy.before[*n];
    let Some(first) = (0..after.len()).find(differs) else { return Ok(()) };
    let last = (0..after.len()).rev().find(differs).expect("one byte differs");
    let constant = call.machine.memory.object(copy.start).is_some_and(|object| object.mode == Mode::Constant);
    if constant {
        return Err(Fault::ReadOnly { address: copy.start + first as u64 });
    }
    call.write(copy.start + first as u64, &after[first..=last])
}
