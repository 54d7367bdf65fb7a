//! `rename`, which gives parts of the document other names.

use super::*;
use crate::options::{OperationNames, Setting};

const DOCUMENT: &str = "
openapi: 3.1.0
info: {title: t, version: '1'}
paths:
  /pets/{petID}:
    get:
      operationId: getPetV2
      parameters: [{name: petID, in: path, required: true, schema: {type: string}}]
      responses:
        '200': {description: d, content: {application/json: {schema: {$ref: '#/components/schemas/pet-v2'}}}}
components:
  schemas:
    pet-v2:
      type: object
      properties:
        ownerID: {type: string}
        toys: {type: array, items: {type: object, properties: {a: {type: string}}}}
        name: {type: string}
    Zoo: {oneOf: [{$ref: '#/components/schemas/pet-v2'}, {type: integer}]}
";

fn renamed(names: &[(&str, &str)]) -> (Api, Vec<(Setting, String)>) {
    let options = Options::new("x", "x").rename(names.iter().copied());
    let document = Document::parse("test.yaml", DOCUMENT).document.unwrap();
    let lowered = lower(&document, &options, &mut Diagnostics::default());
    let mut unused: Vec<_> = lowered.unused.into_iter().map(|it| (it.setting, it.message)).collect();
    unused.sort_by(|left, right| left.1.cmp(&right.1));
    (lowered.api, unused)
}

#[test]
fn names_are_made_of_the_new_texts() {
    let (api, unused) = renamed(&[
        ("pet-v2", "Pet"),
        ("getPetV2", "get pet"),
        ("#/components/schemas/pet-v2/properties/ownerID", "keeper"),
        ("#/components/schemas/pet-v2/properties/toys/items", "Toy"),
        ("#/paths/~1pets~1{petID}/get/parameters/0", "pet"),
    ]);
    assert_eq!(unused, []);
    let pet = struct_named(&api, "Pet");
    assert_eq!(field(pet, "ownerID").ident.0, "keeper");
    struct_named(&api, "Toy");
    let Kind::Union(zoo) = &type_named(&api, "Zoo").kind else { panic!("it is a union") };
    assert_eq!(zoo.variants.first().unwrap().ident.0, "Pet");
    let get = operation(&api, "getPetV2");
    assert_eq!(get.ident.0, "get_pet");
    let Kind::Struct(input) = &api.type_def(get.input.unwrap()).unwrap().kind else {
        panic!("it is a struct")
    };
    assert_eq!(field(input, "petID").ident.0, "pet");
}

#[test]
fn values_security_schemes_and_tags_have_other_names() {
    let document = with_paths(
        "
/pets: {get: {operationId: a, tags: [V2 Pets], security: [{CookieOAuth2TokenBearer: []}], responses: {'204': {description: d}}}}
/toys: {get: {operationId: b, tags: [toys], responses: {'204': {description: d}}}}
",
        "
securitySchemes: {CookieOAuth2TokenBearer: {type: http, scheme: bearer}}
schemas:
  Size: {type: string, enum: ['1', 2XL]}
  Legs: {type: integer, enum: [2, 4]}
",
    );
    let names = [
        ("CookieOAuth2TokenBearer", "token"),
        ("V2 Pets", "pets"),
        ("#/components/schemas/Size/enum/0", "small"),
        ("#/components/schemas/Legs/enum/1", "Dog"),
    ];
    let (api, report) = lowered_with(&document, &Options::new("x", "x").rename(names));
    assert_eq!(report, "");
    let scheme = api.security_schemes.first().unwrap();
    assert_eq!((scheme.method.0.as_str(), scheme.name.as_str()), ("token", "CookieOAuth2TokenBearer"));
    let tags = api.tags.iter().map(|tag| (tag.module.0.as_str(), tag.api_trait.0.as_str()));
    assert_eq!(tags.collect::<Vec<_>>(), [("pets", "PetsApi"), ("toys", "ToysApi")]);
    assert_eq!(variants(&api, "Size"), ["Small=1", "N2xl=2XL"]);
    assert_eq!(variants(&api, "Legs"), ["N2=2", "Dog=4"]);
}

#[test]
fn the_names_of_swagger_are_those_of_the_document_as_it_is_written() {
    let text = "swagger: '2.0'\ninfo: {title: t, version: '1'}\npaths: {}\ndefinitions:\n  Page«Pet»: {type: object, properties: {ownerID: {type: string}}}\n  Zoo: {type: object, x-nullable: true, properties: {a: {type: object, properties: {b: {type: string}}}}}\n";
    let renames = [
        ("Page«Pet»", "Pets"),
        ("#/definitions/Page«Pet»/properties/ownerID", "keeper"),
        ("#/definitions/Zoo/properties/a", "cage"),
        ("#/definitions/Zoo/properties/gone", "Gone"),
    ];
    let options = Options::new("x", "x").rename(renames);
    let document = Document::parse("test.yaml", text).document.unwrap();
    let lowered = lower(&document, &options, &mut Diagnostics::default());
    let unused: Vec<_> = lowered.unused.iter().map(|unused| unused.message.as_str()).collect();
    assert_eq!(unused, ["unknown name or pointer `#/definitions/Zoo/properties/gone` in `rename`"]);
    assert_eq!(field(struct_named(&lowered.api, "Pets"), "ownerID").ident.0, "keeper");
    assert_eq!(field(struct_named(&lowered.api, "Zoo"), "a").ident.0, "cage");
}

#[test]
fn an_operation_is_named_by_method_and_path() {
    let (api, unused) = renamed(&[("GET /pets/{petID}", "find_pet")]);
    assert_eq!((operation(&api, "getPetV2").ident.0.as_str(), unused), ("find_pet", Vec::new()));
}

#[test]
fn names_without_effect_are_reported() {
    let (api, unused) = renamed(&[
        ("pet-v3", "Pet"),
        ("#/info/title", "Title"),
        ("#/components/schemas/pet-v2/properties/ownerID", "name"),
    ]);
    let setting = |key: &str| Setting::Rename(key.to_owned());
    let owner = "#/components/schemas/pet-v2/properties/ownerID";
    assert_eq!(
        unused,
        [
            (setting(owner), format!("`{owner}` in `rename` can't have this name, which another one has")),
            (setting("#/info/title"), "`#/info/title` in `rename` has no name in Rust".to_owned()),
            (setting("pet-v3"), "unknown name or pointer `pet-v3` in `rename`".to_owned()),
        ]
    );
    let pet = struct_named(&api, "PetV2");
    assert_eq!(
        [field(pet, "ownerID"), field(pet, "name")].map(|field| field.ident.0.as_str()),
        ["owner_id", "name"]
    );
}

#[test]
fn a_name_that_is_kept_blocks_renames_to_it() {
    let [owner, toys, name] =
        ["ownerID", "toys", "name"].map(|name| format!("#/components/schemas/pet-v2/properties/{name}"));
    // `name` can't be `toys`, so `toys` can't be `name`, so `ownerID` could be anything but these.
    let (api, unused) =
        renamed(&[(&owner, "toys"), (&name, "ownerID"), ("pet-v2", "Pet"), (&toys, "keeper")]);
    assert_eq!(unused, []);
    let idents = |api: &Api| {
        let pet = struct_named(api, "Pet");
        [field(pet, "ownerID"), field(pet, "toys"), field(pet, "name")].map(|field| field.ident.0.clone())
    };
    assert_eq!(idents(&api), ["toys", "keeper", "owner_id"]);
    let (api, unused) = renamed(&[(&owner, "name"), (&toys, "ownerID"), ("pet-v2", "Pet")]);
    assert_eq!(idents(&api), ["owner_id", "toys", "name"]);
    let keys: Vec<_> = unused.iter().map(|(setting, _)| setting.clone()).collect();
    assert_eq!(keys, [Setting::Rename(owner), Setting::Rename(toys)]);
}

#[test]
fn a_node_is_renamed_once() {
    let (api, unused) = renamed(&[("#/components/schemas/pet-v2", "Pet"), ("pet-v2", "Animal")]);
    struct_named(&api, "Pet");
    let message = "`pet-v2` in `rename` is the same as `#/components/schemas/pet-v2`";
    assert_eq!(unused, [(Setting::Rename("pet-v2".to_owned()), message.to_owned())]);
}

/// The document that FastAPI makes of a function with two body parameters, and of two with one name.
const FASTAPI: &str = "
/pets/{id}/move:
  post:
    operationId: move_pet_pets__id__move_post
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Body_move_pet_pets__id__move_post'}}}}
    responses: {'204': {description: d}}
/a:
  post:
    operationId: make_a_post
    requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Body_make_a_post'}}}}
    responses: {'204': {description: d}}
/b:
  post: {operationId: make_b_post, responses: {'204': {description: d}}}
";

#[test]
fn fastapis_bodies_are_named_after_their_operations() {
    let body = "{type: object, properties: {a: {type: string}}}";
    let names = ["Body_move_pet_pets__id__move_post", "Body_make_a_post"];
    let schemas: String = names.map(|name| format!("  {name}: {body}\n")).concat();
    let document = with_paths(FASTAPI, &format!("schemas:\n{schemas}"));
    let names = |options: &Options| {
        let (api, report) = lowered_with(&document, options);
        assert_eq!(report, "");
        let names = api.types.iter().map(|def| def.name.0.clone());
        names.filter(|name| name.contains("Body")).collect::<Vec<_>>()
    };
    let options = Options::new("x", "x");
    assert_eq!(names(&options), ["BodyMovePetPetsIdMovePost", "BodyMakeAPost"]);
    let options = options.names(OperationNames::FastApi);
    // Two functions are called `make`, so their operations keep long names.
    assert_eq!(names(&options), ["MovePetBody", "BodyMakeAPost"]);
    let options = options.rename([("Body_move_pet_pets__id__move_post", "Move body")]);
    assert_eq!(names(&options), ["MoveBody", "BodyMakeAPost"]);
}
