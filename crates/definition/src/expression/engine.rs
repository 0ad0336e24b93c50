//! The engine with all that expressions may use: a list of filters and tests whose work is bounded by what they
//! are given.

use std::sync::LazyLock;

use minijinja::value::{Kwargs, Rest, ValueKind};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, Value, filters, tests};

use super::json::{text, to_json};
use crate::limits::{FUEL, RESULT_BYTES_MAX};

pub const FILTERS: [&str; 29] = [
    "abs",
    "bool",
    "capitalize",
    "count",
    "default",
    "first",
    "float",
    "int",
    "items",
    "join",
    "last",
    "length",
    "lines",
    "list",
    "lower",
    "map",
    "max",
    "min",
    "reject",
    "rejectattr",
    "replace",
    "reverse",
    "round",
    "select",
    "selectattr",
    "sort",
    "split",
    "sum",
    "title",
];
pub const MORE_FILTERS: [&str; 5] = ["string", "tojson", "trim", "unique", "upper"];

pub const TESTS: [&str; 22] = [
    "boolean",
    "defined",
    "divisibleby",
    "endingwith",
    "eq",
    "even",
    "false",
    "float",
    "ge",
    "gt",
    "in",
    "integer",
    "le",
    "lt",
    "mapping",
    "ne",
    "none",
    "number",
    "odd",
    "sequence",
    "startingwith",
    "string",
];
pub const MORE_TESTS: [&str; 2] = ["true", "undefined"];

/// The same for everyone: it holds no templates and no values.
pub static ENGINE: LazyLock<Environment<'static>> = LazyLock::new(build);

pub fn filters_known() -> impl Iterator<Item = &'static str> {
    FILTERS.into_iter().chain(MORE_FILTERS)
}

pub fn tests_known() -> impl Iterator<Item = &'static str> {
    TESTS.into_iter().chain(MORE_TESTS)
}

fn build() -> Environment<'static> {
    let mut engine = Environment::empty();
    engine.set_debug(false);
    engine.set_undefined_behavior(UndefinedBehavior::Strict);
    engine.set_fuel(Some(FUEL));
    add_filters(&mut engine);
    add_tests(&mut engine);
    engine
}

fn add_filters(engine: &mut Environment<'static>) {
    engine.add_filter("abs", filters::abs);
    engine.add_filter("bool", filters::bool);
    engine.add_filter("capitalize", filters::capitalize);
    engine.add_filter("count", filters::length);
    engine.add_filter("default", default);
    engine.add_filter("first", filters::first);
    engine.add_filter("float", filters::float);
    engine.add_filter("int", filters::int);
    engine.add_filter("items", filters::items);
    engine.add_filter("join", join);
    engine.add_filter("last", filters::last);
    engine.add_filter("length", filters::length);
    engine.add_filter("lines", filters::lines);
    engine.add_filter("list", filters::list);
    engine.add_filter("lower", filters::lower);
    engine.add_filter("map", map);
    engine.add_filter("max", filters::max);
    engine.add_filter("min", filters::min);
    engine.add_filter("reject", filters::reject);
    engine.add_filter("rejectattr", filters::rejectattr);
    engine.add_filter("replace", replace);
    engine.add_filter("reverse", filters::reverse);
    engine.add_filter("round", round);
    engine.add_filter("select", filters::select);
    engine.add_filter("selectattr", filters::selectattr);
    engine.add_filter("sort", filters::sort);
    engine.add_filter("split", filters::split);
    engine.add_filter("string", string);
    engine.add_filter("sum", sum);
    engine.add_filter("title", filters::title);
    engine.add_filter("tojson", tojson);
    engine.add_filter("trim", filters::trim);
    engine.add_filter("unique", filters::unique);
    engine.add_filter("upper", filters::upper);
}

fn add_tests(engine: &mut Environment<'static>) {
    engine.add_test("boolean", tests::is_boolean);
    engine.add_test("defined", tests::is_defined);
    engine.add_test("divisibleby", divisible_by);
    engine.add_test("endingwith", tests::is_endingwith);
    engine.add_test("eq", tests::is_eq);
    engine.add_test("even", tests::is_even);
    engine.add_test("false", tests::is_false);
    engine.add_test("float", tests::is_float);
    engine.add_test("ge", tests::is_ge);
    engine.add_test("gt", tests::is_gt);
    engine.add_test("in", tests::is_in);
    engine.add_test("integer", tests::is_integer);
    engine.add_test("le", tests::is_le);
    engine.add_test("lt", tests::is_lt);
    engine.add_test("mapping", tests::is_mapping);
    engine.add_test("ne", tests::is_ne);
    engine.add_test("none", tests::is_none);
    engine.add_test("number", tests::is_number);
    engine.add_test("odd", tests::is_odd);
    engine.add_test("sequence", tests::is_sequence);
    engine.add_test("startingwith", tests::is_startingwith);
    engine.add_test("string", tests::is_string);
    engine.add_test("true", tests::is_true);
    engine.add_test("undefined", tests::is_undefined);
}

/// For what is undefined and for what is null: to whoever writes a job both mean "nothing there".
fn default(value: &Value, other: Option<Value>) -> Value {
    if value.is_undefined() || value.is_none() {
        return other.unwrap_or_else(|| Value::from(""));
    }
    value.clone()
}

fn join(value: &Value, between: Option<String>) -> Result<String, Error> {
    let between = between.unwrap_or_default();
    let mut joined = String::new();
    for (index, item) in value.try_iter()?.enumerate() {
        if index > 0 {
            joined.push_str(&between);
        }
        joined.push_str(&text(&item).map_err(bad)?);
        bounded(joined.len())?;
    }
    Ok(joined)
}

fn replace(value: &Value, old: &str, new: &str) -> Result<String, Error> {
    let value = text(value).map_err(bad)?;
    let found = if old.is_empty() { value.chars().count() + 1 } else { value.matches(old).count() };
    bounded(value.len().saturating_add(found.saturating_mul(new.len())))?;
    Ok(value.replace(old, new))
}

#[expect(clippy::needless_pass_by_value, reason = "the engine hands arguments over by value")]
/// Of each item one attribute: `tasks.list.outputs | map(attribute='rows')`.
fn map(value: &Value, given: Kwargs) -> Result<Value, Error> {
    let attribute: String = given.get("attribute").map_err(|_| {
        let what = "`map` takes one attribute of each item: `map(attribute='name')`";
        Error::new(ErrorKind::MissingArgument, what)
    })?;
    given.assert_all_used()?;
    let items = value.try_iter()?.map(|item| {
        let found = item.get_attr(&attribute)?;
        if found.is_undefined() {
            return Err(Error::new(ErrorKind::UndefinedError, format!("an item has no `{attribute}`")));
        }
        Ok(found)
    });
    Ok(Value::from(items.collect::<Result<Vec<_>, _>>()?))
}

/// The engine's own accepts any number of digits and prints them all.
fn round(value: Value, digits: Option<i32>) -> Result<Value, Error> {
    const DIGITS_MAX: i32 = 15;
    if digits.is_some_and(|digits| !(0..=DIGITS_MAX).contains(&digits)) {
        return Err(bad(format!("`round` takes 0 to {DIGITS_MAX} digits")));
    }
    if value.is_integer() {
        return Ok(value);
    }
    let number = f64::try_from(value)?;
    let factor = 10_f64.powi(digits.unwrap_or(0));
    Ok(Value::from((number * factor).round() / factor))
}

/// Of numbers; adding texts or lists up would make them grow with the square of their count.
fn sum(value: &Value) -> Result<Value, Error> {
    let (mut whole, mut real, mut exact) = (0_i64, 0_f64, true);
    for item in value.try_iter()? {
        if item.kind() != ValueKind::Number {
            return Err(bad(format!("`sum` adds numbers, not a {}", item.kind())));
        }
        real += f64::try_from(item.clone())?;
        match item.as_i64().filter(|_| item.is_integer()).and_then(|number| whole.checked_add(number)) {
            Some(next) => whole = next,
            None => exact = false,
        }
    }
    Ok(if exact { Value::from(whole) } else { Value::from(real) })
}

/// The engine's own panics when it divides by 0.
fn divisible_by(value: &Value, by: &Value) -> Result<bool, Error> {
    let is_zero = f64::try_from(by.clone()).is_ok_and(|by| by == 0.0);
    if is_zero && value.kind() == ValueKind::Number {
        return Err(bad("`divisibleby` cannot divide by 0".to_owned()));
    }
    if value.is_integer() && by.is_integer() {
        let (value, by) = (i128::try_from(value.clone())?, i128::try_from(by.clone())?);
        // The one that overflows is divisible: the smallest number by -1.
        return Ok(value.checked_rem(by).is_none_or(|rest| rest == 0));
    }
    Ok(tests::is_divisibleby(value, by))
}

fn string(value: &Value, _: Rest<Value>) -> Result<String, Error> {
    text(value).map_err(bad)
}

fn tojson(value: &Value) -> Result<String, Error> {
    Ok(to_json(value).map_err(bad)?.to_string())
}

fn bounded(bytes: usize) -> Result<(), Error> {
    if bytes > RESULT_BYTES_MAX {
        return Err(bad(format!("the result has more than {RESULT_BYTES_MAX} bytes")));
    }
    Ok(())
}

fn bad(what: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, what)
}
