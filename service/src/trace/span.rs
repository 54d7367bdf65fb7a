//! Spans: what the service does in a trace, and for how long.

use std::fmt::Display;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::otlp::Recorder;
use super::{CURRENT, TraceContext};
use crate::time::Millis;

/// The kind of a span, with OTLP's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Work within the service.
    Internal = 1,
    /// A request that the service serves.
    Server = 2,
    /// A call of another server, or of the database.
    Client = 3,
    /// Work that was queued.
    Consumer = 5,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Number(i64),
}

/// A recorded span.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Recorded {
    pub(super) context: TraceContext,
    pub(super) parent: Option<TraceContext>,
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) start: SystemTime,
    pub(super) end: SystemTime,
    pub(super) attributes: Vec<(&'static str, Value)>,
    pub(super) has_failed: bool,
}

/// A span in progress, which ends when this is dropped.
#[derive(Debug)]
pub struct Span {
    context: TraceContext,
    /// Whether the context is passed on: a client has sent it, or an exporter runs.
    is_passed_on: bool,
    recorded: Option<(&'static Recorder, Box<Recorded>)>,
}

impl Span {
    /// Starts a span. Without a parent, it begins a trace.
    ///
    /// It is recorded if an exporter runs and if the trace is sampled.
    pub fn start(kind: Kind, name: impl Display, parent: Option<TraceContext>) -> Self {
        let recorder = Recorder::get();
        let begun = || TraceContext::new(recorder.is_some_and(Recorder::samples));
        let context = parent.unwrap_or_else(begun);
        let Some(recorder) = recorder.filter(|_| context.is_sampled()) else {
            let is_passed_on = parent.is_some() || recorder.is_some();
            return Self { context, is_passed_on, recorded: None };
        };
        Self::recorded_by(recorder, kind, name, parent, context)
    }

    /// Starts a span that is recorded. It is a child of its parent, or else the first one of the trace.
    pub(super) fn recorded_by(
        recorder: &'static Recorder,
        kind: Kind,
        name: impl Display,
        parent: Option<TraceContext>,
        trace: TraceContext,
    ) -> Self {
        let context = parent.map_or(trace, TraceContext::child);
        let (start, name) = (SystemTime::now(), name.to_string());
        let (end, attributes, has_failed) = (start, Vec::new(), false);
        let recorded = Recorded { context, parent, kind, name, start, end, attributes, has_failed };
        Self { context, is_passed_on: true, recorded: Some((recorder, Box::new(recorded))) }
    }

    /// Starts a trace that is not recorded, for requests that are not worth it.
    #[must_use]
    pub fn unrecorded() -> Self {
        Self { context: TraceContext::new(false), is_passed_on: false, recorded: None }
    }

    /// Returns the context of what this span causes.
    #[must_use]
    pub const fn context(&self) -> TraceContext {
        self.context
    }

    /// Moves the start to this time.
    #[must_use]
    pub fn since(mut self, start: Millis) -> Self {
        if let Some((_, recorded)) = &mut self.recorded {
            recorded.start = UNIX_EPOCH + Duration::from_millis(u64::try_from(start).unwrap_or_default());
        }
        self
    }

    /// Adds an attribute. The value must not be a text of a user.
    pub fn set(&mut self, key: &'static str, value: impl Display) {
        if let Some((_, recorded)) = &mut self.recorded {
            recorded.attributes.push((key, Value::Text(value.to_string())));
        }
    }

    /// Adds an attribute that is a number.
    pub fn set_number(&mut self, key: &'static str, value: impl Into<i64>) {
        if let Some((_, recorded)) = &mut self.recorded {
            recorded.attributes.push((key, Value::Number(value.into())));
        }
    }

    /// Marks the span as failed for this reason.
    pub fn fail(&mut self, reason: &'static str) {
        self.set("error.type", reason);
        if let Some((_, recorded)) = &mut self.recorded {
            recorded.has_failed = true;
        }
    }

    /// Awaits work in the context of this span.
    pub async fn scope<T>(&self, work: impl Future<Output = T>) -> T {
        if self.is_passed_on { CURRENT.scope(self.context, work).await } else { work.await }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if let Some((recorder, mut recorded)) = self.recorded.take() {
            recorded.end = SystemTime::now();
            recorder.record(*recorded);
        }
    }
}
