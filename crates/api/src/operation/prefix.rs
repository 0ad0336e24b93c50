//! The tasks whose id begins so, so that people need not write all of it. The tables are asked when they have followed.

use mainspring_core::task::Task;
use mainspring_core::values::TaskId;
use mainspring_store::{PAGE_MAX, StoredTask};

use super::filter::page_length;
use super::list::decoded;
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::name;

const DIGITS_MIN: usize = 6;
const DIGITS_MAX: usize = 32;

pub(crate) async fn with_prefix(
    edge: &Edge,
    (prefix, tenant): (&str, Option<&str>),
    limit: Option<usize>,
) -> Result<Vec<Task>, Problem> {
    let limit = page_length(limit)?;
    let tenant = tenant.map(|text| name("tenant", text)).transpose()?;
    let (from, through) = range("task_", prefix)?;
    let (from, through) = (TaskId::from_bits(from), TaskId::from_bits(through));
    edge.gateway.tables_follow(false).await?;
    edge.readers
        .read(move |reader| {
            // Of another tenant there may be any number before the first of this one.
            let looked_at = if tenant.is_some() { PAGE_MAX } else { limit };
            let ids = reader.ids(from, through, looked_at)?;
            let rows = reader.tasks(&ids)?.into_iter().flatten();
            let tasks = rows.map(|row| match row {
                StoredTask::Live(row) => decoded(row.id, &row.bytes),
                StoredTask::Ended(row) => decoded(row.id, &row.bytes),
            });
            let wanted = |task: &Task| tenant.as_ref().is_none_or(|tenant| *tenant == task.profile.tenant);
            tasks.filter(|task| task.as_ref().map_or(true, wanted)).take(limit).collect()
        })
        .await
}

/// The lowest and the highest id that begins so; with or without its kind.
pub(super) fn range(kind: &str, text: &str) -> Result<(u128, u128), Problem> {
    let digits = text.strip_prefix(kind).unwrap_or(text);
    let fits = (DIGITS_MIN..=DIGITS_MAX).contains(&digits.len());
    if !fits || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let what = format!("{DIGITS_MIN} to {DIGITS_MAX} hexadecimal digits, with or without `{kind}`");
        return Err(Problem::query("id_prefix", what));
    }
    let bound = |fill: char| {
        let text: String = digits.chars().chain(std::iter::repeat(fill)).take(DIGITS_MAX).collect();
        u128::from_str_radix(&text, 16)
    };
    match (bound('0'), bound('f')) {
        (Ok(from), Ok(through)) => Ok((from, through)),
        _ => Err(Problem::query("id_prefix", "not a number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_a_range() {
        let range = |text| range("task_", text);
        let (from, through) = range("task_019a88").expect("six digits");
        let (from, through) = (TaskId::from_bits(from), TaskId::from_bits(through));
        assert_eq!(from.to_string(), "task_019a8800000000000000000000000000");
        assert_eq!(through.to_string(), "task_019a88ffffffffffffffffffffffffff");
        let whole = "019a88f04c007a3b9d1e62b7c40f5a18";
        assert_eq!(range(whole).map(|(from, through)| from == through), Ok(true));
        for bad in ["", "task_", "019a8", "task_01zz88", "worker_019a88", "019a88f04c007a3b9d1e62b7c40f5a180"]
        {
            assert!(range(bad).is_err(), "{bad}");
        }
    }
}
