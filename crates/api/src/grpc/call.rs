//! One call that changes something: its message, and the key it may come under (metadata `idempotency-key`, with the
//! tenant in `x-mainspring-tenant`).

use prost::Message;
use tonic::Request;
use tonic::metadata::MetadataMap;

use crate::operation::Caller;
use crate::problem::Problem;
use crate::wire::Keys;

/// Where REST has the query of a path.
const FORM: &[u8] = b"grpc";

pub(super) struct Call<T> {
    metadata: MetadataMap,
    pub(super) message: T,
    /// Only if there is a key, for which requests are compared.
    bytes: Vec<u8>,
}

impl<T: Message> Call<T> {
    pub(super) fn of(request: Request<T>) -> Self {
        let (metadata, _, message) = request.into_parts();
        let is_keyed = metadata.contains_key("idempotency-key");
        let bytes = if is_keyed { message.encode_to_vec() } else { Vec::new() };
        Self { metadata, message, bytes }
    }

    pub(super) fn caller(&self) -> Result<Caller<'_>, Problem> {
        Ok(Caller { keys: Keys::of(self.metadata.as_ref())?, request: [FORM, &self.bytes] })
    }
}
