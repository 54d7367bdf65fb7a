//! Whether an app could ever run: found out when apps are loaded, not at each run.

use asset_api_server::models::apps::{AppInput, AppInputType};
use serde_json::Value;

use super::{App, FilledMedia, FilledStep};
use crate::media::format::Kind;
use crate::tasks::registry::Registry;
use crate::tasks::submit::InvalidParam;

impl App {
    /// Whether a run can come to its end: with the app's defaults, and something for each input without one. Families
    /// that the settings have switched off are no fault of the app: its runs answer as those families do.
    pub(super) fn check(&self, registry: &Registry) -> Result<(), String> {
        if self.steps.is_empty() {
            return Err("it has no steps".to_owned());
        }
        let given = self.inputs.iter().filter(|input| input.default.is_none()).map(example).collect();
        let steps = self.fill(&given).map_err(|invalid| told(&invalid))?;
        let mut made = Vec::new();
        for (number, step) in (1..).zip(&steps) {
            self.check_step(step, &made, registry).map_err(|why| format!("step {number} {why}"))?;
            made.extend(step.work.makes());
        }
        Ok(())
    }

    /// `made`: what the steps before it have made.
    fn check_step(
        &self,
        step: &FilledStep,
        made: &[Option<Kind>],
        registry: &Registry,
    ) -> Result<(), String> {
        let family = step.family.name;
        let Some(name) = registry.engine_name(step.family) else { return Ok(()) };
        let engine = registry
            .engine(step.family, &step.work)
            .ok_or_else(|| format!("asks `{family}` for work that its engine `{name}` does not do"))?;
        let kinds = engine
            .media(step.media.len())
            .ok_or_else(|| format!("gives `{family}` {} media, which it does not take", step.media.len()))?;
        for (media, kind) in step.media.iter().zip(kinds) {
            let FilledMedia::Made(place) = media else { continue };
            match made.get(*place) {
                Some(Some(made)) if *made == kind => {}
                Some(_) => return Err(format!("takes file {place}, which is no {}", kind.name())),
                None => {
                    return Err(format!("takes file {place}, and the steps before it make {}", made.len()));
                }
            }
        }
        // What an example fills says nothing: clients give something else.
        let refusal = engine.refuse(&step.work).into_iter().find(|refusal| {
            let filled_by = step.inputs.get(refusal.parameter);
            !self.inputs.iter().any(|input| input.default.is_none() && Some(&input.id) == filled_by)
        });
        refusal.map_or(Ok(()), |refusal| {
            Err(format!("says of `{}` what `{family}` refuses: {}", refusal.parameter, refusal.reason))
        })
    }
}

/// A value that an input could be given.
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
    invalid.iter().map(|param| format!("`{}` {}", param.name, param.expected)).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::super::{Apps, FILE};
    use crate::tasks::registry::Registry;

    /// Why an app with these inputs and steps can't be loaded.
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
            (second("skin-enhancer", "1", retouch), "step 2 takes file 1, and the steps before it make 1"),
            (second("skin-enhancer", "0, 0", retouch), "step 2 gives `skin-enhancer` 2 media"),
            (second("skin-enhancer", "", retouch), "step 2 gives `skin-enhancer` 0 media"),
            (second("sound-effects", "", speech), "step 2 asks `sound-effects` for work that its engine"),
            (
                format!(
                    r#"{{"family": "voiceover", "work": {speech}}}, {{"family": "skin-enhancer", "media": [0], "work": {retouch}}}"#
                ),
                "step 2 takes file 0, which is no image",
            ),
            (
                second(
                    "skin-enhancer",
                    "0",
                    &retouch.replace("\"creative\"", "\"creative\", \"sharpen\": 101"),
                ),
                "step 2 says of `sharpen` what `skin-enhancer` refuses: must be from 0 to 100",
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
        // 1 is an example of a number, and no angle of 11 steps.
        let icon = r#"{"family": "text-to-icon", "work": {"modality": "icon", "parameters": {"prompt": "cat", "num_inference_steps": "{in_1}"}}}"#;
        assert_eq!(refused(&number(""), icon), None);
    }
}
