//! The edges: REST, gRPC, worker sessions, docs and metrics on one port. The only crate with wire types.
//! Entry: [`EffectRouter`] is made first and is the node's outlet; then [`Server::new`] and [`Server::serve`].
//! - AP-1 everything a caller can make grow has a bound, and passing it a named error with a page
//! - AP-2 an answer leaves only when the shard gave it; what it never gave is said to be unknown
//! - AP-3 no thread of the runtime is ever blocked: lists read the tables on threads of their own
//!
//! Not here: rules (`mainspring-core`), durability (`mainspring-runtime`), running work (`mainspring-agent`).
#![forbid(unsafe_code)]

mod access;
mod base_path;
pub mod catalog;
mod config;
mod disk;
mod docs;
mod edge;
mod effects;
mod feed;
mod gateway;
mod grpc;
mod layout;
mod logs;
mod metrics;
mod operation;
mod problem;
mod profiles;
mod rates;
mod readers;
mod record;
mod rest;
mod series;
mod server;
mod sessions;
mod timeline;
mod watchlist;
mod webhooks;
mod wire;

pub use self::{
    access::{Access, AllowedHost, BadHost, BadToken, Token},
    base_path::{BadBasePath, BasePath},
    config::{ApiConfig, KEY_BYTES_MAX},
    disk::DiskUse,
    effects::EffectRouter,
    logs::LogStorage,
    problem::{Problem, ProblemBody},
    readers::Readers,
    server::Server,
    webhooks::{
        BadInboundSecret, InboundSecret, SIGNATURE_HEADER_DEFAULT, Scheme, UnknownScheme, Webhook, Webhooks,
    },
};
