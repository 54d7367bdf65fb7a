//! Rules of the parts of values: properties, variants, values of enums.

super::rules! {
    /// A change of the parts of a value.
    ValueRule => Value;
    RequestPropertyAdded = "request-property-added" [Fine Risky Fine Risky]
        "An optional property of a request is new. Servers in use accept and ignore it, and so does a handler until it reads \
         the new field. With the setting `exhaustive = \"requests\"`, a handler that destructures the request does not compile.",
    RequestPropertyAddedClosed = "request-property-added-closed" [Fine Breaking Fine Risky]
        "An optional property of a request is new, and servers in use refuse properties that they don't know \
         (`additionalProperties: false`). A handler ignores it until it reads the new field.",
    RequestPropertyAddedRequired = "request-property-added-required" [Breaking Risky Fine Risky]
        "A required property of a request is new. Clients in use don't send it and get 400. Make it optional, with a default.",
    RequestPropertyRemoved = "request-property-removed" [Risky Fine Fine Fine]
        "A property of a request no longer exists. Servers ignore it when clients in use still send it.",
    RequestPropertyRemovedClosed = "request-property-removed-closed" [Breaking Fine Fine Fine]
        "A property of a request no longer exists, and the object refuses other properties (`additionalProperties: false`). \
         Clients in use that send it get 400.",
    RequestPropertyBecameRequired = "request-property-became-required" [Breaking Fine Fine Fine]
        "An optional property of a request is now required. Clients in use that leave it out get 400.",
    RequestPropertyBecameOptional = "request-property-became-optional" [Fine Risky Fine Fine]
        "A required property of a request is now optional. Servers in use still respond with 400 without it.",
    ResponsePropertyAdded = "response-property-added" [Fine Fine Fine Fine]
        "An optional property of a response is new. Clients must ignore properties that they don't know.",
    ResponsePropertyAddedClosed = "response-property-added-closed" [Breaking Fine Fine Fine]
        "A property of a response is new, and clients in use refuse properties that they don't know \
         (`additionalProperties: false`).",
    ResponsePropertyAddedRequired = "response-property-added-required" [Fine Breaking Fine Fine]
        "A required property of a response is new. Clients of the new document fail to read responses of servers in use.",
    ResponsePropertyRemoved = "response-property-removed" [Risky Fine Fine Fine]
        "An optional property of a response no longer exists. Clients in use that rely on it miss it.",
    ResponsePropertyRemovedRequired = "response-property-removed-required" [Breaking Fine Fine Fine]
        "A required property of a response no longer exists, or is `writeOnly` now. Clients in use fail to read the response.",
    ResponsePropertyRemovedClosed = "response-property-removed-closed" [Fine Breaking Fine Fine]
        "A property of a response no longer exists, and clients of the new document refuse properties that they don't know \
         (`additionalProperties: false`). Servers in use can still send it.",
    ResponsePropertyBecameRequired = "response-property-became-required" [Fine Breaking Fine Fine]
        "An optional property of a response is now required. Clients of the new document fail to read responses of servers \
         in use that leave it out.",
    ResponsePropertyBecameOptional = "response-property-became-optional" [Breaking Fine Fine Fine]
        "A required property of a response is now optional. Clients in use fail to read responses without it.",
    PropertyDeprecated = "property-deprecated" [Fine Fine Fine Fine]
        "A property is deprecated. The compiler warns programs that use it.",
    PropertyUndeprecated = "property-undeprecated" [Fine Fine Fine Fine]
        "A property is no longer deprecated.",
    SchemaDeprecated = "schema-deprecated" [Fine Fine Fine Fine]
        "A schema is deprecated. The compiler warns programs that use its type.",
    SchemaUndeprecated = "schema-undeprecated" [Fine Fine Fine Fine]
        "A schema is no longer deprecated.",
    RequestPropertyReadOnly = "request-property-became-read-only" [Risky Fine Fine Fine]
        "A property is now `readOnly`. Servers may ignore or refuse it in requests of clients in use.",
    ResponsePropertyWriteOnly = "response-property-became-write-only" [Risky Fine Fine Fine]
        "An optional property is now `writeOnly`. Responses to clients in use no longer have it.",
    PropertyDirectionRemoved = "property-direction-removed" [Fine Risky Fine Fine]
        "A property is no longer `readOnly` or `writeOnly`. Servers in use don't expect it in the other direction.",
    PropertyDirectionAdded = "property-direction-added" [Fine Fine Fine Fine]
        "A property is now `readOnly` or `writeOnly`. This direction, in which it is still sent, is not affected.",
    UnusedSchemaChanged = "unused-schema-changed" [Fine Fine Risky Risky]
        "A schema that no operation uses changed. What the change means depends on the programs that use its type.",
    RequestAdditionalRefused = "request-additional-properties-refused" [Breaking Fine Fine Fine]
        "An object of a request now refuses properties that it doesn't describe (`additionalProperties: false`). Clients in \
         use that send others get 400.",
    RequestAdditionalAllowed = "request-additional-properties-allowed" [Fine Risky Fine Fine]
        "An object of a request no longer refuses properties that it doesn't describe. Servers in use still do.",
    ResponseAdditionalRefused = "response-additional-properties-refused" [Fine Breaking Fine Fine]
        "An object of a response has no properties beside those that it describes (`additionalProperties: false`). Clients \
         of the new document refuse others, which servers in use may send.",
    ResponseAdditionalAllowed = "response-additional-properties-allowed" [Breaking Fine Fine Fine]
        "An object of a response can have properties that it doesn't describe. Clients in use refuse them.",
    AdditionalKept = "additional-properties-kept" [Fine Fine Fine Risky]
        "Properties that an object doesn't describe are now read and kept. A handler ignores them until it reads the new field.",
    AdditionalDropped = "additional-properties-dropped" [Fine Fine Fine Fine]
        "Properties that an object doesn't describe are now ignored, and no longer kept.",
    RequestEnumValueAdded = "request-enum-value-added" [Fine Risky Fine Risky]
        "A request can have another value of an enum. Servers in use respond with 400, and a handler has to handle it.",
    RequestEnumValueRemoved = "request-enum-value-removed" [Breaking Fine Fine Fine]
        "A request can't have a value of an enum any more. Clients in use that send it get 400.",
    ResponseEnumValueAdded = "response-enum-value-added" [Risky Fine Fine Fine]
        "A response can have another value of an enum. Generated clients read it as `Unknown`; other clients may fail.",
    ResponseEnumValueRemoved = "response-enum-value-removed" [Fine Risky Fine Fine]
        "A response can't have a value of an enum any more. Servers in use can still send it.",
    RequestVariantAdded = "request-variant-added" [Fine Risky Fine Risky]
        "A request can have another alternative of `oneOf` or `anyOf`. Servers in use respond with 400, and a handler has to \
         handle it.",
    RequestVariantRemoved = "request-variant-removed" [Breaking Fine Fine Fine]
        "A request can't have an alternative of `oneOf` or `anyOf` any more. Clients in use that send it get 400.",
    ResponseVariantAdded = "response-variant-added" [Risky Fine Fine Fine]
        "A response can have another alternative of `oneOf` or `anyOf`. Generated clients read it as `Unknown`; other clients \
         may fail.",
    ResponseVariantRemoved = "response-variant-removed" [Fine Risky Fine Fine]
        "A response can't have an alternative of `oneOf` or `anyOf` any more. Servers in use can still send it.",
    RequestTagAdded = "request-discriminator-value-added" [Fine Risky Fine Fine]
        "A request can name an alternative by another value of the discriminator. Servers in use don't know the value.",
    RequestTagRemoved = "request-discriminator-value-removed" [Breaking Fine Fine Fine]
        "A request can't name an alternative by a value of the discriminator any more. Clients in use that send it get 400.",
    ResponseTagAdded = "response-discriminator-value-added" [Risky Fine Fine Fine]
        "A response can name an alternative by another value of the discriminator. Clients in use don't know the value.",
    ResponseTagRemoved = "response-discriminator-value-removed" [Fine Risky Fine Fine]
        "A response doesn't name an alternative by a value of the discriminator any more. Servers in use still do.",
    RequestDefaultChanged = "request-default-changed" [Risky Risky Fine Risky]
        "The default of a request's value changed, so a request without the value means something else.",
    ResponseDefaultChanged = "response-default-changed" [Risky Risky Fine Fine]
        "The default of a response's value changed, so a response without the value means something else.",
}
