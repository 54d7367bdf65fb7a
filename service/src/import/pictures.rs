//! Imports stock resources from folders of JPEG, PNG, WebP and SVG pictures.
//!
//! The import measures what it can. A JSON file next to a picture adds the rest, such as the people in it:
//! `white-house.json` belongs to `white-house.jpg`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{
    Collection, Failed, Import, ImportError, Report, by_language, extension_of, json_beside, modified,
    read_one, slug, tag, title,
};
use crate::catalogue::{Facets, FormatFile, Resource, Thumbnail};

/// The largest picture file, in bytes.
pub(super) const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// The sides of the square in which an SVG picture is measured, in pixels.
pub(super) const SVG_SIDE: u32 = 1024;

/// The content of the JSON file next to a picture.
///
/// All keys are optional. An unknown key is an error.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Details {
    /// The title; defaults to the file's name.
    pub title: Option<String>,
    /// The titles in other languages, such as `{"es": "Casa blanca"}`.
    pub titles: BTreeMap<String, String>,
    /// The keywords for what it shows; default to the words of the title.
    pub keywords: Vec<String>,
    /// The author.
    pub author: Option<String>,
    /// The series; defaults to the folder.
    pub series: Option<String>,
    /// Whether it needs a premium licence.
    pub premium: bool,
    /// The number of people in it.
    pub people: Option<u32>,
    /// Their ages: infant, child, teen, young-adult, adult, senior, elder.
    pub ages: Vec<String>,
    /// Their genders: male, female.
    pub genders: Vec<String>,
    /// Whether AI generated it.
    pub ai_generated: bool,
    /// The style of a vector.
    ///
    /// It is watercolor, flat, cartoon, geometric, gradient, isometric, 3d or hand-drawn.
    pub vector_style: Option<String>,
    /// The number of downloads.
    pub downloads: u32,
    /// The number of likes.
    pub likes: u32,
}

impl Import<'_> {
    /// Imports the pictures of a folder and its subfolders, or one picture.
    ///
    /// A picture is left out and reported if it can't be decoded or if its JSON file is invalid.
    ///
    /// # Errors
    /// Fails if the folder can't be read or if a store fails.
    pub async fn pictures(
        &self,
        collection: &Collection,
        progress: impl Fn(usize, usize),
    ) -> Result<Report, ImportError> {
        let pictures: Vec<PathBuf> =
            collection.files()?.into_iter().filter(|file| format_of(file).is_some()).collect();
        let mut report = Report::default();
        let read = async |picture: &Path| self.resource(collection, picture).await;
        let put = async |resources: &[Resource]| self.store.put_resources(resources).await;
        self.each(&mut report, &pictures, progress, read, put, Resource::files).await?;
        Ok(report)
    }

    async fn resource(&self, collection: &Collection, path: &Path) -> Result<Resource, Failed> {
        let details = details(path)?;
        let bytes = read_one(path, MAX_BYTES)?;
        let format = format_of(path).unwrap_or("resources");
        let is_vector = format == "svg";
        let (measured, preview) = self.parsers.measure(path, is_vector).await?;
        let path_inside = collection.relative(path);
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let size = bytes.len() as u64;
        let key = self.stored("pictures", bytes, &extension_of(path)).await?;
        let (width, height) = measured.preview;
        let preview = Thumbnail { width, height, key: self.stored("previews", preview, "jpg").await? };

        let author = details.author.clone().unwrap_or_else(|| "Unknown".to_owned());
        let title = details.title.clone().unwrap_or_else(|| title(&stem));
        let words: Vec<String> = if details.keywords.is_empty() {
            crate::catalogue::relevance::words(&title)
        } else {
            details.keywords.clone()
        };
        let folder = path_inside
            .parent()
            .map(|folder| slug(&folder.to_string_lossy()))
            .filter(|folder| !folder.is_empty());
        let changed = modified(path);
        Ok(Resource {
            id: collection.id("resource", path),
            filename: path_inside
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            key,
            keywords: words.iter().map(|word| tag(word)).collect(),
            facets: Facets {
                kind: if is_vector { "vector" } else { "photo" }.to_owned(),
                orientation: measured.orientation,
                premium: details.premium,
                colors: measured.colors,
                people: details.people,
                ages: details.ages,
                genders: details.genders,
                ai_generated: details.ai_generated,
                vector_style: details.vector_style,
            },
            preview,
            formats: BTreeMap::from([(
                format.to_owned(),
                vec![FormatFile {
                    id: collection.id("file", path),
                    name: path.file_name().map(|name| name.to_string_lossy().into_owned()),
                    colorspace: None,
                    size,
                }],
            )]),
            series: details.series.or(folder),
            author: self.author(&author).await?,
            title,
            titles: details.titles,
            published_at: changed,
            updated_at: changed,
            downloads: details.downloads,
            likes: details.likes,
        })
    }
}

/// Returns the API's name of a format, by the file's extension.
fn format_of(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "jpg" | "jpeg" => Some("jpg"),
        "png" => Some("png"),
        "webp" => Some("resources"),
        "svg" => Some("svg"),
        _ => None,
    }
}

/// Reads the JSON file next to a picture.
fn details(picture: &Path) -> Result<Details, String> {
    let mut details: Details = json_beside(picture)?;
    details.titles = by_language(details.titles)?;
    Ok(details)
}
