//! One call that changes something: its message, and the key it may come under (metadata `idempotency-key`, with the
//! tenant in `x-mainspring-tenant`).

use mainspring_core::values::Revision;
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
        let keys = Keys::of(self.metadata.as_ref())?;
        Ok(Caller { keys, request: [FORM, &self.bytes], seen: None })
    }

    /// The same, of who says which revision was seen of what is to be changed.
    pub(super) fn caller_of(&self, revision: Option<u64>) -> Result<Caller<'_>, Problem> {
        Ok(Caller { seen: revision.map(Revision::new), ..self.caller()? })
    }
}
