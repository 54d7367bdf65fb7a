//! The keywords that a JSON Schema row has as the document writes them.

use crate::{
    ir::Keyword,
    lower::resolver::{keywords::Keywords, literal::literal, table::schema_keywords},
    tree::{Node, NodeRef},
};

/// Declares how the keywords of a schema become those of a row.
macro_rules! plain {
    (
        combined { $($name:literal $type:ident $field:ident $parts:ident $row:ident
            $constrains:ident $bare:ident $implies:ident $(($flat:ty))?;)* }
        single { $($other_name:literal $other_type:ident $other:ident $other_row:ident $other_constrains:ident;)* }
    ) => {
        impl Keywords<'_> {
            /// Adds the keywords whose meaning does not depend on others.
            pub(super) fn plain(&self, found: &mut Vec<Keyword>) {
                $(found.extend($row($name, self.$field));)*
                $(found.extend($other_row($other_name, self.$other));)*
            }
        }
    };
}

schema_keywords!(plain);

/// No row has the keyword.
fn no<T>(_: &str, _: T) -> Option<Keyword> {
    None
}

/// `json_schemas` reads the keyword.
fn apart<T>(_: &str, _: T) -> Option<Keyword> {
    None
}

fn flag(name: &'static str, is_set: bool) -> Option<Keyword> {
    is_set.then_some(Keyword::Flag(name))
}

/// Reads a lower limit of a length or of a number of parts. A limit of 0 has no effect.
fn least(name: &'static str, limit: Option<NodeRef<'_>>) -> Option<Keyword> {
    most(name, limit.filter(|limit| limit.as_u64() != Some(0)))
}

/// Reads an upper limit of a length or of a number of parts.
fn most(name: &'static str, limit: Option<NodeRef<'_>>) -> Option<Keyword> {
    Some(Keyword::Count(name, limit.and_then(Node::as_u64)?))
}

/// Reads a bound of numbers.
fn bound(name: &'static str, bound: Option<NodeRef<'_>>) -> Option<Keyword> {
    Some(Keyword::Bound(name, literal(bound?)))
}

/// Reads the step of numbers. A number that is not above 0 has no effect.
fn step(name: &'static str, step: Option<NodeRef<'_>>) -> Option<Keyword> {
    bound(name, step.filter(|step| step.as_f64().is_some_and(|step| step > 0.0)))
}
