//! Makes bad inputs of good ones: bits flipped, ends cut off, pieces mixed, lengths that lie.

use mainspring_core::values::Chance;

/// Longer inputs find nothing that shorter ones do not.
pub const BYTES_MAX: usize = 64 * 1024;

/// Numbers at which arithmetic goes wrong.
const EDGES: [u64; 12] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0xffff_ffff_ffff_fffe,
    u64::MAX,
];

/// Texts at which readers of JSON, queries and times go wrong.
const WORDS: [&str; 24] = [
    "null",
    "true",
    "-1",
    "1e999",
    "18446744073709551615",
    "18446744073709551616",
    "0.5",
    "\"\"",
    "{}",
    "[]",
    "\\u0000",
    "\\ud800",
    "\u{feff}",
    "\u{202e}",
    "%00",
    "%ff",
    "&limit=0",
    "9999-12-31T23:59:59Z",
    "\"task_type\":\"http\",",
    "\"delay_ms\":18446744073709551615,",
    "[[[[[[[[",
    "{\"a\":{\"a\":{\"a\":",
    "-9223372036854775808",
    "P0",
];

/// A new input, from one or two of `corpus`.
pub fn mutated(corpus: &[Vec<u8>], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = pick(corpus, chance).to_vec();
    let rounds = 1 + chance.below(4);
    for _ in 0..rounds {
        once(&mut bytes, corpus, chance);
    }
    bytes.truncate(BYTES_MAX);
    bytes
}

fn pick<'a>(corpus: &'a [Vec<u8>], chance: &mut Chance) -> &'a [u8] {
    corpus.get(chance.below(corpus.len() as u64) as usize).map_or(&[], Vec::as_slice)
}

/// A place in `bytes`, its end included.
fn place(bytes: &[u8], chance: &mut Chance) -> usize {
    chance.below(bytes.len() as u64 + 1) as usize
}

fn once(bytes: &mut Vec<u8>, corpus: &[Vec<u8>], chance: &mut Chance) {
    let at = place(bytes, chance);
    match chance.below(10) {
        0 | 1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << chance.below(8);
            }
        }
        2 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = chance.draw() as u8;
            }
        }
        3 => bytes.truncate(at),
        4 => drop(bytes.drain(at..(at + chance.below(16) as usize).min(bytes.len()))),
        5 => {
            let piece: Vec<u8> = bytes[at..(at + chance.below(64) as usize).min(bytes.len())].to_vec();
            let to = place(bytes, chance);
            bytes.splice(to..to, piece);
        }
        6 => {
            let other = pick(corpus, chance);
            let from = place(other, chance);
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
        7 => edge(bytes, at, chance),
        8 => varint(bytes, at, chance),
        _ => {
            let word = WORDS[chance.below(WORDS.len() as u64) as usize];
            bytes.splice(at..at, word.bytes());
        }
    }
}

/// A number of 1, 2, 4 or 8 bytes: what a fixed length field may hold.
fn edge(bytes: &mut [u8], at: usize, chance: &mut Chance) {
    let number = EDGES[chance.below(EDGES.len() as u64) as usize].to_le_bytes();
    let width = 1 << chance.below(4);
    for (byte, new) in bytes.iter_mut().skip(at).zip(&number[..width]) {
        *byte = *new;
    }
}

/// The same as a LEB128 varint, which is how our formats and protobuf write lengths.
fn varint(bytes: &mut Vec<u8>, at: usize, chance: &mut Chance) {
    let mut number = EDGES[chance.below(EDGES.len() as u64) as usize];
    let mut written = Vec::new();
    while number >= 0x80 {
        written.push(number as u8 | 0x80);
        number >>= 7;
    }
    written.push(number as u8);
    let replaced = usize::from(at < bytes.len());
    bytes.splice(at..at + replaced, written);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_is_one_sequence_and_it_changes_things() {
        let corpus = vec![b"hello world".to_vec(), vec![7; 100]];
        let draw = |seed| {
            let mut chance = Chance::new(seed);
            (0..200).map(|_| mutated(&corpus, &mut chance)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert!(draw(1).iter().filter(|bytes| corpus.contains(bytes)).count() < 40);
        assert!(mutated(&[], &mut Chance::new(3)).len() <= BYTES_MAX);
    }
}
