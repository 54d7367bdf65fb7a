//! Parameters of path items and operations, in all locations and styles.

use crate::{
    diagnostics::Code,
    document::{NodeRef, component_name},
    ir::{ContentFormat, Docs, Location, Parameter, Schema, Style, TextRules, Type},
    lower::{
        context::Reporting,
        media,
        operation::{owner::Owner, state::Operations},
        place::Place,
    },
    names,
};

/// A parameter and the node it was read from.
#[derive(Debug)]
pub(in crate::lower) struct Lowered<'d> {
    pub parameter: Parameter,
    pub node: NodeRef<'d>,
}

impl<'d> Operations<'d, '_> {
    /// Returns the parameters of an operation.
    ///
    /// Those of its path item come first, unless the operation overrides them by name and location.
    pub fn parameters(
        &mut self,
        item: NodeRef<'d>,
        operation: NodeRef<'d>,
        path: &str,
        owner: &Owner,
    ) -> Vec<Lowered<'d>> {
        let inherited = self.parameter_list(item, owner, true);
        let own = self.parameter_list(operation, owner, false);
        let overridden =
            |one: &Lowered<'_>| own.iter().any(|other| is_same(&other.parameter, &one.parameter));
        let mut list: Vec<Lowered<'d>> = inherited.into_iter().filter(|one| !overridden(one)).collect();
        list.extend(own);
        self.match_template(&mut list, path, operation);
        list
    }

    fn parameter_list(&mut self, node: NodeRef<'d>, owner: &Owner, shared: bool) -> Vec<Lowered<'d>> {
        let Some(nodes) = node.get("parameters") else { return Vec::new() };
        if !nodes.is_array() && !nodes.is_null() {
            self.wrong_type(nodes, "`parameters`", "an array");
        }
        let mut list: Vec<Lowered<'d>> = Vec::with_capacity(nodes.items().len());
        for node in nodes.items() {
            let Some(lowered) = self.parameter(node, owner, shared) else { continue };
            let twin = list.iter().find(|other| is_same(&other.parameter, &lowered.parameter));
            if let Some(twin) = twin.map(|twin| twin.node) {
                let message = format!("duplicate parameter `{}`", lowered.parameter.name);
                if let Some(said) = self.error(Code::DuplicateParameter, node, message) {
                    said.label(twin, "first defined here");
                }
                continue;
            }
            list.push(lowered);
        }
        list
    }

    fn parameter(&mut self, written: NodeRef<'d>, owner: &Owner, shared: bool) -> Option<Lowered<'d>> {
        const KNOWN: &[&str] = &[
            "name",
            "in",
            "description",
            "required",
            "deprecated",
            "allowEmptyValue",
            "style",
            "explode",
            "allowReserved",
            "schema",
            "example",
            "examples",
            "content",
        ];
        let resolved = self.resolve_in(written, "parameters", "a parameter")?;
        let node = self.object(resolved.node, "a parameter")?;
        self.check_fields(node, "a parameter", KNOWN);
        let component = resolved.reference.and_then(|reference| component_name(reference, "parameters"));
        let Some(name) = self.text(node, "name") else {
            self.error(Code::MissingField, node, "missing field `name` in parameter");
            return None;
        };
        let Some(location) = self.text(node, "in") else {
            self.error(Code::MissingField, node, format!("missing field `in` in parameter `{name}`"));
            return None;
        };
        let location = match location {
            "path" => Location::Path,
            "query" => Location::Query,
            "header" => Location::Header,
            "cookie" => Location::Cookie,
            other => {
                let at = node.get("in").unwrap_or(node);
                let message = format!(
                    "unknown parameter location `{other}`; known locations: `path`, `query`, `header`, `cookie`"
                );
                self.error(Code::BadParameter, at, message);
                return None;
            }
        };
        let reserved = ["accept", "content-type", "authorization"];
        if location == Location::Header && reserved.contains(&name.to_ascii_lowercase().as_str()) {
            let message = format!("header `{name}` cannot be a parameter in OpenAPI, so it is left out");
            self.warn(Code::BadParameter, node, message);
            return None;
        }
        let place = match &component {
            Some(component) => {
                self.component_owner(component, "parameter").place("", "Parameter", "the value")
            }
            None => {
                let part = names::pascal(name);
                let origin = format!("parameter `{name}`");
                let place = owner.place(&part, &format!("{part}Parameter"), &origin);
                if shared { place.shared() } else { place }
            }
        };
        let mut parameter = self.parameter_value(node, name, location, &place);
        if location == Location::Path && !parameter.required {
            self.error(
                Code::PathParameter,
                node,
                format!("path parameter `{name}` must be `required: true`"),
            );
            parameter.required = true;
        }
        Some(Lowered { parameter, node })
    }

    /// Lowers the parts that parameters and headers have in common.
    pub fn parameter_value(
        &mut self,
        node: NodeRef<'d>,
        name: &str,
        location: Location,
        place: &Place<'d>,
    ) -> Parameter {
        let style = self.style(node, location);
        let explode = self.flag(node, "explode");
        for name in ["deprecated", "allowReserved", "allowEmptyValue"] {
            self.flag(node, name);
        }
        let (content, schema) = self.parameter_schema(node, place);
        if style == Style::DeepObject {
            let at = node.get("style").unwrap_or(node);
            self.must_be_object(
                &schema.ty,
                at,
                Code::BadParameter,
                "style `deepObject` requires an object schema",
            );
        }
        Parameter {
            name: name.to_owned(),
            location,
            required: self.flag(node, "required").unwrap_or_default(),
            style,
            explode: explode.unwrap_or(matches!(style, Style::Form | Style::DeepObject)),
            content,
            schema,
            reason: self.text(node, "x-reason").map(str::to_owned),
            docs: self.context().docs_of(node),
        }
    }

    fn parameter_schema(&mut self, node: NodeRef<'d>, place: &Place<'d>) -> (Option<ContentFormat>, Schema) {
        if let Some(schema) = node.get("schema") {
            if let Some(content) = node.get("content") {
                self.warn(Code::BadParameter, content, "`content` has no effect next to `schema`");
            }
            let schema = self.schemas.schema(schema, place);
            self.schemas.show(&schema, node);
            return (None, schema);
        }
        if let Some((media_type, content)) = node.get("content").and_then(|content| content.entries().next())
        {
            if let Some((_, second)) = node.get("content").and_then(|content| content.entries().nth(1)) {
                self.warn(
                    Code::BadParameter,
                    second,
                    "a parameter has only one media type, so this one has no effect",
                );
            }
            let (content, component) = self.media_type_of(content).unwrap_or((content, None));
            let place = component.as_ref().unwrap_or(place);
            let schema = content.get("schema");
            let format = media::format(&media::essence(media_type), schema);
            let schema =
                schema.map_or_else(|| Schema::new(Type::Any), |schema| self.schemas.schema(schema, place));
            return (Some(format), schema);
        }
        let text = Schema::new(Type::Text(TextRules::default()));
        self.warn(Code::MissingField, node, "missing field `schema` or `content`; a string is assumed");
        (None, text)
    }

    fn style(&mut self, node: NodeRef<'d>, location: Location) -> Style {
        let usual = match location {
            Location::Query | Location::Cookie => Style::Form,
            Location::Path | Location::Header => Style::Simple,
        };
        let Some(written) = self.text(node, "style") else { return usual };
        match (written, location) {
            ("form", Location::Query | Location::Cookie) => Style::Form,
            ("simple", Location::Path | Location::Header) => Style::Simple,
            ("label", Location::Path) => Style::Label,
            ("matrix", Location::Path) => Style::Matrix,
            ("spaceDelimited", Location::Query) => Style::SpaceDelimited,
            ("pipeDelimited", Location::Query) => Style::PipeDelimited,
            ("deepObject", Location::Query) => Style::DeepObject,
            _ => {
                let at = node.get("style").unwrap_or(node);
                self.warn(
                    Code::BadParameter,
                    at,
                    format!("unsupported style `{written}` in this location; the default style is used"),
                );
                usual
            }
        }
    }

    /// Removes superfluous path parameters and adds missing ones, and reports both.
    fn match_template(&mut self, list: &mut Vec<Lowered<'d>>, path: &str, operation: NodeRef<'d>) {
        let names = template_names(path);
        let mut superfluous = Vec::new();
        list.retain(|lowered| {
            let keep = lowered.parameter.location != Location::Path
                || names.contains(&lowered.parameter.name.as_str());
            if !keep {
                superfluous.push((lowered.node, lowered.parameter.name.clone()));
            }
            keep
        });
        for (node, name) in superfluous {
            self.error(
                Code::PathParameter,
                node,
                format!("path `{path}` has no `{{{name}}}`, so the parameter is left out"),
            );
        }
        for name in names {
            let declared = list.iter().any(|lowered| {
                lowered.parameter.location == Location::Path && lowered.parameter.name == name
            });
            if declared {
                continue;
            }
            let message = format!("missing parameter for `{{{name}}}` in path `{path}`; a string is assumed");
            self.error(Code::PathParameter, operation, message);
            let parameter = Parameter {
                name: name.to_owned(),
                location: Location::Path,
                required: true,
                style: Style::Simple,
                explode: false,
                content: None,
                schema: Schema::new(Type::Text(TextRules::default())),
                reason: None,
                docs: Docs::default(),
            };
            list.push(Lowered { parameter, node: operation });
        }
    }
}

/// Returns whether two parameters are the same. Names of headers are case-insensitive.
fn is_same(one: &Parameter, other: &Parameter) -> bool {
    one.location == other.location
        && (one.name == other.name
            || one.location == Location::Header && one.name.eq_ignore_ascii_case(&other.name))
}

/// Returns the distinct names in a path template.
fn template_names(path: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for part in path.split('{').skip(1) {
        if let Some((name, _)) = part.split_once('}')
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::template_names;

    #[test]
    fn names_of_templates() {
        for (path, expected) in [
            ("/toys/{id}", vec!["id"]),
            ("/v1/ai/{model}-image-edit", vec!["model"]),
            ("/{name}.{ext}", vec!["name", "ext"]),
            ("/{id}:cancel", vec!["id"]),
            ("/{a}/{a}", vec!["a"]),
            ("/plain", vec![]),
            ("/{broken", vec![]),
            ("/}{", vec![]),
        ] {
            assert_eq!(template_names(path), expected, "{path}");
        }
    }
}
