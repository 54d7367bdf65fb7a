//! How a generated crate lists its families: one line each.

/// Declares a generated crate's families: a module each, behind its feature or `all`.
///
/// ```ignore
/// openapi_crates_runtime::families! {
///     "text-to-image" => text_to_image,
///     "voiceover" => voiceover,
/// }
/// ```
///
/// A module whose name is not ASCII names its file: `"météo" => météo in "météo.rs"`.
///
/// With a name in front (`families! { static OPERATIONS: Operation; … }`), it also declares a slice that holds the
/// like-named slice of every family that is compiled in, in this order.
#[macro_export]
macro_rules! families {
    ($($feature:literal => $family:ident $(in $file:literal)?),* $(,)?) => {$(
        #[cfg(any(feature = "all", feature = $feature))]
        $(#[path = $file])?
        pub mod $family;
    )*};
    ($(#[$meta:meta])* static $name:ident: $row:ty; $($feature:literal => $family:ident $(in $file:literal)?),* $(,)?) => {
        $(
            #[cfg(any(feature = "all", feature = $feature))]
            $(#[path = $file])?
            pub mod $family;
        )*

        $(#[$meta])*
        pub static $name: &[&[$row]] = &[$(
            #[cfg(any(feature = "all", feature = $feature))]
            $family::$name,
        )*];
    };
}
