//! Compares modules, server traits, methods, credentials and servers.

use super::{
    Change, RustRule, Users, modules,
    moved::{Aliases, Moved},
};
use crate::{
    diff::{compare::Compare, operations, position::Owner, verdict::Verdict},
    emit::Outside,
    ir::{Api, Errors, Module, Operation, Origin, Schema, SchemeKind, Tag, TagId, Type, TypeId},
};

/// Returns the changes of modules, traits and methods.
pub(super) fn changes(compare: &Compare<'_>, moved: &Moved) -> Vec<Change> {
    let (old, new) = (compare.old, compare.new);
    let aliases = Aliases::of(new);
    let mut changes = Vec::new();
    let after = modules(new);
    for (module, index) in modules(old) {
        let Some(from) = old.tags.get(index) else { continue };
        let to = after.get(module).and_then(|index| new.tags.get(*index));
        // The trait is named like the module. If it is not, each name in it is another one, too.
        let to = to.filter(|to| to.api_trait == from.api_trait);
        changes.extend(of_module((old, TagId(index), from), to.map(|to| (new, to))));
    }
    for (index, (from, to)) in compare.operations.iter().enumerate() {
        changes.extend(of_operation((old, from), (new, to), index, (moved, &aliases)));
    }
    let is_kept = |from: &&Operation| compare.operations.iter().any(|(kept, _)| std::ptr::eq(*kept, *from));
    for from in old.operations.iter().filter(|from| !is_kept(from)) {
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

fn change(rule: RustRule, users: Users, subject: &str, message: String) -> Change {
    Change {
        rule,
        users,
        verdict: Verdict::Breaking,
        subject: subject.to_owned(),
        message,
        values: (None, None),
        owner: Owner::Document,
        origins: (Origin::default(), Origin::default()),
    }
}

fn of_module((old, id, from): (&Api, TagId, &Tag), to: Option<(&Api, &Tag)>) -> Vec<Change> {
    let subject = format!("module `{}`", from.module);
    let Some((new, to)) = to else {
        let removed =
            |users, message: &str| change(RustRule::ModuleRemoved, users, &subject, message.to_owned());
        // Methods of the client don't name the module, but its types do.
        let has_types = old.types_of(Module::Tag(id)).next().is_some();
        return match has_types {
            true => vec![removed(Users::ALL, "is removed")],
            false => {
                let feature = Change {
                    verdict: Verdict::Risky,
                    ..removed(Users::CLIENTS, "its Cargo feature is removed")
                };
                vec![removed(Users::IMPLEMENTORS, "is removed"), feature]
            }
        };
    };
    let mut changes = Vec::new();
    let subject = format!("trait `{}`", to.api_trait);
    match (has_principal(old, from), has_principal(new, to)) {
        (false, true) => {
            let message = "has the associated type `Principal`".to_owned();
            changes.push(change(RustRule::PrincipalTypeAdded, Users::IMPLEMENTORS, &subject, message));
        }
        (true, false) => {
            let message = "no longer has the associated type `Principal`".to_owned();
            changes.push(change(RustRule::PrincipalTypeRemoved, Users::IMPLEMENTORS, &subject, message));
        }
        _ => {}
    }
    changes
}

/// Returns whether a method of a tag's trait receives the caller.
fn has_principal(api: &Api, tag: &Tag) -> bool {
    let of_tag =
        |operation: &&Operation| api.tags.get(operation.tag.0).is_some_and(|it| it.module == tag.module);
    api.operations.iter().filter(of_tag).any(|operation| operation.routable && caller(operation) != "()")
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

fn removed_method(from: &Operation, users: Users, owner: Owner) -> Change {
    let subject = operations::name(from);
    let message = format!("method `{}` is removed", from.ident);
    Change {
        values: (Some(from.ident.to_string()), None),
        owner,
        origins: (from.docs.origin, Origin::default()),
        ..change(RustRule::MethodRemoved, users, &subject, message)
    }
}

fn of_operation(
    (old_api, old): (&Api, &Operation),
    (new_api, new): (&Api, &Operation),
    index: usize,
    (moved, aliases): (&Moved, &Aliases),
) -> Vec<Change> {
    let owner = Owner::Operation(index);
    let subject = operations::name(new);
    let origins = (old.docs.origin, new.docs.origin);
    let module = |api: &Api, operation: &Operation| {
        api.tags.get(operation.tag.0).map_or_else(String::new, |tag| tag.module.0.clone())
    };
    let implementors = if old.routable { Users::ALL } else { Users::CLIENTS };
    let changed = |rule, users, message, old: String, new: String| Change {
        values: (Some(old), Some(new)),
        owner,
        origins,
        ..change(rule, users, &subject, message)
    };
    let (from, to) = (
        format!("{}::{}", module(old_api, old), old.ident),
        format!("{}::{}", module(new_api, new), new.ident),
    );
    // Methods of the client have one name in all modules.
    let users = match (old.ident == new.ident, from == to) {
        (_, true) => None,
        (true, false) => Some(Users::IMPLEMENTORS),
        (false, false) => Some(implementors),
    };
    let mut changes = Vec::new();
    if let Some(users) = users.filter(|users| users.clients || old.routable) {
        let message = format!("method `{from}` → `{to}`");
        changes.push(changed(RustRule::MethodRemoved, users, message, from, to));
    }
    if old.routable && !new.routable {
        changes.push(removed_method(old, Users::IMPLEMENTORS, owner));
    }
    let input = |api: &Api, id: Option<TypeId>| {
        let id = id?;
        Some(Outside::of_any_crate(api).ty(&Schema::new(Type::Named { id, boxed: false })))
    };
    let (from, to) = (input(old_api, old.input), input(new_api, new.input));
    if from.is_some() != to.is_some() {
        let text = |ty: &Option<String>| ty.as_deref().unwrap_or("()").replace("models::", "");
        let message = format!("`{}` takes {}, was {}", new.ident, text(&to), text(&from));
        changes.push(changed(RustRule::MethodInputChanged, implementors, message, text(&from), text(&to)));
    }
    let parts = [
        (
            RustRule::MethodOutputChanged,
            "returns",
            Outside::of_any_crate(old_api).ty(&old.output),
            Outside::of_any_crate(new_api).ty(&new.output),
        ),
        (RustRule::MethodErrorChanged, "fails with", error(old_api, old), error(new_api, new)),
    ];
    for (rule, does, from, to) in parts {
        let (from, to) = (moved.apply(&from), aliases.resolve(&to));
        if from != to {
            let short = |text: &str| text.replace("models::", "");
            let message = format!("`{}` {does} {}, was {}", new.ident, short(&to), short(&from));
            changes.push(changed(rule, implementors, message, from, to));
        }
    }
    if old.routable && new.routable && caller(old) != caller(new) {
        let message = format!("`{}` gets the caller as {}, was {}", new.ident, caller(new), caller(old));
        let (from, to) = (caller(old).to_owned(), caller(new).to_owned());
        changes.push(changed(RustRule::PrincipalChanged, Users::IMPLEMENTORS, message, from, to));
    }
    changes
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
fn credentials(old: &Api, new: &Api) -> Vec<Change> {
    let arguments = |kind: &SchemeKind| match kind {
        SchemeKind::Basic => "user and password",
        SchemeKind::MutualTls => "nothing",
        SchemeKind::ApiKeyHeader(_)
        | SchemeKind::ApiKeyQuery(_)
        | SchemeKind::ApiKeyCookie(_)
        | SchemeKind::Bearer
        | SchemeKind::Http(_) => "one value",
    };
    let compare = |from: &crate::ir::SecurityScheme| {
        let subject = format!("credential `{}`", from.name);
        let Some(to) = new.security_schemes.iter().find(|to| to.method == from.method) else {
            let message = format!("no `{}`", from.method);
            return Some(change(RustRule::CredentialRemoved, Users::ALL, &subject, message));
        };
        let (before, after) = (arguments(&from.kind), arguments(&to.kind));
        (before != after).then(|| {
            let message = format!("`{}` takes {after}, took {before}", to.method);
            change(RustRule::CredentialChanged, Users::CLIENTS, &subject, message)
        })
    };
    old.security_schemes.iter().filter_map(compare).collect()
}
