//! The types and the documentation of an operation, for server and client.

use proc_macro2::TokenStream;
use quote::quote;

use super::docs::{Text, any_of, code};
use super::scope::{Scope, tidy};
use super::{Imports, RUNTIME};
use crate::ir::{ChoiceRole, Docs, Errors, Kind, Operation, Status, StructRole, Tag, Type};
use crate::options::{CrateKind, Options};

/// An operation with its types.
pub(super) struct Call<'a> {
    pub(super) operation: &'a Operation,
    /// The input's type, if there is an input.
    pub(super) input: Option<TokenStream>,
    /// The type of a successful response.
    pub(super) output: TokenStream,
    /// The type of the documented errors.
    pub(super) error: TokenStream,
    /// The statuses and the type of success, as a sentence.
    success: String,
}

impl<'a> Call<'a> {
    /// Resolves the operation's types as they are named in this scope.
    pub(super) fn new(scope: &Scope<'_>, operation: &'a Operation) -> Self {
        let error = match (&operation.errors, &scope.api.shared_errors) {
            (Errors::Own { ty, .. }, _) => scope.named(*ty),
            (Errors::Shared(_), Some(shared)) => scope.named(shared.ty),
            (Errors::Shared(_) | Errors::None, _) => quote!(types::NoError),
        };
        let input = operation.input.map(|id| scope.named(id));
        let output = scope.ty(&operation.output);
        let success = success(scope, operation, &output);
        Self { operation, input, output, error, success }
    }

    /// Returns the documentation of the operation.
    ///
    /// It has the description, method and path, requirements, callbacks, and the statuses of errors and success.
    ///
    /// An operation without summary and description begins with `verb` and its method and path.
    pub(super) fn docs(&self, verb: &str) -> Text {
        let server = self
            .operation
            .server
            .as_ref()
            .map(|url| format!("Server: {}, unless the client has a base URL of its own.", code(url)));
        self.described(verb, Text::new().described(&self.operation.docs))
            .paragraph(&self.success)
            .paragraph(self.retries())
            .paragraph(server.unwrap_or_default())
    }

    /// Returns when a call is repeated, unless its method is idempotent.
    fn retries(&self) -> String {
        match self.operation.idempotency_key() {
            _ if self.operation.has_idempotent_method() => String::new(),
            Some(key) => {
                format!("Retries: also if the connection is lost, with the same {}.", code(&key.name))
            }
            None => "Retries: only if the server did not process the request.".to_owned(),
        }
    }

    /// Returns the documentation of the operation with its summary, or the first paragraph of its description.
    ///
    /// Server traits have this one: who implements an operation has the document, and the text would be twice as long.
    pub(super) fn brief_docs(&self, verb: &str) -> Text {
        let Docs { summary, description, .. } = &self.operation.docs;
        let first = description.as_deref().map(|text| text.trim().split("\n\n").next().unwrap_or_default());
        let docs = match summary.as_deref().map(str::trim) {
            Some(summary) if !summary.is_empty() => {
                Docs { summary: Some(summary.to_owned()), ..Docs::default() }
            }
            _ => Docs { description: first.map(str::to_owned), ..Docs::default() },
        };
        self.described(verb, Text::new().described(&docs))
    }

    fn described(&self, verb: &str, docs_text: Text) -> Text {
        let Operation { method, path, docs, requires, callbacks, .. } = self.operation;
        let needs: Vec<_> = requires.iter().map(|name| code(name)).collect();
        let needs = match needs.as_slice() {
            [] => String::new(),
            [only] => format!("Requires the permission {only}."),
            several => format!("Requires the permissions {}.", several.join(", ")),
        };
        let callbacks = callbacks.iter().map(|callback| {
            let expression = callback.expression.as_deref().unwrap_or_default();
            let target = code(&format!("{} {expression}", callback.method));
            format!("- Callback {}: {target}.", code(&callback.name))
        });
        let source = code(&format!("{method} {path}"));
        let docs_text = if docs_text.is_empty() {
            docs_text.paragraph(format!("{verb} {source}."))
        } else {
            docs_text.paragraph(source)
        };
        docs_text.paragraph(needs).block(callbacks.collect()).paragraph(self.errors()).status(docs)
    }

    /// Returns ``Documented errors: 400, 401, 503.``, or nothing if there are none.
    fn errors(&self) -> String {
        let statuses: Vec<_> = match &self.operation.errors {
            Errors::None => Vec::new(),
            Errors::Shared(uses) => uses.iter().map(|row| row.status).collect(),
            Errors::Own { rows, .. } => rows.iter().map(|row| row.status).collect(),
        };
        let mut names: Vec<String> = statuses.into_iter().map(status).collect();
        names.dedup();
        if names.is_empty() { String::new() } else { format!("Documented errors: {}.", names.join(", ")) }
    }
}

/// Returns the statuses and the type of success: ``Success: 200, `GetPetOutput` with `etag`, `body`.``
fn success(scope: &Scope<'_>, operation: &Operation, output: &TokenStream) -> String {
    let statuses: Vec<String> = operation.responses.iter().map(|row| status(row.status)).collect();
    let statuses = any_of(&statuses).unwrap_or_else(|| "any".to_owned());
    let ty = code(&tidy(output));
    let def = match &operation.output.ty {
        Type::Unit => return format!("Success: {statuses}, without a body."),
        Type::Named { id, .. } => scope.api.type_def(*id),
        _ => None,
    };
    let holds = match def.map(|def| &def.kind) {
        Some(Kind::Choice(choice)) if choice.role == ChoiceRole::Output => {
            " with a variant for each".to_owned()
        }
        Some(Kind::Choice(_)) => " with a variant for each media type".to_owned(),
        Some(Kind::Struct(body)) if body.role == StructRole::Response => {
            let fields: Vec<String> = body.fields.iter().map(|field| code(&field.ident.0)).collect();
            format!(" with {}", fields.join(", "))
        }
        _ => String::new(),
    };
    format!("Success: {statuses}, {ty}{holds}.")
}

fn status(status: Status) -> String {
    match status {
        Status::Default => "any other status".to_owned(),
        _ => status.to_string(),
    }
}

/// Returns the imports of a tag's module in server and client.
///
/// The module imports what its items mention: modules of the models, the tag's tables, the runtime's part
/// (`rt`) and the runtime's types. The builders of the server take an `Arc`.
pub(super) fn imports(options: &Options, tag: &Tag, rt: &str) -> Imports {
    let [models, validation] =
        [CrateKind::Models, CrateKind::Validation].map(|kind| options.crate_ident(kind));
    let arc = (rt == "server").then_some(("Arc", "std::sync", "Arc"));
    let rows = [
        ("common", &*models, "common"),
        ("responses", &*models, "responses"),
        ("models", &*models, &*format!("{} as models", tag.module)),
        ("table", &*validation, &*format!("{} as table", tag.module)),
        ("rt", RUNTIME, &*format!("{rt} as rt")),
        ("types", RUNTIME, "types"),
    ];
    Imports::new(rows.into_iter().chain(arc))
}
