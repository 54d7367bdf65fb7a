//! The variables that an expression reads, by its syntax tree.

use std::collections::BTreeSet;
use std::iter::once;

use minijinja::machinery::ast::{CallArg, Expr};
use minijinja::machinery::parse_expr;

/// The steps of a variable: `request`, `output_options`, `compression`.
pub(super) type Variable = Vec<String>;

/// Returns the variables of an expression, each as far as its steps are names: `request.a` and `request['a']`.
///
/// # Errors
/// It is not an expression.
pub(super) fn variables(source: &str) -> Result<BTreeSet<Variable>, minijinja::Error> {
    let mut found = BTreeSet::new();
    find(&parse_expr(source)?, &mut found);
    Ok(found)
}

fn find(expression: &Expr<'_>, found: &mut BTreeSet<Variable>) {
    match variable(expression) {
        Some(variable) => drop(found.insert(variable)),
        None => operands(expression).into_iter().for_each(|operand| find(operand, found)),
    }
}

/// Returns the variable that an expression is, or a part of.
fn variable(expression: &Expr<'_>) -> Option<Variable> {
    let (of, step) = match expression {
        Expr::Var(variable) => return Some(vec![variable.id.to_owned()]),
        Expr::GetAttr(attribute) => (&attribute.expr, attribute.name),
        Expr::GetItem(item) => match &item.subscript_expr {
            Expr::Const(index) => (&item.expr, index.value.as_str()?),
            _ => return None,
        },
        _ => return None,
    };
    let mut variable = variable(of)?;
    variable.push(step.to_owned());
    Some(variable)
}

/// Returns the expressions directly within another.
fn operands<'e, 's>(expression: &'e Expr<'s>) -> Vec<&'e Expr<'s>> {
    let value = |argument: &'e CallArg<'s>| match argument {
        CallArg::Pos(value)
        | CallArg::Kwarg(_, value)
        | CallArg::PosSplat(value)
        | CallArg::KwargSplat(value) => value,
    };
    match expression {
        Expr::Var(_) | Expr::Const(_) => Vec::new(),
        Expr::Slice(slice) => {
            once(&slice.expr).chain([&slice.start, &slice.stop, &slice.step].into_iter().flatten()).collect()
        }
        Expr::UnaryOp(unary) => vec![&unary.expr],
        Expr::BinOp(binary) => vec![&binary.left, &binary.right],
        Expr::Compare(chain) => once(&chain.expr).chain(chain.ops.iter().map(|op| &op.expr)).collect(),
        Expr::IfExpr(choice) => {
            [&choice.test_expr, &choice.true_expr].into_iter().chain(&choice.false_expr).collect()
        }
        Expr::Filter(filter) => filter.expr.iter().chain(filter.args.iter().map(value)).collect(),
        Expr::Test(test) => once(&test.expr).chain(test.args.iter().map(value)).collect(),
        Expr::GetAttr(attribute) => vec![&attribute.expr],
        Expr::GetItem(item) => vec![&item.expr, &item.subscript_expr],
        Expr::Call(call) => once(&call.expr).chain(call.args.iter().map(value)).collect(),
        Expr::List(list) => list.items.iter().collect(),
        Expr::Tuple(tuple) => tuple.items.iter().collect(),
        Expr::Map(map) => map.keys.iter().chain(&map.values).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_wherever_they_are() {
        for (source, expected) in [
            ("request.a.b", &["request.a.b"][..]),
            ("request['a'][\"b\"].c", &["request.a.b.c"]),
            ("request['a b']", &["request.a b"]),
            ("media.pictures[1].path", &["media.pictures"]),
            ("request[key]", &["key", "request"]),
            ("{a: b}[c] or [d, (e, f)][:g]", &["a", "b", "c", "d", "e", "f", "g"]),
            ("a if b < c else d|join(e) is f(g=h)", &["a", "b", "c", "d", "e", "h"]),
            ("-f(a, *b) ~ 'request.x'", &["a", "b", "f"]),
        ] {
            let found = variables(source).unwrap();
            let found: Vec<String> = found.into_iter().map(|steps| steps.join(".")).collect();
            assert_eq!(found, expected, "{source}");
        }
    }
}
