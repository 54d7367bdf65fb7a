//! The errors of lists.

use super::line;

/// The reason why the next page of a list can't be requested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PagingError {
    /// The response names a page that was requested before.
    #[error("the response repeats the position `{}` of an earlier page", line(position))]
    Repeated {
        /// The cursor, or the URL without its query.
        position: String,
    },

    /// The page equals the one before: the server ignores the parameter that selects it.
    #[error("the page at `{}` equals the one before", line(position))]
    SamePage {
        /// The number or the offset of the page.
        position: String,
    },

    /// The list has many pages in a row without an item, so that a wait for the next item might not end.
    #[error("{pages} pages in a row have no items")]
    Empty {
        /// The number of pages.
        pages: u32,
    },

    /// The body of the request can't take the position: it is not JSON, or another value is in the way.
    #[error("the body of the request can't take the position of the next page at `{path}`")]
    Body {
        /// The path of the property.
        path: String,
    },

    /// The response has a position that is neither a text nor a number.
    #[error("the position of the next page is neither a text nor a number")]
    Position,

    /// The task that requests pages ahead of time panicked, or its runtime ended.
    #[error("the task that requests pages ahead of time has ended")]
    Prefetch,
}
