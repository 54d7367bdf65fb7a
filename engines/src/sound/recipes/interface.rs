//! Interfaces: clicks, beeps, chimes and alarms.

use super::{RATE_F, Recipe, recipe, sine, soft, square, triangle, wander};
use crate::sound::canvas::Canvas;
use crate::sound::character::Character;

pub(super) static RECIPES: &[Recipe] = &[
    recipe("click", "click mouse button tap toggle ui", "interface select press menu user", click),
    recipe("typing", "typing keyboard typewriter type keystroke", "computer office key", typing),
    recipe("beep", "beep bleep blip countdown", "computer electronic device signal interface alert", beep),
    recipe(
        "notification",
        "notification chime ding message popup alert ping",
        "interface phone app bell",
        notification,
    ),
    recipe(
        "success",
        "success correct complete win achievement confirm",
        "interface positive reward",
        success,
    ),
    recipe("error", "error wrong fail failure denied buzzer incorrect", "interface negative", error),
    recipe(
        "alarm",
        "alarm siren+alarm warning emergency red+alert smoke+detector",
        "danger clock evacuation",
        alarm,
    ),
    recipe("siren", "siren police ambulance firetruck", "emergency city chase", siren),
    recipe("telephone", "telephone phone+ring ringtone dial phone", "call office ring", telephone),
    recipe("camera", "camera shutter photo snapshot", "picture", camera),
    recipe("pop", "pop cork plop pluck+pop", "interface cartoon bubble", pop),
];

fn groups(canvas: &mut Canvas, character: &Character, of: usize, step: f64, pause: f64) -> Vec<f64> {
    let count = character.count.unwrap_or(of);
    let step = step / character.rate;
    let starts = canvas.again(count as f64 * step + pause / character.rate);
    starts.iter().flat_map(|start| (0..count).map(move |index| start + index as f64 * step)).collect()
}

fn click(canvas: &mut Canvas, character: &Character) {
    for at in groups(canvas, character, 1, 0.22, 0.9) {
        for (delay, gain) in [(0.0, 1.0), (0.06, 0.45)] {
            let pitch = 2400.0 * character.pitch;
            canvas.strike(
                at + delay,
                gain,
                &[(pitch, 0.014, 1.0), (pitch * 1.9, 0.008, 0.6), (pitch * 0.4, 0.02, 0.5)],
            );
            canvas.burst(at + delay, gain * 0.6, 0.0002, 0.004, 6000.0 * character.brightness, 0.7);
        }
    }
}

fn typing(canvas: &mut Canvas, character: &Character) {
    let mut pace = wander(canvas, 1.2);
    let mut at = 0.02;
    while at < canvas.duration - 0.03 {
        let key = canvas.random.range(0.8, 1.25) * character.pitch;
        let level = canvas.random.range(0.5, 1.0);
        canvas.burst(at, 0.5 * level, 0.0004, 0.016, 3000.0 * key * character.brightness, 1.2);
        canvas.strike(at, 0.6 * level, &[(430.0 * key, 0.03, 1.0), (1250.0 * key, 0.02, 0.6)]);
        canvas.burst(at + 0.07, 0.18 * level, 0.0004, 0.01, 4200.0 * key, 1.2);
        // `pace` moves with every sample, so advance it by about a tenth of a second.
        for _ in 0..4000 {
            pace.next();
        }
        at += (0.15 + 0.09 * pace.next()) * canvas.random.range(0.7, 1.3) / character.rate;
    }
}

fn beep(canvas: &mut Canvas, character: &Character) {
    for at in groups(canvas, character, 2, 0.28, 0.7) {
        canvas.tone(at, 0.13 * character.decay.min(1.8), 0.8, 1000.0 * character.pitch, soft);
    }
}

fn bell_tone(canvas: &mut Canvas, character: &Character, at: f64, pitch: f64, decay: f64) {
    let (pitch, decay) = (pitch * character.pitch, decay * character.decay);
    canvas.strike(
        at,
        0.7,
        &[
            (pitch, decay, 1.0),
            (pitch * 2.0, decay * 0.6, 0.35),
            (pitch * 3.0, decay * 0.35, 0.18),
            (pitch * 4.2, decay * 0.2, 0.1),
        ],
    );
}

fn notification(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(2.6 / character.rate) {
        for (delay, pitch) in [(0.0, 880.0), (0.13, 1318.5)] {
            bell_tone(canvas, character, at + delay / character.rate, pitch, 1.1);
        }
    }
}

fn success(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(2.8 / character.rate) {
        for (index, pitch) in [523.25, 659.25, 783.99, 1046.5].into_iter().enumerate() {
            bell_tone(canvas, character, at + index as f64 * 0.09 / character.rate, pitch, 0.9);
        }
    }
}

fn error(canvas: &mut Canvas, character: &Character) {
    for at in groups(canvas, character, 2, 0.2, 1.2) {
        for pitch in [155.6, 146.8] {
            canvas.tone(at, 0.15 * character.decay.min(1.5), 0.45, pitch * character.pitch, square);
        }
    }
}

fn alarm(canvas: &mut Canvas, character: &Character) {
    for (index, at) in canvas.rhythm(0.25 / character.rate, 0.0).into_iter().enumerate() {
        if at + 0.22 / character.rate > canvas.duration {
            break;
        }
        let pitch = if index % 2 == 0 { 960.0 } else { 770.0 } * character.pitch;
        canvas.tone(at, 0.235 / character.rate, 0.7, pitch, square);
    }
}

fn siren(canvas: &mut Canvas, character: &Character) {
    let mut phase = 0.0;
    // A whole number of turns, so that the sound loops seamlessly.
    let turns = (canvas.duration * 0.35 * character.rate).round().max(1.0) / canvas.duration;
    canvas.bed(|t, _| {
        let swing = 0.5 - 0.5 * (std::f64::consts::TAU * t * turns).cos();
        phase += (480.0 + 820.0 * swing) * character.pitch / RATE_F;
        square(phase) * 0.5 + triangle(phase) * 0.3
    });
}

fn telephone(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(3.0 / character.rate) {
        let pitches = [1110.0 * character.pitch, 1385.0 * character.pitch];
        let length = 1.25 / character.rate;
        for index in 0..(length * 22.0) as usize {
            let blow = at + index as f64 / 22.0;
            let pitch = pitches.get(index % 2).copied().unwrap_or(1110.0);
            canvas.strike(
                blow,
                0.5,
                &[(pitch, 0.25 * character.decay, 1.0), (pitch * 2.71, 0.15, 0.5), (pitch * 5.2, 0.08, 0.25)],
            );
        }
    }
}

fn camera(canvas: &mut Canvas, character: &Character) {
    for at in groups(canvas, character, 1, 0.35, 1.4) {
        for (delay, gain, pitch) in [(0.0, 0.8, 1.0), (0.075, 1.0, 0.8)] {
            let at = at + delay / character.rate;
            let pitch = 1500.0 * pitch * character.pitch;
            canvas.burst(at, gain, 0.0006, 0.03, pitch * 2.0 * character.brightness, 0.8);
            canvas.strike(at, gain * 0.4, &[(pitch, 0.03, 1.0), (pitch * 2.6, 0.02, 0.7)]);
        }
        canvas.burst(at + 0.02, 0.2, 0.02, 0.06, 5200.0 * character.brightness, 1.0);
    }
}

fn pop(canvas: &mut Canvas, character: &Character) {
    for at in groups(canvas, character, 1, 0.3, 0.9) {
        canvas.glide(
            at,
            0.07 * character.decay,
            1.0,
            (320.0 * character.pitch, 1150.0 * character.pitch),
            sine,
        );
        canvas.burst(at, 0.25, 0.0004, 0.012, 2500.0 * character.brightness, 0.8);
    }
}
