//! Whole numbers: to JSON `1.0` and `1e3` are numbers like `1` and `1000`, and some languages write them so. A fraction
//! is refused.
//! Entry: [`of`], [`option`], [`list`], [`map`], for `#[serde(deserialize_with = …)]`.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

use super::text::Text;

pub(super) trait Integer: TryFrom<u64> + TryFrom<i64> {}

impl<T: TryFrom<u64> + TryFrom<i64>> Integer for T {}

pub(super) fn of<'de, D: Deserializer<'de>, T: Integer>(deserializer: D) -> Result<T, D::Error> {
    Whole::deserialize(deserializer).map(|whole| whole.0)
}

pub(super) fn option<'de, D: Deserializer<'de>, T: Integer>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(Option::<Whole<T>>::deserialize(deserializer)?.map(|whole| whole.0))
}

/// A list that may be left out.
pub(super) fn numbers<'de, D: Deserializer<'de>, T: Integer>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(Vec::<Whole<T>>::deserialize(deserializer)?.into_iter().map(|whole| whole.0).collect())
}

pub(super) fn list<'de, D, T>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Integer,
{
    let list = Option::<Vec<Whole<T>>>::deserialize(deserializer)?;
    Ok(list.map(|list| list.into_iter().map(|whole| whole.0).collect()))
}

pub(super) fn map<'de: 'a, 'a, D>(deserializer: D) -> Result<BTreeMap<Text<'a>, u64>, D::Error>
where
    D: Deserializer<'de>,
{
    let map = BTreeMap::<Text<'a>, Whole<u64>>::deserialize(deserializer)?;
    Ok(map.into_iter().map(|(key, whole)| (key, whole.0)).collect())
}

pub(super) struct Whole<T>(pub T);

impl<'de, T: Integer> Deserialize<'de> for Whole<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_u64(WholeVisitor(PhantomData))
    }
}

struct WholeVisitor<T>(PhantomData<T>);

impl<T: Integer> Visitor<'_> for WholeVisitor<T> {
    type Value = Whole<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = 8 * size_of::<T>();
        let signed = T::try_from(-1_i64).is_ok();
        write!(f, "a whole number that fits into {bits} bits{}", if signed { "" } else { ", not below 0" })
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Whole<T>, E> {
        T::try_from(number).map(Whole).map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Whole<T>, E> {
        T::try_from(number).map(Whole).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Whole<T>, E> {
        let wrong = || E::invalid_value(Unexpected::Float(number), &self);
        // Beyond these the number would be cut off; 2^64 itself is too large, and a float cannot say 2^64 - 1.
        let fits = number.fract() == 0.0 && number >= i64::MIN as f64 && number < u64::MAX as f64;
        match fits {
            true if number < 0.0 => T::try_from(number as i64).map(Whole).map_err(|_| wrong()),
            true => T::try_from(number as u64).map(Whole).map_err(|_| wrong()),
            false => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T: Integer + Copy + PartialEq + fmt::Debug>(json: &str, wanted: Option<T>) {
        let read = serde_json::from_str::<Whole<T>>(json).map(|whole| whole.0);
        assert_eq!(read.ok(), wanted, "{json}");
    }

    #[test]
    fn whole_numbers_are_read_however_they_are_written() {
        for (json, wanted) in [
            ("0", Some(0)),
            ("-0.0", Some(0)),
            ("1.0", Some(1)),
            ("1e3", Some(1_000)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("1.8446744073709552e19", None),
            ("1e400", None),
            ("1.5", None),
            ("-1", None),
            ("-1.0", None),
            ("\"1\"", None),
            ("null", None),
            ("true", None),
        ] {
            check::<u64>(json, wanted);
        }
        check::<i32>("-5.0", Some(-5));
        check::<i32>("-2147483649.0", None);
        check::<u8>("255.0", Some(255));
        check::<u8>("256", None);
    }
}
