//! The oracle: its programs compile and use everything, and `diff` agrees with its outcomes.

mod everything;
pub(crate) mod folder;
pub(crate) mod rules;

use openapi_crates_outlines::documents::{fixtures, spec};
use openapi_crates_suite::oracle::{Document, Oracle, Pair};

use crate::target;

#[test]
fn programs_compile_with_their_own_crates() {
    let fixtures = fixtures("valid").into_iter().map(|it| {
        let (overlays, options) = (it.overlays(), it.options());
        (it.name, Document { text: it.text, overlays, options })
    });
    let options = asset_api_spec::options();
    let spec = Document { text: spec(), overlays: Vec::new(), options };
    let documents = fixtures.chain([("this project's spec".to_owned(), spec)]);
    let pairs: Vec<Pair> = documents.map(|(name, old)| Pair { name, old, new: None }).collect();
    let outcomes = Oracle::new("own", &target()).judge(&pairs).expect("the programs compile");
    assert_eq!(outcomes.len(), pairs.len());
}
