//! The errors of lists.

/// The reason why the next page of a list can't be requested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PagingError {
    /// The response names a page that was requested before.
    #[error("the response repeats the position `{position}` of an earlier page")]
    Repeated {
        /// The cursor or URL.
        position: String,
    },

    /// The page equals the one before: the server ignores the parameter that selects it.
    #[error("the page at `{position}` equals the one before")]
    SamePage {
        /// The number or the offset of the page.
        position: String,
    },

    /// The URL of the next page is invalid or leads to another server, which must not get the credentials.
    #[error("the URL `{url}` of the next page isn't on the server of the list")]
    Origin {
        /// The URL.
        url: String,
    },
}
