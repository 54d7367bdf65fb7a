//! References to schemas: from the text to the target, and to its position.

use crate::{
    document::{RefError, component_name},
    ir::{Module, Provenance},
    lower::{
        position::{Root, SchemaPosition},
        resolver::{components::Target, state::Resolver},
    },
    names::{self, Strength},
    tree::NodeRef,
};

impl<'d> Resolver<'d, '_> {
    /// Returns the target of a reference to a schema, and reports an unknown target.
    ///
    /// `reference` is the node of the string.
    pub fn target(&mut self, reference: NodeRef<'d>) -> Option<Target<'d>> {
        let Some(text) = reference.as_str() else {
            self.wrong_type(reference, "`$ref`", "a string");
            return None;
        };
        if let Some(target) = self.targets.get(text) {
            let target = target.clone();
            if target.is_none() {
                self.report_reference(reference, &RefError::Unknown(text.to_owned()));
            }
            return target;
        }
        let target = self.find_target(text, reference);
        self.targets.insert(text, target.clone());
        target
    }

    fn find_target(&mut self, text: &'d str, reference: NodeRef<'d>) -> Option<Target<'d>> {
        if let Some(id) = self.components.named(reference) {
            return self.components.target(id);
        }
        match self.document.lookup(text) {
            Ok(node) => Some(Target { id: None, node, position: self.position_of(text) }),
            Err(error) => {
                self.report_reference(reference, &error);
                None
            }
        }
    }

    /// Returns the position of a JSON pointer's target in the context of that target.
    fn position_of(&self, reference: &'d str) -> SchemaPosition<'d> {
        let mut steps = reference.trim_start_matches("#/").split('/');
        let component = (steps.next() == Some("components") && steps.next() == Some("schemas"))
            .then(|| steps.next())
            .flatten()
            .and_then(|name| component_name(&format!("#/components/schemas/{name}"), "schemas"))
            .and_then(|name| self.components.get(self.components.find(&name)?));
        let Some(component) = component else {
            let text = reference.replace(['/', '#', '~', '%'], " ");
            let name = names::pascal(&text);
            let root = Root {
                long: format!("{name}Schema"),
                name,
                strength: Strength::Nested,
                provenance: Provenance::Other(format!("the schema at `{reference}`")),
            };
            return SchemaPosition::root(Module::Common, self.components.schemas.len(), root);
        };
        let mut position = component.position.clone();
        while let Some(step) = steps.next() {
            position = match step {
                "properties" | "$defs" | "definitions" | "patternProperties" => {
                    steps.next().map_or(position.clone(), |name| position.property(name))
                }
                "items" => position.items(),
                "additionalProperties" => position.values(),
                "allOf" => {
                    steps.next();
                    position
                }
                _ => position.variant(step.to_owned()),
            };
        }
        position
    }
}
