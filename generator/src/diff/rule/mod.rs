//! The rules of the comparison: each kind of change, and its verdict for each audience.

mod call;
mod constraint;
mod rust;
mod value;

pub use call::CallRule;
pub use constraint::{Constraint, Effect};
pub use rust::RustRule;
pub use value::ValueRule;

use super::verdict::Verdicts;

/// A kind of change.
///
/// [`name`](Self::name) is stable, so that scripts and lists of accepted changes can refer to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// What a client sends and how a server responds, apart from values: operations, parameters, bodies, security.
    Call(CallRule),
    /// The parts of values: properties, variants, values of enums.
    Value(ValueRule),
    /// A keyword of a schema that is stricter, less strict or different.
    Keyword(Constraint, Flow, Effect),
    /// An item of the generated crates.
    Rust(RustRule),
}

/// The direction in which a value is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flow {
    /// From clients to the server: requests, and responses to callbacks and webhooks.
    Request,
    /// From the server to clients: responses, callbacks and webhooks.
    Response,
}

impl Flow {
    /// Both directions.
    pub const ALL: [Self; 2] = [Self::Request, Self::Response];

    /// Returns the name: `request`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Response => "response",
        }
    }

    /// Returns what belongs to this direction.
    pub(super) fn of<T>(self, request: T, response: T) -> T {
        match self {
            Self::Request => request,
            Self::Response => response,
        }
    }
}

impl Rule {
    /// Returns all rules, in the order in which a list shows them.
    pub fn all() -> impl Iterator<Item = Self> {
        let keywords = Constraint::ALL.iter().flat_map(|constraint| {
            Flow::ALL.into_iter().flat_map(move |flow| {
                constraint.effects().iter().map(move |effect| Self::Keyword(*constraint, flow, *effect))
            })
        });
        let calls = CallRule::ALL.iter().copied().map(Self::Call);
        let values = ValueRule::ALL.iter().copied().map(Self::Value);
        calls.chain(values).chain(keywords).chain(RustRule::ALL.iter().copied().map(Self::Rust))
    }

    /// Returns the rule with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|rule| rule.name() == name)
    }

    /// Returns the name in kebab-case: `parameter-became-required`.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Call(rule) => rule.name().to_owned(),
            Self::Value(rule) => rule.name().to_owned(),
            Self::Rust(rule) => rule.name().to_owned(),
            Self::Keyword(constraint, flow, effect) => {
                format!("{}-{}-{}", flow.name(), constraint.name(), effect.name())
            }
        }
    }

    /// Returns an explanation of the change: its meaning, the affected programs, and the remedy.
    #[must_use]
    pub fn explanation(self) -> String {
        match self {
            Self::Call(rule) => rule.explanation().to_owned(),
            Self::Value(rule) => rule.explanation().to_owned(),
            Self::Rust(rule) => rule.explanation().to_owned(),
            Self::Keyword(constraint, flow, effect) => constraint.explanation(flow, effect),
        }
    }

    /// Returns what the change means for each audience. Rules of Rust items depend on the users of the item as well.
    #[must_use]
    pub fn verdicts(self) -> Verdicts {
        match self {
            Self::Call(rule) => rule.verdicts(),
            Self::Value(rule) => rule.verdicts(),
            Self::Rust(rule) => rule.verdicts(),
            Self::Keyword(constraint, flow, effect) => constraint.verdicts(flow, effect),
        }
    }
}

/// Defines an enum of rules, and its variant of [`Rule`]. Each rule has a variant, a name, verdicts and an explanation.
///
/// The verdicts are those of clients in use, of servers in use, of programs that use the client crate, and of
/// implementations of the server trait.
macro_rules! rules {
    (
        $(#[$meta:meta])* $enum:ident => $kind:ident;
        $($variant:ident = $name:literal
            [$clients:ident $servers:ident $client_users:ident $implementors:ident]
            $explanation:literal,)+
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $enum {
            $(#[doc = $explanation] $variant,)+
        }

        impl From<$enum> for super::Rule {
            fn from(rule: $enum) -> Self {
                Self::$kind(rule)
            }
        }

        impl $enum {
            /// All rules of this kind.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the name in kebab-case.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// Returns an explanation of the change: its meaning, the affected programs, and the remedy.
            #[must_use]
            pub const fn explanation(self) -> &'static str {
                match self { $(Self::$variant => $explanation,)+ }
            }

            pub(in crate::diff) const fn verdicts(self) -> $crate::diff::verdict::Verdicts {
                use $crate::diff::verdict::{Verdict::*, Verdicts};
                match self {
                    $(Self::$variant => Verdicts {
                        clients: $clients,
                        servers: $servers,
                        client_users: $client_users,
                        implementors: $implementors,
                    },)+
                }
            }
        }
    };
}
use rules;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        let names: Vec<String> = Rule::all().map(Rule::name).collect();
        let unique: HashSet<&String> = names.iter().collect();
        assert_eq!(unique.len(), names.len());
        assert!(names.len() >= 150, "{} rules", names.len());
        for rule in Rule::all() {
            assert_eq!(Rule::from_name(&rule.name()), Some(rule));
            assert!(!rule.explanation().is_empty(), "{}", rule.name());
        }
    }
}
