//! The output and error types of operations.

use std::{
    collections::{BTreeSet, HashSet},
    rc::Rc,
};

use crate::{
    diagnostics::Code,
    ir::{
        Choice, ChoiceRole, ChoiceVariant, Docs, ErrorUse, Errors, Ident, Kind, Module, Operation,
        Provenance, Response, Schema, SharedErrors, Status, Type, TypeId,
    },
    lower::{
        operation::{
            responses::{Documented, ONE_OF, ONLY, ONLY_WRAPPED, PartNames, is_wrapped},
            state::{Operations, Owner, Parts, SharedResponse},
            streams::{Flow, has_streams},
        },
        position::{Root, SchemaPosition},
        types::named,
    },
    names::{self, Strength},
    tree::NodeRef,
};

/// A use of a shared response as an error.
///
/// Each form is a variant of its own, because a value of the second form holds its status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Under status codes, which the operation determines.
    Code,
    /// Under a class or `default`.
    AnyStatus,
}

impl Form {
    const ALL: [Self; 2] = [Self::Code, Self::AnyStatus];

    const fn of(status: Status) -> Self {
        if matches!(status, Status::Code(_)) { Self::Code } else { Self::AnyStatus }
    }

    /// Returns the index of a shared response in this form among all responses in both forms.
    fn row(self, shared: usize) -> usize {
        shared * Self::ALL.len() + usize::from(self == Self::AnyStatus)
    }
}

/// The responses of an operation.
#[derive(Debug)]
pub(in crate::lower) struct Outcome {
    pub output: Schema,
    pub responses: Vec<Response>,
    /// The errors. Uses of shared errors refer to [`Form::row`]s until all operations are read.
    pub errors: Errors,
    /// All uses of shared errors.
    pub uses: Vec<ErrorUse>,
}

impl<'d> Operations<'d, '_> {
    /// Returns the output and the errors of an operation.
    pub fn outcome(&mut self, operation: NodeRef<'d>, method: &str, owner: &Owner) -> Outcome {
        let documented = self.documented(operation, method);
        let is_success = |status: Status| match status {
            Status::Code(code) => code < 400,
            Status::Class(class) => class < 4,
            Status::Default => false,
        };
        let any_success = documented.iter().any(|one| is_success(one.status));
        // Without another success, the default describes successes as well as errors.
        let is_output = |status| is_success(status) || (status == Status::Default && !any_success);
        let successes: Vec<_> = documented.iter().copied().filter(|one| is_output(one.status)).collect();
        let errors: Vec<_> = documented.into_iter().filter(|one| !is_success(one.status)).collect();
        let (output, responses) = self.output(operation, &successes, owner);
        for error in errors.iter().filter(|error| error.shared.is_some()) {
            self.report_raw_contents(error.node);
        }
        if errors.is_empty() {
            return Outcome { output, responses, errors: Errors::None, uses: Vec::new() };
        }
        let uses: Vec<ErrorUse> = errors
            .iter()
            .filter_map(|error| {
                Some(ErrorUse { status: error.status, row: Form::of(error.status).row(error.shared?) })
            })
            .collect();
        if uses.len() == errors.len() && determine_status(&uses) {
            return Outcome { output, responses, errors: Errors::Shared(uses.clone()), uses };
        }
        let position = owner.position("Error", "CallError", "the error responses");
        let ty = self.types.reserve(&position, Some(operation));
        let rows = self.choice(ty, ChoiceRole::Errors, &errors, owner);
        Outcome { output, responses, errors: Errors::Own { ty, rows }, uses: Vec::new() }
    }

    fn output(
        &mut self,
        operation: NodeRef<'d>,
        successes: &[Documented<'d>],
        owner: &Owner,
    ) -> (Schema, Vec<Response>) {
        match successes {
            [] => {
                let readable = operation.get("responses").is_none_or(|responses| {
                    let is_readable = |node| self.document.resolve(node).is_ok_and(|it| it.node.is_object());
                    responses.is_object()
                        && responses.entries().all(|(key, node)| key.starts_with("x-") || is_readable(node))
                });
                let operation =
                    if readable { operation } else { return (Schema::new(Type::Unit), Vec::new()) };
                self.warn(
                    Code::NoSuccess,
                    operation,
                    "no success response is documented; an empty `200` is assumed",
                );
                (Schema::new(Type::Unit), vec![Parts::empty().row(Status::Code(200))])
            }
            [only] => {
                let names = if is_wrapped(only) { ONLY_WRAPPED } else { ONLY };
                let (payload, row) = self.response(only, owner, names, Flow::Response);
                (payload, vec![row])
            }
            several => {
                let position = owner.position("Output", "Outcome", "the success responses");
                let id = self.types.reserve(&position, None);
                let rows = self.choice(id, ChoiceRole::Output, several, owner);
                (named(id), rows)
            }
        }
    }

    fn choice(
        &mut self,
        id: TypeId,
        role: ChoiceRole,
        documented: &[Documented<'d>],
        owner: &Owner,
    ) -> Vec<Response> {
        let mut rows = Vec::with_capacity(documented.len());
        let mut variants = Vec::with_capacity(documented.len());
        let flow = if role == ChoiceRole::Output { Flow::Response } else { Flow::Failed };
        for one in documented {
            let name = names::status_name(one.status);
            let owner = Owner { base: format!("{}{name}", owner.base), ..owner.clone() };
            let (payload, row) = self.response(one, &owner, ONE_OF, flow);
            let docs = variant_docs([one.status], &row.description);
            variants.push(ChoiceVariant { ident: Ident(name), payload, docs });
            rows.push(row);
        }
        self.types.fill(id, Docs::default(), Kind::Choice(Choice { role, variants }));
        rows
    }

    fn response(
        &mut self,
        one: &Documented<'d>,
        owner: &Owner,
        part_names: PartNames,
        flow: Flow,
    ) -> (Schema, Response) {
        let flow = if one.has_no_body { Flow::Bodiless } else { flow };
        let has_streams = flow == Flow::Response && has_streams(self.document, one.node.get("content"));
        let may_lack_body = flow == Flow::Response && !matches!(one.status, Status::Code(_));
        match one.shared.filter(|_| !has_streams).and_then(|index| self.shared.get(index)).cloned() {
            Some(shared) if matches!(one.status, Status::Code(_)) => {
                (shared.payload.clone(), shared.parts.row(one.status))
            }
            Some(shared) => {
                let payload = self.payload(&shared.parts, one.status, owner, part_names, may_lack_body);
                (payload, shared.parts.row(one.status))
            }
            None => {
                let parts = self.parts(one.node, owner, part_names, flow);
                let payload = self.payload(&parts, one.status, owner, part_names, may_lack_body);
                (payload, parts.row(one.status))
            }
        }
    }

    /// Returns the error type that operations share.
    ///
    /// It has a variant for each shared response that an operation documents as an error. The operations'
    /// uses then refer to its rows.
    pub fn shared_errors(&mut self, operations: &mut [Operation], uses: &[ErrorUse]) -> Option<SharedErrors> {
        let mut rows = Vec::new();
        let mut variants = Vec::new();
        let root = Root {
            name: "ApiError".to_owned(),
            long: "ApiErrorType".to_owned(),
            strength: Strength::Fixed,
            provenance: Provenance::Other("the error responses under `components/responses`".to_owned()),
        };
        let position = SchemaPosition::root(Module::Responses, self.components.schemas.len(), root);
        let id = (!uses.is_empty()).then(|| self.types.reserve(&position, None));
        let shared = self.shared.clone();
        let forms: Vec<(&Rc<SharedResponse<'d>>, Form)> =
            shared.iter().flat_map(|shared| Form::ALL.map(|form| (shared, form))).collect();
        // The texts are unique, because the name of a component contains no NUL.
        let text = |(shared, form): &(&Rc<SharedResponse<'d>>, Form)| match form {
            Form::Code => shared.name.to_owned(),
            Form::AnyStatus => format!("{}\0any status", shared.name),
        };
        let texts: Vec<String> = forms.iter().map(text).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let idents = names::settle(&texts, names::Style::Variant);
        let mut positions = vec![None; forms.len()];
        for (row, ((response, _), ident)) in forms.into_iter().zip(idents).enumerate() {
            let statuses: BTreeSet<Status> =
                uses.iter().filter(|use_| use_.row == row).map(|use_| use_.status).collect();
            // The most general status: `default` before classes.
            let Some(status) = statuses.last().copied() else { continue };
            let payload = self.shared_payload(response, status);
            if let Some(slot) = positions.get_mut(row) {
                *slot = Some(rows.len());
            }
            let docs = variant_docs(statuses, &response.parts.description);
            variants.push(ChoiceVariant { ident: Ident(ident), payload, docs });
            rows.push(response.parts.row(status));
        }
        for operation in operations {
            let Errors::Shared(uses) = &mut operation.errors else { continue };
            for use_ in uses.iter_mut() {
                use_.row = positions.get(use_.row).copied().flatten().unwrap_or_default();
            }
            if id.is_none() {
                operation.errors = Errors::None;
            }
        }
        let ty = id?;
        let row_constants = variants.iter().map(|variant| Ident(names::constant(&variant.ident.0))).collect();
        self.types.fill(ty, Docs::default(), Kind::Choice(Choice { role: ChoiceRole::Errors, variants }));
        Some(SharedErrors { ty, rows, row_constants, constant: Ident("API_ERRORS".to_owned()) })
    }
}

/// Returns whether a value of the shared error type determines the status of its response.
fn determine_status(uses: &[ErrorUse]) -> bool {
    let mut under_codes = HashSet::with_capacity(uses.len());
    uses.iter().filter(|use_| Form::of(use_.status) == Form::Code).all(|use_| under_codes.insert(use_.row))
}

/// Returns the documentation of a variant: ``` `404`, `409`: description ```.
fn variant_docs(statuses: impl IntoIterator<Item = Status>, description: &str) -> String {
    let statuses: Vec<String> = statuses
        .into_iter()
        .map(|status| match status {
            Status::Code(code) => format!("`{code}`"),
            Status::Class(class) => format!("`{class}XX`"),
            Status::Default => "Any other status".to_owned(),
        })
        .collect();
    let statuses = statuses.join(", ");
    let description = description.trim();
    if description.is_empty() { statuses } else { format!("{statuses}: {description}") }
}
