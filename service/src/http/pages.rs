//! The pages that a resource's licence and product link to.
//!
//! They explain the meaning of the words in this service.

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::docs::POLICY;
use super::files::not_found;

/// A page: its name in URLs, its title and its text.
struct Page {
    name: &'static str,
    title: &'static str,
    text: &'static str,
}

const LICENSES: &[Page] = &[
    Page {
        name: "freemium",
        title: "Licence: freemium",
        text: "The operator of this service offers the resource to every API key. That permits a download here. It grants \
               no rights to the content of the file, which only its author can grant. Ask the operator for the terms of \
               the collection.",
    },
    Page {
        name: "premium",
        title: "Licence: premium",
        text: "The operator of this service has marked the resource as one whose use needs a premium licence. This \
               service neither sells nor checks such licences. Ask the operator for the terms and how to get a licence.",
    },
];

const PRODUCTS: &[Page] = &[
    Page {
        name: "essential",
        title: "Product: essential",
        text: "The part of the catalogue that needs no premium licence. You need not buy anything here.",
    },
    Page {
        name: "premium",
        title: "Product: premium",
        text: "The part of the catalogue whose resources need a premium licence. This service sells nothing: ask the \
               operator what the product is and where to get it.",
    },
];

/// `GET /licenses/{name}`: returns the page of a licence.
pub(super) async fn license(Path(name): Path<String>) -> Response {
    page(LICENSES, &name)
}

/// `GET /products/{name}`: returns the page of a product.
pub(super) async fn product(Path(name): Path<String>) -> Response {
    page(PRODUCTS, &name)
}

fn page(pages: &[Page], name: &str) -> Response {
    let Some(Page { title, text, .. }) = pages.iter().find(|page| page.name == name) else {
        return not_found();
    };
    let html = format!(
        r#"<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>{title}</title>
  <link rel="stylesheet" href="/docs/page.css">
</head>
<body>
  <nav aria-label="Related pages"><a href="/docs">All operations</a></nav>
  <main>
    <h1>{title}</h1>
    <p>{text}</p>
  </main>
</body>
</html>
"#
    );
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, POLICY)];
    (headers, html).into_response()
}
