//! Finds numbers that no format of requests and responses can hold.

use super::{ByteStream, Bytes, Encode, Entries, File, Items, Value, Writer};

/// A number that is NaN or infinite, by its path in the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the number at `{path}` is not finite")]
pub(crate) struct NotFinite {
    /// The path of the number, such as `items[0].price`.
    path: String,
}

impl NotFinite {
    /// Returns the path of the number.
    #[cfg(any(test, feature = "client", feature = "server"))]
    pub(crate) fn into_path(self) -> String {
        self.path
    }
}

/// Checks that all numbers of a value are finite. Doesn't look into streams.
///
/// # Errors
/// Returns the first number that is NaN or infinite.
pub(crate) fn check_finite(value: &dyn Encode) -> Result<(), NotFinite> {
    let mut search = Search::default();
    value.encode(&mut search);
    search.found.map_or(Ok(()), |path| Err(NotFinite { path }))
}

/// A writer that writes nothing and remembers the path of the first such number.
#[derive(Default)]
struct Search {
    path: String,
    found: Option<String>,
}

impl Search {
    /// Searches a value that is one step deeper.
    fn step(&mut self, step: &str, value: &dyn Encode) {
        if self.found.is_some() {
            return;
        }
        let length = self.path.len();
        if length > 0 && !step.starts_with('[') {
            self.path.push('.');
        }
        self.path.push_str(step);
        value.encode(self);
        self.path.truncate(length);
    }
}

impl Writer for Search {
    fn null(&mut self) {}

    fn boolean(&mut self, _: bool) {}

    fn i64(&mut self, _: i64) {}

    fn u64(&mut self, _: u64) {}

    fn f64(&mut self, value: f64) {
        if !value.is_finite() && self.found.is_none() {
            self.found = Some(self.path.clone());
        }
    }

    fn str(&mut self, _: &str) {}

    fn bytes(&mut self, _: &Bytes) {}

    fn file(&mut self, _: &File) {}

    fn byte_stream(&mut self, _: &ByteStream) {}

    fn items(&mut self, _: &dyn Items) {}

    fn array(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) {
        for (index, item) in items.enumerate() {
            self.step(&format!("[{index}]"), item);
        }
    }

    fn object(&mut self, fields: &[(&'static str, &dyn Encode)], rest: Option<&mut Entries<'_>>) {
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_absent()) {
            self.step(name, *value);
        }
        for (name, value) in rest.into_iter().flatten() {
            self.step(name, value);
        }
    }

    fn variant(&mut self, _: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn choice(&mut self, _: usize, value: &dyn Encode) {
        value.encode(self);
    }

    /// JSON values have no such numbers.
    fn value(&mut self, _: &Value) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Map;

    struct Order {
        prices: Vec<f64>,
        rates: Map<f64>,
    }

    impl Encode for Order {
        fn encode(&self, writer: &mut dyn Writer) {
            let mut rates = crate::codec::entries(&self.rates);
            writer.object(&[("prices", &self.prices)], Some(&mut rates));
        }
    }

    #[test]
    fn the_path_leads_to_the_number() {
        let order = |prices: &[f64], rate| Order {
            prices: prices.to_vec(),
            rates: [("EUR".to_owned(), rate)].into_iter().collect(),
        };
        let path = |value: &dyn Encode| check_finite(value).err().map(NotFinite::into_path);
        assert_eq!(path(&order(&[1.0], 2.0)), None);
        assert_eq!(path(&vec![order(&[1.0, f64::NAN], f64::NAN)]).as_deref(), Some("[0].prices[1]"));
        assert_eq!(path(&order(&[], f64::INFINITY)).as_deref(), Some("EUR"));
        assert_eq!(path(&f64::NEG_INFINITY).as_deref(), Some(""));
    }
}
