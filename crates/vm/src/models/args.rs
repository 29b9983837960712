//! The arguments behind a format: those of the call itself, or of a `va_list` in memory.

use super::Call;
use super::call::shared_argument;
use super::conversion::Use;
use crate::fault::Fault;
use gordian_ir::address;
use gordian_trace::Wants;

/// Offsets in a `va_list` of the x86-64 ABI. `va_start` of the machine says that no registers are left,
/// so every argument lies in the overflow area, eight bytes each.
const OVERFLOW_AREA: u64 = 8;

#[derive(Clone, Copy, Debug)]
pub enum Args {
    /// Those after the fixed ones.
    Direct,
    /// The address of the list.
    List(u64),
}

impl Args {
    /// The `n`th argument, from 0 on.
    pub fn word(self, call: &mut Call<'_, '_>, n: usize, of: Use) -> Result<u64, Fault> {
        match self {
            Args::Direct => {
                let Some(value) = call.variadic(n) else {
                    let name = call.name();
                    let what = format!("the format of `{name}` asks for more arguments than were passed");
                    return Err(Fault::Abort(what));
                };
                let term = call.machine.term(call.thread, call.site.variadic[n].slot);
                match term.filter(|_| of != Use::Printed) {
                    // Only if the format has changed since the arguments were decided.
                    Some(term) => call.decide_value(term),
                    None => Ok(value),
                }
            }
            Args::List(list) => {
                let area = call.read_word(list.wrapping_add(OVERFLOW_AREA), 8)?;
                let place = area.wrapping_add(8 * n as u64);
                if of == Use::Printed { call.read_word(place, 8) } else { call.read_decided(place, 8) }
            }
        }
    }

    /// `n` arguments were taken: a list now starts behind them.
    pub fn advance(self, call: &mut Call<'_, '_>, n: usize) -> Result<(), Fault> {
        if let Args::List(list) = self
            && n > 0
        {
            let area = call.read_word(list.wrapping_add(OVERFLOW_AREA), 8)?;
            call.write_word(list.wrapping_add(OVERFLOW_AREA), 8, area.wrapping_add(8 * n as u64))?;
        }
        Ok(())
    }
}

/// The pending operation of a function with a `va_list` as its last argument: memory behind the list counts as well.
pub fn shared_in_list(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    let direct = shared_argument(call)?;
    if direct.is_some() || !call.machine.accesses_are_visible() {
        return Ok(direct);
    }
    let list = call.arg(call.n_args().saturating_sub(1));
    if call.machine.memory.check(list, 24, false).is_err() {
        return Ok(None);
    }
    let area = call.machine.memory.load(list + OVERFLOW_AREA, 8);
    let Ok(object) = call.machine.memory.check(area, 0, false) else { return Ok(None) };
    let rest = u64::from(object.size) - address::offset(area);
    for n in 0..rest / 8 {
        let value = call.machine.memory.load(area + 8 * n, 8);
        if let Some(wants) = call.wants_shared(value) {
            return Ok(Some(wants));
        }
    }
    Ok(None)
}
