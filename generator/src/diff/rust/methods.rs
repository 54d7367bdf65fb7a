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
        // The name of the trait follows from that of the module. With another name, it counts as another module.
        match to.filter(|to| to.api_trait == from.api_trait) {
            None => changes.extend(removed_module(from, with_types.contains(&Module::Tag(TagId(index))))),
            Some(to) => {
                let has = (principals.0.contains(module), principals.1.contains(module));
                changes.extend(principal(to, has));
            }
        }
    }
    for (index, (from, to)) in compare.operations.iter().enumerate() {
        changes.extend(Method::of(compare, index, (from, to)).changes(moved, aliases));
    }
    let kept: HashSet<*const Operation> =
        compare.operations.iter().map(|(from, _)| std::ptr::from_ref(*from)).collect();
    for from in old.operations.iter().filter(|from| !kept.contains(&std::ptr::from_ref(*from))) {
        // A module that was removed is one change.
        if old.tags.get(from.tag.0).is_some_and(|tag| after.contains_key(tag.module.0.as_str())) {
            changes.push(removed_method(from, Users::ALL, Owner::Document));
        }
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

/// Compares whether a trait has the type of the caller.
fn principal(to: &Tag, has: (bool, bool)) -> Option<Found> {
    let (rule, message) = match has {
        (false, true) => (RustRule::PrincipalTypeAdded, "has the associated type `Principal`"),
        (true, false) => (RustRule::PrincipalTypeRemoved, "no longer has the associated type `Principal`"),
        _ => return None,
    };
    Some(change(rule, Users::IMPLEMENTORS, format!("trait `{}`", to.api_trait), message))
}

/// Returns the modules with a trait of which a method receives the caller.
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

fn removed_method(from: &Operation, users: Users, owner: Owner) -> Found {
    let message = format!("method `{}` is removed", from.ident);
    Found {
        values: (Some(from.ident.to_string()), None),
        owner,
        origins: (from.docs.origin, Origin::default()),
        ..change(RustRule::MethodRemoved, users, operations::name(from), message)
    }
}

/// An operation that both documents have, as a method of the client and of a server trait.
struct Method<'a> {
    old_api: &'a Api,
    new_api: &'a Api,
    old: &'a Operation,
    new: &'a Operation,
    owner: Owner,
    /// Who uses the old method.
    users: Users,
}

impl<'a> Method<'a> {
    fn of(compare: &Compare<'a>, index: usize, (old, new): (&'a Operation, &'a Operation)) -> Self {
        let users = if old.routable { Users::ALL } else { Users::CLIENTS };
        Self { old_api: compare.old, new_api: compare.new, old, new, owner: Owner::Operation(index), users }
    }

    fn changes(&self, moved: &Moved<'_>, aliases: &Aliases) -> impl Iterator<Item = Found> {
        let unrouted = (self.old.routable && !self.new.routable)
            .then(|| removed_method(self.old, Users::IMPLEMENTORS, self.owner));
        let others = self.outputs(moved, aliases).chain(self.caller());
        self.name().into_iter().chain(unrouted).chain(self.input()).chain(others)
    }

    fn changed(&self, rule: RustRule, users: Users, message: String, old: String, new: String) -> Found {
        Found {
            values: (Some(old), Some(new)),
            owner: self.owner,
            origins: (self.old.docs.origin, self.new.docs.origin),
            ..change(rule, users, operations::name(self.new), message)
        }
    }

    fn name(&self) -> Option<Found> {
        let path = |api: &Api, operation: &Operation| {
            let tag = api.tags.get(operation.tag.0);
            format!("{}::{}", tag.map_or("", |tag| tag.module.0.as_str()), operation.ident)
        };
        let (from, to) = (path(self.old_api, self.old), path(self.new_api, self.new));
        // Methods of the client have one name in all modules.
        let users = match (self.old.ident == self.new.ident, from == to) {
            (_, true) => return None,
            (true, false) if !self.old.routable => return None,
            (true, false) => Users::IMPLEMENTORS,
            (false, false) => self.users,
        };
        let message = format!("method `{from}` → `{to}`");
        Some(self.changed(RustRule::MethodRemoved, users, message, from, to))
    }

    fn input(&self) -> Option<Found> {
        let (old, new) = (self.old.input, self.new.input);
        if old.is_some() == new.is_some() {
            return None;
        }
        let text = |api: &Api, id: Option<TypeId>| {
            let named = |id| Outside::of_any_crate(api).ty(&Schema::new(Type::Named { id, boxed: false }));
            without_root(&id.map_or_else(|| "()".to_owned(), named))
        };
        let (from, to) = (text(self.old_api, old), text(self.new_api, new));
        let message = format!("`{}` takes {to}, was {from}", self.new.ident);
        Some(self.changed(RustRule::MethodInputChanged, self.users, message, from, to))
    }

    fn outputs(&self, moved: &Moved<'_>, aliases: &Aliases) -> impl Iterator<Item = Found> {
        let Self { old_api, new_api, old, new, .. } = self;
        let outputs =
            (Outside::of_any_crate(old_api).ty(&old.output), Outside::of_any_crate(new_api).ty(&new.output));
        let errors = (error(old_api, old), error(new_api, new));
        let parts = [
            (RustRule::MethodOutputChanged, "returns", outputs),
            (RustRule::MethodErrorChanged, "fails with", errors),
        ];
        parts.into_iter().filter_map(move |(rule, does, (from, to))| {
            let (from, to) = (moved.apply(&from), aliases.resolve(&to));
            (from != to).then(|| {
                let (short, was) = (without_root(&to), without_root(&from));
                let message = format!("`{}` {does} {short}, was {was}", new.ident);
                self.changed(rule, self.users, message, from, to)
            })
        })
    }

    fn caller(&self) -> Option<Found> {
        let (from, to) = (caller(self.old), caller(self.new));
        let is_routed = self.old.routable && self.new.routable;
        (is_routed && from != to).then(|| {
            let message = format!("`{}` gets the caller as {to}, was {from}", self.new.ident);
            let (from, to) = (from.to_owned(), to.to_owned());
            self.changed(RustRule::PrincipalChanged, Users::IMPLEMENTORS, message, from, to)
        })
    }
}

/// Returns the type of an operation's errors.
fn error(api: &Api, operation: &Operation) -> String {
    let id = match (&operation.errors, &api.shared_errors) {
        (Errors::Own { ty, .. }, _) => *ty,
        (Errors::Shared(_), Some(shared)) => shared.ty,
        (Errors::Shared(_) | Errors::None, _) => return "types::NoError".to_owned(),
    };
    Outside::of_any_crate(api).ty(&Schema::new(Type::Named { id, boxed: false }))
}

/// Compares the methods that set and check credentials.
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
