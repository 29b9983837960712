//! Terms as SMT-LIB 2, for other solvers.

use crate::pool::Pool;
use crate::term::{Binary, ExprId, Term, Unary};
use gordian_base::Id;
use std::fmt::Write;

/// A script that asks whether the assertions can hold together. Every shared term is defined once, so that its size is that of
/// the terms as graphs.
pub fn script(pool: &Pool, assertions: &[ExprId]) -> String {
    let mut text = String::from("(set-logic QF_BV)\n");
    for id in pool.reachable(assertions) {
        let width = pool.width(id);
        let body = match pool.term(id) {
            Term::Const(_) => continue,
            Term::Symbol(symbol) => {
                let name: String = pool.symbol_name(symbol).chars().filter(|c| !matches!(c, '|' | '\\')).collect();
                // Two symbols may share a name.
                let _ = writeln!(text, "(declare-const |{name}.{}| (_ BitVec {width}))", symbol.index());
                let _ = writeln!(text, "(define-fun {id} () (_ BitVec {width}) |{name}.{}|)", symbol.index());
                continue;
            }
            term => body(pool, term),
        };
        let _ = writeln!(text, "(define-fun {id} () (_ BitVec {width}) {body})");
    }
    for &assertion in assertions {
        let _ = writeln!(text, "(assert (= {} #b1))", operand(pool, assertion));
    }
    text.push_str("(check-sat)\n");
    text
}

fn operand(pool: &Pool, id: ExprId) -> String {
    match pool.as_constant(id) {
        Some(value) => format!("(_ bv{value} {})", pool.width(id)),
        None => id.to_string(),
    }
}

fn body(pool: &Pool, term: Term) -> String {
    let o = |id: ExprId| operand(pool, id);
    match term {
        Term::Const(_) | Term::Symbol(_) => unreachable!("they have no body"),
        Term::Unary(Unary::Not, a) => format!("(bvnot {})", o(a)),
        Term::Unary(op, a) => count(pool, op, a),
        Term::Binary(op, a, b) => binary(pool, op, a, b),
        Term::Zext(a, width) => format!("((_ zero_extend {}) {})", u32::from(width) - pool.width(a), o(a)),
        Term::Sext(a, width) => format!("((_ sign_extend {}) {})", u32::from(width) - pool.width(a), o(a)),
        Term::Extract { of, low, width } => format!("((_ extract {} {low}) {})", low + width - 1, o(of)),
        Term::Ite(condition, then, otherwise) => format!("(ite (= {} #b1) {} {})", o(condition), o(then), o(otherwise)),
        Term::Select(array, index) => {
            let elements = pool.elements(array);
            let mut text = String::new();
            for (position, &element) in elements.iter().enumerate() {
                let _ = write!(text, "(ite (= {} (_ bv{position} {})) {} ", o(index), pool.width(index), o(element));
            }
            let _ = write!(text, "(_ bv0 {})", pool.width(elements[0]));
            text + &")".repeat(elements.len())
        }
    }
}

fn binary(pool: &Pool, op: Binary, a: ExprId, b: ExprId) -> String {
    let (width, a, b) = (pool.width(a), operand(pool, a), operand(pool, b));
    let (name, is_predicate) = match op {
        Binary::Add => ("bvadd", false),
        Binary::Mul => ("bvmul", false),
        Binary::Udiv => ("bvudiv", false),
        Binary::Sdiv => ("bvsdiv", false),
        Binary::Urem => ("bvurem", false),
        Binary::Srem => ("bvsrem", false),
        Binary::And => ("bvand", false),
        Binary::Or => ("bvor", false),
        Binary::Xor => ("bvxor", false),
        Binary::Shl => ("bvshl", false),
        Binary::Lshr => ("bvlshr", false),
        Binary::Ashr => ("bvashr", false),
        Binary::Concat => ("concat", false),
        Binary::Eq => ("=", true),
        Binary::Ult => ("bvult", true),
        Binary::Ule => ("bvule", true),
        Binary::Slt => ("bvslt", true),
        Binary::Sle => ("bvsle", true),
        Binary::UmulOverflow | Binary::SmulOverflow => {
            let extend = if op == Binary::UmulOverflow { "zero_extend" } else { "sign_extend" };
            let wide = |x: &str| format!("((_ {extend} {width}) {x})");
            let product = format!("(bvmul {} {})", wide(&a), wide(&b));
            return format!("(ite (= {product} ((_ {extend} {width}) (bvmul {a} {b}))) #b0 #b1)");
        }
    };
    if is_predicate { format!("(ite ({name} {a} {b}) #b1 #b0)") } else { format!("({name} {a} {b})") }
}

/// Bit counts are sums and choices: SMT-LIB has no names for them.
fn count(pool: &Pool, op: Unary, id: ExprId) -> String {
    let (width, a) = (pool.width(id), operand(pool, id));
    let bit = |index: u32| format!("((_ extract {index} {index}) {a})");
    if op == Unary::Ctpop {
        let mut sum = format!("(_ bv0 {width})");
        for index in 0..width {
            let _ = write!(sum, " (ite (= {} #b1) (_ bv1 {width}) (_ bv0 {width}))", bit(index));
        }
        return format!("(bvadd {sum})");
    }
    let mut text = String::new();
    for zeros in 0..width {
        let index = if op == Unary::Ctlz { width - 1 - zeros } else { zeros };
        let _ = write!(text, "(ite (= {} #b1) (_ bv{zeros} {width}) ", bit(index));
    }
    let _ = write!(text, "(_ bv{width} {width})");
    text + &")".repeat(width as usize)
}
