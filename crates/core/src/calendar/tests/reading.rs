//! What is read, as what, and what is refused with which words.

use super::{cron, next_texts, timetable};
use crate::calendar::{CRON_BYTES_MAX, Cron, Dst, Field};

#[test]
fn different_texts_with_one_meaning() {
    let rows = [
        ("names", "0 9 * JAN-MAR MON-FRI", "0 9 * 1-3 1-5"),
        ("capital letters", "0 9 * jan mon,Tue", "0 9 * 1 1,2"),
        ("Sunday twice", "0 0 * * 7", "0 0 * * 0"),
        ("Sunday at the end", "0 0 * * 4-7", "0 0 * * 0,4,5,6"),
        ("Sunday at the start", "0 0 * * 7-2", "0 0 * * 0-2"),
        ("the whole week", "0 0 1 * 0-7", "0 0 1 * 0-6"),
        ("hours over midnight", "0 22-2 * * *", "0 22,23,0,1,2 * * *"),
        ("weekdays over the weekend", "0 0 * * FRI-MON", "0 0 * * 5,6,0,1"),
        ("months over new year", "0 0 1 NOV-FEB *", "0 0 1 1,2,11,12 *"),
        ("steps over midnight", "0 22-4/2 * * *", "0 22,0,2,4 * * *"),
        ("steps from a value", "10/5 * * * *", "10-59/5 * * * *"),
        ("steps in a range", "10-30/5 * * * *", "10,15,20,25,30 * * * *"),
        ("steps from Sunday", "0 0 * * 7/2", "0 0 * * 0,2,4,6"),
        ("a step as long as the range", "14 16-23/24 * * *", "14 16 * * *"),
        ("any day", "0 0 ? * MON", "0 0 * * MON"),
        ("leading zeros", "00 09 01 02 03", "0 9 1 2 3"),
        ("seconds of zero", "0 5 4 * * *", "5 4 * * *"),
        ("more blanks", "  5\t4  * * * ", "5 4 * * *"),
        ("last Friday", "0 0 * * 5L", "0 0 * * FRIL"),
        ("by week", "0 0 * * 7#2", "0 0 * * SUN#2"),
        ("@yearly", "@yearly", "0 0 1 1 *"),
        ("@annually", "@annually", "0 0 1 1 *"),
        ("@monthly", "@monthly", "0 0 1 * *"),
        ("@weekly", "@weekly", "0 0 * * 0"),
        ("@daily", "@daily", "0 0 * * *"),
        ("@midnight", "@Midnight", "0 0 * * *"),
        ("@hourly", "@hourly", "0 * * * *"),
    ];
    for (name, a, b) in rows {
        assert_eq!(cron(a), cron(b), "{name}");
    }
}

#[test]
fn days_of_each_form() {
    let rows: [(&str, &str, [&str; 4]); 12] = [
        ("last day", "0 0 L * *", ["2025-01-31", "2025-02-28", "2025-03-31", "2025-04-30"]),
        ("before the last", "0 0 L-3 * *", ["2025-02-25", "2025-03-28", "2025-04-27", "2025-05-28"]),
        ("nearest weekday", "0 0 15W * *", ["2025-02-14", "2025-03-14", "2025-04-15", "2025-05-15"]),
        ("nearest to the first", "0 0 1W * *", ["2025-02-03", "2025-03-03", "2025-04-01", "2025-05-01"]),
        (
            "nearest to a day few have",
            "0 0 31W * *",
            ["2025-01-31", "2025-03-31", "2025-05-30", "2025-07-31"],
        ),
        ("last weekday", "0 0 LW * *", ["2025-01-31", "2025-02-28", "2025-03-31", "2025-04-30"]),
        ("last Friday", "0 0 * * FRIL", ["2025-01-31", "2025-02-28", "2025-03-28", "2025-04-25"]),
        ("third Friday", "0 0 * * 5#3", ["2025-02-21", "2025-03-21", "2025-04-18", "2025-05-16"]),
        ("fifth Friday", "0 0 * * FRI#5", ["2025-01-31", "2025-05-30", "2025-08-29", "2025-10-31"]),
        ("leap days", "0 0 29 2 *", ["2028-02-29", "2032-02-29", "2036-02-29", "2040-02-29"]),
        ("either day", "0 0 13 * FRI", ["2025-01-31", "2025-02-07", "2025-02-13", "2025-02-14"]),
        ("both days", "0 0 */2 * FRI", ["2025-01-31", "2025-02-07", "2025-02-21", "2025-03-07"]),
    ];
    for (name, expression, days) in rows {
        let found = next_texts(&timetable(expression, "UTC", Dst::default()), "2025-01-30T12:00:00Z", 4);
        assert_eq!(found, days.map(|day| format!("{day}T00:00:00Z")), "{name}");
    }
}

#[test]
fn refusals_say_where_and_what_to_do() {
    let long = "1,".repeat(CRON_BYTES_MAX / 2) + "1 * * * *";
    let rows: [(&str, Option<Field>, usize, &str, &str); 28] = [
        ("", None, 0, "empty", "minute hour"),
        ("* * * *", None, 0, "4 fields", "minute hour"),
        ("0 0 0 1 1 * 2030", None, 0, "no field for the year", "leave the year out"),
        ("* * * * * * * *", None, 0, "8 fields", "minute hour"),
        (&long, None, 0, "265 bytes", "ranges"),
        ("@fortnightly", None, 0, "there is no `@fortnightly`", "`@daily`"),
        ("@every 5m", None, 0, "there is no `@every 5m`", "interval"),
        ("60 * * * *", Some(Field::Minute), 0, "60 is out of range", "use 0 to 59"),
        ("0 24 * * *", Some(Field::Hour), 2, "24 is out of range", "use 0 to 23"),
        ("0 0 0 * *", Some(Field::DayOfMonth), 4, "0 is out of range", "use 1 to 31"),
        ("0 0 * 13 *", Some(Field::Month), 6, "13 is out of range", "JAN to DEC"),
        ("0 0 * * 8", Some(Field::DayOfWeek), 8, "8 is out of range", "SUN to SAT"),
        ("0 0 * * MON,TUX", Some(Field::DayOfWeek), 12, "`TUX` is not understood", "SUN to SAT"),
        ("*/0 * * * *", Some(Field::Minute), 2, "a step of 0", "1 to 59"),
        ("*/60 * * * *", Some(Field::Minute), 2, "a step of 60", "1 to 59"),
        ("*/x * * * *", Some(Field::Minute), 2, "`x` is not a step", "1 to 59"),
        ("*/ * * * *", Some(Field::Minute), 2, "`` is not a step", "1 to 59"),
        ("1,,2 * * * *", Some(Field::Minute), 2, "missing", "0 to 59"),
        ("1- * * * *", Some(Field::Minute), 2, "missing", "0 to 59"),
        ("? * * * *", Some(Field::Minute), 0, "any day", "use `*`"),
        ("0 0 L-31 * *", Some(Field::DayOfMonth), 4, "`L-31`", "`L-30`"),
        ("0 0 32W * *", Some(Field::DayOfMonth), 4, "32 is out of range", "1 to 31"),
        ("0 0 * * L", Some(Field::DayOfWeek), 8, "which weekday", "`FRIL`"),
        ("0 0 * * MON#6", Some(Field::DayOfWeek), 12, "`6`", "`MON#5`"),
        ("H(7-0) * * * *", Some(Field::Minute), 2, "empty", "`H(0-7)`"),
        ("H(0-7 * * * *", Some(Field::Minute), 2, "not understood", "`H(0-7)`"),
        ("é * * * *", Some(Field::Minute), 0, "`é` is not understood", "0 to 59"),
        ("99999999999 * * * *", Some(Field::Minute), 0, "not understood", "0 to 59"),
    ];
    for (text, field, position, wrong, advice) in rows {
        let error = Cron::parse(text, 0).expect_err(text);
        assert_eq!((error.field, error.position), (field, position), "{text}: {error}");
        assert!(error.wrong.contains(wrong), "{text}: {error}");
        assert!(error.advice.contains(advice), "{text}: {error}");
    }
}

#[test]
fn what_can_never_fire_is_refused() {
    let never =
        ["0 0 30 2 *", "0 0 31 2 *", "0 0 31 4,6,9,11 *", "0 0 31W 2 *", "0 0 L-30 2 *", "0 0 */31 * MON#2"];
    for text in never {
        let error = Cron::parse(text, 0).expect_err(text);
        assert!(error.wrong.contains("never fire"), "{text}: {error}");
    }
    let sometimes = ["0 0 29 2 *", "0 0 29 2 */7", "0 0 * 2 MON#5", "0 0 L-28 2 *", "0 0 31 2 MON"];
    for text in sometimes {
        cron(text);
    }
}

#[test]
fn draws_are_stable_and_spread() {
    let parse = |text: &str, seed| Cron::parse(text, seed).expect("it is right");
    assert_eq!(parse("H H * * *", 1), parse("H H * * *", 1));
    let minutes = (0..600).fold(0, |mask, seed| mask | parse("H * * * *", seed).minutes);
    assert_eq!(minutes, (1 << 60) - 1, "every minute is drawn by some job");
    let together = (0..600).filter(|seed| {
        let cron = parse("H(0-23) H * * *", *seed);
        cron.minutes == u64::from(cron.hours)
    });
    assert!(together.count() < 100, "minute and hour are drawn apart");
    for seed in 0..100 {
        assert_eq!(parse("H/15 * * * *", seed).minutes.count_ones(), 4);
        assert_eq!(parse("H(0-7) * * * *", seed).minutes & !0xff, 0);
        assert_eq!(parse("H(10-29)/10 * * * *", seed).minutes.count_ones(), 2);
        assert_eq!(parse("0 0 H * *", seed).days & !0x1fff_fffe, 0);
    }
}

#[test]
fn seeds_never_change() {
    // A new number here would move every schedule with an `H`.
    assert_eq!(Cron::seed(""), 14_087_677_454_934_409_008);
    assert_eq!(Cron::seed("default/nightly"), 288_814_567_955_800_997);
    let drawn = Cron::parse("H H * * *", Cron::seed("default/nightly")).expect("it is right");
    assert_eq!(drawn.describe(), "at 10:10 every day");
}

#[test]
fn only_hours_with_a_star_run_through() {
    let rows = [
        ("* * * * *", true),
        ("0 */2 * * *", true),
        ("0 H/6 * * *", true),
        ("0 0-23 * * *", false),
        ("0 0/1 * * *", true),
        ("0 1/3 * * *", false),
        ("0 0/6,3 * * *", false),
        ("0 1,2,3 * * *", false),
        ("0 H * * *", false),
        ("@hourly", true),
        ("@daily", false),
    ];
    for (text, through) in rows {
        assert_eq!(cron(text).runs_through(), through, "{text}");
    }
}
