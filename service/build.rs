//! Tells cargo that the migrations are part of the crate: a new file alone changes no Rust source.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
