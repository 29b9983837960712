//! Virtual time: it goes on by itself a little whenever it is asked for, so that loops that wait end.

use super::calendar::{self, Tm};
use super::call::shared_argument;
use super::statics::{Static, wants_static};
use super::{Call, Model};
use crate::fault::Fault;
use crate::files::errno::{EINVAL, EOVERFLOW};
use crate::interp::Flow;
use crate::memory::Mode;
use crate::setup::{START_OF_TIME, process};
use gordian_trace::{Hidden, OpKind, Wants};

/// CLOCK_THREAD_CPUTIME_ID
pub const THREAD_TIME: i32 = 3;
const SECOND: u64 = 1_000_000_000;
/// What a look at the clock takes.
const LOOK: u64 = 1000;
const TM_SIZE: u64 = 56;
const TM_ZONE: u64 = 48;
const TEXT_SIZE: u64 = 64;
/// What C promises to need of it in `asctime_r` and `ctime_r`.
const SHORT_TEXT_SIZE: u64 = 26;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "time" => Model::visible(
            |call| {
                let (place, now) = (call.arg(0), look(call));
                if place != 0 {
                    call.write_word(place, 8, now / SECOND)?;
                }
                call.result(now / SECOND)
            },
            wants_clock,
        ),
        "clock" => Model::visible(
            |call| {
                let now = look(call);
                call.result((now - START_OF_TIME) / 1000)
            },
            wants_clock,
        ),
        "times" => Model::visible(
            |call| {
                let (place, now) = (call.arg(0), look(call));
                let ticks = (now - START_OF_TIME) / (SECOND / 100);
                if place != 0 {
                    call.write_word(place, 8, ticks)?;
                    call.write(place + 8, &[0; 24])?;
                }
                call.result(ticks)
            },
            wants_clock,
        ),
        "gettimeofday" => Model::visible(
            |call| {
                let (place, now) = (call.arg(0), look(call));
                if place != 0 {
                    write_pair(call, place, now / SECOND, now % SECOND / 1000)?;
                }
                call.result_int(0)
            },
            wants_clock,
        ),
        "clock_gettime" => Model::visible(
            |call| {
                let (clock, place, now) = (call.int(0), call.arg(1), look(call));
                match clock {
                    // Those of processor time.
                    2 | 3 => write_pair(call, place, (now - START_OF_TIME) / SECOND, now % SECOND)?,
                    0..=11 => write_pair(call, place, now / SECOND, now % SECOND)?,
                    _ => return call.error(EINVAL, u64::from(u32::MAX)),
                }
                call.result_int(0)
            },
            wants_clock,
        ),
        "clock_getres" => Model::touching(|call| {
            let (clock, place) = (call.int(0), call.arg(1));
            if !is_clock(clock) {
                return call.error(EINVAL, u64::from(u32::MAX));
            }
            if place != 0 {
                write_pair(call, place, 0, 1)?;
            }
            call.result_int(0)
        }),
        "timespec_get" => Model::visible(
            |call| {
                let (place, base, now) = (call.arg(0), call.int(1), look(call));
                if base != 1 {
                    return call.result_int(0);
                }
                write_pair(call, place, now / SECOND, now % SECOND)?;
                call.result_int(1)
            },
            wants_clock,
        ),
        "difftime" => Model::plain(|call| {
            let difference = (call.arg(0) as i64 as f64) - (call.arg(1) as i64 as f64);
            call.result(difference.to_bits())
        }),
        "gmtime" | "localtime" => Model::visible(
            |call| {
                let place = call.machine.static_object(Static::Time, TM_SIZE, Mode::Shared);
                break_down(call, place)
            },
            wants_time,
        ),
        "gmtime_r" | "localtime_r" => Model::touching(|call| {
            let place = call.arg(1);
            break_down(call, place)
        }),
        "mktime" | "timegm" | "timelocal" => Model::touching(|call| {
            let place = call.arg(0);
            let seconds = read_tm(call, place)?.to_seconds();
            let Some(tm) = Tm::from_seconds(seconds) else { return call.error(EOVERFLOW, u64::MAX) };
            let utc = call.name() != "timegm";
            write_tm(call, place, &tm, utc)?;
            call.result(seconds as u64)
        }),
        "asctime" => Model::visible(
            |call| {
                let source = call.arg(0);
                let tm = read_tm(call, source)?;
                let place = call.machine.static_object(Static::TimeText, TEXT_SIZE, Mode::Shared);
                give_text(call, &tm, place, TEXT_SIZE)
            },
            wants_text,
        ),
        "ctime" => Model::visible(
            |call| {
                // As if by `localtime`, whose result it overwrites.
                let source = call.arg(0);
                if let Some(tm) = Tm::from_seconds(call.read_word(source, 8)? as i64) {
                    let place = call.machine.static_object(Static::Time, TM_SIZE, Mode::Shared);
                    write_tm(call, place, &tm, true)?;
                }
                let place = call.machine.static_object(Static::TimeText, TEXT_SIZE, Mode::Shared);
                give_time(call, place, TEXT_SIZE)
            },
            wants_text,
        ),
        "asctime_r" => Model::touching(|call| {
            let (source, place) = (call.arg(0), call.arg(1));
            let tm = read_tm(call, source)?;
            give_text(call, &tm, place, SHORT_TEXT_SIZE)
        }),
        "ctime_r" => Model::touching(|call| {
            let place = call.arg(1);
            give_time(call, place, SHORT_TEXT_SIZE)
        }),
        "strftime" | "strftime_l" => Model::visible(strftime, wants_strftime),
        _ => return None,
    })
}

/// Whether Linux has a clock of this number.
pub fn is_clock(clock: i32) -> bool {
    matches!(clock, 0..=9 | 11)
}

fn wants_time(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    wants_static(call, Static::Time, TM_SIZE)
}

fn wants_text(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    wants_static(call, Static::TimeText, TEXT_SIZE)
}

/// Who looks at the clock moves it on.
fn wants_clock(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    Ok(call.machine.accesses_are_visible().then(|| call.wants(OpKind::Change, Hidden::Clock.address(), 0)))
}

/// The time in nanoseconds since 1970.
pub fn look(call: &mut Call<'_, '_>) -> u64 {
    if call.machine.accesses_are_visible() {
        call.machine.change_hidden(call.thread, Hidden::Clock);
    }
    let now = call.machine.get_process(process::TIME);
    call.machine.set_process(process::TIME, now.saturating_add(LOOK));
    now
}

fn write_pair(call: &mut Call<'_, '_>, place: u64, first: u64, second: u64) -> Result<(), Fault> {
    let bytes = [first.to_le_bytes(), second.to_le_bytes()].concat();
    call.write(place, &bytes)
}

fn read_tm(call: &mut Call<'_, '_>, place: u64) -> Result<Tm, Fault> {
    let bytes = call.read(place, 36)?;
    let field = |n: usize| i32::from_le_bytes(bytes[4 * n..4 * n + 4].try_into().expect("four bytes"));
    Ok(Tm {
        sec: field(0),
        min: field(1),
        hour: field(2),
        mday: field(3),
        mon: field(4),
        year: field(5),
        wday: field(6),
        yday: field(7),
        isdst: field(8),
    })
}

fn write_tm(call: &mut Call<'_, '_>, place: u64, tm: &Tm, utc: bool) -> Result<(), Fault> {
    let (which, name) = if utc { (Static::Utc, "UTC") } else { (Static::Gmt, "GMT") };
    let zone = call.machine.static_text(which, name);
    let fields = [tm.sec, tm.min, tm.hour, tm.mday, tm.mon, tm.year, tm.wday, tm.yday, tm.isdst, 0];
    let mut bytes: Vec<u8> = fields.iter().flat_map(|field| field.to_le_bytes()).collect();
    bytes.extend([0; 8]);
    bytes.extend(zone.to_le_bytes());
    call.write(place, &bytes)
}

fn break_down(call: &mut Call<'_, '_>, place: u64) -> Result<Flow, Fault> {
    let source = call.arg(0);
    let seconds = call.read_word(source, 8)? as i64;
    let Some(tm) = Tm::from_seconds(seconds) else { return call.error(EOVERFLOW, 0) };
    let utc = call.name().starts_with("local");
    write_tm(call, place, &tm, utc)?;
    call.result(place)
}

fn give_text(call: &mut Call<'_, '_>, tm: &Tm, place: u64, size: u64) -> Result<Flow, Fault> {
    let mut text = tm.text().into_bytes();
    text.push(0);
    if text.len() as u64 > size || tm.year > i32::MAX - 1900 {
        return call.error(EOVERFLOW, 0);
    }
    call.write(place, &text)?;
    call.result(place)
}

fn give_time(call: &mut Call<'_, '_>, place: u64, size: u64) -> Result<Flow, Fault> {
    let source = call.arg(0);
    let seconds = call.read_word(source, 8)? as i64;
    match Tm::from_seconds(seconds) {
        Some(tm) => give_text(call, &tm, place, size),
        None => call.error(EOVERFLOW, 0),
    }
}

/// It reads the memory that it is given, and the name of the zone that the time points to.
fn wants_strftime(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    if let Some(wants) = shared_argument(call)? {
        return Ok(Some(wants));
    }
    // From here on nobody else can change the time itself.
    let place = call.arg(3).wrapping_add(TM_ZONE);
    if !call.machine.accesses_are_visible() || call.machine.memory.check(place, 8, false).is_err() {
        return Ok(None);
    }
    let zone = call.machine.memory.load(place, 8);
    Ok(call.wants_shared(zone))
}

fn strftime(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (target, size, format, source) = (call.arg(0), call.arg(1), call.arg(2), call.arg(3));
    let format = call.string(format)?;
    let tm = read_tm(call, source)?;
    let zone = match calendar::names_zone(&format) {
        true => match call.read_word(source + TM_ZONE, 8)? {
            // The name of the zone that `tzset` chooses.
            0 if tm.isdst >= 0 => "UTC".to_owned(),
            0 => String::new(),
            zone => call.text(zone)?,
        },
        false => String::new(),
    };
    let mut text = calendar::format(&format, &tm, &zone);
    let len = text.len() as u64;
    if len >= size {
        return call.result(0);
    }
    text.push(0);
    call.write(target, &text)?;
    call.result(len)
}
