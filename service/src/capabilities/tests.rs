use openapi_crates::{Input, Options, Source, generate_from};

use super::*;
use crate::document;
use crate::engine::builtin::DECLARED;
use crate::engine::environment::Environment;

fn registry(settings: &str) -> Registry {
    let settings = toml::from_str(settings).unwrap();
    Registry::of(settings, &Environment::on_this_machine()).unwrap()
}

/// Returns an instance with an attached engine, limits, voices, models and LoRAs.
fn attached() -> Registry {
    registry(
        r#"
        local-programs = false
        engines.local = { kind = "openai", base-url = "http://127.0.0.1:8000/v1" }
        [families.voiceover]
        engine = "local"
        model = "kokoro"
        voices = { narrator = "af_sky", anna = "af_bella" }
        limits = { text = { max-length = 5000 }, speed = { maximum = 1.1 }, model = { supported = false } }
        [families.imagegen]
        engine = "local"
        model = "sd"
        extra = { lora = "{{ request.loras }}" }
        limits = { prompt = { required = true }, "styling.colors" = { max-items = 2 } }
        [[families.imagegen.loras]]
        id = 3
        name = "watercolor"
        type = "style"
        preview = "https://example.com/3.png"
        [families.improve-prompt]
        engine = "none"
        [models]
        image-edit = ["small", "large"]
        "#,
    )
}

/// Returns the models that are generated with the overlay of an instance, and the problems.
fn generated(registry: &Registry) -> (String, Vec<String>) {
    let overlay = Capabilities::of(registry).overlay().to_string();
    let overlays = [Source::new("overlay.json", &overlay)];
    let input = Input::new("openapi.yaml", &document::YAML).overlays(&overlays);
    let generated = generate_from(&input, &Options::new("x", "openapi.yaml"), &|_| {}).unwrap();
    let files = generated.files.unwrap_or_else(|| panic!("{}", generated.report));
    let models = files.text("models/src/voiceover.rs").unwrap().to_owned();
    (models, generated.report.diagnostics.iter().map(|one| format!("{one:?}")).collect())
}

#[test]
fn the_overlay_applies_to_the_document_without_a_warning() {
    for (registry, is_narrowed) in [(Registry::default(), false), (attached(), true)] {
        let (models, problems) = generated(&registry);
        assert!(problems.is_empty(), "{} problems, such as {:#?}", problems.len(), problems.first());
        assert_eq!(models.contains("\"narrator\" => Narrator"), is_narrowed, "{models}");
    }
}

#[test]
fn capabilities_show_engine_limits_voices_models_and_loras() {
    let listed = serde_json::to_value(Capabilities::of(&attached())).unwrap();
    let speech = &listed["operations"]["create_voiceover"];
    assert_eq!(speech["engine"], json!({"name": "local", "kind": "openai"}));
    assert_eq!(speech["limits"]["speed"], json!({"maximum": 1.1}));
    assert_eq!(speech["voices"], json!(["anna", "narrator"]));
    assert_eq!(speech["path"], "/v1/ai/voiceover");
    // A request with this field is refused.
    assert_eq!(speech["limits"]["model"], json!({"supported": false}));
    let ignored: Vec<&str> = speech["ignored"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(
        ignored.contains(&"stability") && !ignored.contains(&"text") && !ignored.contains(&"model"),
        "{ignored:?}"
    );
    let pictures = &listed["operations"]["create_imagegen"];
    assert_eq!(pictures["loras"][0]["name"], "watercolor");
    assert!(!pictures["ignored"].as_array().unwrap().contains(&json!("styling")));
    assert_eq!(listed["operations"]["improve_prompt"]["engine"], Value::Null);
    assert_eq!(listed["operations"]["create_image_edit"]["models"], json!(["small", "large"]));
    assert_eq!(listed["operations"]["create_image_edit"]["limits"]["prompt"], json!({"one-of": [""]}));
    assert_eq!(listed["operations"]["create_lip_sync"]["models"], json!(["standard"]));
    // A family's operations have different fields.
    let retouch = |name: &str| listed["operations"][name]["limits"].as_object().unwrap().len();
    assert_eq!((retouch("enhance_skin_flexible"), retouch("enhance_skin_creative")), (1, 0));
}

#[test]
fn the_engine_of_routed_requests_is_listed_separately() {
    let registry = registry(
        r#"
        local-programs = false
        engines.local = { kind = "openai", base-url = "http://127.0.0.1:8000/v1" }
        engines.provider = { kind = "http", preset = "fal" }
        [families.imagegen]
        engine = "local"
        with = ["styling"]
        model = "sd"
        extra = { lora = "{{ request.loras }}" }
        [[families.imagegen.loras]]
        id = 3
        name = "watercolor"
        type = "style"
        preview = "https://example.com/3.png"
        [families.lip-sync]
        engine = "provider"
        with = ["resolution"]
        model = "a/b"
        input = { resolution = "{{ request.resolution }}" }
        "#,
    );
    let listed = serde_json::to_value(Capabilities::of(&registry)).unwrap();
    let pictures = &listed["operations"]["create_imagegen"];
    assert_eq!(pictures["engine"]["kind"], "built-in");
    assert_eq!(
        (&pictures["loras"], &pictures["instead"]["loras"][0]["name"]),
        (&Value::Null, &json!("watercolor"))
    );
    // The built-in engine takes no styles, and gets no request that has some.
    assert_eq!(pictures["limits"].get("styling.styles"), None);

    let overlay = Capabilities::of(&registry).overlay().to_string();
    assert!(
        overlay.contains("This instance responds 503 to a valid request without `resolution`."),
        "{overlay}"
    );
    assert!(
        overlay.contains("Requests with `resolution` are served by the engine `provider` (http)."),
        "{overlay}"
    );
    assert!(!overlay.contains("watercolor"));
    let (_, problems) = generated(&registry);
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn limits_of_built_in_engines_name_known_engines_and_fields() {
    assert!(!DECLARED.is_empty());
    for (name, Declared { limits, ignored }) in &*DECLARED {
        let families: Vec<_> =
            family::ALL.iter().filter(|family| family.engine == Some(name.as_str())).collect();
        assert!(!families.is_empty(), "{name}");
        for field in limits.keys().chain(ignored) {
            let has = |create: schema::Create| schema::has_field(create.post, field);
            let known = families.iter().flat_map(|family| schema::creates(family)).any(has);
            assert!(known, "{name}: {field}");
        }
    }
}
