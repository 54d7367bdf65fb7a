//! The macro by which a generated crate declares its modules, one line per tag.

/// Declares the modules of a generated crate, one per tag.
///
/// Each line names a feature and a module, the same name twice: `cfg` takes a literal only. The module is compiled if this feature or the feature `all` is on.
///
/// ```ignore
/// openapi_crates_runtime::tags! {
///     "text_to_image" => text_to_image,
///     "voiceover" => voiceover,
/// }
/// ```
///
/// A module whose name is not ASCII also names its file: `"météo" => météo in "météo.rs"`.
///
/// With a leading `static`, the macro also declares a slice. The slice lists the static of the same name from
/// each compiled module, in the order of the lines:
///
/// ```ignore
/// openapi_crates_runtime::tags! {
///     /// Every operation, by module.
///     static OPERATIONS: &openapi_crates_runtime::table::Operation;
///     "text_to_image" => text_to_image,
///     "voiceover" => voiceover,
/// }
/// ```
#[macro_export]
macro_rules! tags {
    ($($feature:literal => $tag:ident $(in $file:literal)?),* $(,)?) => {$(
        #[cfg(any(feature = "all", feature = $feature))]
        $(#[path = $file])?
        pub mod $tag;
    )*};
    ($(#[$meta:meta])* static $name:ident: $row:ty; $($feature:literal => $tag:ident $(in $file:literal)?),* $(,)?) => {
        $(
            #[cfg(any(feature = "all", feature = $feature))]
            $(#[path = $file])?
            pub mod $tag;
        )*

        $(#[$meta])*
        pub static $name: &[&[$row]] = &[$(
            #[cfg(any(feature = "all", feature = $feature))]
            $tag::$name,
        )*];
    };
}
