//! Checks that apps can run, when they are loaded and not at each run.

use asset_api_server::models::apps::{AppInput, AppInputType};
use serde_json::Value;

use super::{App, FilledMedia, FilledStep};
use crate::engine::Request;
use crate::engine::registry::Registry;
use crate::media::format::Kind;
use crate::tasks::submit::InvalidParam;

impl App {
    /// Checks that a run can complete, with default values and example inputs.
    ///
    /// Families that the settings have switched off are no error of the app: its runs then fail as calls of
    /// those families do.
    pub(super) fn check(&self, registry: &Registry) -> Result<(), String> {
        if self.steps.is_empty() {
            return Err("it has no steps".to_owned());
        }
        let given = self.inputs.iter().filter(|input| input.default.is_none()).map(example).collect();
        let steps = self.fill(&given).map_err(|invalid| told(&invalid))?;
        let mut made = Vec::new();
        for (number, step) in (1..).zip(&steps) {
            self.check_step(step, &made, registry).map_err(|why| format!("step {number}: {why}"))?;
            made.extend(step.work.makes());
        }
        Ok(())
    }

    /// Checks a step; `made` holds the kinds of files that the earlier steps make.
    fn check_step(
        &self,
        step: &FilledStep,
        made: &[Option<Kind>],
        registry: &Registry,
    ) -> Result<(), String> {
        let family = step.family.name;
        let Some(name) = registry.engine_name(step.family) else { return Ok(()) };
        let request = Request { family: step.family, input: None, work: Some(&step.work) };
        let engine = registry
            .engine(request)
            .ok_or_else(|| format!("engine `{name}` of `{family}` does not support this work"))?;
        let kinds = engine
            .kinds(request, step.media.len())
            .ok_or_else(|| format!("`{family}` does not take {} media", step.media.len()))?;
        for (media, kind) in step.media.iter().zip(kinds) {
            let FilledMedia::Made(place) = media else { continue };
            match made.get(*place) {
                Some(Some(made)) if *made == kind => {}
                Some(_) => return Err(format!("file {place} must be of kind `{}`", kind.name())),
                None => {
                    return Err(format!(
                        "unknown file {place}; the earlier steps make {}, numbered from 0",
                        made.len()
                    ));
                }
            }
        }
        // An example proves nothing about a parameter: clients give other values.
        let refusal = engine.refuse(request, &[]).into_iter().find(|refusal| {
            let filled_by = step.inputs.get(refusal.parameter.as_ref());
            !self.inputs.iter().any(|input| input.default.is_none() && Some(&input.id) == filled_by)
        });
        refusal.map_or(Ok(()), |refusal| {
            Err(format!("`{family}` rejects `{}`: {}", refusal.parameter, refusal.reason))
        })
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

fn told(invalid: &[InvalidParam]) -> String {
    invalid.iter().map(|param| format!("`{}`: {}", param.name, param.expected)).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::super::{Apps, FILE};
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
            let told = refused(PICTURE, &steps).unwrap_or_default();
            assert!(told.contains(why), "{told:?} does not say {why:?}");
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
        let told = refused(&number(r#", "default": 23"#), steps).unwrap_or_default();
        assert!(told.contains("`duration_seconds`"), "{told}");
        // The example value of a number is 1, which `num_inference_steps` does not accept.
        let icon = r#"{"family": "text-to-icon", "work": {"modality": "icon", "parameters": {"prompt": "cat", "num_inference_steps": "{in_1}"}}}"#;
        assert_eq!(refused(&number(""), icon), None);
    }
}
