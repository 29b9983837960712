//! What the compiler checks for, in words.

use crate::arith;
use crate::fault::Fault;
use gordian_ir::{DescribedType, UndefinedKind, UndefinedSite};

/// What is wrong at a site that an execution came to. The operands are bits; those wider than 64 are not given.
#[cold]
pub fn fault(site: &UndefinedSite, a: u64, b: u64) -> Fault {
    let name = |index: usize| site.types.get(index).map_or("its type", |ty| ty.name.as_str());
    let value = |index: usize, bits: u64| number(site.types.get(index), bits);
    match site.kind {
        UndefinedKind::Division if b == 0 && is_narrow(site) => Fault::DivisionByZero,
        UndefinedKind::Division => Fault::Overflow(match is_narrow(site) {
            true => format!("{} divided by -1 does not fit in {}", value(0, a), name(0)),
            false => format!("a division by zero, or a quotient that does not fit in {}", name(0)),
        }),
        UndefinedKind::Shift => shift(site, a, b),
        UndefinedKind::Overflow(sign) => Fault::Overflow(match is_narrow(site) {
            true if sign == '~' => format!("signed overflow: -({}) does not fit in {}", value(0, a), name(0)),
            true => {
                format!("signed overflow: {} {sign} {} does not fit in {}", value(0, a), value(0, b), name(0))
            }
            false => format!("signed overflow in {}", name(0)),
        }),
        UndefinedKind::FloatCast => {
            let number = match site.types.first().map(|ty| ty.width) {
                Some(32) => format!("{:?}", f32::from_bits(a as u32)),
                Some(64) => format!("{:?}", f64::from_bits(a)),
                _ => "a number".to_owned(),
            };
            Fault::Undefined(format!("{number} does not fit in {}, to which it is converted", name(1)))
        }
        UndefinedKind::ZeroBits => Fault::Undefined("zero has no first bit that is set".to_owned()),
        UndefinedKind::Misaligned(align) => {
            Fault::Undefined(format!("a misaligned access: {} needs an address that is a multiple of {align}", name(0)))
        }
        UndefinedKind::Index => Fault::Index(format!("index {} is outside {}", value(1, a), name(0))),
        UndefinedKind::InvalidValue => Fault::Undefined(format!("{} is no value of {}", value(0, a), name(0))),
        UndefinedKind::VlaBound => Fault::Undefined(format!("an array of {} elements", value(0, a))),
        UndefinedKind::NullArgument => {
            Fault::Undefined("a null pointer where an attribute of the function forbids it".to_owned())
        }
        UndefinedKind::Unreachable => {
            Fault::Abort("control reached a point that the compiler took for unreachable".to_owned())
        }
        UndefinedKind::Other => Fault::Undefined("undefined behaviour that the compiler checks for".to_owned()),
    }
}

fn is_narrow(site: &UndefinedSite) -> bool {
    site.types.first().is_none_or(|ty| ty.width <= 64)
}

fn shift(site: &UndefinedSite, a: u64, b: u64) -> Fault {
    let [from, by, ..] = &site.types[..] else {
        return Fault::Undefined("an undefined shift".to_owned());
    };
    let w = from.width.clamp(1, 128) as u8;
    let by = signed(by, b);
    if by < 0 || by >= i128::from(w) {
        return Fault::Shift { by: by as u128 & arith::wide_mask(w), w };
    }
    Fault::Undefined(format!("{} shifted left by {by} does not fit in {}", number(Some(from), a), from.name))
}

fn number(ty: Option<&DescribedType>, bits: u64) -> i128 {
    ty.map_or(i128::from(bits), |ty| signed(ty, bits))
}

fn signed(ty: &DescribedType, bits: u64) -> i128 {
    match ty.signed && (1..=64).contains(&ty.width) {
        true => i128::from(arith::sext(ty.width as u8, bits)),
        false => i128::from(bits),
    }
}
