//! Successes and errors: the output and error types of operations.

use super::{
    Lowering,
    bodies::Owner,
    responses::{Documented, ONE_OF, ONLY, Parts, SharedResponse},
};
use crate::{
    diagnostics::Code,
    document::Node,
    ir::{
        Choice, ChoiceRole, ChoiceVariant, Docs, ErrorUse, Errors, Ident, Kind, Module, Operation, Response,
        Schema, SharedErrors, Status, Type, TypeId,
    },
    names::{self, Strength},
};

use super::place::{Place, Root};

/// What an operation answers with.
#[derive(Debug)]
pub(super) struct Outcome {
    pub output: Schema,
    pub responses: Vec<Response>,
    /// Uses of shared errors name places in `components/responses` until all operations are read.
    pub errors: Errors,
    /// Every use of a shared response as an error.
    pub uses: Vec<ErrorUse>,
}

impl<'d> Lowering<'d, '_> {
    /// The output and errors of an operation.
    pub fn outcome(&mut self, operation: &'d Node, owner: &Owner, shared: &[SharedResponse<'d>]) -> Outcome {
        let documented = self.documented(operation, shared);
        let is_success = |status: Status| match status {
            Status::Code(code) => code < 400,
            Status::Class(class) => class < 4,
            Status::Default => false,
        };
        let any_success = documented.iter().any(|one| is_success(one.status));
        let (successes, errors): (Vec<_>, Vec<_>) = documented
            .into_iter()
            .partition(|one| is_success(one.status) || (one.status == Status::Default && !any_success));
        let (output, responses) = self.output(operation, &successes, owner, shared);
        let uses: Vec<ErrorUse> = errors
            .iter()
            .filter_map(|error| Some(ErrorUse { status: error.status, row: error.shared? }))
            .collect();
        let errors = if uses.len() == errors.len() {
            Errors::Shared(uses.clone())
        } else {
            self.own_errors(operation, &errors, owner, shared)
        };
        Outcome { output, responses, errors, uses }
    }

    fn output(
        &mut self,
        operation: &'d Node,
        successes: &[Documented<'d>],
        owner: &Owner,
        shared: &[SharedResponse<'d>],
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
                    "no success is documented, so an empty `200` is assumed",
                );
                (Schema::new(Type::Unit), vec![Parts::empty().row(Status::Code(200))])
            }
            [only] => {
                let (payload, row) = self.response(only, owner, ONLY, shared);
                (payload, vec![row])
            }
            several => {
                let place = owner.place("Output", "Outcome", "the successes");
                let id = self.reserve(&place, None);
                let rows = self.choice(id, ChoiceRole::Output, several, owner, shared);
                (Self::named(id), rows)
            }
        }
    }

    fn own_errors(
        &mut self,
        operation: &'d Node,
        errors: &[Documented<'d>],
        owner: &Owner,
        shared: &[SharedResponse<'d>],
    ) -> Errors {
        let place = owner.place("Error", "CallError", "the errors");
        let id = self.reserve(&place, Some(operation));
        let rows = self.choice(id, ChoiceRole::Errors, errors, owner, shared);
        Errors::Own { ty: id, rows }
    }

    fn choice(
        &mut self,
        id: TypeId,
        role: ChoiceRole,
        documented: &[Documented<'d>],
        owner: &Owner,
        shared: &[SharedResponse<'d>],
    ) -> Vec<Response> {
        let mut rows = Vec::with_capacity(documented.len());
        let mut variants = Vec::with_capacity(documented.len());
        for one in documented {
            let name = names::status_name(one.status);
            let owner = Owner { base: format!("{}{name}", owner.base), ..owner.clone() };
            let (payload, row) = self.response(one, &owner, ONE_OF, shared);
            let docs = variant_docs(one.status, &row.description);
            variants.push(ChoiceVariant { ident: Ident(name), payload, docs });
            rows.push(row);
        }
        self.fill(id, Docs::default(), Kind::Choice(Choice { role, variants }));
        rows
    }

    fn response(
        &mut self,
        one: &Documented<'d>,
        owner: &Owner,
        part_names: super::responses::PartNames,
        shared: &[SharedResponse<'d>],
    ) -> (Schema, Response) {
        match one.shared.and_then(|place| shared.get(place)) {
            Some(shared) if matches!(one.status, Status::Code(_)) => {
                (shared.payload.clone(), shared.parts.row(one.status))
            }
            Some(shared) => {
                (self.payload(&shared.parts, one.status, owner, part_names), shared.parts.row(one.status))
            }
            None => {
                let parts = self.parts(one.node, owner, part_names);
                (self.payload(&parts, one.status, owner, part_names), parts.row(one.status))
            }
        }
    }

    /// The error type that operations share: a variant for each shared response that some operation documents as an
    /// error. The operations' uses then name its rows.
    pub fn shared_errors(
        &mut self,
        shared: &[SharedResponse<'d>],
        operations: &mut [Operation],
        uses: &[ErrorUse],
    ) -> Option<SharedErrors> {
        let mut rows = Vec::new();
        let mut variants = Vec::new();
        let mut places = vec![None; shared.len()];
        let root = Root {
            name: "ApiError".to_owned(),
            long: "ApiErrorType".to_owned(),
            strength: Strength::Fixed,
            origin: "the error responses under `components/responses`".to_owned(),
        };
        let place = Place::root(Module::Responses, self.components.schemas.len(), root);
        let id = (!uses.is_empty()).then(|| self.reserve(&place, None));
        let texts: Vec<&str> = shared.iter().map(|shared| shared.name).collect();
        let idents = names::settle(&texts, names::Style::Variant);
        for (index, (response, ident)) in shared.iter().zip(idents).enumerate() {
            let Some(status) =
                most_common(uses.iter().filter(|use_| use_.row == index).map(|use_| use_.status))
            else {
                continue;
            };
            let payload = self.shared_payload(response, status);
            if let Some(slot) = places.get_mut(index) {
                *slot = Some(rows.len());
            }
            let docs = variant_docs(status, &response.parts.description);
            variants.push(ChoiceVariant { ident: Ident(ident), payload, docs });
            rows.push(response.parts.row(status));
        }
        for operation in operations {
            let Errors::Shared(uses) = &mut operation.errors else { continue };
            for use_ in uses.iter_mut() {
                use_.row = places.get(use_.row).copied().flatten().unwrap_or_default();
            }
            if id.is_none() {
                operation.errors = Errors::None;
            }
        }
        let ty = id?;
        self.fill(ty, Docs::default(), Kind::Choice(Choice { role: ChoiceRole::Errors, variants }));
        Some(SharedErrors { ty, rows, constant: Ident("API_ERRORS".to_owned()) })
    }
}

fn variant_docs(status: Status, description: &str) -> String {
    let status = match status {
        Status::Code(code) => format!("`{code}`"),
        Status::Class(class) => format!("`{class}XX`"),
        Status::Default => "Any other status".to_owned(),
    };
    let description = description.trim();
    if description.is_empty() { status } else { format!("{status}: {description}") }
}

/// The status that occurs most often; the lowest of several.
fn most_common(statuses: impl Iterator<Item = Status>) -> Option<Status> {
    let mut counts: std::collections::BTreeMap<Status, usize> = std::collections::BTreeMap::new();
    for status in statuses {
        *counts.entry(status).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    counts.into_iter().find(|(_, count)| *count == most).map(|(status, _)| status)
}
