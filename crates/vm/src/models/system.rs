//! The rest: what the system is called, messages on stderr, and functions that do nothing here.

use super::args::shared_in_list;
use super::print::formatted;
use super::stdio::wants_stderr;
use super::{Call, Model};
use crate::fault::Fault;
use crate::interp::Flow;
use gordian_ir::address;

/// Length of each text in `struct utsname`.
const UTS_LENGTH: usize = 65;
const PR_SET_NAME: i32 = 15;
const LONGEST_NAME: u64 = 15;
/// What the kernel knows of a set of processors.
const MOST_PROCESSOR_BYTES: u64 = 128;

/// Functions that print a message to `stderr`.
pub const MESSAGES: [&str; 9] = ["warn", "warnx", "vwarn", "vwarnx", "err", "errx", "verr", "verrx", "error"];

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "gethostname" => Model::touching(|call| {
            let (place, len) = (call.arg(0), call.arg(1));
            let name = b"gordian\0";
            if len < name.len() as u64 {
                return call.error(crate::files::errno::EINVAL, u64::from(u32::MAX));
            }
            call.write(place, name)?;
            call.result_int(0)
        }),
        "uname" => Model::touching(|call| {
            let place = call.arg(0);
            let mut names = Vec::new();
            for text in ["Linux", "gordian", "6.1.0", "#1 SMP", "x86_64", "(none)"] {
                let mut field = text.as_bytes().to_vec();
                field.resize(UTS_LENGTH, 0);
                names.extend(field);
            }
            call.write(place, &names)?;
            call.result_int(0)
        }),
        "getrusage" => Model::touching(|call| {
            let place = call.arg(1);
            call.write(place, &[0; 144])?;
            call.result_int(0)
        }),
        "prctl" => Model::touching(|call| match call.int(0) {
            // A thread's name is for debuggers.
            PR_SET_NAME => {
                let name = call.variadic(0).unwrap_or_else(|| call.arg(1));
                read_name(call, name)?;
                call.result_int(0)
            }
            option => Err(Fault::Unsupported(format!("`prctl` with option {option}"))),
        }),
        "sched_setaffinity" | "pthread_setaffinity_np" => Model::touching(|call| {
            let (size, place) = (call.arg(1), call.arg(2));
            // The kernel copies what it knows of a set.
            call.read(place, size.min(MOST_PROCESSOR_BYTES))?;
            call.result_int(0)
        }),
        "sched_getaffinity" | "pthread_getaffinity_np" => Model::touching(|call| {
            let (size, place) = (call.arg(1), call.arg(2));
            // As many processors as `sysconf` tells.
            let mut processors = vec![0; size.min(MOST_PROCESSOR_BYTES) as usize];
            if let Some(first) = processors.first_mut() {
                *first = 0b11;
            }
            call.write(place, &processors)?;
            call.result_int(0)
        }),
        "getloadavg" => Model::plain(|call| call.result_int(-1)),
        "backtrace" => Model::plain(|call| call.result_int(0)),
        "backtrace_symbols" | "getlogin" | "ttyname" => Model::plain(|call| call.result(0)),
        "openlog" | "closelog" | "backtrace_symbols_fd" => Model::plain(|_| Ok(Flow::Next)),
        // Nobody reads the log, but what is written to it is read.
        "syslog" | "__syslog_chk" => Model::touching(|call| formatted(call, false).map(|_| Flow::Next)),
        "vsyslog" => Model::visible(|call| formatted(call, true).map(|_| Flow::Next), shared_in_list),
        "setlogmask" => Model::plain(|call| call.result_int(0xff)),
        // There is no shell.
        "system" => Model::plain(|call| match call.arg(0) {
            0 => call.result_int(0),
            _ => Err(Fault::Unsupported("other programs (`system`)".to_owned())),
        }),
        "warn" => Model::visible(|call| warn(call, false, true), wants_stderr),
        "warnx" => Model::visible(|call| warn(call, false, false), wants_stderr),
        "vwarn" => Model::visible(|call| warn(call, true, true), wants_stderr),
        "vwarnx" => Model::visible(|call| warn(call, true, false), wants_stderr),
        "err" => Model::visible(|call| fail(call, false, true), wants_stderr),
        "errx" => Model::visible(|call| fail(call, false, false), wants_stderr),
        "verr" => Model::visible(|call| fail(call, true, true), wants_stderr),
        "verrx" => Model::visible(|call| fail(call, true, false), wants_stderr),
        "error" => Model::visible(error, wants_stderr),
        _ => return None,
    })
}

/// The kernel reads a thread's name up to its end, and no more than it has room for.
fn read_name(call: &mut Call<'_, '_>, name: u64) -> Result<(), Fault> {
    let object = call.machine.memory.check(name, 1, false)?;
    let rest = u64::from(object.size) - address::offset(name);
    let text = call.machine.memory.view(name, rest.min(LONGEST_NAME));
    let len = text.iter().position(|&byte| byte == 0).map_or(LONGEST_NAME, |end| end as u64 + 1);
    call.read(name, len).map(drop)
}

/// As `strerror` has it.
pub fn error_text(errno: i32) -> String {
    let text = std::io::Error::from_raw_os_error(errno).to_string();
    let suffix = format!(" (os error {errno})");
    text.strip_suffix(&suffix).unwrap_or(&text).to_owned()
}

fn program_name(call: &mut Call<'_, '_>) -> Result<String, Fault> {
    let name = call.machine.memory.load(call.machine.argv, 8);
    call.text(name)
}

/// `program: message: what the error means`
fn warn(call: &mut Call<'_, '_>, list: bool, with_errno: bool) -> Result<Flow, Fault> {
    let errno = if with_errno { call.errno() } else { 0 };
    let format = call.arg(call.n_args() - 1 - usize::from(list));
    let name = program_name(call)?;
    put_on_stderr(call, |call| {
        let mut line = name.into_bytes();
        line.extend_from_slice(b": ");
        if format != 0 {
            line.extend(formatted(call, list)?.unwrap_or_default());
            line.extend_from_slice(if with_errno { b": " } else { b"" });
        }
        if with_errno {
            line.extend(error_text(errno).into_bytes());
        }
        line.push(b'\n');
        Ok(line)
    })
}

/// Writes a message to the stream `stderr`, wherever that leads by now.
fn put_on_stderr(
    call: &mut Call<'_, '_>,
    message: impl FnOnce(&mut Call<'_, '_>) -> Result<Vec<u8>, Fault>,
) -> Result<Flow, Fault> {
    let stream = call.machine.stream_address(2);
    call.on_stream(stream, |call, stream| {
        let line = message(call)?;
        call.put(stream, &line)
    })?;
    Ok(Flow::Next)
}

fn fail(call: &mut Call<'_, '_>, list: bool, with_errno: bool) -> Result<Flow, Fault> {
    let status = call.int(0);
    warn(call, list, with_errno)?;
    exit(call, status)
}

/// The process ends, when others can have the stream again.
fn exit(call: &mut Call<'_, '_>, status: i32) -> Result<Flow, Fault> {
    call.give_up_lock();
    call.machine.begin_exit(call.thread, status)
}

fn error(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (status, errno) = (call.int(0), call.int(1));
    let name = program_name(call)?;
    put_on_stderr(call, |call| {
        let mut line = name.into_bytes();
        line.extend_from_slice(b": ");
        line.extend(formatted(call, false)?.unwrap_or_default());
        if errno != 0 {
            line.extend(format!(": {}", error_text(errno)).into_bytes());
        }
        line.push(b'\n');
        Ok(line)
    })?;
    if status == 0 { Ok(Flow::Next) } else { exit(call, status) }
}
