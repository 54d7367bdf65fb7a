//! The filters of a search as clients in other languages send them: right or refused, never ignored.
//!
//! Each query is what the library sent for the same filters, as a server recorded it. The docs have a line for each
//! (`docs/other-clients.md`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::running::Running;
use super::waiting::eventually;
use crate::service::http_client;
use crate::service::requests::response;

/// The response that a query gets.
#[derive(Debug)]
enum Expected {
    /// The one resource that the filters select.
    Found,
    /// 400, which names these parameters.
    Refused(&'static [&'static str]),
}
use Expected::{Found, Refused};

const UNREADABLE: &str = "must be keys in square brackets or an object in JSON";

/// Clients that were generated from `/openapi.json`, or that use it.
const CLIENTS: &[(&str, &str, Expected)] = &[
    (
        "openapi-fetch 0.17.0 with qs 6.17.1",
        "filters%5Borientation%5D%5Bsquare%5D=1&filters%5Bcontent_type%5D%5Bphoto%5D=1&filters%5Bpeople%5D%5Bnumber%5D=1&\
         filters%5Bpeople%5D%5Bage%5D=adult&filters%5Bai-generated%5D%5Bexcluded%5D=1",
        Found,
    ),
    (
        "openapi-fetch 0.17.0 with JSON.stringify",
        "filters=%7B%22orientation%22%3A%7B%22square%22%3A1%7D%2C%22content_type%22%3A%7B%22photo%22%3A1%7D%2C%22people\
         %22%3A%7B%22number%22%3A%221%22%2C%22age%22%3A%22adult%22%7D%2C%22ai-generated%22%3A%7B%22excluded%22%3A1%7D%7D",
        Found,
    ),
    (
        "swagger-client 3.37.3 (Swagger UI)",
        "filters%5Borientation%5D=%7B%22square%22%3A1%7D&filters%5Bcontent_type%5D=%7B%22photo%22%3A1%7D&filters%5Bpeople\
         %5D=%7B%22number%22%3A%221%22%2C%22age%22%3A%22adult%22%7D&filters%5Bai-generated%5D=%7B%22excluded%22%3A1%7D",
        Found,
    ),
    ("orval 7.13.2, fetch", "term=space&filters=%5Bobject+Object%5D", Refused(&["filters"])),
    (
        "orval 7.13.2, axios 1.21.1",
        "term=space&filters%5Borientation%5D%5Bsquare%5D=1&filters%5Bcontent_type%5D%5Bphoto%5D=1&filters%5Bpeople%5D%5B\
         number%5D=1&filters%5Bpeople%5D%5Bage%5D=adult&filters%5Bai-generated%5D%5Bexcluded%5D=1",
        Found,
    ),
    (
        "openapi-generator 7.26.0, typescript-fetch",
        "term=space&filters%5Borientation%5D%5Bsquare%5D=1&filters%5BcontentType%5D%5Bphoto%5D=1&filters%5Bpeople%5D%5B\
         number%5D=1&filters%5Bpeople%5D%5Bage%5D=adult&filters%5BaiGenerated%5D%5Bexcluded%5D=1",
        Refused(&["filters[contentType]", "filters[aiGenerated]"]),
    ),
    (
        "openapi-generator 7.26.0, typescript-axios",
        "page=1&term=space&orientation.square=1&content_type.photo=1&people.number=1&people.age=adult&\
         ai-generated.excluded=1",
        Refused(&[
            "orientation.square",
            "content_type.photo",
            "people.number",
            "people.age",
            "ai-generated.excluded",
        ]),
    ),
    (
        "openapi-generator 7.26.0, python",
        "term=space&filters=%7B%22orientation%22%3A%20%7B%22square%22%3A%201%7D%2C%20%22content_type%22%3A%20%7B%22photo\
         %22%3A%201%7D%2C%20%22people%22%3A%20%7B%22number%22%3A%20%221%22%2C%20%22age%22%3A%20%22adult%22%7D%2C%20%22\
         ai-generated%22%3A%20%7B%22excluded%22%3A%201%7D%7D",
        Found,
    ),
    (
        "openapi-generator 7.26.0, java",
        "page=1&term=space&filters[orientation][square]=1&filters[content_type][photo]=1&filters[people][number]=1&\
         filters[people][age]=adult&filters[ai-generated][excluded]=1",
        Found,
    ),
    (
        "openapi-python-client 0.29.1",
        "limit=20&order=relevance&term=space&orientation=%7B%27square%27%3A+1%7D&content_type=%7B%27photo%27%3A+1%7D&\
         people=%7B%27number%27%3A+%271%27%2C+%27age%27%3A+%27adult%27%7D&ai-generated=%7B%27excluded%27%3A+1%7D",
        Refused(&["orientation", "content_type", "people", "ai-generated"]),
    ),
    ("insomnia-importers 3.6.0", "filters=[object Object]", Refused(&["filters"])),
    (
        "openapi-to-postmanv2 6.3.3",
        "page=1&limit=20&order=recent&filters[orientation][square]=1&filters[content_type][photo]=1&filters[people]\
         [include]=1&filters[people][number]=1&filters[people][age]=adult",
        Found,
    ),
];

/// Clients that were generated from `/openapi-plain-filters.json`.
const PLAIN: &[(&str, &str)] = &[
    (
        "openapi-fetch 0.17.0, hey-api 0.95.0",
        "term=space&filters[orientation][square]=1&filters[people][number]=1&filters[ai-generated][excluded]=1",
    ),
    (
        "swagger-client 3.37.3, orval 7.13.2, openapi-generator 7.26.0 typescript-fetch and python",
        "term=space&filters%5Borientation%5D%5Bsquare%5D=1&filters%5Bpeople%5D%5Bnumber%5D=1&filters%5Bai-generated%5D%5B\
         excluded%5D=1",
    ),
    (
        "openapi-python-client 0.29.1",
        "limit=20&order=relevance&term=space&filters%5Borientation%5D%5Bsquare%5D=1&filters%5Bpeople%5D%5Bnumber%5D=1",
    ),
];

/// Queries that a person may write by hand.
const BY_HAND: &[(&str, Expected)] = &[
    ("term=space&filters[orientation]={\"square\":1}", Found),
    ("filters={\"people\":{\"age\":\"adult\"}}", Found),
    ("filters[people]={\"age\":\"adult\"}&filters[orientation][square]=1", Found),
    ("filters=orientation,square", Refused(&["filters"])),
    ("filters=", Refused(&["filters"])),
    ("filters", Refused(&["filters"])),
    ("filters={'orientation':{'square':1}}", Refused(&["filters"])),
    ("filters[orientation]=square", Refused(&["filters[orientation]"])),
    ("filters[orientation]=[object Object]", Refused(&["filters[orientation]"])),
    ("filters[orientation][square", Refused(&["filters"])),
    ("filters={\"orientation\":{\"round\":1}}", Refused(&["filters[orientation][round]"])),
    ("filters={\"orientation\":{\"square\":1}}&filters[color]=red", Refused(&["filters"])),
    ("filter[orientation][square]=1", Refused(&["filter[orientation][square]"])),
    ("Filters[orientation][square]=1", Refused(&["Filters[orientation][square]"])),
    ("filters.orientation.square=1", Refused(&["filters.orientation.square"])),
    ("filters_orientation=square", Refused(&["filters_orientation"])),
    ("orientation[square]=1", Refused(&["orientation[square]"])),
    ("colour=red", Refused(&["colour"])),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_client_gets_a_response_without_its_filters() {
    let running = Running::start(&["--demo", "--threads", "0"]);
    let ask = async |query: &str| response(running.get(&format!("/v1/resources?{query}"))).await;
    let total = async |query: &str| ask(query).await.1["meta"]["total"].as_u64();
    eventually("the demo has too few resources", async || (total("").await == Some(4)).then_some(())).await;
    assert_eq!(total("term=space").await, Some(2));

    let plain = PLAIN.iter().map(|(client, query)| (*client, *query, &Found));
    let by_hand = BY_HAND.iter().map(|(query, expected)| ("by hand", *query, expected));
    let clients = CLIENTS.iter().map(|(client, query, expected)| (*client, *query, expected));
    for (client, query, expected) in clients.chain(plain).chain(by_hand) {
        let (status, body) = ask(query).await;
        match expected {
            Found => {
                assert_eq!(
                    (status, body["meta"]["total"].as_u64()),
                    (200, Some(1)),
                    "{client}: {query}: {body}"
                );
                assert!(body["data"][0]["title"].as_str().unwrap().contains("astronaut"), "{client}");
            }
            Refused(names) => {
                assert_eq!(status, 400, "{client}: {query}: {body}");
                let violations = body["invalid_params"].as_array().unwrap();
                let text = |violation: &Value, field: &str| violation[field].as_str().unwrap().to_owned();
                let output: Vec<String> = violations.iter().map(|it| text(it, "name")).collect();
                assert_eq!(output, *names, "{client}: {query}");
                for reason in violations.iter().map(|it| text(it, "reason")) {
                    assert!(reason.starts_with("Parameter '"), "{client}: {query}: {reason}");
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_names_the_readable_media_types() {
    let running = Running::start(&["--threads", "0"]);
    for (query, reason) in [
        ("filters=%5Bobject+Object%5D", format!("Parameter 'filters' is not valid: {UNREADABLE}")),
        (
            "filters[orientation]=square",
            format!("Parameter 'filters[orientation]' is not valid: {UNREADABLE}"),
        ),
        ("filters={'a':1}", "Parameter 'filters' is not valid: must be valid JSON".to_owned()),
        (
            "filter[color]=red",
            "Parameter 'filter[color]' is not valid: is not one of the parameters page, limit, order, term, filters"
                .to_owned(),
        ),
        // The reference's own text, for a filter that can be read.
        ("filters[color]=beige", "Parameter 'filter' is not valid".to_owned()),
        ("filters={\"color\":\"beige\"}", "Parameter 'filter' is not valid".to_owned()),
    ] {
        let response = running.get(&format!("/v1/resources?{query}")).send().await.unwrap();
        assert_eq!(response.status(), 400, "{query}");
        let body: Value = response.json().await.unwrap();
        assert_eq!(body["message"], reason, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_plain_document_describes_the_same_filters() {
    let running = Running::start(&["--threads", "0"]);
    let document = async |name: &str| {
        http_client::get(format!("{}/{name}", running.url)).await.unwrap().json::<Value>().await.unwrap()
    };
    let (nested, plain) = (document("openapi.json").await, document("openapi-plain-filters.json").await);
    let parameters = |document: &Value| {
        let list = &document["paths"]["/v1/resources"]["get"]["parameters"];
        list.as_array().unwrap().clone()
    };
    let names = |parameters: &[Value]| -> BTreeSet<String> {
        parameters.iter().filter_map(|parameter| Some(parameter["name"].as_str()?.to_owned())).collect()
    };
    let all = names(&parameters(&plain));
    for name in ["filters[orientation][square]", "filters[ai-generated][excluded]", "filters[ids]", "term"] {
        assert!(all.contains(name), "{name} is missing in {all:?}");
    }
    assert!(!all.contains("filters"));
    assert!(!plain["paths"].to_string().contains("deepObject"), "a parameter is still nested");
    // Apart from parameters, the documents are equal.
    let without = |mut document: Value| {
        document["paths"]["/v1/resources"]["get"]["parameters"].take();
        document
    };
    let plain_text = plain.to_string();
    assert_eq!(without(nested), without(plain));
    let report = openapi_crates::lint("openapi-plain-filters.json", &plain_text);
    assert!(report.diagnostics.is_empty(), "{report}");
}
