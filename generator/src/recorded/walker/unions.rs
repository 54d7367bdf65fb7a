//! Chooses the schema of a union that a value is nearest to.

use serde_json::{Map, Value, json};

use super::{Differences, Found, Kind, MAX_HOPS, Seen, Walker};
use crate::{
    document::component_name,
    tree::{Node, NodeRef},
};

impl<'d> Walker<'d> {
    /// Compares a value with the schema of a union that it is nearest to.
    pub(super) fn union(
        &self,
        schema: NodeRef<'d>,
        union: NodeRef<'d>,
        excludes: bool,
        seen: Seen<'_, 'd>,
        out: &mut Differences<'d>,
    ) {
        let alone = |branch: NodeRef<'d>| Seen { whole: branch, ..seen };
        if let Some(branch) = self.chosen(schema, union, seen.value) {
            return self.walk(branch, alone(branch), out);
        }
        let valid = union.items().iter().filter(|branch| self.is_valid(branch, alone(branch))).count();
        if valid == 0 {
            let nearest = union.items().iter().min_by_key(|branch| self.distance(branch, seen.value));
            if let Some(branch) = nearest {
                self.walk(branch, alone(branch), out);
            }
        } else if valid > 1 && excludes {
            out.add(union, Kind::Ambiguous, seen.at, seen.value);
        }
    }

    /// Returns the schema that the discriminator chooses.
    fn chosen(&self, schema: NodeRef<'d>, union: NodeRef<'d>, value: &Value) -> Option<NodeRef<'d>> {
        let discriminator = schema.get("discriminator")?;
        let tag = value.get(discriminator.get("propertyName")?.as_str()?)?.as_str()?;
        let mapped = discriminator.get("mapping").and_then(|mapping| mapping.get(tag)).and_then(Node::as_str);
        let wanted = mapped.unwrap_or(tag);
        let component = || self.document.lookup(&format!("#/components/schemas/{wanted}")).ok();
        let target = self.document.lookup(wanted).ok().filter(|_| wanted.contains('#')).or_else(component)?;
        let leads = |branch: &&Node| {
            let name =
                branch.get("$ref").and_then(Node::as_str).and_then(|text| component_name(text, "schemas"));
            let is_named = name.is_some_and(|name| self.document.written_name(&name) == wanted);
            is_named || self.document.resolve(branch).is_ok_and(|resolved| resolved.node.id() == target.id())
        };
        union.items().iter().find(leads)
    }

    /// Returns how far a value is from a schema: whether it has another type, and how much of it differs at first sight.
    fn distance(&self, branch: NodeRef<'d>, value: &Value) -> (bool, usize) {
        let seen = Seen { value, at: "", whole: branch, hops: MAX_HOPS - 8 };
        let mut differences = Differences { found: Vec::new(), most: usize::MAX };
        let shallow: Value = match value {
            Value::Object(fields) => {
                let scalars = fields.iter().filter(|(_, value)| !value.is_object() && !value.is_array());
                Value::Object(
                    scalars.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>(),
                )
            }
            Value::Array(_) => json!([]),
            scalar => scalar.clone(),
        };
        self.with_temporary_values(|| self.walk(branch, Seen { value: &shallow, ..seen }, &mut differences));
        let missing_inside =
            |found: &&Found<'d>| !matches!(&found.kind, Kind::Missing(name) if value.get(name).is_some());
        let differing: Vec<_> = differences.found.iter().filter(missing_inside).collect();
        let has_other_type = differing.iter().any(|it| it.at.is_empty() && matches!(it.kind, Kind::Type(_)));
        (has_other_type, differing.len())
    }
}
