//! Pages of lists: `x-pagination`, and the extensions of other tools.

use crate::{
    diagnostics::nearest,
    ir::{Field, Kind, Literal, Location, PageSlot, PageStep, Paging, Parameter, Path, Type, pointer},
    lower::finish::{
        bodies::{Body, Severity, Wanted, missing},
        pages::{Draft, KNOWN, Step, Target, Unreadable},
        state::Finish,
    },
    tree::NodeRef,
};

impl<'d> Finish<'d, '_> {
    /// Reads the pages of all operations.
    pub fn read_paging(&mut self) {
        let help = "write `x-pagination: true` in each operation that returns pages";
        _ = self.defaults_of("x-pagination", KNOWN, help);
        for index in 0..self.operation_notes.nodes.len() {
            let Some(node) = self.operation_notes.nodes.get(index).copied() else { continue };
            let draft = match self.draft(index, node) {
                Ok(None) => continue,
                Ok(Some(draft)) => draft,
                Err((severity, (node, message))) => {
                    self.report(severity, node, message, None);
                    continue;
                }
            };
            let paging = self.paging(index, draft);
            if let Some(operation) = self.api.operations.get_mut(index) {
                operation.paging = paging;
            }
        }
    }

    /// Reads the extension that an operation has. `x-pagination` has precedence.
    fn draft(
        &mut self,
        index: usize,
        node: NodeRef<'d>,
    ) -> Result<Option<Draft<'d>>, (Severity, Unreadable<'d>)> {
        let root = self.document.root();
        let error = |severity| move |unreadable| (severity, unreadable);
        if let Some(own) = node.get("x-pagination") {
            if own.as_bool() == Some(false) {
                return Ok(None);
            }
            self.check_extension(own, "`x-pagination`", KNOWN);
            let draft = Draft::own(own, root.get("x-pagination"));
            return draft.map(Some).map_err(error(Severity::Error));
        }
        if let Some(own) = node.get("x-ms-pageable").filter(|own| own.is_object()) {
            let has = |path: &Path| missing(&self.api, Body::Response(index), path).is_none();
            return Draft::microsoft(own, has).map_err(error(Severity::Warning));
        }
        let shared =
            |own: NodeRef<'d>| if own.is_object() { Some(own) } else { root.get("x-fern-pagination") };
        let is_on = |own: &NodeRef<'d>| own.is_object() || own.as_bool() == Some(true);
        if let Some(own) = node.get("x-fern-pagination").filter(is_on).and_then(shared) {
            return Draft::fern(own).map(Some).map_err(error(Severity::Warning));
        }
        match node.get("x-speakeasy-pagination").filter(|own| own.is_object()) {
            Some(own) => Draft::speakeasy(own).map(Some).map_err(error(Severity::Warning)),
            None => Ok(None),
        }
    }

    /// Checks a description of pages against the operation.
    fn paging(&mut self, index: usize, draft: Draft<'d>) -> Option<Paging> {
        let Draft { severity, node, step, at, next, bound, items, more, origins } = draft;
        let at = match step {
            Step::Page | Step::Offset | Step::Cursor => {
                let at = self.present(severity, node, at, "the part of the request that selects the page")?;
                Some(self.slot(severity, at, index, step)?)
            }
            Step::Url | Step::Link => None,
        };
        let response = Body::Response(index);
        let next = match step {
            Step::Cursor | Step::Url => {
                let next = self.present(severity, node, next, "the cursor or the URL of the next page")?;
                let wanted = if step == Step::Url { Wanted::Text } else { Wanted::Scalar };
                Some(self.has_value(severity, next.node, next.path, response, wanted)?)
            }
            _ => None,
        };
        let mut optional = |target: Option<Target<'d>>, wanted| {
            let Target { node, path, .. } = target?;
            self.has_value(severity, node, path, response, wanted)
        };
        let (bound, more) = (optional(bound, Wanted::Number), optional(more, Wanted::Boolean));
        let items = self.present(severity, node, items, "the array of items")?;
        let operation = self.api.operations.get(index)?;
        if self.api.items_of(operation, &items.path).is_none() {
            let message =
                format!("the response of `{}` has no array at `{}`", operation.id, pointer(&items.path));
            self.report(severity, items.node, message, None);
            return None;
        }
        let step = match (step, at, next) {
            (Step::Page, Some(at), _) => PageStep::Page { first: self.first(index, &at), at, last: bound },
            (Step::Offset, Some(at), _) => PageStep::Offset { at, total: bound },
            (Step::Cursor, Some(at), Some(next)) => PageStep::Cursor { at, next },
            (Step::Url, _, Some(next)) => PageStep::Url { next },
            _ => PageStep::Link,
        };
        Some(Paging { step, items: items.path, more, origins })
    }

    /// Returns a part of the description, and reports a problem if it is missing.
    fn present(
        &mut self,
        severity: Severity,
        node: NodeRef<'d>,
        target: Option<Target<'d>>,
        what: &str,
    ) -> Option<Target<'d>> {
        if target.is_none() {
            self.report(severity, node, format!("the description of pages does not name {what}"), None);
        }
        target
    }

    /// Returns the query parameter, or the property of the request body, that selects the page.
    fn slot(&mut self, severity: Severity, target: Target<'d>, index: usize, step: Step) -> Option<PageSlot> {
        let operation = self.api.operations.get(index)?;
        let queries = || operation.parameters.iter().filter(|one| one.location == Location::Query);
        if !target.is_body
            && let [name] = target.path.as_slice()
        {
            if queries().any(|one| one.name == *name) {
                let field = self.field_of_query(index, name);
                if field.is_none_or(|field| Wanted::Scalar.fits(&self.api, &field.schema)) {
                    return Some(PageSlot::Query(name.clone()));
                }
                let message =
                    format!("the parameter `{name}` of `{}` is neither a string nor a number", operation.id);
                self.report(severity, target.node, message, None);
                return None;
            }
            if operation.body.is_none() {
                let near = nearest(name, queries().map(|one| one.name.as_str())).map(str::to_owned);
                let message = format!("`{}` has no query parameter `{name}`", operation.id);
                self.report(severity, target.node, message, near.as_deref());
                return None;
            }
        }
        let wanted = if step == Step::Cursor { Wanted::Scalar } else { Wanted::Number };
        self.has_value(severity, target.node, target.path, Body::Request(index), wanted).map(PageSlot::Body)
    }

    /// Returns the field of the input for a query parameter.
    fn field_of_query(&self, index: usize, name: &str) -> Option<&Field> {
        let operation = self.api.operations.get(index)?;
        let is_it = |one: &Parameter| one.location == Location::Query && one.name == name;
        let position = operation.parameters.iter().position(is_it)?;
        let Kind::Struct(input) = &self.api.type_def(operation.input?)?.kind else { return None };
        input.fields.get(position)
    }

    /// Returns the number of the first page: the default of the parameter, else its minimum 0, else 1.
    fn first(&self, index: usize, at: &PageSlot) -> u64 {
        let number = || {
            let PageSlot::Query(name) = at else { return None };
            let field = self.field_of_query(index, name)?;
            match (&field.default, &self.api.unaliased(&field.schema).ty) {
                (Some(Literal::Integer(default)), _) => u64::try_from(*default).ok(),
                (None, Type::Integer(rules))
                    if rules.minimum == Some(0) && rules.exclusive_minimum.is_none() =>
                {
                    Some(0)
                }
                _ => None,
            }
        };
        number().unwrap_or(1)
    }
}
