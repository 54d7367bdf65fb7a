//! The pages that a resource's licence and product lead to: what these words mean here, and what they don't.

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::docs::POLICY;
use super::files::not_found;

/// A page: its name in URLs, its title, and what it says.
struct Page {
    name: &'static str,
    title: &'static str,
    text: &'static str,
}

const LICENSES: &[Page] = &[
    Page {
        name: "freemium",
        title: "Licence: freemium",
        text: "Whoever runs this service offers the resource to every API key. That says who may download it here, and \
               grants no rights to what is in the file: those are its author's to give. Ask who runs this service for the \
               terms of its collections.",
    },
    Page {
        name: "premium",
        title: "Licence: premium",
        text: "Whoever runs this service has marked the resource as one whose use needs a premium licence. This service \
               neither sells such licences nor checks them. Ask who runs it how to get one, and for the terms.",
    },
];

const PRODUCTS: &[Page] = &[
    Page {
        name: "essential",
        title: "Product: essential",
        text: "The part of the catalogue that needs no premium licence. Nothing has to be bought for it here.",
    },
    Page {
        name: "premium",
        title: "Product: premium",
        text: "The part of the catalogue whose resources need a premium licence. This service sells nothing: ask who runs it \
               what the product is and where it is to be had.",
    },
];

/// `GET /licenses/{name}`.
pub(super) async fn license(Path(name): Path<String>) -> Response {
    page(LICENSES, &name)
}

/// `GET /products/{name}`.
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
  <nav aria-label="Elsewhere"><a href="/docs">All operations</a></nav>
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
