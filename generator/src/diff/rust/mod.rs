//! Compares the items of the generated crates: does code that uses them still compile?

mod items;
mod messages;
mod methods;
mod moved;
mod parts;
mod types;

use std::collections::BTreeMap;

use super::{
    compare::{Compare, Found},
    position::Owner,
    rule::{Rule, RustRule},
    verdict::{Verdict, Verdicts},
};
use crate::{
    ir::{Api, Origin},
    options::{CrateKind, Options},
};

use moved::Moved;
pub(super) use types::is_inline;

/// The programs that use an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Users {
    /// Programs that call the client.
    clients: bool,
    /// Implementations of the server.
    implementors: bool,
}

impl Users {
    const ALL: Self = Self { clients: true, implementors: true };
    const CLIENTS: Self = Self { clients: true, implementors: false };
    const IMPLEMENTORS: Self = Self { clients: false, implementors: true };

    fn and(self, other: Self) -> Self {
        Self { clients: self.clients || other.clients, implementors: self.implementors || other.implementors }
    }
}

/// A change of an item.
#[derive(Clone)]
struct Change {
    rule: RustRule,
    users: Users,
    verdict: Verdict,
    subject: String,
    message: String,
    values: (Option<String>, Option<String>),
    hint: Option<String>,
    owner: Owner,
    origins: (Origin, Origin),
}

impl Change {
    /// Creates a change of the document as a whole, which breaks all users of the item.
    fn new(rule: RustRule, users: Users, subject: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            rule,
            users,
            verdict: Verdict::Breaking,
            subject: subject.into(),
            message: message.into(),
            values: (None, None),
            hint: None,
            owner: Owner::Document,
            origins: Default::default(),
        }
    }
}

impl<'a> Compare<'a> {
    /// Compares the items of both documents' crates. Operations and values have been compared.
    pub(super) fn rust(&mut self, old_options: &Options, new_options: &Options) {
        let moved = Moved::between(self);
        let mut changes = crates(old_options, new_options);
        changes.extend(methods::changes(self, &moved));
        changes.extend(types::changes(self, &moved));
        let crates = new_options.all_crates();
        // A client or server that is not generated has no users.
        let exist = Users {
            clients: crates.contains(&CrateKind::Client) || !crates.contains(&CrateKind::Server),
            implementors: crates.contains(&CrateKind::Server) || !crates.contains(&CrateKind::Client),
        };
        for change in changes {
            let Change {
                rule,
                users,
                verdict,
                subject,
                message,
                values: (old_value, new_value),
                hint,
                owner,
                origins,
            } = change;
            let rule = Rule::Rust(rule);
            let of = |is_user: bool, full: Verdict| if is_user { full.min(verdict) } else { Verdict::Fine };
            let full = rule.verdicts();
            let verdicts = Verdicts {
                client_users: of(users.clients && exist.clients, full.client_users),
                implementors: of(users.implementors && exist.implementors, full.implementors),
                ..Verdicts::default()
            };
            if verdicts.worst() > Verdict::Fine {
                // Types without a schema, such as the input of an operation, are located at the operation.
                let around = match owner {
                    Owner::Operation(index) => self.operations.get(index),
                    Owner::Document | Owner::Type(_) | Owner::Webhook(_) => None,
                };
                let around = around.map(|(old, new)| (old.docs.origin, new.docs.origin)).unwrap_or_default();
                let (old, new) = (origins.0.or(around.0), origins.1.or(around.1));
                self.found.push(Found {
                    rule,
                    verdicts,
                    owner,
                    subject,
                    message,
                    old_value,
                    new_value,
                    hint,
                    old,
                    new,
                });
            }
        }
    }
}

/// Compares the list and the names of the crates.
fn crates(old: &Options, new: &Options) -> Vec<Change> {
    // Without a name in the settings, there are no crates to compare.
    if old.prefix.is_empty() || new.prefix.is_empty() {
        return Vec::new();
    }
    let (before, after) = (old.all_crates(), new.all_crates());
    let change = |kind: CrateKind| {
        let (rule, name) = (old.crate_ident(kind), new.crate_ident(kind));
        let (rule, message, values) = if !after.contains(&kind) {
            (RustRule::CrateRemoved, "is no longer generated".to_owned(), (Some(rule.clone()), None))
        } else if rule != name {
            (RustRule::CrateRenamed, format!("is now `{name}`"), (Some(rule.clone()), Some(name)))
        } else {
            return None;
        };
        let users = match kind {
            CrateKind::Models | CrateKind::Validation => Users::ALL,
            CrateKind::Server => Users::IMPLEMENTORS,
            CrateKind::Client => Users::CLIENTS,
        };
        let subject = format!("crate `{}`", old.crate_ident(kind));
        Some(Change { values, ..Change::new(rule, users, subject, message) })
    };
    before.into_iter().filter_map(change).collect()
}

/// Returns the modules of a document by name.
fn modules(api: &Api) -> BTreeMap<&str, usize> {
    api.tags.iter().enumerate().map(|(index, tag)| (tag.module.0.as_str(), index)).collect()
}
