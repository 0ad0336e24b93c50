//! "Did you mean": the known name nearest to a wrong one.

/// Longer names are not compared: the work grows with the square of the length.
const LENGTH_MAX: usize = 64;
/// Of more names only the first ones are looked at.
const KNOWN_MAX: usize = 2_000;

/// The nearest of `known`, if it is near enough to be what was meant.
pub fn nearest<'k>(wrong: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let length = wrong.chars().count();
    if length > LENGTH_MAX {
        return None;
    }
    let near = |name: &&'k str| name.chars().count().abs_diff(length) <= allowed(length);
    known
        .into_iter()
        .take(KNOWN_MAX)
        .filter(near)
        .map(|name| (distance(wrong, name), name))
        // A name of one letter is as near to every other.
        .filter(|(distance, _)| *distance <= allowed(length) && *distance < length)
        .min()
        .map(|(_, name)| name)
}

/// One slip in a short name, more in a longer one.
fn allowed(length: usize) -> usize {
    (length / 3).clamp(1, 4)
}

/// Letters put in, left out, changed or swapped with their neighbour, whatever their case.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let known = ["retries", "resources", "timeout", "run"];
        let rows = [
            ("left out", "retrys", Some("retries")),
            ("swapped", "tiemout", Some("timeout")),
            ("case", "Timeout", Some("timeout")),
            ("short", "rn", Some("run")),
            ("nothing near", "colour", None),
            ("empty", "", None),
        ];
        for (name, wrong, meant) in rows {
            assert_eq!(nearest(wrong, known), meant, "{name}");
        }
        assert_eq!(nearest(&"x".repeat(100), known), None);
    }
}
