//! Names of types and statics.
//!
//! All claims to names are collected before any name is decided.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::words::fingerprint;

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
    let taken: HashSet<(S, &str)> =
        claims.iter().filter(|claim| wins(claim)).map(|claim| (claim.space, claim.short.as_str())).collect();
    let mut votes: HashMap<(S, &str), usize> = HashMap::new();
    for claim in claims.iter().filter(|claim| !wins(claim)) {
        *votes.entry((claim.space, &claim.long)).or_default() += 1;
    }
    let second = |claim: &Claim<S>| {
        let long = (claim.space, claim.long.as_str());
        votes.get(&long) == Some(&1) && !taken.contains(&long)
    };
    let mut names: Vec<Option<&str>> = Vec::with_capacity(claims.len());
    let mut used: HashSet<(S, String)> = HashSet::with_capacity(claims.len());
    for claim in claims {
        let name = if wins(claim) { Some(&claim.short) } else { Some(&claim.long).filter(|_| second(claim)) };
        used.extend(name.map(|name| (claim.space, name.clone())));
        names.push(name.map(String::as_str));
    }
    let settled = claims.iter().zip(names);
    settled.map(|(claim, name)| name.map_or_else(|| claim.marked(&mut used), str::to_owned)).collect()
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
