//! Tests of `only` and `omit`.

use std::collections::BTreeMap;

use crate::{Generated, Input, Options, Strictness, document::Load, generate_from};

/// A document in which everything that the tag `kept` does not reach is called `gone`.
const DOCUMENT: &str = "
openapi: 3.1.0
info: {title: Shop, version: 1.0.0}
tags: [{name: gone}, {name: kept}]
security: [{goneKey: []}]
paths:
  /kept/{id}:
    parameters: [{$ref: '#/components/parameters/Id'}]
    get:
      operationId: getKept
      tags: [kept]
      security: [{keptKey: []}]
      responses:
        '200': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Kept'}}}}
        '404': {$ref: '#/components/responses/Missing'}
      callbacks: {told: {$ref: '#/components/callbacks/Told'}}
    delete:
      operationId: goneDelete
      tags: [gone]
      responses: {'200': {$ref: '#/components/responses/Gone'}}
  /gone: {$ref: '#/components/pathItems/gone'}
  /shared/{id}: {$ref: '#/components/pathItems/shared'}
  /bundled:
    get:
      operationId: goneBundled
      tags: [gone]
      responses:
        '200':
          description: A target.
          content: {application/json: {schema: {type: object, properties: {bundled: {type: string}}}}}
webhooks:
  goneHook: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Gone'}}}}}}
components:
  pathItems:
    gone: {get: {operationId: goneGet, tags: [gone], responses: {'200': {$ref: '#/components/responses/Gone'}}}}
    shared:
      get: {operationId: getShared, tags: [kept], security: [], responses: {'204': {description: None.}}}
      post: {operationId: gonePost, tags: [gone], responses: {'200': {$ref: '#/components/responses/Gone'}}}
      parameters: [{$ref: '#/components/parameters/Id'}]
  parameters:
    Id: {name: id, in: path, required: true, schema: {$ref: '#/components/schemas/Id'}}
    GoneLimit: {name: gone-limit, in: query, schema: {type: integer}}
  responses:
    Missing: {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Missing'}}}}
    Gone: {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Gone'}}}}
  callbacks:
    Told: {'{$url}': {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Told'}}}}, responses: {}}}}
    Gone: {'{$url}': {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Gone'}}}}, responses: {}}}}
  securitySchemes:
    keptKey: {type: apiKey, in: header, name: kept-key}
    goneKey: {type: apiKey, in: header, name: gone-key}
  schemas:
    Id: {type: string, minLength: 3}
    Missing: {type: object, properties: {why: {type: string}}}
    Told: {type: object, properties: {bundle: {$ref: '#/paths/~1bundled/get/responses/200/content/application~1json/schema'}}}
    Gone: {type: object, properties: {gone: {$ref: '#/components/schemas/GoneToo'}}}
    GoneToo: {type: object, properties: {kept: {$ref: '#/components/schemas/Kept'}}}
    GoneExtension: {allOf: [{$ref: '#/components/schemas/Kept'}, {type: object, properties: {gone: {type: string}}}]}
    Kept: {type: object, x-family: gone-tag, properties: {pet: {$ref: '#/components/schemas/Pet'}, other: {$ref: '#/components/schemas/Other'}}}
    Pet: {type: object, required: [kind], properties: {kind: {type: string}}, discriminator: {propertyName: kind}}
    Dog: {allOf: [{$ref: '#/components/schemas/Pet'}, {type: object, properties: {barks: {type: boolean}}}]}
    Poodle: {allOf: [{$ref: '#/components/schemas/Dog'}, {type: object, properties: {curls: {type: integer}}}]}
    Other:
      oneOf: [{$ref: '#/components/schemas/One'}]
      discriminator: {propertyName: kind, mapping: {two: Two, one: '#/components/schemas/One'}}
    One: {type: object, required: [kind], properties: {kind: {type: string}}}
    Two: {type: object, required: [kind], properties: {kind: {type: string}, second: {type: string}}}
";

fn generate(only: &[&str], omit: &[&str]) -> Generated {
    let text = DOCUMENT.replace("gone-tag", "gone");
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    let options = Options {
        strictness: Strictness::Lenient,
        source: None,
        only: texts(only),
        omit: texts(omit),
        ..Options::new("shop", "shop.yaml")
    };
    crate::generate("shop.yaml", &text, &options).unwrap()
}

/// Returns the files that contain a word in any case.
fn mentions(generated: &Generated, word: &str) -> BTreeMap<String, String> {
    let files = generated.files.as_ref().unwrap();
    let line = |text: &str| {
        let lines = text.lines().filter(|line| line.to_lowercase().contains(word));
        lines.map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    let found = files.iter().map(|(path, text)| (path.to_string(), line(text)));
    found.filter(|(path, line)| !line.is_empty() || path.to_lowercase().contains(word)).collect()
}

#[test]
fn nothing_else_is_generated() {
    let all = generate(&[], &[]);
    for word in ["gone", "poodle", "second", "keptkey", "told", "bundled", "missing"] {
        assert!(!mentions(&all, word).is_empty(), "{word}");
    }
    let kept = generate(&["kept"], &[]);
    assert_eq!((kept.operations, &kept.report.to_string()[..]), (2, ""));
    let left = mentions(&kept, "gone");
    assert!(left.is_empty(), "{left:#?}");
    for word in ["poodle", "second", "kept_key", "told", "bundled", "missing"] {
        assert!(!mentions(&kept, word).is_empty(), "{word}");
    }
}

#[test]
fn entries_choose_by_name_and_by_path() {
    let ids = [
        (&["getKept"][..], &[][..], 1),
        (&["GET /kept/{id}", "post /shared/{id}"], &[], 2),
        (&["/kept"], &[], 2),
        (&["/kept/"], &[], 2),
        (&["kept"], &["/shared"], 1),
        (&[], &["gone"], 2),
        (&[], &["/kept/{id}", "goneGet"], 3),
    ];
    for (only, omit, operations) in ids {
        let generated = generate(only, omit);
        assert_eq!((generated.operations, generated.unused.len()), (operations, 0), "{only:?} {omit:?}");
    }
    for (entry, near) in
        [("/ke", None), ("getKpt", Some("getKept")), ("get /kept/{i}", Some("GET /kept/{id}"))]
    {
        for generated in [generate(&["kept", entry], &[]), generate(&[], &[entry])] {
            assert!(generated.files.is_none());
            let [unused] = &generated.unused[..] else { panic!("{entry}") };
            assert_eq!(unused.near.as_deref(), near);
        }
    }
}

#[test]
fn components_of_other_files_are_left_out() {
    let text = "openapi: 3.0.3\ninfo: {title: A, version: '1'}\npaths:\n  /a:\n    get: {operationId: a, responses: \
                {'200': {description: A., content: {application/json: {schema: {$ref: 'more.yaml#/Kept'}}}}}}\n    \
                put: {operationId: b, responses: {'200': {description: A., content: {application/json: {schema: \
                {$ref: 'more.yaml#/Gone'}}}}}}\n";
    let more = "Kept: {type: object, properties: {inner: {$ref: '#/Inner'}}}\nInner: {type: string, minLength: \
                2}\nGone: {type: object, properties: {gone: {type: string}}}\n";
    let load: &Load<'_> = &|_| Ok(more.to_owned());
    let input = Input { load: Some(load), ..Input::new("a.yaml", text) };
    let options = Options { only: vec!["a".to_owned()], ..Options::new("a", "a.yaml") };
    let generated = generate_from(&input, &options, &|_| {}).unwrap();
    assert!(mentions(&generated, "gone").is_empty());
    assert!(!mentions(&generated, "inner").is_empty());
}
