//! Tests of invalid percent-encoding and UTF-8 in all parts of a request.

use super::{Raw, assert_problem};
use crate::http::wire::Server;

#[tokio::test]
async fn is_reported_where_it_is() {
    let server = Server::start().await;
    let malformed = "must be valid percent-encoding and UTF-8";
    for (target, name) in [
        ("/v1/icons/%zz", "id"),
        ("/v1/icons/1%", "id"),
        ("/v1/icons/%4", "id"),
        ("/v1/icons/%ff", "id"),
        ("/v1/ai/voiceover/%C3%28", "task-id"),
        ("/v1/ai/text-to-image/%E2%82", "model"),
        ("/v1/ai/%FF-image-edit", "model"),
        ("/v1/music?q=%", "q"),
        ("/v1/music?q=%2", "q"),
        ("/v1/music?q=%g0", "q"),
        ("/v1/music?q=a%FFb", "q"),
        ("/v1/music?limit=%FF", "limit"),
        ("/v1/music?genre%5B%5D=%FF", "genre[]"),
        ("/v1/music?genre[]=Ambient&genre[]=%zz", "genre[]"),
        ("/v1/resources?filters[color]=%FF", "filters[color]"),
        ("/v1/resources?filters[color]=%2", "filters[color]"),
    ] {
        let reply = Raw::get(target).send(&server).await;
        let reason = format!("Parameter '{name}' is not valid: {malformed}");
        assert_problem(&reply, &[(name, &reason)]);
    }
    let request = Raw::get("/v1/icons/1").header("Accept-Language", b"d\xC3e");
    let reason = format!("Parameter 'Accept-Language' is not valid: {malformed}");
    assert_problem(&request.send(&server).await, &[("Accept-Language", &reason)]);
}

#[tokio::test]
async fn undeclared_parameters_are_not_decoded() {
    let server = Server::start().await;
    for target in ["/v1/icons/1?nothing=%FF", "/v1/icons/1?%FF=1", "/v1/icons/1?%zz", "/v1/icons/1?&&=&"] {
        assert_eq!(Raw::get(target).send(&server).await.status, 200, "{target}");
    }
    let request = Raw::get("/v1/music").header("X-Anything", b"\xFF");
    assert_eq!(request.send(&server).await.status, 200);
}

#[tokio::test]
async fn percent_encoded_values_are_decoded() {
    let server = Server::start().await;
    let target = "/v1/music?q=%C3%A4+b%2Bc%20%26d&genre%5B%5D=Hip%20Hop&genre[]=Ambient&limit=%31";
    assert_eq!(Raw::get(target).send(&server).await.status, 200);
    let input = server.examples.inputs("search_music").expect("it was called");
    assert_eq!(input, serde_json::json!({ "q": "ä b+c &d", "genre[]": ["Hip Hop", "Ambient"], "limit": 1 }));
    // A plus sign in a path is not a blank.
    assert_eq!(Raw::get("/v1/ai/text-to-image/a+b%2Fc%2525").send(&server).await.status, 200);
    let input = server.examples.inputs("list_text_to_images").expect("it was called");
    assert_eq!(input, serde_json::json!({ "model": "a+b/c%25" }));
}
