//! What a client needs to wait for tasks and to read pages: a static, and the types of the call.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::super::calls::Call;
use super::super::scope::{Scope, ident, variant};
use crate::ir::{FinalState, Operation, PageSlot, PageStep, Paging, Path, Task, TaskStep};

/// The parts of a client method that depend on what may follow its call.
#[derive(Default)]
pub(super) struct Follow {
    /// A sentence for the documentation.
    pub docs: &'static str,
    /// The type of the call.
    pub ty: TokenStream,
    /// The static that describes what follows.
    pub description: TokenStream,
    /// The method of the runtime's client.
    pub method: TokenStream,
    /// Its arguments after the input.
    pub arguments: TokenStream,
}

/// Returns the parts of a method.
///
/// ```text
/// pub fn create_job(&self, input: impl Into<models::CreateJobInput>) -> rt::TaskCall<models::Job, …> {
///     self.0.task(&table::CREATE_JOB, &input.into(), &GET_JOB_TASK, Some(&["id"]))
/// }
/// ```
pub(super) fn parts(scope: &Scope<'_>, call: &Call<'_>) -> Follow {
    let (output, error) = (&call.output, &call.error);
    let task = scope.api.task_of(call.operation).and_then(|task| of_task(scope, call, task));
    let monitored = || call.operation.monitored.map(|state| of_monitor(call, state));
    let pages = || call.operation.paging.as_ref().and_then(|paging| of_pages(scope, call, paging));
    task.or_else(monitored).or_else(pages).unwrap_or_else(|| Follow {
        ty: quote!(rt::Call<#output, #error>),
        method: quote!(call),
        ..Follow::default()
    })
}

/// Returns the description of the task that an operation gets, for all methods that create or get it.
///
/// ```text
/// static GET_JOB_TASK: rt::Task =
///     rt::Task::new(rt::TaskStep::new(&table::GET_JOB).id("id"), &["status"], &["succeeded"]).failed(&["failed"]);
/// ```
pub(super) fn description(scope: &Scope<'_>, call: &Call<'_>) -> Option<TokenStream> {
    let task = scope.api.task_got_by(call.operation)?;
    let Task { get, cancel, id: _, status, done, failed, message, progress, origins: _ } = task;
    let name = task_name(call.operation);
    let get = step(scope, get)?;
    let cancel = cancel.as_ref().and_then(|cancel| step(scope, cancel)).map(|it| quote!(.cancel(#it)));
    let status = path(status);
    let failed = (!failed.is_empty()).then(|| quote!(.failed(&[#(#failed),*])));
    let message = message.as_ref().map(path).map(|it| quote!(.message(#it)));
    let progress = progress.as_ref().map(path).map(|it| quote!(.progress(#it)));
    Some(quote! {
        static #name: rt::Task =
            rt::Task::new(#get, #status, &[#(#done),*]) #cancel #failed #message #progress;
    })
}

fn task_name(get: &Operation) -> Ident {
    format_ident!("{}_TASK", get.constant.0)
}

fn step(scope: &Scope<'_>, step: &TaskStep) -> Option<TokenStream> {
    let row = ident(&scope.api.operations.get(step.operation)?.constant);
    let id = step.id.as_ref().map(|id| quote!(.id(#id)));
    Some(quote!(rt::TaskStep::new(&table::#row) #id))
}

fn of_task(scope: &Scope<'_>, call: &Call<'_>, task: &Task) -> Option<Follow> {
    let got = Call::new(scope, scope.api.operations.get(task.get.operation)?);
    let name = task_name(got.operation);
    let (output, error) = (&call.output, &call.error);
    let (state, failure) = (&got.output, &got.error);
    let (docs, id) = if std::ptr::eq(got.operation, call.operation) {
        ("`wait()` of the call waits for the end of the task.", quote!(None))
    } else {
        let id = path(&task.id);
        ("`wait()` of the call creates a task and waits for its end.", quote!(Some(#id)))
    };
    Some(Follow {
        docs,
        ty: quote!(rt::TaskCall<#output, #error, #state, #failure>),
        method: quote!(task),
        arguments: quote!(, &#name, #id),
        ..Follow::default()
    })
}

fn of_monitor(call: &Call<'_>, state: FinalState) -> Follow {
    let (output, error) = (&call.output, &call.error);
    let state = variant(state);
    Follow {
        docs: "`wait()` of the call waits for the end of the long-running operation, and returns its result.",
        ty: quote!(rt::MonitoredCall<#output, #error>),
        method: quote!(monitored),
        arguments: quote!(, rt::FinalState::#state),
        ..Follow::default()
    }
}

fn of_pages(scope: &Scope<'_>, call: &Call<'_>, paging: &Paging) -> Option<Follow> {
    let Paging { step, items, more, origins: _ } = paging;
    let (output, error) = (&call.output, &call.error);
    let (item, take) = items_of(scope, call, items)?;
    let bound = |path: &Option<Path>| match path.as_ref().map(self::path) {
        Some(path) => quote!(Some(#path)),
        None => quote!(None),
    };
    let step = match step {
        PageStep::Page { at, first, last } => {
            let (at, last) = (slot(at), bound(last));
            quote!(Page { at: #at, first: #first, last: #last })
        }
        PageStep::Offset { at, total } => {
            let (at, total) = (slot(at), bound(total));
            quote!(Offset { at: #at, total: #total })
        }
        PageStep::Cursor { at, next } => {
            let (at, next) = (slot(at), path(next));
            quote!(Cursor { at: #at, next: #next })
        }
        PageStep::Url { next } => {
            let next = path(next);
            quote!(Url { next: #next })
        }
        PageStep::Link => quote!(Link),
    };
    let (items, more) = (path(items), more.as_ref().map(path).map(|it| quote!(.more(#it))));
    Some(Follow {
        docs: "`items()` of the call requests all pages, and `pages()` returns them one by one.",
        ty: quote!(rt::PagedCall<#output, #error, #item>),
        description: quote! {
            static PAGES: rt::Paging = rt::Paging::new(rt::PageStep::#step, #items) #more;
        },
        method: quote!(paged),
        arguments: quote!(, &PAGES, #take),
    })
}

/// A layer around a value that may be absent or null.
#[derive(Clone, Copy)]
enum Layer {
    Option,
    Nullable,
}

/// Returns the type of an item, and the closure that takes the items out of a page.
fn items_of(scope: &Scope<'_>, call: &Call<'_>, items: &Path) -> Option<(TokenStream, TokenStream)> {
    let (fields, item) = scope.api.items_of(call.operation, items)?;
    let root = scope.is_option(&call.operation.output);
    let mut layers: Vec<Layer> = root.then_some(Layer::Option).into_iter().collect();
    let inside = |value: TokenStream, layer| match layer {
        Layer::Option => quote!(#value?),
        Layer::Nullable => quote!(#value.into_option()?),
    };
    let mut value = quote!(page);
    for field in fields {
        value = layers.drain(..).fold(value, inside);
        let name = ident(&field.ident);
        value = quote!(#value.#name);
        layers.extend((!field.required).then_some(Layer::Option));
        if scope.is_option(&field.held()) {
            let is_nullable = !field.required && scope.is_wrapped(&field.held());
            layers.push(if is_nullable { Layer::Nullable } else { Layer::Option });
        }
    }
    let last = layers.pop();
    let value = layers.into_iter().fold(value, inside);
    let value = match last {
        None => quote!(Some(#value)),
        Some(Layer::Option) => value,
        Some(Layer::Nullable) => quote!(#value.into_option()),
    };
    let (item, output) = (scope.ty(item), &call.output);
    Some((item, quote!(|page: #output| #value)))
}

fn slot(slot: &PageSlot) -> TokenStream {
    match slot {
        PageSlot::Query(name) => quote!(rt::PageSlot::Query(#name)),
        PageSlot::Body(names) => {
            let names = path(names);
            quote!(rt::PageSlot::Body(#names))
        }
    }
}

fn path(path: &Path) -> TokenStream {
    quote!(&[#(#path),*])
}
