//! Determines whether a constant of the document matches a type.

use crate::{
    formats::violated,
    ir::{Field, Kind, Literal, Type},
    lower::{resolver::literal::literal, types::Types},
    tree::NodeRef,
};

impl Types<'_> {
    /// Returns a number or boolean as a constant of a type of strings, if its text matches the type.
    ///
    /// Documents in YAML have such values where quotation marks are missing. The items of an array are read alike.
    pub fn fit_text(&self, node: NodeRef<'_>, ty: &Type, steps: usize) -> Option<Literal> {
        let steps = steps.checked_sub(1)?;
        match ty {
            Type::Text(rules) => {
                node.as_written().filter(|text| violated(rules, text).is_none()).map(Literal::Text)
            }
            Type::Array(rules) if node.is_array() => {
                let texts =
                    node.items().iter().map(|item| match self.fit_text(item, &rules.items.ty, steps)? {
                        Literal::Text(text) => Some(serde_json::Value::String(text)),
                        _ => None,
                    });
                texts.collect::<Option<serde_json::Value>>().map(Literal::Json)
            }
            Type::Named { id, .. } => match self.kind(*id)? {
                Kind::Alias(schema) => self.fit_text(node, &schema.ty, steps),
                Kind::StringEnum(def) => {
                    let text = node.as_written()?;
                    def.variants.iter().any(|variant| variant.wire == text).then_some(Literal::Text(text))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the node as a constant of this type, if it matches the type.
    pub fn fit(&self, node: NodeRef<'_>, ty: &Type, steps: usize) -> Option<Literal> {
        let steps = steps.checked_sub(1)?;
        let found = literal(node);
        match (ty, &found) {
            (Type::Any, _) | (Type::Boolean, Literal::Boolean(_)) | (Type::Bytes, Literal::Text(_)) => {
                Some(found)
            }
            (Type::Integer(rules), Literal::Integer(value)) => {
                rules.violated(*value).is_none().then_some(found)
            }
            (Type::Number(rules), Literal::Integer(_) | Literal::Number(_)) => {
                let value = node.as_f64()?;
                // Multiples of fractions are not exact, so a default is not checked for them.
                let fits = matches!(rules.violated(value), None | Some("multipleOf"));
                fits.then_some(Literal::Number(value))
            }
            (Type::Text(rules), Literal::Text(text)) => violated(rules, text).is_none().then_some(found),
            (Type::Array(rules), Literal::Json(value)) => {
                let fits = |item: NodeRef<'_>| self.fit(item, &rules.items.ty, steps).is_some();
                (value.is_array() && node.items().iter().all(fits)).then_some(found)
            }
            (Type::Tuple(schemas), Literal::Json(value)) => {
                let mut pairs = schemas.iter().zip(node.items());
                let fits = pairs.all(|(schema, item)| self.fit(item, &schema.ty, steps).is_some());
                (value.is_array() && node.items().len() == schemas.len() && fits).then_some(found)
            }
            (Type::Map(rules), Literal::Json(value)) => {
                let fits =
                    |(_, value): (&str, NodeRef<'_>)| self.fit(value, &rules.values.ty, steps).is_some();
                (value.is_object() && node.entries().all(fits)).then_some(found)
            }
            (Type::Named { id, .. }, _) => match (self.kind(*id)?, &found) {
                (Kind::Alias(schema), _) => self.fit(node, &schema.ty, steps),
                (Kind::StringEnum(def), Literal::Text(text)) => {
                    def.variants.iter().any(|variant| variant.wire == *text).then_some(found)
                }
                (Kind::IntegerEnum(def), Literal::Integer(value)) => {
                    def.variants.iter().any(|variant| i128::from(variant.wire) == *value).then_some(found)
                }
                (Kind::Struct(def), Literal::Json(value)) => {
                    let fits = |field: &Field| match node.get(&field.wire) {
                        Some(value) if value.is_null() => {
                            field.schema.nullable || field.schema.ty == Type::Any
                        }
                        Some(value) => self.fit(value, &field.schema.ty, steps).is_some(),
                        None => !field.required,
                    };
                    (value.is_object() && def.fields.iter().all(fits)).then_some(found)
                }
                (Kind::Union(def), _) => {
                    def.variants.iter().find_map(|variant| self.fit(node, &variant.schema.ty, steps))
                }
                _ => None,
            },
            _ => None,
        }
    }
}
