//! The example of docs/from-openapi-to-rust.md: its client calls its server.

use fixture_gallery_client::{
    models::{
        common::{Person, Subject},
        pictures::AddPictureBody,
        types::{Date, File},
    },
    runtime::{In, http_builder},
};
use serde_json::Value;

use crate::{gallery_client as client, gallery_server as server, serving};

/// The response that the page shows.
const REFUSAL: &str = r#"
{
  "type": "about:blank",
  "title": "Bad Request",
  "status": 400,
  "detail": "`image` is required",
  "errors": [
    {"name": "image", "in": "body", "code": "missing", "detail": "`image` is required"},
    {"name": "taken", "in": "body", "code": "missing", "detail": "`taken` is required"},
    {
      "name": "subject.name",
      "in": "body",
      "code": "min-length",
      "detail": "`subject.name` must be at least 1 character long"
    }
  ]
}
"#;

async fn start() -> String {
    serving::start(server::service().expect("the service can be built")).await
}

#[tokio::test]
async fn a_picture_is_added_once() {
    let client = client::connect(&start().await, "test-key").expect("a client");
    let taken = Date::new(1843, 10, 1).expect("it is a date");
    let picture = client::hang(&client, b"png".to_vec(), taken).await.expect("the picture is added");
    assert_eq!((picture.name.as_str(), picture.taken), ("ada.png", taken));
    assert_eq!(client::shows(&client, "ada.png").await.expect("it is there"), "Ada");
    let error = client::hang(&client, b"png".to_vec(), taken).await.expect_err("the name is taken");
    assert!(client::is_conflict(&error), "{error}");
    let error = client::shows(&client, "bob.png").await.expect_err("it isn't there");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(404));
}

/// The client decodes a rejection that the document does not describe.
#[tokio::test]
async fn refusals_are_typed() {
    let client = client::connect(&start().await, "test-key").expect("a client");
    let nobody = AddPictureBody::new(File::new("x.png", vec![]), Date::new(1843, 10, 1).expect("a date"), Subject::Person(Person::new("")));
    let error = client.add_picture(nobody).await.expect_err("a person has a name");
    assert!(error.as_api().is_none(), "{error}");
    let problem = error.problem().expect("it is one");
    assert_eq!((problem.status.as_u16(), problem.title.as_deref()), (400, Some("Bad Request")));
    let invalid: Vec<_> = problem.invalid.iter().map(|it| (it.name.as_str(), it.location, it.code.as_deref())).collect();
    assert_eq!(invalid, [("subject.name", Some(In::Body), Some("min-length"))]);
    let error = client::shows(&client, "bob.png").await.expect_err("it isn't there");
    assert_eq!(error.problem(), None, "the operation's own response has no body");
    let stranger = client::connect(&start().await, "wrong").expect("a client");
    let error = client::shows(&stranger, "ada.png").await.expect_err("the key is wrong");
    assert_eq!(error.problem().expect("it is one").detail.as_deref(), Some("The credentials are not valid."));
}

#[tokio::test]
async fn refusals_are_those_of_the_page() {
    let url = start().await;
    let form = "--x\r\ncontent-disposition: form-data; name=\"subject\"\r\ncontent-type: application/json\r\n\r\n\
                {\"name\": \"\"}\r\n--x--\r\n";
    let http = http_builder().build().expect("an HTTP client");
    let request = http.post(format!("{url}/pictures")).body(form);
    let request = request.header("content-type", "multipart/form-data; boundary=x");
    let response = request.header("x-gallery-key", "test-key").send().await.expect("a response");
    assert_eq!(response.headers()["content-type"], "application/problem+json");
    let body: Value = serde_json::from_slice(&response.bytes().await.expect("a body")).expect("it is JSON");
    let shown: Value = serde_json::from_str(REFUSAL).expect("it is JSON");
    assert_eq!(body, shown);
}
