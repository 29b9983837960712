//! `math.h`.

use super::libm::{libm, with_errno};
use super::{Call, Model};
use crate::fault::Fault;
use crate::interp::Flow;
use gordian_ir::Slot;

libm! {
    acos(x: f64) -> f64;
    acosf(x: f32) -> f32;
    asin(x: f64) -> f64;
    asinf(x: f32) -> f32;
    atan(x: f64) -> f64;
    atanf(x: f32) -> f32;
    ceil(x: f64) -> f64;
    ceilf(x: f32) -> f32;
    cos(x: f64) -> f64;
    cosf(x: f32) -> f32;
    cosh(x: f64) -> f64;
    coshf(x: f32) -> f32;
    exp(x: f64) -> f64;
    expf(x: f32) -> f32;
    fabs(x: f64) -> f64;
    fabsf(x: f32) -> f32;
    floor(x: f64) -> f64;
    floorf(x: f32) -> f32;
    log(x: f64) -> f64;
    logf(x: f32) -> f32;
    log10(x: f64) -> f64;
    log10f(x: f32) -> f32;
    sin(x: f64) -> f64;
    sinf(x: f32) -> f32;
    sinh(x: f64) -> f64;
    sinhf(x: f32) -> f32;
    sqrt(x: f64) -> f64;
    sqrtf(x: f32) -> f32;
    tan(x: f64) -> f64;
    tanf(x: f32) -> f32;
    tanh(x: f64) -> f64;
    tanhf(x: f32) -> f32;
    acosh(x: f64) -> f64;
    acoshf(x: f32) -> f32;
    asinh(x: f64) -> f64;
    asinhf(x: f32) -> f32;
    atanh(x: f64) -> f64;
    atanhf(x: f32) -> f32;
    cbrt(x: f64) -> f64;
    cbrtf(x: f32) -> f32;
    erf(x: f64) -> f64;
    erff(x: f32) -> f32;
    erfc(x: f64) -> f64;
    erfcf(x: f32) -> f32;
    exp2(x: f64) -> f64;
    exp2f(x: f32) -> f32;
    exp10(x: f64) -> f64;
    exp10f(x: f32) -> f32;
    expm1(x: f64) -> f64;
    expm1f(x: f32) -> f32;
    log1p(x: f64) -> f64;
    log1pf(x: f32) -> f32;
    log2(x: f64) -> f64;
    log2f(x: f32) -> f32;
    logb(x: f64) -> f64;
    logbf(x: f32) -> f32;
    nearbyint(x: f64) -> f64;
    nearbyintf(x: f32) -> f32;
    rint(x: f64) -> f64;
    rintf(x: f32) -> f32;
    round(x: f64) -> f64;
    roundf(x: f32) -> f32;
    roundeven(x: f64) -> f64;
    roundevenf(x: f32) -> f32;
    trunc(x: f64) -> f64;
    truncf(x: f32) -> f32;
    tgamma(x: f64) -> f64;
    tgammaf(x: f32) -> f32;
    lgamma(x: f64) -> f64;
    lgammaf(x: f32) -> f32;
    j0(x: f64) -> f64;
    j0f(x: f32) -> f32;
    j1(x: f64) -> f64;
    j1f(x: f32) -> f32;
    y0(x: f64) -> f64;
    y0f(x: f32) -> f32;
    y1(x: f64) -> f64;
    y1f(x: f32) -> f32;
    atan2(x: f64, y: f64) -> f64;
    atan2f(x: f32, y: f32) -> f32;
    fmod(x: f64, y: f64) -> f64;
    fmodf(x: f32, y: f32) -> f32;
    pow(x: f64, y: f64) -> f64;
    powf(x: f32, y: f32) -> f32;
    hypot(x: f64, y: f64) -> f64;
    hypotf(x: f32, y: f32) -> f32;
    remainder(x: f64, y: f64) -> f64;
    remainderf(x: f32, y: f32) -> f32;
    copysign(x: f64, y: f64) -> f64;
    copysignf(x: f32, y: f32) -> f32;
    nextafter(x: f64, y: f64) -> f64;
    nextafterf(x: f32, y: f32) -> f32;
    fmax(x: f64, y: f64) -> f64;
    fmaxf(x: f32, y: f32) -> f32;
    fmin(x: f64, y: f64) -> f64;
    fminf(x: f32, y: f32) -> f32;
    fdim(x: f64, y: f64) -> f64;
    fdimf(x: f32, y: f32) -> f32;
    fma(x: f64, y: f64, z: f64) -> f64;
    fmaf(x: f32, y: f32, z: f32) -> f32;
    ldexp(x: f64, n: i32) -> f64;
    ldexpf(x: f32, n: i32) -> f32;
    scalbln(x: f64, n: i64) -> f64;
    scalblnf(x: f32, n: i64) -> f32;
    jn(n: i32, x: f64) -> f64;
    yn(n: i32, x: f64) -> f64;
    ilogb(x: f64) -> i32;
    ilogbf(x: f32) -> i32;
    lround(x: f64) -> i64;
    lroundf(x: f32) -> i64;
    lrint(x: f64) -> i64;
    lrintf(x: f32) -> i64;
}

/// The other names of functions that have several.
const ALIASES: &[(&str, &str)] = &[
    ("llround", "lround"),
    ("llroundf", "lroundf"),
    ("llrint", "lrint"),
    ("llrintf", "lrintf"),
    ("scalbn", "ldexp"),
    ("scalbnf", "ldexpf"),
    ("drem", "remainder"),
    ("dremf", "remainderf"),
    ("nexttoward", "nextafter"),
    ("pow10", "exp10"),
];

pub fn lookup(name: &str) -> Option<Model> {
    // A `long double` has 64 bits here.
    lookup_exact(name).or_else(|| lookup_exact(name.strip_suffix('l')?))
}

fn lookup_exact(name: &str) -> Option<Model> {
    let plain = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, plain)| plain);
    lookup_unary(plain).or_else(|| lookup_binary(plain)).or_else(|| lookup_other(plain))
}

macro_rules! models {
    ($name:expr, $double:ident, $single:ident: $($function:ident $single_function:ident)*) => {
        Some(match $name {
            $(
                stringify!($function) => Model::plain(|call| $double(call, $function)),
                stringify!($single_function) => Model::plain(|call| $single(call, $single_function)),
            )*
            _ => return None,
        })
    };
}

fn lookup_unary(name: &str) -> Option<Model> {
    models! { name, double_1, single_1:
        acos acosf asin asinf atan atanf ceil ceilf cos cosf cosh coshf exp expf fabs fabsf
        floor floorf log logf log10 log10f sin sinf sinh sinhf sqrt sqrtf tan tanf tanh tanhf
        acosh acoshf asinh asinhf atanh atanhf cbrt cbrtf erf erff erfc erfcf exp2 exp2f
        exp10 exp10f expm1 expm1f log1p log1pf log2 log2f logb logbf nearbyint nearbyintf rint rintf
        round roundf roundeven roundevenf trunc truncf tgamma tgammaf j0 j0f j1 j1f
        y0 y0f y1 y1f
    }
}

fn lookup_binary(name: &str) -> Option<Model> {
    models! { name, double_2, single_2:
        atan2 atan2f fmod fmodf pow powf hypot hypotf remainder remainderf copysign copysignf
        nextafter nextafterf fmax fmaxf fmin fminf fdim fdimf
    }
}

fn lookup_other(name: &str) -> Option<Model> {
    Some(match name {
        "fma" => Model::plain(|call| {
            let (x, y, z) = (call.double(0), call.double(1), call.double(2));
            give(call, || fma(x, y, z))
        }),
        "fmaf" => Model::plain(|call| {
            let (x, y, z) = (call.single(0), call.single(1), call.single(2));
            give(call, || fmaf(x, y, z))
        }),
        "ldexp" => Model::plain(|call| {
            let (x, n) = (call.double(0), call.int(1));
            give(call, || ldexp(x, n))
        }),
        "ldexpf" => Model::plain(|call| {
            let (x, n) = (call.single(0), call.int(1));
            give(call, || ldexpf(x, n))
        }),
        "scalbln" => Model::plain(|call| {
            let (x, n) = (call.double(0), call.arg(1) as i64);
            give(call, || scalbln(x, n))
        }),
        "scalblnf" => Model::plain(|call| {
            let (x, n) = (call.single(0), call.arg(1) as i64);
            give(call, || scalblnf(x, n))
        }),
        "jn" => Model::plain(|call| {
            let (n, x) = (call.int(0), call.double(1));
            give(call, || jn(n, x))
        }),
        "yn" => Model::plain(|call| {
            let (n, x) = (call.int(0), call.double(1));
            give(call, || yn(n, x))
        }),
        "ilogb" => Model::plain(|call| {
            let x = call.double(0);
            give(call, || ilogb(x))
        }),
        "ilogbf" => Model::plain(|call| {
            let x = call.single(0);
            give(call, || ilogbf(x))
        }),
        "lround" => Model::plain(|call| {
            let x = call.double(0);
            give(call, || lround(x))
        }),
        "lroundf" => Model::plain(|call| {
            let x = call.single(0);
            give(call, || lroundf(x))
        }),
        "lrint" => Model::plain(|call| {
            let x = call.double(0);
            give(call, || lrint(x))
        }),
        "lrintf" => Model::plain(|call| {
            let x = call.single(0);
            give(call, || lrintf(x))
        }),
        "cabs" => Model::plain(|call| {
            let (re, im) = (call.double(0), call.double(1));
            give(call, || hypot(re, im))
        }),
        "carg" => Model::plain(|call| {
            let (re, im) = (call.double(0), call.double(1));
            give(call, || atan2(im, re))
        }),
        "cabsf" => Model::plain(|call| {
            let (re, im) = (call.single(0), call.single(1));
            give(call, || hypotf(re, im))
        }),
        "cargf" => Model::plain(|call| {
            let (re, im) = (call.single(0), call.single(1));
            give(call, || atan2f(im, re))
        }),
        _ => return None,
    })
}

impl Call<'_, '_> {
    pub fn single(&self, n: usize) -> f32 {
        f32::from_bits(self.arg(n) as u32)
    }

    /// Gives a value of two slots.
    pub fn result_wide(&mut self, low: u64, high: u64) -> Result<Flow, Fault> {
        if self.site.n_returns > 1 {
            self.machine.set_register(self.thread, Slot(self.site.dst.0 + 1), high);
        }
        self.result(low)
    }
}

/// A result as it stands in a slot.
pub trait InSlot {
    fn slot(self) -> u64;
}

impl InSlot for f64 {
    fn slot(self) -> u64 {
        self.to_bits()
    }
}

impl InSlot for f32 {
    fn slot(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl InSlot for i32 {
    fn slot(self) -> u64 {
        u64::from(self as u32)
    }
}

impl InSlot for i64 {
    fn slot(self) -> u64 {
        self as u64
    }
}

/// The result of a function of libm, with its error number.
pub fn give<T: InSlot>(call: &mut Call<'_, '_>, function: impl FnOnce() -> T) -> Result<Flow, Fault> {
    let (value, errno) = with_errno(function);
    if errno != 0 {
        call.set_errno(errno);
    }
    call.result(value.slot())
}

fn double_1(call: &mut Call<'_, '_>, function: fn(f64) -> f64) -> Result<Flow, Fault> {
    let x = call.double(0);
    give(call, || function(x))
}

fn single_1(call: &mut Call<'_, '_>, function: fn(f32) -> f32) -> Result<Flow, Fault> {
    let x = call.single(0);
    give(call, || function(x))
}

fn double_2(call: &mut Call<'_, '_>, function: fn(f64, f64) -> f64) -> Result<Flow, Fault> {
    let (x, y) = (call.double(0), call.double(1));
    give(call, || function(x, y))
}

fn single_2(call: &mut Call<'_, '_>, function: fn(f32, f32) -> f32) -> Result<Flow, Fault> {
    let (x, y) = (call.single(0), call.single(1));
    give(call, || function(x, y))
}
