//! Names of types and statics, which are claimed from many places before any of them is decided.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::words::fingerprint;

/// How strong a claim to a name is; the strongest keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// Made within something else: a property's schema.
    Nested,
    /// Made for an operation as a whole: its input, output, error.
    Operation,
    /// The document's own name.
    Component,
    /// The generated crate's own.
    Fixed,
}

/// A claim to a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim<S> {
    /// Where names must differ: a module.
    pub space: S,
    /// How strong it is.
    pub strength: Strength,
    /// The name, if it is free.
    pub short: String,
    /// The name otherwise.
    pub long: String,
    /// What tells it from all other claims of its space: the place in the document.
    pub identity: String,
}

/// All claims of a kind.
#[derive(Debug, Default)]
pub struct Claims<S>(Vec<Claim<S>>);

impl<S: Copy + Eq + Hash> Claims<S> {
    /// No claims.
    #[must_use]
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// Makes a claim; the decided name stands at this place in [`decide`](Self::decide)'s answer.
    pub fn add(&mut self, claim: Claim<S>) -> usize {
        self.0.push(claim);
        self.0.len() - 1
    }

    /// Decides all names. Each claim gets its short name if it is the strongest claim to it and the only one of its
    /// strength; else its long name if nobody else wants that; else the long name and a hash of its identity.
    #[must_use]
    pub fn decide(self) -> Vec<String> {
        let mut strongest: HashMap<(S, &str), (Strength, usize)> = HashMap::with_capacity(self.0.len());
        for claim in &self.0 {
            let best = strongest.entry((claim.space, &claim.short)).or_insert((claim.strength, 0));
            match claim.strength.cmp(&best.0) {
                std::cmp::Ordering::Greater => *best = (claim.strength, 1),
                std::cmp::Ordering::Equal => best.1 += 1,
                std::cmp::Ordering::Less => {}
            }
        }
        let wins = |claim: &Claim<S>| {
            strongest.get(&(claim.space, claim.short.as_str())) == Some(&(claim.strength, 1))
        };
        let taken: HashSet<(S, &str)> = self
            .0
            .iter()
            .filter(|claim| wins(claim))
            .map(|claim| (claim.space, claim.short.as_str()))
            .collect();
        let mut votes: HashMap<(S, &str), usize> = HashMap::new();
        for claim in self.0.iter().filter(|claim| !wins(claim)) {
            *votes.entry((claim.space, &claim.long)).or_default() += 1;
        }
        let second = |claim: &Claim<S>| {
            let long = (claim.space, claim.long.as_str());
            votes.get(&long) == Some(&1) && !taken.contains(&long)
        };
        let mut names: Vec<Option<&str>> = Vec::with_capacity(self.0.len());
        let mut used: HashSet<(S, String)> = HashSet::with_capacity(self.0.len());
        for claim in &self.0 {
            let name =
                if wins(claim) { Some(&claim.short) } else { Some(&claim.long).filter(|_| second(claim)) };
            used.extend(name.map(|name| (claim.space, name.clone())));
            names.push(name.map(String::as_str));
        }
        let settled = self.0.iter().zip(names);
        settled.map(|(claim, name)| name.map_or_else(|| claim.marked(&mut used), str::to_owned)).collect()
    }
}

impl<S: Copy + Eq + Hash> Claim<S> {
    /// The long name and a hash of the identity. What one place makes several times is numbered before it is hashed.
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
