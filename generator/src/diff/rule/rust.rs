//! Rules of the items of the generated crates: does code that uses them still compile?

super::rules! {
    /// A change of an item of the generated crates.
    ///
    /// Whether it breaks programs that call the client, or implementations of the server, also depends on who uses the item.
    RustRule => Rust;
    ModuleRemoved = "rust-module-removed" [Fine Fine Breaking Breaking]
        "A module no longer exists, with its Cargo feature, its server trait and the methods that mount it. A tag was removed \
         or has another name.",
    CrateRenamed = "rust-crate-renamed" [Fine Fine Breaking Breaking]
        "The crates have another name, so each `use` names one that doesn't exist.",
    CrateRemoved = "rust-crate-removed" [Fine Fine Breaking Breaking]
        "A crate is no longer generated.",
    TypeRemoved = "rust-type-removed" [Fine Fine Breaking Breaking]
        "A type no longer exists: the schema was removed, or is no longer used.",
    TypeMoved = "rust-type-moved" [Fine Fine Breaking Breaking]
        "A type has another name or module. The setting `[rename]` can keep the old name.",
    TypeKindChanged = "rust-type-kind-changed" [Fine Fine Breaking Breaking]
        "A type is of another kind: a struct, an enum, a union or an alias.",
    AliasChanged = "rust-alias-changed" [Fine Fine Breaking Breaking]
        "An alias stands for another type.",
    FieldRemoved = "rust-field-removed" [Fine Fine Breaking Breaking]
        "A field no longer exists.",
    FieldAdded = "rust-field-added" [Fine Fine Breaking Breaking]
        "A struct that code can destructure with all its fields (setting `exhaustive`) has another field.",
    ExhaustiveRemoved = "rust-exhaustive-removed" [Fine Fine Breaking Breaking]
        "Code can no longer destructure a struct with all its fields, or create it without its constructor.",
    FieldTypeChanged = "rust-field-type-changed" [Fine Fine Breaking Breaking]
        "A field has another type: `Option<T>` if its property is no longer required, for example.",
    ConstructorChanged = "rust-constructor-changed" [Fine Fine Breaking Breaking]
        "`new` takes other arguments, because other properties are required.",
    ConstructorRemoved = "rust-constructor-removed" [Fine Fine Breaking Breaking]
        "`new` no longer exists, because no property is required. `Default` replaces it.",
    DefaultRemoved = "rust-default-removed" [Fine Fine Breaking Breaking]
        "`Default` no longer exists, because a property is required. `new` replaces it.",
    ConversionRemoved = "rust-conversion-removed" [Fine Fine Breaking Breaking]
        "A type no longer converts into another one (`From`), so the short form of a call no longer compiles.",
    SetterRemoved = "rust-setter-removed" [Fine Fine Breaking Breaking]
        "A setter (`with_…`) no longer exists, because the property is required or was removed.",
    SetterChanged = "rust-setter-changed" [Fine Fine Breaking Breaking]
        "A setter (`with_…`) takes another type.",
    AccessorRemoved = "rust-accessor-removed" [Fine Fine Breaking Breaking]
        "The accessor of a default (`…_or_default`) no longer exists, because the property has no default or is required.",
    AccessorChanged = "rust-accessor-changed" [Fine Fine Breaking Breaking]
        "The accessor of a default (`…_or_default`) returns another type.",
    VariantRemoved = "rust-variant-removed" [Fine Fine Breaking Breaking]
        "A variant of an enum no longer exists.",
    VariantAdded = "rust-variant-added" [Fine Fine Breaking Breaking]
        "A variant of an enum is new, so a `match` without a wildcard (`_`) lacks it.",
    VariantTypeChanged = "rust-variant-type-changed" [Fine Fine Breaking Breaking]
        "A variant of an enum holds another type.",
    TraitRemoved = "rust-derive-removed" [Fine Fine Breaking Breaking]
        "A type no longer implements a trait, such as `Clone`, or one of the derives of the settings.",
    MethodRemoved = "rust-method-removed" [Fine Fine Breaking Breaking]
        "A method of the client or of a server trait no longer exists: the operation was removed, has another name or tag, or \
         is no longer routed.",
    MethodInputChanged = "rust-method-input-changed" [Fine Fine Breaking Breaking]
        "A method takes an input where it took none, or none where it took one.",
    MethodOutputChanged = "rust-method-output-changed" [Fine Fine Breaking Breaking]
        "A method returns another type, because the successful responses are others.",
    MethodErrorChanged = "rust-method-error-changed" [Fine Fine Breaking Breaking]
        "A method fails with another type, because the documented errors are others.",
    PrincipalChanged = "rust-principal-changed" [Fine Fine Fine Breaking]
        "A method of a server trait gets a caller, an optional one or none, because the security of the operation is another.",
    PrincipalTypeAdded = "rust-principal-type-added" [Fine Fine Fine Breaking]
        "A server trait now has the associated type `Principal`, because one of its operations requires credentials.",
    PrincipalTypeRemoved = "rust-principal-type-removed" [Fine Fine Fine Breaking]
        "A server trait no longer has the associated type `Principal`, because none of its operations requires credentials.",
    CredentialRemoved = "rust-credential-removed" [Fine Fine Breaking Breaking]
        "A method that sets or checks credentials no longer exists, because a security scheme was removed or has another \
         name.",
    CredentialChanged = "rust-credential-changed" [Fine Fine Breaking Fine]
        "A method that sets credentials takes other arguments, because the security scheme is of another kind.",
    ServerMethodRemoved = "rust-server-method-removed" [Fine Fine Breaking Fine]
        "A method that selects a named server no longer exists.",
}
