//! Bodies in XML between a generated server and a generated client.

use std::sync::Arc;

use fixture_xml_client::{Client, Error, ErrorKind, models};
use fixture_xml_server::{
    Server,
    orders::OrdersApi,
    policies::PoliciesApi,
    runtime::{Context, Failure},
};
use models::{
    common::{Card, Customer, Fault, Invoice, Line, Link, Names, Order, OrderStatus, Policy, Rule},
    orders::{
        CreateOrderBody, CreateOrderOutput, CreateOrderError, CreateOrderInput, GetOrderError, GetOrderInput,
    },
    policies::{SetPolicyBody, SetPolicyInput},
    types::{Map, NoError, Nullable},
};

use crate::serving;

struct Orders;

impl OrdersApi for Orders {
    /// Returns the order in the format of the request. Order 409 exists.
    async fn create_order(
        &self,
        _: Context<()>,
        input: CreateOrderInput,
    ) -> Result<CreateOrderOutput, Failure<CreateOrderError>> {
        let output = match input.body {
            CreateOrderBody::Json(order) => CreateOrderOutput::Json(order),
            CreateOrderBody::Xml(order) if order.id == 409 => {
                let mut fault = Fault::new("exists");
                fault.message = Some("It <exists>.".to_owned());
                return Err(CreateOrderError::Conflict(fault).into());
            }
            CreateOrderBody::Xml(order) => CreateOrderOutput::Xml(order),
        };
        Ok(output)
    }

    async fn get_order(&self, _: Context<()>, input: GetOrderInput) -> Result<Order, Failure<GetOrderError>> {
        match input.id {
            404 => Err(GetOrderError::NotFound(Fault::new("none")).into()),
            // XML has no control characters.
            500 => Ok(order(500).with_note("\u{1}")),
            id => Ok(order(id)),
        }
    }
}

impl PoliciesApi for Orders {
    async fn set_policy(&self, _: Context<()>, input: SetPolicyInput) -> Result<Names, Failure<NoError>> {
        Ok(input.body.policy.rules.into_iter().flatten().map(|rule| rule.name).collect())
    }
}

fn order(id: i64) -> Order {
    Order::new(id, None, Customer::new("Ada"), Vec::new())
}

async fn start() -> (Client, String) {
    let api = Arc::new(Orders);
    let service = Server::builder().orders(Arc::clone(&api)).policies(api).build().expect("a service");
    let url = serving::start(service).await;
    (Client::builder().base_url(&url).build().expect("a client"), url)
}

/// Returns an order with everything.
fn full() -> Order {
    let line = Line::new("A").with_count(2).with_description("<b>]]></b>");
    Order::new(1, 3, Customer::new(" A & B ").with_vip(true), vec![line, Line::new("B")])
        .with_language("de")
        .with_kind("o:special")
        .with_status(OrderStatus::Paid)
        .with_placed_at("2026-01-02T03:04:05Z".parse().expect("a date-time"))
        .with_note(Nullable::Null)
        .with_tag(vec!["a".to_owned(), "\r\n".to_owned()])
        .with_codes(vec![1, 2])
        .with_links(vec![Link::new("https://a.example/?a=\"b\"&c=<d>")])
        .with_matrix(vec![vec![1.0, 2.5], Vec::new(), vec![3.0]])
        .with_payment(Card::new("4111"))
        .with_labels(Map::from([("a".to_owned(), "b".to_owned()), ("c".to_owned(), String::new())]))
        .with_details("<p>")
        .with_parent(Box::new(order(2).with_payment(Invoice::default().with_days(30))))
}

#[tokio::test]
async fn the_same_value_is_json_or_xml() {
    let (client, _) = start().await;
    let json = client.create_order(CreateOrderBody::Json(full())).await.expect("an order");
    assert!(matches!(&json, CreateOrderOutput::Json(_)));
    let xml = client.create_order(CreateOrderBody::Xml(full())).await.expect("an order");
    let (CreateOrderOutput::Json(json), CreateOrderOutput::Xml(xml)) = (json, xml) else {
        panic!("the format is that of the request");
    };
    assert_eq!((json, xml), (full_as_read(), full_as_read()));
    let stored = client.get_order(7).await.expect("an order");
    assert_eq!(stored, order(7), "the order has another name there");
    let names = client
        .set_policy(SetPolicyBody::new(Policy::default().with_rules(vec![Rule::new("a"), Rule::new("b")])))
        .await
        .expect("names");
    assert_eq!(names, ["a", "b"]);
}

/// Returns the full order with the discriminators that unions write.
fn full_as_read() -> Order {
    let mut order = full();
    let mut card = Card::new("4111");
    card.method = "Card".to_owned();
    order.payment = Some(card.into());
    let mut invoice = Invoice::default().with_days(30);
    invoice.method = "Invoice".to_owned();
    if let Some(parent) = &mut order.parent {
        parent.payment = Some(invoice.into());
    }
    order
}

#[tokio::test]
async fn errors_are_xml() {
    let (client, _) = start().await;
    let error = client.create_order(CreateOrderBody::Xml(order(409))).await.expect_err("it exists");
    let Some(CreateOrderError::Conflict(fault)) = error.as_api().map(|api| &api.body) else { panic!("a fault: {error}") };
    assert_eq!((fault.code.as_str(), fault.message.as_deref()), ("exists", Some("It <exists>.")));
    let error: Error<GetOrderError> = client.get_order(404).await.expect_err("there is none");
    assert!(matches!(error.as_api().map(|api| &api.body), Some(GetOrderError::NotFound(fault)) if fault.message.is_none()));
}

#[tokio::test]
async fn values_that_xml_can_not_represent_are_not_sent() {
    let (client, url) = start().await;
    let labels = Map::from([("a b".to_owned(), String::new())]);
    let unwritable = order(1).with_labels(labels);
    let error = client.create_order(CreateOrderBody::Xml(unwritable.clone())).await.expect_err("no name");
    assert!(matches!(error.kind(), ErrorKind::Encode(_)), "{error}");
    assert!(error.to_string().contains("labels"), "{error}");
    client.create_order(CreateOrderBody::Json(unwritable)).await.expect("JSON has no such limits");
    let response = serving::request(&url, "GET", "/orders/500", "").await;
    assert!(response.starts_with("HTTP/1.1 500"), "{response}");
}

const XML: &str = "application/xml";

#[tokio::test]
async fn documents_are_as_described() {
    let (_, url) = start().await;
    let body = |content: &str| {
        format!(
            "<o:order xmlns:o='https://orders.example/' xmlns:l='http://www.w3.org/2005/Atom' id='1' {content}</o:order>"
        )
    };
    let minimal = body("><buyer>Ada</buyer><lines/>");
    let written = "<o:order xmlns:o=\"https://orders.example/\" id=\"1\"><buyer>Ada</buyer><lines/></o:order>";
    let nested = "><l:link href='a'/><buyer vip='1'>Ada</buyer><lines><line sku='a'/><line><count>x</count></line></lines>\
         <tags><tag/><label>x</label></tags><code>1</code><code>1</code><payment method='Card'/><labels><a>too long</a></labels>\
         <order id='0'><lines/></order>";
    let many = "rev='x' xml:lang='long-one'><buyer>a very long name</buyer><lines><line sku='A' x=''/><item/></lines><note>x</note><note>y</note>";
    for (body, status, expected) in [
        (minimal.clone(), 200, &[written][..]),
        (format!("<!-- a -->{minimal}<?b?>"), 200, &[written]),
        // Other elements are ignored, as other properties of an object are.
        (body("><other/><buyer>Ada</buyer><lines/>"), 200, &[written]),
        (
            body(nested),
            400,
            &[
                "\"name\":\"customer.vip\"",
                "\"name\":\"lines[0].sku\"",
                "\"name\":\"lines[1].sku\"",
                "\"name\":\"lines[1].count\"",
                "\"name\":\"tag.label\"",
                "\"name\":\"codes\",\"in\":\"body\",\"code\":\"unique-items\"",
                "\"name\":\"payment.number\"",
                "\"name\":\"labels.a\"",
            ],
        ),
        (
            body(many),
            400,
            &[
                "\"name\":\"version\",\"in\":\"body\",\"code\":\"wrong-type\"",
                "\"name\":\"language\",\"in\":\"body\",\"code\":\"max-length\"",
                "\"name\":\"note\",\"in\":\"body\",\"code\":\"duplicate\"",
                "\"name\":\"customer.name\"",
                "\"name\":\"lines[0].x\",\"in\":\"body\",\"code\":\"unknown\"",
                "\"name\":\"lines.item\",\"in\":\"body\",\"code\":\"unknown\"",
            ],
        ),
        (body(">"), 400, &["\"name\":\"customer\"", "\"name\":\"lines\""]),
        (minimal.replace("https://orders.example/", "https://other.example/"), 400, &["expected the root element `order`"]),
        (minimal.replace("</o:order>", ""), 400, &["the document ends within an element (line 1, column "]),
        (String::new(), 400, &["the body is empty"]),
        ("<!DOCTYPE order [<!ENTITY a 'b'>]><order>&a;</order>".to_owned(), 400, &["a document type declaration is not allowed"]),
    ] {
        let response = serving::post(&url, "/orders", XML, &body).await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{body}: {response}");
        for part in expected {
            assert!(response.contains(part), "{body}: {part} is not in {response}");
        }
    }
    let response = serving::post(&url, "/orders", "text/xml", &minimal).await;
    assert!(response.starts_with("HTTP/1.1 415"), "{response}");
    let response = serving::post(&url, "/orders", "application/xml; charset=iso-8859-1", &minimal).await;
    assert!(response.starts_with("HTTP/1.1 415"), "{response}");
}

#[tokio::test]
async fn a_client_accepts_what_servers_send() {
    let document = "<?xml version='1.0' encoding='utf-8'?>\n<Stored id='7'>\n  <buyer>Ada</buyer>\n  <lines><entry sku='A'/></lines>\n  <new>1</new>\n</Stored>";
    for content_type in ["text/xml; charset=utf-8", "application/xml", ""] {
        let header =
            if content_type.is_empty() { String::new() } else { format!("content-type: {content_type}\r\n") };
        let response = format!("HTTP/1.1 200 OK\r\n{header}content-length: {}\r\n\r\n{document}", document.len());
        let url = serving::response(vec![response.into_bytes()], false).await;
        let client = Client::builder().base_url(&url).build().expect("a client");
        let read = client.get_order(7).await.expect("an order");
        let mut expected = order(7);
        expected.lines = vec![Line::new("A")];
        assert_eq!(read, expected);
    }
    let response = "HTTP/1.1 200 OK\r\ncontent-type: text/xml\r\ncontent-length: 14\r\n\r\n<stored id='7'";
    let url = serving::response(vec![response.into()], false).await;
    let client = Client::builder().base_url(&url).build().expect("a client");
    let error = client.get_order(7).await.expect_err("it is cut off");
    assert!(error.to_string().contains("(line 1, column 1)"), "{error}");
}
