//! The table against the interfaces, and `docs/api.md`, which is written from it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::{env, fs};

use mainspring_core::decision::Rejection;
use prost::Message;

use super::{Operation, Reach, Repeat, operations};
use crate::problem::Problem;

/// Operations that make no sense on gRPC and the command line: what machines ask over HTTP, and documents.
const ONLY_REST: &[&str] = &[
    "getDocs",
    "getErrorPage",
    "getHealth",
    "getJobSchema",
    "getMetrics",
    "getOpenApi",
    "getReadiness",
    "receiveWebhook",
];
/// Operations for screens only, without a command: people read the same as runs and versions.
const PICTURES: &[&str] = &["getJobGraph", "getJobGrid", "getRunGraph", "getRunStates", "getSeries"];
/// gRPC methods that are no operation: the session of a worker.
const NO_OPERATION: &[&str] = &["WorkerService/Session"];

fn ids(wanted: impl Fn(&Operation) -> bool) -> Vec<&'static str> {
    let mut ids: Vec<&str> =
        operations().filter(|operation| wanted(operation)).map(|operation| operation.id).collect();
    ids.sort_unstable();
    ids
}

#[test]
fn every_operation_has_a_grpc_method_and_a_command() {
    let is_picture = |operation: &Operation| operation.tag == super::pictures::TAG;
    assert_eq!(ids(is_picture), PICTURES, "for screens");
    assert_eq!(ids(|operation| operation.grpc == Reach::Never), ONLY_REST, "without a gRPC method");
    let no_command = |operation: &Operation| operation.cli == Reach::Never && !is_picture(operation);
    assert_eq!(ids(no_command), ONLY_REST, "without a command");
}

#[test]
fn what_changes_something_can_be_repeated_and_says_who_does_it_and_why() {
    let none: Vec<&str> = Vec::new();
    let without = ids(|operation| operation.changes_something() && !operation.actor);
    assert_eq!(without, none, "without actor and reason");
    // What is no key does nothing the second time by what it is: a row that can be read stays so, and a webhook's message has an id.
    let without = ids(|operation| operation.repeat == Repeat::Same);
    assert_eq!(without, ["receiveWebhook", "releaseQuarantinedRow"], "without an idempotency key");
    let reads = ids(|operation| !operation.changes_something() && operation.method() != "GET");
    assert_eq!(reads, ["previewCron"], "only a request that changes nothing may say so");
}

#[test]
fn ids_and_routes_are_unique() {
    let ids: BTreeSet<&str> = operations().map(|operation| operation.id).collect();
    assert_eq!(ids.len(), operations().count(), "an id is used twice");
    let routes: BTreeSet<(&str, &str)> = operations().map(|operation| operation.rest).collect();
    assert_eq!(routes.len(), operations().count(), "a route is used twice");
}

#[test]
fn every_method_of_grpc_is_an_operation_and_the_other_way_round() {
    let set =
        prost_types::FileDescriptorSet::decode(mainspring_proto::FILE_DESCRIPTOR_SET).expect("descriptors");
    let mut methods = BTreeSet::new();
    for file in set.file.iter().filter(|file| file.package() == "mainspring.v1") {
        for service in &file.service {
            methods
                .extend(service.method.iter().map(|method| format!("{}/{}", service.name(), method.name())));
        }
    }
    let named = operations().filter_map(|operation| match operation.grpc {
        Reach::At(method) => Some(method.to_owned()),
        Reach::Never => None,
    });
    let known: BTreeSet<String> = named.chain(NO_OPERATION.iter().map(|name| (*name).to_owned())).collect();
    assert_eq!(methods, known);
}

#[test]
fn every_code_is_one_of_the_servers_and_is_answered_by_some_operation() {
    let codes: BTreeSet<&str> = Problem::CODES.into_iter().chain(Rejection::CODES).collect();
    let mut used = BTreeSet::new();
    for operation in operations() {
        for code in operation.error_codes() {
            assert!(codes.contains(code), "{}: there is no code `{code}`", operation.id);
            used.insert(code);
        }
    }
    // No operation was asked for; or the session of a worker.
    used.extend(["METHOD_NOT_ALLOWED", "ROUTE_NOT_FOUND", "WORKER_IDENTITY_IN_USE"]);
    assert_eq!(
        codes.difference(&used).collect::<Vec<_>>(),
        Vec::<&&str>::new(),
        "no operation answers these"
    );
}

#[test]
fn the_page_is_what_the_table_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/api.md");
    let page = page();
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(path, &page).expect("docs/api.md can be written");
    }
    let same = fs::read_to_string(path).is_ok_and(|stored| stored == page);
    assert!(
        same,
        "docs/api.md is old; run `UPDATE_GOLDEN=1 cargo test -p mainspring-api --lib catalog` and commit it"
    );
}

const TOP: &str = "# Operations of the API

<!-- Written by a test from the table in crates/api/src/catalog. Do not edit:
     UPDATE_GOLDEN=1 cargo test -p mainspring-api --lib catalog -->

Everything the server can be asked for, and where. The [OpenAPI document](http://127.0.0.1:7070/openapi.json) of a running
server has parameters, bodies, answers and examples; `/docs` shows it as a page.

- **id**: `operationId` in the OpenAPI document; generated clients name their functions after it.
- **gRPC**: service and method of package `mainspring.v1`. –: it makes no sense there.
- **repeat**: what a repeated request does. *reads*: it changes nothing. *key*: with an `Idempotency-Key` it is done once.
  *same*: done twice is the same as done once.
- **actor**: the caller can say who does it and why: in the headers `Mainspring-Actor` and `Mainspring-Reason` (gRPC: metadata
  `mainspring-actor`, `mainspring-reason`), or in the fields `actor` and `reason` where a body has them, which go before. Both are in the
  server's log. Nobody checks yet that an actor is who they say. The actor of a webhook is the webhook.
- **permission**: the right that it needs. There are no rights yet.

An unknown query parameter is refused with [`INVALID_QUERY`](errors/INVALID_QUERY.md).
";

fn page() -> String {
    let mut page = TOP.to_owned();
    let mut tag = "";
    for operation in operations() {
        if operation.tag != tag {
            tag = operation.tag;
            let _ = write!(
                page,
                "\n## {tag}\n\n| id | REST | gRPC | command | repeat | actor | permission |\n|---|---|---|---|---|---|---|\n"
            );
        }
        let repeat = match operation.repeat {
            Repeat::Reads => "reads",
            Repeat::Key => "key",
            Repeat::Same => "same",
        };
        let _ = writeln!(
            page,
            "| `{}` | `{} {}` | {} | {} | {repeat} | {} | {} |",
            operation.id,
            operation.method(),
            operation.path(),
            reach(operation.grpc, ""),
            reach(operation.cli, "mainspring "),
            if operation.actor { "yes" } else { "–" },
            if operation.permission.is_empty() { "–" } else { operation.permission },
        );
    }
    page.push_str("\n## Errors\n\nWhat each operation can be refused with. Every code has a page under [errors](errors/).\n");
    page.push_str("\n| operation | codes |\n|---|---|\n");
    for operation in operations() {
        let codes: Vec<String> = operation.error_codes().iter().map(|code| format!("`{code}`")).collect();
        let _ = writeln!(page, "| `{}` | {} |", operation.id, codes.join(" "));
    }
    page
}

fn reach(reach: Reach, before: &str) -> String {
    match reach {
        Reach::At(name) => format!("`{before}{name}`"),
        Reach::Never => "–".to_owned(),
    }
}
