//! The service as a whole: the real binary, over HTTP, with the generated client.

mod catalogue;
#[cfg(feature = "crash-points")]
mod crash;
mod families;
mod operations;
mod running;
mod safety;
#[cfg(unix)]
mod stopping;
mod webhooks;
