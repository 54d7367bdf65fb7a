//! Camera moves over a still, chosen by the words of a prompt or by chance.

use super::frame::{Plate, Window};
use crate::picture::smooth;
use crate::random::Random;
use crate::words::words;

/// A camera move over a still.
///
/// One end shows the whole still, the other end a part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Move {
    /// The fraction of each side that is cut off at the narrow end.
    narrow: f32,
    /// The horizontal and the vertical position of the part, from -1 (left, top) to 1 (right, bottom).
    toward: (f32, f32),
    /// Whether the move starts at the narrow end.
    out: bool,
}

const OUT: &str = "out away back backward backwards fuera arrière zurück heraus indietro";
const CAMERA: &str =
    "zoom zooms zooming pull pulls pulling dolly dollies camera cámara caméra kamera câmera camera";
const LEFT: &str = "left leftward leftwards izquierda gauche links esquerda sinistra 左";
const RIGHT: &str = "right rightward rightwards derecha droite rechts direita destra 右";
const UP: &str = "up upward upwards rise rises rising ascend ascends arriba haut hoch oben cima alto 上";
const DOWN: &str = "down downward downwards descend descends sinks abajo bas unten runter baixo basso 下";
const SLOW: &str = "slow slowly gentle gently subtle lento lentamente lent lentement langsam";
const FAST: &str = "fast quick quickly rapid dynamic rápido rapide schnell veloce";
const STILL: &str = "static still motionless fixed locked tripod estático fixe statisch fermo";

impl Move {
    /// Derives a move from the prompt, without words of the negative prompt.
    pub fn of(prompt: &str, negative: &str, random: &mut Random) -> Self {
        let banned = words(negative);
        let wanted: Vec<String> = words(prompt).into_iter().filter(|word| !banned.contains(word)).collect();
        let has_any = |list: &str| wanted.iter().any(|word| list.split(' ').any(|known| known == word));
        let axis = |less: bool, more: bool| f32::from(u8::from(more)) - f32::from(u8::from(less));
        let named = (axis(has_any(LEFT), has_any(RIGHT)), axis(has_any(UP), has_any(DOWN)));
        let pans = named != (0.0, 0.0);
        let chance = (random.range(-0.5, 0.5) as f32, random.range(-0.4, 0.4) as f32);
        let stays = has_any(STILL)
            || ["motion", "movement", "camera", "zoom"].iter().any(|word| banned.iter().any(|it| it == word));
        let speed = match (has_any(SLOW), has_any(FAST)) {
            (true, false) => 0.6,
            (false, true) => 1.5,
            _ => 1.0,
        };
        Self {
            narrow: if stays { 0.0 } else { speed * if pans { 0.15 } else { 0.12 } },
            toward: if pans { named } else { chance },
            // "Away" alone describes an object in the picture, not the camera.
            out: has_any(OUT) && has_any(CAMERA),
        }
    }

    /// Returns the same move, ending with the whole still.
    pub fn ending_wide(self) -> Self {
        Self { out: true, ..self }
    }

    /// Returns the visible window of a plate at this fraction of the move, 0 to 1.
    pub fn window(&self, plate: &Plate, along: f32) -> Window {
        let eased = ease(along.clamp(0.0, 1.0));
        let narrow = self.narrow * if self.out { 1.0 - eased } else { eased };
        let whole = plate.whole();
        let (width, height) = (whole.width * (1.0 - narrow), whole.height * (1.0 - narrow));
        let offset = |room: f32, toward: f32| room * 0.5 * (1.0 + toward);
        Window {
            left: offset(whole.width - width, self.toward.0),
            top: offset(whole.height - height, self.toward.1),
            width,
            height,
        }
    }
}

/// Eases a movement: slow at both ends, and nearly even between.
pub(super) fn ease(along: f32) -> f32 {
    0.5 * (along + smooth(0.0, 1.0, along))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn movement(prompt: &str, negative: &str) -> Move {
        Move::of(prompt, negative, &mut Random::new(1))
    }

    fn plate() -> Plate {
        let mut plate = Plate::new(100);
        (0..50).for_each(|_| plate.push(std::iter::repeat_n([0; 3], 100)));
        plate
    }

    #[test]
    fn a_move_begins_or_ends_with_the_whole_still() {
        let plate = plate();
        let seen = |movement: Move, along: f32| movement.window(&plate, along).width;
        assert!(seen(movement("", ""), 0.0) == 100.0 && seen(movement("", ""), 1.0) < 90.0);
        assert!(
            seen(movement("slowly zoom out", ""), 0.0) < 100.0
                && seen(movement("zoom out", ""), 1.0) == 100.0
        );
        assert_eq!(seen(movement("", "camera movement"), 1.0), 100.0);
        assert!(seen(movement("fast zoom in", ""), 1.0) < seen(movement("slow zoom in", ""), 1.0));
    }

    #[test]
    fn directions_are_followed() {
        let plate = plate();
        let end = |prompt: &str| movement(prompt, "").window(&plate, 1.0);
        assert_eq!(end("pan left").left, 0.0);
        let right = end("pan to the right and up");
        assert!((right.left + right.width - 100.0).abs() < 1e-3 && right.top == 0.0);
        for along in 0..=10_u8 {
            let window = movement("pan right", "").window(&plate, f32::from(along) / 10.0);
            assert!(window.left >= 0.0 && window.left + window.width <= 100.001);
        }
    }
}
