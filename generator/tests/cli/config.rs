//! Tests of the settings file `openapi-crates.toml`.

use crate::{
    compile::cargo,
    support::{PETS, Scratch},
};

#[test]
fn settings_stand_beside_the_document_and_arguments_override_them() {
    let scratch = Scratch::new();
    scratch.put("api/pets.yaml", PETS);
    scratch.put("api/openapi-crates.toml", "name = \"zoo\"\nout = \"../zoo\"\ncrates = [\"models\"]\n");
    scratch.run(&["generate", "api/pets.yaml"]).exits(0);
    assert!(scratch.read("zoo/models/Cargo.toml").contains("name = \"zoo-models\""));
    assert!(!scratch.path("zoo/validation").exists());
    scratch.run(&["generate", "api/pets.yaml", "--check"]).exits(0);
    scratch.run(&["generate", "api/pets.yaml", "--name", "park", "--crates", "validation"]).exits(0);
    assert!(scratch.read("zoo/validation/Cargo.toml").contains("name = \"park-validation\""));

    scratch.put("other.toml", "name = \"pool\"\nout = \"pool\"\nworkspace = false\n");
    scratch.run(&["generate", "api/pets.yaml", "--config", "other.toml"]).exits(0);
    assert!(scratch.path("pool/models/Cargo.toml").exists() && !scratch.path("pool/Cargo.toml").exists());
    scratch.run(&["generate", "pets.yaml"]).exits(2).reports("`--out`").reports("openapi-crates.toml");
}

#[test]
fn mistakes_have_locations() {
    let scratch = Scratch::new();
    scratch.put("openapi-crates.toml", "name = \"pets\"\n\nmodule = \"path\"\n");
    let ran = scratch.run(&["generate", "pets.yaml", "--out", "out"]).exits(2);
    ran.reports("openapi-crates.toml:3:1: unknown field `module`").reports("did you mean `modules`?");
    scratch
        .run(&["generate", "pets.yaml", "--config", "nowhere.toml"])
        .exits(2)
        .reports("cannot read `nowhere.toml`");
}

#[test]
fn nodes_are_renamed() {
    let scratch = Scratch::new();
    let generate = ["generate", "pets.yaml", "--out", "out", "--name", "pets"];
    let config = "[rename]\ncreatePet = \"add pet\"\n\"#/info\" = \"a\"\ncreatPet = \"b\"\n";
    scratch.put("openapi-crates.toml", config);
    scratch
        .run(&generate)
        .exits(0)
        .reports("warning: openapi-crates.toml:3:1: `#/info` in `rename` has no name in Rust\n")
        .reports("warning: openapi-crates.toml:4:1: unknown name or pointer `creatPet` in `rename`; did you mean `createPet`?\n");
    assert!(scratch.read("out/client/src/pets.rs").contains("pub fn add_pet("));
}

#[test]
fn operations_are_left_out() {
    let scratch = Scratch::new();
    let generate = ["generate", "pets.yaml", "--out", "out", "--name", "pets"];
    scratch.put("openapi-crates.toml", "omit = [\"createPet\", \"get /stores/{id}\"]\n");
    let ran = scratch.run(&generate).exits(0);
    assert!(ran.out.contains(" 1 operation,"), "{ran:?}");
    assert!(!scratch.path("out/server/src/stores.rs").exists());
    assert!(!scratch.read("out/client/src/pets.rs").contains("create_pet"));
    scratch.put("openapi-crates.toml", "omit = [\n  \"creatPet\",\n  \"GET /nowhere\"\n]\n");
    scratch
        .run(&generate)
        .exits(2)
        .reports("error: openapi-crates.toml:2:3: unknown operation or tag `creatPet` in `omit`; did you mean `createPet`?\n")
        .reports("\nerror: openapi-crates.toml:3:3: unknown operation `GET /nowhere` in `omit`\n");
}

#[test]
fn operations_are_chosen() {
    let scratch = Scratch::new();
    let generate = ["generate", "pets.yaml", "--out", "out", "--name", "pets"];
    scratch.put("openapi-crates.toml", "only = [\"createPet\"]\n");
    let ran = scratch.run(&generate).exits(0);
    assert!(ran.out.contains(" 1 operation,"), "{ran:?}");
    let common = scratch.read("out/models/src/common.rs");
    assert!(common.contains("struct Pet ") && !common.contains("Store"), "{common}");
    assert!(!scratch.path("out/server/src/stores.rs").exists());
    for (only, operations) in [("stores", 1), ("/pets", 2), ("get /pets", 1), ("/", 3)] {
        let ran = scratch.run(&[&generate[..], &["--only", only]].concat()).exits(0);
        let count =
            if operations == 1 { " 1 operation,".to_owned() } else { format!(" {operations} operations,") };
        assert!(ran.out.contains(&count), "{ran:?}");
    }
    scratch.run(&[&generate[..], &["--only", "stores", "--only", "listPets"]].concat()).exits(0);
    scratch
        .run(&[&generate[..], &["--only", "/pet"]].concat())
        .exits(2)
        .reports("unknown path `/pet` in `--only`; did you mean `/pets`?");
    scratch.put("openapi-crates.toml", "only = [\n  \"stores\",\n  \"GET /nowhere\"]\n");
    scratch
        .run(&generate)
        .exits(2)
        .reports("error: openapi-crates.toml:3:3: unknown operation `GET /nowhere` in `only`\n");
}

#[test]
fn operations_have_the_names_of_python_functions() {
    let scratch = Scratch::new();
    let long = PETS.replace("listPets", "list_pets_pets_get").replace("createPet", "create_pet_pets_post");
    scratch.put("pets.yaml", &long);
    let generate = ["generate", "pets.yaml", "--out", "out", "--name", "pets"];
    let note = "note: most operation ids have FastAPI's form";
    scratch.run(&generate).exits(0).reports(note);
    assert!(scratch.read("out/client/src/pets.rs").contains("fn list_pets_pets_get"));
    scratch.put("openapi-crates.toml", "names = \"document\"\n");
    assert_eq!(scratch.run(&generate).exits(0).err, "", "the names are chosen");
    std::fs::remove_file(scratch.path("openapi-crates.toml")).expect("there are settings");
    scratch.run(&["lint", "pets.yaml", "--strict"]).exits(0).prints(note);
    scratch.put("openapi-crates.toml", "names = \"fastapi\"\n");
    scratch.run(&["lint", "pets.yaml"]).exits(0).omits(note);
    scratch.run(&generate).exits(0);
    let client = scratch.read("out/client/src/pets.rs");
    assert!(client.contains("fn list_pets(") && client.contains("fn create_pet("), "{client}");
    assert!(scratch.read("out/models/src/pets.rs").contains("ListPetsInput"));
    let tables = scratch.read("out/validation/src/pets.rs");
    assert!(
        tables.contains("\"list_pets_pets_get\""),
        "the document's id is still that of the table: {tables}"
    );
    assert!(scratch.read("out/client/src/stores.rs").contains("fn get_store("));
    scratch.put("pets.yaml", PETS);
    scratch.run(&["lint", "pets.yaml", "--config", "openapi-crates.toml"]).exits(0).omits("note");
}

#[test]
fn formats_are_checked_as_set() {
    let scratch = Scratch::new();
    scratch.put("pets.yaml", &format!("{PETS}    Host: {{type: string, format: hostname}}\n"));
    let generate = ["generate", "pets.yaml", "--out", "out", "--name", "pets"];
    let is_checked = || {
        let manifest = scratch.read("out/validation/Cargo.toml");
        let rows = scratch.read("out/validation/src/common.rs");
        assert_eq!(
            manifest.contains("\"formats-idn\""),
            rows.contains("Format::Hostname"),
            "{manifest}{rows}"
        );
        rows.contains("Format::Hostname")
    };
    scratch.run(&generate).exits(0);
    assert!(!is_checked());
    scratch.put("openapi-crates.toml", "formats = \"assert\"\n");
    scratch.run(&generate).exits(0);
    assert!(is_checked());
    scratch.run(&[&generate[..], &["--formats", "annotation"]].concat()).exits(0);
    assert!(!is_checked(), "arguments override the file");
    scratch
        .run(&[&generate[..], &["--formats", "all"]].concat())
        .exits(2)
        .reports("[possible values: annotation, common, assert]");
}

/// A setting without effect is reported with its source location.
#[test]
fn settings_without_effect_are_reported() {
    let scratch = Scratch::new();
    scratch.put("pets.yaml", &PETS.replace("{type: integer, min", "{type: integer, format: int64, min"));
    let generate = ["generate", "pets.yaml", "--out", "out", "--name", "pets"];
    scratch.put(
        "openapi-crates.toml",
        "derives = [\"Hash\", \"Debug\"]\n[types]\ndatetime = \"a::B\"\nint64 = \"a::B\"\ndate-time = \"std::primitive::char\"\n\
         strange = \"a::B\"\n",
    );
    let ran = scratch.run(&generate).exits(0);
    let ran = ran
        .reports("warning: openapi-crates.toml:1:20: unused derive `Debug`: every type derives it already\n")
        .reports("warning: openapi-crates.toml:3:1: unused type for format `datetime`: no string in the document has this format; did you mean `date-time`?")
        .reports("warning: openapi-crates.toml:4:1: unused type for format `int64`: it only occurs on numbers")
        .reports("warning: openapi-crates.toml:6:1: unused type for format `strange`: no string in the document has this format\n");
    assert!(ran.out.contains(", 4 warnings in"), "{ran:?}");
    let strict = ["generate", "pets.yaml", "--out", "out", "--name", "pets", "--strict"];
    scratch
        .run(&strict)
        .exits(2)
        .reports("error: openapi-crates.toml:1:20:")
        .reports("error: openapi-crates.toml:6:1:");

    scratch.put(
        "openapi-crates.toml",
        "[types]\ndate-time = \"b_c::D\"\n[dependencies]\nb-c = \"1\"\na = \"1\"\n",
    );
    let ran = scratch
        .run(&generate)
        .exits(0)
        .reports("warning: openapi-crates.toml:5:1: unused dependency `a`: nothing in `types` or `derives`");
    assert!(!ran.err.contains("b-c"), "{ran:?}");
}

#[test]
fn modules_by_path() {
    let scratch = Scratch::new();
    scratch.put("pets.yaml", &PETS.replace("  /stores/{id}:", "  /api/v2/shops/{id}:"));
    scratch.put("openapi-crates.toml", "modules = \"path\"\n");
    scratch.run(&["generate", "pets.yaml", "--out", "out", "--name", "pets"]).exits(0);
    assert!(
        scratch.path("out/server/src/shops.rs").exists() && scratch.path("out/server/src/pets.rs").exists()
    );
    assert!(!scratch.path("out/server/src/stores.rs").exists());
}

/// Uses a type of another crate, a type of the standard library, and more derives.
#[test]
fn types_and_derives_of_ones_own() {
    let scratch = Scratch::new();
    let pets = PETS
        .replace("        kind: {$ref", "        home: {type: string, format: ipv4}\n        kind: {$ref");
    let pets = pets.replace(
        "        - {name: limit,",
        "        - {name: since, in: query, required: true, schema: {type: string, format: date-time}}\n        - {name: limit,",
    );
    scratch.put("pets.yaml", &pets);
    scratch.put(
        "openapi-crates.toml",
        "name = \"own-pets\"\nout = \"out\"\nderives = [\"Eq\", \"std::hash::Hash\"]\n\
         [types]\ndate-time = \"acme_time::Moment\"\nipv4 = \"openapi_crates_runtime::types::Parsed<std::net::Ipv4Addr>\"\n\
         [dependencies]\nacme-time = { path = \"acme-time\" }\n",
    );
    scratch.put(
        "acme-time/Cargo.toml",
        "[package]\nname = \"acme-time\"\nedition = \"2024\"\n[workspace]\n\
         [dependencies]\nruntime = { package = \"own-pets-runtime\", path = \"../out/runtime\" }\n",
    );
    scratch.put("acme-time/src/lib.rs", MOMENT);
    scratch.run(&["generate", "pets.yaml"]).exits(0);
    let pet = scratch.read("out/models/src/common.rs");
    assert!(pet.contains("pub born: Option<acme_time::Moment>"), "{pet}");
    assert!(pet.contains("#[derive(Eq, std::hash::Hash)]\n#[non_exhaustive]\npub struct Pet {"), "{pet}");
    cargo(&scratch.path("out"), &["check", "--offline", "--quiet", "--workspace"]);
}

/// A derive is left out only on types that can't have it.
///
/// The reasons are numbers, files, any JSON values, enums, and types that contain these or each other.
#[test]
fn derives_that_do_not_apply_are_left_out() {
    let scratch = Scratch::new();
    let more = "    Node: {type: object, required: [name, next], properties: {name: {type: string}, next: {type: array, items: {$ref: '#/components/schemas/Node'}}, parent: {$ref: '#/components/schemas/Node'}}}
    Point: {type: object, required: [x, day], properties: {x: {type: number}, day: {type: string, format: date}}}
    Path: {type: object, required: [points], properties: {points: {type: array, items: {$ref: '#/components/schemas/Point'}}}}
    Flags: {type: object, required: [a, b], properties: {a: {type: boolean}, b: {type: integer, nullable: true}}}
    Loose: {type: object, required: [any], additionalProperties: {type: string}, properties: {any: {}}}
    Either: {oneOf: [{$ref: '#/components/schemas/Path'}, {type: string}]}
    Ring: {type: object, required: [ring], properties: {ring: {$ref: '#/components/schemas/Link'}}}
    Link: {type: object, properties: {ring: {$ref: '#/components/schemas/Ring'}, size: {type: number}}}
    Scan: {type: object, required: [file], properties: {file: {type: string, format: binary}}}
";
    let upload = "  /scans:
    post:
      operationId: scan
      requestBody: {content: {multipart/form-data: {schema: {$ref: '#/components/schemas/Scan'}}}}
      responses: {'204': {description: Done.}}
components:
";
    let pets = format!("{PETS}{more}").replacen("components:\n", upload, 1);
    scratch.put("pets.yaml", &pets);
    scratch.put(
        "openapi-crates.toml",
        "name = \"derived-pets\"\nout = \"out\"\ncrates = [\"models\"]\n\
         derives = [\"Eq\", \"Hash\", \"PartialOrd\", \"std::cmp::Ord\", \"Copy\", \"Default\"]\n",
    );
    scratch.run(&["generate", "pets.yaml", "--all-warnings"]).exits(0);
    let files = scratch.files("out/models/src");
    let all: String = files.into_iter().map(|(_, text)| text).collect();
    for (item, derives) in [
        ("struct Node", "Eq, Hash, PartialOrd, std::cmp::Ord, Default"),
        ("struct Point", "PartialOrd, Copy"),
        ("struct Path", "PartialOrd, Default"),
        ("struct Flags", "Eq, Hash, PartialOrd, std::cmp::Ord, Copy, Default"),
        ("struct Loose", "Eq, Hash, Default"),
        ("struct Link", "PartialOrd"),
        ("struct Scan", "Eq, Default"),
    ] {
        let at = all.find(&format!("pub {item} {{")).unwrap_or_else(|| panic!("{item} is missing"));
        let attributes = all[..at].rsplit("\n///").next().unwrap_or_default();
        assert!(attributes.contains(&format!("#[derive({derives})]\n")), "{item}: {attributes}");
    }
    cargo(&scratch.path("out"), &["check", "--offline", "--quiet", "--workspace", "--all-features"]);
}

const MOMENT: &str = include_str!("moment.rs");
