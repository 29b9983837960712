//! Objects of the C library that the program gets pointers to: buffers of `localtime` and the like.

use super::Call;
use crate::fault::Fault;
use crate::machine::Machine;
use crate::memory::{Kind, Mode};
use gordian_ir::address;
use gordian_trace::{OpKind, Wants};

#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub enum Static {
    /// `struct tm` of `gmtime` and `localtime`.
    Time,
    /// The text of `asctime` and `ctime`.
    TimeText,
    Gmt,
    Utc,
    /// The name of the locale.
    C,
    Empty,
    Ascii,
    Point,
    Lconv,
}

/// Behind the standard streams, before the arguments (see `setup`).
const FIRST: u32 = 16;

impl Machine<'_> {
    /// Its object, made when first asked for, so that going back covers it.
    pub(crate) fn static_object(&mut self, which: Static, size: u64, mode: Mode) -> u64 {
        let index = self.program.globals.len() as u32 + 8 + FIRST + which as u32;
        let place = address::make(address::GLOBAL_SPACE, index, 0);
        if self.memory.object(place).is_none_or(|object| object.mode == Mode::Absent) {
            self.memory.allocate(place, size, Kind::Hidden, mode, 0);
        }
        place
    }

    /// A string that never changes.
    pub(crate) fn static_text(&mut self, which: Static, text: &str) -> u64 {
        let place = self.static_object(which, text.len() as u64 + 1, Mode::Constant);
        self.memory.store_bytes(place, text.as_bytes());
        place
    }
}

/// The pending operation of a function that overwrites a buffer of the library's: two threads that do so race.
pub fn wants_static(call: &mut Call<'_, '_>, which: Static, size: u64) -> Result<Option<Wants>, Fault> {
    let place = call.machine.static_object(which, size, Mode::Shared);
    Ok(call.machine.accesses_are_visible().then(|| call.wants(OpKind::Write, place, size as u32)))
}
