//! The passes over all types. [`PASSES`] lists them in their order.

mod cycles;
mod derives;
mod discriminators;
mod inputs;
mod json_schemas;
mod naming;
mod needs;
mod order;
mod paging;
mod shapes;
mod sharing;
mod tasks;
mod uses;
mod values;
mod xml;

use crate::lower::finish::state::Finish;

/// A pass over all types.
#[cfg_attr(not(test), expect(dead_code, reason = "tests read names and dependencies"))]
pub(in crate::lower) struct Pass {
    /// The name of the pass.
    pub name: &'static str,
    pub run: fn(&mut Finish<'_, '_>),
    /// The passes that must come before.
    pub after: &'static [&'static str],
}

const fn pass(name: &'static str, run: fn(&mut Finish<'_, '_>), after: &'static [&'static str]) -> Pass {
    Pass { name, run, after }
}

/// The passes in their order.
pub(in crate::lower) const PASSES: &[Pass] = &[
    pass("uses", |it| it.find_uses(), &[]),
    // A field of one direction stays required if its type is used only in that direction.
    pass("directions", |it| it.settle_directions(), &["uses"]),
    // Only optional fields have defaults.
    pass("defaults", |it| it.settle_defaults(), &["directions"]),
    // Replaces references on a cycle by any JSON value. The passes before need these references.
    pass("aliases", |it| it.break_aliases(), &["uses", "defaults"]),
    // Replaces variants on a cycle by any JSON value. Aliases on a cycle must be broken before.
    pass("unions", |it| it.break_unions(), &["aliases"]),
    // The depth does not include the references that were replaced before.
    pass("depth", |it| it.limit_depth(), &["unions"]),
    // A reference that was replaced needs no box.
    pass("boxes", |it| it.box_cycles(), &["depth"]),
    // The passes before may replace variants, which changes the leaves of a union.
    pass("discriminators", |it| it.settle_discriminators(), &["depth"]),
    // A shape lists required fields, and no constants of the discriminator.
    pass("shapes", |it| it.settle_shapes(), &["directions", "discriminators"]),
    // Only required fields can be constants. A discriminator can make its property one.
    pass("constants", |it| it.settle_constants(), &["directions", "discriminators"]),
    // A union with a variant for any JSON value is not open.
    pass("open", |it| it.settle_openness(), &["uses", "depth"]),
    // A type with a replaced reference refers to its JSON Schema. Types that only responses contain refer to none.
    pass("json_schemas", |it| it.settle_json_schemas(), &["uses", "depth"]),
    // The references of JSON Schemas are known once the schemas are read.
    pass("in_place", |it| it.break_in_place_cycles(), &["json_schemas"]),
    // Fields that were only reachable through a replaced reference are in no XML body.
    pass("xml", |it| it.settle_xml(), &["depth"]),
    // Assigns new type ids. Passes that use the ids in `uses`, in notes or in components run before.
    pass("order", |it| it.order(), &["constants", "open", "json_schemas", "xml"]),
    // Types are compared when they are complete. The first one in the final order defines the others.
    pass("sharing", |it| it.share(), &["boxes", "shapes", "order"]),
    // Setters depend on whether requests contain a type, which must not keep equal types apart. Fields with a default are
    // treated in another way.
    pass("inputs", |it| it.settle_inputs(), &["defaults", "sharing"]),
    // A type that became an alias refers only to its own module.
    pass("needs", |it| it.settle_needs(), &["sharing"]),
    // Moves the types, the patterns and the JSON Schemas to the API.
    pass("naming", |it| it.settle_names(), &["in_place", "needs"]),
    // The passes from here on read the types of the API.
    pass("derives", |it| it.settle_derives(), &["naming"]),
    pass("formats", |it| it.settle_formats(), &["naming"]),
    pass("input_examples", |it| it.add_examples(), &["naming"]),
    pass("tasks", |it| it.read_tasks(), &["naming"]),
    pass("paging", |it| it.read_paging(), &["naming"]),
    pass("document_examples", |it| it.check_examples(), &["naming"]),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::PASSES;

    #[test]
    fn passes_come_after_those_that_they_need() {
        let mut done = BTreeSet::new();
        for pass in PASSES {
            for before in pass.after {
                assert!(done.contains(before), "`{}` must come after `{before}`", pass.name);
            }
            assert!(done.insert(pass.name), "`{}` runs twice", pass.name);
        }
    }
}
