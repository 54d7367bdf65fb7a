//! Requests that test an engine: the document's examples, without the fields that the engine's settings exclude.

use std::fmt;

use asset_engines::film::{Animation, Animator, Shots};
use asset_engines::sound::{ProceduralSound, SoundParameters};
use asset_engines::{Engine as _, Job};
use bytes::Bytes;
use serde_json::Value;

use crate::apps::violations;
use crate::engine::family::Family;
use crate::engine::media_fields;
use crate::engine::registry::Registry;
use crate::engine::schema::{self, Create};
use crate::engine::{Failure, Input, Medium, Output, Refusal, Request};
use crate::media::format::Kind;

/// The picture that a sample has.
const PICTURE: &[u8] = include_bytes!("../../assets/demo/coffee.jpg");

/// How many fields of an example are changed at most.
const CHANGES: usize = 32;

/// A request that tries an engine.
#[derive(Debug)]
pub(super) struct Sample {
    family: &'static Family,
    /// The input as the queue stores it, without media.
    input: Input,
    media: Vec<(String, Kind)>,
    /// The fields of the example that were changed.
    changed: Vec<String>,
}

impl Sample {
    /// Creates a request that the attached engine of the family takes from the example of an operation.
    ///
    /// Each field that the engine refuses is left out or gets another value.
    ///
    /// # Errors
    /// Returns the refusals of the engine, if no change of the example helps.
    pub(super) fn new(
        create: &Create,
        family: &'static Family,
        registry: &Registry,
    ) -> Result<Self, Refusal> {
        let voices = registry.attached(family).map(|(_, engine)| engine.voices()).unwrap_or_default();
        let mut input = create.input(family, voices.first().copied());
        let mut changed = Vec::new();
        for _ in 0..CHANGES {
            let Some(refusal) = refusals(create, family, registry, &input).into_iter().next() else {
                let media = take_media(create, &mut input);
                return Ok(Self { family, input, media, changed });
            };
            let field = refusal.parameter.as_ref();
            let fits = |input: &Input| {
                let left = refusals(create, family, registry, input);
                left.iter().all(|left| left.parameter != field) && violations(create, &input.body).is_empty()
            };
            let bodies = changes(create, family, registry, &input, field);
            let mut inputs = bodies.into_iter().map(|body| Input { body, ..input.clone() });
            let Some(fitting) = inputs.find(fits) else { return Err(refusal) };
            changed.push(field.to_owned());
            input = fitting;
        }
        Err(Refusal::new("example", "has too many fields that the engine refuses"))
    }

    pub(super) fn request(&self) -> Request<'_> {
        Request { family: self.family, input: Some(&self.input), work: None }
    }

    /// Returns the media: a picture, a sound of a second and a video of a second.
    pub(super) fn media(&self) -> Result<Vec<Medium>, Failure> {
        let medium = |(name, kind): &(String, Kind)| {
            Ok(Medium { name: name.clone(), kind: *kind, bytes: content(*kind)?, url: None })
        };
        self.media.iter().map(medium).collect()
    }
}

/// Prints the fields that were changed, as words that follow the operation.
impl fmt::Display for Sample {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.changed.is_empty() {
            return Ok(());
        }
        let given = |field: &&String| self.request().field(field).is_some();
        let (other, without): (Vec<&String>, Vec<_>) = self.changed.iter().partition(given);
        for (word, fields) in [("without", without), ("with another", other)] {
            let fields: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
            if !fields.is_empty() {
                write!(formatter, " {word} {}", fields.join(", "))?;
            }
        }
        Ok(())
    }
}

/// Returns why the attached engine of the family does not take an input with its media.
fn refusals(create: &Create, family: &'static Family, registry: &Registry, input: &Input) -> Vec<Refusal> {
    let mut input = input.clone();
    take_media(create, &mut input);
    let request = Request { family, input: Some(&input), work: None };
    match registry.attached(family) {
        Some((_, engine)) if registry.lane_for(family.name, Some(&input)).is_some() => {
            engine.refuse(request, &[])
        }
        // Another engine serves requests without all of these fields.
        _ => registry.with(family).iter().map(|field| Refusal::new(field.clone(), "is needed")).collect(),
    }
}

/// Takes the media out of an input; returns their fields and kinds.
fn take_media(create: &Create, input: &mut Input) -> Vec<(String, Kind)> {
    let mut media = Vec::new();
    media_fields::each(&create.operation, &mut input.body, |path, field, value| {
        media.push((path, field.expected.kind));
        *value = Value::from("");
        true
    });
    media
}

/// Returns bodies that differ in one field: without it, and with other values.
fn changes(
    create: &Create,
    family: &'static Family,
    registry: &Registry,
    input: &Input,
    field: &str,
) -> Vec<Value> {
    let (limits, rules) = registry.limits(family);
    let limits = std::iter::once(&limits).chain(rules.iter().map(|rule| &rule.limits));
    let request = Request { family, input: Some(input), work: None };
    let given = request.field(field);
    let of_limits = limits.filter_map(|limits| limits.get(field)).flat_map(|limit| limit.values(given));
    let values = of_limits.chain(schema::values(create.post, field));
    let with = values.filter_map(|value| {
        let mut body = input.body.clone();
        schema::set(&mut body, field, value)?;
        Some(body)
    });
    without(&input.body, field).into_iter().chain(with).collect()
}

/// Returns a body without a field, and without the objects around it.
fn without(body: &Value, field: &str) -> Vec<Value> {
    let ends = field.match_indices(['.', '[']).map(|(end, _)| end).chain([field.len()]);
    let mut bodies: Vec<Value> = ends.filter_map(|end| removed(body, field.get(..end)?)).collect();
    bodies.reverse();
    bodies
}

/// Returns a body without the field at this path of names: `styling.styles`; `None` if it has none.
fn removed(body: &Value, field: &str) -> Option<Value> {
    let mut body = body.clone();
    let (around, name) = field.rsplit_once('.').map_or((None, field), |(around, name)| (Some(around), name));
    let mut parent = &mut body;
    for name in around.into_iter().flat_map(|around| around.split('.')) {
        parent = parent.get_mut(name)?;
    }
    parent.as_object_mut()?.remove(name)?;
    Some(body)
}

/// Returns a medium of a kind, made by the built-in engines.
fn content(kind: Kind) -> Result<Bytes, Failure> {
    let job = Job::with_seed(1);
    let made = match kind {
        Kind::Image => return Ok(Bytes::from_static(PICTURE)),
        Kind::Audio => ProceduralSound.run(&SoundParameters::new("rain", 1.0), (), &job),
        Kind::Video => {
            let film = Animation {
                prompt: "clouds over the sea".to_owned(),
                negative_prompt: String::new(),
                expand: false,
                width: 320,
                height: 180,
                seconds: 1,
                shots: Shots::Single,
                audio: false,
            };
            Animator.run(&film, (), &job)
        }
    };
    match made?.into_iter().next() {
        Some(Output::File(file)) => Ok(file.bytes.into()),
        _ => Err(Failure::Internal(format!("can't make the {} of the example", kind.name()))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engine::environment::Environment;
    use crate::engine::family;
    use crate::engine::registry::shipped;
    use crate::engine::settings::Settings;
    use crate::media::{format::Format, measure};

    fn registry(settings: &Settings, environment: &Environment) -> Registry {
        Registry::new(&settings.engines, &settings.families, &Default::default(), environment).unwrap()
    }

    /// Returns the requests for a family that a program serves with these settings.
    fn samples(family: &'static Family, settings: &str) -> Vec<Result<(String, Value), Refusal>> {
        let settings = format!(
            "engines.p = {{ kind = 'command', program = '/bin/true' }}\n[families.{}]\nengine = 'p'\nargs = []\n\
             output = 'a.wav'\n{settings}",
            family.name
        );
        let registry = registry(&toml::from_str(&settings).unwrap(), &Environment::on_this_machine());
        let creates = schema::examples_with(family, registry.with(family));
        let sample = |create: &Create| {
            Sample::new(create, family, &registry).map(|sample| (sample.to_string(), sample.input.body))
        };
        creates.iter().map(sample).collect()
    }

    #[test]
    fn an_example_keeps_the_limits_of_the_engine() {
        let made = |settings: &str| samples(&family::VOICEOVER, settings).remove(0);
        let (note, whole) = made("voices = { anna = 'a' }").unwrap();
        assert_eq!((note.as_str(), &whole["voice_id"]), ("", &json!("anna")));
        assert!(whole["speed"].is_number() && whole["text"].as_str().unwrap().len() > 4, "{whole}");
        for (settings, note, field, value) in [
            ("limits.speed.supported = false", " without `speed`", "speed", Value::Null),
            ("limits.speed.maximum = 0.8", " without `speed`", "speed", Value::Null),
            (
                "limits.speed = { maximum = 0.8, required = true }",
                " with another `speed`",
                "speed",
                json!(0.8),
            ),
            (
                "limits.text.max-length = 4",
                " with another `text`",
                "text",
                json!(&whole["text"].as_str().unwrap()[..4]),
            ),
            ("limits.voice_id.one-of = ['bob']", " with another `voice_id`", "voice_id", json!("bob")),
            ("limits.stability = { required = true, minimum = 0.5 }", "", "stability", json!(0.5)),
        ] {
            let (changed, body) = made(settings).unwrap();
            assert_eq!(body.get(field).unwrap_or(&Value::Null), &value, "{settings}: {body}");
            assert!(note.is_empty() || changed == note, "{settings}: {changed}");
        }
        let refusal = made("limits.text.supported = false").unwrap_err();
        assert_eq!(refusal.parameter, "text");
    }

    #[test]
    fn the_fields_that_lead_to_the_engine_stay() {
        let family = &family::IMAGE_TO_VIDEO;
        let settings = "with = ['video_url']\nlimits.start_image_url.supported = false";
        let (note, body) = samples(family, settings).remove(0).unwrap();
        assert_eq!(note, " without `start_image_url`");
        assert_eq!((body.get("start_image_url"), &body["video_url"]), (None, &json!("")));
        let settings = "with = ['video_url']\nlimits.video_url.supported = false";
        assert_eq!(samples(family, settings).remove(0).unwrap_err().parameter, "video_url");
    }

    #[test]
    fn all_settings_that_come_with_the_service_can_be_tried() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("voices")).unwrap();
        std::fs::write(folder.path().join("voices/joe.onnx"), "").unwrap();
        let environment =
            Environment { data_dir: folder.path().to_owned(), ..Environment::on_this_machine() };
        let mut tried = 0;
        for one in shipped::all() {
            let mut settings: Settings = toml::from_str(one.text).unwrap();
            for engine in settings.engines.values_mut() {
                engine.own.remove("key");
                if let Some(program) = engine.own.get_mut("program") {
                    *program = "/bin/true".into();
                }
            }
            let registry = registry(&settings, &environment);
            for name in settings.families.keys() {
                let family = Family::named(name).unwrap();
                for create in schema::examples_with(family, registry.with(family)) {
                    let sample = Sample::new(&create, family, &registry)
                        .unwrap_or_else(|refusal| panic!("{} {name} {create}: {refusal:?}", one.name));
                    let broken = violations(&create, &sample.input.body);
                    assert!(broken.is_empty(), "{} {name} {create}: {broken:?}", one.name);
                    tried += 1;
                }
            }
        }
        assert!(tried > 30, "{tried}");
    }

    #[test]
    fn the_media_are_files_of_a_second() {
        for (kind, format) in [(Kind::Audio, Format::Wav), (Kind::Video, Format::Mp4)] {
            let bytes = content(kind).unwrap();
            assert_eq!(Format::sniff(&bytes, kind), Some(format));
            assert_eq!(measure::seconds(&bytes, format), Some(1.0));
        }
        assert_eq!(Format::sniff(&content(Kind::Image).unwrap(), Kind::Image), Some(Format::Jpeg));
    }

    #[test]
    fn a_sample_omits_a_field_with_its_parent() {
        let body = json!({"a": {"b": [{"c": 1}], "d": 2}, "e": 3});
        let bodies = [json!({"a": {"d": 2}, "e": 3}), json!({"e": 3})];
        assert_eq!(without(&body, "a.b[0].c"), bodies);
        assert_eq!(without(&body, "x"), [] as [Value; 0]);
    }
}
