//! `rand` and its family, with the numbers of glibc.

use super::{Call, Model};
use crate::fault::Fault;
use crate::interp::Flow;
use crate::setup::process;
use gordian_base::{Id, Rng};
use gordian_trace::{OpKind, Wants};

/// The additive feedback generator of glibc (TYPE_3): words of its state, and how far apart the two taps are.
const DEGREE: u64 = 31;
const SEPARATION: u64 = 3;
/// In the hidden process object.
const STATE: u64 = process::RANDOM;
const FRONT: u64 = STATE + 4 * DEGREE;
const SEEDED: u64 = FRONT + 4;
/// The linear congruential generator of `drand48`: its state, and whether it was set.
const STATE_48: u64 = process::RANDOM + 192;
const MASK_48: u64 = (1 << 48) - 1;
const FACTOR_48: u64 = 0x5_deec_e66d;
const ADDEND_48: u64 = 0xb;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "rand" => Model::visible(
            |call| {
                let value = random(call);
                call.result_int(value as i32)
            },
            wants,
        ),
        "random" => Model::visible(
            |call| {
                let value = random(call);
                call.result(u64::from(value))
            },
            wants,
        ),
        "srand" | "srandom" => Model::visible(
            |call| {
                note(call);
                let seed = call.arg(0) as u32;
                start(call, seed);
                Ok(Flow::Next)
            },
            wants,
        ),
        "drand48" => Model::visible(
            |call| {
                let state = next_48(call);
                give_unit(call, state)
            },
            wants,
        ),
        "lrand48" => Model::visible(
            |call| {
                let state = next_48(call);
                call.result(state >> 17)
            },
            wants,
        ),
        "mrand48" => Model::visible(
            |call| {
                let state = next_48(call);
                call.result((state >> 16) as u32 as i32 as i64 as u64)
            },
            wants,
        ),
        "srand48" => Model::visible(
            |call| {
                note(call);
                let state = u64::from(call.arg(0) as u32) << 16 | 0x330e;
                set(call, STATE_48, 8, state | 1 << 48);
                Ok(Flow::Next)
            },
            wants,
        ),
        "erand48" => Model::touching(|call| {
            let state = own_48(call)?;
            give_unit(call, state)
        }),
        "nrand48" => Model::touching(|call| {
            let state = own_48(call)?;
            call.result(state >> 17)
        }),
        "jrand48" => Model::touching(|call| {
            let state = own_48(call)?;
            call.result((state >> 16) as u32 as i32 as i64 as u64)
        }),
        "getrandom" => Model::touching(|call| {
            let (place, len) = (call.arg(0), call.arg(1).min(1 << 25));
            let bytes = seeded_bytes(call, len);
            call.write(place, &bytes)?;
            call.result(len)
        }),
        "getentropy" => Model::touching(|call| {
            let (place, len) = (call.arg(0), call.arg(1));
            if len > 256 {
                return call.error(crate::files::errno::EIO, u64::from(u32::MAX));
            }
            let bytes = seeded_bytes(call, len);
            call.write(place, &bytes)?;
            call.result_int(0)
        }),
        "arc4random" => Model::plain(|call| {
            let bytes = seeded_bytes(call, 4);
            call.result(u64::from(u32::from_le_bytes(bytes.try_into().expect("four bytes"))))
        }),
        "arc4random_uniform" => Model::plain(|call| {
            let bound = u64::from(call.arg(0) as u32);
            let bytes = seeded_bytes(call, 4);
            let value = u64::from(u32::from_le_bytes(bytes.try_into().expect("four bytes")));
            call.result((value * bound) >> 32)
        }),
        _ => return None,
    })
}

fn wants(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    Ok(call.machine.accesses_are_visible().then(|| call.wants(OpKind::Random, 0, 0)))
}

/// All threads draw from one generator, which glibc guards with a lock.
fn note(call: &mut Call<'_, '_>) {
    if call.machine.accesses_are_visible() {
        call.event(OpKind::Random, 0, 0, 0, 0);
    }
}

fn get(call: &Call<'_, '_>, offset: u64, size: u8) -> u64 {
    call.machine.memory.load(call.machine.process + offset, size)
}

fn set(call: &mut Call<'_, '_>, offset: u64, size: u8, value: u64) {
    let place = call.machine.process + offset;
    call.machine.memory.store(place, size, value);
}

fn start(call: &mut Call<'_, '_>, seed: u32) {
    let mut word = i64::from(if seed == 0 { 1 } else { seed as i32 });
    set(call, STATE, 4, word as u32 as u64);
    for n in 1..DEGREE {
        // 16807 * word modulo 2^31 - 1, without overflow of an `int`.
        let (high, low) = (word / 127_773, word % 127_773);
        word = 16_807 * low - 2836 * high;
        if word < 0 {
            word += 2_147_483_647;
        }
        set(call, STATE + 4 * n, 4, word as u32 as u64);
    }
    set(call, FRONT, 4, SEPARATION);
    set(call, SEEDED, 4, 1);
    for _ in 0..10 * DEGREE {
        step(call);
    }
}

fn step(call: &mut Call<'_, '_>) -> u32 {
    let front = get(call, FRONT, 4);
    let rear = (front + DEGREE - SEPARATION) % DEGREE;
    let sum = (get(call, STATE + 4 * front, 4) as u32).wrapping_add(get(call, STATE + 4 * rear, 4) as u32);
    set(call, STATE + 4 * front, 4, u64::from(sum));
    set(call, FRONT, 4, (front + 1) % DEGREE);
    sum >> 1
}

fn random(call: &mut Call<'_, '_>) -> u32 {
    note(call);
    if get(call, SEEDED, 4) == 0 {
        start(call, 1);
    }
    step(call)
}

fn advance_48(state: u64) -> u64 {
    state.wrapping_mul(FACTOR_48).wrapping_add(ADDEND_48) & MASK_48
}

fn next_48(call: &mut Call<'_, '_>) -> u64 {
    note(call);
    let state = advance_48(get(call, STATE_48, 8) & MASK_48);
    set(call, STATE_48, 8, state | 1 << 48);
    state
}

/// The caller keeps the state: three `short`s.
fn own_48(call: &mut Call<'_, '_>) -> Result<u64, Fault> {
    let place = call.arg(0);
    let state = advance_48(call.read_word(place, 6)?);
    call.write_word(place, 6, state)?;
    Ok(state)
}

fn give_unit(call: &mut Call<'_, '_>, state: u64) -> Result<Flow, Fault> {
    let value = state as f64 / (1u64 << 48) as f64;
    call.result(value.to_bits())
}

/// Bytes that the machine's seed decides, other ones each time: named by thread and count, so that the
/// interleaving does not matter.
pub fn seeded_bytes(call: &mut Call<'_, '_>, len: u64) -> Vec<u8> {
    let core = &mut call.machine.threads[call.thread.index()].core;
    let nth = core.next_heap;
    // The count of allocations names the draw, so each draw counts as one.
    core.next_heap += 1;
    // The next one is another: who draws again does not repeat itself.
    call.machine.memory.changes += 1;
    let purpose = 1 << 63 | u64::from(call.thread.0) << 32 | u64::from(nth);
    let mut rng = Rng::stream(call.machine.settings.seed, purpose);
    let mut bytes: Vec<u8> = (0..len.div_ceil(8)).flat_map(|_| rng.next_u64().to_le_bytes()).collect();
    bytes.truncate(len as usize);
    bytes
}
