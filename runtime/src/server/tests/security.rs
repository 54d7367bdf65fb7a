//! Credentials: one of several alternatives, each with several schemes.

use super::*;

async fn call(path: &str, headers: Headers<'_>) -> (u16, String) {
    let method = if path == "/v1/check" { "PUT" } else { "GET" };
    let response = send(&service(), request(method, path, headers, Body::empty())).await;
    (response.status.as_u16(), if response.status.is_success() { response.body } else { String::new() })
}

#[tokio::test]
async fn one_alternative_with_all_its_schemes_is_required() {
    let key = ("x-api-key", "good");
    let basic = ("authorization", "basic dXNlcjpwYXNzOndvcmQ=");
    let bearer = ("authorization", "BEARER t0ken");
    let cases: &[(Headers<'_>, u16, &str)] = &[
        (&[key, basic], 200, "good+read"),
        (&[bearer], 200, "t0ken"),
        // The first alternative is incomplete, so the second one is tried.
        (&[key, bearer], 200, "t0ken"),
        (&[key], 401, ""),
        (&[basic], 401, ""),
        (&[], 401, ""),
        (&[("x-api-key", "bad"), basic], 401, ""),
        (&[("x-api-key", "forbidden"), basic], 403, ""),
        (&[key, ("authorization", "Basic dXNlcjp3cm9uZw==")], 401, ""),
        (&[key, ("authorization", "Basic no base64")], 401, ""),
        (&[key, ("authorization", "Basic bm8gY29sb24=")], 401, ""),
        (&[("authorization", "Bearer")], 401, ""),
        (&[("authorization", "Bearer ")], 401, ""),
        (&[bearer, ("authorization", "Bearer t0ken")], 401, ""),
    ];
    for (headers, status, body) in cases {
        assert_eq!(call("/v1/both", headers).await, (*status, (*body).to_owned()), "{headers:?}");
    }
}

#[tokio::test]
async fn optional_security_wants_good_credentials_or_none() {
    let cases: &[(Headers<'_>, u16, &str)] = &[
        (&[], 200, "None None"),
        (&[("x-api-key", "")], 200, "None None"),
        (&[("x-api-key", "good")], 200, "Some(\"good\") None"),
        (&[("x-api-key", "bad")], 401, ""),
    ];
    for (headers, status, body) in cases {
        assert_eq!(call("/v1/check", headers).await, (*status, (*body).to_owned()), "{headers:?}");
    }
}

#[tokio::test]
async fn the_other_locations_of_credentials() {
    const fn scheme(name: &'static str, kind: SchemeKind) -> Scheme {
        Scheme::new(name, kind)
    }
    static QUERY: Scheme = scheme("query", SchemeKind::ApiKeyQuery("the key"));
    static COOKIE: Scheme = scheme("cookie", SchemeKind::ApiKeyCookie("session"));
    static OTHER: Scheme = scheme("other", SchemeKind::Http("Token"));
    static TLS: Scheme = scheme("tls", SchemeKind::MutualTls);
    static ALTERNATIVES: &[&[Requirement]] = &[
        &[Requirement { scheme: &QUERY, scopes: &[] }],
        &[Requirement { scheme: &COOKIE, scopes: &[] }],
        &[Requirement { scheme: &OTHER, scopes: &[] }],
        &[Requirement { scheme: &TLS, scopes: &[] }],
    ];
    static OPERATION: Operation = Operation { path: "/any", security: ALTERNATIVES, ..BARE };

    struct Echo;
    impl Authenticate for Echo {
        type Principal = String;
        async fn authenticate(&self, attempt: Attempt<'_>) -> Result<String, Denied> {
            let [credential] = attempt.credentials else { return Err(Denied::Invalid) };
            assert!(!format!("{attempt:?} {credential:?}").contains("s3cret"));
            assert!(attempt.credential(credential.scheme).is_some());
            Ok(format!("{} {}", credential.scheme.name, credential.secret()))
        }
    }
    let mut builder = Builder::new(&[&[&OPERATION]], Echo, &RejectionStyle::PROBLEM_DETAILS);
    builder.mount(
        &OPERATION,
        secured(&Arc::new(()), |_, context: Context<String>, ()| async move {
            let added = context.extensions.get::<&'static str>().copied().unwrap_or_default();
            Err::<(), Failure<Gone>>(Failure::response(Response::new((context.principal + added).into())))
        }),
    );
    let service = builder.build().unwrap();
    let cases: &[(&str, Headers<'_>, &str)] = &[
        ("/any?a=b&the%20key=s3cret%21", &[], "query s3cret!"),
        ("/any", &[("cookie", "a=b; session=s3cret")], "cookie s3cret"),
        ("/any", &[("cookie", "xsession=no"), ("cookie", "session=\"s3cret\"")], "cookie s3cret"),
        ("/any", &[("authorization", "token s3cret")], "other s3cret"),
    ];
    for (path, headers, expected) in cases {
        let response = send(&service, request("GET", path, headers, Body::empty())).await;
        assert_eq!(response.body, *expected, "{path} {headers:?}");
    }
    for path in
        ["/any", "/any?key=x", "/any?the%20key=", "/any?the%20key=a&the%20key=b", "/any?the%20key=%FF"]
    {
        let response = send(&service, request("GET", path, &[], Body::empty())).await;
        assert_eq!(response.status.as_u16(), 401, "{path}");
    }
    let mut tls = request("GET", "/any", &[], Body::empty());
    tls.extensions_mut().insert(ClientCertificate(vec![1]));
    tls.extensions_mut().insert("by a layer in front");
    assert_eq!(send(&service, tls).await.body, "tls by a layer in front");
}
