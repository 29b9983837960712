//! Names for addresses within one call of a function: which values are surely the same.
//!
//! `a->val` and `&a->m` are a *root* `a` with two offsets, and so are `t[i].val` and `&t[i].m`, although each computes
//! `t + 48 * i` for itself.
//!
//! **Lemma (paths).** Two operands with the same path, evaluated at points between which no web of the path is defined and
//! no load of the path changes its value, have the same value. A web with one definition holds what its expression gives
//! wherever the definition reaches: the definition dominates its uses, and a web with one definition that it uses dominates
//! it in turn, so the latter cannot be defined in between without the former being defined again. A web with several
//! definitions may be defined in between; so its name is used within the block of the expression only, where that can be
//! seen. Loads have a name only if [`Paths::of`] is told that nobody writes what they read while the thread runs.

use crate::callgraph::Point;
use crate::template::{Template, Val, looks_like_address};
use crate::webs::Web;
use gordian_base::{FxHashMap, FxHashSet};
use gordian_ir::{FuncId, Function, Inst, Program, Slot};
use std::rc::Rc;

/// A root of a function's paths.
pub type Root = u32;

/// A root and an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    pub root: Root,
    pub offset: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Expression {
    /// Plain numbers: the offset is the number.
    Zero,
    Web(Web),
    Index {
        base: Path,
        index: Path,
        scale: i32,
    },
    Extended {
        from: u8,
        to: u8,
        of: Path,
    },
    Truncated {
        w: u8,
        of: Path,
    },
    Sum {
        w: u8,
        a: Path,
        b: Path,
    },
    Product {
        w: u8,
        a: Path,
        b: Path,
    },
    Masked {
        a: Path,
        b: Path,
    },
    Load {
        size: u8,
        address: Path,
    },
}

/// The paths of one function.
pub struct Paths<'a> {
    id: FuncId,
    function: &'a Function,
    template: Rc<Template>,
    stable: Rc<FxHashSet<Point>>,
    expressions: Vec<Expression>,
    ids: FxHashMap<Expression, Root>,
    /// The webs that each root depends on.
    webs: Vec<Vec<Web>>,
}

/// Longer expressions get no name of their own.
const DEEPEST: u32 = 12;

impl<'a> Paths<'a> {
    /// `stable` are the loads of things that never change while it matters.
    pub fn of(program: &'a Program, id: FuncId, template: Rc<Template>, stable: Rc<FxHashSet<Point>>) -> Self {
        let function = &program.functions[id];
        let (expressions, ids, webs) = (Vec::new(), FxHashMap::default(), Vec::new());
        Paths { id, function, template, stable, expressions, ids, webs }
    }

    /// The path of an operand at the instruction.
    pub fn path(&mut self, val: Val, pc: u32) -> Path {
        self.path_of(val, pc, 0)
    }

    /// Whether the root's value changes when the web is defined.
    pub fn depends_on(&self, root: Root, web: Web) -> bool {
        self.webs[root as usize].contains(&web)
    }

    /// The root that is a parameter with one definition, the entry.
    pub fn parameter(&mut self, nth: usize) -> Option<Path> {
        let web = *self.template.webs.parameters.get(nth)?;
        (self.template.webs.n_definitions[web as usize] == 1)
            .then(|| Path { root: self.intern(Expression::Web(web)), offset: 0 })
    }

    /// The parameter that the root is.
    pub fn as_parameter(&self, root: Root) -> Option<usize> {
        let Expression::Web(web) = self.expressions[root as usize] else { return None };
        let is_fixed = self.template.webs.n_definitions[web as usize] == 1;
        self.template.webs.parameters.iter().position(|&of| of == web).filter(|_| is_fixed)
    }

    fn intern(&mut self, expression: Expression) -> Root {
        if let Some(&root) = self.ids.get(&expression) {
            return root;
        }
        let mut webs = Vec::new();
        let mut add = |path: Path| {
            for &web in &self.webs[path.root as usize] {
                if !webs.contains(&web) {
                    webs.push(web);
                }
            }
        };
        match expression {
            Expression::Zero => {}
            Expression::Web(web) => webs.push(web),
            Expression::Index { base: a, index: b, .. }
            | Expression::Sum { a, b, .. }
            | Expression::Product { a, b, .. }
            | Expression::Masked { a, b } => {
                add(a);
                add(b);
            }
            Expression::Extended { of, .. } | Expression::Truncated { of, .. } => add(of),
            Expression::Load { address, .. } => add(address),
        }
        let root = self.expressions.len() as Root;
        self.expressions.push(expression);
        self.webs.push(webs);
        self.ids.insert(expression, root);
        root
    }

    fn path_of(&mut self, val: Val, pc: u32, depth: u32) -> Path {
        match val {
            // The address of a global is the sum of nothing and a number like any other.
            Val::Const(value) => Path { root: self.intern(Expression::Zero), offset: value as i64 },
            Val::Web(web) => {
                let defined = self.template.definition.get(web as usize).copied().flatten();
                let known = defined.filter(|_| depth < DEEPEST).and_then(|at| {
                    let path = self.expression(at, depth)?;
                    self.is_current(path.root, at, pc).then_some(path)
                });
                known.unwrap_or_else(|| Path { root: self.intern(Expression::Web(web)), offset: 0 })
            }
        }
    }

    /// Whether no web of the root with several definitions is defined from `at` up to `pc`.
    fn is_current(&self, root: Root, at: u32, pc: u32) -> bool {
        let webs = &self.template.webs;
        let mut several =
            self.webs[root as usize].iter().filter(|web| webs.n_definitions[**web as usize] > 1).peekable();
        if several.peek().is_none() {
            return true;
        }
        let cfg = &self.template.cfg;
        let several: Vec<Web> = several.copied().collect();
        at < pc
            && cfg.block_of(at) == cfg.block_of(pc)
            && (at..pc).all(|between| webs.defined_at(between).all(|web| !several.contains(&web)))
    }

    /// What the instruction computes; none if that has no name.
    fn expression(&mut self, at: u32, depth: u32) -> Option<Path> {
        let template = Rc::clone(&self.template);
        let val = |slot: Slot| template.val(self.function, at, slot);
        let number = |slot: Slot| match val(slot) {
            Val::Const(value) => Some(value as i64),
            Val::Web(_) => None,
        };
        let (expression, offset) = match self.function.code[at as usize] {
            Inst::Move { src, .. } => return Some(self.path_of(val(src), at, depth + 1)),
            Inst::Add { w: 64, a, b, .. } if number(b).is_some_and(|by| !looks_like_address(by as u64)) => {
                return Some(self.moved(val(a), at, number(b)?, depth));
            }
            Inst::Sub { w: 64, a, b, .. } if number(b).is_some() => {
                return Some(self.moved(val(a), at, number(b)?.wrapping_neg(), depth));
            }
            Inst::Index { scale, base, index, .. } if number(index).is_some() => {
                let by = number(index)?.wrapping_mul(i64::from(scale));
                return Some(self.moved(val(base), at, by, depth));
            }
            Inst::Index { scale, base, index, .. } => {
                let base = self.path_of(val(base), at, depth + 1);
                let index = self.path_of(val(index), at, depth + 1);
                // The offset of the base is that of the whole.
                (Expression::Index { base: Path { offset: 0, ..base }, index, scale }, base.offset)
            }
            Inst::SExt { from, to, a, .. } => {
                let of = self.path_of(val(a), at, depth + 1);
                (Expression::Extended { from, to, of }, 0)
            }
            Inst::Trunc { w, a, .. } => {
                let of = self.path_of(val(a), at, depth + 1);
                (Expression::Truncated { w, of }, 0)
            }
            Inst::Add { w, a, b, .. } => {
                let [a, b] = self.operands(at, a, b, depth);
                (Expression::Sum { w, a, b }, 0)
            }
            Inst::Mul { w, a, b, .. } => {
                let [a, b] = self.operands(at, a, b, depth);
                (Expression::Product { w, a, b }, 0)
            }
            Inst::And { a, b, .. } => {
                let [a, b] = self.operands(at, a, b, depth);
                (Expression::Masked { a, b }, 0)
            }
            Inst::Load { size, address, .. } if self.stable.contains(&Point { function: self.id, pc: at }) => {
                let address = self.path_of(val(address), at, depth + 1);
                (Expression::Load { size, address }, 0)
            }
            _ => return None,
        };
        Some(Path { root: self.intern(expression), offset })
    }

    fn moved(&mut self, val: Val, at: u32, by: i64, depth: u32) -> Path {
        let path = self.path_of(val, at, depth + 1);
        Path { offset: path.offset.wrapping_add(by), ..path }
    }

    fn operands(&mut self, at: u32, a: Slot, b: Slot, depth: u32) -> [Path; 2] {
        [a, b].map(|slot| {
            let val = self.template.val(self.function, at, slot);
            self.path_of(val, at, depth + 1)
        })
    }
}
