//! The programs of a client user and of a server implementor, which use everything that a document's crates offer.

use std::fmt::Write as _;

use openapi_crates::{
    CrateKind, Options,
    internals::{Api, Kind, Operation, Outside, SchemeKind, StructDef, TypeId},
};

use super::{
    reach::{Access, Reach, error_type},
    types::{Types, arguments, has_constants},
};

/// The programs of a document. They use its crates under their own names, `things_client`.
pub struct Programs {
    /// The program of a client user.
    pub client: String,
    /// The program of a server implementor.
    pub server: String,
}

impl Programs {
    /// Writes the programs.
    pub fn of(api: &Api, options: &Options) -> Self {
        let types = Types { api, outside: Outside::new(api, options) };
        let reach = Reach::of(api);
        let [models, client, server] =
            [CrateKind::Models, CrateKind::Client, CrateKind::Server].map(|kind| options.crate_ident(kind));
        let imports = |own: &str| format!("use {models} as models;\nuse {own};\n");
        Self {
            client: imports(&format!("{client}::{{Client, Error}}")) + &self::client(&types, &reach),
            server: imports(&format!("{server} as server")) + &self::server(&types, &reach),
        }
    }
}

/// The start of a server implementor's program: the service, and the hook that finds its callers.
const SERVICE: &str = "use server::{Attempt, Authenticate, Context, Denied, Failure, Server};
use std::sync::Arc;

struct Service;
struct Caller;
struct Keys;

impl Authenticate for Keys {
    type Principal = Caller;
    async fn authenticate(&self, _: Attempt<'_>) -> Result<Caller, Denied> { Err(Denied::Invalid) }
}

";

/// Calls every operation, builds every request and reads every response.
fn client(types: &Types<'_>, reach: &Reach) -> String {
    let mut text = uses(types, |id| reach.of_client(id));
    text += &credentials(types.api);
    for operation in &types.api.operations {
        text += &calls(types, operation);
    }
    text
}

/// Implements every method, reads every request and builds every response.
fn server(types: &Types<'_>, reach: &Reach) -> String {
    let api = types.api;
    let mut text = SERVICE.to_owned();
    text += &uses(types, |id| reach.of_server(id));
    for scheme in &api.security_schemes {
        text += &format!("const _: fn() = || {{ let _ = &server::security::{}; }};\n", scheme.constant);
    }
    let mut mounts = String::new();
    for (index, tag) in api.tags.iter().enumerate() {
        let operations = api.operations.iter().filter(|operation| operation.tag.0 == index);
        let operations: Vec<&Operation> = operations.filter(|operation| operation.routable).collect();
        let secured = operations.iter().any(|operation| principal(operation) != "()");
        text += &format!("impl server::{}::{} for Service {{\n", tag.module, tag.api_trait);
        text += if secured { "    type Principal = Caller;\n" } else { "" };
        operations.iter().for_each(|operation| text += &method(types, operation));
        text += "}\n";
        mounts += &format!(".{}(Arc::new(Service))", tag.module);
    }
    let keys = if api.security_schemes.is_empty() { "" } else { "Keys" };
    text + &format!("const _: fn() = || {{ let _ = Server::builder({keys}){mounts}.build(); }};\n")
}

/// Returns the uses of all types that a program reads or builds.
fn uses(types: &Types<'_>, access: impl Fn(TypeId) -> Access) -> String {
    let mut text = String::new();
    for def in &types.api.types {
        let Access { reads, builds } = access(def.id);
        if reads || builds {
            text += &types.derives(def);
        }
        if reads {
            text += &types.reads(def);
        }
        if builds {
            text += &types.builds(def);
        }
    }
    text
}

/// Returns a function that gives a client all credentials, and selects each server that has a name.
fn credentials(api: &Api) -> String {
    let mut calls = String::new();
    for scheme in &api.security_schemes {
        let given = match scheme.kind {
            SchemeKind::MutualTls => continue,
            SchemeKind::Basic => "\"name\", \"password\"",
            _ => "\"secret\"",
        };
        calls += &format!(".{}({given})", scheme.method);
    }
    for server in &api.named_servers {
        let is_plain = !server.url.contains(|c: char| c.is_whitespace() || "<>{}`".contains(c));
        if is_plain && (server.url.starts_with("https://") || server.url.starts_with("http://")) {
            calls += &format!(".{}()", server.method);
        }
    }
    format!("const _: fn() = || {{ let _ = Client::builder(){calls}.build(); }};\n")
}

/// Returns functions that call an operation: with its input, and with each value that converts into it.
fn calls(types: &Types<'_>, operation: &Operation) -> String {
    let result =
        format!("Result<{}, Error<{}>>", types.outside.ty(&operation.output), error(types, operation));
    let mut text = "const _: () = {\n".to_owned();
    for (name, (given, value)) in ["one", "two", "three"].iter().zip(given(types, operation)) {
        let comma = if given.is_empty() { "" } else { ", " };
        let _ = writeln!(
            text,
            "    async fn {name}(client: &Client{comma}{given}) -> {result} {{ client.{}({value}).await }}",
            operation.ident,
        );
    }
    text + "};\n"
}

/// Returns what a call can be given: the parameters of a function, and the expression of them.
fn given(types: &Types<'_>, operation: &Operation) -> Vec<(String, String)> {
    let Some((input, body)) = input(types.api, operation) else { return vec![Default::default()] };
    let path = types.path(input);
    let mut all = vec![(format!("input: {path}"), "input".to_owned())];
    let asked = types.asked(body);
    let parameters: Vec<String> =
        asked.iter().enumerate().map(|(index, ty)| format!("a{index}: {ty}")).collect();
    let parameters = parameters.join(", ");
    match asked.len() {
        0 => {
            all.push((String::new(), "()".to_owned()));
            let last = body.fields.last().filter(|field| operation.body.is_some() && !field.required);
            all.extend(last.map(|body| (format!("a0: {}", types.outside.ty(&body.schema)), "a0".to_owned())));
        }
        _ if body.fields_struct.is_some() => {
            if !has_constants(body) {
                all.push((parameters, types.fields_expression(&path, body)));
            }
        }
        1 => all.push((parameters, "a0".to_owned())),
        several => all.push((parameters, format!("({})", arguments(several)))),
    }
    all
}

/// Returns a method of a trait, with its exact signature.
fn method(types: &Types<'_>, operation: &Operation) -> String {
    let input = input(types.api, operation)
        .map_or_else(String::new, |(id, _)| format!(", input: {}", types.path(id)));
    format!(
        "    async fn {}(&self, context: Context<{}>{input}) -> Result<{}, Failure<{}>> {{ Err(Failure::NotImplemented) }}\n",
        operation.ident,
        principal(operation),
        types.outside.ty(&operation.output),
        error(types, operation),
    )
}

/// Returns the type of the caller in the context of an operation.
fn principal(operation: &Operation) -> &'static str {
    let alternatives = &operation.security;
    if alternatives.iter().all(Vec::is_empty) {
        "()"
    } else if alternatives.iter().any(Vec::is_empty) {
        "Option<Caller>"
    } else {
        "Caller"
    }
}

fn error(types: &Types<'_>, operation: &Operation) -> String {
    match error_type(types.api, operation) {
        Some(id) => types.path(id),
        None => "models::types::NoError".to_owned(),
    }
}

fn input<'a>(api: &'a Api, operation: &Operation) -> Option<(TypeId, &'a StructDef)> {
    let id = operation.input?;
    match &api.type_def(id)?.kind {
        Kind::Struct(body) => Some((id, body)),
        _ => None,
    }
}
