//! Parameters of path items and operations, in all locations and styles.

use crate::{
    diagnostics::Code,
    ir::{Docs, Location, Origin, Parameter, Schema, Style, TextRules, Type},
    lower::operation::{
        state::{Operations, Owner},
        templates::parameter_of,
    },
    names,
    tree::{Node, NodeRef},
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
        let mut list = self.written_parameters(item, operation, owner);
        self.match_template(&mut list, path, operation);
        self.keep_one_query(&mut list);
        self.add_idempotency_headers(&mut list, operation);
        list
    }

    /// Adds the headers that Fern's extension declares once for all operations that it marks as idempotent.
    fn add_idempotency_headers(&self, list: &mut Vec<Lowered<'d>>, operation: NodeRef<'d>) {
        if operation.get("x-fern-idempotent").and_then(Node::as_bool) != Some(true) {
            return;
        }
        let headers = self.document.root().get("x-fern-idempotency-headers");
        for node in headers.map_or(&[][..], Node::items) {
            let Some(name) = node.get("header").and_then(Node::as_str) else { continue };
            let parameter = Parameter { required: false, ..text_parameter(name, Location::Header) };
            if !list.iter().any(|other| is_same(&other.parameter, &parameter)) {
                list.push(Lowered { parameter, node });
            }
        }
    }

    /// Returns the parameters of a path item and an operation or callback, whatever its path is.
    pub fn written_parameters(
        &mut self,
        item: NodeRef<'d>,
        operation: NodeRef<'d>,
        owner: &Owner,
    ) -> Vec<Lowered<'d>> {
        let inherited = self.parameter_list(item, owner, true);
        let own = self.parameter_list(operation, owner, false);
        let overridden =
            |one: &Lowered<'_>| own.iter().any(|other| is_same(&other.parameter, &one.parameter));
        let mut list: Vec<Lowered<'d>> = inherited.into_iter().filter(|one| !overridden(one)).collect();
        list.extend(own);
        list
    }

    /// Removes a parameter that is the whole query string, if others are in the query.
    fn keep_one_query(&mut self, list: &mut Vec<Lowered<'d>>) {
        let is_query = |lowered: &Lowered<'_>| {
            matches!(lowered.parameter.location, Location::Query | Location::QueryString)
        };
        let is_whole = |lowered: &Lowered<'_>| lowered.parameter.location == Location::QueryString;
        while list.iter().filter(|lowered| is_query(lowered)).count() > 1
            && let Some(index) = list.iter().rposition(is_whole)
        {
            let removed = list.remove(index);
            let name = &removed.parameter.name;
            let message = format!("`{name}` is not the only parameter in the query, so it is left out");
            self.error(Code::BadParameter, removed.node, message)
                .help("a parameter with `in: querystring` is the whole query string");
        }
    }

    fn parameter_list(&mut self, node: NodeRef<'d>, owner: &Owner, shared: bool) -> Vec<Lowered<'d>> {
        let mut list: Vec<Lowered<'d>> = Vec::new();
        for node in self.list(node, "parameters") {
            let Some(lowered) = self.parameter(node, owner, shared) else { continue };
            let twin = list.iter().find(|other| is_same(&other.parameter, &lowered.parameter));
            if let Some(twin) = twin.map(|twin| twin.node) {
                let message = format!("duplicate parameter `{}`", lowered.parameter.name);
                self.error(Code::DuplicateParameter, node, message).label(twin, "first defined here");
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
        let component = resolved.component("parameters");
        let name = self.needed_text(node, "name", "parameter")?;
        let location = match self.needed_text(node, "in", &format!("parameter `{name}`"))? {
            "path" => Location::Path,
            "query" => Location::Query,
            "querystring" if self.is_3_2() => Location::QueryString,
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
        let position = match &component {
            Some(component) => {
                self.component_owner(component, "parameter").position("", "Parameter", "the value")
            }
            None => {
                let part = names::pascal(name);
                let origin = format!("parameter `{name}`");
                let position = owner.position(&part, &format!("{part}Parameter"), &origin);
                if shared { position.shared() } else { position }
            }
        };
        let mut parameter = self.parameter_value(node, name, location, &position);
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

    /// Removes superfluous path parameters and adds missing ones, and reports both.
    fn match_template(&mut self, list: &mut Vec<Lowered<'d>>, path: &str, operation: NodeRef<'d>) {
        let names = template_names(path);
        for lowered in list.iter_mut().filter(|lowered| lowered.parameter.location == Location::Path) {
            // Some documents repeat the mark of `{+name}`.
            let bare = lowered.parameter.name.strip_prefix('+').filter(|bare| names.contains(bare));
            if let Some(bare) = bare.map(str::to_owned) {
                lowered.parameter.name = bare;
            }
        }
        list.retain(|Lowered { parameter, node }| {
            let name = parameter.name.as_str();
            let is_superfluous = parameter.location == Location::Path && !names.contains(&name);
            if is_superfluous {
                let message = format!("path `{path}` has no `{{{name}}}`, so the parameter is left out");
                self.error(Code::PathParameter, node, message);
            }
            !is_superfluous
        });
        for name in names {
            let declared = list.iter().any(|lowered| {
                lowered.parameter.location == Location::Path && lowered.parameter.name == name
            });
            if declared {
                continue;
            }
            let message = format!("missing parameter for `{{{name}}}` in path `{path}`; a string is assumed");
            self.error(Code::PathParameter, operation, message);
            let parameter = text_parameter(name, Location::Path);
            list.push(Lowered { parameter, node: operation });
        }
    }
}

/// Returns a required parameter whose value is a string.
fn text_parameter(name: &str, location: Location) -> Parameter {
    Parameter {
        name: name.to_owned(),
        location,
        required: true,
        required_at: Origin::default(),
        style: Style::Simple,
        explode: false,
        allow_reserved: false,
        allow_empty: false,
        content: None,
        encodings: Vec::new(),
        schema: Schema::new(Type::Text(TextRules::default())),
        reason: None,
        docs: Docs::default(),
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
        if let Some((parameter, _)) = part.split_once('}') {
            let (name, _) = parameter_of(parameter);
            if !names.contains(&name) {
                names.push(name);
            }
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
            ("/v1/{name=projects/*/things/*}:cancel", vec!["name"]),
            ("/v1/{name=**}/{id}", vec!["name", "id"]),
            ("/v1/{+name}:cancel", vec!["name"]),
            ("/plain", vec![]),
            ("/{broken", vec![]),
            ("/}{", vec![]),
        ] {
            assert_eq!(template_names(path), expected, "{path}");
        }
    }
}
