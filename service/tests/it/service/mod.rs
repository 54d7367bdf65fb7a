//! End-to-end tests: the real binary over HTTP, with the generated client.

#[cfg(target_os = "linux")]
mod added_engines;
mod administration;
mod apps;
mod attacks;
mod backups;
mod bare;
mod beside;
mod bodies;
mod browser;
mod buckets;
mod catalogue;
mod catalogue_removal;
mod containers;
mod contract;
mod copies;
mod cors;
mod crash;
mod dashboard;
mod deadlines;
mod deploy;
mod every_operation;
mod examples;
#[cfg(target_os = "linux")]
mod fairness;
mod families;
mod faults;
mod fleet;
mod foreign_filters;
pub mod http_client;
mod icons;
mod idempotency;
mod imports;
mod inner_urls;
mod keys;
mod limits;
mod limits_together;
mod lists;
mod logs;
mod metrics;
mod model_servers;
#[cfg(target_os = "linux")]
mod mutated;
mod name_server;
mod operations;
mod operators;
mod other_keys;
pub mod outside;
mod ports;
#[cfg(target_os = "linux")]
mod programs;
mod providers;
mod proxy;
mod quarantine;
mod quotas;
mod reaching;
#[cfg(target_os = "linux")]
mod real_engines;
mod requests;
mod restart;
mod running;
mod secrets;
mod soak;
mod starting;
mod stopped;
mod stopping;
mod traces;
mod unread;
mod unserved;
mod usage;
mod victim;
pub mod waiting;
mod webhooks;
mod wire;
