//! Names of types and statics.
//!
//! All claims to names are collected before any name is decided.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::{settle::by_rules, words::fingerprint};

/// The strength of a claim. The strongest claim to a name gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// A type nested in something else: the schema of a property.
    Nested,
    /// A type of an operation: its input, output or error.
    Operation,
    /// A component, named by the document.
    Component,
    /// An item of the generated crate that is not in the document.
    Fixed,
}

/// A claim to a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim<S> {
    /// The namespace in which names must be unique: a module.
    pub space: S,
    /// The strength.
    pub strength: Strength,
    /// The preferred name.
    pub short: String,
    /// The name if the preferred one is taken.
    pub long: String,
    /// A text that no other claim in the namespace has: the location in the document.
    pub identity: String,
}

/// Decides all names, independently of the order of the claims.
///
/// A claim gets its short name if it is the only claim with the highest strength for that name. Otherwise
/// it gets its long name if no other claim needs it. Otherwise it gets the long name and a hash of its
/// identity.
pub fn decide<S: Copy + Eq + Hash>(claims: &[Claim<S>]) -> Vec<String> {
    let mut strongest: HashMap<(S, &str), (Strength, usize)> = HashMap::with_capacity(claims.len());
    for claim in claims {
        let best = strongest.entry((claim.space, &claim.short)).or_insert((claim.strength, 0));
        match claim.strength.cmp(&best.0) {
            std::cmp::Ordering::Greater => *best = (claim.strength, 1),
            std::cmp::Ordering::Equal => best.1 += 1,
            std::cmp::Ordering::Less => {}
        }
    }
    let wins =
        |claim: &Claim<S>| strongest.get(&(claim.space, claim.short.as_str())) == Some(&(claim.strength, 1));
    let winners = claims.iter().filter(|claim| wins(claim));
    let mut used: HashSet<(S, String)> = winners.map(|claim| (claim.space, claim.short.clone())).collect();
    let others: Vec<&Claim<S>> = claims.iter().filter(|claim| !wins(claim)).collect();
    let long = |claim: &Claim<S>, ()| (claim.space, claim.long.clone());
    let mut names = by_rules(&others, &mut used, [()], long).into_iter();
    let name = |claim: &Claim<S>| match wins(claim) {
        true => claim.short.clone(),
        false => names.next().flatten().map_or_else(|| claim.marked(&mut used), |(_, name)| name),
    };
    claims.iter().map(name).collect()
}

impl<S: Copy + Eq + Hash> Claim<S> {
    /// Returns the long name with a hash of the identity.
    ///
    /// Claims with the same identity are numbered before hashing.
    fn marked(&self, used: &mut HashSet<(S, String)>) -> String {
        let is_type = self.long.contains(|character: char| character.is_ascii_lowercase());
        let mut count = 0_usize;
        loop {
            let identity =
                if count == 0 { self.identity.clone() } else { format!("{} {count}", self.identity) };
            let mark = fingerprint(&identity);
            let name = if is_type {
                format!("{}{}", self.long, mark.replacen('x', "X", 1))
            } else {
                format!("{}_{}", self.long, mark.to_uppercase())
            };
            if used.insert((self.space, name.clone())) {
                return name;
            }
            count += 1;
        }
    }
}
