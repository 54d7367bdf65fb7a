//! Properties of bodies, by the JSON pointers of extensions.

use crate::{
    diagnostics::{Code, nearest},
    document::decode_step,
    ir::{self, Api, ContentFormat, Kind, Literal, Member, Operation, Path, Schema, Status, Type},
    lower::{finish::state::Finish, types::id_of},
    selection::candidates,
    tree::NodeRef,
};

/// The JSON bodies of the operation with this index.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Body {
    /// The JSON bodies of successful responses.
    Response(usize),
    /// The JSON request body.
    Request(usize),
}

/// The values that clients can use at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lower) enum Wanted {
    Text,
    /// A string or an integer.
    Id,
    /// A string or a number.
    Scalar,
    Number,
    Boolean,
}

impl Wanted {
    const fn name(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Id => "string or integer",
            Self::Scalar => "string or number",
            Self::Number => "number",
            Self::Boolean => "boolean",
        }
    }

    /// Returns whether some values of a schema are of this kind.
    pub fn fits(self, api: &Api, schema: &Schema) -> bool {
        let is_text = matches!(self, Self::Text | Self::Id | Self::Scalar);
        let is_integer = matches!(self, Self::Id | Self::Scalar | Self::Number);
        match &api.unaliased(schema).ty {
            Type::Any => true,
            Type::Boolean => self == Self::Boolean,
            Type::Integer(_) => is_integer,
            Type::Number(_) => matches!(self, Self::Scalar | Self::Number),
            Type::Text(_) => is_text,
            Type::Named { id, .. } => match api.type_def(*id).map(|def| &def.kind) {
                Some(Kind::StringEnum(_)) => is_text,
                Some(Kind::IntegerEnum(_)) => is_integer,
                Some(Kind::Union(def)) => def.variants.iter().any(|one| self.fits(api, &one.schema)),
                _ => false,
            },
            _ => false,
        }
    }
}

/// How problems of an extension are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lower) enum Severity {
    /// The extension is one of this generator.
    Error,
    /// The extension is one of another tool, which may read more than this generator does.
    Warning,
}

impl<'d> Finish<'d, '_> {
    /// Reports a problem of an extension.
    pub fn report(&mut self, severity: Severity, node: NodeRef<'d>, message: String, near: Option<&str>) {
        let reported = match severity {
            Severity::Error => self.error(Code::BadExtension, node, message),
            Severity::Warning => self.warn(Code::BadExtension, node, message),
        };
        reported.near("a similar name", near);
    }

    /// Returns the defaults of an extension at the root of the document, and reports those that no operation uses.
    pub fn defaults_of(&mut self, extension: &str, known: &[&str], help: &str) -> Option<NodeRef<'d>> {
        let document = self.document;
        let defaults = document.root().get(extension)?;
        self.check_extension(defaults, &format!("`{extension}`"), known);
        let own = |operation: NodeRef<'d>| operation.get(extension);
        let is_used = |own: NodeRef<'d>| own.as_bool() != Some(false);
        if !candidates(document).filter_map(|one| own(one.node)).any(is_used) {
            let message = format!("the defaults have no effect: no operation has `{extension}`");
            self.warn(Code::BadExtension, defaults, message).at_name().help(help);
        }
        Some(defaults)
    }

    /// Reads a JSON pointer, and checks that the body has a value of this kind there.
    pub fn pointer(&mut self, node: NodeRef<'d>, body: Body, wanted: Wanted) -> Option<Path> {
        let message = "the value must be a JSON pointer, such as `/data/id`";
        let path = self.found(node.as_str().and_then(pointer), node, message)?;
        self.has_value(Severity::Error, node, path, body, wanted)
    }

    /// Returns the path if the body has a value of this kind there, and reports a problem otherwise.
    pub fn has_value(
        &mut self,
        severity: Severity,
        node: NodeRef<'d>,
        path: Path,
        body: Body,
        wanted: Wanted,
    ) -> Option<Path> {
        let part = if matches!(body, Body::Request(_)) { "request" } else { "response" };
        let id = self.operation_id(body.operation());
        if let Some((name, near)) = missing(&self.api, body, &path) {
            let message = format!("the JSON {part} of `{id}` has no property `{name}`");
            self.report(severity, node, message, near.as_deref());
            return None;
        }
        let fits = |schema: Option<&Schema>| schema.is_none_or(|schema| wanted.fits(&self.api, schema));
        if found(&self.api, body, &path).any(|(schema, _)| fits(schema)) {
            return Some(path);
        }
        let at = ir::pointer(&path);
        let message = format!("the {part} of `{id}` has no {} at `{at}`", wanted.name());
        self.report(severity, node, message, None);
        None
    }

    /// Returns whether the document allows a body in which the value at a path is absent or null.
    pub fn can_be_absent(&self, body: Body, path: &Path) -> bool {
        found(&self.api, body, path).any(|(schema, is_required)| !is_required && schema.is_some())
    }

    pub fn operation_id(&self, index: usize) -> String {
        self.api.operations.get(index).map(|operation| operation.id.clone()).unwrap_or_default()
    }

    /// Returns the values of the enum at a path of a body, or `None` if there is no enum.
    pub fn values_of(&self, body: Body, path: &Path) -> Option<Vec<String>> {
        let schemas = bodies(&self.api, body);
        schemas.iter().find_map(|schema| {
            let schema = self.api.unaliased(at(&self.api, schema, path).ok()?.0?);
            if let Type::Named { id, .. } = schema.ty
                && let Some(Kind::StringEnum(def)) = self.api.type_def(id).map(|def| &def.kind)
            {
                return Some(def.variants.iter().map(|variant| variant.wire.clone()).collect());
            }
            let texts = schema.allowed.iter().filter_map(|value| match value {
                Literal::Text(text) => Some(text.clone()),
                _ => None,
            });
            (!schema.allowed.is_empty()).then(|| texts.collect())
        })
    }
}

impl Body {
    const fn operation(self) -> usize {
        match self {
            Self::Response(index) | Self::Request(index) => index,
        }
    }
}

/// Returns the names in a JSON pointer.
pub(in crate::lower) fn pointer(text: &str) -> Option<Path> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let names = text.strip_prefix('/')?.split('/');
    Some(names.map(|name| decode_step(name).into_owned()).collect())
}

/// Returns the first name of a path that no body has, with a similar one.
pub(crate) fn missing(api: &Api, body: Body, path: &Path) -> Option<Missing> {
    let bodies = bodies(api, body);
    let results: Vec<_> = bodies.iter().map(|schema| at(api, schema, path)).collect();
    if results.iter().any(Result::is_ok) {
        return None;
    }
    let first = path.first().map(|name| (name.clone(), None));
    results.into_iter().find_map(Result::err).or(first).or_else(|| Some((String::new(), None)))
}

/// Returns the results of [`at`] for the bodies that have a path.
fn found<'a>(api: &'a Api, body: Body, path: &Path) -> impl Iterator<Item = (Option<&'a Schema>, bool)> {
    bodies(api, body).into_iter().filter_map(move |schema| at(api, schema, path).ok())
}

/// Returns the schemas of the JSON bodies.
fn bodies(api: &Api, body: Body) -> Vec<&Schema> {
    let Some(operation) = api.operations.get(body.operation()) else { return Vec::new() };
    let Operation { body: request, responses, .. } = operation;
    let contents: Vec<_> = match body {
        Body::Request(_) => request.iter().flat_map(|body| &body.contents).collect(),
        Body::Response(_) => {
            let is_success =
                |status| matches!(status, Status::Code(200..=299) | Status::Class(2) | Status::Default);
            let successes = responses.iter().filter(|response| is_success(response.status));
            successes.flat_map(|response| &response.contents).collect()
        }
    };
    contents.into_iter().filter(|one| one.format == ContentFormat::Json).map(|one| &one.schema).collect()
}

/// The name of a property that does not exist, with a similar one.
type Missing = (String, Option<String>);

/// Returns the schema at a path, and whether the value is always present.
///
/// The schema is `None` if the types allow any value there.
fn at<'a>(api: &'a Api, schema: &'a Schema, path: &Path) -> Result<(Option<&'a Schema>, bool), Missing> {
    let mut schema = schema;
    let mut is_required = !schema.nullable;
    for name in path {
        match api.member(schema, name) {
            Member::Field(field) => {
                schema = &field.schema;
                is_required &= (field.required || field.required_one_way) && !schema.nullable;
            }
            Member::Any => return Ok((None, false)),
            Member::None => {
                let kind = id_of(&api.unaliased(schema).ty).and_then(|id| Some(&api.type_def(id)?.kind));
                let fields = match kind {
                    Some(Kind::Struct(def)) => def.fields.as_slice(),
                    _ => &[],
                };
                let near = nearest(name, fields.iter().map(|field| field.wire.as_str()));
                return Err((name.clone(), near.map(str::to_owned)));
            }
        }
    }
    Ok((Some(schema), is_required))
}
