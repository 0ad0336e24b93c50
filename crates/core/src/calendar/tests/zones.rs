//! Names of zones, and their spans against the data they come from.

use jiff::Timestamp;
use jiff::tz::TimeZoneDatabase;

use crate::calendar::Zone;
use crate::values::Chance;

#[test]
fn zones_are_found_by_name() {
    assert_eq!(Zone::find("UTC"), Some(Zone::UTC));
    assert_eq!(Zone::find("utc"), Some(Zone::UTC));
    assert_eq!(Zone::find("europe/berlin").map(Zone::name), Some("Europe/Berlin"));
    assert_eq!(Zone::find("Europe/Atlantis"), None);
    assert_eq!(Zone::find(""), None);
    for zone in Zone::all() {
        assert_eq!(Zone::find(zone.name()), Some(zone));
    }
    assert!(Zone::all().count() > 500);
}

#[test]
fn a_wrong_name_gets_a_suggestion() {
    let rows = [
        ("Europe/Berln", Some("Europe/Berlin")),
        ("new york", Some("America/New_York")),
        ("Tokyo", Some("Asia/Tokyo")),
        ("America/New York", Some("America/New_York")),
        ("Mars", None),
        ("Nowhere/At_All_Really", None),
    ];
    for (wrong, right) in rows {
        assert_eq!(Zone::suggest(wrong), right, "{wrong}");
    }
    assert_eq!(Zone::suggest(&"x".repeat(10_000)), None);
}

#[test]
fn offsets_are_those_of_the_data_for_thousands_of_years() {
    let database = TimeZoneDatabase::bundled();
    let mut chance = Chance::new(1);
    for zone in Zone::all() {
        let data = database.get(zone.name()).expect("it came from there");
        let expected =
            |at: i64| i64::from(data.to_offset(Timestamp::from_second(at).expect("in range")).seconds());
        for bound in [4_000_000_000, 20_000_000_000, 253_000_000_000] {
            for _ in 0..60 {
                // From 1843 on, when the first zones had their first changes.
                let at = chance.below(bound) as i64 - 4_000_000_000;
                assert_eq!(zone.offset_at(at), expected(at), "{} at {at}", zone.name());
            }
        }
        let far =
            Timestamp::from_second(16_700_000_000 + chance.below(200_000_000_000) as i64).expect("in range");
        for change in data.following(far).take(4).map(|change| change.timestamp().as_second()) {
            assert_eq!(zone.offset_at(change), expected(change), "{} at {change}", zone.name());
            assert_eq!(zone.offset_at(change - 1), expected(change - 1), "{} before {change}", zone.name());
        }
    }
}

#[test]
fn local_times_are_written_with_their_offset() {
    let rows = [
        ("America/New_York", 1_741_503_600, "2025-03-09T03:00:00-04:00"),
        ("Asia/Kolkata", 0, "1970-01-01T05:30:00+05:30"),
        ("UTC", -2_203_891_200, "1900-03-01T00:00:00+00:00"),
        ("America/New_York", -1, "1969-12-31T18:59:59-05:00"),
        // Its clocks were 44 minutes and 30 seconds behind.
        ("Africa/Monrovia", 0, "1970-01-01T00:00:00+00:00"),
    ];
    for (name, seconds, text) in rows {
        let zone = Zone::find(name).expect("a zone");
        assert_eq!(zone.local(seconds).to_string(), text, "{name}");
    }
}
