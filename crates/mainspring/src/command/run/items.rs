//! `mainspring run items`: the items of a mapped task.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::{Client, ClientError, escaped, query};

use super::super::list::{Listing, Page, Rows};
use super::super::output::{error, id, text as column};
use super::super::{suggest, words};
use super::text;

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring run items run_019a88f0\n  \
    mainspring run items run_019a88f0 --task load --state failed\n  \
    mainspring run items run_019a88f0 --task load -o json | jq .items[].value")]
pub(super) struct Items {
    /// The run: its id or the beginning of it
    id: String,
    /// The mapped task; not needed if the run has one
    #[arg(long, value_name = "NAME")]
    task: Option<String>,
    /// Only in these states, separated by commas, as `failed,cancelled`
    #[arg(long, value_name = "STATES", value_parser = words::task_states)]
    state: Option<String>,
    #[command(flatten)]
    page: Page,
    #[command(flatten)]
    listing: Listing,
}

const ITEMS: Rows = Rows {
    key: "items",
    columns: &[
        column("ITEM", "index"),
        column("STATE", "state"),
        id("TASK", "task_id"),
        column("VALUE", "value"),
        error("ERROR", "error.message"),
    ],
};

impl Items {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let limit = self.page.limit();
        let Self { id, task, state, page, listing } = self;
        listing.show_at(ITEMS, async |client| {
            let id = client.run_id(&id).await?;
            let task = match task {
                Some(task) => task,
                None => only_mapped(client, &id).await?,
            };
            let parameters =
                [("state", state.as_deref()), ("limit", Some(limit.as_str())), ("cursor", page.cursor())];
            Ok(query(&format!("/v1/runs/{id}/tasks/{}/items", escaped(&task)), &parameters))
        })
    }
}

/// The only mapped task of a run.
async fn only_mapped(client: &Client, run: &str) -> Result<String, ClientError> {
    let found = client.get(&format!("/v1/runs/{run}")).await?;
    let tasks = found["tasks"].as_array().into_iter().flatten();
    let mapped: Vec<String> =
        tasks.filter(|task| task.get("items").is_some()).map(|task| text(task, "name").to_owned()).collect();
    match <[String; 1]>::try_from(mapped) {
        Ok([one]) => Ok(one),
        Err(none) if none.is_empty() => Err(ClientError::Unclear {
            what: format!("{run} has no mapped task that has begun"),
            advice: format!("its tasks are shown by `mainspring run get {run}`"),
        }),
        Err(many) => Err(ClientError::Unclear {
            what: format!("{run} has {} mapped tasks", many.len()),
            advice: format!("name one of them: --task {}", suggest::listed(&many)),
        }),
    }
}

/// Numbers of items, as a person writes them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Numbers(pub Vec<u32>);

/// `7,14` or `20-25`, or both.
pub(super) fn parse(text: &str) -> Result<Numbers, String> {
    let mut numbers = Vec::new();
    for part in text.split(',').map(str::trim) {
        let number =
            |text: &str| text.parse::<u32>().map_err(|_| format!("`{part}` is no number of an item"));
        let (first, last) = match part.split_once('-') {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(part)?, number(part)?),
        };
        if last < first || (last - first) as usize + numbers.len() >= NUMBERS_MAX {
            return Err(format!("`{part}`: name at most {NUMBERS_MAX} items, the lower number first"));
        }
        numbers.extend(first..=last);
    }
    Ok(Numbers(numbers))
}

/// What the server takes with one request.
const NUMBERS_MAX: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_items_are_read_with_their_ranges() {
        let rows = [
            ("7", Some(vec![7])),
            ("7,14", Some(vec![7, 14])),
            ("7, 20-22", Some(vec![7, 20, 21, 22])),
            ("0-999", Some((0..1_000).collect())),
            ("0-1000", None),
            ("9-7", None),
            ("", None),
            ("a", None),
        ];
        for (text, wanted) in rows {
            assert_eq!(parse(text).ok().map(|numbers| numbers.0), wanted, "{text}");
        }
    }
}
