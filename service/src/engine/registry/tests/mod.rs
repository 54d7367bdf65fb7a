//! Tests of the registry; of the positions that its errors name; of the mappings that the service comes with.

mod located;
mod mappings;

use super::*;
use crate::engine::call::OnUncertain;

fn map<V: Clone>(entries: &[(&str, V)]) -> BTreeMap<String, V> {
    entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

fn built(
    engines: &BTreeMap<String, EngineSettings>,
    families: &BTreeMap<String, FamilySettings>,
    models: &BTreeMap<String, Vec<String>>,
) -> Result<Registry, InvalidSetting> {
    Registry::new(engines, families, models, &Environment::on_this_machine())
}

impl Registry {
    /// Creates a registry from a part of the settings, without the programs of this machine.
    pub(crate) fn new(
        engines: &BTreeMap<String, EngineSettings>,
        families: &BTreeMap<String, FamilySettings>,
        models: &BTreeMap<String, Vec<String>>,
        environment: &Environment,
    ) -> Result<Self, InvalidSetting> {
        let (engines, families, models) = (engines.clone(), families.clone(), models.clone());
        let settings =
            Settings { engines, families, models, local_programs: Some(false), ..Settings::default() };
        Self::of(settings, environment)
    }
}

fn by(family: &str, engine: &str) -> BTreeMap<String, FamilySettings> {
    let settings = FamilySettings { engine: Some(engine.to_owned()), ..FamilySettings::default() };
    BTreeMap::from([(family.to_owned(), settings)])
}

#[test]
fn settings_override_built_in_engines() -> Result<(), InvalidSetting> {
    let registry =
        built(&BTreeMap::new(), &by("voiceover", NONE), &map(&[("image-expand", vec!["wide".to_owned()])]))?;
    assert_eq!(registry.engine_name(&family::VOICEOVER), None);
    assert_eq!(registry.engine_name(&family::SOUND_EFFECTS), Some("procedural-sound"));
    assert!(registry.has_model(&family::IMAGE_EXPAND, Some("wide")));
    assert!(!registry.has_model(&family::IMAGE_EXPAND, Some("standard")));
    assert!(registry.has_model(&family::IMAGE_EDIT, Some("standard")));
    assert!(registry.has_model(&family::VOICEOVER, None));
    Ok(())
}

#[test]
fn without_built_in_engines_only_attached_ones_serve() {
    let registry = |settings: &str| {
        let settings = toml::from_str(&format!("local-programs = false\n{settings}")).unwrap();
        Registry::of(settings, &Environment::on_this_machine())
    };
    let off = registry("built-in-engines = false").unwrap();
    assert!(family::ALL.iter().all(|family| off.engine_name(family).is_none()));
    assert_eq!(off.on_threads(), [""; 0]);
    let on = registry("built-in-engines = true").unwrap();
    assert!(family::ALL.iter().all(|family| on.engine_name(family) == family.engine));
    let named = registry("built-in-engines = false\nfamilies.voiceover.engine = 'formant-speech'");
    let error = named.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("`formant-speech`; known: none"), "{error}");
}

#[test]
fn names_that_nothing_is_called_are_refused() {
    let (none, models) = (BTreeMap::new(), BTreeMap::new());
    let (none_given, stray) = (BTreeMap::new(), toml::from_str("[voiceover]\nvoices = { a = 'b' }").unwrap());
    let abacus = toml::from_str("[local]\nkind = 'abacus'").unwrap();
    let taken = toml::from_str("[formant-speech]\nkind = 'http'").unwrap();
    for (built, expected) in [
        (built(&none, &by("voice", NONE), &models), "`families.voice`: unknown family `voice`"),
        (built(&none, &by("voiceover", "gpt"), &models), "`families.voiceover.engine`: unknown engine `gpt`"),
        (built(&none, &stray, &models), "`families.voiceover`: `engine` is missing"),
        (
            built(&none, &none_given, &map(&[("voiceover", vec!["x".to_owned()])])),
            "`models.voiceover`: the family has no models",
        ),
        (
            built(&none, &none_given, &map(&[("image-edit", vec!["a/b".to_owned()])])),
            "`models.image-edit`: invalid model name `a/b`",
        ),
        (built(&abacus, &by("voiceover", "local"), &models), "`engines.local.kind`: unknown kind `abacus`"),
        (
            built(&taken, &none_given, &models),
            "`engines.formant-speech`: this is the name of a built-in engine",
        ),
    ] {
        let error = built.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn some_requests_of_a_family_have_an_engine_of_their_own() {
    let text = "
        [engines.p]
        kind = 'command'
        program = '/bin/true'
        on-uncertain = 'fail'
        [families.image-to-video]
        engine = 'p'
        with = ['video_url', 'audio_url']
        args = []
        output = 'a.mp4'";
    let settings: Settings = toml::from_str(text).unwrap();
    let registry = built(&settings.engines, &settings.families, &BTreeMap::new()).unwrap();
    let family = &family::IMAGE_TO_VIDEO;
    let work =
        serde_json::json!({"prompt": "", "shorter_side": 720, "seconds": 5, "first": true, "last": false});
    let work = Work::Move(serde_json::from_value(work).unwrap());
    let input = |body| Input { operation: "create_image_to_video".to_owned(), model: None, body };
    for (body, is_attached) in [
        (serde_json::json!({"video_url": ""}), true),
        (serde_json::json!({"start_image_url": "", "audio_url": ""}), true),
        (serde_json::json!({"start_image_url": "", "video_url": null}), false),
    ] {
        let input = input(body);
        let lane = registry.lane_for(family.name, Some(&input));
        assert_eq!(lane.map(|lane| lane.on_uncertain), is_attached.then_some(OnUncertain::Fail));
        let instructions = registry.instructions(family, Some(input.clone()), Some(work.clone()));
        assert_eq!(matches!(instructions, Some(Instructions::Attached(_))), is_attached);
        let engine = registry.engine(Request { family, input: Some(&input), work: None });
        assert_eq!(engine.map(|engine| engine.name().to_owned()), is_attached.then(|| "p".to_owned()));
    }
    let engine = |instructions| {
        let engine: Arc<dyn Engine> = registry.engine_for(family, &instructions)?;
        Some(engine.name().to_owned())
    };
    assert_eq!(engine(Instructions::Attached(input(serde_json::json!({})))).as_deref(), Some("p"));
    assert!(engine(Instructions::BuiltIn(work)).is_some_and(|name| name != "p"));
    assert_eq!(registry.built_in_name(family), family.engine);
    assert!(registry.on_threads().contains(&family.name));
    let families: Vec<_> = registry.lanes().iter().map(|lane| lane.families.clone()).collect();
    assert_eq!(families, [[family.name]]);
}

#[test]
fn every_family_has_a_name_and_a_path_of_its_own() {
    for (index, family) in family::ALL.iter().enumerate() {
        for other in &family::ALL[index + 1..] {
            assert_ne!(family.name, other.name);
            assert_ne!(family.path, other.path);
        }
    }
}
