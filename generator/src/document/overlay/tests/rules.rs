//! The rules that the tests of the Overlay Specification (`compliant-sets`) show, with documents of our own.

use super::{json, overlaid};
use crate::document::Document;

/// The purpose of a test, the document, the actions, the result.
const RULES: &[(&str, &str, &str, &str)] = &[
    (
        "an update adds an object, and the others stay",
        "
info: {title: Trains, version: '1', contact: {name: Ada}}
paths: {}",
        "
  - target: '$.info'
    update:
      license: {name: Own, identifier: MIT-0}",
        "
info: {title: Trains, version: '1', contact: {name: Ada}, license: {name: Own, identifier: MIT-0}}
paths: {}",
    ),
    (
        "an update replaces texts, and adds those that are missing",
        "
paths: {/trains: {get: {summary: Trains, responses: {}}, post: {summary: Adds a train}}}",
        "
  - target: $.paths['/trains'].get
    update:
      description: All trains of today.
      summary: Lists trains",
        "
paths: {/trains: {get: {summary: Lists trains, responses: {}, description: All trains of today.}, post: {summary: Adds a train}}}",
    ),
    (
        "a text is removed, by a name in brackets",
        "
components: {schemas: {Train: {properties: {line: {type: string, example: S1}, seats: {example: 4}}}}}",
        "
  - target: $.components.schemas.Train.properties['line'].example
    remove: true",
        "
components: {schemas: {Train: {properties: {line: {type: string}, seats: {example: 4}}}}}",
    ),
    (
        "fields of one name are removed at all depths",
        "
paths:
  /trains:
    get: {responses: {'200': {description: ok}, '500': {description: no}, default: {description: no}}}
    post: {responses: {'500': {description: no}}, callbacks: {done: {'{$url}': {post: {responses: {'500': {}, '200': {}}}}}}}
components: {responses: {'500': {description: It stays.}}}",
        "
  - target: $.paths..responses['500']
    remove: true

  - target: $.paths..responses['default']
    remove: true",
        "
paths:
  /trains:
    get: {responses: {'200': {description: ok}}}
    post: {responses: {}, callbacks: {done: {'{$url}': {post: {responses: {'200': {}}}}}}}
components: {responses: {'500': {description: It stays.}}}",
    ),
    (
        "a filter in parentheses selects members of objects at all depths",
        "
get:
  responses:
    '200':
      content:
        application/json:
          schema:
            properties: {line: {type: string}, seats: {type: integer}, stops: {type: array, items: {properties: {name: {type: string}, at: {type: number}}}}}
    '404': {schema: {properties: {title: {type: string}}}}",
        "
  - target: $.get.responses['200']..properties[?(@.type == 'string')]
    remove: true",
        "
get:
  responses:
    '200':
      content:
        application/json:
          schema:
            properties: {seats: {type: integer}, stops: {type: array, items: {properties: {at: {type: number}}}}}
    '404': {schema: {properties: {title: {type: string}}}}",
    ),
    (
        "a filter with blanks selects items of an array",
        "
servers: [{url: 'https://a', description: Live}, {url: 'https://b', description: Dev}, {url: 'https://c'}]",
        "
  - target: $.servers[?( @.description == 'Dev' )]
    remove: true",
        "
servers: [{url: 'https://a', description: Live}, {url: 'https://c'}]",
    ),
    (
        "an array is replaced by two actions",
        "
servers: [{url: 'https://a'}, {url: 'https://b'}]
paths: {}",
        "
  - target: '$.servers'
    remove: true
  - target: '$'
    update:
      servers:
        - url: http://localhost:8080
          description: This machine.",
        "
paths: {}
servers: [{url: 'http://localhost:8080', description: This machine.}]",
    ),
    (
        "the root is a target, and a comment is not",
        "
info: {title: Trains, version: '1'}
paths: {}",
        "
  - target: \"$\"   # The whole document.
    update:
      info:
        x-changed: true",
        "
info: {title: Trains, version: '1', x-changed: true}
paths: {}",
    ),
];

#[test]
fn rules_of_the_specification_are_followed() {
    for version in ["1.0.0", "1.1.0"] {
        for (what, before, actions, after) in RULES {
            let document = format!("openapi: 3.1.0{before}\n");
            let overlay =
                format!("overlay: {version}\ninfo:\n  title: Changes\n  version: 1.0.0\nactions:{actions}\n");
            let parsed = overlaid(&document, &[&overlay]);
            assert_eq!(parsed.report().to_string(), "", "{what} ({version})");
            let expected = Document::parse("x.yaml", &format!("openapi: 3.1.0{after}\n"));
            assert_eq!(json(&parsed), json(&expected), "{what} ({version})");
            assert_ne!(json(&parsed), json(&Document::parse("x.yaml", &document)), "{what}: nothing changed");
        }
    }
}
