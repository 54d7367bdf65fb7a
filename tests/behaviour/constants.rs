//! Properties with one possible value, and properties that are sent in one direction only.

use fixture_constants_models::{
    common::{Closed, ClosedMaybe, ClosedType, ClosedWordsItem, Level, Opened, Ping},
    events::ListEventsInput,
};
use fixture_inheritance_models::common::{Cat, ItemAdded, Puppy};
use fixture_read_only_models::common::{Credentials, Session, User};
use openapi_crates_runtime::codec::{Encode, to_json};

fn json(value: &dyn Encode) -> String {
    String::from_utf8(to_json(value)).expect("JSON is UTF-8")
}

#[test]
fn constructors_fill_in_constants() {
    assert_eq!(json(&Opened::new("Ada")), r#"{"type":"opened","by":"Ada"}"#);
    assert_eq!(json(&Ping::default()), r#"{"type":"ping"}"#);
    assert_eq!(ListEventsInput::default().x_version.as_str(), "v1");
    let closed = Closed::new(vec![ClosedWordsItem::Word], ClosedMaybe::This);
    assert!(closed.r#type == ClosedType::Closed && closed.level == Level::N3 && closed.r#final);
    assert!(closed.note.is_none(), "what is optional stays absent");
}

#[test]
fn subtypes_fill_in_their_discriminator() {
    assert_eq!(json(&Cat::new("Tom")), r#"{"kind":"Cat","name":"Tom"}"#);
    assert_eq!(Puppy::new("Rex", "yip").kind, "young-dog");
    assert_eq!(json(&ItemAdded::default()), r#"{"event_type":"item_added"}"#);
}

#[test]
fn fields_of_one_direction_are_required_only_there() {
    let session = Session::new("t", 7);
    assert_eq!((session.token.as_str(), session.secret), ("t", None));
    assert_eq!(Credentials::new("p").id, None);
    let user = User::new("n");
    assert_eq!((user.id, user.password), (None, None));
}
