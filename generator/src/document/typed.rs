//! Documents that a program holds as `openapiv3`'s types.

use openapiv3::OpenAPI;
use serde_json::Value as Json;

use super::{
    Document, File, Load, Parsed, Source,
    read::{ReadError, Refusal, Tree},
};
use crate::tree::{Node, NodeId, Value};

impl Document {
    /// Reads a document that is built or parsed as `openapiv3`'s types.
    ///
    /// It has no text, so diagnostics begin with `name` and a JSON pointer instead of a line.
    pub fn from_openapi(
        name: &str,
        openapi: &OpenAPI,
        overlays: &[Source],
        load: Option<&Load<'_>>,
    ) -> Parsed {
        let source = Source::new(name, "");
        match read(openapi) {
            Ok(root) => Self::of(File { has_text: false, ..File::new(source, root) }, overlays, load),
            Err(error) => Self::unreadable(source, error),
        }
    }
}

fn read(openapi: &OpenAPI) -> Result<Node, ReadError> {
    let value = serde_json::to_value(openapi).map_err(|error| (None, error.to_string()))?;
    let mut tree = Tree::new(0, NodeId::default(), usize::MAX);
    add(&mut tree, value).map_err(|refusal| (None, refusal.to_string()))?;
    Ok(tree.finish())
}

fn add(tree: &mut Tree, value: Json) -> Result<(), Refusal> {
    match value {
        Json::Null => tree.scalar(Value::Null, None),
        Json::Bool(value) => tree.scalar(Value::Boolean(value), None),
        Json::Number(number) => tree.scalar(Value::Number(number.into()), None),
        Json::String(text) => tree.scalar(Value::String(text), None),
        Json::Array(items) => {
            tree.start_array(None)?;
            items.into_iter().try_for_each(|item| add(tree, item))?;
            tree.end()
        }
        Json::Object(fields) => {
            tree.start_object(None)?;
            for (name, value) in fields {
                tree.name(name, None);
                add(tree, value)?;
            }
            tree.end()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_that_are_nested_too_deeply_are_refused() {
        let report = |levels: usize| {
            let nested = (0..levels).fold(Json::Null, |value, _| Json::Array(vec![value]));
            let mut openapi = OpenAPI { openapi: "3.0.3".to_owned(), ..OpenAPI::default() };
            // The document itself is one more level.
            openapi.extensions.insert("x-deep".to_owned(), nested);
            Document::from_openapi("deep", &openapi, &[], None).report().to_string()
        };
        assert_eq!(report(126), "");
        assert_eq!(report(127), "deep: error[syntax]: the document is nested too deeply\n\n");
    }
}
