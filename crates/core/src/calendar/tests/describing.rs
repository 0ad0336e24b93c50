//! Plain words.

use super::cron;

#[test]
fn expressions_in_plain_words() {
    let rows = [
        ("0 9 * * MON-FRI", "at 09:00 on weekdays"),
        ("*/15 * * * *", "every 15 minutes"),
        ("0 0 * * FRIL", "at 00:00 on the last Friday of the month"),
        ("@daily", "at 00:00 every day"),
        ("@hourly", "every hour"),
        ("@weekly", "at 00:00 on Sundays"),
        ("@monthly", "at 00:00 on day 1 of the month"),
        ("@yearly", "at 00:00 on day 1 of the month in January"),
        ("* * * * *", "every minute"),
        ("* * * * * *", "every second"),
        ("*/10 * * * * *", "every 10 seconds"),
        ("30 * * * * *", "at second 30 of the minute"),
        ("*/20 5 * * * *", "every 20 seconds of minute 5"),
        ("17 * * * *", "at minute 17 of the hour"),
        ("5/15 * * * *", "every 15 minutes from minute 5"),
        ("10/7 * * * *", "every 7 minutes from 10 to 59 of the hour"),
        ("*/5 9-17 * * *", "every 5 minutes between 09:00 and 17:59"),
        ("* 22-2 * * *", "every minute between 22:00 and 02:59"),
        ("0 */2 * * *", "every 2 hours"),
        ("5 */2 * * *", "at minute 5 of the hour in every 2nd hour"),
        ("0 8-20 * * 1-5", "every hour from 08:00 to 20:00 on weekdays"),
        ("0 9,17 * * *", "at 09:00 and 17:00 every day"),
        ("15 30 9 * * *", "at 09:30:15 every day"),
        ("0 0 1,15 * *", "at 00:00 on days 1 and 15 of the month"),
        ("0 0 L * *", "at 00:00 on the last day of the month"),
        ("0 0 L-3 * *", "at 00:00 on the day 3 days before the last day of the month"),
        ("0 0 LW * *", "at 00:00 on the last weekday of the month"),
        ("0 0 15W * *", "at 00:00 on the weekday nearest to day 15 of the month"),
        ("0 0 1,15W * *", "at 00:00 on day 1 of the month and the weekday nearest to day 15 of the month"),
        ("0 0 * * MON#2", "at 00:00 on the second Monday of the month"),
        ("0 0 13 * FRI", "at 00:00 on day 13 of the month or on Fridays"),
        ("0 0 */2 * FRI", "at 00:00 on every 2nd day from day 1 to 31 of the month, if it is Friday"),
        ("0 0 * * SAT,SUN", "at 00:00 on weekends"),
        ("0 0 * * FRI-MON", "at 00:00 on Friday to Monday"),
        ("0 0 1 NOV-FEB *", "at 00:00 on day 1 of the month from November to February"),
        ("0 12 * JUN,JUL *", "at 12:00 every day in June and July"),
        ("0 0 29 2 *", "at 00:00 on day 29 of the month in February"),
    ];
    for (text, words) in rows {
        assert_eq!(cron(text).describe(), words, "{text}");
    }
}
