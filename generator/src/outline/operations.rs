//! Operations: what a server takes and what it responds.

use super::{
    block::Block,
    types::{facts, methods},
    words::{Here, flag, joined, labelled, noted, quoted, row, status, xml},
};
use crate::ir::{
    Api, Body, Callback, ChoiceVariant, Content, ContentFormat, Encoding, Encodings, ErrorUse, Errors, Field,
    FinalState, Framing, Ident, Kind, Operation, PageSlot, PageStep, Paging, Parameter, Response,
    SecurityRequirement, SharedErrors, StructDef, Style, Task, TaskStep, TypeId, pointer,
};

impl Here<'_> {
    pub(super) fn operation(self, operation: &Operation) -> Block {
        let Operation {
            id,
            ident,
            constant,
            tag: _,
            method,
            path,
            routable,
            docs,
            input,
            parameters,
            body,
            output: _,
            responses,
            errors,
            security,
            security_at: _,
            requires,
            closed_query,
            server,
            task,
            monitored,
            paging,
            // Documentation, like the description.
            example: _,
            callbacks,
        } = operation;
        let not_routed = flag("not routed", !routable).to_owned();
        let head = noted(&[id.clone(), not_routed, row(constant, ident), status(docs)]);
        let fields = input.and_then(|id| fields_of(self.api, id)).map_or(&[][..], |input| &input.fields);
        let parameters = parameters
            .iter()
            .enumerate()
            .map(|(index, parameter)| self.parameter(parameter, fields.get(index)));
        let alternatives: Vec<String> = security.iter().map(|all| self.alternative(all)).collect();
        let facts = [
            (!alternatives.is_empty()).then(|| format!("security {}", alternatives.join(" or "))),
            (!requires.is_empty()).then(|| format!("requires {}", quoted(requires))),
            closed_query.then(|| "closed query".to_owned()),
            operation.idempotency_key().map(|key| format!("retries with {}", key.name)),
            server.as_ref().map(|url| format!("server {url}")),
            task.as_ref().map(|task| self.task(task)),
            monitored.map(|state| format!("long-running, result {}", result_of(state))),
            paging.as_ref().map(self::paging),
        ];
        Block::over(format!("{method} {path} {head}"), vec![self.signature(operation)])
            .with(parameters)
            .with(body.as_ref().map(|body| self.body(body, fields.last())))
            .with(responses.iter().map(|response| self.response(response)))
            .with(self.errors(errors))
            .with(facts.into_iter().flatten().map(Block::line))
            .with(callbacks.iter().map(|callback| self.callback(callback)))
    }

    /// Returns the method of the server trait and the client, with the constructor and the setters of its input.
    fn signature(self, operation: &Operation) -> Block {
        let input = operation.input.map_or_else(String::new, |id| self.named(id));
        let error = match (&operation.errors, &self.api.shared_errors) {
            (Errors::Own { ty, rows: _ }, _) => self.named(*ty),
            (Errors::Shared(_), Some(shared)) => self.named(shared.ty),
            (Errors::Shared(_) | Errors::None, _) => "rt::NoError".to_owned(),
        };
        let methods = operation.input.and_then(|id| fields_of(self.api, id)).map_or_else(Vec::new, methods);
        let output = self.ty(&operation.output);
        Block::over(format!("fn {}({input}) -> Result<{output}, {error}>", operation.ident), methods)
    }

    fn parameter(self, parameter: &Parameter, field: Option<&Field>) -> Block {
        let Parameter {
            name,
            location,
            required,
            required_at: _,
            style,
            explode,
            allow_reserved,
            allow_empty,
            content,
            encodings,
            schema,
            reason,
            docs,
        } = parameter;
        let rules = self.rules(schema);
        let (ty, said_of) = match field {
            Some(field) => (self.field_ty(field), facts(field, &rules)),
            None => (self.ty(schema), joined([flag("required", *required), &rules, &status(docs)])),
        };
        let form = [
            style.name().to_owned(),
            flag("exploded", *explode).to_owned(),
            content.map_or_else(String::new, |content| format!("as {}", format(content))),
            flag("allowReserved", *allow_reserved).to_owned(),
            flag("allowEmptyValue", *allow_empty).to_owned(),
        ];
        let reason = reason.as_ref().map(|reason| format!("{reason:?}"));
        let name = format!("{} {}", location.name(), renamed(name, field));
        let line = joined([format!("{name}: {ty}"), said_of, noted(&form), labelled("reason", reason)]);
        Block::over(line, encodings.iter().map(|encoding| self.encoding(encoding, "")).collect())
    }

    fn body(self, body: &Body, field: Option<&Field>) -> Block {
        let Body { required, required_at: _, limit, contents, schema, origin: _ } = body;
        let head = joined([
            renamed("body", field),
            flag("required", *required).to_owned(),
            labelled("limit", *limit),
        ]);
        match contents.as_slice() {
            [only] => self.content(only).after(&format!("{head} ")),
            several => {
                let contents = several.iter().map(|content| self.content(content)).collect();
                Block::over(format!("{head}: {}", self.ty(schema)), contents)
            }
        }
    }

    /// Returns `application/json (json): common::Task`.
    fn content(self, content: &Content) -> Block {
        let Content { media_type, also, format, schema, encodings, xml: root } = content;
        let root = root.as_ref().map_or_else(String::new, |root| format!(" {}", xml(root)));
        let also = (!also.is_empty()).then(|| also.join(", "));
        let also = labelled("also as", also);
        let line = joined([
            format!("{media_type} ({}{root}): {}", self::format(*format), self.schema(schema)),
            also,
        ]);
        Block::over(line, self.encodings(encodings))
    }

    /// Returns the encodings of properties, and of parts by position.
    fn encodings(self, encodings: &Encodings) -> Vec<Block> {
        let Encodings { named, prefix, item } = encodings;
        let named = named.iter().map(|encoding| self.encoding(encoding, ""));
        let prefix =
            (1..).zip(prefix).map(|(index, encoding)| self.encoding(encoding, &format!("part {index}")));
        let item = item.iter().map(|encoding| self.encoding(encoding, "other parts"));
        named.chain(prefix).chain(item).collect()
    }

    /// Returns the encoding of a property: `encoding of tags: (form, exploded)`; or of a part, which `part` names.
    fn encoding(self, encoding: &Encoding, part: &str) -> Block {
        let Encoding { property, content_type, style, explode, allow_reserved, headers, own_type, parts } =
            encoding;
        let form = [
            style.map_or("by media type", Style::name).to_owned(),
            flag("exploded", *explode).to_owned(),
            flag("allowReserved", *allow_reserved).to_owned(),
        ];
        let line = joined([
            &format!("encoding of {property}{part}:"),
            noted(&form).as_str(),
            content_type.as_deref().unwrap_or_default(),
            flag("states its media type", *own_type),
        ]);
        Block::over(line, headers.iter().map(|header| self.header(header)).collect())
            .with(self.encodings(parts))
    }

    /// Returns `200 application/json (json): Pet`. Several media types are below the status.
    pub(super) fn response(self, response: &Response) -> Block {
        let Response { status, description: _, headers, contents, permanent, origin: _ } = response;
        let head = status.to_string();
        let head = match permanent {
            Some(property) => format!("{head}, permanent if {property:?}"),
            None => head,
        };
        let block = match contents.as_slice() {
            [only] => self.content(only).after(&format!("{head} ")),
            several => Block::over(head, several.iter().map(|content| self.content(content)).collect()),
        };
        block.with(headers.iter().map(|header| self.header(header)))
    }

    fn header(self, header: &Parameter) -> Block {
        let Parameter {
            name,
            // Headers have one location and style, and the other settings are of parameters only.
            location: _,
            required,
            required_at: _,
            style: _,
            explode,
            allow_reserved: _,
            allow_empty: _,
            content,
            encodings: _,
            schema,
            reason: _,
            docs,
        } = header;
        let form = [
            flag("exploded", *explode).to_owned(),
            content.map_or_else(String::new, |content| format!("as {}", format(content))),
        ];
        let required = flag("required", *required).to_owned();
        let line = [
            format!("header {name}: {}", self.ty(schema)),
            required,
            self.rules(schema),
            noted(&form),
            status(docs),
        ];
        Block::line(joined(line))
    }

    /// Returns an operation's own errors in full, and shared ones by status and name.
    fn errors(self, errors: &Errors) -> Vec<Block> {
        match errors {
            Errors::None => Vec::new(),
            Errors::Own { ty, rows } => {
                let rows = rows.iter().enumerate();
                let error = |(index, row)| {
                    self.response(row).after(&format!("error {} ", variant(self.api, *ty, index)))
                };
                rows.map(error).collect()
            }
            Errors::Shared(uses) => {
                let Some(shared) = &self.api.shared_errors else { return Vec::new() };
                let uses = uses.iter().map(|ErrorUse { status, row }| {
                    format!("{} {}", status, variant(self.api, shared.ty, *row))
                });
                let uses: Vec<String> = uses.collect();
                let uses = if uses.is_empty() { "none".to_owned() } else { uses.join(", ") };
                vec![Block::line(format!("errors {uses}"))]
            }
        }
    }

    /// Returns the errors that operations share, by the variants of their type.
    pub(super) fn shared_errors(self, shared: &SharedErrors) -> Block {
        let SharedErrors { ty, rows, row_constants, constant } = shared;
        let rows = rows.iter().zip(row_constants).enumerate().map(|(index, (response, constant))| {
            let variant = variant(self.api, *ty, index);
            let row = row(constant, &Ident(variant.clone()));
            self.response(response).after(&format!("{} ", joined([variant, row])))
        });
        Block::over(format!("{constant}: errors of {}", self.named(*ty)), rows.collect())
    }

    /// Returns `task get_job(job): id /id, status /status, done ok, failed error`.
    fn task(self, task: &Task) -> String {
        let Task { get, cancel, id, status, done, failed, message, progress, origins: _ } = task;
        let id_of = |step: &TaskStep| {
            let id = self.api.operations.get(step.operation).map_or("", |operation| operation.id.as_str());
            step.id.as_ref().map_or_else(|| id.to_owned(), |parameter| format!("{id}({parameter})"))
        };
        let facts = [
            Some(format!("id {}", pointer(id))),
            Some(format!("status {}", pointer(status))),
            Some(format!("done {}", quoted(done))),
            (!failed.is_empty()).then(|| format!("failed {}", quoted(failed))),
            message.as_deref().map(|path| format!("message {}", pointer(path))),
            progress.as_deref().map(|path| format!("progress {}", pointer(path))),
            cancel.as_ref().map(|step| format!("cancelled by {}", id_of(step))),
        ];
        format!("task {}: {}", id_of(get), facts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }

    /// Returns the schemes of which all must be satisfied.
    fn alternative(self, all: &[SecurityRequirement]) -> String {
        let schemes = all.iter().map(|SecurityRequirement { scheme, scopes }| {
            let name = self.api.security_schemes.get(*scheme).map(|scheme| scheme.constant.to_string());
            let scopes = if scopes.is_empty() { String::new() } else { format!("({})", quoted(scopes)) };
            joined([name.unwrap_or_default(), scopes])
        });
        let schemes: Vec<String> = schemes.collect();
        if schemes.is_empty() { "nothing".to_owned() } else { schemes.join(" and ") }
    }

    pub(super) fn callback(self, callback: &Callback) -> Block {
        let Callback { name, expression, id, method, parameters, body, responses, docs } = callback;
        let head = match expression {
            Some(expression) => format!("callback {name}: {method} {expression}"),
            None => format!("webhook {name}: {method}"),
        };
        let head = joined([head, noted(&[id.clone().unwrap_or_default(), status(docs)])]);
        Block::over(head, parameters.iter().map(|parameter| self.parameter(parameter, None)).collect())
            .with(body.iter().map(|body| self.body(body, None)))
            .with(responses.iter().map(|response| self.response(response)))
    }
}

/// Returns `pages by query page from 1: items /data, last /meta/last`.
fn paging(paging: &Paging) -> String {
    let Paging { step, items, more, origins: _ } = paging;
    let of = |name: &str, path: Option<&[String]>| path.map(|path| format!("{name} {}", pointer(path)));
    let (by, fact) = match step {
        PageStep::Page { at, first, last } => {
            (format!("{} from {first}", slot(at)), of("last", last.as_deref()))
        }
        PageStep::Offset { at, total } => (format!("{} as offset", slot(at)), of("total", total.as_deref())),
        PageStep::Cursor { at, next } => (format!("{} as cursor", slot(at)), of("next", Some(next))),
        PageStep::Url { next } => ("URL".to_owned(), of("next", Some(next))),
        PageStep::Link => ("the header Link".to_owned(), None),
    };
    let facts = [of("items", Some(items)), fact, of("more", more.as_deref())];
    format!("pages by {by}: {}", facts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

pub(crate) fn slot(slot: &PageSlot) -> String {
    match slot {
        PageSlot::Query(name) => format!("query {name}"),
        PageSlot::Body(path) => format!("body {}", pointer(path)),
    }
}

/// Returns where the result of a long-running operation is.
pub(crate) fn result_of(state: FinalState) -> &'static str {
    match state {
        FinalState::Original => "at the URL of the request",
        FinalState::Location => "at the URL in `Location`",
        FinalState::Monitor => "in the last report",
        FinalState::Nothing => "in the response",
    }
}

/// Returns a name of the document, and the name of the field if that differs: `Idempotency-Key as idempotency_key`.
fn renamed(name: &str, field: Option<&Field>) -> String {
    match field {
        Some(Field { ident, .. }) if ident.0.trim_start_matches("r#") != name => format!("{name} as {ident}"),
        _ => name.to_owned(),
    }
}

fn fields_of(api: &Api, id: TypeId) -> Option<&StructDef> {
    match &api.type_def(id)?.kind {
        Kind::Struct(body) => Some(body),
        _ => None,
    }
}

fn variant(api: &Api, ty: TypeId, index: usize) -> String {
    let variant = api.type_def(ty).and_then(|def| match &def.kind {
        Kind::Choice(choice) => choice.variants.get(index),
        _ => None,
    });
    variant.map_or_else(String::new, |ChoiceVariant { ident, .. }| ident.to_string())
}

const fn format(format: ContentFormat) -> &'static str {
    match format {
        ContentFormat::Json => "json",
        ContentFormat::Form => "form",
        ContentFormat::Multipart => "multipart",
        ContentFormat::Text => "text",
        ContentFormat::Xml => "xml",
        ContentFormat::Bytes => "bytes",
        ContentFormat::Items(Framing::Events) => "events",
        ContentFormat::Items(Framing::Lines) => "lines",
        ContentFormat::Items(Framing::Sequence) => "sequence",
        ContentFormat::Parts => "parts",
        ContentFormat::PartStream => "part stream",
    }
}
