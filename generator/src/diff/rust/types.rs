//! Compares types by their path, and the items of those that both documents have.

use std::collections::{HashMap, HashSet};

use super::{
    Change, RustRule, Users,
    items::{Item, Part, items, kind},
    modules,
    moved::{Aliases, Moved},
};
use crate::{
    diff::{compare::Compare, position::Owner, verdict::Verdict},
    emit::{Outside, module_name},
    ir::{Api, Errors, Kind, Module, Operation, Schema, StructRole, Type, TypeDef, TypeId},
};

/// Returns the changes of types.
pub(super) fn changes(compare: &Compare<'_>, moved: &Moved) -> Vec<Change> {
    let (old, new) = (Side::of(compare.old), Side::of(compare.new));
    let owners = owners(compare);
    let removed: HashSet<&str> = {
        let after = modules(compare.new);
        modules(compare.old).into_keys().filter(|name| !after.contains_key(name)).collect()
    };
    let mut changes = Vec::new();
    for (path, from) in &old.types {
        let now = moved.paths.get(path).unwrap_or(path);
        let Some(to) = new.by_path.get(now.as_str()) else {
            // A module that was removed is one change.
            let module = module_name(compare.old, from.module);
            if !removed.contains(module) || matches!(from.module, Module::Common | Module::Responses) {
                changes.push(removed_type(&old, from, path));
            }
            continue;
        };
        let owner = owners.get(&to.id).copied().unwrap_or(Owner::Document);
        changes.extend(compared((&old, from, path), (&new, to, now), owner, moved));
    }
    changes
}

fn removed_type(old: &Side<'_>, from: &TypeDef, path: &str) -> Change {
    let (sent, read) = old.users(from.id);
    Change {
        rule: RustRule::TypeRemoved,
        users: sent.and(read),
        verdict: Verdict::Breaking,
        subject: short(path),
        message: "is gone".to_owned(),
        values: (Some(path.to_owned()), None),
        owner: Owner::Document,
        origins: (from.docs.origin, Default::default()),
    }
}

/// Compares a type that both documents have.
fn compared<'a>(
    (old, from, old_path): (&Side<'a>, &'a TypeDef, &str),
    (new, to, new_path): (&Side<'a>, &'a TypeDef, &str),
    owner: Owner,
    moved: &Moved,
) -> Vec<Change> {
    let (sent, read) = old.users(from.id);
    let origins = (from.docs.origin, to.docs.origin);
    let change = |rule, users, verdict, message: String, values, origins| Change {
        rule,
        users,
        verdict,
        subject: short(new_path),
        message,
        values,
        owner,
        origins,
    };
    let mut changes = Vec::new();
    if old_path != new_path {
        let values = (Some(old_path.to_owned()), Some(new_path.to_owned()));
        let message = format!("was `{}`", short(old_path));
        changes.push(change(
            RustRule::TypeMoved,
            sent.and(read),
            Verdict::Breaking,
            message,
            values,
            origins,
        ));
    }
    let other = |rule, verdict, message, (old, new): (String, String)| {
        change(rule, sent.and(read), verdict, message, (Some(old), Some(new)), origins)
    };
    let (old_def, new_def) = (old.target(from), new.target(to));
    let (was, is) = (old_def.map_or("alias", kind), new_def.map_or("alias", kind));
    if was != is {
        let message = format!("{was} → {is}");
        let values = (was.to_owned(), is.to_owned());
        changes.push(other(RustRule::TypeKindChanged, Verdict::Breaking, message, values));
        return changes;
    }
    // An alias of a type is used like the type, which is compared as well.
    let own = old_def.filter(|def| def.id == from.id);
    let (Some(old_def), Some(new_def)) = (own, new_def) else {
        let (was, is) = (moved.apply(old_path), new.aliases.resolve(new_path));
        if was != is {
            let message = format!("{} → {}", without_root(&was), without_root(&is));
            // Code that has one name for the type still compiles. Code that has both does not.
            let verdict = if old_def.is_some() { Verdict::Risky } else { Verdict::Breaking };
            changes.push(other(RustRule::AliasChanged, verdict, message, (was, is)));
        }
        return changes;
    };
    let (from, to) = (old_def, new_def);
    let before = items(old.api, from, sent, read, old.optional_bodies.contains(&from.id));
    let mut after = items(new.api, to, sent, read, new.optional_bodies.contains(&to.id));
    for item in &mut after {
        item.signature = new.aliases.resolve(&item.signature);
        if item.part == Part::Conversion {
            item.name = new.aliases.resolve(&item.name);
        }
    }
    // A type that moved has other names in its constructor's struct.
    for item in &before {
        let signature = moved.apply(&item.signature);
        let name = if item.part == Part::Conversion { moved.apply(&item.name) } else { item.name.clone() };
        let found = after.iter().find(|other| is_same_part(other.part, item.part) && other.name == name);
        let origins = (item.origin, found.map_or(to.docs.origin, |other| other.origin));
        match found {
            None if is_replaced(item, &before, &after, is_input(from)) => {}
            None => {
                let message = removed_message(item, &after);
                let values = (Some(with_name(item)), None);
                changes.push(change(
                    item.part.removed(),
                    item.users,
                    Verdict::Breaking,
                    message,
                    values,
                    origins,
                ));
            }
            Some(other) if other.signature != signature => {
                let verdict = severity(item.part, &signature, &other.signature);
                let message = changed_message(item, &signature, &other.signature);
                let values = (Some(signature), Some(other.signature.clone()));
                changes.push(change(item.part.changed(), item.users, verdict, message, values, origins));
            }
            Some(_) => {}
        }
    }
    let is_exhaustive = |items: &[Item]| items.iter().any(|item| item.part == Part::Exhaustive);
    for item in after.iter().filter(|item| item.part == Part::Field) {
        let is_new = !before.iter().any(|other| other.part == Part::Field && other.name == item.name);
        if is_new && is_exhaustive(&before) && is_exhaustive(&after) {
            let message = format!("field `{}` is new, so a pattern of all fields lacks it", item.name);
            let values = (None, Some(item.name.clone()));
            let origins = (from.docs.origin, item.origin);
            changes.push(change(
                RustRule::FieldAdded,
                item.users,
                Verdict::Breaking,
                message,
                values,
                origins,
            ));
        }
    }
    for item in &after {
        let Part::Variant { exhaustive } = item.part else { continue };
        let is_new =
            !before.iter().any(|other| is_same_part(other.part, item.part) && other.name == item.name);
        // An enum of responses or errors is not exhaustive.
        let is_choice = matches!(to.kind, Kind::Choice(_));
        if is_new && (exhaustive || !is_choice) {
            let verdict = if exhaustive { Verdict::Breaking } else { Verdict::Risky };
            let message = format!("variant `{}` is new, so a `match` without `_` lacks it", item.name);
            let values = (None, Some(item.name.clone()));
            changes.push(change(
                RustRule::VariantAdded,
                read,
                verdict,
                message,
                values,
                (from.docs.origin, item.origin),
            ));
        }
    }
    changes
}

/// Returns how severe another signature is: a program that names the arguments only by position may still compile.
fn severity(part: Part, old: &str, new: &str) -> Verdict {
    let types = |signature: &str| -> Vec<String> {
        signature
            .split(", ")
            .map(|part| part.split_once(": ").map_or(part, |(_, ty)| ty).to_owned())
            .collect()
    };
    let is_renamed = part == Part::Constructor && !new.contains('{') && types(old) == types(new);
    if is_renamed { Verdict::Risky } else { Verdict::Breaking }
}

fn is_same_part(one: Part, other: Part) -> bool {
    std::mem::discriminant(&one) == std::mem::discriminant(&other)
}

/// Returns whether a type is the input of an operation.
fn is_input(def: &TypeDef) -> bool {
    matches!(&def.kind, Kind::Struct(body) if body.role == StructRole::Input)
}

/// Returns whether another change says that an item no longer exists.
///
/// The conversion into an input has the arguments of its constructor.
fn is_replaced(item: &Item, before: &[Item], after: &[Item], is_input: bool) -> bool {
    let constructor = |items: &[Item]| {
        let of = items.iter().find(|other| other.part == Part::Constructor);
        of.map(|other| other.signature.clone())
    };
    item.part == Part::Conversion && is_input && constructor(before) != constructor(after)
}

fn with_name(item: &Item) -> String {
    match item.part {
        Part::Constructor => format!("new({})", item.signature),
        _ if item.signature.is_empty() => item.name.clone(),
        _ => format!("{}: {}", item.name, item.signature),
    }
}

fn removed_message(item: &Item, after: &[Item]) -> String {
    match item.part {
        Part::Default => {
            let new = after.iter().find(|other| other.part == Part::Constructor);
            let new = new.map_or_else(String::new, |new| format!("; new({})", without_root(&new.signature)));
            format!("no `Default`{new}")
        }
        Part::Constructor => format!("no `new({})`; `Default` replaces it", without_root(&item.signature)),
        Part::Conversion => format!("no `{}`", without_root(&item.name)),
        Part::Setter | Part::Accessor => format!("no `{}`", item.name),
        Part::Field => format!("field `{}` is gone", item.name),
        Part::Variant { .. } => format!("variant `{}` is gone", item.name),
        Part::Derive => format!("no longer implements `{}`", item.name),
        Part::Alias => "is no longer an alias".to_owned(),
        Part::Exhaustive => "can no longer be destructured with all its fields".to_owned(),
    }
}

fn changed_message(item: &Item, old: &str, new: &str) -> String {
    let (old, new) = (without_root(old), without_root(new));
    match item.part {
        Part::Constructor => arguments_message(&old, &new),
        Part::Alias => format!("{old} → {new}"),
        _ => format!("{}: {old} → {new}", item.name),
    }
}

/// Returns how the arguments of a constructor changed: `new: + status: Status, − name`.
fn arguments_message(old: &str, new: &str) -> String {
    const SHORT: usize = 100;
    if old.len() + new.len() < SHORT {
        return format!("new({old}) → new({new})");
    }
    let arguments = |text: &str| -> Vec<(String, String)> {
        let inner = text.split_once('{').map_or(text, |(_, inner)| inner).trim_end_matches(['}', ' ']);
        let pairs = inner.split(", ").filter_map(|argument| argument.trim().split_once(": "));
        pairs.map(|(name, ty)| (name.to_owned(), ty.to_owned())).collect()
    };
    let (old, new) = (arguments(old), arguments(new));
    let mut parts: Vec<String> = Vec::new();
    for (name, ty) in &new {
        match old.iter().find(|(other, _)| other == name) {
            None => parts.push(format!("+ {name}: {ty}")),
            Some((_, was)) if was != ty => parts.push(format!("{name}: {was} → {ty}")),
            Some(_) => {}
        }
    }
    parts.extend(
        old.iter()
            .filter(|(name, _)| !new.iter().any(|(it, _)| it == name))
            .map(|(name, _)| format!("− {name}")),
    );
    match parts.as_slice() {
        [] => "new: its arguments have another order".to_owned(),
        _ => format!("new: {}", parts.join(", ")),
    }
}

/// Returns a path or type without the name of the models crate.
fn without_root(text: &str) -> String {
    text.replace("models::", "")
}

fn short(path: &str) -> String {
    without_root(path)
}

/// Returns the owner of each type of the new document that values were compared of.
fn owners(compare: &Compare<'_>) -> HashMap<TypeId, Owner> {
    let mut owners = HashMap::new();
    for (index, pair) in compare.types.iter().enumerate() {
        owners.entry(pair.new).or_insert(Owner::Type(index));
    }
    for (index, (_, to)) in compare.operations.iter().enumerate() {
        for id in own_types(to) {
            owners.insert(id, Owner::Operation(index));
        }
    }
    owners
}

/// Returns the types that belong to an operation: its input, output and errors.
fn own_types(operation: &Operation) -> Vec<TypeId> {
    let mut own: Vec<TypeId> = operation.input.into_iter().collect();
    operation.output.named(&mut |id| own.push(id));
    if let Errors::Own { ty, .. } = &operation.errors {
        own.push(*ty);
    }
    own
}

/// The types of one document.
struct Side<'a> {
    api: &'a Api,
    aliases: Aliases,
    types: Vec<(String, &'a TypeDef)>,
    by_path: HashMap<String, &'a TypeDef>,
    requests: HashSet<TypeId>,
    responses: HashSet<TypeId>,
    /// The inputs whose last field is an optional body.
    optional_bodies: HashSet<TypeId>,
}

impl<'a> Side<'a> {
    fn of(api: &'a Api) -> Self {
        let types: Vec<(String, &TypeDef)> =
            api.types.iter().map(|def| (Outside::of_any_crate(api).path(def), def)).collect();
        let by_path = types.iter().map(|(path, def)| (path.clone(), *def)).collect();
        let (mut requests, mut responses) = (Vec::new(), Vec::new());
        for operation in &api.operations {
            requests.extend(operation.input);
            operation.request_schemas(&mut |schema: &Schema| schema.named(&mut |id| requests.push(id)));
            operation.response_schemas(&mut |schema: &Schema| schema.named(&mut |id| responses.push(id)));
            operation.callback_schemas(&mut |schema: &Schema| schema.named(&mut |id| responses.push(id)));
            responses.extend(own_types(operation).into_iter().filter(|id| Some(*id) != operation.input));
        }
        api.shared_schemas(&mut |schema: &Schema| schema.named(&mut |id| responses.push(id)));
        responses.extend(api.shared_errors.iter().map(|shared| shared.ty));
        let next = |id: TypeId| {
            let mut found = Vec::new();
            if let Some(def) = api.type_def(id) {
                def.kind.schemas(&mut |schema| schema.named(&mut |id| found.push(id)));
            }
            found
        };
        let reach = |start: Vec<TypeId>| crate::tree::reached(start, next).into_iter().collect();
        let with_body = |operation: &Operation| operation.input.filter(|_| operation.body.is_some());
        let optional_bodies = api.operations.iter().filter_map(with_body).collect();
        Self {
            api,
            aliases: Aliases::of(api),
            types,
            by_path,
            requests: reach(requests),
            responses: reach(responses),
            optional_bodies,
        }
    }

    /// Returns the type that an alias stands for, or the type itself. `None` for an alias of something without a name.
    fn target(&self, def: &'a TypeDef) -> Option<&'a TypeDef> {
        let mut target = def;
        // Aliases of a document can't form a cycle, but a bound costs nothing.
        for _ in 0..32 {
            let Kind::Alias(Schema { ty, nullable: false, .. }) = &target.kind else { break };
            let Type::Named { id, .. } = ty else { return None };
            target = self.api.type_def(*id)?;
        }
        (!matches!(target.kind, Kind::Alias(_))).then_some(target)
    }

    /// Returns who sends values of a type, and who reads them.
    fn users(&self, id: TypeId) -> (Users, Users) {
        let (request, response) = (self.requests.contains(&id), self.responses.contains(&id));
        // A program can use a type that no operation has.
        let (request, response) = if request || response { (request, response) } else { (true, true) };
        let users = |clients, implementors| Users { clients, implementors };
        (users(request, response), users(response, request))
    }
}
