//! The OpenAPI document of a mode.

use serde_json::{Value, json};

use crate::{files::Group, keywords::rebase};

/// The tag of all operations.
pub const TAG: &str = "groups";

/// The text of an OpenAPI document, with a line for each component and for each path.
pub struct Document {
    /// The text, as JSON.
    pub text: String,
    /// The number of the group that a line belongs to.
    owners: Vec<Option<usize>>,
}

impl Document {
    /// Writes the document with an operation for each group. A group comes with its number in the mode.
    pub fn of(groups: &[(usize, &Group)]) -> Self {
        let mut document = Self { text: String::new(), owners: Vec::new() };
        document.line(r#"{"openapi":"3.1.0","info":{"title":"JSON Schema test suite","version":"1"},"#, None);
        document.line(r#""paths":{"#, None);
        document.entries(groups, |number, group| Some((group.path(), path_item(number, group))));
        document.line(r#"},"components":{"schemas":{"#, None);
        document.entries(groups, |_, group| Some((group.component(), component(group)?)));
        document.line("}}}", None);
        document
    }

    /// Returns the number of the group that a line belongs to. Lines count from 1.
    pub fn owner(&self, line: usize) -> Option<usize> {
        *self.owners.get(line.checked_sub(1)?)?
    }

    fn entries(
        &mut self,
        groups: &[(usize, &Group)],
        entry: impl Fn(usize, &Group) -> Option<(String, Value)>,
    ) {
        let mut comma = "";
        for (number, group) in groups {
            if let Some((name, value)) = entry(*number, group) {
                self.line(&format!("{comma}{}:{value}", Value::String(name)), Some(*number));
                comma = ",";
            }
        }
    }

    fn line(&mut self, text: &str, owner: Option<usize>) {
        self.text.push_str(text);
        self.text.push('\n');
        self.owners.push(owner);
    }
}

/// Returns the name of a group's operation. Its method and the type of its input derive from it.
pub fn operation(number: usize) -> String {
    format!("group{number}")
}

fn path_item(number: usize, group: &Group) -> Value {
    let schema = match &group.schema {
        Value::Bool(_) => group.schema.clone(),
        _ => json!({ "$ref": reference(group) }),
    };
    json!({ "post": {
        "operationId": operation(number),
        "tags": [TAG],
        "requestBody": { "required": true, "content": { "application/json": { "schema": schema } } },
        "responses": { "204": { "description": "The instance is valid." } },
    } })
}

/// Returns a group's schema as a component. Boolean schemas are inline.
fn component(group: &Group) -> Option<Value> {
    if group.schema.is_boolean() {
        return None;
    }
    let mut schema = group.schema.clone();
    rebase(&mut schema, &reference(group));
    Some(schema)
}

fn reference(group: &Group) -> String {
    format!("#/components/schemas/{}", group.component())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_belong_to_groups() {
        let group = |index, schema| Group { file: "allOf".to_owned(), index, schema, ..Group::default() };
        let (first, second) = (group(0, json!(true)), group(1, json!({ "items": { "$ref": "#" } })));
        let document = Document::of(&[(4, &first), (7, &second)]);
        let owners: Vec<_> = (0..=8).map(|line| document.owner(line)).collect();
        assert_eq!(owners, [None, None, None, Some(4), Some(7), None, Some(7), None, None]);

        let json: Value = serde_json::from_str(&document.text).unwrap();
        let schema =
            |path: &str| &json["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(schema("/allOf/0"), &json!(true));
        assert_eq!(schema("/allOf/1"), &json!({ "$ref": "#/components/schemas/allOf_1" }));
        let components = json!({ "allOf_1": { "items": { "$ref": "#/components/schemas/allOf_1" } } });
        assert_eq!(json["components"]["schemas"], components);
    }
}
