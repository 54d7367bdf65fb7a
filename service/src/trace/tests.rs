use axum::http::HeaderValue;
use tokio::sync::mpsc;

use super::otlp::Recorder;
use super::*;

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[test]
fn contexts_are_read_as_the_specification_says() {
    let read = TraceContext::parse(PARENT).unwrap();
    assert_eq!((read.to_string().as_str(), read.is_sampled()), (PARENT, true));
    for valid in [
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff",
        "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-will-be-like",
    ] {
        assert!(TraceContext::parse(valid).is_some(), "{valid}");
    }
    for invalid in [
        "",
        "00",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
        "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
    ] {
        assert_eq!(TraceContext::parse(invalid), None, "{invalid}");
    }
    let mut headers = HeaderMap::new();
    headers.append(TRACEPARENT, HeaderValue::from_static(PARENT));
    assert_eq!(of_headers(&headers), Some(read));
    headers.append(TRACEPARENT, HeaderValue::from_static(PARENT));
    assert_eq!(of_headers(&headers), None, "two contexts");
}

#[tokio::test]
async fn without_an_exporter_the_context_passes_through() {
    assert!(current().is_none() && headers().is_empty());
    let parent = TraceContext::parse(PARENT);
    let span = Span::start(Kind::Server, "GET /", parent);
    span.scope(async { assert_eq!(headers()[TRACEPARENT], PARENT) }).await;
    let begun = Span::start(Kind::Server, "GET /", None).context();
    assert!(!begun.is_sampled() && TraceContext::parse(&begun.to_string()) == Some(begun));
    Span::start(Kind::Server, "GET /", None).scope(async { assert!(headers().is_empty()) }).await;
}

#[test]
fn a_full_queue_drops_spans() {
    let (queue, mut received) = mpsc::channel(1);
    let recorder: &Recorder = Box::leak(Box::new(Recorder::new(queue, 1.0)));
    for name in ["first", "second"] {
        drop(Span::recorded_by(recorder, Kind::Internal, name, None, TraceContext::new(true)));
    }
    assert_eq!(received.try_recv().unwrap().name, "first");
    assert!(received.try_recv().is_err());
}
