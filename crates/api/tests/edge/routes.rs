//! Every route there is, read from the tables in the source and from the gRPC definitions.

use prost::Message;
use serde_json::Value;

use crate::rig::Rig;

const TABLES: [&str; 2] = [include_str!("../../src/rest/mod.rs"), include_str!("../../src/docs/mod.rs")];
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

/// Every operation of REST, from the document. A test below says that the document has them all.
pub async fn rest(rig: &Rig) -> Vec<Route> {
    let document = rig.get("/openapi.json").await.json();
    let mut routes = Vec::new();
    for (template, methods) in document["paths"].as_object().expect("paths") {
        for method in methods.as_object().expect("methods").keys() {
            // Without it the stream would not end.
            let stream = template == "/v1/events" && method == "get";
            let path = concrete(template) + if stream { "?for_ms=1" } else { "" };
            routes.push(Route { method: method.to_uppercase(), template: template.clone(), path });
        }
    }
    routes
}

pub fn concrete(template: &str) -> String {
    template
        .replace("{id}", "task_00000000000000000000000000000001")
        .replace("{job}", "default")
        .replace("{version}", "1")
        .replace("{code}", "INTERNAL")
        .replace("{name}", "default")
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

/// Each `.route("PATH", …)` of the tables, with the methods that stand behind it.
fn tables() -> Vec<(String, Vec<&'static str>)> {
    let mut routes = Vec::new();
    for table in TABLES {
        for part in table.split(".route(").skip(1) {
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

#[tokio::test(flavor = "multi_thread")]
async fn every_route_of_the_tables_is_in_the_document() {
    let rig = Rig::start().await;
    let document = rig.get("/openapi.json").await.json();
    let paths = document["paths"].as_object().expect("paths");
    let tables = tables();
    assert!(tables.len() >= 42, "{}", tables.len());
    for (path, methods) in tables {
        assert!(!methods.is_empty(), "{path}");
        let with_verbs = format!("{path}:");
        let described: Vec<&Value> = paths
            .iter()
            .filter(|(known, _)| **known == path || known.starts_with(&with_verbs))
            .map(|(_, methods)| methods)
            .collect();
        for method in methods {
            let named = described.iter().any(|methods| methods.get(method).is_some());
            assert!(named, "{method} {path} is not in the OpenAPI document");
        }
    }
    rig.stop().await;
}
