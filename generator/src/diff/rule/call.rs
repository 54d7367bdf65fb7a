//! Rules of operations, parameters, bodies, responses and security.

super::rules! {
    /// A change of what a client sends or how a server responds, apart from the values in it.
    CallRule => Call;
    OperationAdded = "operation-added" [Fine Risky Fine Risky]
        "An operation is new. Servers in use respond with 404 or 405. A server that doesn't implement its method responds with 501.",
    OperationRemoved = "operation-removed" [Breaking Fine Fine Fine]
        "An operation no longer exists. Clients in use get 404 or 405. Deprecate it first, and remove it when no client calls it.",
    OperationDeprecated = "operation-deprecated" [Fine Fine Fine Fine]
        "An operation is deprecated. The compiler warns programs that call it.",
    OperationUndeprecated = "operation-undeprecated" [Fine Fine Fine Fine]
        "An operation is no longer deprecated.",
    OperationIdChanged = "operation-id-changed" [Fine Fine Fine Fine]
        "The `operationId` changed. Requests are the same; the name of the method in Rust usually changes with it.",
    PathParameterRenamed = "path-parameter-renamed" [Fine Fine Fine Fine]
        "A path parameter has another name. Requests are the same, but the field of the Rust input has another name.",
    ParameterAdded = "parameter-added" [Fine Risky Fine Risky]
        "An optional parameter is new. Servers in use ignore it, and so does a handler until it reads the new field.",
    ParameterAddedRequired = "parameter-added-required" [Breaking Risky Fine Risky]
        "A required parameter is new. Clients in use don't send it and get 400. Make it optional, with a default.",
    ParameterAddedClosed = "parameter-added-closed" [Fine Breaking Fine Risky]
        "An optional query parameter is new, and servers in use refuse parameters that they don't describe \
         (`x-closed-query`). They respond with 400. A handler ignores it until it reads the new field.",
    ParameterRemoved = "parameter-removed" [Risky Fine Fine Fine]
        "A parameter no longer exists. Servers ignore it when clients in use still send it.",
    ParameterRemovedClosed = "parameter-removed-closed" [Breaking Fine Fine Fine]
        "A query parameter no longer exists, and the operation refuses parameters that it doesn't describe \
         (`x-closed-query`). Clients in use that send it get 400.",
    ParameterBecameRequired = "parameter-became-required" [Breaking Fine Fine Fine]
        "An optional parameter is now required. Clients in use that leave it out get 400.",
    ParameterBecameOptional = "parameter-became-optional" [Fine Risky Fine Fine]
        "A required parameter is now optional. Servers in use still respond with 400 without it.",
    ParameterStyleChanged = "parameter-style-changed" [Breaking Breaking Fine Fine]
        "The serialization (`style`) of a parameter changed, so old and new programs misread each other.",
    ParameterExplodeChanged = "parameter-explode-changed" [Breaking Breaking Fine Fine]
        "`explode` of a parameter changed, so old and new programs misread each other's arrays and objects.",
    ParameterContentChanged = "parameter-content-changed" [Breaking Breaking Fine Fine]
        "The `content` of a parameter has another media type, or only one document has `content`.",
    ParameterReservedChanged = "parameter-reserved-changed" [Risky Risky Fine Fine]
        "`allowReserved` of a parameter changed. Values with reserved characters are written differently.",
    ParameterEmptyAllowed = "parameter-empty-allowed" [Fine Risky Fine Fine]
        "An empty value now means that the parameter is absent (`allowEmptyValue`). Servers in use read it as a value.",
    ParameterEmptyRefused = "parameter-empty-refused" [Breaking Fine Fine Fine]
        "An empty value no longer means that the parameter is absent (`allowEmptyValue`), but is a value.",
    ParameterDeprecated = "parameter-deprecated" [Fine Fine Fine Fine]
        "A parameter is deprecated. The compiler warns programs that set it.",
    ParameterUndeprecated = "parameter-undeprecated" [Fine Fine Fine Fine]
        "A parameter is no longer deprecated.",
    ReasonChanged = "parameter-reason-changed" [Risky Fine Fine Fine]
        "The text of the reason for violations in a parameter (`x-reason`) changed. Clients that compare the text no longer \
         recognize it.",
    QueryClosed = "query-closed" [Breaking Fine Fine Fine]
        "The operation now refuses query parameters that it doesn't describe (`x-closed-query`). Clients in use that send \
         others get 400.",
    QueryOpened = "query-opened" [Fine Risky Fine Fine]
        "The operation no longer refuses query parameters that it doesn't describe (`x-closed-query`).",
    BodyAdded = "request-body-added" [Fine Risky Fine Risky]
        "An optional request body is new. Servers in use ignore it, and so does a handler until it reads the new field.",
    BodyAddedRequired = "request-body-added-required" [Breaking Risky Fine Risky]
        "A required request body is new. Clients in use don't send one and get 400.",
    BodyRemoved = "request-body-removed" [Risky Fine Fine Fine]
        "The request body no longer exists. Servers ignore it when clients in use still send it.",
    BodyBecameRequired = "request-body-became-required" [Breaking Fine Fine Fine]
        "An optional request body is now required. Clients in use that send none get 400.",
    BodyBecameOptional = "request-body-became-optional" [Fine Risky Fine Fine]
        "A required request body is now optional. Servers in use still respond with 400 without it.",
    BodyLimitDecreased = "request-limit-decreased" [Breaking Fine Fine Fine]
        "The maximum size of the request body (`x-body-limit`) is smaller. Clients in use with larger bodies get 413.",
    BodyLimitIncreased = "request-limit-increased" [Fine Risky Fine Fine]
        "The maximum size of the request body (`x-body-limit`) is larger. Servers in use still respond with 413.",
    BodyLimitChanged = "request-limit-changed" [Risky Risky Fine Fine]
        "Only one document states the maximum size of the request body (`x-body-limit`). Without it, the limit is the server's own: \
         2 MiB, unless the program sets another. If the limit is now smaller, clients in use with larger bodies get 413.",
    RequestMediaAdded = "request-media-type-added" [Fine Risky Fine Fine]
        "The request body can have another media type. Servers in use respond with 415.",
    RequestMediaRemoved = "request-media-type-removed" [Breaking Fine Fine Fine]
        "The request body can't have a media type any more. Clients in use that send it get 415.",
    RequestEncodingChanged = "request-encoding-changed" [Breaking Breaking Fine Fine]
        "A part or property of the request body is written differently (`encoding`).",
    RequestXmlChanged = "request-xml-changed" [Breaking Breaking Fine Fine]
        "A name or form in a request body of XML changed (`xml`).",
    ResponseXmlChanged = "response-xml-changed" [Breaking Breaking Fine Fine]
        "A name or form in a response of XML changed (`xml`).",
    ResponseEncodingChanged = "response-encoding-changed" [Breaking Breaking Fine Fine]
        "A part or property of the response is written differently (`encoding`).",
    RequestFormatChanged = "request-body-format-changed" [Breaking Breaking Fine Fine]
        "The request body of a media type is written differently, for example as a stream of items.",
    ResponseFormatChanged = "response-body-format-changed" [Breaking Breaking Fine Fine]
        "The response of a media type is written differently, for example as a stream of items.",
    SuccessAdded = "response-success-added" [Risky Fine Fine Fine]
        "A successful response with another status is new. Clients in use have no type for it.",
    SuccessRemoved = "response-success-removed" [Breaking Risky Fine Fine]
        "A successful response no longer exists. Clients in use may rely on its status.",
    ErrorAdded = "response-error-added" [Fine Fine Fine Fine]
        "An error is now documented. Clients must expect undocumented errors, too.",
    ErrorTextChanged = "response-error-text-changed" [Fine Fine Fine Fine]
        "The description of an error changed. Rust shows it as the text of the error.",
    ErrorRemoved = "response-error-removed" [Fine Risky Fine Fine]
        "An error is no longer documented. Servers in use can still respond with it.",
    ResponseMediaAdded = "response-media-type-added" [Risky Fine Fine Fine]
        "A response can have another media type. Clients in use that accept anything may get it.",
    ResponseMediaRemoved = "response-media-type-removed" [Breaking Risky Fine Fine]
        "A response can't have a media type any more. Clients in use that accept only this one get none.",
    ResponseNarrowed = "response-narrowed" [Fine Risky Fine Fine]
        "A response has only some statuses or media types of a range that it had (`2XX`, `application/*`). Servers in use can still \
         respond with the others.",
    RangeChanged = "range-changed" [Fine Fine Fine Fine]
        "A status or media type of a range (`2XX`, `application/*`) has an entry of its own now, or has none any more. The range \
         describes those without an entry, so changes for them are reported separately.",
    HeaderAdded = "response-header-added" [Fine Fine Fine Fine]
        "An optional header of a response is new.",
    HeaderAddedRequired = "response-header-added-required" [Fine Breaking Fine Risky]
        "A required header of a response is new. Servers in use don't send it.",
    HeaderRemoved = "response-header-removed" [Risky Fine Fine Fine]
        "An optional header of a response no longer exists.",
    HeaderRemovedRequired = "response-header-removed-required" [Breaking Fine Fine Fine]
        "A required header of a response no longer exists. Clients in use rely on it.",
    HeaderBecameRequired = "response-header-became-required" [Fine Breaking Fine Fine]
        "An optional header of a response is now required. Servers in use can leave it out.",
    HeaderBecameOptional = "response-header-became-optional" [Breaking Fine Fine Fine]
        "A required header of a response is now optional. Clients in use rely on it.",
    HeaderFormChanged = "response-header-form-changed" [Breaking Breaking Fine Fine]
        "A header of a response is written differently (`explode`, `content`).",
    HeaderDeprecated = "response-header-deprecated" [Fine Fine Fine Fine]
        "A header of a response is deprecated. Clients should no longer read it.",
    HeaderUndeprecated = "response-header-undeprecated" [Fine Fine Fine Fine]
        "A header of a response is no longer deprecated.",
    PermanentChanged = "response-permanent-changed" [Risky Fine Fine Fine]
        "The property that says that a retry gives the same response (`x-permanent`) changed. Clients decide by it \
         whether to try again.",
    SecurityAdded = "security-added" [Breaking Fine Risky Fine]
        "The operation now requires credentials. Clients in use get 401, and so does client code that sets none.",
    SecurityRemoved = "security-removed" [Fine Risky Fine Fine]
        "The operation no longer requires credentials. Servers in use still respond with 401 without them.",
    SecurityOptional = "security-became-optional" [Fine Risky Fine Fine]
        "Credentials are now optional. Servers in use still respond with 401 without them.",
    SecurityRequired = "security-became-required" [Breaking Fine Risky Fine]
        "Credentials are no longer optional. Clients in use without them get 401, and so does client code that sets none.",
    SecurityAlternativeAdded = "security-alternative-added" [Fine Risky Fine Fine]
        "The operation accepts other credentials as well. Servers in use don't.",
    SecurityAlternativeRemoved = "security-alternative-removed" [Breaking Fine Risky Fine]
        "The operation no longer accepts some credentials. Clients in use that send them get 401, and so does client code that \
         sets only these.",
    ScopeAdded = "security-scope-added" [Breaking Fine Risky Fine]
        "Credentials need another scope or role. Clients in use and client code without it get 403.",
    ScopeRemoved = "security-scope-removed" [Fine Risky Fine Fine]
        "Credentials no longer need a scope or role. Servers in use still require it.",
    RequirementAdded = "permission-added" [Breaking Fine Risky Fine]
        "The operation requires another permission (`x-requires`). Clients in use and client code without it get 403.",
    RequirementRemoved = "permission-removed" [Fine Risky Fine Fine]
        "The operation no longer requires a permission (`x-requires`). Servers in use still require it.",
    SchemeChanged = "security-scheme-changed" [Breaking Breaking Risky Fine]
        "A security scheme changed, or moved to another location. Clients in use and servers in use don't agree any more.",
    SchemeAdded = "security-scheme-added" [Fine Fine Fine Fine]
        "A security scheme is new. Operations that require it are reported separately.",
    SchemeRenamed = "security-scheme-renamed" [Fine Fine Fine Fine]
        "A security scheme has another name, and is the same otherwise.",
    SchemeDeprecated = "security-scheme-deprecated" [Fine Fine Fine Fine]
        "A security scheme is deprecated. The compiler warns programs that set its credential.",
    SchemeUndeprecated = "security-scheme-undeprecated" [Fine Fine Fine Fine]
        "A security scheme is no longer deprecated.",
    TokenEndpointChanged = "token-endpoint-changed" [Risky Fine Fine Fine]
        "The token endpoint of an OAuth 2.0 flow changed, or the flow no longer exists. Clients in use request tokens from the old one.",
    TokenEndpointAdded = "token-endpoint-added" [Fine Fine Fine Fine]
        "An OAuth 2.0 flow with a token endpoint is new.",
    TitleChanged = "title-changed" [Fine Fine Fine Fine]
        "The title of the document changed. Documentation shows it.",
    ServerChanged = "server-url-changed" [Risky Risky Fine Fine]
        "The URL of the server changed. Clients without a base URL of their own use the document's.",
    ServerAdded = "server-added" [Fine Fine Fine Fine]
        "A named server is new.",
    ServerRemoved = "server-removed" [Risky Fine Fine Fine]
        "A named server no longer exists. Clients in use may call it.",
    TaskChanged = "task-changed" [Risky Risky Fine Risky]
        "The task that an operation creates is described for the first time or in another way (`x-task`, \
         `x-ms-long-running-operation`). Clients in use wait as the old document says; new clients wait as the new one says, also \
         for servers in use.",
    TaskBreaksClients = "task-breaks-clients" [Breaking Risky Fine Risky]
        "What clients in use need to wait for a task (`x-task`) no longer exists: the operation that gets it, its id or its \
         status. Or a task ends with a status that they don't know, so that they wait forever.",
    TaskBreaksServers = "task-breaks-servers" [Risky Breaking Fine Risky]
        "What new clients need to wait for a task (`x-task`) does not exist in servers in use: the operation that gets it, its id \
         or its status. Or servers in use end a task with a status that new clients don't know.",
    TaskBreaksBoth = "task-breaks-both" [Breaking Breaking Fine Risky]
        "What clients need to wait for a task (`x-task`) is replaced or has another meaning. Clients in use can't wait with new \
         servers, and new clients can't with servers in use. Keep the old part beside the new one.",
    TaskRemoved = "task-removed" [Fine Fine Breaking Fine]
        "The task that an operation creates is no longer described (`x-task`). Code that calls `wait()` doesn't compile.",
    PagingChanged = "paging-changed" [Risky Risky Fine Risky]
        "The pages of an operation are described for the first time or in another way (`x-pagination`). Clients in use \
         continue as the old document says; new clients as the new one says, also for servers in use.",
    PagingBreaksClients = "paging-breaks-clients" [Breaking Risky Fine Risky]
        "What clients in use send or read for the next page (`x-pagination`) no longer exists. They get the first page again, \
         or miss the others. Keep it beside the new one.",
    PagingBreaksServers = "paging-breaks-servers" [Risky Breaking Fine Risky]
        "What new clients send or read for the next page (`x-pagination`) does not exist in servers in use. They get the first \
         page again, or miss the others.",
    PagingBreaksBoth = "paging-breaks-both" [Breaking Breaking Fine Risky]
        "What clients send or read for the next page (`x-pagination`) is replaced or has another meaning. Clients in use get \
         the first page again or miss others with new servers, and so do new clients with servers in use. Keep the old part beside the \
         new one.",
    PagingRemoved = "paging-removed" [Fine Fine Breaking Fine]
        "The pages of an operation are no longer described (`x-pagination`). Code that calls `pages()` or `items()` doesn't \
         compile.",
    CallbackAdded = "callback-added" [Risky Fine Fine Risky]
        "The server sends another request (`callbacks`). Receivers in use don't know it.",
    CallbackRemoved = "callback-removed" [Breaking Fine Risky Fine]
        "The server no longer sends a request (`callbacks`). Receivers in use wait for it. Code that implements its method \
         doesn't compile, unless another operation has the same callback.",
    CallbackBodyAdded = "callback-body-added" [Fine Fine Breaking Risky]
        "The request that the server sends (`callbacks`, `webhooks`) can have a body, which it never had. Receivers in use ignore \
         it. Code that implements its method doesn't compile.",
    CallbackBodyRemoved = "callback-body-removed" [Risky Fine Breaking Fine]
        "The request that the server sends (`callbacks`, `webhooks`) never has a body, which was optional. Receivers in use that \
         rely on it miss it. Code that implements its method doesn't compile.",
    CallbackBodyBecameRequired = "callback-body-became-required" [Fine Breaking Fine Fine]
        "The request that the server sends (`callbacks`, `webhooks`) always has a body. New receivers fail to read requests of \
         servers in use that have none.",
    CallbackBodyBecameOptional = "callback-body-became-optional" [Breaking Fine Fine Fine]
        "The request that the server sends (`callbacks`, `webhooks`) no longer has a body, or not always. Receivers in use fail to \
         read it.",
    CallbackResponseAdded = "callback-response-added" [Fine Risky Fine Risky]
        "The receiver of a request that the server sends (`callbacks`, `webhooks`) can respond with another status. Servers in use \
         don't expect it, and a server has to handle it.",
    CallbackResponseRemoved = "callback-response-removed" [Risky Fine Fine Fine]
        "The receiver of a request that the server sends (`callbacks`, `webhooks`) can't respond with a status any more. Servers \
         may not expect it of receivers in use.",
    WebhookAdded = "webhook-added" [Risky Fine Fine Risky]
        "The server sends another webhook. Receivers in use don't know it.",
    WebhookRemoved = "webhook-removed" [Breaking Fine Breaking Fine]
        "The server no longer sends a webhook. Receivers in use wait for it. Code that implements its method doesn't compile.",
    RejectionsChanged = "rejections-changed" [Risky Fine Fine Fine]
        "The responses to invalid requests have another format (`x-rejections`). Clients in use that read them may not \
         understand them.",
}
