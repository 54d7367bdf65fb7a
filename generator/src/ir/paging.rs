//! Tasks and lists: which operation gets a task, and how a list continues.

use super::{Additional, Api, Field, Kind, Operation, Origins, Schema, StructRole, Type};

/// The names of properties, from the outermost one. Empty for the body itself.
pub type Path = Vec<String>;

/// The task that an operation creates (`x-task`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The operation that gets the task.
    pub get: TaskStep,
    /// The operation that cancels the task.
    pub cancel: Option<TaskStep>,
    /// The id in the response that creates the task.
    pub id: Path,
    /// The status in the response that gets the task.
    pub status: Path,
    /// The values of the status of a task that has succeeded.
    pub done: Vec<String>,
    /// The values of the status of a task that has failed.
    pub failed: Vec<String>,
    /// The reason of a failure.
    pub message: Option<Path>,
    /// The part of the work that is done.
    pub progress: Option<Path>,
    /// The source locations of the extension.
    pub origins: Origins,
}

/// An operation that follows the creation of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskStep {
    /// The operation, an index of [`Api::operations`](super::Api::operations).
    pub operation: usize,
    /// The parameter of its path that takes the id.
    pub id: Option<String>,
}

/// Where the result of a long-running operation is (`x-ms-long-running-operation`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinalState {
    /// At the URL of the request.
    Original,
    /// At the URL in the header `Location`.
    Location,
    /// In the last response that reports on the operation.
    Monitor,
    /// Nowhere: the result is the response to the request.
    Nothing,
}

/// The pages of an operation that lists items (`x-pagination`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paging {
    /// How the next page is requested.
    pub step: PageStep,
    /// The array of items in the response.
    pub items: Path,
    /// The boolean that says whether there are more pages.
    pub more: Option<Path>,
    /// The source locations of the extension.
    pub origins: Origins,
}

/// The way to request the next page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageStep {
    /// By the number of the page.
    Page {
        /// The number in the request.
        at: PageSlot,
        /// The number of the first page.
        first: u64,
        /// The number of the last page in the response.
        last: Option<Path>,
    },
    /// By the number of items before the page.
    Offset {
        /// The number in the request.
        at: PageSlot,
        /// The number of all items in the response.
        total: Option<Path>,
    },
    /// By a text that the response contains.
    Cursor {
        /// The cursor in the request.
        at: PageSlot,
        /// The cursor of the next page in the response.
        next: Path,
    },
    /// By a URL that the response contains.
    Url {
        /// The URL of the next page in the response.
        next: Path,
    },
    /// By the URL in the header `Link` with the relation `next`.
    Link,
}

/// The part of a request that selects the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageSlot {
    /// A parameter of the query.
    Query(String),
    /// A property of the JSON body.
    Body(Path),
}

/// Returns the JSON pointer with these names.
pub(crate) fn pointer(path: &[String]) -> String {
    path.iter().map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1"))).collect()
}

/// The meaning of a name within a value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Member<'a> {
    /// The value has a field of this name.
    Field(&'a Field),
    /// The value can have a property of this name, of which the types say nothing.
    Any,
    /// The value has no property of this name.
    None,
}

impl Api {
    /// Returns what a property of a value with this schema is.
    pub(crate) fn member<'a>(&'a self, schema: &'a Schema, name: &str) -> Member<'a> {
        match &self.unaliased(schema).ty {
            Type::Any | Type::Map(_) => Member::Any,
            Type::Named { id, .. } => match self.type_def(*id).map(|def| &def.kind) {
                Some(Kind::Struct(def)) => match def.fields.iter().find(|field| field.wire == name) {
                    Some(field) => Member::Field(field),
                    None if matches!(def.additional, Additional::Kept { .. }) => Member::Any,
                    None => Member::None,
                },
                Some(Kind::Union(_)) => Member::Any,
                _ => Member::None,
            },
            _ => Member::None,
        }
    }

    /// Returns the schema behind all aliases.
    pub(crate) fn unaliased<'a>(&'a self, schema: &'a Schema) -> &'a Schema {
        self.aliases(&schema.ty).last().unwrap_or(schema)
    }

    /// Returns the schemas of a chain of aliases.
    pub(crate) fn aliases<'a>(&'a self, ty: &'a Type) -> impl Iterator<Item = &'a Schema> {
        let aliased = |ty: &Type| match ty {
            Type::Named { id, .. } => match &self.type_def(*id)?.kind {
                Kind::Alias(schema) => Some(schema),
                _ => None,
            },
            _ => None,
        };
        std::iter::successors(aliased(ty), move |schema| aliased(&schema.ty)).take(self.types.len() + 1)
    }

    /// Returns the fields that lead from the output of an operation to the items of a page, and the schema of an item.
    ///
    /// Returns `None` if there is no array, or if one of several types leads there.
    pub(crate) fn items_of<'a>(
        &'a self,
        operation: &'a Operation,
        items: &Path,
    ) -> Option<(Vec<&'a Field>, &'a Schema)> {
        let mut fields = Vec::new();
        let mut schema = &operation.output;
        if let Type::Named { id, .. } = &schema.ty
            && let Kind::Struct(def) = &self.type_def(*id)?.kind
            && def.role == StructRole::Response
        {
            let body = def.fields.iter().rfind(|field| field.wire == "body")?;
            fields.push(body);
            schema = &body.schema;
        }
        for name in items {
            let Member::Field(field) = self.member(schema, name) else { return None };
            fields.push(field);
            schema = &field.schema;
        }
        match &self.unaliased(schema).ty {
            Type::Array(rules) => Some((fields, &rules.items)),
            _ => None,
        }
    }
}
