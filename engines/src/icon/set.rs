//! The built-in icons: Lucide with its tags, under the ISC licence.
//!
//! `data/lucide/README.md` describes how the file is made.

use std::sync::OnceLock;

/// An icon of the set: strokes of width 2 in a square of 24.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedIcon {
    /// The unique name, such as `alarm-clock`.
    pub name: String,
    /// The tags, in lower-case words.
    pub tags: Vec<String>,
    /// The SVG elements without the outer `svg`, such as `<path d="…"/>`.
    pub body: String,
}

impl EmbeddedIcon {
    /// Returns the icon as its authors drew it, in `currentColor`.
    #[must_use]
    pub fn svg(&self) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"24\" height=\"24\" viewBox=\"0 0 24 24\" fill=\"none\" \
             stroke=\"currentColor\" stroke-width=\"2\" stroke-linecap=\"round\" stroke-linejoin=\"round\">{}</svg>",
            self.body
        )
    }
}

/// The name of the set in attributions.
pub const SET_NAME: &str = "Lucide";

/// The full licence of the set, which must accompany every copy.
pub const SET_LICENSE: &str = include_str!("../../data/lucide/LICENSE");

static PACKED: &[u8] = include_bytes!("../../data/lucide/icons.tsv.deflate");

/// A limit above the set's size, in case the file is damaged.
const MAX_BYTES: usize = 8 << 20;

/// Returns all icons, ordered by name. They are unpacked only once.
pub fn embedded() -> &'static [EmbeddedIcon] {
    static ICONS: OnceLock<Vec<EmbeddedIcon>> = OnceLock::new();
    ICONS.get_or_init(|| {
        let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(PACKED, MAX_BYTES).unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default().lines().filter_map(icon).collect()
    })
}

fn icon(line: &str) -> Option<EmbeddedIcon> {
    let mut parts = line.splitn(3, '\t');
    let (name, tags, body) = (parts.next()?, parts.next()?, parts.next()?);
    let tags = tags.split(',').filter(|tag| !tag.is_empty()).map(|tag| tag.trim().to_lowercase()).collect();
    Some(EmbeddedIcon { name: name.to_owned(), tags, body: body.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_icons_are_complete_and_sorted() {
        let icons = embedded();
        assert!(icons.len() > 1500, "{}", icons.len());
        assert!(icons.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert!(icons.iter().all(|icon| icon.body.starts_with('<') && icon.body.ends_with("/>")));
        let bell = icons.iter().find(|icon| icon.name == "bell").unwrap();
        assert!(bell.tags.iter().any(|tag| tag == "notification"));
        assert!(SET_LICENSE.starts_with("ISC License"));
    }
}
