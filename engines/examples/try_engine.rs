//! Runs an engine by hand.
//!
//! `cargo run --release --example try_engine -- sound '{"text": "rain", "duration_seconds": 4}' [seed]`
//!
//! The example writes files to the current folder and prints texts.

use std::error::Error;
use std::io::Seek as _;
use std::time::Instant;

use asset_engines::compose::{Composer, Composition};
use asset_engines::film::{Animation, Animator};
use asset_engines::icon::{IconParameters, IconRetrieval};
use asset_engines::prompt::{PromptParameters, TemplateExpansion};
use asset_engines::sound::{ProceduralSound, SoundParameters};
use asset_engines::speech::{FormantSpeech, SpeechParameters};
use asset_engines::{Engine, Job, Output, Parameters};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [engine, parameters, rest @ ..] = arguments.as_slice() else {
        return Err("usage: try_engine <engine> <parameters as JSON> [<seed>]".into());
    };
    let seed = rest.first().map_or(Ok(1), |seed| seed.parse())?;
    match engine.as_str() {
        "animate" => tried::<Animation>(&Animator, parameters, seed),
        "compose" => tried::<Composition>(&Composer, parameters, seed),
        "icon" => tried::<IconParameters>(&IconRetrieval, parameters, seed),
        "prompt" => tried::<PromptParameters>(&TemplateExpansion, parameters, seed),
        "sound" => tried::<SoundParameters>(&ProceduralSound, parameters, seed),
        "speech" => tried::<SpeechParameters>(&FormantSpeech, parameters, seed),
        other => Err(format!(
            "unknown engine `{other}`; known engines: animate, compose, icon, prompt, sound, speech"
        )
        .into()),
    }
}

fn tried<P: Parameters<Media: Default>>(
    engine: &dyn Engine<P>,
    json: &str,
    seed: u64,
) -> Result<(), Box<dyn Error>> {
    let parameters = serde_json::from_str(json)?;
    for refusal in engine.refuse(&parameters) {
        eprintln!("refused: {}: {}", refusal.parameter, refusal.reason);
    }
    let start = Instant::now();
    let outputs = engine.run(&parameters, P::Media::default(), &Job::with_seed(seed))?;
    eprintln!("{} in {:?}", engine.name(), start.elapsed());
    for (index, output) in outputs.into_iter().enumerate() {
        match output {
            Output::Text(text) => println!("{text}"),
            Output::File(file) => {
                let name = format!("output-{index}.{}", file.extension);
                std::fs::write(&name, &file.bytes)?;
                eprintln!("{name}: {}, {} bytes", file.media_type, file.bytes.len());
            }
            Output::Long(mut file) => {
                let name = format!("output-{index}.{}", file.extension);
                file.content.rewind()?;
                let length = std::io::copy(&mut file.content, &mut std::fs::File::create(&name)?)?;
                eprintln!("{name}: {}, {length} bytes", file.media_type);
            }
        }
    }
    Ok(())
}
