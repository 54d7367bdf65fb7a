//! Finds numbers that no format of requests and responses can hold.

use super::{
    Encode, Segment,
    decode_error::path_text,
    view::{View, view},
};

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
    search(value).map_or(Ok(()), |path| Err(NotFinite { path: path_text(path.iter().rev()) }))
}

/// Returns the path of the first such number in a value, innermost segment first.
fn search(value: &dyn Encode) -> Option<Vec<Segment>> {
    let field =
        |name: &str, value: &dyn Encode| outside(search(value), || Segment::Field(name.to_owned().into()));
    view(value, |view| match view {
        View::Number(number, _) => (!number.to_f64().is_finite()).then(Vec::new),
        View::Array(items) => {
            items.enumerate().find_map(|(index, item)| outside(search(item), || Segment::Index(index)))
        }
        View::Object(..) => view.entries()?.find_map(|(name, value)| field(name, value)),
        // JSON values have no such numbers.
        _ => None,
    })
    .flatten()
}

fn outside(path: Option<Vec<Segment>>, segment: impl FnOnce() -> Segment) -> Option<Vec<Segment>> {
    let mut path = path?;
    path.push(segment());
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{Map, Writer};

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
