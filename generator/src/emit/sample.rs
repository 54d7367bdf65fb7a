//! A small API with one of each thing that is emitted, for tests.

use serde_json::json;

use crate::ir::*;

/// An API with nothing in it.
pub(crate) fn empty_api() -> Api {
    Api {
        title: "Pets".to_owned(),
        version: "1".to_owned(),
        description: None,
        server_url: None,
        families: Vec::new(),
        types: Vec::new(),
        patterns: Vec::new(),
        operations: Vec::new(),
        security_schemes: Vec::new(),
        shared_errors: None,
        rejections: None,
    }
}

pub(crate) fn name(name: &str) -> Ident {
    Ident(name.to_owned())
}

pub(crate) fn said(description: &str) -> Docs {
    Docs { description: Some(description.to_owned()), ..Docs::default() }
}

pub(crate) fn string() -> Schema {
    Schema::new(Type::Text(TextRules::default()))
}

pub(crate) fn text(min_length: u64, max_length: u64) -> Schema {
    let rules = TextRules { min_length: Some(min_length), max_length: Some(max_length), ..TextRules::default() };
    Schema::new(Type::Text(rules))
}

pub(crate) fn integer() -> Schema {
    Schema::new(Type::Integer(IntegerRules::default()))
}

pub(crate) fn number(minimum: f64, maximum: f64) -> Schema {
    let rules = NumberRules { minimum: Some(minimum), maximum: Some(maximum), ..NumberRules::default() };
    Schema::new(Type::Number(rules))
}

pub(crate) fn named(id: usize) -> Schema {
    Schema::new(Type::Named { id: TypeId(id), boxed: false })
}

pub(crate) fn boxed(id: usize) -> Schema {
    Schema::new(Type::Named { id: TypeId(id), boxed: true })
}

pub(crate) fn array(items: Schema) -> Schema {
    Schema::new(Type::Array(Box::new(ArrayRules { items, min_items: None, max_items: Some(5), unique: false })))
}

pub(crate) fn nullable(schema: Schema) -> Schema {
    Schema { nullable: true, ..schema }
}

pub(crate) fn field(wire: &str, schema: Schema, required: bool) -> Field {
    Field {
        wire: wire.to_owned(),
        ident: name(wire),
        default_accessor: None,
        schema,
        required,
        default: None,
        docs: Docs::default(),
    }
}

pub(crate) fn with_default(wire: &str, schema: Schema, default: Literal) -> Field {
    Field {
        default_accessor: Some(name(&format!("{wire}_or_default"))),
        default: Some(default),
        ..field(wire, schema, false)
    }
}

pub(crate) fn object(fields: Vec<Field>) -> Kind {
    Kind::Struct(StructDef {
        role: StructRole::Object,
        fields,
        fields_struct: None,
        additional: Additional::Ignored,
        min_properties: None,
        max_properties: None,
        rules: Vec::new(),
    })
}

fn closed(kind: Kind, role: StructRole) -> Kind {
    match kind {
        Kind::Struct(body) => Kind::Struct(StructDef { role, additional: Additional::Forbidden, ..body }),
        other => other,
    }
}

fn variants(wires: &[(&str, &str)]) -> Vec<EnumVariant> {
    wires.iter().map(|(wire, ident)| EnumVariant { wire: (*wire).to_owned(), ident: name(ident) }).collect()
}

fn shape(name: &str, kinds: Kinds, required: &[&str], known: &[&str]) -> Shape {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Shape {
        name: name.to_owned(),
        kinds,
        required: owned(required),
        known: owned(known),
        constants: Vec::new(),
        closed: false,
    }
}

fn json_content(schema: Schema) -> Content {
    Content { media_type: "application/json".to_owned(), format: ContentFormat::Json, schema, encodings: Vec::new() }
}

fn response(status: u16, description: &str, contents: Vec<Content>) -> Response {
    Response { status: Status::Code(status), description: description.to_owned(), headers: Vec::new(), contents }
}

fn parameter(wire: &str, location: Location, required: bool, schema: Schema) -> Parameter {
    let style = match location {
        Location::Query | Location::Cookie => Style::Form,
        Location::Path | Location::Header => Style::Simple,
    };
    Parameter {
        name: wire.to_owned(),
        location,
        required,
        style,
        explode: style == Style::Form,
        content: None,
        schema,
        reason: None,
        docs: Docs::default(),
    }
}

struct Types(Vec<TypeDef>);

impl Types {
    fn add(&mut self, module: Module, ty: &str, constant: &str, kind: Kind) -> usize {
        let id = TypeId(self.0.len());
        let docs = Docs::default();
        let provenance = format!("Schema `{ty}`.");
        self.0.push(TypeDef { id, module, name: name(ty), constant: name(constant), provenance, docs, kind, eq: false });
        id.0
    }
}

/// Three families: `icons` (parameters), `text-to-speech` (bodies, several answers), `pets` (unions, no security).
pub(crate) fn api() -> Api {
    let (icons, speech, pets) = (Module::Family(FamilyId(0)), Module::Family(FamilyId(1)), Module::Family(FamilyId(2)));
    let mut types = Types(Vec::new());
    let status = types.add(Module::Common, "TaskStatus", "TASK_STATUS", Kind::StringEnum(EnumDef {
        variants: variants(&[("CREATED", "Created"), ("COMPLETED", "Completed")]),
        open: Some(name("Unknown")),
    }));
    let task = types.add(Module::Common, "Task", "TASK", object(vec![
        Field { docs: said("Its id, as in [foo]."), ..field("task_id", string(), true) },
        field("status", named(status), true),
        field("generated", nullable(array(string())), false),
        Field { ident: name("r#type"), ..field("type", nullable(string()), true) },
    ]));
    let color = types.add(Module::Common, "Color", "COLOR", Kind::Alias(Schema::new(Type::Text(TextRules {
        pattern: Some(PatternId(0)),
        ..TextRules::default()
    }))));
    let problem = types.add(Module::Responses, "Problem", "PROBLEM", object(vec![field("message", string(), true)]));
    let api_error = types.add(Module::Responses, "ApiError", "API_ERROR", Kind::Choice(Choice {
        role: ChoiceRole::Errors,
        variants: vec![
            ChoiceVariant { ident: name("BadRequest"), payload: named(problem), docs: "400: Not valid.".to_owned() },
            ChoiceVariant { ident: name("NotFound"), payload: Schema::new(Type::Unit), docs: "404: None.".to_owned() },
        ],
    }));

    let order = types.add(icons, "Order", "ORDER", Kind::StringEnum(EnumDef {
        variants: variants(&[("asc", "Asc"), ("desc", "Desc")]),
        open: None,
    }));
    let size = types.add(icons, "Size", "SIZE", Kind::IntegerEnum(IntegerEnum {
        variants: vec![
            IntegerVariant { wire: 16, ident: name("Value16") },
            IntegerVariant { wire: -1, ident: name("Minus1") },
        ],
        open: None,
    }));
    let filters = types.add(icons, "Filters", "FILTERS", closed(
        object(vec![field("color", named(color), false), field("reader", string(), false)]),
        StructRole::Object,
    ));
    let list_input = types.add(icons, "ListIconsInput", "LIST_ICONS_INPUT", closed(
        object(vec![
            field("category", string(), true),
            with_default("page", integer(), Literal::Integer(1)),
            with_default("order", named(order), Literal::Text("asc".to_owned())),
            with_default("size", named(size), Literal::Integer(16)),
            field("filters", named(filters), false),
        ]),
        StructRole::Input,
    ));
    let icon_fields = ["id", "name", "slug", "a", "b", "c", "d"].map(|wire| field(wire, string(), true));
    let icon = types.add(icons, "Icon", "ICON", Kind::Struct(StructDef {
        role: StructRole::Object,
        fields: icon_fields.into_iter().chain([field("width", integer(), true), field("alt", string(), false)]).collect(),
        fields_struct: Some(name("IconFields")),
        additional: Additional::Kept { ident: name("additional_properties"), schema: integer() },
        min_properties: None,
        max_properties: Some(20),
        rules: Vec::new(),
    }));

    let Kind::Struct(mut request) = object(vec![
        Field { docs: said("The text to speak."), ..field("text", text(1, 40000), true) },
        with_default("speed", number(0.7, 1.2), Literal::Number(1.0)),
        with_default("model", string(), Literal::Text("v2".to_owned())),
        with_default("loud", nullable(Schema::new(Type::Boolean)), Literal::Boolean(true)),
        with_default("tags", array(string()), Literal::Json(json!([]))),
        field("started_at", Schema::new(Type::Text(TextRules { ty: TextType::Timestamp, ..TextRules::default() })), false),
    ]) else {
        return empty_api();
    };
    request.additional = Additional::Forbidden;
    request.rules = vec![
        CrossRule::When {
            name: "loud".to_owned(),
            when: vec![("loud".to_owned(), Literal::Boolean(true))],
            require: vec![("model".to_owned(), Literal::Text("v2".to_owned()))],
        },
        CrossRule::ExactlyOne { name: "text".to_owned(), fields: vec!["text".to_owned(), "tags".to_owned()] },
    ];
    let request = types.add(speech, "SpeechRequest", "SPEECH_REQUEST", Kind::Struct(request));
    let body = types.add(speech, "CreateSpeechBody", "CREATE_SPEECH_BODY", Kind::Choice(Choice {
        role: ChoiceRole::Content,
        variants: vec![
            ChoiceVariant { ident: name("Json"), payload: named(request), docs: "`application/json`".to_owned() },
            ChoiceVariant { ident: name("Text"), payload: string(), docs: "`text/plain`".to_owned() },
        ],
    }));
    let create_input = types.add(speech, "CreateSpeechInput", "CREATE_SPEECH_INPUT", closed(
        object(vec![field("idempotency-key", string(), false), field("body", named(body), true)]),
        StructRole::Input,
    ));
    if let Some(TypeDef { kind: Kind::Struct(body), .. }) = types.0.get_mut(create_input)
        && let Some(first) = body.fields.first_mut()
    {
        first.ident = name("idempotency_key");
    }
    let accepted = types.add(speech, "CreateSpeechAcceptedResponse", "CREATE_SPEECH_ACCEPTED_RESPONSE", closed(
        object(vec![field("retry-after", integer(), false), field("body", named(task), true)]),
        StructRole::Response,
    ));
    if let Some(TypeDef { kind: Kind::Struct(body), .. }) = types.0.get_mut(accepted)
        && let Some(first) = body.fields.first_mut()
    {
        first.ident = name("retry_after");
    }
    let output = types.add(speech, "CreateSpeechOutput", "CREATE_SPEECH_OUTPUT", Kind::Choice(Choice {
        role: ChoiceRole::Output,
        variants: vec![
            ChoiceVariant { ident: name("Ok"), payload: named(task), docs: "200: Done.".to_owned() },
            ChoiceVariant { ident: name("Accepted"), payload: named(accepted), docs: "202: Begun.".to_owned() },
            ChoiceVariant { ident: name("NoContent"), payload: Schema::new(Type::Unit), docs: "204".to_owned() },
        ],
    }));
    let own_error = types.add(speech, "CreateSpeechError", "CREATE_SPEECH_ERROR", Kind::Choice(Choice {
        role: ChoiceRole::Errors,
        variants: vec![ChoiceVariant { ident: name("Conflict"), payload: string(), docs: "409: Busy.".to_owned() }],
    }));

    let pet = types.0.len() + 2;
    let objects = Kinds { object: true, ..Kinds::default() };
    let cat = types.add(pets, "Cat", "CAT", object(vec![field("lives", integer(), true)]));
    let dog = types.add(pets, "Dog", "DOG", object(vec![field("bark", string(), true), field("friend", boxed(pet), false)]));
    let pet = types.add(pets, "Pet", "PET", Kind::Union(UnionDef {
        variants: vec![
            UnionVariant { ident: name("Cat"), schema: named(cat), shape: shape("Cat", objects, &["lives"], &["lives"]) },
            UnionVariant {
                ident: name("Dog"),
                schema: boxed(dog),
                shape: shape("Dog", objects, &["bark"], &["bark", "friend"]),
            },
            UnionVariant {
                ident: name("Name"),
                schema: string(),
                shape: shape("string", Kinds { string: true, null: true, ..Kinds::default() }, &[], &[]),
            },
        ],
        discriminator: Some(("kind".to_owned(), vec![("cat".to_owned(), 0), ("dog".to_owned(), 1)])),
        open: Some(name("Unknown")),
    }));

    let secured = vec![vec![SecurityRequirement { scheme: 0, scopes: Vec::new() }]];
    let shared = Errors::Shared(vec![ErrorUse { status: Status::Code(400), row: 0 }, ErrorUse { status: Status::Code(404), row: 1 }]);
    let operation = |id: &str, ident: &str, constant: &str, family: usize, method: &str, path: &str| Operation {
        id: id.to_owned(),
        ident: name(ident),
        constant: name(constant),
        family: FamilyId(family),
        method: method.to_owned(),
        path: path.to_owned(),
        docs: Docs { summary: Some(format!("Does {id}")), ..Docs::default() },
        input: None,
        parameters: Vec::new(),
        body: None,
        output: Schema::new(Type::Unit),
        responses: Vec::new(),
        errors: Errors::None,
        security: Vec::new(),
        requires: Vec::new(),
        example: None,
        callbacks: Vec::new(),
    };
    let list = Operation {
        input: Some(TypeId(list_input)),
        parameters: vec![
            parameter("category", Location::Path, true, string()),
            Parameter { reason: Some("no page".to_owned()), ..parameter("page", Location::Query, false, integer()) },
            parameter("order", Location::Query, false, named(order)),
            parameter("size", Location::Query, false, named(size)),
            Parameter { style: Style::DeepObject, ..parameter("filters", Location::Query, false, named(filters)) },
        ],
        output: array(named(icon)),
        responses: vec![response(200, "Icons", vec![json_content(array(named(icon)))])],
        errors: shared.clone(),
        security: secured.clone(),
        example: Some(json!({"category": "a \"#b\"", "page": 2})),
        ..operation("listIcons", "list_icons", "LIST_ICONS", 0, "GET", "/v1/{category}/icons")
    };
    let create = Operation {
        input: Some(TypeId(create_input)),
        parameters: vec![parameter("idempotency-key", Location::Header, false, string())],
        body: Some(Body {
            required: true,
            limit: Some(1024),
            contents: vec![
                json_content(named(request)),
                Content { media_type: "text/plain".to_owned(), format: ContentFormat::Text, ..json_content(string()) },
            ],
            schema: named(body),
        }),
        output: named(output),
        responses: vec![
            response(200, "Done", vec![json_content(named(task))]),
            Response {
                headers: vec![parameter("retry-after", Location::Header, false, integer())],
                ..response(202, "Begun", vec![json_content(named(task))])
            },
            response(204, "", Vec::new()),
        ],
        errors: Errors::Own {
            ty: TypeId(own_error),
            rows: vec![response(409, "Busy", vec![json_content(string())])],
        },
        security: [secured, vec![vec![]]].concat(),
        requires: vec!["enterprise".to_owned()],
        example: Some(json!({"body": {"text": "Hello"}})),
        callbacks: vec![Callback {
            name: "done".to_owned(),
            expression: "{$request.body#/webhook_url}".to_owned(),
            method: "POST".to_owned(),
            body: None,
            docs: Docs::default(),
        }],
        ..operation("createSpeech", "create_speech", "CREATE_SPEECH", 1, "POST", "/v1/speech")
    };
    let pets_list = Operation {
        output: nullable(array(named(pet))),
        responses: vec![response(200, "Pets", vec![json_content(nullable(array(named(pet))))])],
        errors: shared,
        ..operation("listPets", "list_pets", "LIST_PETS", 2, "GET", "/v1/pets")
    };
    let family = |tag: &str, module: &str, api_trait: &str| Family {
        tag: tag.to_owned(),
        feature: tag.to_owned(),
        module: name(module),
        api_trait: name(api_trait),
        description: Some(format!("About <{tag}>.")),
        needs: Vec::new(),
    };
    Api {
        description: Some("An API\n\n    with an indented block\n\nand http://a.link".to_owned()),
        server_url: Some("https://api.example.com/v1".to_owned()),
        families: vec![
            family("icons", "icons", "IconsApi"),
            family("text-to-speech", "text_to_speech", "TextToSpeechApi"),
            family("pets", "pets", "PetsApi"),
        ],
        types: types.0,
        patterns: vec![Pattern {
            module: Module::Common,
            constant: name("COLOR_PATTERN"),
            source: "^#[0-9a-f]{6}$".to_owned(),
        }],
        operations: vec![list, create, pets_list],
        security_schemes: vec![
            SecurityScheme {
                name: "apiKey".to_owned(),
                constant: name("API_KEY"),
                method: name("api_key"),
                kind: SchemeKind::ApiKeyHeader("x-api-key".to_owned()),
                description: None,
            },
            SecurityScheme {
                name: "basic".to_owned(),
                constant: name("BASIC"),
                method: name("basic_auth"),
                kind: SchemeKind::Basic,
                description: Some("For [old] callers.".to_owned()),
            },
        ],
        shared_errors: Some(SharedErrors {
            ty: TypeId(api_error),
            rows: vec![response(400, "Not valid", vec![json_content(named(problem))]), response(404, "None", Vec::new())],
            constant: name("API_ERRORS"),
        }),
        rejections: Some(Rejections {
            content_type: Some("application/json".to_owned()),
            message_field: Some("message".to_owned()),
            problem_fields: None,
            kinds: vec![
                ("no-route".to_owned(), RejectionKind { message: Some("Not found".to_owned()), ..RejectionKind::default() }),
                ("invalid".to_owned(), RejectionKind {
                    status: Some(400),
                    message: Some("Not valid".to_owned()),
                    content_type: Some("application/problem+json".to_owned()),
                    violations_field: Some("invalid_params".to_owned()),
                    ..RejectionKind::default()
                }),
            ],
            reasons: vec![
                ("default".to_owned(), "Parameter '{name}' is not valid".to_owned()),
                ("exclusive-minimum".to_owned(), "Parameter '{name}' must be greater than {limit}".to_owned()),
            ],
        }),
        ..empty_api()
    }
}
