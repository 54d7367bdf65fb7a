//! Curves for drawing.
//!
//! They use no function whose last bit depends on the machine.

/// Approximates the sine of an angle in turns.
pub(crate) fn wave(turns: f32) -> f32 {
    let x = 2.0 * (turns - turns.floor()) - 1.0;
    let arch = 4.0 * x * (1.0 - x.abs());
    -(0.225 * (arch * arch.abs() - arch) + arch)
}

/// Interpolates smoothly from 0 at `from` to 1 at `to`.
///
/// `to` may be smaller than `from`.
pub(crate) fn smooth(from: f32, to: f32, at: f32) -> f32 {
    let t = ((at - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Interpolates from `a` at 0 to `b` at 1.
pub(crate) fn mix(a: f32, b: f32, at: f32) -> f32 {
    a + (b - a) * at
}

/// Returns the brightness of a glow: 1 in the centre, a half at distance 1.
///
/// The argument is the square of the distance.
pub(crate) fn glow(square: f32) -> f32 {
    1.0 / (1.0 + square)
}

/// Returns the cube root of a non-negative number.
pub(crate) fn cube_root(value: f32) -> f32 {
    if value <= 1e-12 {
        return 0.0;
    }
    // A third of the exponent is a guess within a twentieth. Each Halley step triples the digits.
    let mut root = f32::from_bits(value.to_bits() / 3 + 0x2a51_37a0);
    for _ in 0..2 {
        let cube = root * root * root;
        root *= (cube + 2.0 * value) / (2.0 * cube + value);
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_what_they_are_called() {
        for step in 0..1000_u16 {
            let at = f32::from(step) / 250.0 - 2.0;
            assert!((wave(at) - (at * std::f32::consts::TAU).sin()).abs() < 2e-3, "{at}");
            let value = f32::from(step) / 500.0;
            assert!((cube_root(value) - value.cbrt()).abs() < 1e-5, "{value}");
        }
        assert_eq!((smooth(1.0, 2.0, 0.0), smooth(1.0, 2.0, 1.5), smooth(2.0, 1.0, 1.0)), (0.0, 0.5, 1.0));
    }
}
