//! `readOnly` and `writeOnly` behind references.

use super::*;

/// The mark of a property, of what it refers to, of members and of all branches.
#[test]
fn directions_count_behind_references() {
    let schema = |version: &str, property: &str| {
        with_paths(
            "/a: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}, responses: {'200': {description: d, content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}}}",
            &format!(
                "
schemas:
  Id: {{type: integer, readOnly: true}}
  Alias: {{$ref: '#/components/schemas/Id'}}
  Secret: {{type: string, writeOnly: true}}
  State: {{type: string, enum: [a, b], readOnly: true}}
  Owner: {{type: object, readOnly: true, properties: {{x: {{type: string}}}}}}
  Base: {{type: object, required: [p], properties: {{p: {property}}}}}
  A: {{allOf: [{{$ref: '#/components/schemas/Base'}}], required: [q], properties: {{q: {property}}}}}
"
            ),
        )
        .replace("3.0.3", version)
    };
    let alone = ["Id", "Alias", "Secret", "State", "Owner"];
    let alone = alone.map(|name| format!("{{$ref: '#/components/schemas/{name}'}}"));
    for (property, is_demanded) in alone.iter().map(|property| (property.as_str(), false)).chain([
        ("{type: integer, readOnly: true}", false),
        ("{allOf: [{$ref: '#/components/schemas/Alias'}], description: d}", false),
        ("{allOf: [{$ref: '#/components/schemas/Id'}, {minimum: 3}]}", false),
        ("{anyOf: [{$ref: '#/components/schemas/Id'}, {enum: [null]}]}", false),
        ("{oneOf: [{$ref: '#/components/schemas/Id'}, {type: string}]}", true),
        ("{type: array, items: {$ref: '#/components/schemas/Id'}}", true),
        ("{type: integer, readOnly: false}", true),
    ]) {
        for version in ["3.0.3", "3.1.0"] {
            let (api, _) = lowered(&schema(version, property));
            let found: Vec<bool> =
                struct_named(&api, "A").fields.iter().map(|field| field.required).collect();
            assert_eq!(found, [is_demanded; 2], "{version} {property}");
        }
    }
}
