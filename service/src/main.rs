//! `asset-service`: arguments and wiring.

fn main() {}
