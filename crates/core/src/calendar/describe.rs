//! A cron expression in plain words.

mod date;
mod time;
mod words;

use super::cron::Cron;

impl Cron {
    /// What it means, as a part of a sentence: "at 09:00 on weekdays". `H` shows as what was drawn.
    pub fn describe(&self) -> String {
        let time = time::describe(self);
        let parts = [time.text, date::days(self, time.fixed), date::months(self)];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}
