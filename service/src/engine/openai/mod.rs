//! Calls of servers that speak OpenAI's API: OpenAI, vLLM, llama.cpp, LocalAI, Kokoro and others.
//!
//! Each function makes one attempt. A repeated request can be charged twice, so the queue decides whether to retry.
//! Servers accept fields that OpenAI does not have. Requests here have them in `extra`.

mod chat;
mod engine;
mod failure;
mod image;
mod mask;
mod sentences;
mod settings;
mod speech;
#[cfg(test)]
mod tests;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use openai_client::runtime::{Reading, Typed};
use openai_client::{BuildError, Call, Client, RetryPolicy};
use openapi_crates_runtime::types::{Map, NoError, Value};
use tokio::time::Instant;
use url::Url;

use super::Failure;
use super::context::Context;
use super::result::{checked, on_blocking_thread, stored, unwritable, write};
use super::secret::Secret;
use crate::net::fetch::FetchError;
use crate::trace;

pub use chat::Chat;
pub use image::{Edit, Field, Image};
pub(crate) use settings::{attach, serves};
pub use speech::{Format, MAX_CHARACTERS, Speech};

/// Fields of a request that the server reads in addition to OpenAI's: `seed`, `negative_prompt`.
pub type Extra = Map<Value>;

/// Downloads what a server's URL names, within the service's policy on URLs.
pub type Fetch = Arc<dyn Fn(String) -> BoxFuture<'static, Result<Bytes, FetchError>> + Send + Sync>;

/// The maximum size of a response that is not streamed to a file, in bytes. Pictures are base64 within JSON.
const MAX_RESPONSE_BYTES: u64 = 256 * 1024 * 1024;

/// A server that speaks OpenAI's API. Clones share its connections.
#[derive(Clone)]
pub struct Server {
    client: Client,
    base: Url,
    key: Option<Secret>,
    fetch: Fetch,
}

impl Server {
    /// Creates a server of this base URL: `http://127.0.0.1:8000/v1`.
    ///
    /// The key is sent to the origin of the base URL alone. `fetch` downloads pictures that the server returns
    /// by URL.
    ///
    /// # Errors
    /// The URL or the key can't be used.
    pub fn new(mut base: Url, key: Option<Secret>, fetch: Fetch) -> Result<Self, BuildError> {
        // A relative URL is joined to a base that ends with a slash.
        base.set_path(&format!("{}/", base.path().trim_end_matches('/')));
        let builder = Client::builder()
            .base_url(base.as_str())
            .retry(RetryPolicy::never())
            .response_limit(MAX_RESPONSE_BYTES)
            .before_attempt(|_, request| {
                request.headers_mut().extend(trace::headers());
                Ok(())
            })
            .user_agent(concat!("asset-service/", env!("CARGO_PKG_VERSION")));
        let builder = match &key {
            Some(key) => builder.api_key_auth(key.reveal()),
            None => builder.require_credentials(false),
        };
        Ok(Self { client: builder.build()?, base, key, fetch })
    }

    /// Returns the ids of the server's models. The call is free.
    ///
    /// # Errors
    /// Returns why there is no list.
    pub async fn models(&self, context: &Context) -> Result<Vec<String>, Failure> {
        let listed = self.send(self.client.list_models(), context).await?;
        Ok(listed.data.into_iter().map(|model| model.id).collect())
    }

    /// Makes a call before the attempt's deadline. It ends with the attempt.
    async fn send<T>(&self, call: Call<T, NoError>, context: &Context) -> Result<T, Failure>
    where
        Typed: Reading<T, NoError>,
    {
        let left = context.deadline.saturating_duration_since(Instant::now());
        if left == Duration::ZERO {
            return Err(Failure::Timeout("the attempt's time is over".to_owned()));
        }
        let call = call.timeout(left).deadline(left);
        let sent = within(context, async { Ok(call.send().await) }).await?;
        sent.map_err(|error| failure::of_call(&error, &self.base).without(self.key.as_ref()))
    }
}

/// Awaits work until the attempt is cancelled.
async fn within<T>(context: &Context, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::select! {
        done = work => done,
        _ = context.cancellation.cancelled() => Err(Failure::Cancelled),
    }
}
