//! Transports for tests (feature `mock`): scripted responses, and recordings of a server.
//!
//! | transport | responds with | for tests of |
//! |---|---|---|
//! | a generated server, or an axum router | what its handlers return | a client and a server |
//! | [`Mock`] | what the test says | a program that uses a client, and its handling of errors |
//! | [`Replay`] | what a [`Recorder`] has recorded | a program against a server that the test can't start |

mod body;
mod exchange;
mod record;
mod replay;
mod reply;
mod script;

pub use self::{
    record::Recorder,
    replay::Replay,
    reply::Reply,
    script::{Mock, MockCall},
};
