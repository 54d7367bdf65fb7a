//! Tests of the log of internal errors.

use std::process::Command;

use super::*;

const INNER: &str = "OPENAPI_CRATES_LOGS_INTERNAL_ERRORS";

/// Runs itself in another process, whose stderr it reads.
#[tokio::test]
async fn internal_errors_are_logged_unless_there_is_a_hook() {
    if std::env::var_os(INNER).is_some() {
        return fail().await;
    }
    let name = "server::tests::log::internal_errors_are_logged_unless_there_is_a_hook";
    let inner = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", name])
        .env(INNER, "1")
        .output()
        .unwrap();
    let text = String::from_utf8(inner.stderr).unwrap() + &String::from_utf8(inner.stdout).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("internal error: ")).collect();
    let [broken, panicked] = lines[..] else { panic!("{text}") };
    assert!(broken.contains("the secret reason"), "{broken}");
    assert!(panicked.contains("a handler panicked: the handler's own words"), "{panicked}");
    for line in lines {
        assert!(line.contains("GET") && line.contains("/v1/notes/{id}"), "{line}");
    }
}

async fn fail() {
    #[cfg(feature = "tracing")]
    let subscriber = tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).finish();
    #[cfg(feature = "tracing")]
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let get = |id: &str| request("GET", &format!("/v1/notes/{id}"), &[("x-api-key", "good")], Body::empty());
    let logging = service();
    let mut hooked = builder();
    hooked.reject(|rejection| RejectionStyle::PROBLEM_DETAILS.respond(&rejection));
    let hooked = hooked.build().unwrap();
    for service in [&logging, &hooked] {
        for (id, status) in [("broken", 500), ("panic", 500), ("gone", 410), ("refused", 400)] {
            assert_eq!(send(service, get(id)).await.status, status, "{id}");
        }
    }
}
