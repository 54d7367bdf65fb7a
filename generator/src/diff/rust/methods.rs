//! Compares modules, server traits, methods, credentials and servers.

use std::collections::HashSet;

use super::{
    RustRule, Users, change,
    messages::without_root,
    modules,
    moved::{Aliases, Moved},
};
use crate::{
    diff::{
        compare::{Compare, Found},
        operations,
        position::Owner,
        verdict::Verdict,
    },
    emit::Outside,
    ir::{
        Api, Errors, Module, Operation, Origin, Schema, SchemeKind, SecurityScheme, Tag, TagId, Type, TypeId,
    },
};

/// Returns the changes of modules, traits and methods.
pub(super) fn changes(compare: &Compare<'_>, moved: &Moved<'_>, aliases: &Aliases) -> Vec<Found> {
    let (old, new) = (compare.old, compare.new);
    let mut changes = Vec::new();
    let after = modules(new);
    let with_types: HashSet<Module> = old.types.iter().map(|def| def.module).collect();
    let principals = (with_principal(old), with_principal(new));
    for (module, index) in modules(old) {
        let Some(from) = old.tags.get(index) else { continue };
        let to = after.get(module).and_then(|index| new.tags.get(*index));
        // The name of the trait follows from that of the module. If it differs, the module counts as removed.
        match to.filter(|to| to.api_trait == from.api_trait) {
            None => changes.extend(removed_module(from, with_types.contains(&Module::Tag(TagId(index))))),
            Some(to) => {
                let has = (principals.0.contains(module), principals.1.contains(module));
                changes.extend(principal(to, has));
            }
        }
    }
    for (index, (from, to)) in compare.operations.iter().enumerate() {
        changes.extend(methods((old, from), (new, to), Owner::Operation(index), (moved, aliases)));
    }
    let kept: HashSet<*const Operation> =
        compare.operations.iter().map(|(from, _)| std::ptr::from_ref(*from)).collect();
    for from in old.operations.iter().filter(|from| !kept.contains(&std::ptr::from_ref(*from))) {
        let Some(tag) = old.tags.get(from.tag.0) else { continue };
        let users = if after.contains_key(tag.module.0.as_str()) {
            users(from)
        } else if with_types.contains(&Module::Tag(from.tag)) {
            // The removal of the module is a change for all of them.
            continue;
        } else {
            // The change of a module without types does not concern methods of the client.
            Users::CLIENTS
        };
        changes.push(removed_method(from, users, Owner::Document));
    }
    changes.extend(credentials(old, new));
    for from in &old.named_servers {
        if !new.named_servers.iter().any(|to| to.method == from.method) {
            let message = format!("no `{}` to select the server `{}`", from.method, from.name);
            changes.push(change(RustRule::ServerMethodRemoved, Users::CLIENTS, "client builder", message));
        }
    }
    changes
}

fn removed_module(from: &Tag, has_types: bool) -> Vec<Found> {
    let subject = format!("module `{}`", from.module);
    let rule = RustRule::ModuleRemoved;
    let removed = |users, message| change(rule, users, subject.as_str(), message);
    // Methods of the client don't name the module, but its types do.
    if has_types {
        return vec![removed(Users::ALL, "is removed")];
    }
    let verdicts = Users::CLIENTS.verdicts(rule, Verdict::Risky);
    let feature = Found { verdicts, ..removed(Users::CLIENTS, "its Cargo feature is removed") };
    vec![removed(Users::IMPLEMENTORS, "is removed"), feature]
}

/// Compares whether a trait has the associated type of the caller.
fn principal(to: &Tag, has: (bool, bool)) -> Option<Found> {
    let (rule, message) = match has {
        (false, true) => (RustRule::PrincipalTypeAdded, "has the associated type `Principal`"),
        (true, false) => (RustRule::PrincipalTypeRemoved, "no longer has the associated type `Principal`"),
        _ => return None,
    };
    Some(change(rule, Users::IMPLEMENTORS, format!("trait `{}`", to.api_trait), message))
}

/// Returns the modules whose trait has a method that receives the caller.
fn with_principal(api: &Api) -> HashSet<&str> {
    let receives = |operation: &&Operation| operation.routable && caller(operation) != "()";
    let tags = api.operations.iter().filter(receives).filter_map(|operation| api.tags.get(operation.tag.0));
    tags.map(|tag| tag.module.0.as_str()).collect()
}

/// Returns the type of the caller that a method receives.
fn caller(operation: &Operation) -> &'static str {
    let alternatives = &operation.security;
    if alternatives.iter().all(Vec::is_empty) {
        "()"
    } else if alternatives.iter().any(Vec::is_empty) {
        "Option<Principal>"
    } else {
        "Principal"
    }
}

/// Returns the programs that have a method for an operation. Server traits have none for one that can't be routed.
const fn users(operation: &Operation) -> Users {
    if operation.routable { Users::ALL } else { Users::CLIENTS }
}

fn removed_method(from: &Operation, users: Users, owner: Owner) -> Found {
    let message = format!("method `{}` is removed", from.ident);
    Found {
        values: (Some(from.ident.to_string()), None),
        owner,
        origins: (from.docs.origin, Origin::default()),
        ..change(RustRule::MethodRemoved, users, operations::name(from), message)
    }
}

/// Compares an operation that both documents have, as a method of the client and of a server trait.
fn methods(
    (old_api, old): (&Api, &Operation),
    (new_api, new): (&Api, &Operation),
    owner: Owner,
    (moved, aliases): (&Moved<'_>, &Aliases),
) -> Vec<Found> {
    let mut changes = Vec::new();
    let users = users(old);
    let changed = |rule, users, message, from: &str, to: &str| Found {
        values: (Some(from.to_owned()), Some(to.to_owned())),
        owner,
        origins: (old.docs.origin, new.docs.origin),
        ..change(rule, users, operations::name(new), message)
    };
    let path = |api: &Api, operation: &Operation| {
        let tag = api.tags.get(operation.tag.0);
        format!("{}::{}", tag.map_or("", |tag| tag.module.0.as_str()), operation.ident)
    };
    let (from, to) = (path(old_api, old), path(new_api, new));
    // Methods of the client have one name in all modules.
    let callers = if old.ident == new.ident { Users::IMPLEMENTORS } else { users };
    if from != to && (old.routable || callers.clients) {
        changes.push(changed(
            RustRule::MethodRemoved,
            callers,
            format!("method `{from}` → `{to}`"),
            &from,
            &to,
        ));
    }
    if old.routable && !new.routable {
        changes.push(removed_method(old, Users::IMPLEMENTORS, owner));
    }
    let named = |api: &Api, id: TypeId| -> String {
        Outside::of_any_crate(api).ty(&Schema::new(Type::Named { id, boxed: false }))
    };
    if old.input.is_some() != new.input.is_some() {
        let text =
            |api, id: Option<TypeId>| without_root(&id.map_or_else(|| "()".to_owned(), |id| named(api, id)));
        let (from, to) = (text(old_api, old.input), text(new_api, new.input));
        let message = format!("`{}` takes {to}, was {from}", new.ident);
        changes.push(changed(RustRule::MethodInputChanged, users, message, &from, &to));
    }
    let output = |api: &Api, operation: &Operation| Outside::of_any_crate(api).ty(&operation.output);
    let error = |api: &Api, operation: &Operation| match (&operation.errors, &api.shared_errors) {
        (Errors::Own { ty, .. }, _) => named(api, *ty),
        (Errors::Shared(_), Some(shared)) => named(api, shared.ty),
        (Errors::Shared(_) | Errors::None, _) => "types::NoError".to_owned(),
    };
    for (rule, does, from, to) in [
        (RustRule::MethodOutputChanged, "returns", output(old_api, old), output(new_api, new)),
        (RustRule::MethodErrorChanged, "fails with", error(old_api, old), error(new_api, new)),
    ] {
        let (from, to) = (moved.apply(&from), aliases.resolve(&to));
        if from != to {
            let (short, was) = (without_root(&to), without_root(&from));
            let message = format!("`{}` {does} {short}, was {was}", new.ident);
            changes.push(changed(rule, users, message, &from, &to));
        }
    }
    let (from, to) = (caller(old), caller(new));
    if old.routable && new.routable && from != to {
        let message = format!("`{}` gets the caller as {to}, was {from}", new.ident);
        changes.push(changed(RustRule::PrincipalChanged, Users::IMPLEMENTORS, message, from, to));
    }
    changes
}

fn credentials(old: &Api, new: &Api) -> Vec<Found> {
    use SchemeKind::{ApiKeyCookie, ApiKeyHeader, ApiKeyQuery, Basic, Bearer, Http, MutualTls};
    let arguments = |kind: &SchemeKind| match kind {
        Basic => "user and password",
        MutualTls => "nothing",
        ApiKeyHeader(_) | ApiKeyQuery(_) | ApiKeyCookie(_) | Bearer | Http(_) => "one value",
    };
    let compare = |from: &SecurityScheme| {
        let subject = format!("credential `{}`", from.name);
        let Some(to) = new.security_schemes.iter().find(|to| to.method == from.method) else {
            let message = format!("no `{}`", from.method);
            return Some(change(RustRule::CredentialRemoved, Users::ALL, subject, message));
        };
        let (before, after) = (arguments(&from.kind), arguments(&to.kind));
        (before != after).then(|| {
            let message = format!("`{}` takes {after}, took {before}", to.method);
            change(RustRule::CredentialChanged, Users::CLIENTS, subject, message)
        })
    };
    old.security_schemes.iter().filter_map(compare).collect()
}
