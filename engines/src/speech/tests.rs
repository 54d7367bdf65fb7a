//! Tests for all speech: length, level, and the effect of each parameter.

use std::io::Seek as _;

use super::*;

fn wav(parameters: &SpeechParameters, seed: u64) -> Vec<u8> {
    match FormantSpeech.run(parameters, (), &Job::with_seed(seed)).unwrap().as_slice() {
        [Output::File(file)] => file.bytes.clone(),
        other => panic!("one file, not {other:?}"),
    }
}

fn samples(parameters: &SpeechParameters) -> Vec<f64> {
    let bytes = wav(parameters, 1);
    let mut reader = hound::WavReader::new(bytes.as_slice()).unwrap();
    assert_eq!(
        (reader.spec().channels, reader.spec().sample_rate, reader.spec().bits_per_sample),
        (1, 22_050, 16)
    );
    reader.samples::<i16>().map(|sample| f64::from(sample.unwrap()) / 32768.0).collect()
}

fn say(text: &str) -> SpeechParameters {
    SpeechParameters { similarity_boost: 1.0, ..SpeechParameters::new(text, "anna") }
}

fn rms(samples: &[f64]) -> f64 {
    (samples.iter().map(|x| x * x).sum::<f64>() / samples.len() as f64).sqrt()
}

#[test]
fn a_sentence_is_heard_and_does_not_clip() {
    let samples = samples(&say("The quick brown fox jumps over the lazy dog."));
    let seconds = samples.len() as f64 / 22_050.0;
    assert!((2.0..4.5).contains(&seconds), "{seconds} s");
    let peak = samples.iter().fold(0.0f64, |peak, x| peak.max(x.abs()));
    assert!((0.3..0.98).contains(&peak), "{peak}");
    assert!(rms(&samples) > 0.04, "{}", rms(&samples));
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    assert!(mean.abs() < 0.01, "{mean}");
}

#[test]
fn faster_is_shorter_each_step() {
    let lengths: Vec<usize> = [0.7, 0.8, 0.9, 1.0, 1.1, 1.2]
        .into_iter()
        .map(|speed| samples(&SpeechParameters { speed, ..say("Good morning, how are you today?") }).len())
        .collect();
    assert!(lengths.windows(2).all(|pair| pair[0] > pair[1]), "{lengths:?}");
}

#[test]
fn every_parameter_is_heard() {
    let plain = wav(&say("hello"), 1);
    for other in [
        SpeechParameters { voice_id: "bert".into(), ..say("hello") },
        SpeechParameters { stability: 0.9, ..say("hello") },
        SpeechParameters { similarity_boost: 0.1, ..say("hello") },
        SpeechParameters { speed: 1.1, ..say("hello") },
        SpeechParameters { use_speaker_boost: false, ..say("hello") },
        say("hallo"),
    ] {
        assert_ne!(wav(&other, 1), plain, "{other:?}");
    }
    let refusals = FormantSpeech.refuse(&SpeechParameters { model: "other".into(), ..say("hello") });
    assert_eq!(refusals.len(), 1);
    assert_eq!(refusals[0].parameter, "model");
    assert!(FormantSpeech.refuse(&say("hello")).is_empty());
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_others() {
    assert_eq!(wav(&say("hello world"), 7), wav(&say("hello world"), 7));
    assert_ne!(wav(&say("hello world"), 7), wav(&say("hello world"), 8));
}

/// Returns the length that the engine plans for a speech, in samples.
fn planned(parameters: &SpeechParameters) -> Option<usize> {
    let manners = manners(parameters, &voice::voice(parameters, 1));
    frames(parameters, manners, &Job::with_seed(0)).unwrap().map(|frames| frames * FRAME)
}

#[test]
fn the_longest_text_is_accepted() {
    let text = "A text of forty thousand characters, they say, is long. ".repeat(800);
    let text: String = text.chars().take(MAX_CHARACTERS).collect();
    let parameters = SpeechParameters { speed: 1.2, ..say(&text) };
    assert!(FormantSpeech.refuse(&parameters).is_empty());
    let minutes = planned(&parameters).unwrap() as f64 / f64::from(RATE) / 60.0;
    assert!((25.0..60.0).contains(&minutes), "{minutes}");
}

#[test]
fn any_text_is_accepted() {
    for text in
        ["!", " ", "雨が降る", "🙂🙂", "\u{0}\u{1}", "Ünïcödé façade", "ÀÉÎ", "ﷺ", "a", "'", "1/0 -- 2", "I"]
    {
        let samples = samples(&say(text));
        assert!(samples.len() >= MIN_SAMPLES && samples.iter().all(|x| x.is_finite()), "{text}");
    }
}

/// Returns a text that takes more than five minutes to say, and little to write.
fn long() -> SpeechParameters {
    SpeechParameters { speed: 0.7, ..say(&"77,777 ".repeat(80)) }
}

#[test]
fn a_long_speech_is_compressed_on_disk() {
    let outputs = FormantSpeech.run(&long(), (), &Job::with_seed(1)).unwrap();
    let [Output::Long(file)] = outputs.as_slice() else { panic!("one long file, not {outputs:?}") };
    let mut content = file.content.clone();
    assert_eq!(file.extension, "flac");
    let length = content.length().unwrap();
    content.rewind().unwrap();
    // The verification decodes the file and compares the checksum of its samples.
    assert_eq!(
        flac_codec::decode::verify_reader(&mut content).unwrap(),
        flac_codec::decode::Verified::MD5Match
    );
    content.rewind().unwrap();
    let mut samples = Vec::new();
    flac_codec::decode::FlacSampleReader::new(content).unwrap().read_to_end(&mut samples).unwrap();
    // Its sentences are spoken one by one, like those of any longer text, and the last one is there.
    assert_eq!(Some(samples.len()), planned(&long()));
    assert!(samples.len() > MAX_IN_WAV && (length as f64) < samples.len() as f64 * 2.0 * 0.7, "{length}");
    let tail = &samples[samples.len() - 100_000..];
    let tail: Vec<f64> = tail.iter().map(|sample| f64::from(*sample) / 32768.0).collect();
    assert!(rms(&tail) > 0.03, "the end is silent");
}

#[test]
fn a_long_speech_ends_at_the_maximum_size_and_when_it_is_cancelled() {
    let outcome = FormantSpeech.run(&long(), (), &Job::with_seed(1).at_most(100_000));
    assert_eq!(outcome, Err(Failure::too_large()));
    let job = Job::new(1, std::sync::Arc::new(true.into()));
    assert_eq!(FormantSpeech.run(&long(), (), &job), Err(Failure::Cancelled));
}

#[test]
fn a_cancelled_job_ends() {
    let job = Job::new(1, std::sync::Arc::new(true.into()));
    assert_eq!(FormantSpeech.run(&say("hello"), (), &job), Err(Failure::Cancelled));
}

#[test]
fn parameters_have_the_defaults_and_names_of_the_wire() {
    let parameters: SpeechParameters = serde_json::from_str(r#"{"text":"hello","voice_id":"anna"}"#).unwrap();
    assert_eq!(parameters, SpeechParameters::new("hello", "anna"));
}

/// Returns the seconds that it takes to say this as slowly as possible.
fn seconds(text: &str) -> f64 {
    let parameters = SpeechParameters { speed: 0.7, ..say(text) };
    let manners = manners(&parameters, &voice::voice(&parameters, 0));
    let frames = frames(&parameters, manners, &Job::with_seed(0)).unwrap().unwrap();
    frames as f64 / prosody::FRAMES
}

#[test]
fn no_character_takes_two_seconds() {
    let characters = (' '..='\u{2fff}').filter(|character| !character.is_control()).step_by(3);
    let signs = "0123456789WX%$€£½¾°&@#+=<>*/^~|\\_{}[]'\"ßæøñжщωψ中あ한";
    for character in signs.chars().chain(characters) {
        for pattern in ["{}", "{} ", "{}. ", "{}\n\n", "1{}", "{}1 ", "a{} ", "$1{} ", "{}%"] {
            let text = pattern.replace("{}", &character.to_string()).repeat(12);
            let each = seconds(&text) / text.chars().count() as f64;
            assert!(each < 1.9, "{text:?} takes {each} s for each character");
        }
    }
}
