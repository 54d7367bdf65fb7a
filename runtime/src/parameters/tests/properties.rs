//! Property tests: values survive a round trip, and nothing panics.

use proptest::prelude::*;

use super::bodies::{UPLOAD, Upload, body_and_back, content, read_bytes};
use super::*;
use crate::types::File;

/// Generates styles with their locations.
///
/// Styles whose delimiter can't occur in a value are left out.
fn styles() -> impl Strategy<Value = (Location, Style, bool)> {
    use Location::{Cookie, Path, Query};
    prop_oneof![
        Just((Path, Style::Simple)),
        Just((Path, Style::Label)),
        Just((Path, Style::Matrix)),
        Just((Query, Style::Form)),
        Just((Query, Style::DeepObject)),
        Just((Cookie, Style::Form)),
    ]
    .prop_flat_map(|(location, style)| any::<bool>().prop_map(move |explode| (location, style, explode)))
}

proptest! {
    #[test]
    fn strings_round_trip((location, style, explode) in styles(), text in any::<String>()) {
        let operation = operation(location, style, explode, &STRING);
        let wire = written(operation, &text);
        prop_assert_eq!(read::<String>(operation, wire.as_bytes()), Some(Ok(text)));
    }

    #[test]
    fn lists_round_trip((location, style, explode) in styles(), items in proptest::collection::vec(any::<String>(), 1..5)) {
        let operation = operation(location, style, explode, &STRINGS);
        // An unexploded list of one empty string looks like an empty list.
        let wire = written(operation, &items);
        prop_assume!(items != [""]);
        prop_assert_eq!(read::<Vec<String>>(operation, wire.as_bytes()), Some(Ok(items)));
    }

    #[test]
    fn numbers_round_trip((location, style, explode) in styles(), items in proptest::collection::vec(-1e300..1e300f64, 1..5)) {
        let operation = operation(location, style, explode, &NUMBERS);
        prop_assert_eq!(read::<Vec<f64>>(operation, written(operation, &items).as_bytes()), Some(Ok(items)));
    }

    #[test]
    fn maps_round_trip((location, style, explode) in styles(), map in proptest::collection::btree_map("[^\\[\\]]{1,6}", any::<String>(), 1..5)) {
        let operation = operation(location, style, explode, &KEPT);
        let text = written(operation, &map);
        prop_assert_eq!(read::<Map<String>>(operation, text.as_bytes()), Some(Ok(map)), "{}", text);
    }

    #[test]
    fn uploads_round_trip(
        title in any::<String>(),
        tags in proptest::collection::vec(any::<String>(), 0..3),
        data in proptest::collection::vec(any::<u8>(), 0..64),
        name in "[^%]*",
    ) {
        let upload = Upload { title, tags, file: Some(File::new(name, data).with_content_type("image/png")), ..Upload::default() };
        prop_assert_eq!(&body_and_back(content(ContentFormat::Multipart, &UPLOAD, &[]), &upload).1, &upload);
    }

    #[test]
    fn nothing_panics(bytes in proptest::collection::vec(prop_oneof![4 => proptest::sample::select(b"color[]=&,.;|%20aR1+{}\"".to_vec()), 1 => any::<u8>()], 0..40)) {
        use Location::{Cookie, Header, Path, Query};
        use Style::{DeepObject, Form, Label, Matrix, PipeDelimited, Simple, SpaceDelimited};
        for (location, style) in [
            (Path, Simple), (Path, Label), (Path, Matrix), (Query, Form), (Query, SpaceDelimited), (Query, PipeDelimited),
            (Query, DeepObject), (Header, Simple), (Cookie, Form),
        ] {
            for explode in [false, true] {
                for schema in [&STRING, &STRINGS, &COLOR, &KEPT, &ANY] {
                    let operation = operation(location, style, explode, schema);
                    let _ = read::<String>(operation, &bytes);
                    let _ = read::<Vec<i64>>(operation, &bytes);
                    let _ = read::<Color>(operation, &bytes);
                    let _ = read::<Value>(operation, &bytes);
                }
            }
        }
        for format in [ContentFormat::Form, ContentFormat::Multipart, ContentFormat::Text, ContentFormat::Bytes, ContentFormat::Json] {
            let _ = read_bytes::<Upload>(content(format, &UPLOAD, &[]), "multipart/form-data; boundary=[]", &bytes);
        }
        let _ = media_parameter(&String::from_utf8_lossy(&bytes), "color");
    }
}
