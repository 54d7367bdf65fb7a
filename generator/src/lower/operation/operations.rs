//! Operations: paths and identifiers.

use std::collections::{HashMap, HashSet};

use crate::{
    diagnostics::Code,
    document::{ADDITIONAL, is_additional, method_fields, operations_of},
    ir::{ErrorUse, Ident, Module, Operation, Origin, Provenance},
    lower::operation::{
        errors::Outcome,
        state::{Operations, Owner, Written},
        streams::Flow,
        templates::with_patterns,
    },
    names::{self, Style},
    options::OperationNames,
    tree::{Node, NodeRef},
};

/// An operation with its path, method and path item.
#[derive(Debug, Clone, Copy)]
struct Found<'d> {
    path: &'d str,
    method: &'d str,
    item: NodeRef<'d>,
    node: NodeRef<'d>,
}

impl<'d> Operations<'d, '_> {
    /// Lowers all operations. Also returns every use of a shared response as an error.
    pub fn operations(&mut self) -> (Vec<Operation>, Vec<ErrorUse>) {
        let found = self.find_operations();
        let ids = self.operation_ids(&found);
        let texts = self.texts(&found, &ids);
        let idents = names::settle(&texts, Style::Method);
        let mut operations = Vec::with_capacity(found.len());
        let mut uses = Vec::new();
        for ((found, id), ident) in found.iter().zip(ids.clone()).zip(idents) {
            let (operation, more) = self.operation(found, id, Ident(ident), operations.len());
            operations.push(operation);
            uses.extend(more);
        }
        (operations, uses)
    }

    /// Returns the texts that the operations' names in Rust are made of.
    fn texts<'i>(&'i self, found: &[Found<'d>], ids: &'i [String]) -> Vec<&'i str> {
        let operations = found.iter().zip(ids).map(|(it, id)| (id.as_str(), it.path, it.method));
        let texts: Vec<&str> = match self.options.names {
            OperationNames::Document => operations.map(|(id, ..)| id).collect(),
            OperationNames::FastApi => names::shortened(&operations.collect::<Vec<_>>()),
        };
        let siblings: Vec<_> = found.iter().zip(texts).map(|(it, text)| (vec![it.node], text)).collect();
        self.renames.texts(&siblings)
    }

    fn find_operations(&mut self) -> Vec<Found<'d>> {
        let mut found = Vec::new();
        let Some(paths) = self.document.field("paths") else { return found };
        if self.object(paths, "`paths`").is_none() {
            return found;
        }
        self.check_templates(paths);
        for (path, item) in paths.entries() {
            if path.starts_with("x-") {
                continue;
            }
            if !path.starts_with('/') {
                let message = format!("path `{path}` must begin with `/`");
                self.error(Code::PathParameter, item, message).at_name();
                continue;
            }
            let Some(item) = self.follow_object(item, "a path item") else { continue };
            self.check_item(item);
            for (method, node) in operations_of(item) {
                if self.selection.has(path, method)
                    && let Some(node) = self.followed_operation(node)
                {
                    found.push(Found { path, method, item, node });
                }
            }
        }
        found
    }

    /// Returns an operation, or that of another file: OpenAPI has no reference there, but many tools follow one.
    pub fn followed_operation(&mut self, node: NodeRef<'d>) -> Option<NodeRef<'d>> {
        if let Some(reference) = node.get("$ref") {
            let message = "OpenAPI has no `$ref` in place of an operation; it is followed, as by other tools";
            self.warn(Code::UnknownField, reference, message);
        }
        self.follow_object(node, "an operation")
    }

    /// Reports unknown fields of a path item.
    fn check_item(&mut self, item: NodeRef<'d>) {
        let others = ["$ref", "summary", "description", "servers", "parameters", ADDITIONAL];
        let known: Vec<&str> = method_fields().chain(others).collect();
        self.check_fields(item, "a path item", &known);
        self.check_servers(item);
        self.check_methods(item);
    }

    /// Reports methods that the `additionalOperations` of a path item can't have.
    pub fn check_methods(&mut self, item: NodeRef<'d>) {
        let Some(additional) =
            item.get(ADDITIONAL).and_then(|node| self.object(node, "`additionalOperations`"))
        else {
            return;
        };
        for (method, node) in additional.entries().filter(|(method, _)| !is_additional(method)) {
            let is_fixed = method_fields().any(|field| field.eq_ignore_ascii_case(method));
            let reason = if is_fixed { "belongs in a field of the path item" } else { "is no HTTP method" };
            let message = format!("`{method}` in `{ADDITIONAL}` {reason}, so the operation is left out");
            self.error(Code::BadMethod, node, message).at_name();
        }
    }

    /// Returns the id of each operation. The ids are unique.
    fn operation_ids(&mut self, found: &[Found<'d>]) -> Vec<String> {
        let mut users: HashMap<&str, Vec<NodeRef<'d>>> = HashMap::new();
        let mut written = Vec::with_capacity(found.len());
        for operation in found {
            let id = self.text(operation.node, "operationId").filter(|id| !id.trim().is_empty());
            written.push(id);
            if let Some(id) = id {
                users.entry(id).or_default().push(operation.node);
                self.operation_ids.entry(id).or_insert(operation.node);
            }
        }
        let unique = |id: &str| users.get(id).is_some_and(|users| users.len() == 1);
        let mut taken: HashSet<String> =
            written.iter().flatten().filter(|id| unique(id)).map(|id| (*id).to_owned()).collect();
        let mut ids = Vec::with_capacity(found.len());
        for (operation, written) in found.iter().zip(written) {
            if let Some(id) = written.filter(|id| unique(id)) {
                ids.push(id.to_owned());
                continue;
            }
            let mut derived = names::derived_operation_id(operation.method, operation.path);
            if !taken.insert(derived.clone()) {
                derived = format!(
                    "{derived}_{}",
                    names::fingerprint(&format!("{} {}", operation.method, operation.path))
                );
                taken.insert(derived.clone());
            }
            self.report_derived(operation, written, &derived, &users);
            ids.push(derived);
        }
        ids
    }

    fn report_derived(
        &mut self,
        operation: &Found<'d>,
        written: Option<&str>,
        derived: &str,
        users: &HashMap<&str, Vec<NodeRef<'d>>>,
    ) {
        let at = operation.node.get("operationId").unwrap_or(operation.node);
        if operation.node.get("operationId").is_some_and(|id| id.as_str().is_none()) {
            // The wrong type was reported already.
            return;
        }
        let Some(id) = written else {
            let message = format!(
                "`{} {}` has no `operationId`, so it is named `{derived}`",
                operation.method, operation.path
            );
            self.warn(Code::NoOperationId, at, message);
            return;
        };
        let message = format!("duplicate `operationId` `{id}`; this operation is named `{derived}` instead");
        let first =
            users.get(id).and_then(|users| users.iter().find(|user| !std::ptr::eq(**user, operation.node)));
        let first = first.copied();
        let error = self.error(Code::DuplicateOperationId, at, message);
        if let Some(first) = first {
            error.label(first, "also used here");
        }
    }

    fn operation(
        &mut self,
        found: &Found<'d>,
        id: String,
        ident: Ident,
        index: usize,
    ) -> (Operation, Vec<ErrorUse>) {
        let Found { path, method, item, node } = *found;
        self.check_operation(node);
        let tag = self.tags.of(found.path, node);
        let owner = Owner {
            module: Module::Tag(tag),
            owner: self.components.schemas.len() + 1 + index,
            base: names::pascal(ident.0.strip_prefix("r#").unwrap_or(&ident.0)),
            provenance: Provenance::Operation(format!("{method} {path}")),
        };
        let input_position = owner.position("Input", "CallInput", "the input");
        let input = self.types.reserve(&input_position, Some(node));
        let parameters = self.parameters(item, node, path, &owner);
        let limit = self.extension(node, "x-body-limit", "a number of bytes", Node::as_u64);
        let body =
            self.request_body(node, method).and_then(|body| self.body(body, &owner, limit, Flow::Sent));
        let Outcome { output, responses, errors, uses } = self.outcome(node, method, &owner);
        let mut docs = self.docs_of(node);
        self.flag(node, "deprecated");
        docs.deprecated |= self.flag(item, "deprecated").unwrap_or_default();
        self.notes.examples.push(Written {
            parameters: parameters.iter().map(|lowered| self.parameter_example(lowered.node)).collect(),
            body: node.get("requestBody").filter(|_| body.is_some()).and_then(|body| self.body_example(body)),
        });
        let security = self.requirements(node);
        self.check_query_string(&parameters, &security);
        let has_input = !parameters.is_empty() || body.is_some();
        if has_input {
            self.input(input, &parameters, body.as_ref(), &docs);
        }
        let operation = Operation {
            constant: Ident(names::constant(ident.0.strip_prefix("r#").unwrap_or(&ident.0))),
            callbacks: self.callbacks(node, &owner),
            security,
            security_at: self.security_of(node).map_or_else(Origin::default, Origin::of),
            requires: self.requires(node),
            closed_query: self
                .extension(node, "x-closed-query", "`true` or `false`", Node::as_bool)
                .unwrap_or_default(),
            server: self.nearest_server(node, item),
            id,
            ident,
            tag,
            method: method.to_owned(),
            path: with_patterns(path),
            routable: !self.unroutable.contains(&(path, found.method)),
            docs,
            input: has_input.then_some(input),
            parameters: parameters.into_iter().map(|lowered| lowered.parameter).collect(),
            body,
            output,
            responses,
            errors,
            // A pass reads both, because they refer to other operations and to types.
            task: None,
            monitored: None,
            paging: None,
            example: None,
        };
        self.notes.nodes.push(node);
        (operation, uses)
    }

    /// Returns the body of a request.
    ///
    /// OpenAPI 3.0 ignores a body that has no meaning in HTTP. OpenAPI 3.1 permits it.
    fn request_body(&mut self, node: NodeRef<'d>, method: &str) -> Option<NodeRef<'d>> {
        let body = node.get("requestBody")?;
        if !["GET", "HEAD", "TRACE"].contains(&method) {
            return Some(body);
        }
        let ignored = if self.is_3_1() { "" } else { ", so it is ignored" };
        let message = format!("the body of a `{method}` request has no meaning in HTTP{ignored}");
        self.warn(Code::BadContent, body, message);
        self.is_3_1().then_some(body)
    }

    fn check_operation(&mut self, node: NodeRef<'d>) {
        const KNOWN: &[&str] = &[
            "tags",
            "summary",
            "description",
            "externalDocs",
            "operationId",
            "parameters",
            "requestBody",
            "responses",
            "callbacks",
            "deprecated",
            "security",
            "servers",
        ];
        self.check_fields(node, "an operation", KNOWN);
        self.check_servers(node);
        self.list(node, "tags");
    }

    /// Reads `x-requires`: a string or a list of strings.
    fn requires(&mut self, node: NodeRef<'d>) -> Vec<String> {
        let read = |requires: NodeRef<'_>| {
            let texts = requires.as_str().into_iter().chain(requires.items().iter().filter_map(Node::as_str));
            Some(texts.map(str::to_owned).collect::<Vec<_>>()).filter(|texts| !texts.is_empty())
        };
        self.extension(node, "x-requires", "a string or a list of strings", read).unwrap_or_default()
    }
}
