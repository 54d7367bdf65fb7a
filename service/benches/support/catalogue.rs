//! A realistic catalogue and searches in it, generated from a seed.
//!
//! Benchmarks and scale tests use it. Word frequencies follow Zipf and Mandelbrot, authors and downloads have
//! long tails, and a series comes from one author at one time. On one day, a seed always gives the same
//! resources, and a larger catalogue begins with the resources of a smaller one.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use asset_service::catalogue::query::{ResourceOrder, ResourceQuery};
use asset_service::catalogue::{Author, Facets, FormatFile, Resource, Tag, Thumbnail, relevance};

const VOCABULARY: usize = 10_000;
const AUTHORS: f64 = 20_000.0;
/// The number of consecutive resources by one author, mostly in one series.
const SHOOT: u64 = 12;
const DAY: i64 = 24 * 60 * 60 * 1000;

/// Returns this many resources.
pub fn resources(count: u64, seed: u64) -> impl Iterator<Item = Resource> {
    let today = today();
    (0..count).map(move |number| resource(number, seed, today))
}

/// A search, as the store and as a request takes it.
#[derive(Debug, Clone)]
pub struct Search {
    /// The kind of the search.
    pub kind: &'static str,
    /// The query for the store.
    pub query: ResourceQuery,
    /// The parameters of `GET /v1/resources`, not percent-encoded.
    pub parameters: Vec<(String, String)>,
}

/// Returns searches of all kinds, most as people search, some as only machines do.
pub fn queries(count: u64, seed: u64) -> Vec<Search> {
    let today = today();
    (0..count).map(|number| search(&mut Random::new(seed ^ 0x5ea2c4, number), today)).collect()
}

/// The kinds of searches, with their share in percent.
const KINDS: [(&str, u64); 14] = [
    ("common word", 12),
    ("word", 14),
    ("rare word", 10),
    ("two words", 16),
    ("three words", 6),
    ("word and filter", 12),
    ("word and three filters", 6),
    ("filter", 5),
    ("three filters", 4),
    ("period", 4),
    ("author", 3),
    ("everything", 3),
    ("far page", 3),
    ("ids", 2),
];

fn search(random: &mut Random, today: i64) -> Search {
    let kind = random.weighted(&KINDS);
    let mut search = Search { kind, query: ResourceQuery::default(), parameters: Vec::new() };
    search.query.now = today;
    let mut words = Vec::new();
    match kind {
        "common word" => words.push(random.below(20)),
        "word" | "word and filter" | "word and three filters" | "far page" => words.push(random.word()),
        "rare word" => words.push(VOCABULARY as u64 - 1 - random.below(2000)),
        "two words" => words.extend([random.word(), random.word()]),
        "three words" => words.extend([random.word(), random.word(), random.word()]),
        "author" => {
            let author = random.author();
            search.query.author = Some(author);
            search.add("filters[author]", author);
        }
        "period" => {
            let (name, days) = random.pick(&[("last-month", 31), ("last-quarter", 92), ("last-year", 366)]);
            search.query.published_since = Some(today - days * DAY);
            search.add("filters[period]", name);
            words.extend((random.below(2) == 0).then(|| random.word()));
        }
        "ids" => {
            search.query.ids = (0..20).map(|_| id(random.below(1000))).collect();
            let ids: Vec<String> = search.query.ids.iter().map(ToString::to_string).collect();
            search.add("filters[ids]", ids.join(","));
        }
        _ => {}
    }
    let filters = match kind {
        "word and filter" | "filter" => 1,
        "word and three filters" | "three filters" => 3,
        "far page" => random.below(2) as usize,
        _ => 0,
    };
    // Pick filters of different groups: start at a random row and take every sixth one.
    let mut at = random.below(FILTERS.len() as u64) as usize;
    for _ in 0..filters {
        let (parameter, value, facet) = FILTERS[at % FILTERS.len()];
        search.query.any_of.push(vec![facet.to_owned()]);
        search.add(parameter, value);
        at += 6;
    }
    if !words.is_empty() {
        let term = words.into_iter().map(word).collect::<Vec<_>>().join(" ");
        search.query.words = relevance::words(&term);
        search.add("term", term);
    }
    if random.below(10) < 3 {
        search.query.order = ResourceOrder::Recent;
        search.add("order", "recent");
    }
    search.query.limit = if random.below(10) == 0 { 100 } else { 20 };
    search.add("limit", search.query.limit);
    let page = match kind {
        // Requests can reach 100 pages.
        "far page" => 2 + random.below(99),
        // Few people look at the second or third page.
        _ => [1, 1, 1, 1, 1, 1, 1, 2, 2, 3][random.below(10) as usize],
    };
    search.query.offset = (page - 1) * u64::from(search.query.limit);
    search.add("page", page);
    search
}

impl Search {
    fn add(&mut self, name: &str, value: impl ToString) {
        self.parameters.push((name.to_owned(), value.to_string()));
    }
}

/// Filters as parameters, with their facets.
///
/// Rows six apart belong to different groups.
const FILTERS: [(&str, &str, &str); 18] = [
    ("filters[orientation][landscape]", "1", "orientation:horizontal"),
    ("filters[license][premium]", "1", "license:premium"),
    ("filters[color]", "red", "color:red"),
    ("filters[people][include]", "1", "people:some"),
    ("filters[content_type][photo]", "1", "kind:photo"),
    ("filters[ai-generated][excluded]", "1", "ai:no"),
    ("filters[content_type][vector]", "1", "kind:vector"),
    ("filters[orientation][square]", "1", "orientation:square"),
    ("filters[people][number]", "2", "people:2"),
    ("filters[license][freemium]", "1", "license:freemium"),
    ("filters[people][age]", "senior", "age:senior"),
    ("filters[content_type][psd]", "1", "kind:psd"),
    ("filters[color]", "blue", "color:blue"),
    ("filters[people][gender]", "female", "gender:female"),
    ("filters[orientation][panoramic]", "1", "orientation:panoramic"),
    ("filters[ai-generated][only]", "1", "ai:yes"),
    ("filters[color]", "yellow", "color:yellow"),
    ("filters[people][exclude]", "1", "people:none"),
];

fn resource(number: u64, seed: u64, today: i64) -> Resource {
    let mut shoot = Random::new(seed, u64::MAX - number / SHOOT);
    let author = shoot.author();
    let is_series = shoot.below(10) < 7;
    let day = today - (shoot.unit().powi(2) * 8.0 * 366.0) as i64 * DAY;
    let mut random = Random::new(seed, number);
    let title_words = 2 + random.below(5);
    let title: Vec<String> = (0..title_words).map(|_| word(random.word())).collect();
    let mut keywords = title.clone();
    keywords.extend((0..6 + random.below(12)).map(|_| word(random.word())));
    let facets = facets(&mut random);
    let published_at = day - random.below(DAY.unsigned_abs()) as i64;
    let id = id(number);
    Resource {
        id,
        title: title.join(" "),
        titles: BTreeMap::new(),
        filename: format!("{}-{number}.jpg", title.join("-")),
        key: format!("pictures/{id:032x}.jpg"),
        keywords: keywords.into_iter().map(|name| Tag { slug: name.clone(), name }).collect(),
        preview: Thumbnail { width: 740, height: 493, key: format!("previews/{id:032x}.jpg") },
        formats: formats(&facets.kind, id, &mut random),
        facets,
        series: is_series.then(|| format!("series-{}", number / SHOOT)),
        author: Author {
            id: author,
            name: format!("{} {author}", word(author.unsigned_abs())),
            slug: format!("author-{author}"),
            avatar: format!("avatars/{author:032x}.svg"),
        },
        published_at,
        updated_at: published_at + random.below(90) as i64 * DAY,
        // A few resources have very many downloads.
        downloads: (2.0 / (random.unit() + 0.000_01)).powf(1.1) as u32,
        likes: random.below(1000) as u32,
    }
}

fn facets(random: &mut Random) -> Facets {
    let kind = random.weighted(&[("photo", 60), ("vector", 28), ("psd", 12)]);
    let orientation =
        random.weighted(&[("horizontal", 58), ("vertical", 24), ("square", 14), ("panoramic", 4)]);
    let people = random.weighted(&[(None, 30), (Some(0), 40), (Some(1), 16), (Some(2), 8), (Some(5), 6)]);
    let shown = people.unwrap_or_default() as usize;
    let ages = ["infant", "child", "teen", "young-adult", "adult", "senior", "elder"];
    let colors =
        ["black", "blue", "gray", "green", "orange", "red", "white", "yellow", "purple", "cyan", "pink"];
    let styles = ["watercolor", "flat", "cartoon", "geometric", "gradient", "isometric", "3d", "hand-drawn"];
    let mut colors: Vec<String> = (0..1 + random.below(3)).map(|_| random.pick(&colors).to_owned()).collect();
    colors.dedup();
    Facets {
        kind: kind.to_owned(),
        orientation: orientation.to_owned(),
        premium: random.below(100) < 65,
        colors,
        people,
        ages: (0..shown.min(2)).map(|_| random.pick(&ages).to_owned()).collect(),
        genders: (0..shown.min(2)).map(|_| random.pick(&["male", "female"]).to_owned()).collect(),
        ai_generated: random.below(100) < 18,
        vector_style: (kind == "vector").then(|| random.pick(&styles).to_owned()),
    }
}

fn formats(kind: &str, id: i64, random: &mut Random) -> BTreeMap<String, Vec<FormatFile>> {
    let names: &[&str] = match kind {
        "vector" => &["ai", "eps", "jpg", "svg"],
        "psd" => &["jpg", "psd"],
        _ => &["jpg"],
    };
    let file = |(number, name): (i64, &&str)| {
        let file = FormatFile {
            id: id * 4 + number,
            name: Some(format!("{id}.{name}")),
            colorspace: Some("sRGB".to_owned()),
            size: 100_000 + random.below(20_000_000),
        };
        ((*name).to_owned(), vec![file])
    };
    (0..).zip(names).map(file).collect()
}

/// Returns the id of a resource; ids are unique and scattered.
fn id(number: u64) -> i64 {
    ((number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) & ((1 << 44) - 1)) as i64
}

/// Returns the word of this rank: two syllables.
fn word(rank: u64) -> String {
    let syllable = |number: u64| {
        let consonants = b"bcdfghjklmnprstvwxyz";
        let vowels = b"aeiou";
        [consonants[(number / 5 % 20) as usize], vowels[(number % 5) as usize]].map(char::from)
    };
    [syllable(rank / 100), syllable(rank)].into_iter().flatten().collect()
}

/// Returns today's midnight in milliseconds since 1970.
fn today() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time after 1970").as_millis() as i64;
    now - now % DAY
}

/// A random number generator (splitmix64) with a fixed seed.
struct Random(u64);

impl Random {
    fn new(seed: u64, stream: u64) -> Self {
        let mut random = Self(seed);
        random.0 = random.next() ^ stream.wrapping_mul(0xd134_2543_de82_ef95);
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Returns a number from 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    fn weighted<T: Copy>(&mut self, from: &[(T, u64)]) -> T {
        let mut left = self.below(from.iter().map(|(_, weight)| weight).sum());
        for (one, weight) in from {
            if left < *weight {
                return *one;
            }
            left -= weight;
        }
        unreachable!("the weights' sum is larger")
    }

    /// Returns an author; a few authors have many resources.
    fn author(&mut self) -> i64 {
        1 + (self.unit().powi(3) * AUTHORS) as i64
    }

    /// Returns a word's rank.
    ///
    /// The most common word is in about a third of the resources, rare ones in one of a thousand.
    fn word(&mut self) -> u64 {
        static SHARES: LazyLock<Vec<f64>> = LazyLock::new(|| {
            let mut sum = 0.0;
            (0..VOCABULARY)
                .map(|rank| {
                    sum += 1.0 / (rank as f64 + 6.0);
                    sum
                })
                .collect()
        });
        let wanted = self.unit() * SHARES[VOCABULARY - 1];
        SHARES.partition_point(|share| *share < wanted) as u64
    }
}
