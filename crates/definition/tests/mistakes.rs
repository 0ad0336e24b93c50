//! Every mistake is told with its place and what to do, all of them in one go.

use std::fmt::Write;

use mainspring_definition::limits::Limits;
use mainspring_definition::{Code, Mistake, Options, read};

fn mistakes(text: &str) -> Vec<Mistake> {
    read("job.yaml", text, &Options::default()).err().unwrap_or_default()
}

/// One mistake, as `code line:column path: what`.
#[track_caller]
fn check(name: &str, text: &str, expected: &str, help: &str) {
    let found = mistakes(text);
    let shown: Vec<String> = found
        .iter()
        .map(|m| format!("{} {}:{} {}: {}", m.code.label(), m.at.line, m.at.column, m.path, m.what))
        .collect();
    assert_eq!(shown, [expected], "{name}");
    assert!(found[0].help.contains(help), "{name}: {}", found[0].help);
}

const X: &str = "job: a\ntasks:\n  x:\n    ";

/// What stands in the task, the mistake, and a part of the help.
const FORM: [(&str, &str, &str, &str); 35] = [
    (
        "unknown field",
        "noop: {}\n    retrys: 3",
        "unknown_field 5:5 tasks.x.retrys: there is no field `retrys`",
        "`retries`",
    ),
    (
        "wrong type",
        "noop: {}\n    retries: many",
        "wrong_type 5:14 tasks.x.retries: a number of retries, or an object is expected, not a text",
        "",
    ),
    (
        "duplicate",
        "noop: {}\n    pool: a\n    pool: b",
        "duplicate_key 6:5 tasks.x.pool: `pool` is given twice",
        "keep",
    ),
    (
        "duration",
        "noop: {}\n    timeout: 5 parsecs",
        "bad_value 5:14 tasks.x.timeout: `5 parsecs` is not a duration",
        "`30s`",
    ),
    (
        "no limit",
        "noop: {}\n    timeout: 0s",
        "bad_value 5:14 tasks.x.timeout: a limit of nothing lets nothing run",
        "leave it out",
    ),
    (
        "size",
        "noop: {}\n    resources: {memory: 5 apples}",
        "bad_value 5:25 tasks.x.resources.memory: `5 apples` is not a size",
        "MiB",
    ),
    (
        "word",
        "noop: {}\n    trigger_rule: all_sucess",
        "bad_value 5:19 tasks.x.trigger_rule: `all_sucess` is not known here",
        "`all_success`? one of: all_success, all_failed",
    ),
    (
        "range",
        "noop: {}\n    priority: {level: 11}",
        "bad_value 5:23 tasks.x.priority.level: the number must be from 0 to 10",
        "",
    ),
    (
        "negative",
        "noop: {}\n    retries: -1",
        "bad_value 5:14 tasks.x.retries: the number must be from 0 to 100000",
        "",
    ),
    ("no work", "needs: []", "no_work 4:5 tasks.x: it does not say what to do", "run, shell"),
    (
        "two works",
        "noop: {}\n    sleep: 5s",
        "two_works 5:5 tasks.x.sleep: `noop` and `sleep` are two kinds of work",
        "two tasks",
    ),
    (
        "no wait",
        "wait: {timeout: 1h}",
        "missing_field 4:11 tasks.x.wait: it does not say what to wait for",
        "for, until, run, event, http, file",
    ),
    (
        "two waits",
        "wait: {for: 1m, run: x}",
        "missing_field 4:11 tasks.x.wait: `for` and `run` are two things to wait for",
        "",
    ),
    (
        "polls the clock",
        "wait: {for: 1m, every: 10s}",
        "unsupported 4:21 tasks.x.wait.every: `every` belongs to `http` and `file`: nobody polls for `for`",
        "leave it out",
    ),
    (
        "polls too often",
        "wait: {file: {path: /x}, every: 10ms}",
        "bad_value 4:37 tasks.x.wait.every: `every` cannot be 10 ms",
        "",
    ),
    (
        "a file from nowhere",
        "wait: {file: {path: x}}",
        "bad_value 4:25 tasks.x.wait.file.path: the path is not absolute",
        "",
    ),
    (
        "a poll that is skipped",
        "wait: {http: {url: 'http://x'}, on_timeout: skip}",
        "unsupported 4:37 tasks.x.wait.on_timeout: `on_timeout` does not work together with `http`, which fails",
        "",
    ),
    (
        "text for a list",
        "run: ls -l",
        "wrong_type 4:10 tasks.x.run: a list is expected, not a text",
        "`shell:`",
    ),
    (
        "not of this work",
        "noop: {}\n    cwd: /x",
        "unsupported 5:5 tasks.x.cwd: `cwd` belongs to `run` and `shell`, this is `noop`",
        "",
    ),
    (
        "user of another work",
        "noop: {}\n    user: root",
        "unsupported 5:5 tasks.x.user: `user` belongs to `run` and `shell`, this is `noop`",
        "",
    ),
    (
        "user by parameter",
        "{run: [a], user: \"{{ params.who }}\"}",
        "bad_value 4:22 tasks.x.user: this is no user",
        "templates",
    ),
    (
        "user and group by name",
        "{run: [a], user: \"www:www\"}",
        "bad_value 4:22 tasks.x.user: this is no user",
        "uid:gid",
    ),
    ("no such number", "{run: [a], user: -1}", "bad_value 4:22 tasks.x.user: this is no user", ""),
    (
        "octal",
        "run: [chmod, 0755]",
        "bad_value 4:18 tasks.x.run[1]: `0755` is the number 755 here",
        "\"0755\"",
    ),
    (
        "version",
        "run: [pip, 1.10]",
        "bad_value 4:16 tasks.x.run[1]: `1.10` is the number 1.1 here",
        "\"1.10\"",
    ),
    (
        "our variable",
        "{run: [a], env: {MAINSPRING_X: 1}}",
        "bad_name 4:22 tasks.x.env.MAINSPRING_X: names that begin with `MAINSPRING_` are ours, as `MAINSPRING_VALUE_1` is",
        "",
    ),
    ("no url", "http: {method: GET}", "missing_field 4:11 tasks.x.http: `http` needs a `url`", ""),
    (
        "bad url",
        "http: {url: example.org}",
        "bad_value 4:17 tasks.x.http.url: a URL begins with `http://` or `https://`",
        "",
    ),
    (
        "setting of a job task",
        "{job: b, retries: 3}",
        "unsupported 4:14 tasks.x.retries: `retries` has no effect on a task that starts another job",
        "",
    ),
    (
        "bound of a loop",
        "noop: {}\n    repeat: {until: output.x}",
        "missing_field 5:13 tasks.x.repeat: `repeat` needs `max`",
        "",
    ),
    (
        "share",
        "noop: {}\n    for_each: {items: [1], tolerate: \"200%\"}",
        "bad_value 5:38 tasks.x.for_each.tolerate: `200%` is not a share",
        "",
    ),
    (
        "template in a list",
        "noop: {}\n    for_each: [\"{{ params.a }}\"]",
        "bad_value 5:16 tasks.x.for_each[0]: items of a list are taken as they are, without templates",
        "expression",
    ),
    (
        "limit twice",
        "noop: {}\n    limits: [db, db]",
        "bad_value 5:18 tasks.x.limits[1]: the limit `db` is named twice",
        "",
    ),
    ("tag", "noop: {}\n    pool: !secret x", "bad_value 5:19 : the tag `!secret` means nothing here", ""),
    (
        "number",
        "noop: {}\n    retries: 99999999999999999999",
        "bad_value 5:14 : the number `99999999999999999999` has more than 64 bits",
        "",
    ),
];

#[test]
fn the_form_of_a_file() {
    for (name, text, expected, help) in FORM {
        check(name, &format!("{X}{text}\n"), expected, help);
    }
    let undo = mistakes(&format!("{X}noop: {{}}\n    undo: {{noop: {{}}}}\n"));
    assert_eq!(undo.iter().map(|m| m.code).collect::<Vec<_>>(), [Code::UnknownField, Code::Unsupported]);
}

#[test]
fn jobs_and_names() {
    let rows = [
        ("no job", "", "missing_field 0:0 : there is no job in it", "job: my-job"),
        ("no name", "tasks: {x: {noop: {}}}", "missing_field 1:1 : the job has no name", "job: my-job"),
        ("no tasks", "job: a", "missing_field 1:1 : the job has no `tasks`", ""),
        ("not a job", "- a", "wrong_type 1:1 : a job, which is an object, is expected, not a list", ""),
        (
            "bad name",
            "job: a b\ntasks: {x: {noop: {}}}",
            "bad_name 1:6 job: `a b` is not a name of a job",
            "letters",
        ),
        (
            "task name",
            "job: a\ntasks: {x.y: {noop: {}}}",
            "bad_name 2:9 tasks.x.y: `x.y` is not a name of a task",
            "",
        ),
        (
            "twice",
            "jobs: [{job: a, tasks: {x: {noop: }}}, {job: a, tasks: {x: {noop: }}}]",
            "duplicate_job 1:46 jobs[1].job: a job `a` is in this file already",
            "",
        ),
        (
            "task twice",
            "job: a\ntasks: [{name: x, noop: {}}, {name: x, noop: {}}]",
            "duplicate_task 2:37 tasks[1].name: a task `x` is there already, in line 2",
            "",
        ),
        (
            "parameter name",
            "job: a\nparameters: {a-b: 1}\ntasks: {x: {noop: }}",
            "bad_name 2:14 parameters.a-b: `a-b` is not a name of a parameter",
            "",
        ),
        (
            "default",
            "job: a\nparameters: {n: {type: integer, default: x}}\ntasks: {x: {noop: }}",
            "bad_parameter 2:42 parameters.n.default: the type `integer` is expected, not `string`",
            "",
        ),
        (
            "object as default",
            "job: a\nparameters: {n: {a: 1}}\ntasks: {x: {noop: }}",
            "unknown_field 2:18 parameters.n.a: there is no field `a`",
            "",
        ),
        ("syntax", "job: [a", "syntax", ""),
        (
            "json",
            "{\"job\": \"a\", \"tasks\": {\"x\": {\"noop\": {}, \"pol\": 1}}}",
            "unknown_field 1:42 tasks.x.pol: there is no field `pol`",
            "pool",
        ),
    ];
    for (name, text, expected, help) in rows {
        if expected == "syntax" {
            let found = mistakes(text);
            assert!(
                found.len() == 1 && found[0].code == Code::Syntax && found[0].at.line > 0,
                "{name}: {found:?}"
            );
        } else {
            check(name, text, expected, help);
        }
    }
}

fn job(tasks: &str) -> String {
    format!("job: a\nparameters: {{day: x}}\ntasks:\n{tasks}")
}

/// The tasks of a job, the mistake, and a part of the help.
const TASKS: [(&str, &str, &str, &str); 27] = [
    (
        "missing",
        "  load: {noop: }\n  x: {noop: , needs: [laod]}\n",
        "unknown_task 5:23 tasks.x.needs[0]: there is no task `laod`",
        "`load`",
    ),
    (
        "itself",
        "  x: {noop: , needs: x}\n",
        "self_dependency 4:22 tasks.x.needs: a task cannot need itself",
        "",
    ),
    (
        "twice",
        "  y: {noop: }\n  x: {noop: , needs: [y, y]}\n",
        "duplicate_dependency 5:26 tasks.x.needs[1]: `y` is named twice",
        "",
    ),
    (
        "cycle",
        "  a: {noop: , needs: b}\n  b: {noop: , needs: c}\n  c: {noop: , needs: a}\n  d: {noop: , needs: a}\n",
        "cycle 4:3 tasks.a: tasks wait for each other: a → b → c → a",
        "",
    ),
    (
        "rule alone",
        "  x: {noop: , trigger_rule: all_failed}\n",
        "impossible_rule 4:29 tasks.x.trigger_rule: `all_failed` on `x` asks for the end of other tasks, and it needs none",
        "",
    ),
    (
        "rule and noop",
        "  y: {noop: }\n  x: {noop: , needs: y, trigger_rule: one_failed}\n",
        "impossible_rule 5:39 tasks.x.trigger_rule: `one_failed` on `x` can never be met: `noop` does not fail",
        "",
    ),
    (
        "loop over items",
        "  x: {noop: , for_each: [1], repeat: {until: output.x, max: 2}}\n",
        "unsupported 4:30 tasks.x.repeat: `repeat` does not work together with `for_each`",
        "",
    ),
    (
        "loop of runs",
        "  x: {job: b, repeat: {until: output.x, max: 2}}\n",
        "unsupported 4:15 tasks.x.repeat: `repeat` does not work together with `job`",
        "",
    ),
    (
        "never skipped",
        "  y: {run: [a]}\n  x: {noop: , needs: y, trigger_rule: all_skipped}\n",
        "impossible_rule 5:39 tasks.x.trigger_rule: `all_skipped` on `x` can never be met: an upstream task has no `when`, no `for_each` and nothing before it",
        "",
    ),
    ("expression", "  x: {noop: , when: \"params.day = 'x'\"}\n", "bad_expression", ""),
    (
        "template",
        "  x: {run: [\"{{ params.day\"]}\n",
        "bad_template 4:13 tasks.x.run[0]: `{{` is not closed",
        "}}",
    ),
    (
        "shell",
        "  x: {shell: \"echo `echo {{ params.day }}`\"}\n",
        "unsafe_shell 4:14 tasks.x.shell: a value cannot stand in backticks; use `$( )`",
        "env:",
    ),
    (
        "parameter",
        "  x: {run: [\"{{ params.dya }}\"]}\n",
        "unknown_parameter 4:13 tasks.x.run[0]: there is no parameter `dya`",
        "`day`",
    ),
    (
        "task",
        "  load: {noop: }\n  x: {noop: , needs: load, when: tasks.laod.state == 'succeeded'}\n",
        "unknown_task 5:34 tasks.x.when: there is no task `laod`",
        "`load`",
    ),
    (
        "not upstream",
        "  y: {noop: }\n  x: {run: [\"{{ tasks.y.output }}\"]}\n",
        "not_upstream 5:13 tasks.x.run[0]: `y` is not upstream of `x`: it may not have ended when this is read",
        "`y` to `needs`",
    ),
    (
        "own output",
        "  x: {run: [\"{{ tasks.x.output }}\"]}\n",
        "not_upstream 4:13 tasks.x.run[0]: `tasks.x` is this task itself, which has not ended yet",
        "",
    ),
    (
        "undeclared",
        "  y: {noop: , outputs: [rows]}\n  x: {run: [\"{{ tasks.y.output.row }}\"], needs: y}\n",
        "undeclared_output 5:13 tasks.x.run[0]: `y` declares no output `row`",
        "`rows`",
    ),
    (
        "item",
        "  x: {run: [\"{{ item }}\"]}\n",
        "out_of_place 4:13 tasks.x.run[0]: `item` has no value here",
        "for_each",
    ),
    (
        "item in a condition",
        "  x: {noop: , when: item > 1, for_each: [1]}\n",
        "out_of_place 4:21 tasks.x.when: `item` has no value here",
        "",
    ),
    (
        "output",
        "  x: {run: [\"{{ output }}\"]}\n",
        "out_of_place 4:13 tasks.x.run[0]: `output` has no value here",
        "repeat.until",
    ),
    (
        "round",
        "  x: {run: [\"{{ round }}\"]}\n",
        "out_of_place 4:13 tasks.x.run[0]: `round` has no value here",
        "repeat",
    ),
    (
        "items that add tasks",
        "  x: {noop: , for_each: [1], spawns: true}\n",
        "unsupported 4:30 tasks.x.spawns: `spawns` does not work together with `for_each`",
        "",
    ),
    (
        "tasks from nowhere",
        "  x: {noop: , spawns: 7}\n",
        "wrong_type 4:23 tasks.x.spawns: true, or an expression that gives tasks, is expected, not a whole number",
        "",
    ),
    (
        "waits for itself",
        "  x: {noop: , needs_jobs: a}\n",
        "calls_itself 4:27 tasks.x.needs_jobs: a job that waits for its own success never begins",
        "",
    ),
    (
        "waits twice",
        "  x: {noop: , needs_jobs: [b, {job: b, within: 1h}]}\n",
        "duplicate_dependency 4:31 tasks.x.needs_jobs[1]: the job `b` is named twice",
        "",
    ),
    (
        "waits for nobody",
        "  x: {noop: , needs_jobs: {within: 1h}}\n",
        "missing_field 4:27 tasks.x.needs_jobs: it does not name a `job`",
        "",
    ),
    (
        "starts itself",
        "  x: {job: a}\n",
        "calls_itself 4:12 tasks.x.job: the job `a` would start itself without end",
        "",
    ),
];

#[test]
fn tasks_and_what_they_are_to_each_other() {
    for (name, tasks, expected, help) in TASKS {
        if expected == "bad_expression" {
            let found = mistakes(&job(tasks));
            assert_eq!(found.iter().map(|m| m.code).collect::<Vec<_>>(), [Code::BadExpression], "{name}");
        } else {
            check(name, &job(tasks), expected, help);
        }
    }
    let far = "  a: {noop: }\n  b: {noop: , needs: a}\n  c: {noop: , needs: b}\n  d: {run: [\"{{ tasks.a.output }}\"], needs: c}\n";
    assert_eq!(mistakes(&job(far)), []);
    let items: Vec<String> = (0..10_001).map(|n| n.to_string()).collect();
    let many = mistakes(&job(&format!("  x: {{noop: , for_each: [{}]}}\n", items.join(","))));
    assert_eq!(many.iter().map(|m| m.code).collect::<Vec<_>>(), [Code::TooMany]);
}

#[test]
fn mistakes_of_all_documents_are_told_in_order() {
    let text =
        "job: a\ntasks: {x: {noop: , pol: 1}}\n---\nbroken: [\n---\njob: b\ntasks: {x: {noop: , pol: 1}}\n";
    let lines: Vec<(u32, &str)> = mistakes(text).iter().map(|m| (m.at.line, m.code.label())).collect();
    assert_eq!(lines.first(), Some(&(2, "unknown_field")));
    assert_eq!(lines.last(), Some(&(7, "unknown_field")));
    assert!(lines.iter().any(|(_, code)| *code == "syntax"));
}

#[test]
fn aliases_and_merges_are_followed_and_bombs_are_not() {
    let text = "job: a\ndefaults: &d {pool: big}\ntasks:\n  x: {<<: *d, noop: {}}\n  y: {noop: {}, <<: [*d], pool: small}\n";
    assert_eq!(mistakes(text), []);
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(bomb, "a{level}: &a{level} [{aliases}]").expect("a string");
    }
    assert!(mistakes(&bomb).iter().any(|m| m.code == Code::TooMany));
    assert!(mistakes("a: &a [*a]").iter().any(|m| m.what.contains("alias inside")));
}

#[test]
fn limits_have_names() {
    let deep = format!("job: {}{}", "[".repeat(100), "]".repeat(100));
    assert!(mistakes(&deep).iter().any(|m| m.code == Code::TooDeep || m.code == Code::Syntax));
    let long = format!("job: a # {}", "x".repeat(2 << 20));
    assert_eq!(mistakes(&long).iter().map(|m| m.code).collect::<Vec<_>>(), [Code::TooLarge]);
    let tasks = (0..20).map(|n| format!("  t{n}: {{noop: }}")).collect::<Vec<_>>().join("\n");
    let text = format!("job: a\ntasks:\n{tasks}");
    let options = Options { limits: Limits { tasks_max: 10, ..Limits::default() }, ..Options::default() };
    let found = read("x", &text, &options).err().unwrap_or_default();
    assert_eq!(found.iter().map(|m| m.code).collect::<Vec<_>>(), [Code::TooMany]);
    let wrong = (0..500).map(|n| format!("  t{n}: {{noop: , pol: x}}")).collect::<Vec<_>>().join("\n");
    let found = mistakes(&format!("job: a\ntasks:\n{wrong}"));
    assert_eq!(found.len(), 201);
    assert_eq!(found.last().map(|m| m.what.as_str()), Some("300 more mistakes are not shown"));
}

#[test]
fn on_failure_has_its_own_name_and_no_needs() {
    let rows = [
        (
            "a task of the name of on_failure",
            "job: a\non_failure: {noop: {}}\ntasks: {on_failure: {noop: {}}}",
            "duplicate_task 2:13 on_failure: a task `on_failure` is there already, and `on_failure` is a task of that name",
            "another name",
        ),
        (
            "needs of on_failure",
            "job: a\non_failure: {noop: {}, needs: x}\ntasks: {x: {noop: {}}}",
            "unknown_field 2:24 on_failure.needs: there is no field `needs`",
            "",
        ),
    ];
    for (name, text, expected, help) in rows {
        check(name, text, expected, help);
    }
}

#[test]
fn on_failure_needs_all_tasks_up_to_a_limit() {
    let tasks =
        |count: usize| (0..count).map(|n| format!("  t{n}: {{noop: }}")).collect::<Vec<_>>().join("\n");
    let text = |count| format!("job: a\non_failure: {{noop: }}\ntasks:\n{}", tasks(count));
    assert_eq!(mistakes(&text(10_000)), []);
    let options = Options { limits: Limits { tasks_max: 20_000, ..Limits::default() }, ..Options::default() };
    let found = read("job.yaml", &text(10_001), &options).err().unwrap_or_default();
    assert_eq!(found.iter().map(|m| m.code).collect::<Vec<_>>(), [Code::TooMany]);
    assert!(found[0].help.contains("mainspring.run.failed"), "{}", found[0].help);
}

#[test]
fn a_wide_job_is_read() {
    let mut tasks = "  root: {noop: }\n".to_owned();
    for n in 0..50_000 {
        writeln!(tasks, "  t{n}: {{run: [echo, \"{{{{ tasks.root.output }}}}\"], needs: [root]}}")
            .expect("a string");
    }
    let options = Options { limits: Limits::WIDE, ..Options::default() };
    let jobs = read("x", &format!("job: a\ntasks:\n{tasks}"), &options).map_err(|m| m.first().cloned());
    assert_eq!(jobs.map(|jobs| jobs[0].plan.len()), Ok(50_001));
}

/// Whoever looks a code up finds it.
#[test]
fn every_code_is_in_the_docs() {
    let docs = include_str!("../../../docs/job-files.md");
    for code in Code::ALL {
        assert!(
            docs.contains(&format!("| `{}` |", code.label())),
            "`{}` is not in docs/job-files.md",
            code.label()
        );
    }
}

/// Where values of sensitive parameters would be shown, they cannot be.
#[test]
fn a_sensitive_parameter_stays_out_of_what_is_shown() {
    let file = |parameter: &str, rest: &str| format!("job: a\nparameters:\n  token: {parameter}\n{rest}\n");
    let noop = "tasks: {x: {noop: {}}}";
    let rows = [
        ("{sensitive: true, default: abcd}", noop, "a sensitive parameter has no `default`"),
        ("{sensitive: true, enum: [abcd]}", noop, "a sensitive parameter has no `enum`"),
        ("{sensitive: true, type: integer}", noop, "a sensitive parameter is a text"),
        (
            "{sensitive: true}",
            "tasks: {x: {noop: {}, for_each: '[params.token]'}}",
            "lists of items are shown",
        ),
        (
            "{sensitive: true}",
            "tasks: {x: {noop: {}, limits: [{name: db, key: '{{ params.token }}'}]}}",
            "keys of limits are shown",
        ),
        (
            "{sensitive: true}",
            "tasks: {x: {approve: '{{ params.token }}'}}",
            "what a task waits for is shown",
        ),
        (
            "{sensitive: true}",
            "tasks: {x: {wait: {until: '{{ params.token }}'}}}",
            "what a task waits for is shown",
        ),
        ("{sensitive: true}", "tasks: {x: {run: [a], keep: true}}", "`keep` does not work together"),
        ("{sensitive: true}", "tasks: {x: {noop: {}}}\noutputs: params.token", "outputs of a run are shown"),
        (
            "{sensitive: true}",
            "tasks: {x: {noop: {}}}\nschedule: {every: 5m, parameters: {token: abcd}}",
            "a schedule cannot give the sensitive parameter",
        ),
    ];
    for (parameter, rest, what) in rows {
        let found = mistakes(&file(parameter, rest));
        let told: Vec<&str> = found.iter().map(|mistake| mistake.what.as_str()).collect();
        assert!(told.iter().any(|told| told.contains(what)), "{parameter} {rest}: {told:?}");
    }
    let good = "tasks: {x: {shell: 'a {{ params.token }}', when: params.token != ''}, y: {wait: {for: 1s}}}";
    assert!(mistakes(&file("{sensitive: true}", good)).is_empty());
}
