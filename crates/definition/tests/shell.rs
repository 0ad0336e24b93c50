//! Values in shell scripts, told by a real shell: each stays one word and none becomes a command.

use std::process::Command;

use mainspring_definition::expression::{Context, Document, Kind, Payload};
use serde_json::{Value, json};

const EVIL: [&str; 14] = [
    "plain",
    "",
    "two words",
    "'; echo pwned; '",
    "\"; echo pwned; \"",
    "$(echo pwned)",
    "`echo pwned`",
    "${HOME}",
    "a\nb\necho pwned",
    "*",
    "back\\slash\\",
    "-n",
    "{{ params.v }}",
    "größe 'n' \"q\" $x",
];

fn render(script: &str, value: &str) -> Result<Value, String> {
    let payload = json!({"argv": [script, "first"], "shell": true});
    let payload = Payload::parse(Kind::Process, payload.to_string().as_bytes()).map_err(|bad| bad.what)?;
    let params = json!({ "v": value }).to_string().into_bytes();
    let bytes = payload.render(&Context::new(Document::new(params.into())))?;
    serde_json::from_slice(&bytes).map_err(|error| error.to_string())
}

/// As the process executor runs it.
fn run(payload: &Value) -> String {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(payload["argv"][0].as_str().unwrap_or_default()).arg("sh");
    command.args(payload["argv"].as_array().into_iter().flatten().skip(1).filter_map(Value::as_str));
    for (name, value) in payload["env"].as_object().into_iter().flatten() {
        command.env(name, value.as_str().unwrap_or_default());
    }
    let output = command.output().expect("a shell");
    assert!(output.status.success(), "{payload}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn a_value_is_one_word_however_the_script_quotes_it() {
    // Each prints its arguments, each ended by `|`; `@` stands for the value.
    let rows = [
        ("bare", "printf '%s|' {{ params.v }}", "@|"),
        ("in double quotes", "printf '%s|' \"a {{ params.v }} b\"", "a @ b|"),
        ("in single quotes", "printf '%s|' 'a {{ params.v }} b'", "a @ b|"),
        ("in a word", "printf '%s|' a{{ params.v }}b", "a@b|"),
        ("twice", "printf '%s|' {{ params.v }} \"{{ params.v }}\"", "@|@|"),
        ("after quotes", "printf '%s|' \"it's\" {{ params.v }}", "it's|@|"),
        ("after an escaped quote", "printf '%s|' \\\" {{ params.v }}", "\"|@|"),
        ("in a substitution", "printf '%s|' \"$(printf '%s.' {{ params.v }})\"", "@.|"),
        ("in quotes in a substitution", "printf '%s|' \"$(printf '%s.' \"{{ params.v }}\")\"", "@.|"),
        ("after a substitution", "printf '%s|' \"$(echo x) {{ params.v }}\"", "x @|"),
        ("after arithmetic", "printf '%s|' $((1 + (2))) {{ params.v }}", "3|@|"),
        ("after braces", "x='a b'; printf '%s|' \"${x#a }\" {{ params.v }}", "b|@|"),
        ("after a comment", "# it's a comment\nprintf '%s|' {{ params.v }}", "@|"),
        ("in a comment", "# {{ params.v }}\nprintf '%s|' x", "x|"),
        ("a hash in a word", "printf '%s|' a#'b' {{ params.v }}", "a#b|@|"),
        ("in a here-document", "cat <<EOF\n{{ params.v }}.\nEOF\nprintf '%s|' {{ params.v }}", "@.\n@|"),
        ("after a quoted one", "cat <<'E'\nit's\nE\nprintf '%s|' {{ params.v }}", "it's\n@|"),
        ("after one with spaces", "cat <<'END OF'\nit's\nEND OF\nprintf '%s|' {{ params.v }}", "it's\n@|"),
        (
            "after one in double quotes",
            "cat <<\"A \\\" B\"\nit's\nA \" B\nprintf '%s|' {{ params.v }}",
            "it's\n@|",
        ),
        ("after one with a backslash", "cat <<E\\ F\nit's\nE F\nprintf '%s|' {{ params.v }}", "it's\n@|"),
        ("after an indented one", "cat <<-E\n\tit's\n\tE\nprintf '%s|' {{ params.v }}", "it's\n@|"),
        ("in a case", "case x in x) printf '%s|' {{ params.v }};; esac", "@|"),
        ("in a subshell", "(printf '%s|' {{ params.v }})", "@|"),
        ("in a function", "f() { printf '%s|' {{ params.v }}; }; f other", "@|"),
        ("beside arguments", "printf '%s|' \"$1\" {{ params.v }}", "first|@|"),
    ];
    for value in EVIL {
        for (name, script, expected) in rows {
            let payload = render(script, value).unwrap_or_else(|what| panic!("{name}: {what}"));
            assert_eq!(run(&payload), expected.replace('@', value), "{name}: {value:?}: {payload}");
            let script = payload["argv"][0].as_str().unwrap_or_default();
            assert!(value.len() < 3 || !script.contains(value), "{name}: the script has the value in it");
        }
    }
}

#[test]
fn places_where_a_value_would_not_be_a_word_are_refused() {
    let rows = [
        "echo `echo {{ params.v }}`",
        "echo ${x:-{{ params.v }}}",
        "echo $(( {{ params.v }} + 1 ))",
        "echo \\{{ params.v }}",
        "echo ${{ params.v }}",
        "cat <<'EOF'\n{{ params.v }}\nEOF",
        "cat <<'END OF'\n{{ params.v }}\nEND OF",
        "cat <<{{ params.v }}\nx\n",
        "cat <<- {{ params.v }}\nx\n",
    ];
    for script in rows {
        assert!(render(script, "x").is_err(), "{script}");
    }
}

#[test]
fn what_no_program_can_take_is_refused() {
    assert!(render("echo {{ params.v }}", "a\0b").is_err_and(|what| what.contains("NUL")));
    let long = "x".repeat(200_000);
    assert!(render("echo {{ params.v }}", &long).is_err_and(|what| what.contains("stdin")));
}
