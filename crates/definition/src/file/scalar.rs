//! What a scalar of YAML means: the core schema of YAML 1.2, so `no` and `on` are texts.

use granit_parser::Tag;

use super::tree::Value;

pub fn resolve(text: String, plain: bool, tag: Option<&Tag>) -> Result<Value, String> {
    let Some(tag) = tag else {
        return if plain { untagged(text) } else { Ok(Value::Text(text)) };
    };
    match (tag.core_suffix(), tag.original().as_str()) {
        (Some("str"), _) | (None, "!") => Ok(Value::Text(text)),
        (Some("int" | "float" | "bool" | "null"), original) => match untagged(text)? {
            Value::Text(text) => Err(format!("`{text}` is not what `{original}` says")),
            other => Ok(other),
        },
        (_, original) => Err(format!("the tag `{original}` means nothing here")),
    }
}

fn untagged(text: String) -> Result<Value, String> {
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        ".inf" | "-.inf" | "+.inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN" => {
            return Err(format!("`{text}` is not a number of JSON"));
        }
        _ => {}
    }
    if let Some(number) = whole(&text) {
        return number.map(|number| Value::Whole(number, text.into()));
    }
    if looks_real(&text)
        && let Ok(number) = text.parse::<f64>()
    {
        if !number.is_finite() {
            return Err(format!("the number `{text}` is too large"));
        }
        return Ok(Value::Real(number, text.into()));
    }
    Ok(Value::Text(text))
}

/// Within 64 bits, with a sign or without.
fn whole(text: &str) -> Option<Result<i128, String>> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let number = if let Some(octal) = text.strip_prefix("0o") {
        i128::from_str_radix(octal, 8).ok()?
    } else if let Some(hex) = text.strip_prefix("0x") {
        i128::from_str_radix(hex, 16).ok()?
    } else if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().unwrap_or(i128::MAX)
    } else {
        return None;
    };
    let fits = (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&number);
    Some(if fits { Ok(number) } else { Err(format!("the number `{text}` has more than 64 bits")) })
}

/// `1.5`, `-.5`, `1e3`: Rust's parser also takes words.
fn looks_real(text: &str) -> bool {
    let rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    rest.bytes().any(|byte| byte.is_ascii_digit())
        && rest.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && rest.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte))
}
