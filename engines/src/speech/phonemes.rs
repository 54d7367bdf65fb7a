//! The phonemes of English and their acoustic properties.
//!
//! The frequencies are those of an adult man, after the tables that Klatt published in 1980.

/// A phoneme by its ARPAbet name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[rustfmt::skip]
pub(in crate::speech) enum Phoneme {
    Aa, Ae, Ah, Ao, Aw, Ay, Eh, Er, Ey, Ih, Iy, Ow, Oy, Uh, Uw,
    B, Ch, D, Dh, F, G, Hh, Jh, K, L, M, N, Ng, P, R, S, Sh, T, Th, V, W, Y, Z, Zh,
}

use Phoneme::*;

#[rustfmt::skip]
pub(in crate::speech) const ALL: [Phoneme; 39] = [
    Aa, Ae, Ah, Ao, Aw, Ay, Eh, Er, Ey, Ih, Iy, Ow, Oy, Uh, Uw,
    B, Ch, D, Dh, F, G, Hh, Jh, K, L, M, N, Ng, P, R, S, Sh, T, Th, V, W, Y, Z, Zh,
];

/// The manner of articulation. At the border of two phonemes, the later one in this list dominates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::speech) enum Manner {
    Vowel,
    /// Breath, with the vocal tract in the position of the next vowel.
    Aspirate,
    Glide,
    Nasal,
    Fricative,
    Stop,
    Affricate,
}

/// Band-passed noise: its centre, its Q and its level.
#[derive(Debug, Clone, Copy)]
pub(in crate::speech) struct Hiss {
    pub(in crate::speech) centre: f64,
    pub(in crate::speech) q: f64,
    pub(in crate::speech) level: f64,
}

/// The acoustic properties of a phoneme.
#[derive(Debug, Clone, Copy)]
pub(in crate::speech) struct Sound {
    pub(in crate::speech) manner: Manner,
    pub(in crate::speech) voiced: bool,
    /// The first three formants at the start, in hertz.
    pub(in crate::speech) from: [f64; 3],
    /// The first three formants at the end, in hertz. Those of diphthongs differ from the start.
    pub(in crate::speech) to: [f64; 3],
    /// The bandwidths of the formants, in hertz.
    pub(in crate::speech) bandwidths: [f64; 3],
    pub(in crate::speech) hiss: Hiss,
    /// The duration with stress, in seconds.
    pub(in crate::speech) length: f64,
    /// The minimum duration, in seconds.
    pub(in crate::speech) least: f64,
}

/// The properties that most phonemes share.
const PLAIN: Sound = Sound {
    manner: Manner::Vowel,
    voiced: true,
    from: [0.0; 3],
    to: [0.0; 3],
    bandwidths: [65.0, 95.0, 150.0],
    hiss: Hiss { centre: 4000.0, q: 0.7, level: 0.0 },
    length: 0.0,
    least: 0.0,
};

const fn vowel(from: [f64; 3], to: [f64; 3], length: f64, least: f64) -> Sound {
    Sound { from, to, length, least, ..PLAIN }
}

const fn steady(manner: Manner, at: [f64; 3], bandwidths: [f64; 3], length: f64, least: f64) -> Sound {
    Sound { manner, bandwidths, ..vowel(at, at, length, least) }
}

/// Returns a noisy consonant. `hiss` has the centre, the Q and the level.
const fn noisy(m: Manner, voiced: bool, at: [f64; 3], hiss: [f64; 3], length: f64, least: f64) -> Sound {
    let [centre, q, level] = hiss;
    Sound { voiced, hiss: Hiss { centre, q, level }, ..steady(m, at, [90.0, 110.0, 180.0], length, least) }
}

impl Phoneme {
    pub(in crate::speech) fn is_vowel(self) -> bool {
        (self as usize) < 15
    }

    pub(in crate::speech) const fn sound(self) -> Sound {
        use Manner::{Affricate, Aspirate, Fricative, Glide, Nasal, Stop};
        match self {
            Aa => vowel([720.0, 1180.0, 2550.0], [710.0, 1200.0, 2550.0], 0.215, 0.1),
            Ae => vowel([650.0, 1720.0, 2430.0], [670.0, 1600.0, 2450.0], 0.215, 0.085),
            Ah => vowel([630.0, 1210.0, 2550.0], [620.0, 1220.0, 2550.0], 0.14, 0.06),
            Ao => vowel([590.0, 930.0, 2550.0], [610.0, 980.0, 2570.0], 0.22, 0.1),
            Aw => vowel([680.0, 1260.0, 2550.0], [430.0, 920.0, 2350.0], 0.25, 0.1),
            Ay => vowel([690.0, 1220.0, 2550.0], [380.0, 1980.0, 2600.0], 0.23, 0.12),
            Eh => vowel([540.0, 1720.0, 2500.0], [580.0, 1650.0, 2520.0], 0.15, 0.07),
            Er => vowel([480.0, 1280.0, 1600.0], [460.0, 1300.0, 1580.0], 0.18, 0.08),
            Ey => vowel([480.0, 1780.0, 2520.0], [330.0, 2120.0, 2650.0], 0.19, 0.09),
            Ih => vowel([400.0, 1880.0, 2570.0], [430.0, 1780.0, 2580.0], 0.125, 0.05),
            Iy => vowel([300.0, 2120.0, 2960.0], [280.0, 2180.0, 2980.0], 0.16, 0.06),
            Ow => vowel([560.0, 1020.0, 2350.0], [400.0, 850.0, 2300.0], 0.2, 0.09),
            Oy => vowel([540.0, 900.0, 2400.0], [370.0, 1900.0, 2450.0], 0.27, 0.14),
            Uh => vowel([450.0, 1100.0, 2350.0], [470.0, 1150.0, 2380.0], 0.14, 0.065),
            Uw => vowel([340.0, 1150.0, 2250.0], [310.0, 930.0, 2220.0], 0.19, 0.07),
            W => steady(Glide, [290.0, 640.0, 2150.0], [60.0, 90.0, 120.0], 0.075, 0.05),
            Y => steady(Glide, [270.0, 2100.0, 2980.0], [60.0, 200.0, 300.0], 0.075, 0.04),
            R => steady(Glide, [320.0, 1080.0, 1420.0], [80.0, 110.0, 140.0], 0.08, 0.045),
            L => steady(Glide, [350.0, 1020.0, 2800.0], [70.0, 120.0, 240.0], 0.08, 0.045),
            M => steady(Nasal, [300.0, 1150.0, 2150.0], [70.0, 200.0, 250.0], 0.075, 0.055),
            N => steady(Nasal, [300.0, 1450.0, 2500.0], [70.0, 250.0, 300.0], 0.07, 0.045),
            Ng => steady(Nasal, [300.0, 1950.0, 2650.0], [70.0, 250.0, 300.0], 0.09, 0.06),
            Hh => noisy(Aspirate, false, [500.0, 1500.0, 2500.0], [1500.0, 0.5, 0.0], 0.07, 0.035),
            F => noisy(Fricative, false, [340.0, 1100.0, 2080.0], [7500.0, 0.5, 0.075], 0.11, 0.08),
            V => noisy(Fricative, true, [250.0, 1100.0, 2080.0], [7000.0, 0.5, 0.03], 0.065, 0.045),
            Th => noisy(Fricative, false, [320.0, 1290.0, 2540.0], [6500.0, 0.6, 0.06], 0.1, 0.06),
            Dh => noisy(Fricative, true, [270.0, 1290.0, 2540.0], [5500.0, 0.6, 0.018], 0.05, 0.035),
            S => noisy(Fricative, false, [320.0, 1390.0, 2530.0], [6300.0, 1.4, 0.28], 0.115, 0.07),
            Z => noisy(Fricative, true, [260.0, 1390.0, 2530.0], [6200.0, 1.4, 0.15], 0.08, 0.05),
            Sh => noisy(Fricative, false, [300.0, 1840.0, 2750.0], [3000.0, 1.3, 0.34], 0.115, 0.08),
            Zh => noisy(Fricative, true, [280.0, 1840.0, 2750.0], [2900.0, 1.5, 0.24], 0.075, 0.045),
            P => noisy(Stop, false, [300.0, 950.0, 2150.0], [1300.0, 0.5, 0.25], 0.09, 0.06),
            B => noisy(Stop, true, [220.0, 950.0, 2150.0], [1000.0, 0.5, 0.18], 0.08, 0.055),
            T => noisy(Stop, false, [320.0, 1750.0, 2650.0], [4600.0, 0.9, 0.45], 0.08, 0.055),
            D => noisy(Stop, true, [220.0, 1700.0, 2600.0], [4000.0, 0.9, 0.26], 0.07, 0.045),
            K => noisy(Stop, false, [300.0, 1900.0, 2400.0], [2100.0, 2.2, 0.5], 0.085, 0.06),
            G => noisy(Stop, true, [220.0, 1900.0, 2400.0], [2000.0, 2.2, 0.32], 0.075, 0.055),
            Ch => noisy(Affricate, false, [310.0, 1800.0, 2750.0], [3200.0, 1.4, 0.5], 0.13, 0.09),
            Jh => noisy(Affricate, true, [240.0, 1800.0, 2700.0], [3000.0, 1.4, 0.28], 0.1, 0.07),
        }
    }
}

/// A phoneme in a word.
///
/// Vowels have a stress: 0 is none, 1 is main, 2 is secondary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::speech) struct Phone {
    pub(in crate::speech) phoneme: Phoneme,
    pub(in crate::speech) stress: u8,
}

impl Phone {
    /// Parses ARPAbet, such as `AH0` or `K`.
    pub(in crate::speech) fn parse(text: &str) -> Option<Self> {
        let name = text.trim_end_matches(|c: char| c.is_ascii_digit());
        let stress = text.get(name.len()..)?.parse().unwrap_or(0);
        let phoneme = ALL.into_iter().find(|phoneme| format!("{phoneme:?}").eq_ignore_ascii_case(name))?;
        Some(Self { phoneme, stress })
    }

    /// Decodes one character of the packed dictionary.
    pub(in crate::speech) fn from_code(code: u8) -> Option<Self> {
        let code = code.checked_sub(FIRST_CODE)?;
        let (index, stress) = if code < 45 { (code / 3, code % 3) } else { (code - 30, 0) };
        Some(Self { phoneme: *ALL.get(usize::from(index))?, stress })
    }
}

/// The code of the first phoneme: the character after the quotation mark.
const FIRST_CODE: u8 = 0x23;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_are_the_same_phones() {
        for (index, phoneme) in ALL.into_iter().enumerate() {
            assert_eq!(phoneme as usize, index);
            let name = format!("{phoneme:?}").to_uppercase();
            assert_eq!(Phone::parse(&name), Some(Phone { phoneme, stress: 0 }));
            let code = if phoneme.is_vowel() { index * 3 + 2 } else { index + 30 };
            let phone = Phone::from_code(FIRST_CODE + code as u8).unwrap();
            assert_eq!((phone.phoneme, phone.stress), (phoneme, if phoneme.is_vowel() { 2 } else { 0 }));
        }
        assert_eq!(Phone::parse("AH1"), Some(Phone { phoneme: Ah, stress: 1 }));
        assert_eq!(Phone::parse("QQ"), None);
        assert_eq!(Phone::from_code(0), None);
        assert_eq!(Phone::from_code(255), None);
    }
}
