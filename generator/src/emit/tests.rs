//! Properties of all crates together, such as deterministic output.

use std::collections::BTreeMap;

use super::*;
use crate::ir::{
    Docs, Ident, Kind, Operation, Provenance, Schema, Tag, TagId, TextFormat, Type, TypeDef, TypeId,
};
use crate::options::Runtime;
use crate::render::render;

fn options() -> Options {
    Options {
        command: "make".to_owned(),
        workspace_inheritance: true,
        ..Options::new("asset-api", "api.yaml")
    }
}

fn tree(api: &Api) -> BTreeMap<String, String> {
    let tree = render(emit(api, &options()), &options()).unwrap();
    tree.iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
}

#[track_caller]
fn has(text: &str, expected: &str) {
    assert!(text.contains(expected), "no\n{expected}\nin\n{text}");
}

/// Returns the sample with one more tag at this index.
fn with_family(index: usize) -> Api {
    let mut api = sample::api();
    let moved = |id: TagId| TagId(if id.0 >= index { id.0 + 1 } else { id.0 });
    let moved_module = |module| match module {
        Module::Tag(id) => Module::Tag(moved(id)),
        other => other,
    };
    for def in &mut api.types {
        def.module = moved_module(def.module);
    }
    for def in &mut api.json_schemas {
        def.module = moved_module(def.module);
    }
    for operation in &mut api.operations {
        operation.tag = moved(operation.tag);
    }
    let ident = |name: &str| Ident(name.to_owned());
    api.tags.insert(
        index,
        Tag {
            name: "new one".to_owned(),
            module: ident("new_one"),
            api_trait: ident("NewOneApi"),
            description: None,
            needs: Vec::new(),
        },
    );
    let id = TypeId(api.types.len());
    let like = api.types.iter().find(|def| def.name.0 == "Cat").cloned().unwrap();
    api.types.push(TypeDef {
        id,
        module: Module::Tag(TagId(index)),
        name: ident("NewThing"),
        constant: ident("NEW_THING"),
        provenance: Provenance::Component("NewThing".to_owned()),
        docs: Docs::default(),
        kind: like.kind,
        also: None,
    });
    let like = api.operations.iter().find(|operation| operation.id == "listPets").cloned().unwrap();
    let operation = Operation {
        id: "listNew".to_owned(),
        ident: ident("list_new"),
        constant: ident("LIST_NEW"),
        tag: TagId(index),
        output: Schema::new(Type::Named { id, boxed: false }),
        ..like
    };
    api.operations.push(operation);
    api
}

#[test]
fn a_family_touches_its_own_files_and_one_line_in_each_index() {
    let before = tree(&sample::api());
    for index in 0..=3 {
        let after = tree(&with_family(index));
        for (path, text) in &after {
            match before.get(path) {
                None => assert!(path.ends_with("/new_one.rs"), "{path}"),
                Some(old) if old == text => {}
                Some(old) => {
                    let gained = gained(old, text);
                    let is_index = path.ends_with("/lib.rs") || path.ends_with("/Cargo.toml");
                    assert!(
                        is_index && gained.len() == 1 || path.ends_with("rules.json"),
                        "{path}: {gained:?}"
                    );
                }
            }
        }
        assert_eq!(after.len(), before.len() + 4);
    }
}

/// Returns the lines that the new text adds. Panics if a line of the old text is missing or moved.
fn gained<'t>(old: &str, new: &'t str) -> Vec<&'t str> {
    let mut old = old.lines().peekable();
    let gained: Vec<_> = new.lines().filter(|line| old.next_if_eq(line).is_none()).collect();
    assert_eq!(old.next(), None, "a line was lost");
    gained
}

#[test]
fn the_same_input_gives_the_same_output() {
    assert_eq!(tree(&sample::api()), tree(&sample::api()));
}

#[test]
fn an_api_with_nothing_in_it() {
    let tree = tree(&sample::empty_api());
    has(&tree["models/src/lib.rs"], "openapi_crates_runtime::tags! {\n}");
    has(&tree["server/src/builder.rs"], "pub fn builder() -> Builder<rt::NoSecurity>");
    has(&tree["server/src/builder.rs"], "= rt::RejectionStyle::PROBLEM_DETAILS;");
    has(&tree["client/src/lib.rs"], "server: None,");
    assert!(!tree.contains_key("client/src/security.rs"));
    assert!(!tree.contains_key("models/src/responses.rs"));
}

#[test]
fn each_crate_declares_its_modules() {
    let tree = tree(&sample::api());
    for (index, modules) in [
        ("models", &["pub mod common;", "pub mod responses;"] as &[_]),
        ("validation", &["pub mod common;", "pub mod responses;", "pub mod security;"]),
        ("server", &["mod builder;"]),
        ("client", &["mod dynamic;", "mod security;"]),
    ] {
        for module in modules {
            has(&tree[&format!("{index}/src/lib.rs")], &format!("#[rustfmt::skip]\n{module}\n"));
        }
    }
}

#[test]
fn only_the_chosen_crates_and_their_dependencies_are_emitted() {
    let options = Options { crates: [CrateKind::Server].into(), ..options() };
    let api = sample::api();
    let files = emit(&api, &options);
    assert!(files.iter().all(|file| !file.path.starts_with("client/")));
    assert!(files.iter().any(|file| file.path == "models/Cargo.toml"));
}

#[test]
fn imports_are_those_that_are_used() {
    let tree = tree(&sample::api());
    has(
        &tree["models/src/text_to_speech.rs"],
        "use crate::common;\nuse openapi_crates_runtime::model as rt;\n",
    );
    assert!(!tree["models/src/pets.rs"].contains("use crate::common"));
    has(&tree["client/src/pets.rs"], "use openapi_crates_runtime::client as rt;\n");
}

#[test]
fn manifests() {
    let tree = tree(&sample::api());
    has(&tree["client/Cargo.toml"], "pets = [\"asset-api-models/pets\", \"asset-api-validation/pets\"]\n");
    has(&tree["models/Cargo.toml"], "version = \"0.1.0\"\nedition.workspace = true\n");
    has(&tree["models/Cargo.toml"], "[lints]\nworkspace = true\n");
    let mut checking = sample::api();
    checking.formats = [TextFormat::Regex, TextFormat::Iri, TextFormat::Hostname, TextFormat::Date].into();
    let checking = self::tree(&checking);
    has(&checking["validation/Cargo.toml"], "features = [\"validation\", \"formats\", \"formats-idn\"] }");
    has(&checking["server/Cargo.toml"], "features = [\"server\"] }");
    has(&tree["validation/Cargo.toml"], "features = [\"validation\"] }");
    let alone = Options { workspace_inheritance: false, ..options() };
    let tree = render(emit(&sample::api(), &alone), &alone).unwrap();
    has(tree.text("models/Cargo.toml").unwrap(), "version = \"0.1.0\"\n");
    assert!(!tree.text("models/Cargo.toml").unwrap().contains("workspace"));
    has(tree.text("models/Cargo.toml").unwrap(), "\npublish = false\n");
}

#[test]
fn manifests_of_published_crates() {
    let runtime = format!("openapi-crates-runtime = {{ version = \"{}\"", env!("CARGO_PKG_VERSION"));
    let options = options()
        .runtime(Runtime::Published)
        .version("2.1.0")
        .package([("publish", "true"), ("repository", "\"x\"")]);
    let tree = render(emit(&sample::api(), &options), &options).unwrap();
    let manifest = tree.text("client/Cargo.toml").unwrap();
    for expected in [
        "version = \"2.1.0\"\nedition.workspace = true\n",
        "license.workspace = true\npublish = true\nrepository = \"x\"\n",
        "asset-api-models = { version = \"=2.1.0\", path = \"../models\", default-features = false }\n",
        &format!("{runtime}, features = [\"client\"] }}\n"),
    ] {
        has(manifest, expected);
    }
}

#[test]
fn structs() {
    let tree = tree(&sample::api());
    has(
        &tree["models/src/common.rs"],
        r##"
/// Schema `Task`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Task {
    /// Its id, as in \[foo\].
    pub task_id: String,
    pub status: TaskStatus,
    /// At most 5 items.
    pub generated: Option<rt::Nullable<Vec<String>>>,
    pub r#type: Option<String>,
}
"##,
    );
    has(
        &tree["models/src/text_to_speech.rs"],
        r#"
    /// Returns `model`, or the default `v2` if it is absent.
    #[must_use]
    pub fn model_or_default(&self) -> &str {
        self.model.as_deref().unwrap_or("v2")
    }
"#,
    );
    let icons = &tree["models/src/icons.rs"];
    has(icons, "pub fn new(fields: IconFields) -> Self {");
    has(icons, "rt::object! {\n    Icon + additional_properties from IconFields;\n");
    has(icons, "    closed ListIconsInput from (String);\n");
    has(icons, "#[derive(Debug, Clone, PartialEq, Default)]\n#[non_exhaustive]\npub struct Filters {");
}

#[test]
fn enums_and_unions() {
    let tree = tree(&sample::api());
    let common = &tree["models/src/common.rs"];
    has(common, "    Unknown(String),\n}");
    has(common, " + Unknown;\n");
    let icons = &tree["models/src/icons.rs"];
    has(icons, ";\n    \"asc\" => Asc,\n    \"desc\" => Desc,\n}");
    has(icons, "impl TryFrom<i64> for ListIconsSize {");
    let pets = &tree["models/src/pets.rs"];
    has(pets, "    Dog(Box<Dog>),\n");
    has(pets, "rt::union! {\n    Pet + Unknown;\n    Cat(Cat) => rt::Shape::object(\"Cat\").required(");
    has(pets, "    String(String) => rt::Shape::new(\"string\", rt::Kinds::STRING),\n}");
    has(&tree["validation/src/pets.rs"], "Schema::union(\n    asset_api_models::pets::Pet::SHAPE,\n");
}

#[test]
fn large_variants_allow_the_lint_of_clippy() {
    let mut api = sample::api();
    let icon = api.types.iter().position(|def| def.name.0 == "Icon").unwrap();
    let icon = Schema::new(Type::Named { id: TypeId(icon), boxed: false });
    for def in &mut api.types {
        if let Kind::Union(body) = &mut def.kind {
            body.variants[0].schema = icon.clone();
        }
    }
    has(&tree(&api)["models/src/pets.rs"], "clippy::large_enum_variant");
    assert!(!tree(&sample::api())["models/src/pets.rs"].contains("allow("));
}

#[test]
fn choices() {
    let tree = tree(&sample::api());
    let speech = &tree["models/src/text_to_speech.rs"];
    has(speech, "    2 => NoContent,\n");
    has(&tree["models/src/responses.rs"], "            Self::BadRequest(_) => \"400: Not valid\",\n");
    has(&tree["models/src/responses.rs"], "impl std::error::Error for ApiError {}");
}

#[test]
fn tables() {
    let tree = tree(&sample::api());
    has(
        &tree["validation/src/common.rs"],
        "\npub(crate) static COLOR_PATTERN: Pattern = Pattern::new(\"^#[0-9a-f]{6}$\");\n",
    );
    let speech = &tree["validation/src/text_to_speech.rs"];
    has(speech, "Content::json(&common::TASK)");
    has(speech, ".max_length(40000)");
    has(&tree["validation/src/icons.rs"], ".errors(\n        responses::API_ERRORS,\n        &[");
    has(
        &tree["validation/src/lib.rs"],
        "    static OPERATIONS: &openapi_crates_runtime::table::Operation;\n",
    );
}

#[test]
fn a_pattern_names_its_engine_and_the_manifest_asks_for_it() {
    let with = |pattern: &str| {
        tree(&sample::lowered(&format!(
            "openapi: 3.0.3\ninfo: {{title: Codes, version: '1'}}\npaths: {{}}\ncomponents:\n  schemas:\n    Code: \
             {{type: string, pattern: '{pattern}'}}\n",
        )))
    };
    for (pattern, row, features) in [
        ("^a$", r#"Pattern::new("^a$")"#, r#"["validation"]"#),
        (r"^\d$", r#"Pattern::translated("^\\d$", "^[0-9]$")"#, r#"["validation"]"#),
        (r"^(?!\d)", r#"Pattern::fancy("^(?!\\d)", "^(?![0-9])")"#, r#"["validation", "patterns-fancy"]"#),
    ] {
        let tree = with(pattern);
        let text: String = tree["validation/src/common.rs"].split_whitespace().collect();
        has(&text.replace(",)", ")"), &row.replace(' ', ""));
        has(&tree["validation/Cargo.toml"], &format!("features = {features}"));
        has(&tree["models/src/common.rs"], &format!("/// Matches `{pattern}`."));
        let rules: serde_json::Value = serde_json::from_str(&tree["validation/rules.json"]).unwrap();
        assert_eq!(rules["common"]["schemas"]["Code"]["pattern"], pattern);
    }
}

#[test]
fn rules_are_exported_with_pointers_that_resolve() {
    let tree = tree(&sample::api());
    let rules: serde_json::Value = serde_json::from_str(&tree["validation/rules.json"]).unwrap();
    assert_eq!(rules.pointer("/common/schemas/Color/pattern").unwrap(), "^#[0-9a-f]{6}$");
    assert_eq!(rules.pointer("/text_to_speech/operations/createSpeech/body/limit").unwrap(), 1024);
    let references = tree["validation/rules.json"].split("\"$ref\":\"#").skip(1);
    let mut count = 0;
    for rest in references {
        let pointer = rest.split('"').next().unwrap();
        assert!(rules.pointer(pointer).is_some(), "{pointer}");
        count += 1;
    }
    assert!(count > 3);
}

#[test]
fn rules_that_are_stated_are_exported_and_documented_but_not_checked() {
    let tree = tree(&sample::lowered(
        "openapi: 3.0.3
info: {title: Pictures, version: '1'}
paths: {}
components:
  schemas:
    Picture:
      type: string
      pattern: ^https://
      x-unchecked: [pattern]
      x-media: {kind: image, types: [image/png], max-bytes: 10, min-seconds: 1.5}
",
    ));
    let rules: serde_json::Value = serde_json::from_str(&tree["validation/rules.json"]).unwrap();
    let expected = serde_json::json!({
        "type": "string",
        "pattern": "^https://",
        "x-unchecked": ["pattern"],
        "x-media": {"kind": "image", "types": ["image/png"], "max-bytes": 10, "min-seconds": 1.5},
    });
    assert_eq!(rules["common"]["schemas"]["Picture"], expected);
    has(
        &tree["models/src/common.rs"],
        "/// Matches `^https://`. Media type: `image/png`. At most 10 bytes. Length: at least 1.5 seconds.\n",
    );
    assert!(!tree["validation/src/common.rs"].contains("https"), "no table knows the pattern");
}

#[test]
fn traits() {
    let tree = tree(&sample::api());
    has(&tree["server/src/icons.rs"], "    type Principal: Send + 'static;\n");
    has(&tree["server/src/icons.rs"], "context: rt::Context<Self::Principal>,");
    has(&tree["server/src/text_to_speech.rs"], "context: rt::Context<Option<Self::Principal>>,");
    let pets = &tree["server/src/pets.rs"];
    has(pets, "context: rt::Context<()>,");
    has(pets, "|api, context, ()| async move { T::list_pets(&api, context).await }");
    assert!(!pets.contains("Principal"));
}

#[test]
fn client_methods() {
    let tree = tree(&sample::api());
    let speech = &tree["client/src/text_to_speech.rs"];
    has(speech, "        self.0.call(&table::CREATE_SPEECH, &input.into())\n");
    has(&tree["client/src/pets.rs"], "        self.0.call(&table::LIST_PETS, &())\n");
    has(&tree["client/src/security.rs"], "pub fn api_key(self, key: impl Into<rt::Credential>) -> Self {");
    has(&tree["client/src/lib.rs"], "    server: Some(\"https://api.example.com/v1\"),\n");
}
