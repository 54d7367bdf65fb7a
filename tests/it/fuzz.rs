//! Tests mutants of the fixtures: the generator never panics or emits invalid Rust.
//!
//! `cargo xtask fuzz` tries as many mutants as time allows. It also detects hangs, stack overflows and
//! excessive memory use.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use openapi_crates_suite::fuzz::{Corpus, Verdict, examine};

use crate::support::fixtures;

/// The number of mutants.
const COUNT: u64 = 100;

#[test]
fn mutated_documents_cause_no_failure() {
    let mut corpus = Corpus::default();
    for fixture in fixtures("valid").into_iter().chain(fixtures("invalid")) {
        corpus.add(&fixture.source, &fixture.text);
        for overlay in fixture.overlays() {
            corpus.add(&overlay.name, &overlay.text);
        }
    }
    let (next, generated) = (AtomicU64::new(0), AtomicU64::new(0));
    let work = || {
        while let seed = next.fetch_add(1, Ordering::Relaxed)
            && seed < COUNT
        {
            let mutant = corpus.mutant(seed).expect("there are fixtures");
            match examine(&mutant) {
                Ok(Verdict::Refused) => {}
                Ok(Verdict::Generated(_)) => drop(generated.fetch_add(1, Ordering::Relaxed)),
                Err(error) => panic!(
                    "seed {seed}, a mutant of {}: {error}\nrun `cargo xtask fuzz --seed {seed} --count 1` to minimise it",
                    mutant.parent
                ),
            }
        }
    };
    thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..cores {
            scope.spawn(work);
        }
    });
    // Most mutants must be usable, because refused mutants test little.
    assert!(generated.into_inner() > COUNT / 2, "most mutants must be usable");
}
