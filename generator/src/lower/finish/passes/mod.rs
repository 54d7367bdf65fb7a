//! The passes over all types, one file each. [`PASSES`] lists them in their order.

mod aliases;
mod boxes;
mod constants;
mod defaults;
mod depth;
mod derives;
mod directions;
mod discriminators;
mod document_examples;
mod exhaustive;
mod formats;
mod in_place;
mod input_examples;
mod json_schemas;
mod naming;
mod needs;
mod nulls;
mod open;
mod order;
mod paging;
mod permanents;
mod setters;
mod shapes;
mod sharing;
mod tasks;
mod unions;
mod uses;
mod xml;

use crate::lower::finish::state::Finish;

/// A pass over all types.
#[cfg_attr(not(test), expect(dead_code, reason = "tests read names and dependencies"))]
pub(in crate::lower) struct Pass {
    /// The name of the pass and of its file.
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
    pass("permanents", |it| it.check_permanents(), &[]),
    // Replaces references on a cycle by any JSON value. The passes before need these references.
    pass("aliases", |it| it.break_aliases(), &["uses", "defaults", "permanents"]),
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
    // Setters depend on whether requests contain a type, which must not keep equal types apart.
    pass("setters", |it| it.settle_setters(), &["defaults", "sharing"]),
    // For the same reason after `sharing`. It treats fields with a default in another way.
    pass("nulls", |it| it.settle_nulls(), &["defaults", "sharing"]),
    pass("exhaustive", |it| it.settle_exhaustive(), &["sharing"]),
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
    use std::{collections::BTreeSet, fs, path::Path};

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

    #[test]
    fn every_file_is_a_pass() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lower/finish/passes");
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let files = files.map(|file| file.into_string().unwrap());
        let files: BTreeSet<String> =
            files.filter_map(|file| Some(file.strip_suffix(".rs")?.to_owned())).collect();
        let names = PASSES.iter().map(|pass| pass.name.to_owned()).chain(["mod".to_owned()]);
        assert_eq!(files, names.collect());
    }
}
