//! The one table of operations. REST, gRPC, the command line, the `OpenAPI` document and `docs/api.md` are made from it or
//! checked against it.
//! Entry: [`OPERATIONS`]; [`find`] for the operation of a request.
//! - CT-1 the server answers no REST route that is not in the table (`rest::gate`), and every entry has a route
//! - CT-2 every operation has a gRPC method and a command, or makes no sense there ([`Never`](Reach::Never))
//!
//! Not here: what an operation does (`operation`), and the schemas of what it takes and answers (`wire`).

mod backfills;
mod dead_letters;
mod errors;
mod events;
mod find;
mod jobs;
mod logs;
mod parameter;
mod pictures;
mod runs;
mod schedules;
mod service;
mod tasks;
#[cfg(test)]
mod tests;
mod workers;

use self::Reach::{At, Never};
use self::Schema::{Any, ListOf, Object, Of, OneOf, Text};
pub use self::errors::status;
use self::errors::{BODY, GUARDED, KEYED, LIST, NAMED, OPEN, SHARD};
pub use self::find::find;
pub use self::parameter::{ACTOR, IF_MATCH, Parameter, Shape};
use self::parameter::{
    CURSOR_BY_NAME, LIMIT, OF_GROUPS, OF_JOB, OF_TASKS, OF_TENANT, OLDER, TENANT, WAIT, and, cursor,
};

const GET: &str = "GET";
const POST: &str = "POST";
const PUT: &str = "PUT";
const PATCH: &str = "PATCH";
const DELETE: &str = "DELETE";
const JSON: &str = "application/json";

/// One thing that the server can be asked for.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// `operationId` of the document; what generated clients call it.
    pub id: &'static str,
    pub tag: &'static str,
    /// Method and path.
    pub rest: (&'static str, &'static str),
    /// `Service/Method` of `mainspring.v1`.
    pub grpc: Reach,
    /// The command, without `mainspring`.
    pub cli: Reach,
    pub summary: &'static str,
    pub details: &'static str,
    /// The right that it needs. Nobody has rights yet, so it is empty everywhere.
    pub permission: &'static str,
    pub repeat: Repeat,
    /// Whether the caller can say who does it and why: in headers on each of these, in a body where it has fields for it.
    pub actor: bool,
    pub query: &'static [Parameter],
    /// Beside `Idempotency-Key`, which follows from `repeat`.
    pub headers: &'static [Parameter],
    pub body: Option<Body>,
    pub answers: &'static [Answer],
    /// Codes of refusals, in groups.
    pub errors: &'static [&'static [&'static str]],
}

/// Where an interface has the operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    At(&'static str),
    /// It makes no sense there.
    Never,
}

/// What happens when the same request comes twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repeat {
    /// It changes nothing.
    Reads,
    /// With an `Idempotency-Key` it is done once.
    Key,
    /// Done twice is the same as done once, by what it is.
    Same,
}

#[derive(Clone, Copy, Debug)]
pub struct Body {
    pub required: bool,
    /// Media types, each with its schema.
    pub content: &'static [(&'static str, Schema)],
}

#[derive(Clone, Copy, Debug)]
pub struct Answer {
    pub status: u16,
    pub what: &'static str,
    pub media_type: &'static str,
    pub schema: Schema,
    pub headers: &'static [Header],
}

/// What a body looks like. Names are those of the schemas in the document.
#[derive(Clone, Copy, Debug)]
pub enum Schema {
    Of(&'static str),
    /// A list with at most so many.
    ListOf(&'static str, usize),
    OneOf(&'static [&'static str]),
    /// An object whose fields are described elsewhere.
    Object(&'static str),
    Text,
    Any,
}

#[derive(Clone, Copy, Debug)]
pub struct Header {
    pub name: &'static str,
    /// A type of JSON Schema.
    pub kind: &'static str,
    pub what: &'static str,
}

impl Header {
    pub(crate) const fn number(name: &'static str, what: &'static str) -> Self {
        Self { name, kind: "integer", what }
    }

    const fn text(name: &'static str, what: &'static str) -> Self {
        Self { name, kind: "string", what }
    }

    const fn flag(name: &'static str, what: &'static str) -> Self {
        Self { name, kind: "boolean", what }
    }
}

const fn needed(content: &'static [(&'static str, Schema)]) -> Body {
    Body { required: true, content }
}

const fn optional(content: &'static [(&'static str, Schema)]) -> Body {
    Body { required: false, content }
}

/// An answer in JSON.
const fn answer(status: u16, what: &'static str, schema: Schema) -> Answer {
    Answer { status, what, media_type: JSON, schema, headers: &[] }
}

/// An answer in JSON that says which revision it shows.
const fn tagged(what: &'static str, schema: Schema) -> Answer {
    const HEADERS: &[Header] = &[Header::text("ETag", "Its revision, for `If-Match` of an edit")];
    Answer { headers: HEADERS, ..answer(200, what, schema) }
}

const READ: Operation = Operation {
    id: "",
    tag: "",
    rest: ("", ""),
    grpc: Never,
    cli: Never,
    summary: "",
    details: "",
    permission: "",
    repeat: Repeat::Reads,
    actor: false,
    query: &[],
    headers: &[],
    body: None,
    answers: &[],
    errors: &[],
};
const CHANGE: Operation = Operation { repeat: Repeat::Key, ..READ };
const ONCE: Operation = Operation { repeat: Repeat::Same, ..READ };

/// Every operation, in the order of the document.
pub const OPERATIONS: [&[Operation]; 11] = [
    tasks::OPERATIONS,
    logs::OPERATIONS,
    dead_letters::OPERATIONS,
    jobs::OPERATIONS,
    runs::OPERATIONS,
    pictures::OPERATIONS,
    schedules::OPERATIONS,
    backfills::OPERATIONS,
    events::OPERATIONS,
    workers::OPERATIONS,
    service::OPERATIONS,
];

/// Every operation in one row.
pub fn operations() -> impl Iterator<Item = &'static Operation> {
    OPERATIONS.into_iter().flatten()
}

impl Operation {
    pub fn method(&self) -> &'static str {
        self.rest.0
    }

    pub fn path(&self) -> &'static str {
        self.rest.1
    }

    pub fn changes_something(&self) -> bool {
        self.repeat != Repeat::Reads
    }

    /// Its answers say which record they reflect, and it waits for one. What else has no gRPC method is about the server
    /// itself, or documents.
    pub fn has_record(&self) -> bool {
        self.grpc != Never
    }

    /// Codes of refusals, sorted.
    pub fn error_codes(&self) -> Vec<&'static str> {
        let mut codes: Vec<&str> = self.errors.iter().copied().flatten().copied().collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }
}
