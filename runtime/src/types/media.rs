//! Media that strings hold or refer to.

use std::{borrow::Cow, fmt};

use super::{Base64, ByteStream, Bytes, File};

/// Defines a string for a medium, which converts from what a program has.
macro_rules! medium {
    ($(#[$docs:meta])* $name:ident, $inline:expr) => {
        $(#[$docs])*
        #[derive(Clone, PartialEq, Eq)]
        pub struct $name(String);

        impl From<File> for $name {
            fn from(file: File) -> Self {
                Self($inline(&file))
            }
        }

        impl From<$name> for String {
            fn from(medium: $name) -> Self {
                medium.0
            }
        }

        medium!(@ $name, |file| File::from(file).into(); Bytes, Vec<u8>);
        medium!(@ $name, |text| Self(text.into()); String, &String, &str, Cow<'_, str>, Box<str>);

        /// Shows the number of bytes instead of the text.
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({} bytes)", stringify!($name), self.0.len())
            }
        }
    };
    (@ $name:ident, |$value:ident| $made:expr; $($from:ty),+) => {
        $(
            impl From<$from> for $name {
                fn from($value: $from) -> Self {
                    $made
                }
            }
        )+
    };
}

medium! {
    /// The text of a string that takes a URL, or a medium as base64 (`x-media` with `inline: base64`).
    ///
    /// It converts from a [`File`] and from bytes. A string is sent as it is.
    ///
    /// ```
    /// use openapi_crates_runtime::types::Base64Medium;
    ///
    /// let text = |medium: Base64Medium| String::from(medium);
    /// assert_eq!(text(vec![0xff, 0xd8].into()), "/9g=");
    /// assert_eq!(text("https://example.com/a.png".into()), "https://example.com/a.png");
    /// ```
    Base64Medium, |file: &File| Base64::encode_text(&file.data)
}

medium! {
    /// The text of a string that takes a URL, or a medium as `data:` URI (`x-media` with `inline: data-uri`).
    ///
    /// It converts from a [`File`] and from bytes. Bytes, and a file without a media type, are
    /// `application/octet-stream`. A string is sent as it is.
    ///
    /// ```
    /// use openapi_crates_runtime::types::{DataUriMedium, File};
    ///
    /// let file = File::from(vec![0xff, 0xd8]).with_content_type("image/jpeg");
    /// assert_eq!(String::from(DataUriMedium::from(file)), "data:image/jpeg;base64,/9g=");
    /// ```
    DataUriMedium, |file: &File| {
        let media_type = file.content_type.as_deref().unwrap_or("application/octet-stream");
        format!("data:{media_type};base64,{}", Base64::encode_text(&file.data))
    }
}

impl From<File> for Base64 {
    fn from(file: File) -> Self {
        Self(file.data.into())
    }
}

impl From<Bytes> for Base64 {
    fn from(bytes: Bytes) -> Self {
        Self(bytes.into())
    }
}

impl From<File> for Bytes {
    fn from(file: File) -> Self {
        file.data
    }
}

impl From<File> for ByteStream {
    fn from(file: File) -> Self {
        file.data.into()
    }
}
