//! A document of Swagger 2.0 from client to server: arrays, forms, files, bodies, credentials and discriminators.

use std::sync::{Arc, Mutex};

use fixture_swagger_2_client::{Client, models};
use fixture_swagger_2_server::{
    Server,
    pets::PetsApi,
    runtime::{Attempt, Authenticate, Context, Denied, Failure},
};
use models::{
    common::{Cat, Dog, Error, PagePhoto, Pet},
    pets::{
        AddPetInput, AddPhotoBody, AddPhotoInput, DescribePhotoBody, DescribePhotoInput, GetPhotoError,
        GetPhotoInput, ListPetsInput, ListPetsOutput, ListPetsTagsItem,
    },
    responses::{ApiError, BadAnyStatusResponse},
    types::{ByteStream, File, NoError},
};

use crate::{received, serving};

/// Accepts every credential, and passes on the names of the schemes and the secrets.
struct Any;

impl Authenticate for Any {
    type Principal = String;

    async fn authenticate(&self, attempt: Attempt<'_>) -> Result<String, Denied> {
        let used = attempt.credentials.iter().map(|one| format!("{}={}", one.scheme.name, one.secret()));
        Ok(used.collect::<Vec<_>>().join(" "))
    }
}

/// Responds with what it read, and keeps a text about each request.
#[derive(Default)]
struct Shop(Mutex<Vec<String>>);

impl Shop {
    fn note(&self, text: String) {
        self.0.lock().expect("no test panics here").push(text);
    }

    fn last(&self) -> String {
        self.0.lock().expect("no test panics here").pop().unwrap_or_default()
    }
}

fn bad(message: &str) -> ApiError {
    ApiError::BadAnyStatus(BadAnyStatusResponse::new(400, Error::new(message)))
}

impl PetsApi for Shop {
    type Principal = String;

    async fn list_pets(
        &self,
        context: Context<String>,
        input: ListPetsInput,
    ) -> Result<ListPetsOutput, Failure<ApiError>> {
        self.note(format!("{} {}", context.uri(), context.principal));
        if input.limit_or_default() == 13 {
            return Err(bad("thirteen").into());
        }
        let mut dog = Dog::new(format!("{:?} {:?} {:?}", input.ids, input.words, input.marks));
        dog.nick = Some(None.into());
        let mut response = ListPetsOutput::new(vec![Pet::Dog(dog), Pet::Cat(Cat::new("Mia", 9))]);
        response.x_total = input.x_ids.map(|ids| ids.iter().sum());
        Ok(response)
    }

    async fn add_pet(&self, context: Context<String>, input: AddPetInput) -> Result<(), Failure<ApiError>> {
        self.note(format!("{} {:?}", context.principal, input.body));
        Ok(())
    }

    async fn add_photo(
        &self,
        _: Context<String>,
        input: AddPhotoInput,
    ) -> Result<PagePhoto, Failure<ApiError>> {
        let AddPhotoBody { note, photo, places, .. } = input.body;
        self.note(format!("{} {:?} {places:?}", input.name, photo.file_name));
        let bytes = i64::try_from(photo.data.len()).unwrap_or_default();
        let mut page = PagePhoto::new(bytes);
        page.note = note;
        Ok(page)
    }

    async fn describe_photo(
        &self,
        _: Context<()>,
        input: DescribePhotoInput,
    ) -> Result<(), Failure<NoError>> {
        self.note(format!("{:?}", input.body.map(|body| (body.colors, body.sizes))));
        Ok(())
    }

    async fn get_photo(
        &self,
        _: Context<String>,
        input: GetPhotoInput,
    ) -> Result<ByteStream, Failure<GetPhotoError>> {
        if input.name == "Mia" {
            Ok(ByteStream::from(vec![0xff, 0x00]))
        } else {
            Err(GetPhotoError::NotFound.into())
        }
    }
}

async fn start() -> (Client, String, Arc<Shop>) {
    let shop = Arc::new(Shop::default());
    let service = Server::builder(Any).pets(Arc::clone(&shop)).build().expect("a service");
    let url = serving::start(service).await;
    let client = Client::builder().base_url(&url).key("secret").signed_in("token").build().expect("a client");
    (client, url, shop)
}

#[tokio::test]
async fn arrays_are_separated_by_their_formats() {
    let (client, url, shop) = start().await;
    let words = |list: [&str; 2]| list.map(str::to_owned).to_vec();
    let input = ListPetsInput::default()
        .with_tags(vec![ListPetsTagsItem::Small, ListPetsTagsItem::Big])
        .with_ids(vec![1, 2])
        .with_words(words(["a", "b"]))
        .with_marks(words(["c", "d"]))
        .with_x_ids(vec![3, 4]);
    let response = client.list_pets(input).await.expect("a response");
    assert_eq!(shop.last(), "/pets?tags=small&tags=big&ids=1,2&words=a%20b&marks=c%7Cd key=secret");
    assert_eq!(response.x_total, Some(7));
    let [Pet::Dog(dog), Pet::Cat(cat)] = response.body.as_slice() else { panic!("{:?}", response.body) };
    assert_eq!(dog.name, "Some([1, 2]) Some([\"a\", \"b\"]) Some([\"c\", \"d\"])");
    assert_eq!(cat.lives, 9);

    let refused =
        client.list_pets(ListPetsInput::default().with_limit(13)).await.expect_err("the server refuses");
    assert_eq!(refused.api_body(), Some(&bad("thirteen")));
    for (query, status) in
        [("limit=0", 400), ("limit=100", 200), ("limit=101", 400), ("ids=1,2,3,4", 400), ("tags=old", 400)]
    {
        let response = serving::request(&url, "GET", &format!("/pets?{query}"), "x-key: k\r\n").await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{query}: {response}");
    }
    let response = serving::request(&url, "GET", "/pets", "").await;
    assert!(response.starts_with("HTTP/1.1 401"), "{response}");
}

#[tokio::test]
async fn bodies_and_credentials() {
    let (client, url, shop) = start().await;
    client.add_pet(Pet::Cat(Cat::new("Mia", 9))).await.expect("a response");
    let seen = shop.last();
    assert!(seen.starts_with("signed_in=token Cat(Cat { kind: \"Cat\", name: \"Mia\""), "{seen}");
    let json = |body: &str| format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
    for (body, credential, status) in [
        ("{\"kind\":\"Cat\",\"name\":\"Mia\",\"lives\":9}", "Basic YTpi", 201),
        ("{\"kind\":\"Cat\",\"name\":\"Mia\",\"lives\":10}", "Bearer t", 400),
        ("{\"kind\":\"Dog\",\"name\":\"Rex\",\"nick\":null}", "Bearer t", 201),
        ("{\"kind\":\"Dog\",\"name\":null}", "Bearer t", 400),
        ("{\"kind\":\"Dog\",\"name\":\"Rex\"}", "Digest t", 401),
    ] {
        let headers = format!("{}authorization: {credential}\r\n", json(body));
        let response = serving::send(&url, "POST", "/pets", &headers, body).await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{body}: {response}");
    }
    assert!(matches!(
        received::<Pet>("{\"kind\":\"Cow\",\"name\":\"Berta\"}"),
        Pet::Base(_) | Pet::Unknown(_)
    ));
}

#[tokio::test]
async fn forms_and_files() {
    let (client, url, shop) = start().await;
    let mut body = AddPhotoBody::new(File::new("mia.png", vec![1, 2, 3]));
    body.note = Some("Asleep.".to_owned());
    body.places = Some(vec!["sofa".to_owned(), "bed".to_owned()]);
    let page = client.add_photo(AddPhotoInput::new("Mia", body)).await.expect("a response");
    assert_eq!((page.bytes, page.note.as_deref()), (3, Some("Asleep.")));
    assert_eq!(shop.last(), "Mia Some(\"mia.png\") Some([\"sofa\", \"bed\"])");

    let mut body = DescribePhotoBody::default();
    body.colors = Some(vec!["red".to_owned(), "a b".to_owned()]);
    body.sizes = Some(vec![1, 2]);
    client.describe_photo(DescribePhotoInput::new("Mia").with_body(body)).await.expect("a response");
    assert_eq!(shop.last(), "Some((Some([\"red\", \"a b\"]), Some([1, 2])))");
    for (form, status) in [("colors=x&sizes=3|4", 204), ("sizes=3%7C4", 204), ("sizes=3,4", 400)] {
        let length = form.len();
        let headers =
            format!("content-type: application/x-www-form-urlencoded\r\ncontent-length: {length}\r\n");
        let response = serving::send(&url, "PUT", "/pets/Mia/photo", &headers, form).await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{form}: {response}");
    }

    let picture = client.get_photo(GetPhotoInput::new("Mia")).await.expect("a response");
    assert_eq!(picture.collect().await.expect("all bytes").as_ref(), [0xff, 0x00]);
    let missing = client.get_photo(GetPhotoInput::new("Rex")).await.expect_err("there is no picture");
    assert_eq!(missing.api_body(), Some(&GetPhotoError::NotFound));
    let response = serving::request(&url, "GET", "/pets/Mia/photo", "x-key: k\r\n").await;
    assert!(response.contains("content-type: image/png"), "{response}");
}
