//! The line on webhooks that docs/from-openapi-to-rust.md shows.

use fixture_webhooks_models::common::{Booking, WebhookBody};

fn received(body: &[u8]) -> serde_json::Result<WebhookBody> {
    // BEGIN docs/from-openapi-to-rust.md
    let event = serde_json::from_slice::<WebhookBody>(body)?;
    // END docs/from-openapi-to-rust.md
    Ok(event)
}

#[test]
fn a_webhook_is_decoded() {
    let event = received(br#"{"id": "b-7"}"#).expect("a booking");
    assert_eq!(event, WebhookBody::Booking(Booking::new("b-7")));
    assert!(received(b"[").is_err());
}
