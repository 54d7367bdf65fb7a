//! Fetches that calls share, and the ages of tokens.

use std::sync::atomic::{AtomicU32, Ordering};

use tokio::time::{advance, sleep};

use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// Returns tokens that take a second each: `t1`, `t2` … Those whose number is in `failing` fail.
fn tokens(lifetime: u64, failing: &'static [u32]) -> (Arc<Tokens>, Arc<AtomicU32>) {
    let fetches = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&fetches);
    let provider = move || {
        let number = count.fetch_add(1, Ordering::Relaxed) + 1;
        async move {
            sleep(SECOND).await;
            let token = Token::new(format!("t{number}")).expires_in(Duration::from_secs(lifetime));
            if failing.contains(&number) { Err(format!("no token {number}")) } else { Ok(token) }
        }
    };
    (Tokens::new(provider), fetches)
}

async fn ask(tokens: &Arc<Tokens>) -> String {
    tokens.secret().await.map_or_else(|error| error.to_string(), |secret| secret.to_string())
}

/// Asks ten times at once.
async fn ask_at_once(tokens: &Arc<Tokens>) -> Vec<String> {
    let asked: Vec<_> = (0..10)
        .map(|_| {
            let tokens = Arc::clone(tokens);
            spawn(async move { ask(&tokens).await })
        })
        .collect();
    let mut secrets = Vec::new();
    for one in asked {
        secrets.push(one.await.unwrap());
    }
    secrets
}

#[tokio::test(start_paused = true)]
async fn calls_share_one_fetch() {
    for (lifetime, failing, secret) in
        [(3600, &[][..], "t1"), (0, &[][..], "t1"), (3600, &[1][..], "no token 1")]
    {
        let (tokens, fetches) = tokens(lifetime, failing);
        assert_eq!(ask_at_once(&tokens).await, vec![secret; 10]);
        assert_eq!(fetches.load(Ordering::Relaxed), 1, "{secret}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_is_renewed_before_it_expires_while_it_is_used() {
    let (tokens, fetches) = tokens(3600, &[2]);
    assert_eq!(ask(&tokens).await, "t1");
    advance(SECOND * 3538).await;
    assert_eq!(ask(&tokens).await, "t1");
    assert_eq!(fetches.load(Ordering::Relaxed), 1, "it is not due");
    advance(SECOND).await;
    assert_eq!(ask_at_once(&tokens).await, vec!["t1"; 10], "nobody waits");
    sleep(SECOND * 2).await;
    assert_eq!((ask(&tokens).await.as_str(), fetches.load(Ordering::Relaxed)), ("t1", 2), "that one failed");
    advance(SECOND * 5).await;
    assert_eq!(ask(&tokens).await, "t1");
    sleep(SECOND * 2).await;
    assert_eq!((ask(&tokens).await.as_str(), fetches.load(Ordering::Relaxed)), ("t3", 3));
}

#[tokio::test(start_paused = true)]
async fn an_expired_token_is_never_used() {
    let (tokens, _) = tokens(100, &[2]);
    assert_eq!(ask(&tokens).await, "t1");
    advance(SECOND * 100).await;
    assert_eq!(ask(&tokens).await, "no token 2");
    advance(SECOND).await;
    assert_eq!(ask(&tokens).await, "t3");
}

#[tokio::test(start_paused = true)]
async fn a_token_ages_while_the_machine_is_suspended() {
    let (tokens, _) = tokens(3600, &[]);
    assert_eq!(ask(&tokens).await, "t1");
    let set_back = |by: Duration| {
        let mut state = lock(&tokens.state);
        let fetched = &mut state.held.as_mut().unwrap().fetched;
        fetched.wall = fetched.wall.checked_sub(by).unwrap();
    };
    set_back(SECOND * 60);
    assert_eq!(ask(&tokens).await, "t1");
    set_back(SECOND * 3600);
    assert_eq!(ask(&tokens).await, "t2");
    lock(&tokens.state).held.as_mut().unwrap().fetched.wall += SECOND * 7200;
    assert_eq!(ask(&tokens).await, "t2", "a clock that is set back changes nothing");
    advance(SECOND * 3600).await;
    assert_eq!(ask(&tokens).await, "t3");
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_kept_for_a_pause_that_doubles() {
    let (tokens, fetches) = tokens(3600, &[1, 2]);
    for (pause, failure) in [(1, "no token 1"), (2, "no token 2")] {
        assert_eq!(ask(&tokens).await, failure);
        advance(SECOND * pause - SECOND / 2).await;
        assert_eq!(ask(&tokens).await, failure);
        advance(SECOND / 2).await;
    }
    assert_eq!(fetches.load(Ordering::Relaxed), 2);
    assert_eq!(ask(&tokens).await, "t3");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_does_not_end_the_fetch() {
    let (tokens, fetches) = tokens(3600, &[]);
    assert!(timeout(SECOND / 2, ask(&tokens)).await.is_err());
    assert_eq!(ask(&tokens).await, "t1");
    assert_eq!(fetches.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_hangs_or_panics_fails() {
    let hanging = Tokens::new(std::future::pending::<Result<Token, BoxError>>);
    assert_eq!(ask(&hanging).await, "there was no token within 60s");
    async fn panics() -> Result<Token, BoxError> {
        panic!("on purpose")
    }
    let panicking = Tokens::new(panics);
    assert_eq!(ask(&panicking).await, "the provider of tokens panicked");
    assert!(lock(&panicking.state).pause.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_rejected_token_is_replaced_unless_it_is_new() {
    let (tokens, _) = tokens(3600, &[]);
    assert_eq!(ask(&tokens).await, "t1");
    assert!(!tokens.reject("t1"));
    assert_eq!(ask(&tokens).await, "t1");
    advance(SECOND * 30).await;
    assert!(tokens.reject("t1"));
    assert_eq!(ask(&tokens).await, "t2");
    assert!(tokens.reject("t1"), "another call replaced it");
    assert_eq!(ask(&tokens).await, "t2");
}
