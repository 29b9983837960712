//! Inline assembly: compiler barriers, pauses and fences; anything else is refused when it is reached.

use super::function::FunctionLowering;
use super::{Result, Unsupported};
use crate::ffi::Value;
use gordian_ir::{Inst, Order, Slot};

enum Meaning {
    Nothing,
    Fence(Order),
    Unknown,
}

impl<'m> FunctionLowering<'_, 'm> {
    pub fn inline_asm(&mut self, instruction: Value<'m>, text: &str, constraints: &str) -> Result<()> {
        match meaning(text) {
            Meaning::Nothing => {}
            Meaning::Fence(order) => self.emit(Inst::Fence { order }),
            Meaning::Unknown => {
                // LLVM doubles every dollar that names no operand.
                return Err(Unsupported(format!("inline assembly {:?}", text.trim().replace("$$", "$"))));
            }
        }
        self.pass_through(instruction, constraints)
    }

    /// Moves the inputs that are tied to outputs; an output that is not keeps what its register held, which
    /// is as good as zero.
    fn pass_through(&mut self, instruction: Value<'m>, constraints: &str) -> Result<()> {
        let shape = self.module.shapes.of(instruction.ty());
        let parts = shape.check()?;
        if parts.is_empty() {
            return Ok(());
        }
        let ties = ties(constraints);
        let arguments = instruction.arguments();
        let mut sources = Vec::new();
        for (output, part) in parts.iter().enumerate() {
            let tied = ties.get(output).copied().flatten().and_then(|argument| arguments.get(argument));
            sources.push(match tied {
                Some(argument) if self.module.shapes.of(argument.ty()).n_slots == part.scalar.n_slots() => {
                    Some(self.operand(*argument)?)
                }
                _ => None,
            });
        }
        let zero = self.slots.constant(0);
        let dst = self.define(instruction);
        for (part, source) in parts.iter().zip(sources) {
            for half in 0..part.scalar.n_slots() {
                let src = source.map_or(zero, |source| Slot(source.0 + half));
                self.emit(Inst::Move { dst: Slot(dst.0 + part.slot + half), src });
            }
        }
        Ok(())
    }
}

fn meaning(text: &str) -> Meaning {
    let mut words = Vec::new();
    for line in text.lines() {
        let code = line.split('#').next().unwrap_or("");
        let code = code.split("//").next().unwrap_or("");
        words.extend(code.split([';', ' ', '\t', ',']).filter(|word| !word.is_empty()).map(str::to_ascii_lowercase));
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] | ["pause" | "nop" | "yield"] | ["rep", "nop"] => Meaning::Nothing,
        ["mfence"] => Meaning::Fence(Order::SeqCst),
        ["lfence"] => Meaning::Fence(Order::Acquire),
        ["sfence"] => Meaning::Fence(Order::Release),
        // A locked operation that changes nothing, as the kernel and others write a full fence.
        ["lock", "addl" | "addq" | "orl" | "orq", "$$0" | "$$0x0", place]
            if place.ends_with("(%rsp)") || place.ends_with("(%esp)") =>
        {
            Meaning::Fence(Order::SeqCst)
        }
        _ => Meaning::Unknown,
    }
}

/// For each output that is a result, the argument that is tied to it.
fn ties(constraints: &str) -> Vec<Option<usize>> {
    let mut results = Vec::new();
    let mut outputs = Vec::new();
    let mut n_arguments = 0;
    for constraint in constraints.split(',') {
        if let Some(output) = constraint.strip_prefix('=') {
            if output.trim_start_matches('&').starts_with('*') {
                outputs.push(None);
                n_arguments += 1;
            } else {
                outputs.push(Some(results.len()));
                results.push(None);
            }
        } else if !constraint.starts_with('~') && !constraint.starts_with('!') {
            let tied = constraint.parse::<usize>().ok().and_then(|output| outputs.get(output).copied().flatten());
            if let Some(result) = tied {
                results[result] = Some(n_arguments);
            }
            n_arguments += 1;
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_name_the_arguments() {
        assert_eq!(ties("=r,0,~{dirflag}"), [Some(0)]);
        assert_eq!(ties("=*m,=r,=r,r,2,1,~{memory}"), [Some(3), Some(2)]);
        assert_eq!(ties("~{memory}"), []);
        assert_eq!(ties("=r,r"), [None]);
    }

    #[test]
    fn fences_and_pauses_are_known() {
        let is_nothing = |text| matches!(meaning(text), Meaning::Nothing);
        let is_fence = |text| matches!(meaning(text), Meaning::Fence(Order::SeqCst));
        assert!(
            is_nothing("") && is_nothing(" # only a comment\n") && is_nothing("rep; nop") && is_nothing("pause\n\t")
        );
        assert!(is_fence("mfence") && is_fence("lock; addl $$0,0(%rsp)") && is_fence("lock addl $$0, -4(%rsp)"));
        assert!(matches!(meaning("xchg %eax, %ebx"), Meaning::Unknown));
    }
}
