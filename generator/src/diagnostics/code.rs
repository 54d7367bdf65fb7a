//! The stable diagnostic codes and their explanations.

use std::fmt;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal: $explanation:literal,)+) => {
        /// The kind of a diagnostic.
        ///
        /// Names are stable, so that scripts can match them and people can search for them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Code {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the name in kebab-case: `unknown-ref`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// Returns an explanation: what the code means and what to do.
            #[must_use]
            pub const fn explanation(self) -> &'static str {
                match self {
                    $(Self::$variant => $explanation,)+
                }
            }
        }
    };
}

codes! {
    /// The text is not valid JSON or YAML.
    Syntax = "syntax":
        "The text is not valid JSON or YAML, so nothing else was checked. The position is where the parser \
         stopped; the mistake is there or shortly before.",
    /// There is no `openapi` or `swagger` field.
    NoOpenApi = "no-openapi":
        "The document has neither an `openapi` field, as those of OpenAPI 3 have, nor a `swagger` field, as those of \
         Swagger 2.0 have.",
    /// The version is not 2.0, 3.0, 3.1 or 3.2.
    UnsupportedVersion = "unsupported-version":
        "The field `openapi` or `swagger` names a version that is not supported. Swagger 2.0 and OpenAPI 3.0, 3.1 and \
         3.2 are supported.",
    /// A field of OpenAPI 3 occurs in a document of Swagger 2.0.
    NotInSwagger = "not-in-swagger":
        "Swagger 2.0 does not define this field, keyword or value, but OpenAPI 3 or JSON Schema does, so it is read as \
         they define it. Other tools may ignore it or refuse the document. `openapi-crates upgrade` writes the document \
         as OpenAPI 3.1, where it is defined.",
    /// An overlay can't be read.
    BadOverlay = "bad-overlay":
        "A file that is given as an overlay is none, or an action of it is not described as the Overlay \
         Specification 1.1 requires: it has no `target`, or `update` and `copy` at once. Nothing is generated, \
         because the document may contain what the overlay should remove.",
    /// A path of an overlay is not a JSONPath.
    InvalidJsonPath = "invalid-json-path":
        "The `target` or `copy` of an action is not a JSONPath as RFC 9535 defines it. Names that are not only \
         letters, digits and `_` need brackets and quotes: `$.paths['/pets/{id}'].get`. Filters have `==`, \
         `&&` and `||`, but not `in`: `$.tags[?@.name == 'a' || @.name == 'b']`.",
    /// An action of an overlay can't be applied.
    OverlayConflict = "overlay-conflict":
        "An action of an overlay can't be applied to the nodes that it selects, so the action is left out and \
         nothing is generated. Objects can be merged into objects and arrays into arrays; a primitive value \
         (string, number, boolean or null) replaces another. The target selects nodes of one of these kinds, \
         and `copy` exactly one node.",
    /// The target of an action selects nothing.
    OverlayNoMatch = "overlay-no-match":
        "The target of an action selects no node of the document, so the action has no effect. The document may \
         have changed since the overlay was written. An overlay is applied before references are resolved, to the \
         main file only, and an action sees the result of the previous ones.",
    /// A part of an overlay has no effect.
    OverlayNoEffect = "overlay-no-effect":
        "An action of an overlay has no `update`, `copy` or `remove: true`, so it changes nothing; or it has \
         `remove: true` and another change beside it, which has no effect.",
    /// The overlay is meant for another document.
    OverlayExtends = "overlay-extends":
        "The field `extends` of an overlay names a file, but the overlay is applied to a document whose file has \
         another name. The overlay is applied all the same. A URL in `extends` is not compared.",
    /// A field occurs twice in an object.
    DuplicateKey = "duplicate-key":
        "A field occurs twice in one object. Parsers disagree about which of the two counts, so remove one. \
         This generator uses the first.",
    /// A `$ref` can't be resolved.
    UnknownRef = "unknown-ref":
        "A `$ref` names something that does not exist. Check the spelling (names are case-sensitive) and \
         the section: schemas are under `#/components/schemas/`, parameters under \
         `#/components/parameters/`; in Swagger 2.0, they are under `#/definitions/` and `#/parameters/`. A schema that is not found becomes any JSON value; a parameter, \
         response or path item that is not found is left out.",
    /// A `$ref` points to a file that is not valid JSON or YAML.
    UnreadableFile = "unreadable-file":
        "A `$ref` points to a file that is not valid JSON or YAML, so nothing in that file is found. The \
         position is where the parser stopped; the mistake is there or shortly before.",
    /// A node does not have the type that the specification requires.
    WrongType = "wrong-type":
        "A node does not have the type that the OpenAPI specification requires: an array instead of an \
         object, for example. The node is ignored.",
    /// A required field is missing.
    MissingField = "missing-field":
        "An object lacks a field that the OpenAPI specification requires. An object that has no meaning \
         without the field is left out.",
    /// A field or keyword is unknown.
    UnknownField = "unknown-field":
        "OpenAPI does not define this field here, so it has no effect. Check the spelling; the names of \
         extensions begin with `x-`. A `$ref` in place of an operation is followed.",
    /// The tags of the document contradict each other.
    BadTag = "bad-tag":
        "The `parent` of a tag is not declared in `tags`, the parents of a tag lead back to it, or two tags have \
         the same name. The `parent` has no effect; of two tags with one name, the first is used.",
    /// A server or one of its variables is wrong.
    BadServer = "bad-server":
        "The URL of a server is a template, and its variables contradict it: a variable in the URL is not declared \
         in `variables` or occurs twice, a declared one does not occur, braces don't match, or the `default` is not \
         in the `enum`. Or the URL has a query or fragment, or two servers have the same `name`. Or the server of an operation with \
         security is not encrypted, although that of the document is. The client uses the \
         URL of the document's first server with the defaults as they are. If a part in braces is left, the client \
         has no default URL, and its builder needs one.",
    /// The generated code can't express a feature of OpenAPI.
    Unsupported = "unsupported":
        "The document uses a feature of OpenAPI that the generated code can't express. The message names \
         the fallback (any JSON value, raw bytes). The Rust type accepts every value that the document \
         allows. Constraints of a schema are checked all the same, except behind a `$dynamicRef` that is beside \
         `$ref` or has too many targets.",
    /// Two operations have the same `operationId`.
    DuplicateOperationId = "duplicate-operation-id":
        "Two operations have the same `operationId`, which must be unique in a document, callbacks included. \
         Operations are named after their method and path until each has an `operationId` of its own.",
    /// An operation has no `operationId`.
    NoOperationId = "no-operation-id":
        "An operation has no `operationId`, so it is named after its method and path. The name changes with \
         the path; add an `operationId` to keep it stable.",
    /// A key of `additionalOperations` is not a method that it may have.
    BadMethod = "bad-method":
        "A key of `additionalOperations` is not a method that it may have. It must be an HTTP method, in the \
         letters in which it is sent. Methods such as `GET` and `QUERY` have a field of the path item. The \
         operation is left out.",
    /// A path template and its path parameters don't match.
    PathParameter = "path-parameter":
        "A path template and its path parameters don't match. Each `{name}` in the template needs a \
         parameter with that name, `in: path` and `required: true`, and each such parameter needs a \
         `{name}` in the template. An undeclared parameter is read as a string; a parameter that is not in \
         the template is left out.",
    /// Two parameters have the same name and location.
    DuplicateParameter = "duplicate-parameter":
        "Two parameters of one operation have the same name and location. The first one is used.",
    /// A parameter is not described as OpenAPI allows.
    BadParameter = "bad-parameter":
        "A parameter is not described as OpenAPI requires. It has an unknown location, a style that its \
         location does not support, `content` together with `schema`, or more than one media type, or it is \
         a header that OpenAPI describes elsewhere (`Accept`, `Content-Type`, `Authorization`).",
    /// A regular expression can't be checked.
    InvalidPattern = "invalid-pattern":
        "The regular expression is not one of ECMA-262, or no engine can run it. A pattern is read with flag \
         `u`: `.` is a code point, `\\p{L}` a letter, and there is no `(?i)`, `\\A` or `\\Z`. Not supported are \
         back-references in a look-behind, and those to a group that a repetition may skip. The pattern is \
         not checked.",
    /// A status is invalid.
    InvalidStatus = "invalid-status":
        "A key of `responses` is not a status code from 100 to 599, a class (`4XX`) or `default`. The \
         response under this key is left out.",
    /// Two paths match the same requests, or a path matches no request.
    PathConflict = "path-conflict":
        "Two paths match the same requests, or a path matches none. A server can't tell requests apart if \
         two paths differ only in the names of their parameters; it has the first of the two. A path with a \
         query or fragment matches no request, and a parameter with a pattern (`{name=projects/*}`, `{+name}`) can't be \
         routed; the server does not have these paths. The client has all of them: it adds its query to that of the path, \
         and keeps the slashes in a value that has a pattern.",
    /// Bounds contradict each other or have no effect.
    BadBounds = "bad-bounds":
        "The bounds contradict each other (`minimum` above `maximum`), so that no value is valid, or a \
         bound has no effect (`minLength` of a number, `multipleOf: 0`). Or a bound is outside of the range of the \
         `format`: then the format has no effect, and the bounds choose the Rust type, which has at most 64 bits. Values \
         that it can't hold are refused.",
    /// An example does not match its schema.
    BadExample = "bad-example":
        "The example does not match its schema. The message names a keyword that it violates, and the JSON pointer of the \
         value in the example. The documentation shows it anyway, but no example input is \
         built from it.",
    /// An operation documents no successful response.
    NoSuccess = "no-success":
        "An operation documents no successful response, so an empty `200` response is assumed.",
    /// A response without a body describes content.
    NoBody = "no-body":
        "HTTP gives the response no body: the responses to `HEAD`, and those with the status 1xx, 204, 205 and 304. \
         So its `content` has no effect, and the Rust type has only the headers. Remove the `content`, or use \
         another status.",
    /// An `enum` has no values, or unexpected ones.
    BadEnum = "bad-enum":
        "An `enum` must list at least one value, no value twice, and only values of the schema's `type`. \
         Values that only look like another type (`1` where `type` is `string`) are read as values of the \
         `type`.",
    /// A default does not match its schema.
    BadDefault = "bad-default":
        "The default does not match its schema, so it is left out. A number or boolean that only lacks quotation \
         marks, such as `1.10` where `type` is `string`, is converted.",
    /// An extension has an invalid value.
    BadExtension = "bad-extension":
        "An extension has an invalid value, or names something that does not exist or has another type. The generator reads \
         `x-rules`, `x-family`, `x-body-limit`, `x-closed-query`, `x-requires`, `x-permanent`, `x-rejections`, `x-task`, \
         `x-pagination` and others. A description of pages for another tool that can't be read is a warning. So is a \
         description that can be meant: an id of a task that is not required, a failure such as `cancelled` that neither \
         `done` nor `failed` of `x-task` has, and defaults of tasks or pages that no operation uses.",
    /// The parts of an `allOf` contradict each other.
    AllOfConflict = "all-of-conflict":
        "The parts of an `allOf` disagree about a property or type, so that no value can match all of them. \
         The later part is used.",
    /// A discriminator does not match its union.
    BadDiscriminator = "bad-discriminator":
        "A discriminator does not match its union. It names a property that a variant does not have, maps a \
         value to something that is not a variant, or leaves a variant without a value. The decoder \
         identifies such a variant by its shape. Or several variants allow objects without the property: such an \
         object becomes the variant that requires what it has and names most of its properties, else the first.",
    /// A variant occurs twice in a union.
    UnionOverlap = "union-overlap":
        "A variant occurs twice in a union. The second one has no variant of its own, and no value can \
         match exactly one of the two, as `oneOf` requires.",
    /// A schema consists only of itself.
    RecursiveAlias = "recursive-alias":
        "A schema consists only of references, arrays and maps that lead back to it, or applies itself to \
         the same value. Rust has no type for that, so the type is any JSON value where the schema refers \
         to itself.",
    /// Schemas are nested too deeply.
    TooDeep = "too-deep":
        "Schemas are nested more deeply than the Rust compiler can follow. Below that depth, the Rust type \
         is any JSON value. Move the inner schemas to `components/schemas`.",
    /// A `format` is unknown.
    UnknownFormat = "unknown-format":
        "The `format` of the schema is unknown, so it is not checked.",
    /// A keyword next to `$ref` has no effect.
    RefSibling = "ref-sibling":
        "In Swagger 2.0 and OpenAPI 3.0, a keyword next to `$ref` has no effect. Put the `$ref` into an `allOf` and the \
         other keywords next to that `allOf`. `nullable: true` is read all the same: the value may be null, as in 3.1.",
    /// A security scheme is not declared.
    UnknownScheme = "unknown-scheme":
        "A security requirement names a scheme that is not declared under `components/securitySchemes`, or under \
         `securityDefinitions` in Swagger 2.0. The \
         scheme is read as a bearer token, so that the operation does not become public.",
    /// A body or media type is not described as OpenAPI allows.
    BadContent = "bad-content":
        "A body is not described as OpenAPI requires. It has no media type, an invalid one or the same one \
         twice, or it is a form that is not an object; or the operation has a method for which HTTP gives a \
         request body no meaning (`GET`, `HEAD`, `DELETE`).",
    /// The keyword `xml` has no effect, or a different one than it states.
    BadXml = "bad-xml":
        "The keyword `xml` has no effect, or not the one that it states. An attribute or text that is an object or an \
         array is an element. A prefix needs a `namespace`, and the `namespace` of an attribute a prefix. A value whose \
         name XML does not allow can't be sent, nor an attribute whose prefix has another namespace in the same tag. \
         Of two properties with one name, a reader can't know which one is meant. OpenAPI ignores the `name` of an array without an element \
         around its items; here it is the name of the items if they have none of their own.",
    /// An operation refers to a callback.
    PortableCallbackRef = "portable-callback-ref":
        "An operation refers to a callback under `components/callbacks`. OpenAPI allows that, but \
         openapi-python-client, openapi-to-rust and progenitor refuse the document, and NSwag can't read it. \
         openapi-generator refuses it if the callback refers to several parameters (swagger-parser#2099). Write \
         the callback in the operation; in YAML, an anchor keeps one copy in the source.",
    /// A schema without `type` has `nullable`.
    PortableNullable = "portable-nullable":
        "A schema without `type` has `nullable: true`. By OpenAPI 3.0.3 it has no effect there, also beside \
         `$ref`, `allOf`, `oneOf` and `anyOf`: openapi-core and openapi-schema-validator refuse null, redocly \
         reports it, and spectral refuses examples with null, while most generators allow null. Put `nullable: \
         true` beside `type`, in every schema that null has to match: the target of a reference, each member of \
         `allOf`, one branch of a union. If nothing constrains the schema, remove it: a schema without `type` \
         allows null.",
    /// Values of an enum become the same identifier.
    PortableEnumCase = "portable-enum-case":
        "Values of an `enum` become the same identifier. They differ only in case (`add` and `Add`) or in \
         characters that can't be in identifiers (`a-b` and `a_b`, `+1` and `-1`). openapi-python-client and \
         progenitor refuse the first two pairs, and code of openapi-generator for Python can't be imported with the \
         first. openapi-generator for Java, Go, C# and Rust numbers identifiers: `_1` for `+1` and `_12` for `-1`. \
         Name each value in `x-enum-varnames`, which these generators (except progenitor) and openapi-typescript \
         read, or keep only one of the spellings.",
    /// An integer has neither a format nor bounds.
    PortableIntegerWidth = "portable-integer-width":
        "An integer has neither a `format` that all tools know nor bounds that fit into 32 bits. openapi-generator \
         makes it 32 bits wide in Java, Kotlin, C#, Go and Rust, so these clients fail on larger values, such as \
         ids, times and sizes of files. The same happens with `unix-time` and, except in Rust, `uint64`. Write \
         `format: int64`. If no value is larger than 2147483647, write `format: int32` or a `maximum`.",
    /// A value with the style `deepObject` contains objects or arrays.
    PortableDeepObject = "portable-deep-object":
        "A parameter or a field of a form has the style `deepObject` and contains objects or arrays. OpenAPI defines \
         the style for scalar properties only, so tools differ. openapi-generator for Java and Go and Postman write \
         `filter[a][b]=1`. openapi-generator for Python, openapi-python-client, openapi-fetch, hey-api, orval, \
         Swagger UI and Insomnia write something else, refuse the value or leave it out. Describe each inner value \
         as a parameter of its own, with a name such as `filter[a][b]`, or send the object as JSON, as a parameter \
         with `content`.",
    /// A recorded body differs from the document.
    RecordedBody = "recorded-body":
        "A body that was recorded differs from the schema that the document has for it, so a generated client or server \
         may refuse it. `lint --against` reports this. Correct the document, or write an overlay with \
         `--write-overlay`, or correct the service.",
    /// A union says only which properties are required.
    PortableRules = "portable-rules":
        "A schema with properties has an `anyOf` or `oneOf` whose branches only say which properties are required. \
         Tools that make a union of the branches lose the properties: the type is `unknown` in openapi-typescript \
         (of `anyOf`) and `Any` in openapi-python-client. Say the same with `not`, from which they make no type. At \
         least one of `a` and `b`: `not: {allOf: [{not: {required: [a]}}, {not: {required: [b]}}]}`. At most one: \
         `not: {required: [a, b]}`. Exactly one: `not: {anyOf: [{required: [a, b]}, {allOf: [{not: {required: [a]}}, \
         {not: {required: [b]}}]}]}`.",
    /// A body or parameter has no example.
    QualityNoExample = "quality-no-example":
        "A body or parameter has a string without an example, so that documentation has to invent a value (`string`). An \
         example can be beside the schema, in it, or in each of its properties; a `default`, `const` or `enum` is one, \
         too. Numbers, booleans and strings with a `format` need none. Of a union, one variant with an example is enough. \
         Parameters with one name are reported once, and so is a schema that several bodies contain.",
    /// A string, array or integer of a request has no upper bound.
    QualityNoBounds = "quality-no-bounds":
        "A request contains a string without `maxLength`, an array without `maxItems` or an integer without `maximum`. A client \
         learns the limit of the server only when it exceeds it, and a generated server accepts values of any size, up to \
         the limit of the body. A string needs no `maxLength` if its `enum`, `pattern` or `format` (such as `uuid`) limits its \
         length; an integer no `maximum` if its `format` does (such as `int32`). Properties with `readOnly` are left out.",
    /// A name has another case than most names.
    QualityNameCase = "quality-name-case":
        "The name of a property or parameter has another case than most names of the document: `fooBar` among names such as \
         `foo_bar`. Users have to look each name up. Properties, query parameters and path parameters are compared with \
         names of their kind; headers have no case. Nothing is reported if no case prevails.",
    /// A list selects its pages by other parameters than most lists.
    QualityPaging = "quality-paging":
        "The query parameters for the size or the position of a page differ from those of most lists of the document: \
         `limit` where the others have `per_page`, or `cursor` where they have `page`. Clients need code of their own for \
         this list. Only `GET` operations are compared, and nothing is reported if no set of names prevails.",
    /// No operation and no webhook reaches a component.
    QualityUnusedComponent = "quality-unused-component":
        "No operation, webhook or extension at the root of the document refers to a component, directly or through other \
         components. It is left over, or a reference to it was forgotten. Types are generated for a schema all the same. \
         Subtypes of a schema with a `discriminator` count as used, and documents without operations are not checked.",
    /// An operation describes no response for errors of the client.
    QualityNoClientError = "quality-no-client-error":
        "An operation describes neither a response with a status 4xx nor `default`, although a request can be wrong: it has \
         parameters, a body or credentials. A client can't know which errors to expect, and a generated client returns them \
         without a type.",
    /// Two path templates match the same path.
    QualityAmbiguousPath = "quality-ambiguous-path":
        "Two path templates of the same methods match the same path, and neither is more specific: `/{x}/b` and `/a/{y}` \
         both match `/a/b`. OpenAPI leaves open which one applies, so servers differ. `/a/{x}` and `/a/b` are fine, because \
         literal text has precedence; and so are paths whose shared requests both operations refuse, because `x` and `y` \
         are numbers. Or two templates differ only in the names of their parameters and have different \
         methods, which OpenAPI does not allow; with the same method, they are a `path-conflict`.",
    /// An operation creates a task or returns pages, and does not describe it.
    QualityUndescribed = "quality-undescribed":
        "An operation creates a task or returns pages, and has no `x-task` or `x-pagination` (or the extension of another \
         tool), so that each client needs a loop of its own. A list counts if it has a parameter that selects a page, and an \
         array in its response. An operation creates a task if the `GET` operation one level below its path has a `status` \
         or `state`, whose values are those of work that continues and ends; with a response `202`, any string is enough. \
         `x-pagination: false` says that there are no pages.",
}

impl Code {
    /// Returns whether this diagnostic always prevents generation.
    #[must_use]
    pub const fn is_fatal(self) -> bool {
        matches!(
            self,
            Self::Syntax
                | Self::NoOpenApi
                | Self::UnsupportedVersion
                | Self::BadOverlay
                | Self::InvalidJsonPath
                | Self::OverlayConflict
        )
    }

    /// Returns the code with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
