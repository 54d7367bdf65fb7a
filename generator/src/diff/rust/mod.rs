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
    rule::RustRule,
    verdict::{Audience, Verdict, Verdicts},
};
use crate::{
    ir::Api,
    options::{CrateKind, Options},
};

use moved::Moved;
use types::Side;
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

    /// Returns the verdicts of a rule for these programs, at most `most`.
    fn verdicts(self, rule: RustRule, most: Verdict) -> Verdicts {
        let full = rule.verdicts();
        let of = |is_user: bool, full: Verdict| if is_user { full.min(most) } else { Verdict::Fine };
        Verdicts {
            client_users: of(self.clients, full.client_users),
            implementors: of(self.implementors, full.implementors),
            ..Verdicts::default()
        }
    }
}

/// Creates a change of the document as a whole, which breaks all users of the item.
fn change(rule: RustRule, users: Users, subject: impl Into<String>, message: impl Into<String>) -> Found {
    Found {
        rule: rule.into(),
        verdicts: users.verdicts(rule, Verdict::Breaking),
        owner: Owner::Document,
        subject: subject.into(),
        message: message.into(),
        values: (None, None),
        hint: None,
        origins: Default::default(),
    }
}

impl<'a> Compare<'a> {
    /// Compares the items of both documents' crates. Operations and values have been compared.
    pub(super) fn rust(&mut self, old_options: &Options, new_options: &Options) {
        let (old, new) = (Side::of(self.old), Side::of(self.new));
        let moved = Moved::between(self, &old, &new);
        let mut changes = crates(old_options, new_options);
        changes.extend(methods::changes(self, &moved, &new.aliases));
        changes.extend(types::changes(self, (&old, &new), &moved));
        let crates = new_options.all_crates();
        // A client or server that is not generated has no users.
        let audiences = [
            (Audience::ClientUsers, CrateKind::Client, CrateKind::Server),
            (Audience::Implementors, CrateKind::Server, CrateKind::Client),
        ];
        let exist = |(_, own, other): &(_, _, _)| crates.contains(own) || !crates.contains(other);
        let audiences: Vec<Audience> = audiences.iter().filter(|it| exist(it)).map(|(it, ..)| *it).collect();
        for mut found in changes {
            found.verdicts = found.verdicts.only(&audiences);
            // Types without a schema, such as the input of an operation, are located at the operation.
            if let Owner::Operation(index) = found.owner
                && let Some((old, new)) = self.operations.get(index)
            {
                let (own_old, own_new) = found.origins;
                found.origins = (own_old.or(old.docs.origin), own_new.or(new.docs.origin));
            }
            self.found.extend((found.verdicts.worst() > Verdict::Fine).then_some(found));
        }
    }
}

fn crates(old: &Options, new: &Options) -> Vec<Found> {
    // Without a name in the settings, there are no crates to compare.
    if old.prefix.is_empty() || new.prefix.is_empty() {
        return Vec::new();
    }
    let (before, after) = (old.all_crates(), new.all_crates());
    let compare = |kind: CrateKind| {
        let (was, name) = (old.crate_ident(kind), new.crate_ident(kind));
        let subject = format!("crate `{was}`");
        let (rule, message, now) = if !after.contains(&kind) {
            (RustRule::CrateRemoved, "is no longer generated".to_owned(), None)
        } else if was != name {
            (RustRule::CrateRenamed, format!("is now `{name}`"), Some(name))
        } else {
            return None;
        };
        let users = match kind {
            CrateKind::Models | CrateKind::Validation => Users::ALL,
            CrateKind::Server => Users::IMPLEMENTORS,
            CrateKind::Client => Users::CLIENTS,
        };
        Some(Found { values: (Some(was), now), ..change(rule, users, subject, message) })
    };
    before.into_iter().filter_map(compare).collect()
}

fn modules(api: &Api) -> BTreeMap<&str, usize> {
    api.tags.iter().enumerate().map(|(index, tag)| (tag.module.0.as_str(), index)).collect()
}
