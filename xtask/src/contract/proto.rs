//! Facts of the protos, as far as we write them: services, messages with their numbers, enums.

use super::Facts;

pub fn facts(text: &str) -> Facts {
    let mut facts = Facts::new();
    // What is open, as (`message`, name); a `oneof` has the fields of its message.
    let mut open: Vec<(String, String)> = Vec::new();
    for statement in statements(text) {
        let words: Vec<&str> = statement.split_whitespace().collect();
        match words.as_slice() {
            ["}", ..] => {
                open.pop();
            }
            [kind @ ("message" | "enum" | "service" | "oneof"), name, "{"] => {
                open.push(((*kind).to_owned(), (*name).to_owned()));
            }
            ["rpc", ..] => {
                let service = open.last().map_or("?", |(_, name)| name);
                facts.insert(format!("rpc {service} {}", words[1..].join(" ")));
            }
            [.., name, "=", number] => {
                let path: Vec<&str> =
                    open.iter().filter(|(kind, _)| kind != "oneof").map(|(_, name)| name.as_str()).collect();
                let kind =
                    if open.last().is_some_and(|(kind, _)| kind == "enum") { "number" } else { "message" };
                if !path.is_empty() {
                    let rest = words[..words.len() - 3].join(" ");
                    facts.insert(
                        format!("{kind} {} {number} {name} {rest}", path.join(".")).trim_end().to_owned(),
                    );
                }
            }
            _ => {}
        }
    }
    facts
}

/// What ends with `;`, `{` or `}`, without comments, options and what comes before the first block.
fn statements(text: &str) -> Vec<String> {
    let bare: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or(line)).collect();
    let mut statements = vec![String::new()];
    for c in bare.join(" ").chars() {
        let last = statements.last_mut().expect("there is one");
        match c {
            ';' => statements.push(String::new()),
            '{' => {
                last.push_str(" {");
                statements.push(String::new());
            }
            '}' => statements.extend(["}".to_owned(), String::new()]),
            c => last.push(c),
        }
    }
    statements.retain(|statement| !statement.trim().is_empty());
    statements.into_iter().map(|statement| without_options(&statement)).collect()
}

/// `int32 a = 1 [deprecated = true]` is `int32 a = 1`.
fn without_options(statement: &str) -> String {
    statement.split(" [").next().unwrap_or(statement).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_enums_and_services_are_facts() {
        let text = "syntax = \"proto3\";\npackage x;\n// message No { }\nservice S {\n  // Why.\n  rpc Get(A) returns (stream B);\n}\n\
            enum E { E_NONE = 0; }\nmessage A {\n  optional string name = 1; // a = 2;\n  map<string, string> labels = 2;\n  \
            oneof what { int32 n = 3 [deprecated = true]; }\n  message In { repeated A more = 1; }\n  bool last = 4;\n}\n";
        let expected = [
            "message A 1 name optional string",
            "message A 2 labels map<string, string>",
            "message A 3 n int32",
            "message A 4 last bool",
            "message A.In 1 more repeated A",
            "number E 0 E_NONE",
            "rpc S Get(A) returns (stream B)",
        ];
        assert_eq!(facts(text).into_iter().collect::<Vec<_>>(), expected);
    }
}
