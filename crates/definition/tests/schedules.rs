//! Schedules of job files: every field reaches the spec, and every mistake is told where it is.

use mainspring_core::calendar::{Dst, Missing, Timetable, Twice, Zone};
use mainspring_core::schedule::{Overlap, ScheduleKey, Spec, Target, Timing};
use mainspring_core::values::{Band, Millis, Name, Wall};
use mainspring_definition::{Mistake, Options, Parameter, read, read_schedule, schedule_offset};

const TASKS: &str = "\ntasks:\n  x: {noop: {}}\n";

fn schedules(text: &str) -> Vec<(Name, Spec)> {
    let text = format!("job: a\n{text}{TASKS}");
    match read("job.yaml", &text, &Options::default()) {
        Ok(mut jobs) => jobs.remove(0).schedules,
        Err(mistakes) => panic!("{mistakes:#?}"),
    }
}

fn one(text: &str) -> Spec {
    let mut found = schedules(text);
    assert_eq!(found.len(), 1, "{text}");
    found.remove(0).1
}

fn entry(fields: &str) -> Spec {
    one(&format!("schedules: [{{{fields}}}]"))
}

fn wall(text: &str) -> Wall {
    let at: jiff::Timestamp = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    Wall::from_millis(at.as_millisecond().unsigned_abs())
}

fn next(spec: &Spec, after: &str) -> Option<Wall> {
    spec.next(wall(after)).map(|(at, _)| at)
}

#[test]
fn the_short_form_is_one_schedule() {
    let found = schedules("schedule: \"0 9 * * MON-FRI\"\ntimezone: Europe/Berlin");
    assert_eq!(found.len(), 1);
    assert_eq!(&*found[0].0, "default");
    let spec = &found[0].1;
    assert_eq!(&*spec.text, "0 9 * * MON-FRI");
    // A Friday evening: the next one is on Monday, in summer time.
    assert_eq!(next(spec, "2026-06-05T20:00:00Z"), Some(wall("2026-06-08T07:00:00Z")));
    let long = one("schedule: {every: 15m, overlap: forbid}");
    assert_eq!(long.overlap, Overlap::Forbid);
    assert_eq!(next(&long, "2026-01-01T00:01:00Z"), Some(wall("2026-01-01T00:15:00Z")));
}

#[test]
fn what_is_not_said_is_as_usual() {
    let spec = entry("cron: '@daily'");
    let Timing::Table(Timetable::Cron { zone, dst, .. }) = &spec.timing else { panic!("{spec:?}") };
    assert_eq!((*zone, *dst), (Zone::UTC, Dst::default()));
    assert_eq!((spec.jitter, spec.catch_up), (Millis::ZERO, 0));
    assert_eq!((spec.grace, spec.overlap, spec.active_max), (Millis::from_secs(300), Overlap::Allow, 16));
    assert_eq!((spec.start, spec.end), (None, None));
    let Target::Run { parameters, priority } = &spec.target else { panic!("a run") };
    assert_eq!((&**parameters, *priority), (&b"{}"[..], None));
}

#[test]
fn every_field_reaches_the_spec() {
    let text = r#"
parameters: { region: eu, n: 1 }
schedules:
  - name: morning
    cron: "30 2 * * *"
    timezone: europe/berlin
    dst: { missing: after, twice: both }
    jitter: 30s
    catch_up: 7
    misfire_grace: 10m
    overlap: queue
    max_active: 4
    start: "2026-01-01T00:00:00Z"
    end: "2026-12-31T00:00:00+01:00"
    parameters: { region: us }
    priority: { band: P0, level: 7 }
  - { name: beat, every: 90s, start: "2026-01-01T00:00:30Z", catch_up: true }
  - { name: pause, after: 10m }
  - { name: dates, at: ["2026-03-02T00:00:00Z", "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"], catch_up: false }"#;
    let found = schedules(text);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["morning", "beat", "pause", "dates"]);
    let [morning, beat, pause, dates] = [0, 1, 2, 3].map(|index| &found[index].1);

    let Timing::Table(Timetable::Cron { zone, dst, .. }) = &morning.timing else { panic!("{morning:?}") };
    assert_eq!((zone.name(), *dst), ("Europe/Berlin", Dst { missing: Missing::After, twice: Twice::Both }));
    assert_eq!((morning.jitter, morning.catch_up), (Millis::from_secs(30), 7));
    assert_eq!((morning.grace, morning.overlap), (Millis::from_secs(600), Overlap::Queue));
    assert_eq!(morning.active_max, 4);
    assert_eq!(morning.start, Some(wall("2026-01-01T00:00:00Z")));
    assert_eq!(morning.end, Some(wall("2026-12-30T23:00:00Z")));
    let Target::Run { parameters, priority } = &morning.target else { panic!("a run") };
    assert_eq!(&**parameters, br#"{"region":"us"}"#, "defaults are filled in when a run begins");
    assert_eq!(priority.map(|priority| (priority.band, priority.level())), Some((Band::P0, 7)));

    assert_eq!(beat.catch_up, 3);
    assert_eq!(next(beat, "2025-01-01T00:00:00Z"), Some(wall("2026-01-01T00:00:30Z")), "counted from start");
    assert_eq!(next(beat, "2026-01-01T00:00:30Z"), Some(wall("2026-01-01T00:02:00Z")));
    assert_eq!(pause.timing, Timing::After(Millis::from_secs(600)));
    assert_eq!(next(dates, "2026-01-01T00:00:00Z"), Some(wall("2026-03-01T00:00:00Z")));
    assert_eq!(next(dates, "2026-03-02T00:00:00Z"), None);
}

#[test]
fn the_zone_of_the_job_is_that_of_its_schedules_unless_they_say_it() {
    let text = "timezone: Asia/Tokyo\nschedules: [{name: a, cron: '0 9 * * *'}, {name: b, cron: '0 9 * * *', timezone: UTC}, {name: c, every: 1h}]";
    let found = schedules(text);
    assert_eq!(next(&found[0].1, "2026-01-01T00:00:00Z"), Some(wall("2026-01-02T00:00:00Z")));
    assert_eq!(next(&found[1].1, "2026-01-01T00:00:00Z"), Some(wall("2026-01-01T09:00:00Z")));
}

#[test]
fn what_is_drawn_is_drawn_from_the_key() {
    let of = |tenant: &str, job: &str, name: &str| {
        let text = format!(
            "job: {job}\ntenant: {tenant}\nschedules: [{{name: {name}, cron: 'H H * * *', jitter: 12h}}]{TASKS}"
        );
        read("", &text, &Options::default())
            .map_or_else(|m| panic!("{m:?}"), |mut jobs| jobs.remove(0).schedules)
    };
    assert_eq!(of("t", "j", "s"), of("t", "j", "s"));
    let all = [of("t", "j", "s"), of("u", "j", "s"), of("t", "k", "s"), of("t", "j", "r")];
    for (at, one) in all.iter().enumerate() {
        for other in &all[at + 1..] {
            assert_ne!(one[0].1.timing, other[0].1.timing);
        }
    }
}

#[test]
fn the_part_of_a_jitter_is_drawn_from_the_key() {
    let name = |text| Name::new(text).expect("a name");
    let key = |tenant, job, of| ScheduleKey { tenant: name(tenant), job: name(job), name: name(of) };
    let jitter = Millis::from_secs(43_200);
    let keys = [key("t", "j", "s"), key("u", "j", "s"), key("t", "k", "s"), key("t", "j", "r")];
    let parts = keys.each_ref().map(|key| schedule_offset(key, jitter));
    assert_eq!(parts, keys.each_ref().map(|key| schedule_offset(key, jitter)));
    for (at, one) in parts.iter().enumerate() {
        assert!(*one > Millis::ZERO && *one <= jitter, "{one:?}");
        assert!(!parts[at + 1..].contains(one), "{parts:?}");
    }
    assert_eq!(schedule_offset(&keys[0], Millis::ZERO), Millis::ZERO);
}

#[test]
fn the_canonical_text_keeps_the_schedules() {
    let text = format!("job: a\nschedules: [{{cron: 'H 3 * * *', jitter: 5m}}]{TASKS}");
    let jobs = read("", &text, &Options::default()).unwrap_or_else(|m| panic!("{m:?}"));
    let again = std::str::from_utf8(&jobs[0].source).unwrap_or_default();
    assert_eq!(read("", again, &Options::default()), Ok(jobs));
}

#[track_caller]
fn check(name: &str, found: &[Mistake], expected: &[&str], help: &str) {
    let shown: Vec<String> = found
        .iter()
        .map(|m| format!("{} {}:{} {}: {}", m.code.label(), m.at.line, m.at.column, m.path, m.what))
        .collect();
    assert_eq!(shown, expected, "{name}");
    assert!(found.iter().any(|m| m.help.contains(help)), "{name}: {found:?}");
}

fn mistakes(text: &str) -> Vec<Mistake> {
    let text = format!("job: a\n{text}{TASKS}");
    read("job.yaml", &text, &Options::default()).err().unwrap_or_default()
}

/// What stands in the entry, from line 2 and column 14 on; the mistake; a part of the help.
const ENTRIES: [(&str, &str, &str, &str); 25] = [
    ("no timing", "name: x", "no_timing 2:13 schedules[0]: it does not say when", "`every: 15m`"),
    (
        "two timings",
        "cron: '@daily', every: 1h",
        "two_timings 2:30 schedules[0].every: `cron` and `every` are two timings",
        "two schedules",
    ),
    (
        "bad cron",
        "cron: '0 25 * * *'",
        "bad_cron 2:20 schedules[0].cron: hour, at character 3: 25 is out of range",
        "",
    ),
    (
        "never",
        "cron: '0 0 30 2 *'",
        "bad_cron 2:20 schedules[0].cron: the expression can never fire: no month that it names has such a day",
        "",
    ),
    (
        "zone",
        "cron: '@daily', timezone: Europe/Berln",
        "unknown_time_zone 2:40 schedules[0].timezone: there is no time zone `Europe/Berln`",
        "`Europe/Berlin`",
    ),
    (
        "no zone at all",
        "cron: '@daily', timezone: CET+1 or so",
        "unknown_time_zone 2:40 schedules[0].timezone: there is no time zone `CET+1 or so`",
        "`Europe/Berlin`",
    ),
    (
        "zone of an interval",
        "every: 1h, timezone: UTC",
        "unsupported 2:25 schedules[0].timezone: `timezone` has no effect with `every`",
        "leave it out",
    ),
    (
        "dst of instants",
        "at: ['2026-01-01T00:00:00Z'], dst: {twice: both}",
        "unsupported 2:44 schedules[0].dst: `dst` has no effect with `at`",
        "leave it out",
    ),
    (
        "overlap of a delay",
        "after: 1m, overlap: queue",
        "unsupported 2:25 schedules[0].overlap: `overlap` has no effect with `after`",
        "has ended",
    ),
    (
        "dst",
        "cron: '@daily', dst: {missing: later}",
        "bad_value 2:45 schedules[0].dst.missing: `later` is not known here",
        "one of: skip, after, before",
    ),
    ("too often", "every: 999ms", "bad_value 2:21 schedules[0].every: 999 ms is too short", "`1s`"),
    ("no duration", "every: often", "bad_value 2:21 schedules[0].every: `often` is not a duration", "`30s`"),
    (
        "no offset",
        "at: '2026-01-31T09:00:00'",
        "bad_value 2:18 schedules[0].at: `2026-01-31T09:00:00` is no instant",
        "+01:00",
    ),
    (
        "before 1970",
        "at: ['1969-01-01T00:00:00Z']",
        "bad_value 2:19 schedules[0].at[0]: an instant must lie after 1970 and before 9999-12-30",
        "",
    ),
    ("no instant", "at: []", "no_timing 2:18 schedules[0].at: there is no instant in it", "at least one"),
    (
        "jitter",
        "every: 1h, jitter: 25h",
        "bad_value 2:33 schedules[0].jitter: the jitter is longer than a day",
        "a day is the most",
    ),
    (
        "catch-up",
        "every: 1h, catch_up: 101",
        "bad_value 2:35 schedules[0].catch_up: the number must be from 0 to 100",
        "",
    ),
    (
        "catch-up by word",
        "every: 1h, catch_up: all",
        "wrong_type 2:35 schedules[0].catch_up: true, false, or a number of windows is expected, not a text",
        "",
    ),
    (
        "overlap",
        "every: 1h, overlap: alow",
        "bad_value 2:34 schedules[0].overlap: `alow` is not known here",
        "`allow`",
    ),
    (
        "max active",
        "every: 1h, max_active: 0",
        "bad_value 2:37 schedules[0].max_active: the number must be from 1 to 1000",
        "",
    ),
    (
        "start after end",
        "every: 1h, start: '2026-02-01T00:00:00Z', end: '2026-01-01T00:00:00Z'",
        "bad_value 2:61 schedules[0].end: it ends before it starts",
        "",
    ),
    (
        "nothing between",
        "cron: '@yearly', start: '2026-02-01T00:00:00Z', end: '2026-03-01T00:00:00Z'",
        "never_fires 2:13 schedules[0]: it never fires: no window of it lies between `start` and `end`",
        "`end`",
    ),
    (
        "name",
        "every: 1h, name: 'a:b'",
        "bad_name 2:31 schedules[0].name: `a:b` is not a name of a schedule",
        "letters",
    ),
    (
        "unknown field",
        "every: 1h, jiter: 5s",
        "unknown_field 2:25 schedules[0].jiter: there is no field `jiter`",
        "`jitter`",
    ),
    (
        "priority",
        "every: 1h, priority: P7",
        "bad_value 2:35 schedules[0].priority: `P7` is not known here",
        "P0, P1, P2",
    ),
];

#[test]
fn mistakes_of_entries_are_told_at_their_place() {
    for (name, fields, expected, help) in ENTRIES {
        check(name, &mistakes(&format!("schedules: [{{{fields}}}]")), &[expected], help);
    }
}

#[test]
fn mistakes_between_entries_and_of_the_short_form() {
    let rows: [(&str, &str, &[&str], &str); 8] = [
        (
            "names twice",
            "schedules:\n- {name: a, every: 1h}\n- {name: a, every: 2h}",
            &["duplicate_schedule 4:3 schedules[1]: a schedule `a` is there already, in line 3"],
            "another name",
        ),
        (
            "no names",
            "schedules:\n- {every: 1h}\n- {every: 2h}",
            &[
                "missing_field 3:3 schedules[0]: the schedule has no `name`",
                "missing_field 4:3 schedules[1]: the schedule has no `name`",
            ],
            "`default`",
        ),
        (
            "both forms",
            "schedule: '@daily'\nschedules: [{every: 1h}]",
            &["bad_value 2:11 schedule: give `schedule` or `schedules`, not both"],
            "move it",
        ),
        (
            "zone alone",
            "timezone: UTC",
            &["unsupported 2:1 timezone: `timezone` has no effect without a schedule"],
            "`schedule:",
        ),
        (
            "bad short form",
            "schedule: daily",
            &["bad_cron 2:11 schedule: the expression has 1 field instead of 5 or 6"],
            "minute hour",
        ),
        (
            "no list",
            "schedules: '@daily'",
            &["wrong_type 2:12 schedules: a list is expected, not a text"],
            "",
        ),
        (
            "parameters",
            "parameters: {n: 1, must: }\nschedules:\n- every: 1h\n  parameters:\n    n: x\n    other: 1",
            &[
                "missing_parameter 4:3 schedules[0].parameters.must: the parameter `must` is missing",
                "bad_parameter 6:8 schedules[0].parameters.n: the type `integer` is expected, not `string`",
                "unknown_parameter 7:12 schedules[0].parameters.other: there is no parameter `other`",
            ],
            "",
        ),
        (
            "all at once",
            "schedule: {cron: x, jitter: 99h, timezone: Nowhere/Land, overlap: maybe}",
            &[
                "bad_cron 2:18 schedule.cron: the expression has 1 field instead of 5 or 6",
                "bad_value 2:29 schedule.jitter: the jitter is longer than a day",
                "unknown_time_zone 2:44 schedule.timezone: there is no time zone `Nowhere/Land`",
                "bad_value 2:67 schedule.overlap: `maybe` is not known here",
            ],
            "",
        ),
    ];
    for (name, text, expected, help) in rows {
        check(name, &mistakes(text), expected, help);
    }
    let many: Vec<String> = (0..101).map(|n| format!("- {{name: s{n}, every: 1h}}")).collect();
    let found = mistakes(&format!("schedules:\n{}", many.join("\n")));
    check("too many", &found, &["too_many 3:3 schedules: 101 schedules are more than 100"], "");
}

#[test]
fn one_schedule_alone_is_read_as_in_a_file() {
    let key =
        |name| ScheduleKey { tenant: Name::fixed("default"), job: Name::fixed("a"), name: Name::fixed(name) };
    let written = r#"{"cron": "H 3 * * *", "jitter": "5m"}"#;
    let spec = read_schedule(written, &key("default"), Some(&[])).unwrap_or_else(|m| panic!("{m:?}"));
    assert_eq!(spec, entry("cron: 'H 3 * * *', jitter: 5m"), "the same key draws the same");
    let rows: [(&str, &str, Option<&[Parameter]>, &str); 5] = [
        ("other name", r#"{"name": "b", "every": "1h"}"#, Some(&[]), "`b` here and `default`"),
        ("no parameter", r#"{"every": "1h", "parameters": {"x": 1}}"#, Some(&[]), "no parameter `x`"),
        ("no job", r#"{"every": "1h", "parameters": {"x": 1}}"#, None, "only runs"),
        ("nothing", "", None, "no schedule"),
        ("a list", "[]", None, "an object is expected"),
    ];
    for (name, text, parameters, what) in rows {
        let found = read_schedule(text, &key("default"), parameters).err().unwrap_or_default();
        assert!(found.iter().any(|m| m.what.contains(what)), "{name}: {found:?}");
    }
}
