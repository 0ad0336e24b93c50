//! Times as people say them: how long ago, how long it took, and instants in the reader's zone.

use std::sync::OnceLock;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

/// As `3m`, or `in 3m` if it is still to come.
pub(super) fn age(instant: &str, now: Timestamp) -> Option<String> {
    let instant: Timestamp = instant.parse().ok()?;
    let ms = now.as_millisecond() - instant.as_millisecond();
    let span = short(Duration::from_millis(ms.unsigned_abs()));
    // A clock that is a little behind the server's is no reason to speak of the future.
    Some(if ms < -1000 {
        format!("in {span}")
    } else if ms < 0 {
        "0s".to_owned()
    } else {
        span
    })
}

/// From one instant to another.
pub(crate) fn between(from: &str, to: &str) -> Option<String> {
    let (from, to): (Timestamp, Timestamp) = (from.parse().ok()?, to.parse().ok()?);
    let ms = u64::try_from(to.as_millisecond() - from.as_millisecond()).unwrap_or(0);
    Some(exact(Duration::from_millis(ms)))
}

/// One unit: enough to know how old something is.
fn short(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        86_400..63_072_000 => format!("{}d", seconds / 86_400),
        _ => format!("{}y", seconds / 31_536_000),
    }
}

/// Two units: enough to compare how long things took.
pub(crate) fn exact(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0 => format!("{}ms", span.as_millis()),
        1..10 => format!("{}.{}s", seconds, span.subsec_millis() / 100),
        10..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m {}s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h {}m", seconds / 3_600, seconds / 60 % 60),
        _ => format!("{}d {}h", seconds / 86_400, seconds / 3_600 % 24),
    }
}

/// Fields that hold an instant without saying so at their end.
const INSTANTS: [&str; 9] =
    ["next", "last", "since", "first", "last_fired", "from", "to", "oldest", "newest"];

/// The instant of a field, in the reader's zone, and how long ago that is.
pub(super) fn moment(field: &str, value: &Value) -> Option<String> {
    let text = value.as_str().filter(|_| field.ends_with("_at") || INSTANTS.contains(&field))?;
    with_age(text)
}

/// As [`moment`]; what is no instant stays as it is.
pub(crate) fn moment_of(text: &str) -> String {
    with_age(text).unwrap_or_else(|| text.to_owned())
}

fn with_age(text: &str) -> Option<String> {
    let instant: Timestamp = text.parse().ok()?;
    let age = age(text, Timestamp::now())?;
    let ago = if age.starts_with("in ") { age } else { format!("{age} ago") };
    Some(format!("{} ({ago})", local(instant, zone())))
}

/// As `2026-03-01 06:00`, in the reader's zone, with seconds only where there are some.
/// What is no instant stays as it is.
pub(crate) fn to_the_minute(text: &str) -> String {
    let Ok(instant) = text.parse::<Timestamp>() else { return text.to_owned() };
    let zoned = instant.to_zoned(zone().clone());
    let form = if zoned.second() == 0 { "%Y-%m-%d %H:%M" } else { "%Y-%m-%d %H:%M:%S" };
    zoned.strftime(form).to_string()
}

fn local(instant: Timestamp, zone: &TimeZone) -> String {
    instant.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S %Z").to_string()
}

/// `TZ`, else what the machine is set to, else UTC.
fn zone() -> &'static TimeZone {
    static ZONE: OnceLock<TimeZone> = OnceLock::new();
    ZONE.get_or_init(|| {
        let variable = std::env::var("TZ").ok().map(|name| name.trim_start_matches(':').to_owned());
        let machine = || {
            let target = std::fs::read_link("/etc/localtime").ok()?;
            Some(target.to_str()?.split_once("zoneinfo/")?.1.to_owned())
        };
        let name = variable.filter(|name| !name.is_empty()).or_else(machine);
        name.and_then(|name| TimeZone::get(&name).ok()).unwrap_or(TimeZone::UTC)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_one_unit() {
        let now: Timestamp = "2026-11-18T12:00:00Z".parse().expect("an instant");
        let rows = [
            ("2026-11-18T12:00:00Z", "0s"),
            ("2026-11-18T12:00:00.500Z", "0s"),
            ("2026-11-18T11:59:18.900Z", "41s"),
            ("2026-11-18T11:56:01Z", "3m"),
            ("2026-11-18T09:59:00Z", "2h"),
            ("2026-11-15T11:00:00Z", "3d"),
            ("2023-11-15T11:00:00Z", "3y"),
            ("2026-11-18T12:05:00Z", "in 5m"),
        ];
        for (instant, shown) in rows {
            assert_eq!(age(instant, now).as_deref(), Some(shown), "{instant}");
        }
        assert_eq!(age("soon", now), None);
    }

    #[test]
    fn durations_have_two_units() {
        let rows = [
            (0, "0ms"),
            (999, "999ms"),
            (2_340, "2.3s"),
            (59_900, "59s"),
            (133_000, "2m 13s"),
            (7_260_000, "2h 1m"),
            (90_000_000, "1d 1h"),
        ];
        for (ms, shown) in rows {
            assert_eq!(exact(Duration::from_millis(ms)), shown);
        }
        assert_eq!(between("2026-11-18T12:00:00Z", "2026-11-18T12:02:13Z").as_deref(), Some("2m 13s"));
        assert_eq!(
            between("2026-11-18T12:00:00Z", "2026-11-18T11:00:00Z").as_deref(),
            Some("0ms"),
            "clocks differ"
        );
    }

    #[test]
    fn an_instant_is_shown_in_a_zone_that_is_named() {
        let instant: Timestamp = "2026-11-18T12:00:00Z".parse().expect("an instant");
        let berlin = TimeZone::get("Europe/Berlin").expect("bundled");
        assert_eq!(local(instant, &berlin), "2026-11-18 13:00:00 CET");
        assert_eq!(local(instant, &TimeZone::UTC), "2026-11-18 12:00:00 UTC");
        assert_eq!(moment("name", &Value::from("2026-11-18T12:00:00Z")), None, "a field that is no instant");
    }
}
