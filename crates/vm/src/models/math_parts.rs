//! Functions of `math.h` that take numbers apart or tell what kind they are, and helpers that compilers call.

use super::libm::{self, with_errno};
use super::math::{cos, cosf, give, ilogb, lgamma, lgammaf, sin, sinf};
use super::{Call, Model};
use crate::fault::Fault;
use crate::interp::Flow;

const EDOM: i32 = 33;

pub fn lookup(name: &str) -> Option<Model> {
    lookup_exact(name).or_else(|| lookup_exact(name.strip_suffix('l')?))
}

fn lookup_exact(name: &str) -> Option<Model> {
    Some(match name {
        "frexp" | "frexpf" => Model::touching(frexp),
        "modf" | "modff" => Model::touching(modf),
        "sincos" | "sincosf" => Model::touching(sincos),
        "remquo" | "remquof" => Model::touching(remquo),
        "lgamma" | "lgammaf" | "gamma" | "gammaf" => Model::plain(log_gamma),
        "lgamma_r" | "lgammaf_r" => Model::touching(log_gamma_and_sign),
        "nan" | "nanf" => Model::touching(|call| {
            let tag = call.arg(0);
            call.string(tag)?;
            let value = f64::NAN;
            give_float(call, value)
        }),
        "significand" => Model::plain(|call| {
            let x = call.double(0);
            let value = if x == 0.0 || !x.is_finite() { x } else { x * 2f64.powi(-ilogb(x)) };
            call.result(value.to_bits())
        }),
        "isnan" | "__isnan" | "isnanf" | "__isnanf" => Model::plain(|call| classify(call, |x| i32::from(x.is_nan()))),
        "isinf" | "__isinf" | "isinff" | "__isinff" => Model::plain(|call| {
            classify(call, |x| {
                if !x.is_infinite() {
                    0
                } else if x > 0.0 {
                    1
                } else {
                    -1
                }
            })
        }),
        "finite" | "__finite" | "finitef" | "__finitef" => {
            Model::plain(|call| classify(call, |x| i32::from(x.is_finite())))
        }
        "__signbit" | "__signbitf" => Model::plain(|call| classify(call, |x| i32::from(x.is_sign_negative()))),
        "__fpclassify" => Model::plain(|call| classify(call, |x| class(x.is_normal(), x))),
        "__fpclassifyf" => Model::plain(|call| classify(call, |x| class((x as f32).is_normal(), x))),
        "fegetround" => Model::plain(|call| call.result_int(0)),
        "fesetround" => Model::plain(|call| match call.int(0) {
            0 => call.result_int(0),
            mode => Err(Fault::Unsupported(format!("rounding mode {mode:#x} (`fesetround`)"))),
        }),
        "feclearexcept" => Model::plain(|call| call.result_int(0)),
        "__udivti3" => Model::plain(|call| wide(call, |a, b| a.checked_div(b))),
        "__umodti3" => Model::plain(|call| wide(call, |a, b| a.checked_rem(b))),
        "__divti3" => {
            Model::plain(|call| wide(call, |a, b| (b != 0).then(|| (a as i128).wrapping_div(b as i128) as u128)))
        }
        "__modti3" => {
            Model::plain(|call| wide(call, |a, b| (b != 0).then(|| (a as i128).wrapping_rem(b as i128) as u128)))
        }
        "__multi3" => Model::plain(|call| wide(call, |a, b| Some(a.wrapping_mul(b)))),
        _ => return None,
    })
}

fn is_single(call: &Call<'_, '_>) -> bool {
    // `modff`, but neither `modf` nor `finite`.
    let name = call.name();
    name.ends_with('f') && !matches!(name, "modf" | "isinf" | "__isinf")
}

fn argument(call: &Call<'_, '_>, n: usize) -> f64 {
    if is_single(call) { f64::from(call.single(n)) } else { call.double(n) }
}

/// The value is one of a `float` where the function is one of `float`s.
fn give_float(call: &mut Call<'_, '_>, value: f64) -> Result<Flow, Fault> {
    let bits = if is_single(call) { u64::from((value as f32).to_bits()) } else { value.to_bits() };
    call.result(bits)
}

fn store_float(call: &mut Call<'_, '_>, place: u64, value: f64) -> Result<(), Fault> {
    if is_single(call) {
        call.write_word(place, 4, u64::from((value as f32).to_bits()))
    } else {
        call.write_word(place, 8, value.to_bits())
    }
}

fn classify(call: &mut Call<'_, '_>, answer: fn(f64) -> i32) -> Result<Flow, Fault> {
    let answer = answer(argument(call, 0));
    call.result_int(answer)
}

fn class(normal: bool, x: f64) -> i32 {
    match x {
        _ if x.is_nan() => 0,
        _ if x.is_infinite() => 1,
        0.0 => 2,
        _ if normal => 4,
        _ => 3,
    }
}

/// Every `float` is exact as a `double`, and so is what becomes of it here.
fn frexp(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (x, place) = (argument(call, 0), call.arg(1));
    let (mut fraction, mut exponent) = (x, 0);
    if x != 0.0 && x.is_finite() {
        exponent = ilogb(x) + 1;
        // In two steps: the power alone may be out of range.
        fraction = x * 2f64.powi(-exponent / 2) * 2f64.powi(-exponent - -exponent / 2);
    }
    call.write_word(place, 4, exponent as u32 as u64)?;
    give_float(call, fraction)
}

fn modf(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (x, place) = (argument(call, 0), call.arg(1));
    let whole = x.trunc();
    let fraction = if x.is_infinite() { 0.0 } else { x - whole };
    store_float(call, place, whole)?;
    give_float(call, fraction.copysign(x))
}

fn sincos(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (sine, cosine) = if is_single(call) {
        let x = call.single(0);
        (f64::from(sinf(x)), f64::from(cosf(x)))
    } else {
        let x = call.double(0);
        (sin(x), cos(x))
    };
    if !argument(call, 0).is_finite() {
        call.set_errno(EDOM);
    }
    let (sin_place, cos_place) = (call.arg(1), call.arg(2));
    store_float(call, sin_place, sine)?;
    store_float(call, cos_place, cosine)?;
    Ok(Flow::Next)
}

fn remquo(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let place = call.arg(2);
    let (mut quotient, single) = (0, is_single(call));
    let (rest, errno) = if single {
        let (x, y) = (call.single(0), call.single(1));
        with_errno(|| f64::from(libm::remquof(x, y, &mut quotient)))
    } else {
        let (x, y) = (call.double(0), call.double(1));
        with_errno(|| libm::remquo(x, y, &mut quotient))
    };
    if errno != 0 {
        call.set_errno(errno);
    }
    call.write_word(place, 4, u64::from(quotient as u32))?;
    give_float(call, rest)
}

/// The logarithm of the absolute value of the gamma function.
fn log_gamma(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let globals = &call.machine.program.globals;
    if globals.iter().any(|global| global.external && global.name == "signgam") {
        return Err(Fault::Unsupported(format!("`{}` in a program that looks at `signgam`", call.name())));
    }
    let is_single = call.name().ends_with('f');
    give_log_gamma(call, is_single)
}

/// The same with the sign of the gamma function at the second argument.
fn log_gamma_and_sign(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (is_single, place) = (call.name() == "lgammaf_r", call.arg(1));
    let x = if is_single { f64::from(call.single(0)) } else { call.double(0) };
    // Between its poles, which are 0 and the negative integers, it is negative in every other interval. At a pole glibc calls it positive.
    let is_pole = x < 0.0 && x == x.floor();
    let is_negative = x.is_sign_negative() && !x.is_nan() && !is_pole && (x == 0.0 || x.floor() % 2.0 != 0.0);
    call.write_word(place, 4, u64::from(if is_negative { -1i32 } else { 1 } as u32))?;
    give_log_gamma(call, is_single)
}

fn give_log_gamma(call: &mut Call<'_, '_>, is_single: bool) -> Result<Flow, Fault> {
    if is_single {
        let x = call.single(0);
        give(call, || lgammaf(x))
    } else {
        let x = call.double(0);
        give(call, || lgamma(x))
    }
}

fn wide(call: &mut Call<'_, '_>, compute: fn(u128, u128) -> Option<u128>) -> Result<Flow, Fault> {
    let word = |n| u128::from(call.arg(n));
    let value = compute(word(0) | word(1) << 64, word(2) | word(3) << 64).ok_or(Fault::DivisionByZero)?;
    call.result_wide(value as u64, (value >> 64) as u64)
}
