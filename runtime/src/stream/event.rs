//! One event of `text/event-stream`.

use crate::codec::{Decode, Encode, Fault, Reader, Rest, Writer};

/// One event of `text/event-stream` whose data is a `T`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event<T> {
    /// What it is called; without a name it is a `message`.
    pub event: Option<String>,
    /// What it says.
    pub data: T,
    /// Where to go on from after this one, as a new request's `Last-Event-ID`.
    pub id: Option<String>,
    /// How long to wait before a new request, in milliseconds.
    pub retry: Option<u64>,
}

impl<T> Event<T> {
    /// An event without a name and an id.
    #[must_use]
    pub const fn new(data: T) -> Self {
        Self { event: None, data, id: None, retry: None }
    }

    /// The same under a name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { event: Some(name.into()), ..self }
    }

    /// The same with an id.
    #[must_use]
    pub fn with_id(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }
}

impl<T> From<T> for Event<T> {
    fn from(data: T) -> Self {
        Self::new(data)
    }
}

impl<T: Decode> Decode for Event<T> {
    fn decode(reader: &mut dyn Reader) -> Result<Self, Fault> {
        let (mut event, mut data, mut id, mut retry) = (None, None, None, None);
        reader.object(
            &["event", "data", "id", "retry"],
            &mut [&mut event, &mut data, &mut id, &mut retry],
            Rest::Ignore,
        )?;
        let Some(data) = data else { return Err(Fault::missing("data")) };
        Ok(Self { event, data, id, retry })
    }
}

impl<T: Encode> Encode for Event<T> {
    fn encode(&self, writer: &mut dyn Writer) {
        let fields: [(&'static str, &dyn Encode); 4] =
            [("event", &self.event), ("data", &self.data), ("id", &self.id), ("retry", &self.retry)];
        writer.object(&fields, None);
    }
}
