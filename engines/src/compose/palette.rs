//! The colours of outdoor scenes, by time of day, weather and land.

use super::brief::Brief;
use super::colour::{Colour, Light, Ramp, blend, lit, scaled};
use super::lexicon::Idea;
use crate::random::Random;

/// The time of day of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hour {
    Dawn,
    Day,
    Sunset,
    Dusk,
    Night,
}

/// The colours of an outdoor scene.
#[derive(Debug, Clone)]
pub(super) struct Palette {
    pub hour: Hour,
    /// From the zenith, at 0, to the horizon, at 1.
    pub sky: Ramp,
    /// The colour that distant things fade to.
    pub haze: Light,
    /// The sun or the moon.
    pub disc: Light,
    /// The light on the lit side of things.
    pub key: Light,
    /// The light on the shaded side.
    pub ambient: Light,
    pub cloud_lit: Light,
    pub cloud_dark: Light,
    /// 0 in clear air, 1 in the thickest fog.
    pub fog: f32,
    /// The fraction of the sky that clouds cover, 0 to 1.
    pub cover: f32,
    pub rock: Light,
    pub green: Light,
    pub forest: Light,
    pub sand: Light,
    pub wall: Light,
    pub water: Light,
    pub bloom: Light,
    /// Whether snow lies on the ground.
    pub snow: bool,
}

/// The hues of an hour: zenith, middle, horizon, disc, key light, ambient light.
type Hues = [u32; 6];

const fn hues(hour: Hour) -> Hues {
    match hour {
        Hour::Dawn => [0x51_74ab, 0xb9_a3c4, 0xff_d3a6, 0xff_f0cf, 0xff_d9ae, 0x5b_6488],
        Hour::Day => [0x2c_6cb8, 0x72_abdc, 0xd3_e6f0, 0xff_f7e2, 0xff_f3df, 0x7c_96b4],
        Hour::Sunset => [0x2a_3668, 0xa4_4e72, 0xff_9c4e, 0xff_dc8f, 0xff_a45c, 0x3c_3a62],
        Hour::Dusk => [0x10_1c42, 0x3a_4686, 0xd0_8f96, 0xf2_e3d8, 0x8a_86b4, 0x2a_3058],
        Hour::Night => [0x05_0a1c, 0x0d_1a3a, 0x24_3a66, 0xee_f2ff, 0x5c_70a0, 0x16_2140],
    }
}

/// Returns alternative sky hues for an hour, so that sunsets differ.
const fn variants(hour: Hour) -> &'static [[u32; 3]] {
    match hour {
        Hour::Dawn => &[[0x4a_7c9c, 0xd8_b4b8, 0xff_dfb8], [0x6a_6ea8, 0xe0_a8b0, 0xff_cf9c]],
        Hour::Day => &[[0x1f_5fae, 0x5c_a0dc, 0xc4_e0f2], [0x3a_7cae, 0x88_b8d4, 0xe6_ece4]],
        Hour::Sunset => &[
            [0x3b_2a5e, 0xc2_4f5c, 0xff_b65c],
            [0x1f_3f6e, 0xc0_6a5e, 0xff_c070],
            [0x4a_2a64, 0xd0_4878, 0xff_8a62],
        ],
        Hour::Dusk => &[[0x14_1a48, 0x4e_3f8a, 0xe0_8088], [0x0c_2444, 0x2a_5a86, 0xc8_a89c]],
        Hour::Night => &[[0x06_0818, 0x16_1440, 0x3a_2f66], [0x03_0c18, 0x08_2038, 0x1a_4458]],
    }
}

impl Hour {
    fn of(brief: &Brief, random: &mut Random) -> Self {
        let named = brief.first(&[Idea::Night, Idea::Sunset, Idea::Dawn, Idea::Dusk, Idea::Day]);
        let hinted = || {
            brief.first(&[
                Idea::Moon,
                Idea::Stars,
                Idea::Aurora,
                Idea::Neon,
                Idea::Sun,
                Idea::Bright,
                Idea::Dark,
            ])
        };
        match named.or_else(hinted) {
            Some(Idea::Dawn) => Self::Dawn,
            Some(Idea::Sunset) => Self::Sunset,
            Some(Idea::Dusk | Idea::Dark) => Self::Dusk,
            Some(Idea::Night | Idea::Moon | Idea::Stars | Idea::Aurora | Idea::Neon) => Self::Night,
            Some(_) => Self::Day,
            None if brief.has(Idea::Storm) => Self::Dusk,
            None if brief.first(&[Idea::Rain, Idea::Snow, Idea::Fog, Idea::Clouds]).is_some() => Self::Day,
            None => match random.below(8) {
                0 => Self::Dawn,
                1 | 2 => Self::Sunset,
                3 => Self::Dusk,
                _ => Self::Day,
            },
        }
    }

    /// Returns the brightness of the light at this hour.
    fn exposure(self) -> f32 {
        match self {
            Self::Day => 0.95,
            Self::Dawn => 0.62,
            Self::Sunset => 0.46,
            Self::Dusk => 0.3,
            Self::Night => 0.24,
        }
    }

    pub fn is_dark(self) -> bool {
        matches!(self, Self::Dusk | Self::Night)
    }
}

impl Palette {
    pub fn of(brief: &Brief, random: &mut Random) -> Self {
        let hour = Hour::of(brief, random);
        let [mut zenith, mut between, mut horizon, disc, key, ambient] = hues(hour).map(Colour::hex);
        if let Some(other) = random.pick(variants(hour)).filter(|_| random.clone().chance(0.7)) {
            let by = random.range(0.3, 1.0) as f32;
            let [z, b, h] = other.map(Colour::hex);
            (zenith, between, horizon) = (zenith.mix(z, by), between.mix(b, by), horizon.mix(h, by));
        }
        let (fog, cover) = weather(brief, random);
        if let Some(colour) = brief.sky {
            (zenith, between, horizon) =
                (zenith.tinted(colour, 0.85), between.tinted(colour, 0.8), horizon.tinted(colour, 0.55));
        }
        // An overcast sky is grey, and darker near the zenith.
        let grey = (cover - 0.55).max(0.0) * 1.6 + 0.35 * fog;
        let dull = |colour: Colour, by: f32| colour.saturated(1.0 - 0.8 * by).lighter(-0.1 * by);
        (zenith, between, horizon) = (dull(zenith, grey), dull(between, grey), dull(horizon, 0.7 * grey));
        let stops = [(0.0, zenith), (0.55, between), (0.86, between.mix(horizon, 0.72)), (1.0, horizon)];
        let haze = horizon.mix(between, if hour == Hour::Sunset { 0.45 } else { 0.3 });
        // Fog also hides the sky.
        let stops =
            stops.map(|(at, colour)| (at, colour.mix(haze.lighter(0.03), 0.75 * fog * (0.55 + 0.45 * at))));
        let key = brief.light.map_or(key, |light| key.tinted(light, 0.8));
        let light = scaled(key.light(), hour.exposure() * (1.0 - 0.35 * grey.min(1.0)));
        let shade = scaled(ambient.mix(between, 0.3).light(), 0.75);
        let storm = brief.has(Idea::Storm);
        Self {
            hour,
            sky: Ramp::new(&stops),
            haze: haze.light(),
            disc: brief.light.map_or(disc, |light| disc.tinted(light, 0.6)).light(),
            key: light,
            ambient: shade,
            cloud_lit: blend(
                horizon.lighter(0.1).light(),
                scaled(key.light(), if hour.is_dark() { 0.3 } else { 1.05 }),
                0.6,
            ),
            cloud_dark: scaled(between.mix(ambient, 0.5).light(), if storm { 0.35 } else { 0.8 }),
            fog,
            cover,
            ..Self::ground(brief, hour, random)
        }
    }

    /// Creates the colours of the land, without a sky.
    fn ground(brief: &Brief, hour: Hour, random: &mut Random) -> Self {
        let snow = brief.has(Idea::Snow);
        let mut vary = |of: &[u32]| Colour::hex(random.pick(of).copied().unwrap_or_default());
        let autumn = brief.has(Idea::Autumn);
        let mut rock = vary(&[0x6b_6a70, 0x7a_6c62, 0x5c_6a78]);
        let mut green =
            vary(if autumn { &[0xa8_7a34, 0x9c_6430] } else { &[0x64_8a3a, 0x78_943e, 0x4e_7e46] });
        let mut forest = vary(if autumn {
            &[0xa4_5a22, 0xb8_7c28, 0x8c_4424]
        } else {
            &[0x2c_4a34, 0x36_5238, 0x24_4640]
        });
        let mut sand = vary(&[0xd8_a468, 0xe0_b27a, 0xc8_8a58]);
        let mut wall = vary(&[0x5a_6274, 0x6a_6468, 0x4c_5c70]);
        let mut water = vary(&[0x1c_4a66, 0x14_5068, 0x24_4a70]);
        if brief.has(Idea::Spring) {
            green = Colour::hex(0x7e_b84a);
        }
        if snow {
            let white = Colour::hex(0xee_f2f8);
            (green, sand, forest) = (white, white, forest.mix(white, 0.3));
        }
        if let Some(colour) = brief.land {
            for part in [&mut rock, &mut green, &mut forest, &mut sand, &mut wall] {
                *part = part.tinted(colour, 0.85);
            }
        }
        if let Some(colour) = brief.water {
            water = water.tinted(colour, 0.9);
        }
        let bloom = brief
            .colours
            .first()
            .copied()
            .unwrap_or_else(|| vary(&[0xd8_3a3a, 0xe8_b830, 0xb8_6ad8, 0xf0_f0f4, 0xe0_6a9c]));
        Self {
            hour,
            sky: Ramp::new(&[]),
            haze: [0.0; 3],
            disc: [0.0; 3],
            key: [0.0; 3],
            ambient: [0.0; 3],
            cloud_lit: [0.0; 3],
            cloud_dark: [0.0; 3],
            fog: 0.0,
            cover: 0.0,
            rock: rock.light(),
            green: green.light(),
            forest: forest.light(),
            sand: sand.light(),
            wall: wall.light(),
            water: water.light(),
            bloom: bloom.light(),
            snow,
        }
    }

    /// Returns the light of a surface, from the shaded side at 0 to the lit one at 1.
    pub fn surface(&self, surface: Light, lit_side: f32) -> Light {
        let light = blend(self.ambient, self.key, lit_side);
        lit(surface, light)
    }

    /// Returns the light of something at a distance of 0 to 1.
    pub fn through_air(&self, light: Light, distance: f32) -> Light {
        blend(
            light,
            self.haze,
            (distance * distance * 0.35 + distance * (0.36 + 0.5 * self.fog) + 0.2 * self.fog).min(0.96),
        )
    }
}

/// Chooses the fog and the cloud cover.
fn weather(brief: &Brief, random: &mut Random) -> (f32, f32) {
    let fog: f32 = if brief.has(Idea::Fog) { 0.8 } else { 0.0 };
    let clear = brief.has(Idea::Clear);
    let (fog, cover) = match brief.first(&[Idea::Storm, Idea::Rain, Idea::Clouds, Idea::Snow, Idea::Clear]) {
        Some(Idea::Storm) => (fog.max(0.15), 0.95),
        Some(Idea::Rain) => (fog.max(0.35), 0.9),
        Some(Idea::Snow) if !clear => (fog.max(0.1), 0.6),
        Some(Idea::Clouds) => (fog, random.range(0.58, 0.74) as f32),
        Some(_) => (fog, 0.0),
        None if brief.first(&[Idea::Aurora, Idea::Stars]).is_some() => (fog, 0.12),
        None => (fog, random.range(0.2, 0.46) as f32),
    };
    (
        if brief.bans(Idea::Fog) { 0.0 } else { fog },
        if brief.bans(Idea::Clouds) { 0.0 } else { cover * (1.0 - 0.6 * fog) },
    )
}
