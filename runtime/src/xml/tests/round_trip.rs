//! Round trips: written values are read again.

use proptest::prelude::*;

use super::models::{ROOT, SHOP, Shop, any_shop};
use super::{STRICT, TOLERANT, read, written};

proptest! {
    #[test]
    fn values_survive_a_round_trip(shop in any_shop()) {
        let text = written(&ROOT, &SHOP, &shop).unwrap();
        prop_assert_eq!(&read::<Shop>(&ROOT, &SHOP, STRICT, &text).unwrap(), &shop, "{}", text);
        prop_assert_eq!(&read::<Shop>(&ROOT, &SHOP, TOLERANT, &text).unwrap(), &shop, "{}", text);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let text = String::from_utf8_lossy(&bytes);
        let _ = read::<Shop>(&ROOT, &SHOP, STRICT, &text);
    }

    #[test]
    fn any_markup_is_read_or_refused(text in "(<[a-c]? ?[a-c]?(=\"[&;#x1]\")?/?>|</[a-c]>|&(lt|#x?[0-9]);|<!--|-->|<\\!\\[CDATA\\[|\\]\\]>|xmlns:?[a-c]=| |shop){0,20}") {
        for text in [text.clone(), format!("<shop>{text}</shop>")] {
            let strict = read::<Shop>(&ROOT, &SHOP, STRICT, &text).is_ok();
            let tolerant = read::<Shop>(&ROOT, &SHOP, TOLERANT, &text).is_ok();
            prop_assert!(tolerant || !strict, "{}", text);
        }
    }
}
