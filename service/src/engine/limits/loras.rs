//! LoRAs: the trained styles and characters that a model for image generation can apply.
//!
//! The operator lists them in the table of the family, the API shows them, and a request names some of them. Templates
//! find the named ones in `request.loras`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config::InvalidSetting;
use crate::engine::family::{self, Family};
use crate::engine::schema::LORAS;
use crate::engine::{Input, Refusal, Request};

/// The field of a request that names LoRAs.
const STYLING: &str = "styling";

/// A LoRA: a table `[[families.imagegen.loras]]`.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Lora {
    /// The id in requests, from 1.
    pub id: u32,
    /// The name in requests and lists.
    pub name: String,
    /// Style or character.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// A sentence for clients.
    pub description: Option<String>,
    /// A word that groups LoRAs in lists. Default: `general`.
    #[serde(default = "general")]
    pub category: String,
    /// The URL of a picture that shows its effect.
    pub preview: String,
    /// The words that bring it out. They are added to the prompt.
    #[serde(skip_serializing)]
    pub trigger: Option<String>,
    /// The engine's name for it, such as a file. Default: the name.
    #[serde(skip_serializing)]
    pub file: Option<String>,
    /// The engine's strength for the API's 100. Default: 1.
    #[serde(default = "one")]
    #[serde(skip_serializing)]
    pub scale: f64,
}

/// The kind of a LoRA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It changes the manner of a picture.
    Style,
    /// It shows a person.
    Character,
}

fn general() -> String {
    "general".to_owned()
}

fn one() -> f64 {
    1.0
}

/// Checks the LoRAs of a family.
///
/// # Errors
/// The family takes none, or two LoRAs have the same id or name.
pub fn check(loras: &[Lora], family: &Family) -> Result<(), InvalidSetting> {
    let invalid = |setting: String, expected: &str| {
        Err(InvalidSetting::must_be(format!("families.{}.{setting}", family.name), expected.to_owned()))
    };
    if !loras.is_empty() && family.name != family::IMAGEGEN.name {
        return invalid("loras".to_owned(), "absent: only `imagegen` takes LoRAs");
    }
    for (index, lora) in loras.iter().enumerate() {
        let others = loras.iter().take(index);
        if lora.id == 0 || others.clone().any(|other| other.id == lora.id) {
            return invalid(format!("loras[{index}].id"), "a number from 1 that no other LoRA has");
        }
        if lora.name.is_empty() || others.clone().any(|other| other.name == lora.name) {
            return invalid(format!("loras[{index}].name"), "a name that no other LoRA has");
        }
        if crate::config::base_url(&lora.preview).is_err() {
            return invalid(format!("loras[{index}].preview"), "the URL of a picture");
        }
    }
    Ok(())
}

/// A LoRA that a request names, and the field that names it.
struct Named<'r> {
    field: String,
    given: &'r Value,
    kind: Kind,
    strength: f64,
}

/// Returns the LoRAs that a request names.
fn named(request: Request<'_>) -> Vec<Named<'_>> {
    let lists = [("styling.styles", Kind::Style), ("styling.characters", Kind::Character)];
    let mut named = Vec::new();
    for (list, kind) in lists {
        let items = request.input.and_then(|input| crate::engine::request::field(&input.body, list));
        for (index, item) in items.and_then(Value::as_array).into_iter().flatten().enumerate() {
            let given = ["id", "name"].into_iter().find_map(|name| Some((name, item.get(name)?)));
            let Some((name, given)) = given else { continue };
            let strength = item.get("strength").and_then(Value::as_f64).unwrap_or(100.0);
            named.push(Named { field: format!("{list}[{index}].{name}"), given, kind, strength });
        }
    }
    named
}

impl Named<'_> {
    fn find<'l>(&self, loras: &'l [Lora]) -> Option<&'l Lora> {
        let is = |lora: &&Lora| match self.given {
            Value::String(name) => lora.name == *name,
            id => id.as_u64() == Some(lora.id.into()),
        };
        loras.iter().filter(|lora| lora.kind == self.kind).find(is)
    }
}

/// Returns the LoRAs of a request that do not exist.
pub fn refuse(loras: &[Lora], request: Request<'_>) -> Vec<Refusal> {
    let unknown = named(request).into_iter().filter(|named| named.find(loras).is_none());
    let refusal = |named: Named<'_>| {
        let known = loras.iter().filter(|lora| lora.kind == named.kind);
        let known: Vec<String> = match named.given {
            Value::String(_) => known.map(|lora| lora.name.clone()).collect(),
            _ => known.map(|lora| format!("{} ({})", lora.id, lora.name)).collect(),
        };
        let reason = match known.as_slice() {
            [] => "must be absent: this engine has no such LoRA".to_owned(),
            known => format!("must be one of {}", known.join(", ")),
        };
        Refusal::new(named.field, reason)
    };
    unknown.map(refusal).collect()
}

/// Returns the input with the LoRAs that it names, for templates, and with their triggers in the prompt.
///
/// Operators choose their content, except the strength, which is a number.
pub fn with_loras(loras: &[Lora], request: Request<'_>) -> Option<Input> {
    let mut input = request.input?.clone();
    let mut texts: Vec<&str> = request.text("prompt").into_iter().collect();
    let mut chosen = Vec::new();
    for named in named(request) {
        let Some(lora) = named.find(loras) else { continue };
        texts.extend(lora.trigger.as_deref());
        chosen.push(json!({
            "id": lora.id,
            "name": lora.name,
            "file": lora.file.as_ref().unwrap_or(&lora.name),
            "trigger": lora.trigger,
            "strength": named.strength / 100.0 * lora.scale,
        }));
    }
    if !chosen.is_empty() {
        let body = input.body.as_object_mut()?;
        body.insert(LORAS.to_owned(), Value::Array(chosen));
        if !texts.is_empty() {
            body.insert("prompt".to_owned(), Value::from(texts.join(", ")));
        }
    }
    Some(input)
}

/// Converts the ignored fields of a request with [`with_loras`] to the client's names.
///
/// An engine that reads the LoRAs has read them from `styling`, of which the colours remain.
pub fn ignored(ignored: Vec<String>, request: Request<'_>) -> Vec<String> {
    if ignored.iter().any(|name| name == LORAS) {
        return ignored.into_iter().filter(|name| name != LORAS).collect();
    }
    let has_loras = !named(request).is_empty();
    let name = |name: String| match name == STYLING && has_loras {
        true => request.field("styling.colors").map(|_| "styling.colors".to_owned()),
        false => Some(name),
    };
    ignored.into_iter().filter_map(name).collect()
}

/// Returns whether an engine that ignores these fields applies LoRAs.
pub fn applies(ignored: &[String]) -> bool {
    let is_read = |field: &str| !ignored.iter().any(|name| name == field);
    is_read(LORAS) || is_read(STYLING)
}

/// Returns a request that names a LoRA in every way, to ask what an engine ignores of it.
pub fn sample() -> Input {
    let body = json!({STYLING: {}, LORAS: []});
    Input { operation: String::new(), model: None, body }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loras() -> Vec<Lora> {
        #[derive(Deserialize)]
        struct Family {
            loras: Vec<Lora>,
        }
        let text = "
            [[loras]]
            id = 1
            name = 'watercolor'
            type = 'style'
            preview = 'https://example.com/1.png'
            trigger = 'wtrclr'
            file = 'wc-v2.safetensors'
            scale = 0.8
            [[loras]]
            id = 2
            name = 'anna'
            type = 'character'
            preview = 'https://example.com/2.png'
            ";
        toml::from_str::<Family>(text).unwrap().loras
    }

    fn input(body: Value) -> Input {
        Input { operation: "createImagegen".to_owned(), model: None, body }
    }

    fn request(input: &Input) -> Request<'_> {
        Request { family: &family::IMAGEGEN, input: Some(input), work: None }
    }

    #[test]
    fn unknown_loras_are_refused_with_the_known_ones() {
        for (styling, field, reason) in [
            (json!({"styles": [{"name": "oil"}]}), "styling.styles[0].name", "must be one of watercolor"),
            (json!({"styles": [{"id": 2}]}), "styling.styles[0].id", "must be one of 1 (watercolor)"),
            (json!({"characters": [{"id": 1}]}), "styling.characters[0].id", "must be one of 2 (anna)"),
        ] {
            let input = input(json!({"styling": styling}));
            let expected = Refusal::new(field, reason);
            assert_eq!(refuse(&loras(), request(&input)), [expected]);
        }
        let none = input(json!({"styling": {"styles": [{"id": 1}]}}));
        assert!(refuse(&[], request(&none))[0].reason.contains("has no such LoRA"));
        let known = input(json!({"styling": {"styles": [{"id": 1}], "characters": [{"id": 2}]}}));
        assert_eq!(refuse(&loras(), request(&known)), []);
        assert_eq!(refuse(&loras(), request(&input(json!({"prompt": "a fox"})))), []);
    }

    #[test]
    fn templates_find_the_loras_of_a_request() {
        let styling = json!({"styles": [{"name": "watercolor", "strength": 50}], "colors": []});
        let given = input(json!({"prompt": "a fox", "styling": styling}));
        let with = with_loras(&loras(), request(&given)).unwrap();
        let expected = json!([{"id": 1, "name": "watercolor", "file": "wc-v2.safetensors", "trigger": "wtrclr", "strength": 0.4}]);
        assert_eq!(with.body[LORAS], expected);
        assert_eq!(with.body["prompt"], "a fox, wtrclr");
        assert_eq!(ignored(vec!["styling".to_owned()], request(&given)), ["styling.colors"]);
        let both = vec!["loras".to_owned(), "styling".to_owned()];
        assert_eq!(ignored(both, request(&given)), ["styling"]);
        let without = input(json!({"styling": {"colors": []}}));
        assert!(with_loras(&loras(), request(&without)).unwrap().body.get(LORAS).is_none());
        assert_eq!(ignored(vec!["styling".to_owned()], request(&without)), ["styling"]);
    }

    #[test]
    fn ids_and_names_are_unique() {
        let mut loras = loras();
        assert_eq!(check(&loras, &family::IMAGEGEN), Ok(()));
        assert!(check(&loras, &family::FAST_IMAGE).unwrap_err().to_string().contains("only `imagegen`"));
        loras[1].id = 1;
        assert!(check(&loras, &family::IMAGEGEN).unwrap_err().setting.ends_with("loras[1].id"));
    }
}
