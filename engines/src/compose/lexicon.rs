//! The words that a composition understands.
//!
//! They are English, the other languages of the prompt engine, and common words of other languages in which
//! pictures are requested.

/// An idea that a word can request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Idea {
    // Layout.
    Mountains,
    Hills,
    Meadow,
    Desert,
    Forest,
    City,
    Sea,
    Sky,
    Space,
    Flow,
    Pattern,
    Gradient,
    Portrait,
    // Time of day.
    Dawn,
    Day,
    Sunset,
    Dusk,
    Night,
    // Weather.
    Clear,
    Clouds,
    Rain,
    Snow,
    Fog,
    Storm,
    // Season.
    Spring,
    Autumn,
    // Lights in the sky.
    Sun,
    Moon,
    Stars,
    Aurora,
    // Manner.
    Watercolour,
    Minimal,
    Pixels,
    Flat,
    Mono,
    Vintage,
    Neon,
    Pastel,
    Vivid,
    Grain,
    // Mood.
    Calm,
    Dramatic,
    Dark,
    Bright,
    Warm,
    Cold,
    Soft,
}

/// The layouts. A picture needs at least one.
pub(crate) const LAYOUTS: &[Idea] = {
    use Idea::{
        City, Desert, Flow, Forest, Gradient, Hills, Meadow, Mountains, Pattern, Portrait, Sea, Sky, Space,
    };
    &[Mountains, Hills, Meadow, Desert, Forest, City, Sea, Sky, Space, Flow, Pattern, Gradient, Portrait]
};

/// The words of one idea.
///
/// `words` match whole words, also in the plural. `within` also matches inside of words, for scripts without
/// spaces and for languages with unknown endings.
pub(super) struct Entry {
    pub idea: Idea,
    words: &'static str,
    within: &'static str,
}

const fn entry(idea: Idea, words: &'static str, within: &'static str) -> Entry {
    Entry { idea, words, within }
}

impl Entry {
    pub fn has(&self, word: &str) -> bool {
        is_one_of(self.words, word) || contains_one_of(self.within, word)
    }
}

/// Returns whether a word or its singular is in a list.
pub(super) fn is_one_of(list: &str, word: &str) -> bool {
    let singular = word.strip_suffix("es").filter(|stem| stem.len() > 3);
    let shorter = word.strip_suffix('s').filter(|stem| stem.len() > 2);
    list.split(' ').any(|known| known == word || Some(known) == shorter || Some(known) == singular)
}

pub(super) fn contains_one_of(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| !known.is_empty() && word.contains(known))
}

pub(super) const IDEAS: &[Entry] = &[
    entry(
        Idea::Mountains,
        "mountain mountainous alps alpine peak summit ridge cliff canyon valley volcano glacier fjord rocky rock montaña \
         montañas montagne montagnes berg berge gebirge alpen montanha montanhas serra montagna montagne",
        "山 峰 산 पर्वत पहाड़",
    ),
    entry(
        Idea::Hills,
        "hill hills landscape countryside rolling vineyard tuscany village scenery nature colina colinas paisaje colline \
         collines paysage hügel landschaft paisagem collina paesaggio",
        "丘 風景 风景 언덕 풍경",
    ),
    entry(
        Idea::Meadow,
        "meadow field grass grassland prairie flower flowers floral garden lavender tulip poppy park prado campo flores \
         jardín prairie champ fleur fleurs jardin wiese feld blume blumen garten flor jardim prato fiore fiori giardino",
        "花 草原 庭 꽃 초원 फूल",
    ),
    entry(
        Idea::Desert,
        "desert dune sahara sand sandy arid wasteland mars desierto désert dune wüste düne deserto duna",
        "沙漠 砂漠 사막 रेगिस्तान",
    ),
    entry(
        Idea::Forest,
        "forest wood woods woodland tree trees pine pines fir jungle taiga birch grove bosque árbol árboles selva forêt \
         arbre arbres wald wälder baum bäume floresta árvore árvores foresta bosco albero alberi",
        "森 林 树 木々 숲 나무 जंगल पेड़",
    ),
    entry(
        Idea::City,
        "city skyline street building buildings skyscraper tower town urban downtown metropolis tokyo york paris london \
         rooftop alley bridge architecture ciudad calle edificio ville rue gratte immeuble stadt straße strasse gebäude \
         cidade rua prédio città strada palazzo grattacielo",
        "城市 都市 街 町 도시 거리 शहर",
    ),
    entry(
        Idea::Sea,
        "sea ocean beach coast coastal shore wave waves lake river water island bay harbor harbour lighthouse boat ship \
         sail sailboat seaside pond lagoon reef underwater surf mar océano playa costa ola lago río isla barco mer plage côte \
         vague lac rivière île bateau meer ozean strand küste welle fluss insel boot schiff praia onda rio ilha barco mare \
         spiaggia costa onda fiume isola barca",
        "海 湖 川 河 浜 바다 호수 समुद्र",
    ),
    entry(
        Idea::Sky,
        "sky skies heaven cloudscape airplane balloon cielo ciel himmel céu",
        "空 天空 하늘 आकाश आसमान",
    ),
    entry(
        Idea::Space,
        "space galaxy nebula planet cosmos cosmic universe astronaut spaceship orbit milky asteroid espacio galaxia planeta \
         espace galaxie planète weltraum weltall galaxie galáxia spazio pianeta",
        "宇宙 星雲 銀河 银河 우주 अंतरिक्ष",
    ),
    entry(
        Idea::Flow,
        "abstract flow flowing fluid ribbon silk swirl liquid curves wavy abstracto abstracta abstrait abstraite abstrakt \
         abstraktes abstrato astratto",
        "抽象 추상 अमूर्त",
    ),
    entry(
        Idea::Pattern,
        "pattern geometric geometry tile tiles tiling mosaic hexagon triangle triangles polygon polygonal lowpoly poly grid \
         seamless textile wallpaper tessellation patrón geométrico motif géométrique muster geometrisch padrão geometrico",
        "模様 图案 幾何 几何 패턴",
    ),
    entry(
        Idea::Gradient,
        "gradient background backdrop blur blurred bokeh smooth mesh degradado fondo dégradé fond verlauf hintergrund fundo \
         sfondo",
        "背景 渐变 グラデーション 배경",
    ),
    entry(
        Idea::Portrait,
        "portrait face person woman man girl boy child people model headshot selfie product studio bottle cup retrato persona \
         mujer hombre visage femme homme porträt gesicht frau mann pessoa mulher homem ritratto donna uomo",
        "肖像 人物 女性 男性 人像 초상 사람",
    ),
    entry(
        Idea::Dawn,
        "dawn sunrise daybreak morning amanecer mañana aube matin aurore morgen sonnenaufgang morgendämmerung amanhecer \
         manhã alba mattino",
        "朝 日出 黎明 아침 일출 सुबह",
    ),
    entry(
        Idea::Day,
        "day daytime daylight noon midday afternoon día mediodía jour midi journée tag mittag dia giorno mezzogiorno",
        "昼 白天 중천 दोपहर",
    ),
    entry(
        Idea::Sunset,
        "sunset sundown golden evening atardecer ocaso puesta coucher crépuscule soir sonnenuntergang abend pôr entardecer \
         tramonto sera",
        "夕 日落 黄昏 노을 석양 सूर्यास्त शाम",
    ),
    entry(
        Idea::Dusk,
        "dusk twilight gloaming crepúsculo anochecer brune dämmerung abenddämmerung anoitecer crepuscolo imbrunire",
        "薄暮 暮色 황혼",
    ),
    entry(
        Idea::Night,
        "night nighttime midnight nocturnal noche medianoche nuit minuit nacht mitternacht noite meia notte mezzanotte",
        "夜 밤 रात",
    ),
    entry(Idea::Clear, "clear cloudless despejado dégagé klar limpo sereno", "晴 맑은"),
    entry(
        Idea::Clouds,
        "cloud cloudy overcast nube nubes nublado nuage nuages nuageux wolke wolken bewölkt nuvem nuvens nuvola nuvole nuvoloso",
        "雲 云 구름 बादल",
    ),
    entry(
        Idea::Rain,
        "rain rainy raining drizzle shower downpour lluvia lluvioso pluie pluvieux regen regnerisch chuva chuvoso pioggia piovoso",
        "雨 비가 बारिश",
    ),
    entry(
        Idea::Snow,
        "snow snowy winter frozen ice icy frost arctic nieve invierno nevado neige hiver schnee winter eis verschneit neve \
         inverno ghiaccio",
        "雪 冬 눈이 겨울 बर्फ",
    ),
    entry(
        Idea::Fog,
        "fog foggy mist misty haze hazy mysterious mystical niebla neblina bruma brume brouillard nebel neblig névoa nebbia",
        "霧 雾 안개 कोहरा",
    ),
    entry(
        Idea::Storm,
        "storm stormy thunder thunderstorm lightning tempest tormenta tempestad orage tempête sturm gewitter tempestade tempesta",
        "嵐 暴風 暴风 폭풍 तूफान",
    ),
    entry(Idea::Spring, "spring blossom cherry sakura primavera printemps frühling", "春 桜 樱 봄"),
    entry(
        Idea::Autumn,
        "autumn fall autumnal maple otoño automne herbst outono autunno",
        "秋 紅葉 红叶 가을",
    ),
    entry(
        Idea::Sun,
        "sun sunny sunshine sunlight sol soleado soleil sonne sonnig ensolarado sole soleggiato",
        "太陽 太阳 해가 सूरज",
    ),
    entry(Idea::Moon, "moon moonlight moonlit lunar luna lune mond lua", "月 달이 चाँद"),
    entry(
        Idea::Stars,
        "star stars starry starlight estrella estrellas étoile étoiles stern sterne estrela estrelas stella stelle",
        "星 별이 तारे",
    ),
    entry(Idea::Aurora, "aurora borealis northern polarlicht", "オーロラ 极光 오로라"),
    entry(
        Idea::Watercolour,
        "watercolor watercolour aquarelle acuarela aquarell aquarela acquerello painting painted gouache",
        "水彩",
    ),
    entry(
        Idea::Minimal,
        "minimal minimalist minimalistic simple minimalista minimaliste schlicht",
        "极简 ミニマル",
    ),
    entry(Idea::Pixels, "pixel pixelated pixelart 8bit voxel", "ドット 像素"),
    entry(
        Idea::Flat,
        "flat vector illustration poster cartoon papercut plano plat flach illustrazione",
        "插画 イラスト",
    ),
    entry(
        Idea::Mono,
        "monochrome black-and-white bw noir grayscale greyscale monocromo schwarzweiß",
        "黑白 モノクロ 白黒",
    ),
    entry(Idea::Vintage, "vintage retro sepia nostalgic faded antique", "复古 レトロ"),
    entry(Idea::Neon, "neon cyberpunk synthwave vaporwave futuristic electric glowing neón", "霓虹 ネオン"),
    entry(Idea::Pastel, "pastel pale delicate candy", "パステル 粉彩"),
    entry(
        Idea::Vivid,
        "vivid vibrant colorful colourful saturated colorido coloré bunt colorato",
        "鮮やか 鲜艳",
    ),
    entry(Idea::Grain, "grainy grain film analog analogue 35mm", ""),
    entry(
        Idea::Calm,
        "calm peaceful serene tranquil quiet gentle tranquilo sereno calme paisible ruhig friedlich calmo",
        "静か 平静 고요",
    ),
    entry(
        Idea::Dramatic,
        "dramatic epic intense cinematic majestic powerful dramático dramatique dramatisch drammatico",
        "壮大 戏剧",
    ),
    entry(Idea::Dark, "dark moody gloomy somber oscuro sombre dunkel düster escuro scuro", "暗"),
    entry(
        Idea::Bright,
        "bright light airy luminous cheerful happy joyful brillante claro lumineux fröhlich brilhante luminoso",
        "明るい 明亮",
    ),
    entry(Idea::Warm, "warm cozy cosy cálido chaud warmes quente caldo", "暖"),
    entry(Idea::Cold, "cold cool chilly frío froid kalt frio freddo", "寒 冷"),
    entry(
        Idea::Soft,
        "soft dreamy dream ethereal romantic magical fantasy suave doux sanft weich morbido",
        "梦 夢 柔",
    ),
];

/// Colour names with their values.
pub(super) const COLOURS: &[(u32, &str, &str)] = &[
    (
        0xd4_2a26,
        "red crimson scarlet ruby rojo roja rouge rot rote roter vermelho vermelha rosso rossa",
        "赤 红 紅 빨간 लाल",
    ),
    (0xf0_7a1e, "orange tangerine naranja orangefarben laranja arancione", "橙 オレンジ 주황 नारंगी"),
    (
        0xf2_c935,
        "yellow amber amarillo amarilla jaune gelb gelbe amarelo amarela giallo gialla",
        "黄色 黄 노란 पीला",
    ),
    (0xd9_a93a, "gold ocher ochre dorado doré gold dourado dorato", "金色 금색"),
    (0x4c_a03c, "green emerald verde vert verte grün grüne", "緑 绿 초록 हरा"),
    (0x7f_8c3a, "olive moss oliva", ""),
    (0x1f_9a94, "teal turquoise turquesa türkis turchese", "青緑 青绿"),
    (0x2b_c4dc, "cyan aqua cian ciano", "水色"),
    (
        0x2a_62d6,
        "blue azure cobalt sapphire azul bleu bleue blau blaue blu azzurro",
        "青い 青色 蓝 藍 파란 नीला",
    ),
    (0x1c_2a5e, "navy indigo marino marine", "紺 靛"),
    (0x7c_3fc0, "purple violet morado púrpura violett lila roxo viola", "紫 보라 बैंगनी"),
    (0xb7_9be0, "lavender lilac mauve", ""),
    (0xd8_3aa6, "magenta fuchsia", ""),
    (0xf0_93b4, "pink rose rosa salmon coral", "ピンク 粉色 桃 분홍 गुलाबी"),
    (0x7a_4c2c, "brown chocolate bronze copper marrón brun braun marrom marrone", "茶色 棕 갈색 भूरा"),
    (0xe6_d5b4, "beige cream ivory", ""),
    (
        0xf4_f4f2,
        "white blanco blanca blanc blanche weiß weiss weiße branco branca bianco bianca",
        "白い 白色 흰 सफेद",
    ),
    (0x8a_8d92, "gray grey silver gris grau cinza grigio", "灰 회색"),
    (0x14_1518, "black negro negra schwarz schwarze preto preta nero nera", "黒い 黑色 검은 काला"),
];

/// The part of a picture that a colour before a word applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Sky,
    Water,
    Land,
    Light,
}

pub(super) fn part(idea: Idea) -> Option<Part> {
    match idea {
        Idea::Sky | Idea::Clouds | Idea::Sunset | Idea::Dawn | Idea::Dusk | Idea::Night | Idea::Fog => {
            Some(Part::Sky)
        }
        Idea::Sea => Some(Part::Water),
        Idea::Mountains | Idea::Hills | Idea::Meadow | Idea::Desert | Idea::Forest | Idea::City => {
            Some(Part::Land)
        }
        Idea::Sun | Idea::Moon | Idea::Stars | Idea::Aurora => Some(Part::Light),
        _ => None,
    }
}
