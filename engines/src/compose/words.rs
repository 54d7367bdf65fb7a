//! The colours that a prompt asks for: its words for times of day, landscapes, colours and moods.
//!
//! The words are English, with common ones of the other languages of the prompt engine, Chinese and Japanese.

use crate::picture::Colour;
use crate::random::Random;
use crate::words::words;

/// Words for times of day and skies, with the colours of the upper and the lower sky.
const SKIES: &[(&str, [u32; 2])] = &[
    (
        "night midnight star starry moon space galaxy noche nuit nacht noite notte 夜 星",
        [0x07_0d22, 0x1d_2c55],
    ),
    ("dusk twilight storm thunder crepúsculo crépuscule dämmerung crepuscolo 嵐", [0x16_2148, 0x74_6a96]),
    ("dawn sunrise morning amanecer aube morgen amanhecer alba 朝", [0x6d_8cb4, 0xff_d6b0]),
    ("sunset evening golden fire atardecer soir abend tramonto 夕", [0x4a_3a6c, 0xff_9a58]),
    ("fog mist rain cloud snow winter niebla brouillard nebel nebbia 霧 雨 雪", [0x98_a6b2, 0xdc_e2e6]),
    ("day noon sun sunny sky día jour tag dia giorno 昼 空", [0x3c_86cc, 0xc8_e4f2]),
];

/// Words for landscapes, with the colours of the background and of the foreground.
const LANDS: &[(&str, [u32; 2])] = &[
    ("sea ocean lake river wave water beach mar mer meer mare 海 湖", [0x2f_86a8, 0x0f_4668]),
    ("forest wood tree jungle bosque forêt wald floresta bosco 森", [0x4c_7a4c, 0x1c_3f2c]),
    ("mountain rock hill cliff montaña montagne berg montanha montagna 山", [0x6f_7f92, 0x36_4652]),
    ("meadow field grass garden flower campo champ wiese prado prato 草 花", [0x8f_b452, 0x4a_7c38]),
    ("desert sand dune autumn desierto désert wüste deserto 砂漠 秋", [0xe0_a868, 0x9c_5c34]),
    ("city street building town ciudad ville stadt cidade città 城 街", [0x56_5f78, 0x24_2a3c]),
    ("neon cyberpunk synthwave futuristic robot", [0xd8_3aa6, 0x2a_1460]),
];

/// Words for colours.
const COLOURS: &[(&str, u32)] = &[
    ("red crimson scarlet ruby rojo roja rouge rot rote vermelho rosso 赤 红", 0xd4_2a26),
    ("orange tangerine naranja laranja arancione 橙", 0xf0_7a1e),
    ("yellow amber amarillo jaune gelb gelbe amarelo giallo 黄", 0xf2_c935),
    ("gold golden ochre dorado doré dourado dorato 金", 0xd9_a93a),
    ("green emerald olive verde vert grün grüne 緑 绿", 0x4c_a03c),
    ("teal turquoise cyan turquesa türkis turchese", 0x1f_9a94),
    ("blue azure cobalt azul bleu blau blaue blu 青 蓝", 0x2a_62d6),
    ("navy indigo", 0x1c_2a5e),
    ("purple violet lavender morado violett lila roxo viola 紫", 0x7c_3fc0),
    ("pink magenta rose rosa coral 桃", 0xe8_6aa6),
    ("brown chocolate bronze marrón brun braun marrom marrone 茶", 0x7a_4c2c),
    ("beige cream ivory", 0xe6_d5b4),
    ("white blanco blanc weiß branco bianco 白", 0xf4_f4f2),
    ("gray grey silver gris grau cinza grigio 灰", 0x8a_8d92),
    ("black negro noir schwarz preto nero 黒 黑", 0x14_1518),
];

/// Words for moods, with the change of lightness, the factor for saturation, and the change of warmth.
const MOODS: &[(&str, [f32; 3])] = &[
    ("monochrome noir", [0.0, 0.0, 0.0]),
    ("vivid vibrant colorful colourful saturated neon", [0.0, 1.35, 0.0]),
    ("pastel pale soft dreamy gentle watercolor watercolour", [0.12, 0.65, 0.0]),
    ("dark moody gloomy dramatic ominous oscuro sombre dunkel escuro scuro", [-0.12, 0.9, 0.0]),
    ("bright light airy cheerful happy brillante lumineux hell", [0.08, 1.05, 0.0]),
    ("warm cozy cosy vintage retro cálido chaud quente caldo", [0.0, 0.95, 0.03]),
    ("cold cool icy frozen frío froid kalt frio freddo", [0.0, 0.95, -0.03]),
];

/// Returns the colours of a prompt from the top of a picture to its bottom.
///
/// Words of the negative prompt have no effect. A prompt without a known word gets a random sky and landscape.
pub(super) fn colours(prompt: &str, negative: &str, random: &mut Random) -> [Colour; 4] {
    let denied = words(negative);
    let wanted: Vec<String> = words(prompt).into_iter().filter(|word| !denied.contains(word)).collect();
    let (sky, land) = (random.below(SKIES.len()), random.below(LANDS.len()));
    let [upper, lower] = first(SKIES, &wanted).or_else(|| Some(SKIES.get(sky)?.1)).unwrap_or_default();
    let [far, near] = first(LANDS, &wanted).or_else(|| Some(LANDS.get(land)?.1)).unwrap_or_default();
    let [upper, lower, far, near] = [upper, lower, far, near].map(Colour::hex);
    // The land takes on some of the sky's colour, and a brighter sky makes it lighter.
    let light = 0.45 * (0.5 * (upper.lightness + lower.lightness) - 0.66);
    let mut colours =
        [upper, lower, far.mix(lower, 0.3).lighter(light), near.mix(upper, 0.12).lighter(light)];
    let named: Vec<Colour> = all(COLOURS, &wanted).map(Colour::hex).collect();
    for (colour, named) in colours.iter_mut().zip(named.iter().cycle()) {
        // A named colour replaces hue and saturation, and a third of the lightness.
        *colour = colour.mix(Colour { lightness: colour.mix(*named, 0.35).lightness, ..*named }, 0.85);
    }
    // If only greys are named, as in "black and white", the picture is monochrome.
    let is_grey = !named.is_empty() && named.iter().all(|colour| colour.chroma() < 0.02);
    for [lightness, saturation, warmth] in all(MOODS, &wanted).chain(is_grey.then_some([0.0; 3])) {
        for colour in &mut colours {
            *colour = colour.lighter(lightness).saturated(saturation);
            colour.yellow += warmth;
        }
    }
    colours
}

/// Returns the value of the first entry that the words name.
fn first<T: Copy>(table: &[(&str, T)], wanted: &[String]) -> Option<T> {
    all(table, wanted).next()
}

/// Returns the values of all entries that the words name, in the order of the table.
fn all<'a, T: Copy>(table: &'a [(&str, T)], wanted: &'a [String]) -> impl Iterator<Item = T> + 'a {
    let named = |words: &str| words.split(' ').any(|known| wanted.iter().any(|word| is_word(word, known)));
    table.iter().filter(move |(words, _)| named(words)).map(|(_, value)| *value)
}

/// Returns whether a word of a prompt is a known one, also in the plural.
///
/// In scripts without spaces, a known word can be a part of a longer one.
fn is_word(word: &str, known: &str) -> bool {
    word == known
        || word.strip_suffix('s') == Some(known)
        || word.strip_suffix("es") == Some(known)
        || (known.starts_with(|c| c > '\u{2e7f}') && word.contains(known))
}
