//! Tests of `outline`.

use crate::support::{PETS, Scratch};

/// Returns the section of a module.
fn section<'o>(outline: &'o str, name: &str) -> Option<&'o str> {
    let mut sections = outline.split("== ").skip(1).filter_map(|section| section.split_once("\n\n"));
    sections.find(|(own, _)| *own == name).map(|(_, text)| text)
}

#[test]
fn an_outline_has_operations_types_and_rules() {
    let scratch = Scratch::new();
    let ran = scratch.run(&["outline", "pets.yaml"]).exits(0);
    assert_eq!(ran.err, "");
    let pets = section(&ran.out, "pets").expect("there is a module");
    for line in ["GET /pets (listPets)\n", "    query limit: ", "    200 application/json (json): "] {
        assert!(pets.contains(line), "{line:?} is not in:\n{pets}");
    }
    assert!(section(&ran.out, "lib").is_some_and(|lib| lib.contains("\nmodules\n    pets\n")), "{ran:?}");
    assert_eq!(scratch.files("."), [(scratch.path("./pets.yaml"), PETS.to_owned())], "nothing is written");
    // A document of standard input has the same outline.
    assert_eq!(scratch.run_with(&["outline", "-"], PETS).exits(0).out, ran.out);
}

#[test]
fn an_edit_changes_the_line_of_what_it_changes() {
    let scratch = Scratch::new();
    let before = scratch.run(&["outline", "pets.yaml"]).exits(0).out;
    scratch.put("new.yaml", &PETS.replacen("maximum: 100", "maximum: 50", 1));
    let after = scratch.run(&["outline", "new.yaml"]).exits(0).out;
    let differing: Vec<_> =
        before.lines().zip(after.lines()).filter(|(before, after)| before != after).collect();
    let [(old, new)] = differing[..] else { panic!("{differing:?}") };
    assert_eq!(old.replace("maximum 100", "maximum 50"), new);
}

#[test]
fn settings_and_overlays_are_those_of_generate() {
    let scratch = Scratch::new();
    let overlay = |action: &str| {
        format!("overlay: 1.1.0\ninfo: {{title: Fix, version: '1'}}\nactions: [{{target: {action}}}]\n")
    };
    scratch.put("api/pets.yaml", PETS);
    scratch.put("api/fix.yaml", &overlay("$.info.title, update: Fixed"));
    scratch.put("api/other.yaml", &overlay("$.info.title, update: Other"));
    scratch.put(
        "api/openapi-crates.toml",
        "name = \"pets\"\nout = \"../out\"\ncrates = [\"models\"]\noverlays = [\"fix.yaml\"]\nonly = [\"listPets\"]\n",
    );
    let ran = scratch.run(&["outline", "api/pets.yaml"]).exits(0);
    assert!(ran.out.contains("title \"Fixed\"\ncrates models\n"), "{ran:?}");
    assert!(!ran.out.contains("POST /pets"), "{ran:?}");
    let ran =
        scratch.run(&["outline", "api/pets.yaml", "--overlay", "api/other.yaml", "--only", "POST /pets"]);
    let ran = ran.exits(0);
    assert!(ran.out.contains("title \"Other\"") && ran.out.contains("POST /pets"), "{ran:?}");
    scratch.run(&["outline", "api/pets.yaml", "--only", "listPetz"]).exits(2).reports("did you mean");
}

#[test]
fn a_document_with_errors_has_an_outline_if_there_are_fallbacks() {
    let scratch = Scratch::new();
    scratch.put("bad.yaml", &PETS.replacen("schemas/Pet'", "schemas/Pett'", 1));
    let ran = scratch.run(&["outline", "bad.yaml"]).exits(0).reports("unknown schema reference");
    assert!(ran.out.contains("GET /pets"), "{ran:?}");
    let ran = scratch.run(&["outline", "bad.yaml", "--strict"]).exits(1).reports("there is no outline");
    assert_eq!(ran.out, "");
    scratch.run(&["outline", "gone.yaml"]).exits(2).reports("gone.yaml");
}
