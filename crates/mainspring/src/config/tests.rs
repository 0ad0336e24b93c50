use mainspring_api::Scheme;
use mainspring_core::dispatch::{PoolLimit, TenantShare};
use mainspring_core::engine::Configure;
use mainspring_core::values::Name;

use super::*;

fn none(_: &str) -> Option<String> {
    None
}

/// Loads `text` as the file, with nothing else.
fn load(text: &str) -> Result<Config, Mistakes> {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("m.toml");
    std::fs::write(&path, text).expect("written");
    let loaded = Config::load(Sources { file: Some(path), flags: vec![], environment: &none });
    loaded.map_err(|mistakes| {
        let bare = |text: String| text.replace(&format!("{}/", dir.path().display()), "");
        Mistakes(mistakes.0.into_iter().map(bare).collect())
    })
}

#[test]
fn bad_files_are_explained_with_their_line() {
    let rows: [(&str, &[&str]); 14] = [
        (
            "[server]\nlisten = 7070",
            &["m.toml:2: `server.listen`: a number is not an address and a port, like `127.0.0.1:7070`"],
        ),
        (
            "[server]\nlisten = \"7070\"",
            &["m.toml:2: `server.listen`: `7070` is not an address and a port, like `127.0.0.1:7070`"],
        ),
        ("[sever]\nlisten = \"x\"", &["m.toml:1: there is no setting `sever`; did you mean `server`?"]),
        (
            "[server]\n\nlissten = \"x\"",
            &["m.toml:3: there is no setting `server.lissten`; did you mean `server.listen`?"],
        ),
        (
            "[server]\ntasks_max = 5",
            &["m.toml:2: there is no setting `server.tasks_max`; did you mean `limits.tasks_max`?"],
        ),
        ("server = 1", &["m.toml:1: `server` is a table: write `[server]`"]),
        (
            "[server]\nhistory_days = 0",
            &["m.toml:2: `server.history_days`: 0 is not a number from 1 to 36500"],
        ),
        (
            "[server]\nhistory_days = -1",
            &["m.toml:2: `server.history_days`: -1 is not a number from 1 to 36500"],
        ),
        (
            "[server]\nlease = 15",
            &["m.toml:2: `server.lease`: a number is not a span of time from 3s to 1h, like `30s` or `5m`"],
        ),
        (
            "[server]\nlease = \"9s\"",
            &[
                "`server.heartbeat` (4s) is more than a third of `server.lease` (9s): a worker needs three chances",
            ],
        ),
        (
            "[limits]\npayload_bytes_max = \"4MiB\"",
            &["`limits.payload_bytes_max` (4MiB) is more than `server.body_bytes_max` (2MiB)"],
        ),
        (
            "[worker.webhook]\nallow = [\"10.0.0.0/8\", 5]",
            &["m.toml:2: `worker.webhook.allow`: a number in the list, which is a list of texts"],
        ),
        (
            "[worker.webhook]\nallow = [\"10.0.0.0/99\"]",
            &[
                "`worker.webhook.allow`: `10.0.0.0/99` is neither a range of addresses nor a host; write `10.0.0.0/8`, `fd00::/8`, `host.example` or `host.example:8080`",
            ],
        ),
        (
            "[worker]\nslots = 0\nleave_kept = \"yes\"\nlabels = { a = 1 }\n",
            &[
                "m.toml:2: `worker.slots`: 0 is not a number from 1 to 100000",
                "m.toml:3: `worker.leave_kept`: a text is not `true` or `false`",
                "m.toml:4: `worker.labels`: `a` is a number, not a text",
            ],
        ),
    ];
    for (text, wanted) in rows {
        check_mistakes(text, wanted);
    }
}

#[track_caller]
fn check_mistakes(text: &str, wanted: &[&str]) {
    let mistakes = load(text).err().unwrap_or_else(|| panic!("{text} is accepted"));
    assert_eq!(mistakes.0, wanted, "{text}");
}

#[test]
fn bad_settings_of_pools_and_tenants_are_explained_too() {
    let rows: [(&str, &[&str]); 6] = [
        ("pools = 1", &["m.toml:1: `pools` is a table: write `[pools.NAME]`"]),
        ("[pools]\nmail = 1", &["m.toml:2: `pools.mail` is a table: write `[pools.mail]`"]),
        (
            "[pools.mail]\nqueud_max = 1",
            &[
                "m.toml:2: there is no setting `pools.mail.queud_max`; there are `running_max` and `queued_max`",
            ],
        ),
        (
            "[pools.mail]\nqueued_max = 0",
            &["m.toml:2: `pools.mail.queued_max`: 0 is not a number from 1 to 1000000000"],
        ),
        (
            "[tenants.\"a b\"]\nweight = \"2\"",
            &["m.toml:2: `tenants.\"a b\".weight`: a text is not a number from 1 to 1000000"],
        ),
        ("[pools.\"\"]\nqueued_max = 1", &["m.toml:2: `pools`: the name is missing"]),
    ];
    for (text, wanted) in rows {
        check_mistakes(text, wanted);
    }
}

#[test]
fn what_cannot_be_read_at_all_is_explained_too() {
    for broken in ["[server", "[server]\nlisten = ", "[server]\nlisten = \"a\"\nlisten = \"b\""] {
        let mistakes = load(broken).err().unwrap_or_else(|| panic!("{broken} is accepted"));
        assert!(mistakes.0.iter().all(|mistake| mistake.starts_with("m.toml:")), "{mistakes}");
    }
    let gone =
        Config::load(Sources { file: Some("/no/such.toml".into()), flags: vec![], environment: &none });
    assert!(gone.err().is_some_and(|mistakes| mistakes.0[0].contains("/no/such.toml")));
}

#[test]
fn flags_win_over_the_environment_over_the_file_over_defaults() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("mainspring.toml");
    std::fs::write(&path, "[server]\nhistory_days = 7\nbatch_tasks_max = 5\nconnections_max = 9\n")
        .expect("written");
    let data = dir.path().display().to_string();
    let environment = |name: &str| match name {
        // The file beside the data is found.
        "MAINSPRING_DATA_DIR" => Some(data.clone()),
        "MAINSPRING_HISTORY_DAYS" => Some("8".to_owned()),
        "MAINSPRING_BATCH_TASKS_MAX" => Some("6".to_owned()),
        _ => None,
    };
    let flags = vec![("server.history_days".to_owned(), "9".to_owned())];
    let config = Config::load(Sources { file: None, flags, environment: &environment }).expect("right");
    let told = |name: &str| {
        let (_, found) = config.effective().find(|(key, _)| key.name == name).expect("known");
        found.map(|(value, source)| (value.to_string(), source.to_string()))
    };
    let said = |value: &str, source: &str| Some((value.to_owned(), source.to_owned()));
    assert_eq!(told("server.history_days"), said("9", "flag"));
    assert_eq!(told("server.batch_tasks_max"), said("6", "MAINSPRING_BATCH_TASKS_MAX"));
    assert_eq!(told("server.connections_max"), said("9", &format!("{}:4", path.display())));
    assert_eq!(told("server.lease"), said("15s", "default"));
    assert_eq!(told("worker.slots"), None, "found out at the start");
    assert_eq!(config.server().expect("a server").shard.history_days, 9);

    let wrong =
        vec![("server.lisen".to_owned(), "x".to_owned()), ("worker.slots".to_owned(), "many".to_owned())];
    let environment = |name: &str| (name == "MAINSPRING_LEASE").then(|| "soon".to_owned());
    let mistakes = Config::load(Sources { file: None, flags: wrong, environment: &environment }).err();
    assert_eq!(mistakes.map(|mistakes| mistakes.0.len()), Some(3), "all of them at once");
}

/// The table repeats what the parts have as their own defaults; here they are held together.
#[test]
fn defaults_are_those_of_the_parts() {
    let config =
        Config::load(Sources { file: None, flags: vec![], environment: &none }).expect("defaults fit");
    let setup = config.server().expect("a server");
    assert_eq!(setup.api, mainspring_api::ApiConfig::default());
    let mut shard = mainspring_runtime::ShardConfig::default();
    // Only a server has followers of logs to tell.
    shard.engine.watch = true;
    assert_eq!(setup.shard, shard);
    let own = mainspring_store_local::LocalOptions::default();
    assert_eq!(
        (setup.store.segment_bytes, setup.store.reserve_bytes),
        (own.segment_bytes, own.reserve_bytes)
    );
    let worker = config.worker().expect("a worker");
    let own = mainspring_agent::AgentConfig::new("http://127.0.0.1:7070", "worker");
    assert_eq!(format!("{worker:?}"), format!("{own:?}"));
    assert_eq!(setup.api.lease.as_millis() as u64, setup.shard.engine.limits.lease.get(), "one lease");
}

#[test]
fn cgroups_can_be_switched_off() {
    use mainspring_agent::CgroupUse;
    for (text, found) in [("", CgroupUse::Auto), ("\"auto\"", CgroupUse::Auto), ("\"off\"", CgroupUse::Off)] {
        let file = if text.is_empty() { String::new() } else { format!("[worker]\ncgroups = {text}\n") };
        let worker = load(&file).expect("right").worker().expect("a worker");
        assert_eq!(worker.cgroups, found, "{text}");
    }
    let mistakes = load("[worker]\ncgroups = \"on\"\n").expect_err("no such choice");
    assert!(mistakes.0[0].contains("one of `auto`, `off`"), "{:?}", mistakes.0);
}

#[test]
fn the_example_is_a_file_that_can_be_read() {
    let example = crate::command::config::example();
    let config = load(&example).expect("the example is right");
    assert!(config.effective().all(|(_, found)| found.is_none_or(|(_, source)| *source == Source::Default)));
    // Every line that is commented out can be put in.
    let all: String = example
        .lines()
        .map(|line| line.strip_prefix("# ").filter(|rest| rest.contains(" = ")).unwrap_or(line))
        .fold(String::new(), |all, line| all + line + "\n");
    let config = load(&all).expect("with every line");
    let from_file = |(_, source): &(Value, Source)| matches!(source, Source::File { .. });
    let set = config.effective().filter(|(_, found)| found.is_some_and(from_file)).count();
    assert_eq!(set, KEYS.iter().filter(|key| !key.default.is_empty()).count());
}

#[test]
fn pools_and_tenants_are_limited_by_name() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("m.toml");
    let text = "[pools.mail]\nqueued_max = 10\nrunning_max = 2\n[tenants.acme]\nweight = 3\n";
    std::fs::write(&path, text).expect("written");
    let flags = [
        ("pools.mail.queued_max", "11"),
        ("pools.a.b.running_max", "4"),
        ("tenants.\"c d\".running_max", "5"),
    ];
    let flags = flags.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
    let load = |flags| Config::load(Sources { file: Some(path.clone()), flags, environment: &none });
    let config = load(flags).expect("right");
    let pool = |name, running_max, queued_max| Configure::Pool {
        pool: Name::fixed(name),
        limit: PoolLimit { running_max, queued_max },
    };
    let tenant = |name, weight, running_max| Configure::Tenant {
        tenant: Name::fixed(name),
        share: TenantShare { weight, running_max },
    };
    let backfills = Configure::BackfillShare { percent: 5 };
    assert_eq!(
        config.server().expect("a server").shares,
        [
            pool("a.b", 4, u64::MAX),
            pool("mail", 2, 11),
            tenant("acme", 3, u32::MAX),
            tenant("c d", 1, 5),
            backfills
        ]
    );
    let told: Vec<String> = config.named().map(|(key, (_, source))| format!("{key} {source}")).collect();
    assert_eq!(told[1], "pools.mail.queued_max flag");
    assert_eq!(told[2], format!("pools.mail.running_max {}:3", path.display()));
    for bad in ["pools.mail", "pools.mail.size", "tenants..weight"] {
        assert!(load(vec![(bad.to_owned(), "1".to_owned())]).is_err(), "{bad}");
    }
}

#[test]
fn webhooks_have_a_tenant_and_secrets_that_are_checked() {
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("secret");
    std::fs::write(&file, format!("{secret}\n")).expect("written");
    let text = format!(
        "[webhooks.shop]\ntenant = \"acme\"\nsecrets = [\"{secret}\"]\nsecret_files = [\"{}\"]\n[webhooks.ci]\nsecrets = [\"{secret}\"]",
        file.display()
    );
    let config = load(&text).expect("good");
    let setup = config.server().expect("a server");
    let told: Vec<(&str, &str, usize)> = (setup.webhooks.0.iter())
        .map(|(name, webhook)| (name.as_str(), &*webhook.tenant, webhook.secrets.len()))
        .collect();
    assert_eq!(told, [("ci", "default", 1), ("shop", "acme", 2)]);
    let is_tenant = |share: &Configure| matches!(share, Configure::Tenant { .. });
    assert!(!setup.shares.iter().any(is_tenant), "a webhook is no tenant: {:?}", setup.shares);
    assert!(config.named().any(|(setting, _)| setting.is_secret()));
    let text = "[webhooks.shop]\nsecrets = [\"a-secret-of-twenty-three\"]\nsignature = \"hmac\"\nsignature_header = \"X-Sign\"";
    let setup = load(text).expect("good").server().expect("a server");
    let Scheme::Hmac { signature, id } = &setup.webhooks.0["shop"].scheme else { panic!("hmac") };
    assert_eq!((signature.as_str(), id), ("x-sign", &None));
    let rows = [
        (
            "[webhooks.shop]\ntenant = \"acme\"",
            "`webhooks.shop`: it has neither `secrets` nor `secret_files`: nobody could send",
        ),
        (
            "[webhooks.shop]\nsecrets = [\"hunter2\"]",
            "`webhooks.shop`: secret 1: a secret of Standard Webhooks is `whsec_` and 24 to 64 bytes in base64",
        ),
        (
            "[webhooks.shop]\nsecrets = [\"hunter2\"]\nsignature = \"github\"",
            "`webhooks.shop`: secret 1: a secret has 16 to 256 bytes of printable ASCII without spaces",
        ),
        (
            "[webhooks.shop]\nsecrets = [\"a-secret-of-twenty-three\"]\nsignature = \"github2\"",
            "`webhooks.shop`: `signature`: `github2` is not one of `standard`, `github`, `gitlab`, `hmac`",
        ),
        (
            "[webhooks.shop]\nsecrets = [\"a-secret-of-twenty-three\"]\nsignature = \"gitlab\"\nid_header = \"x-id\"",
            "`webhooks.shop`: `signature_header` and `id_header` are only for `signature = \"hmac\"`",
        ),
        (
            "[webhooks.shop]\nsecrets = [\"a-secret-of-twenty-three\"]\nsignature = \"hmac\"\nid_header = \"x id\"",
            "`webhooks.shop`: `id_header`: `x id` is not the name of a header",
        ),
    ];
    for (text, mistake) in rows {
        assert_eq!(load(text).expect_err("a mistake").0, [mistake], "{text}");
    }
}
