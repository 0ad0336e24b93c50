//! Lists, numbers and masks as people say them.

/// The numbers of the bits that are set, ascending.
pub(super) fn bits(mask: u64) -> Vec<u32> {
    (0..64).filter(|bit| mask >> bit & 1 != 0).collect()
}

/// "a", "a and b", "a, b and c".
pub(super) fn list(items: &[String], last: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [start @ .., end] => format!("{} {last} {end}", start.join(", ")),
    }
}

pub(super) fn numbers(values: &[u32]) -> String {
    let words: Vec<String> = values.iter().map(u32::to_string).collect();
    list(&words, "and")
}

/// "1st", "2nd", "11th".
pub(super) fn ordinal(number: u32) -> String {
    let ending = match (number % 10, number % 100 / 10) {
        (_, 1) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// The step of at least three values that are equally far apart.
pub(super) fn step(values: &[u32]) -> Option<u32> {
    let [first, second, _, ..] = values else { return None };
    let step = second - first;
    values.windows(2).all(|pair| pair[1] - pair[0] == step).then_some(step)
}

/// First and last of values that follow each other without a hole, round the end of their field if need be.
pub(super) fn run(values: &[u32], first: u32, last: u32) -> Option<(u32, u32)> {
    let holes: Vec<usize> = (1..values.len()).filter(|at| values[*at] != values[at - 1] + 1).collect();
    match holes.as_slice() {
        [] => Some((*values.first()?, *values.last()?)),
        [hole] if values.first() == Some(&first) && values.last() == Some(&last) => {
            Some((values[*hole], values[hole - 1]))
        }
        _ => None,
    }
}
