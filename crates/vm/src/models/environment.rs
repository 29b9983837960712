//! The environment. It lives in memory, as the program sees it through `environ`.

use super::stdio::wants_environment;
use super::{Call, Model};
use crate::fault::Fault;
use crate::files::errno::EINVAL;
use crate::files::key;
use crate::interp::Flow;
use crate::setup::process;
use gordian_ir::address;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "getenv" | "secure_getenv" | "__secure_getenv" => Model::visible(getenv, wants_environment),
        "setenv" => Model::visible(setenv, wants_environment),
        "putenv" => Model::visible(putenv, wants_environment),
        "unsetenv" => Model::visible(unsetenv, wants_environment),
        "clearenv" => Model::visible(
            |call| {
                // There is no array afterwards, not even an empty one.
                call.on_file(Some(key::ENVIRONMENT), |call| set_array(call, 0))?;
                call.result_int(0)
            },
            wants_environment,
        ),
        _ => return None,
    })
}

/// The array: where the program's `environ` points, if it has one.
fn array(call: &mut Call<'_, '_>) -> Result<u64, Fault> {
    match variable(call) {
        Some(place) => call.read_word(place, 8),
        None => Ok(call.machine.get_process(process::ENVIRON)),
    }
}

fn variable(call: &Call<'_, '_>) -> Option<u64> {
    let known = ["environ", "__environ", "_environ"];
    let globals = &call.machine.program.globals;
    let found = globals.enumerate().find(|(_, global)| global.external && known.contains(&global.name.as_str()));
    found.map(|(id, _)| address::of_global(id))
}

fn entries(call: &mut Call<'_, '_>) -> Result<Vec<u64>, Fault> {
    let mut entries = Vec::new();
    let mut place = array(call)?;
    while place != 0 {
        match call.read_word(place, 8)? {
            0 => break,
            entry => entries.push(entry),
        }
        place += 8;
    }
    Ok(entries)
}

fn set_entries(call: &mut Call<'_, '_>, entries: &[u64]) -> Result<(), Fault> {
    let place = call.machine.new_shared(call.thread, 8 * entries.len() as u64 + 8)?;
    for (n, &entry) in entries.iter().enumerate() {
        call.machine.memory.store(place + 8 * n as u64, 8, entry);
    }
    set_array(call, place)
}

fn set_array(call: &mut Call<'_, '_>, place: u64) -> Result<(), Fault> {
    call.machine.set_process(process::ENVIRON, place);
    if let Some(variable) = variable(call) {
        call.write_word(variable, 8, place)?;
    }
    Ok(())
}

/// Whether the entry is `name=…`. It is read up to the first byte that differs.
fn is_named(call: &mut Call<'_, '_>, entry: u64, name: &[u8]) -> Result<bool, Fault> {
    let object = call.machine.memory.check(entry, 1, false)?;
    let rest = u64::from(object.size) - address::offset(entry);
    let wanted = name.iter().chain(b"=");
    let is_same = |(byte, wanted): &(&u8, &u8)| byte == wanted;
    let n_same = call.machine.memory.view(entry, rest).iter().zip(wanted).take_while(is_same).count() as u64;
    call.read(entry, rest.min(n_same + 1).min(name.len() as u64 + 1))?;
    Ok(n_same > name.len() as u64)
}

fn position(call: &mut Call<'_, '_>, entries: &[u64], name: &[u8]) -> Result<Option<usize>, Fault> {
    for (n, &entry) in entries.iter().enumerate() {
        if is_named(call, entry, name)? {
            return Ok(Some(n));
        }
    }
    Ok(None)
}

fn getenv(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let name = call.arg(0);
    let name = call.string(name)?;
    let found = call.on_file(Some(key::ENVIRONMENT), |call| {
        let entries = entries(call)?;
        Ok(position(call, &entries, &name)?.map(|n| entries[n] + name.len() as u64 + 1))
    })?;
    call.result(found.unwrap_or(0))
}

fn setenv(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (name, value, overwrite) = (call.arg(0), call.arg(1), call.int(2) != 0);
    let (name, value) = (call.string(name)?, call.string(value)?);
    if name.is_empty() || name.contains(&b'=') {
        return call.error(EINVAL, u64::from(u32::MAX));
    }
    call.on_file(Some(key::ENVIRONMENT), |call| {
        let mut entries = entries(call)?;
        let known = position(call, &entries, &name)?;
        if known.is_some() && !overwrite {
            return Ok(());
        }
        let text = [&name[..], b"=", &value, b"\0"].concat();
        let place = call.machine.new_shared(call.thread, text.len() as u64)?;
        call.machine.memory.store_bytes(place, &text);
        match known {
            Some(n) => entries[n] = place,
            None => entries.push(place),
        }
        set_entries(call, &entries)
    })?;
    call.result_int(0)
}

fn putenv(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let place = call.arg(0);
    let text = call.string(place)?;
    let name = text.split(|&byte| byte == b'=').next().unwrap_or_default().to_vec();
    let whole = name.len() < text.len();
    call.on_file(Some(key::ENVIRONMENT), |call| {
        let mut entries = entries(call)?;
        match (position(call, &entries, &name)?, whole) {
            (Some(n), true) => entries[n] = place,
            (None, true) => entries.push(place),
            (Some(n), false) => drop(entries.remove(n)),
            (None, false) => {}
        }
        // The string is now everybody's.
        call.machine.publish(call.thread, place);
        set_entries(call, &entries)
    })?;
    call.result_int(0)
}

fn unsetenv(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let name = call.arg(0);
    let name = call.string(name)?;
    if name.is_empty() || name.contains(&b'=') {
        return call.error(EINVAL, u64::from(u32::MAX));
    }
    call.on_file(Some(key::ENVIRONMENT), |call| {
        let mut entries = entries(call)?;
        while let Some(n) = position(call, &entries, &name)? {
            entries.remove(n);
        }
        set_entries(call, &entries)
    })?;
    call.result_int(0)
}
