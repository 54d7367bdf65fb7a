//! Tests every constraint of the validation tables over real HTTP.
//!
//! A request that violates only this constraint gets a 400 that names its location. A request that barely
//! satisfies it is accepted.
//!
//! Requests start from the operation's example. Constraints, locations and values all come from the tables.
//! Only the meaning of the tables is implemented again.
//!
//! `not_alone.txt` lists constraints that can't be violated alone: `<operation> <position> <rule>`, where `*`
//! matches any word. A line that is no longer true fails the test, so the list only shrinks.

mod cross;
mod position;
mod rows;
mod rules;
mod samples;
mod scalars;

use std::{collections::BTreeSet, sync::Arc};

use openapi_crates_runtime::table::Operation;
use tokio::task::JoinSet;

use self::rows::Row;
pub(super) use self::rules::{allowed, is_nullable, type_of};
pub(super) use self::samples::full;
use super::{spec, wire::Server};

const NOT_ALONE: &str = include_str!("not_alone.txt");

/// The results for the constraints of one operation.
#[derive(Default)]
struct Outcome {
    rules: usize,
    /// Constraints that were not violated alone, with the result.
    not_alone: Vec<(String, String)>,
    /// Constraints that were violated alone.
    alone: Vec<String>,
    failures: Vec<String>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_rule_can_be_violated_alone_and_satisfied_at_its_limit() {
    let server = Arc::new(Server::start().await);
    let mut tasks = JoinSet::new();
    for operation in spec::operations() {
        let server = Arc::clone(&server);
        tasks.spawn(async move { try_operation(&server, operation).await });
    }
    let mut all = Outcome::default();
    while let Some(outcome) = tasks.join_next().await {
        let outcome = outcome.expect("the checks of an operation come to an end");
        all.rules += outcome.rules;
        all.not_alone.extend(outcome.not_alone);
        all.alone.extend(outcome.alone);
        all.failures.extend(outcome.failures);
    }
    all.failures.extend(compare_with_list(&all));
    all.failures.sort();
    assert!(all.rules > 1000, "only {} rules were found in the tables", all.rules);
    assert!(
        all.failures.is_empty(),
        "{} of {} rules are not as they should be:\n{}",
        all.failures.len(),
        all.rules,
        all.failures.join("\n")
    );
}

async fn try_operation(server: &Server, operation: &'static Operation) -> Outcome {
    let mut outcome = Outcome::default();
    for row in rows::of(operation) {
        outcome.rules += 1;
        for change in &row.satisfying {
            let reply = server.send(&row.position.changed(change)).await;
            if !(200..300).contains(&reply.status) {
                let body = String::from_utf8_lossy(&reply.body);
                outcome.failures.push(format!("{}: {change:.200?} is refused: {body}", row.id()));
            }
        }
        if row.violating.is_none() && !row.satisfying.is_empty() {
            continue;
        }
        match try_breaking(server, &row).await {
            Ok(()) => outcome.alone.push(row.id()),
            Err(Refusal::NotAlone(why)) => outcome.not_alone.push((row.id(), why)),
            Err(Refusal::Wrong(why)) => outcome.failures.push(format!("{}: {why}", row.id())),
        }
    }
    outcome
}

/// The reason why a constraint was not violated alone.
enum Refusal {
    /// Other constraints are violated with it, or there is no such request.
    NotAlone(String),
    /// The server's response is wrong.
    Wrong(String),
}

async fn try_breaking(server: &Server, row: &Row) -> Result<(), Refusal> {
    let Some(change) = &row.violating else {
        return Err(Refusal::NotAlone("no request can break it".to_owned()));
    };
    let reply = server.send(&row.position.changed(change)).await;
    let body = String::from_utf8_lossy(&reply.body);
    let wrong = |why: &str| Refusal::Wrong(format!("{why} for {change:.200?}: {} {body}", reply.status));
    if reply.status != 400 {
        return Err(wrong("no 400"));
    }
    if reply.header("content-type") != "application/problem+json" {
        return Err(wrong("another content type"));
    }
    let violations = reply.invalid_params();
    if reply.message() != violations.first().map(|(_, reason)| reason.as_str()).unwrap_or_default() {
        return Err(wrong("the message is not the first reason"));
    }
    let reason = reason(row);
    let is_expected = |(name, given): &(String, String)| *name == row.name && given.starts_with(&reason);
    match violations.as_slice() {
        [only] if is_expected(only) => Ok(()),
        [_] => Err(wrong(&format!("not `{}` with `{reason}`", row.name))),
        several if several.iter().any(is_expected) => Err(Refusal::NotAlone(body.into_owned())),
        _ => Err(wrong(&format!("no `{}` with `{reason}`", row.name))),
    }
}

/// Returns the start of the reason.
fn reason(row: &Row) -> String {
    let parameter = row.position.parameter.map(|index| &row.position.operation.parameters[index]);
    if let Some(reason) = parameter.and_then(|parameter| parameter.reason) {
        // A text is not a filter of the wrong type, but an object that can't be read.
        let is_unreadable = row.expected == "must be an object";
        let unreadable = format!("Parameter '{}' is not valid: must be keys in square brackets", row.name);
        return if is_unreadable { unreadable } else { reason.to_owned() };
    }
    match row.rule.as_str() {
        "exclusiveMinimum" => format!("Parameter '{}' {}", row.name, row.expected),
        "minLength" if row.expected == "must be at least 1 character" => {
            format!("Parameter '{}' must not be empty", row.name)
        }
        _ => format!("Parameter '{}' is not valid: {}", row.name, row.expected),
    }
}

/// Returns the lines of the list that are not true, and the facts that it lacks.
fn compare_with_list(outcome: &Outcome) -> Vec<String> {
    let lines: BTreeSet<&str> =
        NOT_ALONE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let is_listed = |id: &String| lines.iter().any(|line| matches(line, id));
    let unlisted = outcome.not_alone.iter().filter(|(id, _)| !is_listed(id));
    let unlisted = unlisted.map(|(id, why)| format!("{id}: can't be broken alone: {why}"));
    let alone = outcome.alone.iter().filter(|id| is_listed(id));
    let alone = alone.map(|id| format!("{id}: can be broken alone: take it off the list"));
    let is_used = |line: &&str| !outcome.not_alone.iter().any(|(id, _)| matches(line, id));
    let unused = lines.iter().copied().filter(is_used);
    let unused = unused.map(|line| format!("{line}: has no effect in the list"));
    unlisted.chain(alone).chain(unused).collect()
}

/// Returns whether a line of the list matches this constraint.
fn matches(line: &str, id: &str) -> bool {
    let (mut line, mut id) = (line.splitn(3, ' '), id.splitn(3, ' '));
    (0..3).all(|_| match (line.next(), id.next()) {
        (Some(pattern), Some(word)) => pattern == "*" || pattern == word,
        _ => false,
    })
}
