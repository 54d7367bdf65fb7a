//! Which calls can be repeated although the server may have processed them, by operation.

use http::{HeaderMap, Method};

use super::platform::random_bits;
use crate::{
    table::{Location, Operation, Parameter},
    types::Uuid,
    validation::check,
};

/// The headers by which servers recognise a repeated request.
const KEYS: [&str; 2] = ["idempotency-key", "x-idempotency-key"];

/// Which attempts of an operation's calls are repeated.
///
/// An attempt that the server can't have processed is repeated for every operation: it did not connect, or the server
/// refused it with `429` or `503`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Retries {
    /// Also those without a response, because the method is idempotent (RFC 9110): `GET`, `HEAD`, `PUT`, `DELETE` …
    Safe,
    /// Also those without a response, because the operation has an `Idempotency-Key` or `X-Idempotency-Key`.
    ///
    /// The client makes a key for each call and sends the same with each attempt, unless the input has one. It makes none
    /// if the document does not allow a UUID as the key.
    ByKey,
    /// No others: the server may have processed a request without a response, and would process it again.
    Never,
}

impl Operation {
    /// Returns which attempts of a call are repeated.
    ///
    /// # Examples
    /// ```
    /// use openapi_crates_runtime::{
    ///     client::Retries,
    ///     table::{Operation, Parameter, Schema},
    /// };
    ///
    /// static CREATE_PET: Operation = Operation::new("createPet", "pets", "POST", "/pets")
    ///     .parameters(&[Parameter::header("Idempotency-Key", &Schema::TEXT)]);
    /// assert_eq!(CREATE_PET.retries(), Retries::ByKey);
    /// ```
    #[must_use]
    pub fn retries(&self) -> Retries {
        let is_safe = Method::from_bytes(self.method.as_bytes()).is_ok_and(|method| method.is_idempotent());
        match self.idempotency_key() {
            _ if is_safe => Retries::Safe,
            Some(_) => Retries::ByKey,
            None => Retries::Never,
        }
    }

    fn idempotency_key(&self) -> Option<&'static Parameter> {
        let is_key = |it: &&Parameter| it.location == Location::Header && is_key(it.name);
        self.parameters.iter().find(is_key)
    }
}

/// Returns whether a header is one by which servers recognise a repeated request.
pub(super) fn is_key(name: &str) -> bool {
    KEYS.iter().any(|key| name.eq_ignore_ascii_case(key))
}

/// Returns whether a request has a key.
pub(super) fn is_in(headers: &HeaderMap) -> bool {
    KEYS.iter().any(|key| headers.get(*key).is_some_and(|key| !key.is_empty()))
}

/// Returns a new key for a call with the name of its header, if the operation has one and the call doesn't.
pub(super) fn new_key(operation: &Operation, headers: [&HeaderMap; 2]) -> Option<(&'static str, String)> {
    let parameter = operation.idempotency_key()?;
    if headers.iter().any(|headers| headers.contains_key(parameter.name)) {
        return None;
    }
    let key = uuid::Builder::from_random_bytes(random_bits().to_be_bytes()).into_uuid();
    is_allowed(parameter, key).then(|| (parameter.name, key.to_string()))
}

/// Returns whether the parameter can be a UUID.
fn is_allowed(parameter: &Parameter, key: Uuid) -> bool {
    parameter.content.is_none()
        && (check(parameter.schema, &key.to_string()) || check(parameter.schema, &key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Schema, Text, Type};

    #[test]
    fn operations_state_what_is_repeated() {
        static SHORT: Schema = Schema::new(Type::Text(Text { max_length: Some(20), ..Text::ANY }));
        static KEYS: [Parameter; 1] = [Parameter::header("idempotency-Key", &Schema::TEXT)];
        static SHORT_KEYS: [Parameter; 1] = [Parameter::header("Idempotency-Key", &SHORT)];
        static OTHER_KEYS: [Parameter; 1] = [Parameter::header("X-Idempotency-Key", &Schema::TEXT)];
        static QUERIES: [Parameter; 1] = [Parameter::query("Idempotency-Key", &Schema::TEXT)];
        let none = [&HeaderMap::new(), &HeaderMap::new()];
        for (method, parameters, expected, has_key) in [
            ("GET", &[][..], Retries::Safe, false),
            ("DELETE", &KEYS[..], Retries::Safe, true),
            ("QUERY", &[][..], Retries::Safe, false),
            ("POST", &[][..], Retries::Never, false),
            ("PATCH", &QUERIES[..], Retries::Never, false),
            ("POST", &KEYS[..], Retries::ByKey, true),
            ("POST", &SHORT_KEYS[..], Retries::ByKey, false),
            ("POST", &OTHER_KEYS[..], Retries::ByKey, true),
        ] {
            let operation = Operation::new("it", "tag", method, "/").parameters(parameters);
            assert_eq!(operation.retries(), expected, "{method}");
            let key = new_key(&operation, none);
            assert_eq!(key.is_some(), has_key, "{method} {key:?}");
            assert!(key.is_none() || key != new_key(&operation, none));
        }
    }
}
