//! `/v1/cron:preview`.

use serde_json::json;

use crate::rig::Rig;

#[tokio::test(flavor = "multi_thread")]
async fn an_expression_is_explained_and_its_times_are_told() {
    let rig = Rig::start().await;
    let body = json!({
        "expr": "30 2 * * *", "timezone": "America/New_York", "from": "2025-03-08T00:00:00Z", "count": 2,
    });
    let answer = rig.call("POST", "/v1/cron:preview", &body.to_string()).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let expected = json!({
        "expr": "30 2 * * *", "timezone": "America/New_York", "description": "at 02:30 every day",
        "runs_through": false, "skipped": 1,
        "next": [
            {"at": "2025-03-08T07:30:00.000Z", "local": "2025-03-08T02:30:00-05:00", "skipped": 0},
            {"at": "2025-03-10T06:30:00.000Z", "local": "2025-03-10T02:30:00-04:00", "skipped": 1},
        ],
    });
    assert_eq!(answer.json(), expected);

    let after = json!({
        "expr": "30 2 * * *", "timezone": "America/New_York", "from": 1_741_424_400, "count": 1,
        "dst": {"missing": "after"},
    });
    let answer = rig.call("POST", "/v1/cron:preview", &after.to_string()).await.json();
    assert_eq!(
        (&answer["next"][0]["local"], &answer["skipped"]),
        (&json!("2025-03-09T03:00:00-04:00"), &json!(0))
    );

    let short = rig.call("POST", "/v1/cron:preview", r#"{"expr":"@hourly"}"#).await.json();
    assert_eq!((short["next"].as_array().map(Vec::len), &short["runs_through"]), (Some(5), &json!(true)));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_say_what_to_do() {
    let rig = Rig::start().await;
    let rows = [
        (r#"{"expr":"*/90 * * * *"}"#, 422, "BAD_CRON", "minute, at character 3", "1 to 59"),
        (r#"{"expr":"0 0 30 2 *"}"#, 422, "BAD_CRON", "never fire", "`L`"),
        (
            r#"{"expr":"@daily","timezone":"Europe/Berln"}"#,
            422,
            "UNKNOWN_TIME_ZONE",
            "`Europe/Berln`",
            "`Europe/Berlin`",
        ),
        (r#"{"expr":"@daily","timezone":"Mars"}"#, 422, "UNKNOWN_TIME_ZONE", "`Mars`", "IANA"),
        (r#"{"expr":"@daily","count":1001}"#, 400, "INVALID_FIELD", "1001", "`count`"),
        (r#"{"expr":"@daily","count":0}"#, 400, "INVALID_FIELD", "`count`", "`count`"),
        (r#"{"expr":"@daily","dst":{"missing":"later"}}"#, 400, "INVALID_FIELD", "later", "body"),
        (r#"{"expr":"@daily","dst":["skip"]}"#, 400, "INVALID_FIELD", "`dst` as an object", "body"),
        (r#"{"expr":"@daily","when":1}"#, 400, "INVALID_FIELD", "when", "body"),
        (r#"["@daily"]"#, 400, "INVALID_FIELD", "list", "body"),
        ("{}", 400, "INVALID_FIELD", "expr", "body"),
        ("", 400, "INVALID_FIELD", "expr", "body"),
    ];
    for (body, status, code, message, advice) in rows {
        let answer = rig.call("POST", "/v1/cron:preview", body).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{body}: {}", answer.text);
        let answer = answer.json();
        assert!(answer["message"].as_str().is_some_and(|text| text.contains(message)), "{body}: {answer}");
        assert!(answer["advice"].as_str().is_some_and(|text| text.contains(advice)), "{body}: {answer}");
    }
    rig.stop().await;
}
