//! One event of `text/event-stream`.

use crate::codec::{Decode, Encode, Fault, Reader, Rest, Slot, Writer};

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
        let (mut event, mut data, mut id, mut retry) = (Slot::new(), Slot::new(), Slot::new(), Slot::new());
        let slots: [&mut dyn crate::codec::Fill; 4] = [&mut event, &mut data, &mut id, &mut retry];
        let mut slots = slots;
        reader.object(&["event", "data", "id", "retry"], &mut slots, Rest::Ignore)?;
        Ok(Self {
            event: event.optional(),
            data: data.required("data")?,
            id: id.optional(),
            retry: retry.optional(),
        })
    }
}

impl<T: Encode> Encode for Event<T> {
    fn encode(&self, writer: &mut dyn Writer) {
        let fields: [(&'static str, &dyn Encode); 4] =
            [("event", &self.event), ("data", &self.data), ("id", &self.id), ("retry", &self.retry)];
        writer.object(&fields, None);
    }
}
