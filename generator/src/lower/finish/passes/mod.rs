//! The passes. Each settles one fact about all types. [`PASSES`] is their order.

mod aliases;
mod boxes;
mod constants;
mod defaults;
mod depth;
mod derives;
mod directions;
mod discriminators;
mod examples;
mod exhaustive;
mod formats;
mod in_place;
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
mod shown;
mod tasks;
mod unions;
mod uses;
mod xml;

use crate::lower::finish::state::Finish;

/// A pass over all types.
#[cfg_attr(not(test), expect(dead_code, reason = "tests read names and dependencies"))]
pub(in crate::lower) struct Pass {
    /// The name, which is that of its file.
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
    // A field of one direction is required if its type is only used there.
    pass("directions", |it| it.settle_directions(), &["uses"]),
    // Only optional fields have defaults.
    pass("defaults", |it| it.settle_defaults(), &["directions"]),
    pass("permanents", |it| it.check_permanents(), &[]),
    // Types that are cut become any JSON value. Uses and defaults are those of the document's types.
    pass("aliases", |it| it.break_aliases(), &["uses", "defaults", "permanents"]),
    // The same. A union can be a variant of itself through an alias, unless the alias is cut.
    pass("unions", |it| it.break_unions(), &["aliases"]),
    // Types on a cycle have no depth of their own.
    pass("depth", |it| it.limit_depth(), &["unions"]),
    // A type that is cut needs no box.
    pass("boxes", |it| it.box_cycles(), &["depth"]),
    // The leaves of unions are those that are left.
    pass("discriminators", |it| it.settle_discriminators(), &["depth"]),
    // A shape lists required fields, and no constants of the discriminator.
    pass("shapes", |it| it.settle_shapes(), &["directions", "discriminators"]),
    // Required fields can be constants, and so can discriminators.
    pass("constants", |it| it.settle_constants(), &["directions", "discriminators"]),
    // A union with a variant for any JSON value is not open.
    pass("open", |it| it.settle_openness(), &["uses", "depth"]),
    // A type that is cut refers to its JSON Schema. Types of responses refer to none.
    pass("json_schemas", |it| it.settle_json_schemas(), &["uses", "depth"]),
    // Their references are known once they are read.
    pass("in_place", |it| it.break_in_place_cycles(), &["json_schemas"]),
    // Types that are cut have no fields.
    pass("xml", |it| it.settle_xml(), &["depth"]),
    // Types get other ids. Uses, notes and components have those from before.
    pass("order", |it| it.order(), &["constants", "open", "json_schemas", "xml"]),
    // Types are compared when they are complete. The first one in the final order defines the others.
    pass("sharing", |it| it.share(), &["boxes", "shapes", "order"]),
    // Equal types stay equal, whether requests contain them or not.
    pass("setters", |it| it.settle_setters(), &["defaults", "sharing"]),
    // Only optional fields can be absent. A default gives it a meaning of its own.
    pass("nulls", |it| it.settle_nulls(), &["defaults", "sharing"]),
    pass("exhaustive", |it| it.settle_exhaustive(), &["sharing"]),
    // An alias refers to no types of other modules.
    pass("needs", |it| it.settle_needs(), &["sharing"]),
    // Moves the types, the patterns and the JSON Schemas to the API.
    pass("naming", |it| it.settle_names(), &["in_place", "needs"]),
    // They read the types of the API.
    pass("derives", |it| it.settle_derives(), &["naming"]),
    pass("formats", |it| it.settle_formats(), &["naming"]),
    pass("examples", |it| it.add_examples(), &["naming"]),
    pass("tasks", |it| it.read_tasks(), &["naming"]),
    pass("paging", |it| it.read_paging(), &["naming"]),
    pass("shown", |it| it.check_examples(), &["naming"]),
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
