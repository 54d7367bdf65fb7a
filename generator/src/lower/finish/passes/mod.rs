//! The passes. Each settles one fact about all types; `finish` has their order.

mod aliases;
mod boxes;
mod constants;
mod defaults;
mod depth;
mod derives;
mod directions;
mod discriminators;
mod formats;
mod in_place;
mod json_schemas;
mod naming;
mod needs;
mod open;
mod order;
mod permanents;
mod shapes;
mod sharing;
mod unions;
mod uses;
