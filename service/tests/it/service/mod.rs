//! The service as a whole: the real binary, over HTTP, with the generated client.

mod beside;
mod apps;
mod catalogue;
#[cfg(feature = "crash-points")]
mod crash;
mod families;
mod keys;
mod limits;
mod idempotency;
mod operations;
mod others;
mod outside;
mod restart;
mod running;
#[cfg(feature = "crash-points")]
mod stopped;
#[cfg(unix)]
mod stopping;
mod unserved;
mod webhooks;
mod wire;
