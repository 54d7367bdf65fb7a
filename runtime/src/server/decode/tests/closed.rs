//! Closed queries: names that the document does not describe are violations.

use super::*;
use crate::table::{Requirement, Scheme, SchemeKind};

static KEY: Scheme = Scheme::new("key", SchemeKind::ApiKeyQuery("api key"));
static SECURITY: &[&[Requirement]] = &[&[Requirement::new(&KEY)]];

const fn closed(parameters: &'static [Parameter]) -> Operation {
    Operation::new("find", "notes", "GET", "/notes/{id}")
        .parameters(parameters)
        .security(SECURITY)
        .closed_query()
}

/// Decodes a query, and returns the unknown names or the other violations.
fn unknown(operation: &'static Operation, query: &str) -> Vec<String> {
    let refused = Sent { query, body: b"", ..GOOD }.decode::<Value>(operation);
    match refused {
        Ok(_) => Vec::new(),
        Err(Refused::Invalid(violations)) => {
            let reported = |it: &Violation| format!("{} {} {}", it.location, it.name, it.expected());
            violations.iter().map(reported).collect()
        }
        Err(other) => panic!("{query}: {other}"),
    }
}

/// An input of any parameters, which it does not keep.
#[derive(Debug)]
struct Value;

impl Decode for Value {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        reader.object(&[], &mut [], AdditionalProperties::Ignore).map(|()| Self)
    }
}

impl Encode for Value {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[], None);
    }
}

#[test]
fn an_open_query_may_have_any_name() {
    static OPEN: Operation = Operation::new("find", "notes", "GET", "/notes").parameters(PLAIN);
    assert!(unknown(&OPEN, "colour=red&filter.age=1").is_empty());
}

static PLAIN: &[Parameter] = &[
    parameter("X-Size", Location::Header, Style::Simple, &POSITIVE),
    parameter("ids", Location::Query, Style::Form, &NUMBERS),
    parameter("filter", Location::Query, Style::DeepObject, &FILTER),
];

#[test]
fn a_closed_query_has_only_described_names() {
    static CLOSED: Operation = closed(PLAIN);
    for good in ["", "ids=1&ids=2&filter[age]=1", "filter%5Bage%5D=1&api+key=secret", "%66ilter[age]=1"] {
        assert!(unknown(&CLOSED, good).is_empty(), "{good}");
    }
    let reported = |name: &str| format!("query {name} is not one of the parameters ids, filter");
    for (bad, names) in [
        ("filters[age]=1", &["filters[age]"][..]),
        ("filter.age=1&IDS=1&ids=1", &["filter.age", "IDS"]),
        ("age={'a':1}&x-size=1&age=2", &["age", "x-size"]),
        ("=1", &["query"]),
        ("%FF", &["\u{fffd}\u{fffd}"]),
    ] {
        let names: Vec<String> = names.iter().map(|name| reported(name)).collect();
        assert_eq!(unknown(&CLOSED, bad), names, "{bad}");
    }
    let long = "x".repeat(200);
    assert_eq!(unknown(&CLOSED, &long), [reported(&format!("{}…", "x".repeat(100)))]);
    let many: String = (0..1000).map(|index| format!("&x{index}")).collect();
    assert_eq!(unknown(&CLOSED, &many).len(), Violations::CAP);
}

#[test]
fn an_operation_without_parameters_can_have_a_closed_query() {
    static CLOSED: Operation = closed(&[]);
    let sent = Sent { query: "page=2", body: b"", ..GOOD };
    let Err(Refused::Invalid(violations)) = sent.decode::<()>(&CLOSED) else { panic!("accepted") };
    assert_eq!(violations.to_string(), "`page` is not a known parameter");
    assert!(Sent { query: "", body: b"", ..GOOD }.decode::<()>(&CLOSED).is_ok());
}

#[test]
fn a_parameter_may_take_all_names() {
    static OBJECT: Schema = Schema::new(Type::Object(Object::new(&[Field::optional("age", &POSITIVE)])));
    static MAP: Schema =
        Schema::new(Type::Object(Object { additional: Additional::Kept(&STRING), ..Object::new(&[]) }));
    static SPREAD: Operation = closed(&[parameter("person", Location::Query, Style::Form, &OBJECT)]);
    static OTHERS: Operation = closed(&[parameter("others", Location::Query, Style::Form, &MAP)]);
    static WHOLE: Operation = closed(&[Parameter::query_string("all", ContentFormat::Form, &MAP)]);
    assert!(unknown(&SPREAD, "age=1").is_empty());
    assert_eq!(unknown(&SPREAD, "height=1").len(), 1);
    assert!(unknown(&OTHERS, "height=1").is_empty());
    assert!(unknown(&WHOLE, "height=1").is_empty());
}
