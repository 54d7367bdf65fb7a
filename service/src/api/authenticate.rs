//! The caller of an operation, as HTTP has authenticated it.

use std::sync::Arc;

use crate::keys::bodies::BodyPermit;
use crate::keys::limits::Verdict;
use crate::keys::tier::Tier;

/// The authenticated caller of a request.
#[derive(Debug)]
pub struct Caller {
    /// The API key's id.
    pub key_id: Arc<str>,
    /// The limits and quotas of the key.
    pub tier: Tier,
    /// The decision of the key's rate limit.
    pub verdict: Verdict,
    /// The memory that the request body takes until the response is ready; `None` without a body.
    pub body: Option<BodyPermit>,
}
