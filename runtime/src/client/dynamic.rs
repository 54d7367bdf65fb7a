//! Calls by operation id, with JSON as input and output.
//!
//! They are for command lines, scripts and agents.

use std::fmt;

use super::{Call, Client, Error, ErrorKind, Pending, Reading, Received, Response, reply};
use crate::{
    codec::{Decode, DecodeError, Encode, ValueReader, to_value},
    table::Operation,
    types::Value,
};

/// A call whose output and documented errors are JSON.
///
/// A body of raw bytes becomes a string: text if it is UTF-8, otherwise base64. A stream of items becomes an
/// array of all items.
pub type DynamicCall = Call<Value, Value, Dynamic>;

/// The result of a dynamic call.
type Outcome = Result<Response<Value>, Error<Value>>;

/// An operation that can be called with JSON: its row, and functions for its types.
#[derive(Clone, Copy)]
pub struct Dynamic {
    operation: &'static Operation,
    prepare: fn(&Client, &'static Operation, &Value) -> Result<Box<Pending>, DecodeError>,
    read: fn(&'static Operation, Received) -> Outcome,
}

impl Dynamic {
    /// Creates the entry of an operation.
    ///
    /// `I` is the input (`()` if there is none), `O` the output and `E` the documented errors.
    #[must_use]
    pub const fn new<I, O, E>(operation: &'static Operation) -> Self
    where
        I: Decode + Encode,
        O: Decode + Encode,
        E: Decode + Encode + fmt::Debug,
    {
        Self { operation, prepare: prepare::<I>, read: read::<O, E> }
    }

    /// Returns the operation.
    pub const fn operation(&self) -> &'static Operation {
        self.operation
    }
}

impl fmt::Debug for Dynamic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Dynamic").field(&self.operation.id).finish()
    }
}

impl Reading<Value, Value> for Dynamic {
    const STREAMS: bool = false;

    fn read(self, operation: &'static Operation, received: Received) -> Outcome {
        (self.read)(operation, received)
    }
}

fn prepare<I: Decode + Encode>(
    client: &Client,
    operation: &'static Operation,
    input: &Value,
) -> Result<Box<Pending>, DecodeError> {
    let input = I::decode(&mut ValueReader::strict(input))?;
    Ok(Pending::new(client, operation, &input))
}

fn read<O, E>(operation: &'static Operation, received: Received) -> Outcome
where
    O: Decode + Encode,
    E: Decode + Encode + fmt::Debug,
{
    match reply::decode::<O, E>(operation, received) {
        Ok(response) => Ok(response.map(|output| to_value(&output))),
        Err(error) => Err(error.map_api(|body| to_value(&body))),
    }
}

impl Client {
    /// Creates a call of the operation with this id and a JSON input.
    ///
    /// Nothing is sent yet. The input is an object with the parameters by their wire names, and `body`. It is
    /// ignored if the operation has no input. `rows` are the lists of a generated client, one per tag.
    ///
    /// # Errors
    /// Returns [`ErrorKind::UnknownOperation`] if no operation has this id, and [`ErrorKind::Input`] if the input
    /// does not match the operation.
    pub fn call_dynamic(
        &self,
        rows: &[&[Dynamic]],
        operation_id: &str,
        input: &Value,
    ) -> Result<DynamicCall, Error<Value>> {
        let row = rows.iter().copied().flatten().find(|row| row.operation.id == operation_id);
        let row = row.ok_or_else(|| {
            Error::new(ErrorKind::UnknownOperation { id: operation_id.to_owned() }, None, 0)
        })?;
        let pending = (row.prepare)(self, row.operation, input)
            .map_err(|error| Error::new(ErrorKind::Input(Box::new(error)), Some(row.operation), 0))?;
        Ok(Call::new(pending, *row))
    }
}
