//! Compares types by their path. `parts` compares the items of those that both documents have.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use super::{
    RustRule, Users, change,
    items::{items, kind},
    messages::without_root,
    modules,
    moved::{self, Aliases, Moved},
    parts,
};
use crate::{
    diff::{
        compare::{Compare, Found, TypePair},
        position::Owner,
        verdict::Verdict,
    },
    emit::{Outside, module_name},
    ir::{
        Api, Callback, ChoiceRole, Errors, Kind, Module, Operation, Origin, Provenance, Schema, StructRole,
        Type, TypeDef, TypeId,
    },
};

pub(super) fn changes<'a>(
    compare: &Compare<'a>,
    (old, new): (&Side<'a>, &Side<'a>),
    moved: &Moved<'_>,
) -> Vec<Found> {
    let still = Used::by(compare.old, compare.operations.iter().map(|(old, _)| *old));
    let old_owners = owners(compare, compare.old, |pair| pair.old, |(from, _)| from);
    let owners = owners(compare, compare.new, |pair| pair.new, |(_, to)| to);
    let removed: HashSet<&str> = {
        let after = modules(compare.new);
        modules(compare.old).into_keys().filter(|name| !after.contains_key(name)).collect()
    };
    let mut changes = Vec::new();
    for (path, from) in &old.types {
        let now = moved.paths.get(path).unwrap_or(path);
        let Some(to) = new.types.get(now) else {
            // A module that was removed is one change.
            let module = module_name(compare.old, from.module);
            let is_reported =
                removed.contains(module) && !matches!(from.module, Module::Common | Module::Responses);
            // A type of an operation that was removed is part of that change.
            let is_of_removed = is_inline(from) && old.used.has(from.id) && !still.has(from.id);
            if !is_reported && !is_of_methods(from) && !is_of_removed {
                let (sent, read) = old.users(from.id);
                let removed = Found {
                    values: (Some(path.clone()), None),
                    origins: (from.docs.origin, Origin::default()),
                    ..change(RustRule::TypeRemoved, sent.and(read), without_root(path), "is removed")
                };
                changes.extend(of_owners(old_owners.get(&from.id), vec![removed]));
            }
            continue;
        };
        let mut report = TypeReport { subject: without_root(now), changes: Vec::new() };
        report.types((old, from, path), (new, to, now), moved);
        changes.extend(of_owners(owners.get(&to.id), report.changes));
    }
    changes
}

/// Returns the changes of a type once for each of its owners.
fn of_owners(owners: Option<&Vec<Owner>>, changes: Vec<Found>) -> Vec<Found> {
    let Some(owners) = owners else { return changes };
    let of = |owner| changes.iter().map(move |change| Found { owner, ..change.clone() });
    owners.iter().flat_map(|owner| of(*owner)).collect()
}

/// Returns whether the change of a method reports the removal of a type: its input, its responses, its errors.
fn is_of_methods(def: &TypeDef) -> bool {
    match &def.kind {
        Kind::Struct(body) => body.role == StructRole::Input,
        Kind::Choice(choice) => choice.role != ChoiceRole::Content,
        _ => false,
    }
}

/// Returns whether a type is that of a schema outside `components`.
pub(in crate::diff) fn is_inline(def: &TypeDef) -> bool {
    !matches!(def.provenance, Provenance::Component(_))
}

/// The changes of one type that both documents have.
pub(super) struct TypeReport {
    subject: String,
    changes: Vec<Found>,
}

impl TypeReport {
    pub fn add(
        &mut self,
        rule: RustRule,
        (users, verdict): (Users, Verdict),
        message: String,
        values: (Option<String>, Option<String>),
        origins: (Origin, Origin),
    ) {
        let change = change(rule, users, self.subject.clone(), message);
        let verdicts = users.verdicts(rule, verdict);
        self.changes.push(Found { verdicts, values, origins, ..change });
    }

    pub fn hint(&mut self, hint: Option<String>) {
        if let Some(change) = self.changes.last_mut() {
            change.hint = hint;
        }
    }

    fn types<'a>(
        &mut self,
        (old, from, old_path): (&Side<'a>, &'a TypeDef, &str),
        (new, to, new_path): (&Side<'a>, &'a TypeDef, &str),
        moved: &Moved<'_>,
    ) {
        let (sent, read) = old.users(from.id);
        let users = sent.and(read);
        let origins = (from.docs.origin, to.docs.origin);
        let both = |old: &str, new: &str| (Some(old.to_owned()), Some(new.to_owned()));
        if old_path != new_path {
            let message = format!("was `{}`", without_root(old_path));
            let values = both(old_path, new_path);
            self.add(RustRule::TypeMoved, (users, Verdict::Breaking), message, values, origins);
        }
        let (old_def, new_def) = (old.target(from), new.target(to));
        let (was, is) = (old_def.map_or("alias", kind), new_def.map_or("alias", kind));
        if was != is {
            let (rule, message) = (RustRule::TypeKindChanged, format!("{was} → {is}"));
            return self.add(rule, (users, Verdict::Breaking), message, both(was, is), origins);
        }
        // Code uses an alias like its type, which is compared separately.
        let own = old_def.filter(|def| def.id == from.id);
        let (Some(old_def), Some(new_def)) = (own, new_def) else {
            let (was, is) = (moved.apply(old_path), new.aliases.resolve(new_path));
            if was != is {
                let message = format!("{} → {}", without_root(&was), without_root(&is));
                // Code that uses only the alias still compiles. Code that mixes both names does not.
                let verdict = if old_def.is_some() { Verdict::Risky } else { Verdict::Breaking };
                self.add(RustRule::AliasChanged, (users, verdict), message, both(&was, &is), origins);
            }
            return;
        };
        let before = items(old.api, old_def, sent, read, old.optional_bodies.contains(&old_def.id));
        let mut after = items(new.api, new_def, sent, read, new.optional_bodies.contains(&new_def.id));
        after.iter_mut().for_each(|item| item.resolve(&new.aliases));
        parts::compare(self, (old_def, &before), (new_def, &after), moved, read);
    }
}

/// Returns the owners of each type of one document whose values were compared. Operations share the types of errors.
fn owners<'a>(
    compare: &Compare<'a>,
    api: &Api,
    type_of: fn(&TypePair) -> TypeId,
    operation_of: fn(&(&'a Operation, &'a Operation)) -> &'a Operation,
) -> HashMap<TypeId, Vec<Owner>> {
    let mut owners: HashMap<TypeId, Vec<Owner>> = HashMap::new();
    for (index, pair) in compare.types.iter().enumerate() {
        owners.entry(type_of(pair)).or_insert_with(|| vec![Owner::Type(index)]);
    }
    for (index, pair) in compare.operations.iter().enumerate() {
        let operation = operation_of(pair);
        let mut own = own_types(operation);
        for id in own.clone() {
            if let Some(Kind::Choice(choice)) = api.type_def(id).map(|def| &def.kind) {
                choice.variants.iter().for_each(|variant| variant.payload.named(&mut |id| own.push(id)));
            }
        }
        let shared = moved::errors(api, operation);
        shared.iter().for_each(|(_, payload)| payload.named(&mut |id| own.push(id)));
        if let (Errors::Shared(_), Some(shared)) = (&operation.errors, &api.shared_errors) {
            own.push(shared.ty);
        }
        for id in own {
            // Several operations can have a schema as their output, so that it was compared as a type.
            let all = owners.entry(id).or_default();
            if !matches!(all.first(), Some(Owner::Type(_))) {
                all.push(Owner::Operation(index));
            }
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
pub(super) struct Side<'a> {
    pub api: &'a Api,
    pub aliases: Aliases,
    /// The types by path.
    pub types: IndexMap<String, &'a TypeDef>,
    used: Used,
    /// The inputs whose last field is an optional body.
    optional_bodies: HashSet<TypeId>,
}

impl<'a> Side<'a> {
    pub fn of(api: &'a Api) -> Self {
        let outside = Outside::of_any_crate(api);
        let types = api.types.iter().map(|def| (outside.path(def), def)).collect();
        let with_body = |operation: &Operation| operation.input.filter(|_| operation.body.is_some());
        let optional_bodies = api.operations.iter().filter_map(with_body).collect();
        Self { api, aliases: Aliases::of(api), types, used: Used::by(api, &api.operations), optional_bodies }
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

    /// Returns the programs that send values of a type, and the programs that read them.
    fn users(&self, id: TypeId) -> (Users, Users) {
        let Used { requests, responses } = &self.used;
        let (request, response) = (requests.contains(&id), responses.contains(&id));
        // A program can use a type that no operation contains.
        let (request, response) = if request || response { (request, response) } else { (true, true) };
        let users = |clients, implementors| Users { clients, implementors };
        (users(request, response), users(response, request))
    }
}

/// The types of messages, by who sends them. What the receiver of a callback responds with is like a request.
struct Used {
    requests: HashSet<TypeId>,
    responses: HashSet<TypeId>,
}

impl Used {
    fn by<'a>(api: &Api, operations: impl IntoIterator<Item = &'a Operation>) -> Self {
        let (mut requests, mut responses) = (Vec::new(), Vec::new());
        let mut callbacks: Vec<&Callback> = api.webhooks.iter().collect();
        for operation in operations {
            requests.extend(operation.input);
            operation.request_schemas(&mut |schema: &Schema| schema.named(&mut |id| requests.push(id)));
            operation.response_schemas(&mut |schema: &Schema| schema.named(&mut |id| responses.push(id)));
            responses.extend(own_types(operation).into_iter().filter(|id| Some(*id) != operation.input));
            callbacks.extend(&operation.callbacks);
        }
        for callback in callbacks {
            let mut sent = |schema: &Schema| schema.named(&mut |id| responses.push(id));
            callback.parameters.iter().for_each(|parameter| sent(&parameter.schema));
            callback.body.iter().for_each(|body| body.schemas(&mut sent));
            let mut returned = |schema: &Schema| schema.named(&mut |id| requests.push(id));
            callback.responses.iter().for_each(|response| response.schemas(&mut returned));
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
        let reach = |start: Vec<TypeId>| crate::graph::reached(start, next).into_iter().collect();
        Self { requests: reach(requests), responses: reach(responses) }
    }

    fn has(&self, id: TypeId) -> bool {
        self.requests.contains(&id) || self.responses.contains(&id)
    }
}
