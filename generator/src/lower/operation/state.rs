//! The state of lowering operations, and the owners of inline schemas: operations, and components such as parameters.

use std::{
    collections::{HashMap, HashSet},
    ops::{Deref, DerefMut},
    rc::Rc,
};

use serde_json::Value;

use crate::{
    ir::{
        Content, Module, Origin, Parameter, Provenance, Response, Schema, SecurityScheme, Status, Type,
        TypeId,
    },
    lower::{
        context::Context,
        position::{Root, SchemaPosition},
        resolver::{components::Components, state::Resolver},
        schema::state::Schemas,
        tags::Tags,
    },
    names::{self, Strength},
    tree::{NodeId, NodeRef},
};

/// The state of lowering operations.
///
/// It dereferences to the state of the stage `schema`.
pub(in crate::lower) struct Operations<'d, 'x> {
    pub schemas: Schemas<'d, 'x>,
    pub tags: Tags,
    /// The responses under `components/responses`.
    pub shared: Vec<Rc<SharedResponse<'d>>>,
    pub schemes: Vec<SecurityScheme>,
    /// Paths and methods that a server can't route.
    pub unroutable: HashSet<(&'d str, &'d str)>,
    /// The first operation of each `operationId`.
    pub operation_ids: HashMap<&'d str, NodeRef<'d>>,
    /// The enum of media types of each `content`.
    pub choices: HashMap<NodeId, TypeId>,
    pub notes: Notes<'d>,
}

impl<'d, 'x> Operations<'d, 'x> {
    /// Finds the modules and the components of a document, and reads no schema.
    pub fn new(mut context: Context<'d, 'x>) -> Self {
        let tags = Tags::read(&context);
        let components = Components::read(&mut context, &tags);
        let resolver = Resolver::new(context, components);
        Self {
            schemas: Schemas::new(resolver),
            tags,
            shared: Vec::new(),
            schemes: Vec::new(),
            unroutable: HashSet::new(),
            operation_ids: HashMap::new(),
            choices: HashMap::new(),
            notes: Notes::default(),
        }
    }

    /// Returns the owner of inline schemas in a component such as a parameter or a header.
    pub fn component_owner(&self, name: &str, what: &str) -> Owner {
        Owner {
            module: Module::Common,
            owner: self.components.schemas.len(),
            base: names::pascal(name),
            provenance: Provenance::Other(format!("the shared {what} `{name}`")),
        }
    }
}

impl<'d, 'x> Deref for Operations<'d, 'x> {
    type Target = Schemas<'d, 'x>;

    fn deref(&self) -> &Self::Target {
        &self.schemas
    }
}

impl DerefMut for Operations<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.schemas
    }
}

/// The facts that the passes need once all types are known.
#[derive(Debug, Default)]
pub(in crate::lower) struct Notes<'d> {
    /// The union of all webhook bodies.
    pub received: Vec<TypeId>,
    /// The operations in the document.
    pub nodes: Vec<NodeRef<'d>>,
    /// The examples in the document, per operation.
    pub examples: Vec<Written>,
}

/// The examples that the document contains for an operation.
#[derive(Debug, Default)]
pub(in crate::lower) struct Written {
    /// One per parameter.
    pub parameters: Vec<Option<Value>>,
    /// The example of the body.
    pub body: Option<Value>,
}

/// The names and the module for the types of an operation's parts.
#[derive(Debug, Clone)]
pub(in crate::lower) struct Owner {
    pub module: Module,
    /// The sort key of its types.
    pub owner: usize,
    /// `CreatePet`
    pub base: String,
    /// What it is in the document.
    pub provenance: Provenance,
}

impl Owner {
    /// Returns the position of one part: `CreatePet` and `Body`, ``the body of `POST /v1/…` ``.
    pub fn position<'d>(&self, part: &str, long: &str, what: &str) -> SchemaPosition<'d> {
        let root = Root {
            name: names::free_type(format!("{}{part}", self.base)),
            long: format!("{}{long}", self.base),
            strength: Strength::Operation,
            provenance: Provenance::Part(what.to_owned(), Box::new(self.provenance.clone())),
        };
        SchemaPosition::root(self.module, self.owner, root)
    }
}

/// The headers and contents of a response, without its status.
#[derive(Debug, Clone)]
pub(in crate::lower) struct Parts {
    pub description: String,
    pub headers: Vec<Parameter>,
    pub contents: Vec<Content>,
    /// The type of the contents.
    pub body: Schema,
    /// `x-permanent`.
    pub permanent: Option<String>,
    pub origin: Origin,
}

/// A response under `components/responses`.
#[derive(Debug)]
pub(in crate::lower) struct SharedResponse<'d> {
    pub name: &'d str,
    pub parts: Parts,
    /// The type under a fixed status.
    pub payload: Schema,
}

impl Parts {
    pub fn empty() -> Self {
        Self {
            description: String::new(),
            headers: Vec::new(),
            contents: Vec::new(),
            body: Schema::new(Type::Unit),
            permanent: None,
            origin: Origin::default(),
        }
    }

    /// Returns the table row.
    pub fn row(&self, status: Status) -> Response {
        Response {
            status,
            description: self.description.clone(),
            headers: self.headers.clone(),
            contents: self.contents.clone(),
            permanent: self.permanent.clone(),
            origin: self.origin,
        }
    }
}
