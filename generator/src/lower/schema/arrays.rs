//! Arrays and tuples.

use crate::{
    diagnostics::Code,
    ir::{ArrayRules, Schema, Type},
    lower::{
        position::SchemaPosition,
        resolver::{flat::Flat, literal::least, parts::Part},
        schema::{state::Schemas, unions::same::common},
    },
    tree::{Node, NodeRef},
};

impl<'d> Schemas<'d, '_> {
    /// Returns the type of an array.
    pub fn array(&mut self, flat: &Flat<'d>, position: &SchemaPosition<'d>) -> Type {
        let role = position.role.of_items();
        let mut max_items = flat.merged.max_items.and_then(Node::as_u64);
        let items = if let Some((node, home)) = &flat.prefix_items {
            let needs_json_schema = std::mem::replace(&mut self.needs_json_schema, true);
            let is_closed = flat.items.iter().any(|part| part.node.as_bool() == Some(false));
            let count = u64::try_from(node.items().len()).unwrap_or(u64::MAX);
            if is_closed {
                max_items = Some(max_items.map_or(count, |most| most.min(count)));
            }
            let mut schemas = self.items_in_front(node, home, position);
            let is_exact =
                least(flat.merged.min_items).is_some_and(|least| least >= count) && max_items == Some(count);
            if is_exact && (1..=Type::MAX_TUPLE).contains(&schemas.len()) {
                self.needs_json_schema = needs_json_schema || flat.merged.unique_items;
                return Type::Tuple(schemas);
            }
            if max_items.is_none_or(|most| most > count) {
                let others = flat.items.iter().filter(|part| part.node.is_object()).cloned();
                let others: Vec<Part<'d>> = others.collect();
                schemas.push(self.together(&others, position, SchemaPosition::items));
            }
            self.item_of(&schemas, node)
        } else {
            self.together(&flat.items, position, |at| at.items().in_role(role))
        };
        Type::Array(Box::new(ArrayRules {
            items,
            min_items: least(flat.merged.min_items),
            max_items,
            unique: flat.merged.unique_items,
        }))
    }

    /// Returns the schemas of the items that `prefixItems` lists.
    fn items_in_front(
        &mut self,
        node: NodeRef<'d>,
        home: &SchemaPosition<'d>,
        position: &SchemaPosition<'d>,
    ) -> Vec<Schema> {
        let items = node.items().iter().enumerate();
        let schema = |(index, item)| {
            let part = Part::new(item, home.clone());
            self.together(&[part], position, |at| at.variant(format!("item {}", index + 1)))
        };
        items.map(schema).collect()
    }

    /// Returns the common schema of all items, or any JSON value if they have none.
    fn item_of(&mut self, schemas: &[Schema], node: NodeRef<'d>) -> Schema {
        let Some(first) = schemas.first() else { return Schema::new(Type::Any) };
        let is_alike = schemas.iter().all(|other| other.nullable == first.nullable);
        if let Some(common) = common(schemas.iter()).filter(|_| is_alike) {
            return common;
        }
        let message = "the number of items is not fixed and their types differ, so the Rust type of an item is any JSON value";
        self.warn(Code::Unsupported, node, message).help(format!(
            "for a tuple, set `minItems` and `maxItems` to the number of items, at most {}",
            Type::MAX_TUPLE
        ));
        Schema::new(Type::Any)
    }

    /// Returns the schema that combines several parts. `at` leads from the position of a schema to that of the part.
    ///
    /// A single part, or several parts with equal nodes, is read at its own position.
    pub fn together(
        &mut self,
        parts: &[Part<'d>],
        position: &SchemaPosition<'d>,
        at: impl Fn(&SchemaPosition<'d>) -> SchemaPosition<'d>,
    ) -> Schema {
        match parts {
            [] => Schema::new(Type::Any),
            [first, rest @ ..] if rest.iter().all(|part| part.node == first.node) => {
                self.schema(first.node, &at(&first.home))
            }
            _ => {
                let parts: Vec<Part<'d>> =
                    parts.iter().map(|part| Part { home: at(&part.home), ..part.clone() }).collect();
                self.schema_of(&parts, &at(position))
            }
        }
    }
}
