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
    for recipe in RECIPES {
        let part = samples(&sound(recipe.name(), 2.0), 1);
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        assert!(mean.abs() < 0.003, "{}: DC offset {mean}", recipe.name());
        assert!(part.iter().all(|x| x.abs() <= 0.8901), "{}: clips", recipe.name());
        let power = (part.iter().map(|x| x * x).sum::<f64>() / part.len() as f64).sqrt();
        assert!(power > 0.008, "{}: {power} is almost silent", recipe.name());
    }
}

#[test]
fn each_recipe_loops_without_a_step() {
    let of_two = ["rain and wind".to_owned(), "distant bell".to_owned()];
    for text in RECIPES.iter().map(|recipe| recipe.name().to_owned()).chain(of_two) {
        for seed in 0..2 {
            let part = samples(&looped(&text, 1.37), seed);
            let inside = part.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
            let seam = (part[0] - part[part.len() - 1]).abs();
            assert!(seam <= inside, "{text}: step of {seam} across the seam, {inside} inside");
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
    assert!((peak("loud explosion") - 0.89).abs() < 0.01);
    assert!(peak("quiet wind") < 0.6);
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_others() {
    for text in ["thunder", "drops"] {
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
fn words_name_recipes_in_the_order_of_the_text() {
    let named = |text| recipes(&affirmed_words(text)).iter().map(|recipe| recipe.name()).collect::<Vec<_>>();
    assert_eq!(named("Heavy rain on a tin roof"), ["rain"]);
    assert_eq!(named("thunder and raining"), ["thunder", "rain"]);
    assert_eq!(named("rain without thunder"), ["rain"]);
    assert_eq!(named("ocean waves on the shore"), ["waves"]);
    for text in ["xyzzy", "雨", "???", "loud and heavy"] {
        assert!(named(text).is_empty(), "{text}");
    }
}

#[test]
fn a_text_that_names_no_sound_is_refused_with_the_known_sounds() {
    let refused = ProceduralSound.refuse(&sound("a marmot, privately", 0.5));
    let [refusal] = refused.as_slice() else { panic!("one refusal, not {refused:?}") };
    assert_eq!(refusal.parameter, "text");
    assert!(refusal.reason.contains("an attached engine"), "{}", refusal.reason);
    // Every name that the refusal shows is one that the engine takes.
    for recipe in RECIPES {
        assert!(refusal.reason.contains(recipe.name()), "{}", recipe.name());
        assert_eq!(ProceduralSound.refuse(&sound(recipe.name(), 0.5)), [], "{}", recipe.name());
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
