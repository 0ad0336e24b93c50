//! Every route there is: the table of operations against the router, and the methods of gRPC.

use mainspring_api::catalog::operations;
use prost::Message;

use crate::rig::Rig;

const SOURCES: [&str; 2] = [include_str!("../../src/rest/mod.rs"), include_str!("../../src/docs/mod.rs")];
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// One way to call the server.
#[derive(Clone, Debug)]
pub struct Route {
    pub method: String,
    /// As the document has it, with `{…}`.
    pub template: String,
    /// The same with something in the place of each.
    pub path: String,
}

impl Route {
    pub fn changes_something(&self) -> bool {
        self.method != "GET"
    }
}

/// Every operation of REST.
pub fn rest() -> Vec<Route> {
    let route = |operation: &mainspring_api::catalog::Operation| {
        // Without it the stream would not end.
        let end = if operation.id == "listenToEvents" { "?for_ms=1" } else { "" };
        Route {
            method: operation.method().to_owned(),
            template: operation.path().to_owned(),
            path: concrete(operation.path()) + end,
        }
    };
    operations().map(route).collect()
}

pub fn concrete(template: &str) -> String {
    template
        .replace("{id}", "task_00000000000000000000000000000001")
        .replace("{job}", "default")
        .replace("{version}", "1")
        .replace("{code}", "INTERNAL")
        .replace("{name}", "default")
        .replace("{row}", "task_00000000000000000000000000000001")
}

/// Every method of gRPC, as a path: ours, health and reflection.
pub fn grpc() -> Vec<String> {
    let sets = [
        mainspring_proto::FILE_DESCRIPTOR_SET,
        tonic_health::pb::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
    ];
    let mut paths = Vec::new();
    for set in sets {
        let set = prost_types::FileDescriptorSet::decode(set).expect("descriptors");
        for file in set.file {
            for service in &file.service {
                for method in &service.method {
                    paths.push(format!("/{}.{}/{}", file.package(), service.name(), method.name()));
                }
            }
        }
    }
    assert!(paths.len() > 35, "{paths:?}");
    paths
}

/// Each `.route("PATH", …)` of the sources, with the methods that stand behind it.
fn sources() -> Vec<(String, Vec<&'static str>)> {
    let mut routes = Vec::new();
    for source in SOURCES {
        for part in source.split(".route(").skip(1) {
            let (_, rest) = part.split_once('"').expect("a path");
            let (path, handlers) = rest.split_once('"').expect("a path");
            let is = |method: &&str| {
                handlers.contains(&format!(" {method}(")) || handlers.contains(&format!(".{method}("))
            };
            routes.push((path.to_owned(), METHODS.into_iter().filter(is).collect()));
        }
    }
    routes
}

#[test]
fn every_route_of_the_sources_is_in_the_table() {
    let sources = sources();
    assert!(sources.len() >= 42, "{}", sources.len());
    for (path, methods) in sources {
        assert!(!methods.is_empty(), "{path}");
        let with_verbs = format!("{path}:");
        for method in methods {
            let named = operations().any(|operation| {
                let fits = operation.path() == path || operation.path().starts_with(&with_verbs);
                fits && operation.method().eq_ignore_ascii_case(method)
            });
            assert!(named, "{method} {path} is not in the table of operations");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_of_the_table_has_a_route() {
    let rig = Rig::start().await;
    for route in rest() {
        let answer = rig.call(&route.method, &route.path, "").await;
        // The page of an error that is not there, and the row that is not quarantined, are refused by their handlers.
        let code = if answer.text.starts_with('{') { answer.code() } else { String::new() };
        let missing = ["ROUTE_NOT_FOUND", "METHOD_NOT_ALLOWED"].contains(&code.as_str());
        assert!(!missing, "{} {} answers {code}", route.method, route.template);
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_parameter_is_refused_everywhere_and_the_known_ones_are_named() {
    let rig = Rig::start().await;
    for operation in operations() {
        let path = concrete(operation.path());
        for query in ["limt=3", "%6cimt=3", "limt"] {
            let answer = rig.call(operation.method(), &format!("{path}?{query}"), "").await;
            assert_eq!((answer.status, answer.code().as_str()), (400, "INVALID_QUERY"), "{}", operation.id);
            let message = answer.json()["message"].as_str().unwrap_or_default().to_owned();
            assert!(message.contains("`limt`"), "{}: {message}", operation.id);
            for parameter in operation.query {
                assert!(message.contains(parameter.name), "{}: {message}", operation.id);
            }
        }
    }
    rig.stop().await;
}

/// A parameter that the table has and the handler does not know would be refused by the handler.
#[tokio::test(flavor = "multi_thread")]
async fn every_parameter_of_the_table_is_known_to_its_handler() {
    let rig = Rig::start().await;
    for operation in operations() {
        let path = concrete(operation.path());
        // The stream of news must end.
        let before = if operation.id == "listenToEvents" { "for_ms=1&" } else { "" };
        for parameter in operation.query.iter().filter(|parameter| !before.contains(parameter.name)) {
            let path = format!("{path}?{before}{}=1", parameter.name);
            let answer = rig.call(operation.method(), &path, "").await;
            assert!(!answer.text.contains("unknown; known are"), "{path}: {}", answer.text);
        }
    }
    rig.stop().await;
}
