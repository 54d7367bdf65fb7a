//! One event of `text/event-stream`.

use crate::codec::{AdditionalProperties, Decode, DecodeError, Encode, Needed, Present, Reader, Writer};

/// One event of `text/event-stream` with data of type `T`.
///
/// ```
/// use openapi_crates_runtime::types::Event;
///
/// let event = Event::new(42).named("progress").with_id("7");
/// assert_eq!(event.event.as_deref(), Some("progress"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event<T> {
    /// The event type. `None` means `message`.
    pub event: Option<String>,
    /// The data.
    pub data: T,
    /// The id.
    ///
    /// A new request with this id as its `Last-Event-ID` continues after this event.
    pub id: Option<String>,
    /// The time to wait before a new request, in milliseconds.
    pub retry: Option<u64>,
}

impl<T> Event<T> {
    /// Creates an event with data alone.
    #[must_use]
    pub const fn new(data: T) -> Self {
        Self { event: None, data, id: None, retry: None }
    }

    /// Sets the event type.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { event: Some(name.into()), ..self }
    }

    /// Sets the id.
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
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let (mut event, mut data, mut id, mut retry) = (None, None, None, None);
        reader.object(
            &["event", "data", "id", "retry"],
            &mut [&mut event, &mut Needed(&mut data), &mut id, &mut retry],
            AdditionalProperties::Ignore,
        )?;
        let Some(data) = data else { return Err(DecodeError::missing("data")) };
        Ok(Self { event, data, id, retry })
    }
}

impl<T: Encode> Encode for Event<T> {
    fn encode(&self, writer: &mut dyn Writer) {
        let data = Present(&self.data);
        let fields: [(&'static str, &dyn Encode); 4] =
            [("event", &self.event), ("data", &data), ("id", &self.id), ("retry", &self.retry)];
        writer.object(&fields, None);
    }
}
