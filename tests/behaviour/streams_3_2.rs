//! Streams of items as OpenAPI 3.2 describes them, in both directions.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use fixture_openapi_3_2_streams_client::{Client, Error, RetryPolicy, models};
use fixture_openapi_3_2_streams_server::{
    Rejection, Server,
    events::EventsApi,
    points::PointsApi,
    runtime::{Context, Failure},
};
use futures_util::{Stream, StreamExt, stream};
use models::{
    common::{Change, Point, PointAdded, TextAdded},
    events::{
        EchoEventsBodyItem, EchoEventsBodyItemAddPoint, EchoEventsBodyItemAddText, EchoEventsInput,
    },
    points::{CountPointsInput, SumPointsBody, SumPointsInput},
    types::{Event, ItemStream, NoError, StreamError, StreamErrorKind},
};
use tokio::sync::mpsc;

use crate::serving;

#[derive(Default)]
struct Points {
    calls: AtomicUsize,
}

impl PointsApi for Points {
    async fn sum_points(
        &self,
        _: Context<()>,
        input: SumPointsInput,
    ) -> Result<ItemStream<Point>, Failure<NoError>> {
        let (SumPointsBody::XNdjson(points) | SumPointsBody::JsonSeq(points)) = input.body;
        let sums = points.scan(Point::new(0.0, 0.0), |sum, point| {
            let next = point.map(|point| {
                *sum = Point::new(sum.x + point.x, sum.y + point.y);
                sum.clone()
            });
            std::future::ready(Some(next))
        });
        Ok(ItemStream::new(sums))
    }

    async fn count_points(
        &self,
        _: Context<()>,
        mut input: CountPointsInput,
    ) -> Result<i64, Failure<NoError>> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let mut count = 0;
        // BEGIN docs/streams.md
        while let Some(point) = input.body.next().await {
            let point = point.map_err(Failure::unread)?; // 400 if an item is invalid
            count += i64::from(point.x >= 0.0);
        }
        // END docs/streams.md
        if count == 0 {
            return Err(Failure::rejected(Rejection::Unavailable { retry_after: None }));
        }
        Ok(count)
    }
}

async fn count(
    client: &Client,
    points: impl Stream<Item = Result<Point, StreamError>> + Send + 'static,
) -> Result<i64, Error<NoError>> {
    // BEGIN docs/streams.md
    client.count_points(ItemStream::new(points)).await?; // `points` is a stream of results
    client.count_points(ItemStream::from(vec![Point::new(1.0, 2.0)])).await
    // END docs/streams.md
}

struct Events;

impl EventsApi for Events {
    async fn echo_events(
        &self,
        _: Context<()>,
        input: EchoEventsInput,
    ) -> Result<ItemStream<Change>, Failure<NoError>> {
        Ok(ItemStream::new(input.body.map(|event| {
            event.map(|event| match event {
                EchoEventsBodyItem::AddText(text) => Change::TextAdded(TextAdded::new(text.data)),
                EchoEventsBodyItem::AddPoint(point) => Change::PointAdded(PointAdded::new(point.data)),
            })
        })))
    }

    async fn progress(&self, _: Context<()>) -> Result<ItemStream<Event<Point>>, Failure<NoError>> {
        Ok(vec![Event::new(Point::new(1.0, 2.0)).named("half").with_id("1")].into())
    }
}

async fn start() -> (Client, String, Arc<Points>) {
    let points = Arc::new(Points::default());
    let service =
        Server::builder().points(Arc::clone(&points)).events(Arc::new(Events)).build().expect("a service");
    let url = serving::start(service).await;
    let retry = RetryPolicy::default().base_delay(std::time::Duration::ZERO);
    (Client::builder().base_url(&url).retry(retry).build().expect("a client"), url, points)
}

/// Each sum arrives before the next point is sent.
#[tokio::test]
async fn items_are_decoded_while_others_are_not_sent_yet() {
    let (client, ..) = start().await;
    for body in [SumPointsBody::XNdjson, SumPointsBody::JsonSeq] {
        let (sender, receiver) = mpsc::channel::<Point>(1);
        let points = stream::unfold(receiver, |mut receiver| async {
            receiver.recv().await.map(|point| (Ok::<_, StreamError>(point), receiver))
        });
        sender.send(Point::new(1.0, 2.0)).await.expect("somebody listens");
        let mut sums = client.sum_points(body(ItemStream::new(points))).await.expect("a response");
        assert_eq!(sums.next().await.expect("a sum").expect("a point"), Point::new(1.0, 2.0));
        sender.send(Point::new(3.0, 4.0)).await.expect("somebody listens");
        assert_eq!(sums.next().await.expect("a sum").expect("a point"), Point::new(4.0, 6.0));
        drop(sender);
        assert!(sums.next().await.is_none());
    }
}

#[tokio::test]
async fn each_item_is_validated() {
    let (client, url, _) = start().await;
    let good = Point::new(100.0, 0.0);
    let points = stream::iter([Ok(good.clone())]);
    assert_eq!(count(&client, points).await.expect("a number"), 1);
    let points = ItemStream::from(vec![good.clone(), good.clone()]);
    assert_eq!(client.count_points(points).await.expect("a number"), 2);
    let count = |points: Vec<Point>| client.count_points(ItemStream::from(points));
    let error = count(vec![good.clone(), Point::new(101.0, 0.0)]).await.expect_err("the second is too far");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(400));
    assert!(error.to_string().contains("[1].x"), "{error}");

    let post = |body: &'static str| serving::post(&url, "/points/count", "application/jsonl", body);
    for (body, status, part) in [
        ("{\"x\":1,\"y\":1}\n\n {\"x\":1,\"y\":1}", 200, "2"),
        ("{\"x\":1}\n", 400, "[0].y"),
        ("{\"x\":1,\"y\":1}\n{\"x\":\"1\",\"y\":1,\"z\":1}\n", 400, "[1].z"),
        ("{\"x\":1,\n\"y\":1}\n", 400, "too early"),
    ] {
        let response = post(body).await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status}")) && response.contains(part), "{body}: {response}");
    }
    let charset = serving::post(&url, "/points/count", "application/jsonl; charset=latin1", "").await;
    assert!(charset.starts_with("HTTP/1.1 503"), "no body has no charset, and no items: {charset}");
    let charset = serving::post(&url, "/points/count", "application/jsonl; charset=latin1", "{}").await;
    assert!(charset.starts_with("HTTP/1.1 415"), "{charset}");
}

#[tokio::test]
async fn a_stream_is_as_long_as_its_limit_and_sent_once() {
    let (client, _, points) = start().await;
    let far = vec![Point::new(1.0, 1.0); 400];
    let mut sums = client.sum_points(SumPointsBody::XNdjson(far.into())).await.expect("a response");
    let mut count = 0;
    let error = loop {
        match sums.next().await.expect("it does not end well") {
            Ok(_) => count += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error.kind(), StreamErrorKind::Broken(_)) && count < 400, "{count}: {error}");

    let error = client.count_points(ItemStream::from(Vec::new())).await.expect_err("it is busy");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(503));
    assert_eq!(points.calls.load(Ordering::SeqCst), 1, "its items are gone");
}

/// A stream may be longer than the default limit of bodies, but each item is held in memory.
#[tokio::test]
async fn an_item_is_as_long_as_other_bodies_may_be() {
    let service = Server::builder().points(Arc::new(Points::default())).events(Arc::new(Events));
    let url = serving::start(service.default_body_limit(60).build().expect("a service")).await;
    let client = Client::builder().base_url(&url).build().expect("a client");
    let sums = client.sum_points(SumPointsBody::XNdjson(vec![Point::new(1.0, 1.0); 100].into())).await;
    let sums: Vec<_> = sums.expect("a response").collect().await;
    assert_eq!(sums.len(), 100);
    assert!(sums.iter().all(Result::is_ok), "{sums:?}");
    let long = format!("{{\"x\":1,\"y\":1{}}}\n", " ".repeat(60));
    for (second, is_whole) in [(POINT, true), (long.as_str(), false)] {
        let response = serving::post_pieces(&url, "/points", "application/x-ndjson", [POINT, second]).await;
        assert!(response.starts_with("HTTP/1.1 200") && response.contains("{\"x\":1,\"y\":1}"), "{response}");
        assert_eq!(response.ends_with("0\r\n\r\n"), is_whole, "{response}");
    }
}

const POINT: &str = "{\"x\":1,\"y\":1}\n";

#[tokio::test]
async fn events_go_both_ways() {
    let (client, url, _) = start().await;
    // Text that looks like JSON is text, because of the name of the event.
    let texts = ["plain", "12", "\"quoted\"", "two\nlines", "[DONE]"];
    let mut sent: Vec<_> =
        texts.map(|text| EchoEventsBodyItem::AddText(EchoEventsBodyItemAddText::new(text))).into();
    sent.push(EchoEventsBodyItem::AddPoint(EchoEventsBodyItemAddPoint::new(Point::new(1.0, 2.0))));
    let mut expected: Vec<_> = texts.map(|text| Change::TextAdded(TextAdded::new(text))).into();
    expected.push(Change::PointAdded(PointAdded::new(Point::new(1.0, 2.0))));
    let heard = client.echo_events(ItemStream::from(sent)).await.expect("a response");
    let heard: Vec<_> = heard.map(|event| event.expect("an event")).collect().await;
    assert_eq!(heard, expected);

    let progress: Vec<_> = client.progress().await.expect("events").collect().await;
    let [Ok(event)] = progress.as_slice() else { panic!("one event: {progress:?}") };
    assert_eq!(event, &Event::new(Point::new(1.0, 2.0)).named("half").with_id("1"));

    // The data of a point is not text, and a point is validated.
    for (data, is_whole) in
        [("{\"x\":1,\"y\":1}", true), ("none", false), ("{\"x\":1}", false), ("{\"x\":101,\"y\":1}", false)]
    {
        let second = format!("event: addPoint\ndata: {data}\n\n");
        let pieces = ["event: addText\ndata: first\n\n", second.as_str()];
        let response = serving::post_pieces(&url, "/events", "text/event-stream", pieces).await;
        assert!(response.starts_with("HTTP/1.1 200") && response.contains("data: first"), "{response}");
        assert_eq!(response.ends_with("0\r\n\r\n"), is_whole, "a response is cut off: {response}");
    }
}
