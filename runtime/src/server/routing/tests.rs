//! The router, compared with a table and with a naive matcher.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::super::template::{Segment, Template};
use super::*;

fn router(routes: &[(&'static str, &'static str)]) -> Router {
    let mut router = Router::new();
    for (method, template) in routes {
        router.add(method, template).unwrap();
    }
    router
}

/// Returns the result of a lookup as text: `route name=value`, `allow …`, `none`.
fn find(router: &Router, method: &str, path: &str) -> String {
    match router.find(method, path) {
        Found::Route(route, captures) => {
            let names = router.names(route).iter().zip(captures.of(path));
            names.fold(route.to_string(), |line, (name, value)| format!("{line} {name}={value}"))
        }
        Found::MethodNotAllowed(allow) => format!("allow {allow}"),
        Found::NoRoute => "none".to_owned(),
    }
}

#[test]
fn precedence() {
    let routes = [
        ("GET", "/"),                                                // 0
        ("GET", "/v1/icons/{id}"),                                   // 1
        ("POST", "/v1/text-to-icon"),                                // 2
        ("GET", "/v1/text-to-icon"),                                 // 3
        ("POST", "/v1/text-to-icon/preview"),                        // 4
        ("GET", "/v1/text-to-icon/{task-id}"),                       // 5
        ("POST", "/v1/video/{model}"),                               // 6
        ("POST", "/v1/video/{model}-pro"),                           // 7
        ("POST", "/v1/video/{model}-motion-control-pro"),            // 8
        ("POST", "/v1/video/fast-model"),                            // 9
        ("GET", "/v1/video/{name}/{task-id}"),                       // 10
        ("GET", "/v1/files/{id}.{ext}"),                             // 11
        ("GET", "/v1/files/{id}:cancel"),                            // 12
        ("GET", "/v1/range/{a}-{b}"),                                // 13
        ("GET", "/v1/back/a/{x}/end"),                               // 14
        ("GET", "/v1/back/{y}/b/other"),                             // 15
        ("GET", "/v1/back/x{y}/b/third"),                            // 16
        ("GET", "/v1/slash/"),                                       // 17
        ("GET", "/v1/a b/c%C3%A9/{x}"),                              // 18
        ("GET", "/v1/many/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}/{j}"), // 19
    ];
    let router = router(&routes);
    let cases = [
        ("GET", "/", "0"),
        ("GET", "", "none"),
        ("OPTIONS", "*", "none"),
        ("GET", "//", "none"),
        ("GET", "/v1/icons/7", "1 id=7"),
        ("GET", "/v1/icons/a%2Fb%20c", "1 id=a%2Fb%20c"),
        ("GET", "/v1/icons/", "none"),
        ("GET", "/v1/icons", "none"),
        ("GET", "/v1/icons/7/", "none"),
        ("GET", "/v1/Icons/7", "none"),
        ("POST", "/v1/icons/7", "allow GET, HEAD"),
        ("HEAD", "/v1/icons/7", "1 id=7"),
        ("HEAD", "/v1/text-to-icon/preview", "allow POST"),
        ("OPTIONS", "/v1/text-to-icon", "allow POST, GET, HEAD"),
        ("get", "/v1/text-to-icon", "allow POST, GET, HEAD"),
        ("GET", "/v1/text-to-icon/preview", "allow POST"),
        ("GET", "/v1/text-to-icon/%70review", "allow POST"),
        ("GET", "/v1/text-to-icon/previews", "5 task-id=previews"),
        ("POST", "/v1/video/fast-model", "9"),
        ("POST", "/v1/video/fast-models", "6 model=fast-models"),
        ("POST", "/v1/video/x-pro", "7 model=x"),
        ("POST", "/v1/video/-pro", "6 model=-pro"),
        ("POST", "/v1/video/x-motion-control-pro", "8 model=x"),
        ("POST", "/v1/video/x%2Dmotion-control-pr%6F", "8 model=x"),
        ("POST", "/v1/video/%41-%70ro", "7 model=%41"),
        ("POST", "/v1/video/-motion-control-pro", "7 model=-motion-control"),
        ("GET", "/v1/video/fast-model/1", "10 name=fast-model task-id=1"),
        ("GET", "/v1/video/x-pro/1", "10 name=x-pro task-id=1"),
        ("GET", "/v1/files/a.tar.gz", "11 id=a ext=tar.gz"),
        ("GET", "/v1/files/..x", "11 id=. ext=x"),
        ("GET", "/v1/files/a.", "none"),
        ("GET", "/v1/files/.a", "none"),
        ("GET", "/v1/files/a%2Eb", "11 id=a ext=b"),
        ("GET", "/v1/files/a:cancel", "12 id=a"),
        ("GET", "/v1/files/a%3acancel", "12 id=a"),
        ("GET", "/v1/range/1-2-3", "13 a=1 b=2-3"),
        ("GET", "/v1/range/--1", "13 a=- b=1"),
        ("GET", "/v1/range/é-%zz", "13 a=é b=%zz"),
        ("GET", "/v1/back/a/b/end", "14 x=b"),
        ("GET", "/v1/back/a/b/other", "15 y=a"),
        ("GET", "/v1/back/xa/b/third", "16 y=a"),
        ("GET", "/v1/back/xa/b/other", "15 y=xa"),
        ("GET", "/v1/slash/", "17"),
        ("GET", "/v1/slash", "none"),
        ("GET", "/v1/a%20b/cé/1", "18 x=1"),
        ("GET", "/v1/a%20b/c%c3%a9/1", "18 x=1"),
        ("GET", "/v1/many/0/1/2/3/4/5/6/7/8/9", "19 a=0 b=1 c=2 d=3 e=4 f=5 g=6 h=7 i=8 j=9"),
    ];
    for (method, path, expected) in cases {
        assert_eq!(find(&router, method, path), expected, "{method} {path}");
    }
}

#[test]
fn the_length_of_a_path_is_limited() {
    let router = router(&[("GET", "/{a}/{b}")]);
    let path = |length: usize| format!("/{}/z", "y".repeat(length));
    assert!(find(&router, "GET", &path(65_532)).ends_with("y b=z"));
    assert_eq!(find(&router, "GET", &path(65_533)), "none");
    assert_eq!(find(&router, "GET", &"/".repeat(65_535)), "none");
}

#[test]
fn a_template_has_a_method_once() {
    let mut router = router(&[("GET", "/a/{x}"), ("POST", "/a/{y}"), ("GET", "/a/{x}-b")]);
    assert_eq!(router.add("GET", "/a/{z}"), Err(RouteError::Conflict(0)));
    assert_eq!(router.add("GET", "/a/{z}-b"), Err(RouteError::Conflict(2)));
    assert_eq!(router.add("PUT", "/{"), Err(RouteError::Template(TemplateError::Braces)));
    assert_eq!(find(&router, "DELETE", "/a/1"), "allow GET, POST, HEAD");
}

/// Returns whether a template's segment matches a request's, by trying every split.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('{') {
        None => pattern == text,
        Some((literal, rest)) => {
            let rest = rest.split_once('}').unwrap().1;
            let Some(text) = text.strip_prefix(literal) else { return false };
            (1..=text.len()).any(|end| matches(rest, &text[end..]))
        }
    }
}

/// Orders templates by precedence, segment by segment.
fn rank(left: &'static str, right: &'static str) -> Ordering {
    let parse = |text| Template::parse(text).unwrap().segments;
    let class = |segment: &Segment| match segment {
        Segment::Literal(_) => 0,
        Segment::Mixed(_) => 1,
        Segment::Parameter => 2,
    };
    let order = |(left, right): (&Segment, &Segment)| match (left, right) {
        (Segment::Mixed(left), Segment::Mixed(right)) => left.precedence(right),
        _ => class(left).cmp(&class(right)),
    };
    parse(left).iter().zip(&parse(right)).map(order).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn agrees_with_a_naive_matcher(
        templates in prop::collection::vec(
            prop::collection::vec("[ab]{0,2}|\\{\\}|[ab]{0,2}\\{\\}[ab]{1,2}|[ab]{1,2}\\{\\}|\\{\\}[ab-]\\{\\}", 1..4), 1..12),
        paths in prop::collection::vec(prop::collection::vec("[ab-]{0,5}", 1..4), 1..20),
    ) {
        let mut router = Router::new();
        let mut known: Vec<&'static str> = Vec::new();
        for template in templates {
            let mut count = 0;
            let named: String = template.iter().map(|segment| {
                let mut text = format!("/{segment}");
                while let Some(at) = text.find("{}") {
                    text.insert_str(at + 1, &format!("p{count}"));
                    count += 1;
                }
                text
            }).collect();
            let named: &'static str = named.leak();
            if router.add("GET", named).is_ok() {
                known.push(named);
            }
        }
        for path in paths {
            let path: String = path.iter().map(|segment| format!("/{segment}")).collect();
            let fits = |template: &&'static str| {
                template.split('/').count() == path.split('/').count()
                    && template.split('/').zip(path.split('/')).all(|(pattern, text)| matches(pattern, text))
            };
            let expected = known.iter().copied().filter(fits).min_by(|left, right| rank(left, right));
            let (found, values) = match router.find("GET", &path) {
                Found::Route(route, captures) => {
                    (known.get(route).copied(), captures.of(&path).map(str::to_owned).collect::<Vec<_>>())
                }
                _ => (None, Vec::new()),
            };
            prop_assert_eq!(found, expected, "{}", path);
            prop_assert!(values.iter().all(|value| !value.is_empty()));
            if let Some(template) = found {
                let filled = values.iter().enumerate().fold(template.to_owned(), |text, (index, value)| {
                    text.replace(&format!("{{p{index}}}"), value)
                });
                prop_assert_eq!(filled, path);
            }
        }
    }
}
