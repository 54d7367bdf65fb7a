//! Tests for all sounds: length, level, seam, and the effect of words.

use super::*;

fn wav(parameters: &SoundParameters, seed: u64) -> Vec<u8> {
    let outputs = ProceduralSound.run(parameters, (), &Job::with_seed(seed)).unwrap();
    match outputs.as_slice() {
        [Output::File(file)] => file.bytes.clone(),
        other => panic!("one file, not {other:?}"),
    }
}

fn samples(parameters: &SoundParameters, seed: u64) -> Vec<f64> {
    let bytes = wav(parameters, seed);
    let mut reader = hound::WavReader::new(bytes.as_slice()).unwrap();
    assert_eq!(
        reader.spec(),
        hound::WavSpec {
            channels: 1,
            sample_rate: 44_100,
            bits_per_sample: 16,
            sample_format: hound::SampleFormat::Int
        }
    );
    reader.samples::<i16>().map(|sample| f64::from(sample.unwrap()) / 32768.0).collect()
}

fn sound(text: &str, seconds: f64) -> SoundParameters {
    SoundParameters::new(text, seconds)
}

fn looped(text: &str, seconds: f64) -> SoundParameters {
    SoundParameters { looped: true, ..sound(text, seconds) }
}

/// Counts zero crossings per second, a rough measure of pitch.
fn crossings(samples: &[f64]) -> f64 {
    let count = samples.windows(2).filter(|pair| (pair[0] < 0.0) != (pair[1] < 0.0)).count();
    count as f64 / samples.len() as f64 * 44_100.0
}

#[test]
fn each_recipe_is_heard_without_clipping_or_direct_current() {
    for recipe in recipes::all() {
        let mut canvas = Canvas::new(2 * RATE as usize, Random::new(1));
        (recipe.render)(&mut canvas, &Character::default());
        let mut part = canvas.finish(&Character::default(), false);
        normalise(&mut part, 0.89);
        let mean = part.iter().map(|x| f64::from(*x)).sum::<f64>() / part.len() as f64;
        assert!(mean.abs() < 0.003, "{}: DC offset {mean}", recipe.name);
        assert!(part.iter().all(|x| x.is_finite() && x.abs() <= 0.8901), "{}: clips", recipe.name);
        assert!(rms(&part) > 0.008, "{}: {} is almost silent", recipe.name, rms(&part));
    }
}

#[test]
fn each_recipe_loops_without_a_step() {
    for recipe in recipes::all() {
        for seed in 0..2 {
            let mut canvas = Canvas::new((1.37 * f64::from(RATE)) as usize, Random::new(seed));
            (recipe.render)(&mut canvas, &Character::default());
            let part = canvas.finish(&Character::default(), true);
            let inside = part.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
            let seam = (part[0] - part[part.len() - 1]).abs();
            assert!(seam <= inside, "{}: step of {seam} across the seam, {inside} inside", recipe.name);
        }
    }
}

#[test]
fn a_sound_has_exactly_its_length() {
    for (seconds, length) in [(0.5, 22_050), (1.0, 44_100), (3.333, 146_985), (22.0, 970_200)] {
        assert_eq!(samples(&sound("rain", seconds), 1).len(), length);
        assert_eq!(samples(&looped("a bell rings", seconds), 1).len(), length);
    }
}

#[test]
fn the_peak_is_where_it_is_meant_to_be() {
    let peak = |text| samples(&sound(text, 1.0), 3).iter().fold(0.0f64, |peak, x| peak.max(x.abs()));
    assert!((peak("wind") - 0.89).abs() < 0.01);
    assert!((peak("harsh loud explosion") - 0.89).abs() < 0.01);
    assert!(peak("quiet wind") < 0.6);
}

#[test]
fn a_loop_goes_on_at_the_seam() {
    for text in ["rain and wind", "engine", "church bell", "harsh distant siren", "something nameless"] {
        let samples = samples(&looped(text, 1.5), 9);
        let inside = samples.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
        let seam = (samples[0] - samples[samples.len() - 1]).abs();
        assert!(seam <= inside, "{text}: {seam} > {inside}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_others() {
    for text in ["thunder", "glass breaking"] {
        assert_eq!(wav(&sound(text, 0.7), 5), wav(&sound(text, 0.7), 5));
        assert_ne!(wav(&sound(text, 0.7), 5), wav(&sound(text, 0.7), 6));
    }
}

#[test]
fn adjectives_are_heard_and_the_influence_says_how_much() {
    let pitch = |text: &str, influence| {
        crossings(&samples(&SoundParameters { prompt_influence: influence, ..sound(text, 1.0) }, 1))
    };
    assert!(pitch("low beep", 1.0) < pitch("beep", 1.0));
    assert!(pitch("high beep", 1.0) > pitch("beep", 1.0));
    assert!(pitch("high beep", 1.0) > pitch("high beep", 0.2));
    assert_eq!(pitch("high beep", 0.0), pitch("beep", 0.0));
    assert!(
        crossings(&samples(&sound("distant rain", 1.0), 1))
            < crossings(&samples(&sound("rain", 1.0), 1)) / 2.0
    );
}

#[test]
fn a_number_in_the_text_is_counted() {
    let onsets = |text: &str| {
        let parameters = SoundParameters { prompt_influence: 1.0, ..sound(text, 2.0) };
        let samples = samples(&parameters, 1);
        let loud: Vec<bool> = samples.chunks(441).map(|part| part.iter().any(|x| x.abs() > 0.3)).collect();
        loud.windows(2).filter(|pair| !pair[0] && pair[1]).count() + usize::from(loud[0])
    };
    assert_eq!(onsets("four knocks on the door"), 4);
    assert_eq!(onsets("two knocks on the door"), 2);
}

#[test]
fn a_text_that_names_no_sound_is_refused_with_what_can_be_named() {
    let refused = ProceduralSound.refuse(&sound("a marmot, privately", 0.5));
    let [refusal] = refused.as_slice() else { panic!("one refusal, not {refused:?}") };
    assert_eq!(refusal.parameter, "text");
    assert!(refusal.reason.contains("rain") && refusal.reason.contains("applause"), "{}", refusal.reason);
    // Every name that the refusal tells is one that the engine takes.
    for recipe in recipes::all() {
        let called = recipe.called().unwrap();
        assert!(refusal.reason.contains(&called), "{called}");
        assert_eq!(ProceduralSound.refuse(&sound(&called, 0.5)), [], "{called}");
    }
}

#[test]
fn a_cancelled_job_ends() {
    let job = Job::new(1, std::sync::Arc::new(true.into()));
    assert_eq!(ProceduralSound.run(&sound("rain", 1.0), (), &job), Err(Failure::Cancelled));
}

#[test]
fn parameters_have_the_defaults_and_names_of_the_wire() {
    let stored = r#"{"text":"rain","duration_seconds":2.0,"loop":true}"#;
    let parameters: SoundParameters = serde_json::from_str(stored).unwrap();
    assert_eq!(parameters, looped("rain", 2.0));
}
