//! Mutants of the fixtures: whatever a document says, the generator neither panics nor writes what is no Rust.
//!
//! `cargo xtask fuzz` tries as many as there is time for, and also sees hangs, stack overflows and runaways.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use openapi_crates_fuzz::{Fate, Nursery, examine};

use crate::support::fixtures;

/// So many mutants are tried, on all cores.
const COUNT: u64 = 400;

#[test]
fn mutants_do_no_harm() {
    let mut nursery = Nursery::default();
    for fixture in fixtures("valid").into_iter().chain(fixtures("invalid")) {
        nursery.add(&fixture.source, &fixture.text);
    }
    let (next, generated) = (AtomicU64::new(0), AtomicU64::new(0));
    let work = || {
        while let seed = next.fetch_add(1, Ordering::Relaxed)
            && seed < COUNT
        {
            let mutant = nursery.mutant(seed).expect("there are fixtures");
            match examine(&mutant) {
                Ok(Fate::Refused) => {}
                Ok(Fate::Generated(_)) => drop(generated.fetch_add(1, Ordering::Relaxed)),
                Err(fault) => panic!(
                    "seed {seed}, a mutant of {}: {fault}\n`cargo xtask fuzz --seed {seed} --count 1` makes it small",
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
    // Mutants that are refused at once would prove nothing.
    assert!(generated.into_inner() > COUNT / 2, "most mutants have something to generate from");
}
