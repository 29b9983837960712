//! Inputs: what the program asks gordian for. A search takes them as symbols and explores all that they lead to; a test fixes
//! them. Besides gordian's own functions these are the ones that programs already use.

use super::{Call, Model};
use crate::arith;
use crate::fault::Fault;
use crate::interp::Flow;

use gordian_expr::ExprId;
use gordian_ir::address;

pub fn lookup(name: &str) -> Option<Model> {
    if let Some(ty) = name.strip_prefix("__VERIFIER_nondet_") {
        return nondet(ty);
    }
    if let Some(ty) = name.strip_prefix("gordian_").and_then(gordian_type) {
        return Some(ty);
    }
    Some(match name {
        _ if assumes(name).is_some() => Model::plain(assume),
        "gordian_symbolic" | "klee_make_symbolic" => Model::touching(|call| {
            let (place, len, name) = (call.arg(0), call.arg(1), call.arg(2));
            let name = call.text(name)?;
            let is_number = len == 1 && !call.machine.is_array(place) || call.machine.is_scalar(place, len);
            fill(call, place, len, &name, is_number)
        }),
        "klee_int" => Model::plain(|call| named(call, 32)),
        "gordian_range" => Model::plain(|call| range(call, true)),
        "klee_range" => Model::plain(|call| range(call, false)),
        "__CrestChar" | "__CrestUChar" => Model::touching(|call| fill_first(call, 1)),
        "__CrestShort" | "__CrestUShort" => Model::touching(|call| fill_first(call, 2)),
        "__CrestInt" | "__CrestUInt" => Model::touching(|call| fill_first(call, 4)),
        _ => return None,
    })
}

/// An address where no object is.
const UNKNOWN: u64 = address::make(address::NO_SPACE, address::MAX_INDEX, 0);

/// Whether a function makes inputs or takes some for granted.
pub fn is_about_inputs(name: &str) -> bool {
    lookup(name).is_some()
}

/// By the name of the type: its width in bits.
fn nondet(ty: &str) -> Option<Model> {
    Some(match ty {
        "bool" | "_Bool" => Model::plain(|call| unnamed(call, 1)),
        "char" | "schar" | "uchar" | "u8" | "s8" | "int8_t" | "uint8_t" => Model::plain(|call| unnamed(call, 8)),
        "short" | "ushort" | "u16" | "s16" | "int16_t" | "uint16_t" => Model::plain(|call| unnamed(call, 16)),
        "int" | "uint" | "u32" | "s32" | "unsigned" | "unsigned_int" | "int32_t" | "uint32_t" => {
            Model::plain(|call| unnamed(call, 32))
        }
        "long" | "ulong" | "longlong" | "ulonglong" | "unsigned_long" | "u64" | "s64" | "int64_t" | "uint64_t"
        | "size_t" | "ssize_t" | "loff_t" | "off_t" | "sector_t" | "pthread_t" | "time_t" => {
            Model::plain(|call| unnamed(call, 64))
        }
        "int128" | "uint128" => Model::plain(|call| {
            let (low, high) = (draw(call, "", 64), draw(call, "", 64));
            call.results_with(&[low, high])
        }),
        "pointer" | "pchar" | "charp" | "const_char_pointer" => Model::plain(pointer),
        "memory" => Model::touching(|call| {
            let (place, len) = (call.arg(0), call.arg(1));
            fill(call, place, len, "", false)
        }),
        "float" => Model::plain(|call| {
            let value = draw(call, "", 32).0 as u32 as i32 as f32 / 65536.0;
            lose_fraction(call);
            call.result(u64::from(value.to_bits()))
        }),
        "double" => Model::plain(|call| {
            let value = f64::from(draw(call, "", 32).0 as u32 as i32) / 65536.0;
            lose_fraction(call);
            call.result(value.to_bits())
        }),
        _ => return None,
    })
}

fn gordian_type(ty: &str) -> Option<Model> {
    Some(match ty {
        "bool" => Model::plain(|call| named(call, 1)),
        "char" | "schar" | "uchar" => Model::plain(|call| named(call, 8)),
        "short" | "ushort" => Model::plain(|call| named(call, 16)),
        "int" | "uint" => Model::plain(|call| named(call, 32)),
        "long" | "ulong" | "size" => Model::plain(|call| named(call, 64)),
        _ => return None,
    })
}

/// Null, or an address of which nothing is known.
fn pointer(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let is_given = call.machine.is_next_input_given(call.thread);
    let (value, term) = draw(call, "", 64);
    if term.is_some() {
        call.machine.note_pointer_input();
        return give(call, (value, term));
    }
    let value = match (is_given, value % 2) {
        (true, _) => value,
        (false, 0) => 0,
        (false, _) => UNKNOWN,
    };
    if let Some(input) = call.machine.inputs.last_mut() {
        input.value = value;
    }
    call.result(value)
}

fn lose_fraction(call: &mut Call<'_, '_>) {
    if call.machine.symbolic.on {
        call.machine.lose("an input of floating-point type took one value of many");
    }
}

fn unnamed(call: &mut Call<'_, '_>, bits: u8) -> Result<Flow, Fault> {
    let input = draw(call, "", bits);
    give(call, input)
}

fn named(call: &mut Call<'_, '_>, bits: u8) -> Result<Flow, Fault> {
    let name = call.arg(0);
    let name = if name == 0 { String::new() } else { call.text(name)? };
    let input = draw(call, &name, bits);
    give(call, input)
}

fn give(call: &mut Call<'_, '_>, (value, term): (u64, Option<ExprId>)) -> Result<Flow, Fault> {
    call.result_with(value, term)
}

/// An `int` from the first argument to the second, which belongs to it if `inclusive`.
fn range(call: &mut Call<'_, '_>, inclusive: bool) -> Result<Flow, Fault> {
    let (least, most, name) = (call.int(0), call.int(1), call.arg(2));
    let name = if name == 0 { String::new() } else { call.text(name)? };
    let most = if inclusive { Some(most) } else { most.checked_sub(1) };
    let Some(most) = most.filter(|most| least <= *most) else {
        return Err(Fault::Abort(format!("`{}` of an empty range", call.name())));
    };
    let (value, term) = draw(call, &name, 32);
    let Some(term) = term else {
        let n = (i64::from(most) - i64::from(least) + 1) as u64;
        let is_within = (least..=most).contains(&(value as u32 as i32));
        let value = if is_within { value as u32 as i32 } else { (i64::from(least) + (value % n) as i64) as i32 };
        if let Some(input) = call.machine.inputs.last_mut() {
            input.value = u64::from(value as u32);
        }
        return call.result_int(value);
    };
    if call.machine.symbolic.is_fresh() && !(least..=most).contains(&(value as u32 as i32)) {
        call.machine.set_newest_input(u64::from(least as u32));
    }
    let pool = &mut call.machine.symbolic.pool;
    let value = pool.trunc(term, 32);
    let [least, most] = [least, most].map(|limit| pool.constant(u128::from(limit as u32), 32));
    let (above, below) = (pool.sle(least, value), pool.sle(value, most));
    let within = pool.and(above, below);
    // An input of its own can have any value, but the solver may have been stopped.
    if !call.machine.assume(call.thread, within) {
        return Ok(call.machine.stop_at_false_assumption(call.thread));
    }
    let value = call.machine.value_of(term);
    give(call, (value, Some(term)))
}

/// Makes the bytes at a place inputs: one input if they are a number, else one for each byte.
fn fill(call: &mut Call<'_, '_>, place: u64, len: u64, name: &str, is_number: bool) -> Result<Flow, Fault> {
    if is_number && matches!(len, 1 | 2 | 4 | 8) {
        let (value, term) = draw(call, name, 8 * len as u8);
        call.write_word(place, len as u8, value)?;
        call.machine.store_term(place, len, term);
        return Ok(Flow::Next);
    }
    let inputs: Vec<_> = (0..len).map(|n| draw(call, &format!("{name}[{n}]"), 8)).collect();
    let bytes: Vec<u8> = inputs.iter().map(|input| input.0 as u8).collect();
    call.write(place, &bytes)?;
    for (n, (_, term)) in inputs.into_iter().enumerate() {
        call.machine.store_term(place + n as u64, 1, term);
    }
    Ok(Flow::Next)
}

fn fill_first(call: &mut Call<'_, '_>, len: u64) -> Result<Flow, Fault> {
    let place = call.arg(0);
    call.machine.memory.check(place, len, true)?;
    let name = call.machine.name_of(place);
    fill(call, place, len, &name, true)
}

/// The width of the argument of a function that blocks its thread unless it is true.
pub fn assumes(name: &str) -> Option<u32> {
    match name {
        "__VERIFIER_assume" | "assume_abort_if_not" | "gordian_assume" => Some(32),
        "klee_assume" => Some(64),
        _ => None,
    }
}

fn assume(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let bits = assumes(call.name()).expect("it was looked up by name");
    let term = call.site.args.first().and_then(|&slot| call.machine.term(call.thread, slot));
    let holds = match term {
        Some(term) => {
            let pool = &mut call.machine.symbolic.pool;
            let value = pool.trunc(term, bits);
            let zero = pool.constant(0, bits);
            let condition = pool.ne(value, zero);
            call.machine.assume(call.thread, condition)
        }
        None => call.arg(0) & arith::mask(bits as u8) != 0,
    };
    if holds {
        return Ok(Flow::Next);
    }
    Ok(call.machine.stop_at_false_assumption(call.thread))
}

/// The thread's next input: its value, and its term in a search.
fn draw(call: &mut Call<'_, '_>, name: &str, bits: u8) -> (u64, Option<ExprId>) {
    let function = call.name();
    call.machine.draw_input(call.thread, name, function, bits)
}

/// Arguments of a function that must be known before it is called. With the others it knows what to do whatever the inputs,
/// or what it does with them does not matter.
pub enum Decided {
    All,
    /// By their numbers.
    Fixed(&'static [usize]),
    /// As `Fixed`, and of this one which object it points to, if it does.
    FixedAndObject(&'static [usize], usize),
    /// Fixed ones up to a format, and of those behind it the ones that it says must be known.
    Format(usize),
}

pub fn decided(name: &str) -> Decided {
    match name {
        _ if assumes(name).is_some() => Decided::Fixed(&[]),
        "__VERIFIER_assert" | "exit" | "_exit" | "_Exit" | "putchar" | "__gordian_check_bounds" => Decided::Fixed(&[]),
        "fputc" | "putc" | "ungetc" => Decided::Fixed(&[1]),
        // What is reachable from its argument becomes known to the thread.
        "pthread_create" => Decided::FixedAndObject(&[0, 1, 2], 3),
        "thrd_create" => Decided::FixedAndObject(&[0, 1], 2),
        "printf" => Decided::Format(0),
        "fprintf" => Decided::Format(1),
        _ => Decided::All,
    }
}

/// Functions that print what they read. What is printed decides nothing while the program does not see it.
pub fn is_output(name: &str) -> bool {
    matches!(name, "printf" | "fprintf" | "puts" | "fputs" | "putchar" | "fputc" | "putc" | "vprintf" | "vfprintf")
        || matches!(name, "perror" | "fwrite" | "write")
}
