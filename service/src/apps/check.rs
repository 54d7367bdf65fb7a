//! Checks that apps can run, when they are loaded and not at each run.

use asset_api_server::models::apps::{AppInput, AppInputType};
use serde_json::Value;

use super::{App, StepTemplate};
use crate::engine::registry::Registry;
use crate::engine::work::Work;
use crate::engine::{MediumContent, MediumRequest, Refusal, StepRequest};
use crate::media::format::Kind;

impl App {
    /// Checks that a run can complete, with default values and example inputs.
    ///
    /// Families that the settings have switched off are not an error of the app: its runs then fail as calls of
    /// those families do.
    pub(super) fn check(&self, registry: &Registry) -> Result<(), String> {
        if self.steps.is_empty() {
            return Err("it has no steps".to_owned());
        }
        let given = self.inputs.iter().filter(|input| input.default.is_none()).map(example).collect();
        let steps = self.fill(&given, registry).map_err(|invalid| joined(&invalid))?;
        let mut outputs = Vec::new();
        for (number, (template, step)) in (1..).zip(self.steps.iter().zip(&steps)) {
            let checked = self.check_step(template, step, &outputs, registry);
            checked.map_err(|why| format!("step {number}: {why}"))?;
            outputs.push(step.work.as_ref().map_or(step.family.makes, Work::makes));
        }
        Ok(())
    }

    /// Checks a step; `outputs` holds the kinds of the first files of the earlier steps.
    fn check_step(
        &self,
        template: &StepTemplate,
        step: &StepRequest,
        outputs: &[Option<Kind>],
        registry: &Registry,
    ) -> Result<(), String> {
        let family = step.family.name;
        self.refuse(step, &step.violations)?;
        let Some(name) = registry.engine_name(step.family) else { return Ok(()) };
        let engine = registry.engine(step.request()).ok_or_else(|| match (&step.work, &template.input) {
            (Some(_), _) => match registry.built_in_name(step.family).or(registry.default_engine(step.family)) {
                Some(name) => format!("engine `{name}` of `{family}` does not support this work"),
                None => format!("`{family}` has no built-in engine: the step needs `input`"),
            },
            (None, None) => "it needs `input` for an attached engine, or `work` for a built-in one".to_owned(),
            (None, Some(_)) => match registry.with(step.family) {
                [] => format!("engine `{name}` of `{family}` is a built-in one, which needs `work`"),
                with => format!(
                    "engine `{name}` of `{family}` needs one of the fields {} in `input`; a built-in one needs `work`",
                    with.join(", ")
                ),
            },
        })?;
        if let Some(input) = &step.input
            && !registry.has_model(step.family, input.model.as_deref())
        {
            let models = registry.models(step.family).join(", ");
            return Err(format!("the models of `{family}` are: {models}"));
        }
        if step.work.is_some() && engine.kinds(step.request(), step.media.len()).is_none() {
            return Err(format!("`{family}` does not take {} media", step.media.len()));
        }
        step.media.iter().try_for_each(|medium| check_output(medium, outputs))?;
        self.refuse(step, &engine.refuse(step.request(), &[]))
    }

    /// Returns the first of these refused parameters as an error, unless clients set it.
    ///
    /// An example proves nothing about a parameter: clients give other values.
    fn refuse<'r>(
        &self,
        step: &StepRequest,
        refused: impl IntoIterator<Item = &'r Refusal>,
    ) -> Result<(), String> {
        let is_set = |refusal: &Refusal| {
            let filled_by = step.inputs.get(refusal.parameter.as_ref());
            self.inputs.iter().any(|input| input.default.is_none() && Some(&input.id) == filled_by)
        };
        match refused.into_iter().find(|refusal| !is_set(refusal)) {
            None => Ok(()),
            Some(Refusal { parameter, reason }) => {
                Err(format!("`{}` rejects `{parameter}`: {reason}", step.family.name))
            }
        }
    }
}

/// Checks that an earlier step outputs this medium, unless an input provides it.
fn check_output(medium: &MediumRequest, outputs: &[Option<Kind>]) -> Result<(), String> {
    let MediumContent::Output(step) = &medium.content else { return Ok(()) };
    let kind = medium.expected.kind;
    match outputs.get(*step) {
        Some(Some(outputs)) if *outputs == kind => Ok(()),
        Some(_) => Err(format!("file {step} must be of kind `{}`", kind.name())),
        None => {
            Err(format!("unknown file {step}; the earlier steps make {}, numbered from 0", outputs.len()))
        }
    }
}

/// Returns an example value for an input.
fn example(input: &AppInput) -> (String, Value) {
    let value = match &input.r#type {
        AppInputType::Number => Value::from(1),
        AppInputType::Select => {
            Value::from(input.options.iter().flatten().next().cloned().unwrap_or_default())
        }
        _ => Value::from("https://example.com/"),
    };
    (input.id.clone(), value)
}

fn joined(invalid: &[Refusal]) -> String {
    let shown = invalid.iter().map(|Refusal { parameter, reason }| format!("`{parameter}`: {reason}"));
    shown.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::{Apps, FILE};
    use crate::engine::environment::Environment;
    use crate::engine::registry::Registry;

    /// Returns the error of loading an app with these inputs and steps.
    fn refused(inputs: &str, steps: &str) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let app = format!(r#"[{{"sqid": "a", "name": "A", "inputs": [{inputs}], "steps": [{steps}]}}]"#);
        std::fs::write(folder.path().join(FILE), app).unwrap();
        Apps::load(folder.path(), &Registry::default()).err().map(|error| error.to_string())
    }

    const PICTURE: &str =
        r#"{"id": "in_1", "key": "picture", "type": "creation", "label": "L", "required": true}"#;
    const FIRST: &str = r#"{"family": "image-upscaler-precision", "media": ["{in_1}"], "work": {"modality": "upscale", "parameters": {}}}"#;

    #[test]
    fn apps_that_fail_at_each_run_are_not_loaded() {
        let second = |family: &str, media: &str, work: &str| {
            format!(r#"{FIRST}, {{"family": "{family}", "media": [{media}], "work": {work}}}"#)
        };
        let retouch = r#"{"modality": "retouch", "parameters": {"mode": "creative"}}"#;
        assert_eq!(refused(PICTURE, &second("skin-enhancer", "0", retouch)), None);
        let speech = r#"{"modality": "speech", "parameters": {"text": "a", "voice_id": "v"}}"#;
        for (steps, why) in [
            (
                second("skin-enhancer", "1", retouch),
                "step 2: unknown file 1; the earlier steps make 1, numbered from 0",
            ),
            (second("skin-enhancer", "0, 0", retouch), "step 2: `skin-enhancer` does not take 2 media"),
            (second("skin-enhancer", "", retouch), "step 2: `skin-enhancer` does not take 0 media"),
            (
                second("sound-effects", "", speech),
                "step 2: engine `procedural-sound` of `sound-effects` does not support this work",
            ),
            (
                format!(
                    r#"{{"family": "voiceover", "work": {speech}}}, {{"family": "skin-enhancer", "media": [0], "work": {retouch}}}"#
                ),
                "step 2: file 0 must be of kind `image`",
            ),
            (
                second(
                    "skin-enhancer",
                    "0",
                    &retouch.replace("\"creative\"", "\"creative\", \"sharpen\": 101"),
                ),
                "step 2: `skin-enhancer` rejects `sharpen`: must be from 0 to 100",
            ),
        ] {
            let message = refused(PICTURE, &steps).unwrap_or_default();
            assert!(message.contains(why), "{message:?} does not say {why:?}");
        }
    }

    /// Returns the error of loading an app with these steps where a provider serves lip-sync and voiceover.
    fn refused_with_provider(steps: &str) -> Option<String> {
        let engines = toml::from_str("[p]\nkind = 'http'\npreset = 'fal'\n");
        let families = toml::from_str(
            "[lip-sync]\nengine = 'p'\nmodel = 'a/b'\ninput = { a = '{{ media.audio_url }}' }\n\
             [image-to-video]\nengine = 'p'\nwith = ['video_url']\nmodel = 'a/d'\ninput = { v = '{{ media.video_url }}' }\n\
             [voiceover]\nengine = 'p'\nmodel = 'a/c'\ninput = { v = '{{ voice }}' }\nvoices = { anna = 'x' }\n\
             limits = { text = { max-length = 5 } }",
        );
        let environment = Environment::on_this_machine();
        let registry =
            Registry::new(&engines.unwrap(), &families.unwrap(), &BTreeMap::new(), &environment).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let app = format!(r#"[{{"sqid": "a", "name": "A", "inputs": [{PICTURE}], "steps": [{steps}]}}]"#);
        std::fs::write(folder.path().join(FILE), app).unwrap();
        match Apps::load(folder.path(), &registry) {
            Ok(apps) => {
                let offered = |id: &str| apps.find("AAAA0001", id).is_some();
                assert!(!offered("nArr8d"), "a built-in app whose voice the engine has not");
                assert!(offered("eN1rge") && offered("a"));
                None
            }
            Err(error) => Some(error.to_string()),
        }
    }

    #[test]
    fn steps_of_attached_engines_are_requests_of_the_api() {
        let speech = |more: &str| {
            format!(r#"{{"family": "voiceover", "input": {{"text": "hello", "voice_id": "anna"{more}}}}}"#)
        };
        let lips = |more: &str| {
            format!(
                r#"{}, {{"family": "lip-sync", "input": {{"image_url": "{{in_1}}", "audio_url": 0}}{more}}}"#,
                speech("")
            )
        };
        assert_eq!(refused_with_provider(&lips("")), None);
        let work = r#"{"modality": "speech", "parameters": {"text": "a", "voice_id": "v"}}"#;
        for (steps, why) in [
            (speech(r#", "speed": 9"#), "step 1: `voiceover` rejects `speed`: must be at most 1.2"),
            (speech(r#", "sped": 1"#), "step 1: `voiceover` rejects `sped`: is not a known field"),
            (
                speech("").replace("hello", "hello!"),
                "step 1: `voiceover` rejects `text`: must have at most 5",
            ),
            (
                speech("").replace("anna", "narrator"),
                "step 1: `voiceover` rejects `voice_id`: must be one of anna",
            ),
            (lips(r#", "model": "big""#), "step 2: the models of `lip-sync` are: standard"),
            (lips("").replace("\"{in_1}\"", "0"), "step 2: file 0 must be of kind `image`"),
            (lips("").replace(": 0", ": 1"), "step 2: unknown file 1"),
            (lips(r#", "operation": "create_lips""#), "`steps`: `operation` must be one of create_lip_sync"),
            (
                r#"{"family": "skin-enhancer", "input": {"image": "{in_1}"}}"#.to_owned(),
                "`operation` must be one of enhance_skin_creative, enhance_skin_faithful, enhance_skin_flexible",
            ),
            (
                r#"{"family": "image-to-prompt", "input": {"image": "{in_1}"}}"#.to_owned(),
                "engine `measured-description` of `image-to-prompt` is a built-in one, which needs `work`",
            ),
            (r#"{"family": "image-to-prompt"}"#.to_owned(), "step 1: it needs `input`"),
            (
                r#"{"family": "image-to-video", "input": {"start_image_url": "{in_1}"}}"#.to_owned(),
                "engine `p` of `image-to-video` needs one of the fields video_url in `input`; a built-in one needs `work`",
            ),
            (
                format!(r#"{{"family": "image-to-video", "work": {work}}}"#),
                "engine `still-camera` of `image-to-video` does not support this work",
            ),
            (
                format!(r#"{{"family": "lip-sync", "work": {work}}}"#),
                "`lip-sync` has no built-in engine: the step needs `input`",
            ),
        ] {
            let message = refused_with_provider(&steps).unwrap_or_default();
            assert!(message.contains(why), "{message:?} does not say {why:?}");
        }
    }

    #[test]
    fn defaults_are_checked_and_examples_are_not() {
        let number = |default: &str| {
            format!(
                r#"{{"id": "in_1", "key": "n", "type": "number", "label": "L", "required": true{default}}}"#
            )
        };
        let steps = r#"{"family": "sound-effects", "work": {"modality": "sound", "parameters": {"text": "rain", "duration_seconds": "{in_1}", "prompt_influence": 0.5}}}"#;
        assert_eq!(refused(&number(""), steps), None);
        assert_eq!(refused(&number(r#", "default": 22"#), steps), None);
        let message = refused(&number(r#", "default": 23"#), steps).unwrap_or_default();
        assert!(message.contains("`duration_seconds`"), "{message}");
        // The example value of a number is 1, which `num_inference_steps` does not accept.
        let icon = r#"{"family": "text-to-icon", "work": {"modality": "icon", "parameters": {"prompt": "cat", "num_inference_steps": "{in_1}"}}}"#;
        assert_eq!(refused(&number(""), icon), None);
    }
}
