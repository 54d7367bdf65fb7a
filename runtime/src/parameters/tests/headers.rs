//! Response headers in both directions.

use super::*;

#[test]
fn lines_of_a_header_are_one_list() {
    let mut headers = HeaderMap::new();
    headers.append("x-list", HeaderValue::from_static("a, b"));
    headers.append("x-list", HeaderValue::from_static("c"));
    headers.append("x-json", HeaderValue::from_static("[\"a, b\"]"));
    static LIST: Header = Header::new("x-list", &STRINGS);
    static OTHER: Header = Header::new("x-other", &STRINGS);
    static SCALAR: Header = Header::new("x-list", &STRING);
    static JSON: Header = Header::new("x-json", &STRINGS).content(ContentFormat::Json);
    static NO_JSON: Header = Header::new("x-list", &STRINGS).content(ContentFormat::Json);
    fn read<T: Decode>(header: &'static Header, headers: &HeaderMap) -> Result<Option<T>, DecodeError> {
        let mut value = None;
        read_header(header, headers, false, &mut |reader| {
            value = Some(T::decode(reader)?);
            Ok(())
        })?;
        Ok(value)
    }
    let list = |values: &[&str]| Ok(Some(values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>()));
    assert_eq!(read(&LIST, &headers), list(&["a", "b", "c"]));
    assert_eq!(read(&JSON, &headers), list(&["a, b"]));
    assert_eq!(read::<Vec<String>>(&OTHER, &headers), Ok(None));
    assert!(read::<String>(&SCALAR, &headers).is_err());
    assert!(read::<Vec<String>>(&NO_JSON, &headers).is_err());
    assert_eq!(write_header(false, &vec!["a".to_owned(), "b".to_owned()]), "a,b");
}

#[test]
fn each_value_of_set_cookie_is_a_line() {
    static LIST: Header = Header::new("set-cookie", &STRINGS);
    static TEXT: Header = Header::new("set-cookie", &STRING).content(ContentFormat::Text);
    static LINE: Header = Header::new("set-cookie", &STRING);
    static OTHER: Header = Header::new("x-list", &STRINGS);
    let cookies = ["a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "b=2"];
    let list: Vec<String> = cookies.map(str::to_owned).to_vec();
    assert_eq!(write_header_lines(&LIST, &list), cookies);
    assert_eq!(write_header_lines(&TEXT, &list.join("\n")), cookies);
    let empty: [&str; 0] = [];
    assert_eq!(write_header_lines(&LIST, &Vec::<String>::new()), empty);
    assert_eq!(write_header_lines(&LINE, &list.join("\n")).len(), 1, "a text never becomes two cookies");
    assert_eq!(write_header_lines(&OTHER, &list), [cookies.join(",")]);
    let by_name = to_value(&Map::from_iter([("a".to_owned(), "1".to_owned())]));
    assert_eq!(write_header_lines(&LIST, &by_name), ["a=1"]);

    let mut headers = HeaderMap::new();
    for cookie in cookies {
        headers.append("set-cookie", HeaderValue::from_static(cookie));
    }
    let read = |header: &'static Header| {
        let mut value = None;
        read_header(header, &headers, false, &mut |reader| {
            value = Some(reader.value()?);
            Ok(())
        })
        .map(|_| value)
    };
    assert_eq!(read(&LIST), Ok(Some(to_value(&list))));
    assert_eq!(read(&TEXT), Ok(Some(to_value(&list.join("\n")))));
}

/// A newer server may send more properties.
#[test]
fn undocumented_properties_of_a_header_are_skipped() {
    static HEADER: Header = Header::new("x-color", &COLOR).explode(true);
    let mut headers = HeaderMap::new();
    headers.append("x-color", HeaderValue::from_static("R=100,X=1,G=200,B=150"));
    let mut color = None;
    let read = read_header(&HEADER, &headers, false, &mut |reader| {
        color = Some(Color::decode(reader)?);
        Ok(())
    });
    assert_eq!((read, color), (Ok(true), Some(WHITE)));
}
