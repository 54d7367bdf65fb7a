//! English phrases.

use super::{Language, Slot};

pub(in crate::prompt) const EN: Language = Language {
    code: "en",
    subjects: &[
        "An old lighthouse keeper with a lantern",
        "A red fox with snow on its fur",
        "A glass greenhouse full of giant ferns",
        "A small robot that waters a single flower",
        "A violinist with closed eyes",
        "A paper boat with a candle on board",
        "A street market of floating lamps",
        "A whale made of clouds",
        "A cyclist with an armful of sunflowers",
        "An abandoned carousel overgrown with ivy",
    ],
    places: &[
        "on a cliff above a stormy sea",
        "in a quiet birch forest",
        "in the middle of a flooded old town",
        "under a sky with two moons",
        "at the edge of an endless salt flat",
        "in a narrow alley after the rain",
        "on the roof of a sleeping city",
        "in a valley of blooming lavender",
        "beside a frozen lake",
        "in a library without walls",
    ],
    light: Slot {
        words: "light* lit sun* dawn dusk night* golden neon shadow* backlit moonlight candle* bright dark* glow* noon evening morning overcast",
        phrases: &[
            "warm golden-hour light with long soft shadows",
            "soft diffused light from an overcast sky",
            "dramatic side light against a dark background",
            "gentle backlight with a glowing rim",
            "cool blue light of the hour before sunrise",
            "light through mist in visible rays",
            "bright clean daylight with crisp shadows",
        ],
    },
    lens: Slot {
        words: "lens mm macro wide telephoto fisheye bokeh aperture depth focus focal angle",
        phrases: &[
            "85 mm lens with a shallow depth of field",
            "35 mm lens, sharp from foreground to horizon",
            "50 mm lens with creamy bokeh",
            "24 mm wide-angle lens that stresses the space",
            "macro lens with fine surface detail",
            "135 mm telephoto lens that compresses the distance",
        ],
    },
    composition: Slot {
        words: "composition close closeup portrait framing framed centered symmetr* thirds overhead aerial view shot foreground minimal* panorama*",
        phrases: &[
            "composed by the rule of thirds with quiet empty space",
            "symmetrical composition with the subject in the center",
            "low viewpoint with a strong foreground",
            "leading lines that draw the eye to the subject",
            "framed by elements in the foreground",
            "layers of foreground, middle ground and far background",
            "tight framing at eye level",
        ],
    },
    mood: Slot {
        words: "mood atmospher* calm peaceful dramatic mysterious cheerful melanchol* epic cozy dream* gloomy romantic tense happy sad serene",
        phrases: &[
            "a calm, contemplative mood",
            "a mysterious, dreamlike atmosphere",
            "a cheerful, lively atmosphere",
            "a melancholic, quiet mood",
            "an epic mood of wonder",
            "a cozy, intimate atmosphere",
        ],
    },
    finish: Slot {
        words: "style photo* painting watercolor* oil illustration render 3d sketch drawing cartoon anime film cinematic realistic pixel vector grain",
        phrases: &[
            "natural colors, fine texture, photographic detail",
            "muted film colors with subtle grain",
            "rich contrast and deep, harmonious colors",
            "a limited palette of two complementary colors",
            "high detail with true-to-life materials",
            "soft pastel tones with delicate texture",
        ],
    },
    camera: Slot {
        words: "camera dolly pan* tilt* zoom* tracking crane handheld orbit* drone steadicam static push",
        phrases: &[
            "the camera slowly pushes in on the subject",
            "a smooth tracking shot alongside the subject",
            "a slow orbit around the subject",
            "the camera rises on a crane and reveals the surroundings",
            "a steady handheld camera that breathes with the scene",
            "a slow pan from left to right",
            "a locked-off camera in which only the scene moves",
        ],
    },
    movement: Slot {
        words: "moves moving movement motion slow-motion slowly fast runs running walks walking flies flying dances dancing drifts flows falls turns",
        phrases: &[
            "hair, cloth and leaves stir in a light wind",
            "slow, weighty movement with natural momentum",
            "small gestures that build to one clear action",
            "particles drift through the air, the background stays calm",
            "slow motion that stretches a single moment",
            "one continuous action without cuts, at an even pace",
        ],
    },
};
