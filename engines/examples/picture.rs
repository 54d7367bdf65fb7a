//! Runs a picture engine without a service.
//!
//! `cargo run --release -p asset-engines --example picture -- upscale '{"scale_factor": 4}' in.jpg out.png`

use std::io::Seek as _;
use std::time::Instant;

use asset_engines::camera::{Camera, Photographer};
use asset_engines::describe::{Describe, Describer};
use asset_engines::expand::{Expand, Expander};
use asset_engines::film::{CameraMove, StillCamera};
use asset_engines::remove::{Masked, Remove, Remover};
use asset_engines::retouch::{Retouch, Retoucher};
use asset_engines::upscale::{Precision, PrecisionV2, Upscaler};
use asset_engines::{Engine, Job, Output, Parameters};

const KNOWN: &str = "camera, describe, expand, move, remove, retouch, upscale-v1, upscale";

type Anything = Result<(), Box<dyn std::error::Error>>;

fn main() -> Anything {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [engine, parameters, files @ .., result] = arguments.as_slice() else {
        return Err("usage: picture <engine> <parameters as JSON> <picture> [<mask>] <result>".into());
    };
    let files = files.iter().map(std::fs::read).collect::<Result<Vec<_>, _>>()?;
    let mut files = files.into_iter();
    let picture = files.next().ok_or("missing argument: picture")?;
    match engine.as_str() {
        "camera" => work::<Camera>(&Photographer, parameters, picture, result),
        "describe" => work::<Describe>(&Describer, parameters, picture, result),
        "expand" => work::<Expand>(&Expander, parameters, picture, result),
        "move" => work::<CameraMove>(&StillCamera, parameters, vec![picture], result),
        "remove" => {
            let mask = files.next().ok_or("missing argument: mask")?;
            work::<Remove>(&Remover, parameters, Masked { image: picture, mask }, result)
        }
        "retouch" => work::<Retouch>(&Retoucher, parameters, picture, result),
        "upscale-v1" => work::<Precision>(&Upscaler, parameters, picture, result),
        "upscale" => work::<PrecisionV2>(&Upscaler, parameters, picture, result),
        _ => Err(format!("unknown engine `{engine}`; known engines: {KNOWN}").into()),
    }
}

fn work<P: Parameters>(engine: &impl Engine<P>, parameters: &str, media: P::Media, result: &str) -> Anything {
    let parameters = serde_json::from_str(parameters)?;
    for refusal in engine.refuse(&parameters) {
        println!("{}: {}", refusal.parameter, refusal.reason);
    }
    let start = Instant::now();
    let outputs = engine.run(&parameters, media, &Job::with_seed(1))?;
    println!("{} took {:.2} s", engine.name(), start.elapsed().as_secs_f64());
    for output in outputs {
        match output {
            Output::File(file) => std::fs::write(result, file.bytes)?,
            Output::Long(mut file) => {
                file.content.rewind()?;
                std::io::copy(&mut file.content, &mut std::fs::File::create(result)?)?;
            }
            Output::Text(text) => println!("{text}"),
        }
    }
    Ok(())
}
