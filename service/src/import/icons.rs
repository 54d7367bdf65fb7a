//! Imports icons from Iconify's JSON sets, the npm packages `@iconify-json/<set>`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;

use super::{
    Import, ImportError, Report, by_language, check, content_key, read, slug, stable_id, tag, title,
};
use crate::catalogue::{Author, Icon, Named, Thumbnail};
use crate::files::Area;

/// The sizes of an icon's pictures, in pixels.
const SIZES: [u32; 2] = [128, 512];

/// The version of the drawing code.
///
/// Stored files never change, so another number creates new files for all icons.
const DRAWING: u32 = 1;

/// The number of icons per write, which exceeds that of other records because icons are small.
const ICONS_PER_WRITE: usize = 256;

/// The number of icons that are drawn and stored at a time.
///
/// It exceeds the number of processors: icons mostly wait for the disk, and those that wait together share a
/// sync.
const AT_ONCE: usize = 16;

/// Words at the end of an icon's name that denote its style.
const STYLES: [(&str, &str); 9] = [
    ("filled", "Solid"),
    ("fill", "Solid"),
    ("solid", "Solid"),
    ("outline", "Outline"),
    ("outlined", "Outline"),
    ("rounded", "Rounded"),
    ("sharp", "Sharp"),
    ("duotone", "Duotone"),
    ("bold", "Bold"),
];

/// An Iconify set, the content of `icons.json`.
#[derive(Debug, Deserialize)]
pub struct Set {
    /// The prefix, such as `lucide`.
    pub prefix: String,
    /// The icons by name.
    pub icons: BTreeMap<String, SetIcon>,
    /// Other names of icons.
    #[serde(default)]
    pub aliases: BTreeMap<String, Alias>,
    /// The default width of its icons.
    #[serde(default = "default_side")]
    pub width: f64,
    /// The default height of its icons.
    #[serde(default = "default_side")]
    pub height: f64,
    /// The time of the last change, in seconds since 1970.
    #[serde(default, rename = "lastModified")]
    pub last_modified: i64,
    /// Information about the set; npm packages have it in `info.json`.
    #[serde(default)]
    pub info: Option<Info>,
    /// The names of icons, by category.
    #[serde(default)]
    pub categories: BTreeMap<String, Vec<String>>,
    /// The names of icons in other languages, by language and icon.
    ///
    /// They come from `translations.json`, because Iconify's format has no field for them.
    #[serde(skip)]
    pub names: BTreeMap<String, BTreeMap<String, String>>,
}

impl Set {
    /// Returns the visible icons with their names.
    fn shown(&self) -> impl Iterator<Item = (&String, &SetIcon)> {
        self.icons.iter().filter(|(_, icon)| !icon.hidden)
    }

    /// Returns the ids and names of the visible icons.
    ///
    /// The ids are the same at each import.
    pub fn ids(&self) -> impl Iterator<Item = (i64, &str)> {
        self.shown().map(|(name, _)| (self.id(name), name.as_str()))
    }

    fn id(&self, name: &str) -> i64 {
        stable_id("icon", &format!("{}:{name}", self.prefix))
    }
}

fn default_side() -> f64 {
    16.0
}

/// An icon of a set.
#[derive(Debug, Default, Deserialize)]
pub struct SetIcon {
    /// The markup within `<svg>`.
    pub body: String,
    /// The width in units of the drawing.
    pub width: Option<f64>,
    /// The height in units of the drawing.
    pub height: Option<f64>,
    /// The left edge.
    #[serde(default)]
    pub left: f64,
    /// The upper edge.
    #[serde(default)]
    pub top: f64,
    /// Whether it is no longer shown.
    #[serde(default)]
    pub hidden: bool,
    /// The tags in addition to the ones from its name.
    ///
    /// Iconify's format has no field for them.
    #[serde(skip)]
    pub tags: Vec<String>,
}

/// Another name of an icon.
#[derive(Debug, Deserialize)]
pub struct Alias {
    /// The name of the icon.
    pub parent: String,
}

/// Information about a set, the content of `info.json`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Info {
    /// The name, such as `Lucide`.
    pub name: String,
    /// The author.
    pub author: InfoAuthor,
    /// Whether its icons have colours of their own.
    pub palette: bool,
}

/// The author of a set.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct InfoAuthor {
    /// The name.
    #[serde(default)]
    pub name: String,
}

/// Reads a set from a folder or from a file.
///
/// The folder contains `icons.json`, and may contain `info.json` and `translations.json`.
///
/// # Errors
/// Fails if a file can't be read or is invalid.
pub fn read_set(path: &Path) -> Result<Set, ImportError> {
    let icons: PathBuf = if path.is_dir() { path.join("icons.json") } else { path.to_owned() };
    let mut set: Set = parse(&icons, &read(&icons)?)?;
    // Beside a file of another name, these files may belong to something else.
    let is_package = icons.file_name().is_some_and(|name| name == "icons.json");
    let beside = |name: &str| Some(icons.with_file_name(name)).filter(|path| is_package && path.is_file());
    if let Some(info) = beside("info.json").filter(|_| set.info.is_none()) {
        set.info = Some(parse(&info, &read(&info)?)?);
    }
    if let Some(path) = beside("translations.json") {
        let names = serde_json::from_slice(&read(&path)?).map_err(|error| error.to_string());
        let named = names.and_then(by_language).map_err(|why| ImportError::Content {
            why: format!("invalid names of icons by language: {why}"),
            path,
        });
        set.names = named?;
    }
    Ok(set)
}

fn parse<T: serde::de::DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<T, ImportError> {
    serde_json::from_slice(bytes).map_err(|error| ImportError::Content {
        path: path.to_owned(),
        why: format!("invalid JSON of an Iconify set: {error}"),
    })
}

impl Import<'_> {
    /// Imports a set; `progress` receives the numbers of finished and of all icons.
    ///
    /// # Errors
    /// Fails if a store fails.
    pub async fn icons(&self, set: &Set, progress: impl Fn(usize, usize)) -> Result<Report, ImportError> {
        let mut report = Report::default();
        let maker = self.maker(set).await?;
        let shown: Vec<_> = set.shown().collect();
        for (done, batch) in shown.chunks(ICONS_PER_WRITE).enumerate() {
            progress(done * ICONS_PER_WRITE, shown.len());
            let drawn = stream::iter(batch.iter().map(|(_, icon)| self.thumbnails(svg(set, icon))));
            let drawn: Vec<_> = drawn.buffered(AT_ONCE).try_collect().await?;
            let mut icons = Vec::with_capacity(batch.len());
            for ((name, icon), drawn) in batch.iter().zip(drawn) {
                match drawn {
                    Ok(thumbnails) => icons.push(record(set, name, icon, &maker, thumbnails)),
                    Err(why) => report.leave_out(Path::new(name.as_str()), why),
                }
            }
            // The files are on disk by now. Every record thus names existing files, even if the process ends
            // here.
            report.add(self.store.put_icons(&icons).await?);
            check(self.files, icons.iter().flat_map(Icon::files)).await?;
        }
        progress(shown.len(), shown.len());
        Ok(report)
    }

    /// Returns the pictures of an icon; draws and stores the missing ones.
    ///
    /// The inner error is the reason why the icon can't be drawn.
    async fn thumbnails(&self, svg: String) -> Result<Result<Vec<Thumbnail>, String>, ImportError> {
        let mut thumbnails = Vec::with_capacity(SIZES.len());
        for size in SIZES {
            // The key derives from the SVG, so that existing pictures are found without drawing them.
            let key = content_key("icons", format!("{DRAWING} {size} {svg}").as_bytes(), "png");
            if self.files.size(Area::Catalogue, &key).await?.is_none() {
                match self.parsers.draw(&svg, size).await {
                    Ok(png) => self.files.put(Area::Catalogue, &key, Bytes::from(png)).await?,
                    Err(why) => return Ok(Err(why)),
                }
            }
            thumbnails.push(Thumbnail { width: size, height: size, key });
        }
        Ok(Ok(thumbnails))
    }

    /// Returns the author of a set.
    async fn maker(&self, set: &Set) -> Result<Author, ImportError> {
        let named = set.info.as_ref().map(|info| info.author.name.clone()).filter(|name| !name.is_empty());
        self.author(&named.unwrap_or_else(|| title(&set.prefix))).await
    }

    /// Returns an author with a generated picture.
    ///
    /// The colour of the picture depends on the name.
    pub(super) async fn author(&self, name: &str) -> Result<Author, ImportError> {
        let id = stable_id("author", name);
        let hue = id.rem_euclid(360);
        let svg = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24"><circle cx="12" cy="12" r="12" fill="hsl({hue},55%,45%)"/><circle cx="12" cy="9.5" r="4" fill="white"/><path d="M4.5 20a7.5 6.5 0 0 1 15 0" fill="white"/></svg>"#
        );
        let avatar = self.stored("avatars", svg, "svg").await?;
        Ok(Author { id, name: name.to_owned(), slug: slug(name), avatar })
    }
}

/// Returns the complete SVG of an icon.
fn svg(set: &Set, icon: &SetIcon) -> String {
    let (width, height) = (icon.width.unwrap_or(set.width), icon.height.unwrap_or(set.height));
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="{} {} {width} {height}" width="{width}" height="{height}">{}</svg>"#,
        icon.left, icon.top, icon.body
    )
}

fn record(set: &Set, name: &str, icon: &SetIcon, maker: &Author, thumbnails: Vec<Thumbnail>) -> Icon {
    let info = set.info.clone().unwrap_or_default();
    let (concept, style) = concept_and_style(name, icon, &info);
    let family = if info.name.is_empty() { title(&set.prefix) } else { info.name };
    let mut tags: Vec<_> = name.split('-').filter(|word| word.len() > 1).map(tag).collect();
    for (alias, _) in set.aliases.iter().filter(|(_, alias)| alias.parent == name) {
        tags.extend(alias.split('-').filter(|word| word.len() > 1).map(tag));
    }
    tags.extend(icon.tags.iter().map(|name| tag(name)));
    let categories = set.categories.iter().filter(|(_, names)| names.iter().any(|named| named == name));
    tags.extend(categories.map(|(category, _)| tag(category)));
    let mut seen = std::collections::HashSet::new();
    tags.retain(|tag| seen.insert(tag.slug.clone()));
    Icon {
        id: set.id(name),
        slug: name.to_owned(),
        name: title(name),
        names: names(set, name),
        created_at: set.last_modified.saturating_mul(1000),
        style: Named { id: stable_id("style", style), name: style.to_owned() },
        family: Named { id: stable_id("family", &set.prefix), name: family },
        author: maker.clone(),
        free_svg: true,
        tags,
        concept,
        thumbnails,
    }
}

/// Returns the names of an icon in other languages.
fn names(set: &Set, name: &str) -> BTreeMap<String, String> {
    let named = |(language, names): (&String, &BTreeMap<String, String>)| {
        names.get(name).map(|name| (language.clone(), name.clone()))
    };
    set.names.iter().filter_map(named).collect()
}

/// Splits an icon's name into its concept and its style.
///
/// If the name contains no word for a style, the drawing determines it.
fn concept_and_style(name: &str, icon: &SetIcon, info: &Info) -> (String, &'static str) {
    for (word, style) in STYLES {
        if let Some(concept) = name.strip_suffix(word).and_then(|rest| rest.strip_suffix('-')) {
            return (concept.to_owned(), style);
        }
    }
    let style = if info.palette {
        "Color"
    } else if icon.body.contains("stroke=") {
        "Outline"
    } else {
        "Solid"
    };
    (name.to_owned(), style)
}
