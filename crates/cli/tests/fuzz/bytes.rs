//! Mutations that know nothing of what the bytes mean.

use gordian_base::Rng;

/// One of the corpus, changed in one to four ways.
pub fn mutate(rng: &mut Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = corpus[rng.below(corpus.len())].clone();
    for _ in 0..=rng.below(4) {
        change(rng, &mut bytes, corpus);
    }
    bytes
}

fn change(rng: &mut Rng, bytes: &mut Vec<u8>, corpus: &[Vec<u8>]) {
    // The first bytes say what kind of file it is: without them nothing reads on.
    if bytes.len() < 16 {
        return;
    }
    let at = 4 + rng.below(bytes.len() - 8);
    let len = 1 + rng.below(64.min(bytes.len() - at));
    match rng.below(9) {
        0..3 => bytes[at] ^= 1 << rng.below(8),
        3 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][rng.below(5)],
        4 => {
            // A number of four bytes, a little larger or smaller.
            let at = at & !3;
            let number = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
            let by = rng.below(33) as u32;
            bytes[at..at + 4].copy_from_slice(&number.wrapping_add(by).wrapping_sub(16).to_le_bytes());
        }
        5 => {
            let block = bytes[at..at + len].to_vec();
            bytes.splice(at..at, block);
        }
        6 => drop(bytes.drain(at..at + len)),
        7 => {
            let other = &corpus[rng.below(corpus.len())];
            let from = rng.below(other.len());
            let piece = &other[from..(from + len).min(other.len())];
            let end = (at + piece.len()).min(bytes.len());
            bytes.splice(at..end, piece.iter().copied());
        }
        _ => {
            if rng.below(4) == 0 {
                bytes.truncate(at);
            }
        }
    }
}
