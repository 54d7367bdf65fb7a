//! The receiver of the requests that the API sends: webhooks, and callbacks of operations.

use std::collections::{BTreeSet, HashMap, HashSet};

use indexmap::IndexMap;
use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs::{Text, code};
use super::super::scope::{Scope, local};
use super::super::server::convention_allowed;
use super::super::{File, Imports, Item, RUNTIME, rust_file};
use crate::ir::{Api, Callback, ContentFormat, Module, Operation, Schema};
use crate::names::{Style, settle};
use crate::options::{CrateKind, Options};

/// The number of operations that the documentation of a callback names.
const NAMED: usize = 3;

/// A request that the API sends, which becomes a method of the trait.
struct Event<'a> {
    request: &'a Callback,
    /// The operations that have the callback; none for a webhook.
    operations: Vec<&'a Operation>,
    method: String,
    constant: String,
}

/// Returns whether the API sends requests.
pub(in super::super) fn has_events(api: &Api) -> bool {
    !api.webhooks.is_empty() || api.operations.iter().any(|operation| !operation.callbacks.is_empty())
}

/// Returns `receiver.rs`, if the API sends requests.
pub(super) fn file<'a>(api: &'a Api, options: &'a Options) -> Option<File<'a>> {
    let tokens = move || {
        let models = options.crate_ident(CrateKind::Models);
        let scope = Scope { api, module: Module::Common, models: Some(&models) };
        let events = events(api);
        let (webhooks, receiver) = (webhooks(&scope, &events), receiver(&scope, &events));
        quote!(#webhooks #receiver)
    };
    let docs = Text::new()
        .paragraph("Receives the requests that the API sends: webhooks, and callbacks of operations.");
    has_events(api)
        .then(|| rust_file(CrateKind::Client, "receiver", docs, imports(options), vec![Item::new(tokens)]))
}

/// Returns `#[cfg(feature = "receiver")] pub mod receiver;`, if the API sends requests.
pub(super) fn module(api: &Api) -> Option<Item<'_>> {
    let tokens = || {
        let scope = Scope { api, module: Module::Common, models: None };
        let allow = events(api).iter().any(|event| event.condition(&scope).is_some()).then(|| {
            quote! {
                #[allow(unused_imports, unused_mut, unused_variables, reason = "features can leave out events")]
            }
        });
        quote! {
            #[cfg(feature = "receiver")]
            #[rustfmt::skip]
            #allow
            pub mod receiver;
        }
    };
    has_events(api).then(|| Item::new(tokens))
}

fn imports(options: &Options) -> Imports {
    let models = options.crate_ident(CrateKind::Models);
    Imports::new([
        ("common", &*models, "common"),
        ("responses", &models, "responses"),
        ("types", RUNTIME, "types"),
        ("rt", RUNTIME, "webhooks as rt"),
        ("Arc", "std::sync", "Arc"),
    ])
}

/// Returns the events, webhooks first.
///
/// Callbacks of one name are one event if their method and body are equal, since a receiver can't distinguish them.
fn events(api: &Api) -> Vec<Event<'_>> {
    let webhooks = api.webhooks.iter().map(|request| (request, None));
    let callbacks = api
        .operations
        .iter()
        .flat_map(|operation| operation.callbacks.iter().map(move |request| (request, Some(operation))));
    let sent: Vec<_> = webhooks.chain(callbacks).collect();
    let mut are_equal: HashMap<&str, (&Callback, bool)> = HashMap::new();
    for &(request, _) in &sent {
        let (first, equal) = are_equal.entry(&request.name).or_insert((request, true));
        *equal &= first.method == request.method && body(first) == body(request);
    }
    // The requests of one event have one key.
    let mut groups: IndexMap<(&str, usize), (&Callback, Vec<&Operation>)> = IndexMap::new();
    for (index, (request, operation)) in sent.into_iter().enumerate() {
        let is_shared = are_equal.get(request.name.as_str()).is_some_and(|(_, equal)| *equal);
        let key = (request.name.as_str(), if is_shared { 0 } else { index + 1 });
        groups.entry(key).or_insert((request, Vec::new())).1.extend(operation);
    }
    let mut taken = HashSet::new();
    let text = |((name, own), (request, operations)): (&(&str, usize), &(&Callback, Vec<&Operation>))| {
        let Callback { method, expression, .. } = request;
        let mut text = match operations.as_slice() {
            _ if *own == 0 => (*name).to_owned(),
            [] => format!("{name} {method}"),
            [operation, ..] => format!("{} {name}", operation.id),
        };
        // A callback can have several expressions and methods.
        while !taken.insert(text.clone()) {
            text = format!("{text} {method} {}", expression.as_deref().unwrap_or_default());
        }
        text
    };
    let texts: Vec<String> = groups.iter().map(text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let names = settle(&texts, Style::Field).into_iter().zip(settle(&texts, Style::Constant));
    let event = |((request, operations), (method, constant))| {
        let constant = format!("ON_{constant}");
        Event { request, operations, method, constant }
    };
    groups.into_values().zip(names).map(event).collect()
}

/// Returns the schema of the JSON body. Other bodies have no type.
fn body(request: &Callback) -> Option<&Schema> {
    let mut contents = request.body.iter().flat_map(|body| &body.contents);
    contents.find(|content| content.format == ContentFormat::Json).map(|content| &content.schema)
}

impl Event<'_> {
    /// Returns the path, which is also the name in `events_by`: `/order_paid`.
    fn path(&self) -> String {
        format!("/{}", self.name())
    }

    fn name(&self) -> &str {
        self.method.trim_start_matches("r#")
    }

    /// Returns the attribute for an event whose type is in the modules of tags.
    fn condition(&self, scope: &Scope<'_>) -> Option<TokenStream> {
        let mut tags = BTreeSet::new();
        body(self.request)?.named(&mut |id| {
            if let Some(Module::Tag(tag)) = scope.api.type_def(id).map(|def| def.module) {
                tags.extend(scope.api.tags.get(tag.0).map(|tag| tag.module.0.as_str()));
            }
        });
        let features = tags.into_iter().map(|tag| quote!(any(feature = "all", feature = #tag)));
        let features: Vec<_> = features.collect();
        match features.as_slice() {
            [] => None,
            [only] => Some(quote!(#[cfg(#only)])),
            several => Some(quote!(#[cfg(all(#(#several),*))])),
        }
    }

    fn docs(&self) -> TokenStream {
        let name = code(&self.request.name);
        let source = match self.operations.as_slice() {
            [] => format!("webhook {name}"),
            // A list would change whenever such an operation is added.
            operations if operations.len() > NAMED => format!("callback {name} of several operations"),
            operations => {
                let named: Vec<_> = operations.iter().map(|operation| code(&operation.id)).collect();
                format!("callback {name} of {}", named.join(", "))
            }
        };
        let described = Text::new().described(&self.request.docs);
        let beginning = if described.is_empty() { "Receives the " } else { "This is the " };
        described
            .paragraph(format!(
                "{beginning}{source}, {}.",
                code(&format!("{} {}", self.request.method, self.path()))
            ))
            .status(&self.request.docs)
            .attributes()
    }
}

/// ```text
/// /// Handles the requests that the API sends.
/// pub trait Webhooks: Send + Sync + 'static {
///     /// An order was paid.
///     ///
///     /// This is the webhook `order.paid`, `POST /order_paid`.
///     fn order_paid(
///         &self,
///         delivery: Delivery,
///         event: common::Order,
///     ) -> impl Future<Output = Handled> + Send {
///         let _ = (delivery, event);
///         async { Ok(()) }
///     }
/// }
/// ```
fn webhooks(scope: &Scope<'_>, events: &[Event<'_>]) -> TokenStream {
    let methods = events.iter().map(|event| {
        let (docs, condition, name) = (event.docs(), event.condition(scope), local(&event.method));
        let ty = body(event.request).map(|schema| scope.ty(schema));
        let argument = ty.as_ref().map(|ty| quote!(, event: #ty));
        let unused = if ty.is_some() { quote!((delivery, event)) } else { quote!(delivery) };
        let allow = convention_allowed(&event.method);
        quote! {
            #docs
            #condition
            #allow
            fn #name(&self, delivery: Delivery #argument) -> impl Future<Output = Handled> + Send {
                let _ = #unused;
                async { Ok(()) }
            }
        }
    });
    quote! {
        /// Handles the requests that the API sends.
        ///
        /// Write each method as an `async fn`. A method without an implementation acknowledges the event. The
        /// sender repeats an event until it is acknowledged, and events can arrive in any order.
        pub trait Webhooks: Send + Sync + 'static {
            #(#methods)*
        }
    }
}

/// ```text
/// static ON_ORDER_PAID: rt::Operation = rt::event("order_paid", "POST", "/order_paid");
///
/// static EVENTS: &[&rt::Operation] = &[&ON_ORDER_PAID];
///
/// pub fn receiver<T: Webhooks>(api: Arc<T>, verify: impl rt::Verify) -> Result<rt::Receiver, rt::BuildError> {
///     let mut to = rt::builder(EVENTS);
///     to.mount(
///         &ON_ORDER_PAID,
///         rt::typed(&api, |api, delivery, event| async move { <T as Webhooks>::order_paid(&api, delivery, event).await }),
///     );
///     Ok(rt::Receiver::new(to.build()?, EVENTS, verify))
/// }
/// ```
fn receiver(scope: &Scope<'_>, events: &[Event<'_>]) -> TokenStream {
    let parts = events.iter().map(|event| {
        let (condition, constant) = (event.condition(scope), local(&event.constant));
        let (name, path, verb) = (event.name(), event.path(), &event.request.method);
        let method = local(&event.method);
        let (row, handler, arguments) = match body(event.request) {
            Some(_) => (quote!(event), quote!(typed), quote!(delivery, event)),
            None => (quote!(message), quote!(untyped), quote!(delivery)),
        };
        let row = quote!(#condition static #constant: rt::Operation = rt::#row(#name, #verb, #path););
        let mount = quote! {
            #condition
            to.mount(&#constant, rt::#handler(&api, |api, #arguments| async move { <T as Webhooks>::#method(&api, #arguments).await }));
        };
        (row, quote!(#condition &#constant), mount)
    });
    let (mut rows, mut listed, mut mounts) = (Vec::new(), Vec::new(), Vec::new());
    for (row, entry, mount) in parts {
        rows.push(row);
        listed.push(entry);
        mounts.push(mount);
    }
    quote! {
        pub use openapi_crates_runtime::webhooks as runtime;
        pub use openapi_crates_runtime::webhooks::{Delivery, Handled, Secret, Verifier};

        #(#rows)*

        static EVENTS: &[&rt::Operation] = &[#(#listed),*];

        /// Returns a `tower::Service` that passes verified requests to these handlers.
        ///
        /// The last segment of the URL's path is the name of the event, unless there is only one event.
        ///
        /// # Errors
        /// Returns an error if two events have the same path, which generated code excludes.
        pub fn receiver<T: Webhooks>(
            api: Arc<T>,
            verify: impl rt::Verify,
        ) -> Result<rt::Receiver, rt::BuildError> {
            let mut to = rt::builder(EVENTS);
            #(#mounts)*
            Ok(rt::Receiver::new(to.build()?, EVENTS, verify))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Options, generate};

    /// The callback `done` has one body, `failed` has two, and `moved` one of a tag.
    const DOCUMENT: &str = "
openapi: 3.1.0
info: {title: Jobs, version: 1.0.0}
webhooks:
  type: {post: {responses: {'200': {description: Received.}}}}
  order.paid: {post: {requestBody: &job {content: {application/json: {schema: {$ref: '#/components/schemas/Job'}}}}}}
paths:
  /a: {post: {operationId: start, tags: [a], responses: {'204': {description: Done.}}, callbacks: {
    done: {'{$request.body#/url}': &done {post: {requestBody: *job}}},
    failed: {'{$request.body#/url}': {post: {requestBody: {content: {text/plain: {}}}}}}}}}
  /b: {post: {operationId: stop, tags: [b], responses: {'204': {description: Done.}}, callbacks: {
    done: {'{$request.body#/url}': *done},
    failed: {'{$request.body#/url}': *done, '{$request.body#/other}': *done},
    moved: {'{$request.body#/url}': {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Move'}}}}}}}}}}
components:
  schemas:
    Job: {type: object, properties: {id: {type: string}}}
    Move: {type: object, x-family: b, properties: {id: {type: string}}}
";

    #[test]
    fn equal_callbacks_of_one_name_are_one_event() {
        let generated = generate("jobs.yaml", DOCUMENT, &Options::new("jobs", "jobs.yaml")).unwrap();
        let files = generated.files.unwrap_or_else(|| panic!("{}", generated.report));
        let (_, text) = files.iter().find(|(path, _)| *path == "client/src/receiver.rs").unwrap();
        let rows = text.lines().filter_map(|line| line.trim().strip_prefix("static ")?.split_once(':'));
        let rows: Vec<&str> = rows.map(|(name, _)| name).collect();
        let failed = ["ON_START_FAILED", "ON_STOP_FAILED", "ON_STOP_FAILED_POST_REQUEST_BODY_OTHER"];
        let expected =
            [&["ON_TYPE", "ON_ORDER_PAID", "ON_DONE"][..], &failed, &["ON_MOVED", "EVENTS"]].concat();
        assert_eq!(rows, expected, "{text}");
        for part in [
            "Receives the callback `done` of `start`, `stop`, `POST /done`.",
            "fn r#type(&self, delivery: Delivery)",
            "event: jobs_models::b::Move",
            "#[cfg(any(feature = \"all\", feature = \"b\"))]\n    fn moved(",
            "rt::event(\"order_paid\", \"POST\", \"/order_paid\")",
            "rt::message(\"type\", \"POST\", \"/type\")",
        ] {
            assert!(text.contains(part), "`{part}` is not in:\n{text}");
        }
    }
}
