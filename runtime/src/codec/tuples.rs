//! Tuples: arrays of a fixed length, with a type for each item.

use super::{Decode, DecodeError, Encode, Reader, Writer};

macro_rules! tuple {
    ($count:literal: $($name:ident $index:tt),+) => {
        impl<$($name: Encode),+> Encode for ($($name,)+) {
            fn encode(&self, writer: &mut dyn Writer) {
                let items: [&dyn Encode; $count] = [$(&self.$index),+];
                writer.array(&mut items.into_iter());
            }
        }

        impl<$($name: Decode),+> Decode for ($($name,)+) {
            fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
                let is_tolerant = reader.is_tolerant();
                let mut slots = ($(None::<$name>,)+);
                let mut index = 0;
                reader.array(&mut |reader| {
                    match index {
                        $($index => slots.$index = Some($name::decode(reader)?),)+
                        _ if is_tolerant => reader.skip()?,
                        _ => return Err(wrong_count($count)),
                    }
                    index += 1;
                    Ok(())
                })?;
                Ok(($(slots.$index.ok_or_else(|| wrong_count($count))?,)+))
            }
        }
    };
}

tuple!(1: A 0);
tuple!(2: A 0, B 1);
tuple!(3: A 0, B 1, C 2);
tuple!(4: A 0, B 1, C 2, D 3);
tuple!(5: A 0, B 1, C 2, D 3, E 4);
tuple!(6: A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(7: A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(8: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

#[cold]
fn wrong_count(count: usize) -> DecodeError {
    DecodeError::custom(format!("expected an array of {count} items"))
}

#[cfg(test)]
mod tests {
    use crate::codec::{JsonReader, from_json, to_json};

    #[test]
    fn each_item_has_a_type_of_its_own() {
        type Pair = (String, Option<i64>);
        assert_eq!(from_json::<Pair>(br#"["a", 1]"#).unwrap(), ("a".to_owned(), Some(1)));
        assert_eq!(to_json(&("a".to_owned(), None::<i64>)), br#"["a",null]"#);
        assert_eq!(to_json(&(true,)), b"[true]");
        for (text, error) in [
            (r#"["a"]"#, "expected an array of 2 items"),
            (r#"["a", 1, 2]"#, "[2]: expected an array of 2 items"),
            (r#"[1, 1]"#, "[0]: expected a string, found a number"),
            ("{}", "expected an array, found an object"),
        ] {
            assert_eq!(from_json::<Pair>(text.as_bytes()).unwrap_err().to_string(), error, "{text}");
        }
        // A newer server may send more items.
        let tolerant = JsonReader::tolerant(br#"["a", 1, {}]"#).read::<Pair>();
        assert_eq!(tolerant.unwrap(), ("a".to_owned(), Some(1)));
    }
}
