//! The service as a whole: the real binary, over HTTP, with the generated client.

mod catalogue;
#[cfg(feature = "crash-points")]
mod crash;
mod families;
mod operations;
mod outside;
mod restart;
mod running;
mod safety;
#[cfg(feature = "crash-points")]
mod stopped;
#[cfg(unix)]
mod stopping;
mod unserved;
mod webhooks;
