//! Those who submit and cancel: every request is sent again with the same key until its outcome is known.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::Method;
use mainspring_client::{Client, ClientError};
use serde_json::Value;

use crate::history::{CancelAnswer, Submission};
use crate::ledger::now;
use crate::plan::{Cancelling, Planned};

/// Before a request whose outcome is unknown, or that was refused for now, is sent again.
const AGAIN_AFTER: Duration = Duration::from_millis(40);
/// A server that is gone for longer than this will not come back.
const TRIES_MAX: usize = 3_000;

#[derive(Default)]
pub struct Counts {
    /// Requests whose outcome was unknown.
    pub unknown: AtomicU64,
    /// Answers that named a task which an earlier request had made.
    pub replayed: AtomicU64,
}

#[derive(Clone)]
pub struct Caller {
    pub client: Client,
    pub counts: Arc<Counts>,
}

/// What became of one try.
enum Tried {
    Answered(Value),
    Refused { code: String },
    Again,
}

impl Caller {
    async fn try_once(&self, method: Method, path: &str, body: Option<&Value>) -> Tried {
        match self.client.call(method, path, body, &[]).await {
            Ok(answer) => Tried::Answered(answer),
            Err(ClientError::Refused { status, code, .. }) => {
                let later = status.is_server_error() || status.as_u16() == 429;
                assert!(code != "INTERNAL", "the server says that it has a bug");
                if later { self.unknown() } else { Tried::Refused { code } }
            }
            Err(
                ClientError::Unreachable { .. }
                | ClientError::BrokenOff { .. }
                | ClientError::BadAnswer { .. },
            ) => self.unknown(),
            Err(error) => panic!("{error}"),
        }
    }

    fn unknown(&self) -> Tried {
        self.counts.unknown.fetch_add(1, Ordering::Relaxed);
        Tried::Again
    }

    /// Reads until it gets an answer.
    pub async fn read(&self, path: &str) -> Option<Value> {
        for _ in 0..TRIES_MAX {
            match self.try_once(Method::GET, path, None).await {
                Tried::Answered(answer) => return Some(answer),
                Tried::Refused { code } if code == "TASK_NOT_FOUND" => return None,
                Tried::Refused { code } => panic!("{path} was refused with {code}"),
                Tried::Again => tokio::time::sleep(AGAIN_AFTER).await,
            }
        }
        panic!("{path} never was answered");
    }

    /// One request for one task, or for several; until all of them are acknowledged.
    pub async fn submit(&self, planned: &[Planned]) -> Vec<Submission> {
        let sent = now();
        let new = |planned: &Planned| Submission {
            key: planned.key.clone(),
            promise: planned.promise,
            sent,
            acknowledged: Vec::new(),
            cancel: None,
        };
        let mut submissions: Vec<Submission> = planned.iter().map(new).collect();
        for _ in 0..TRIES_MAX {
            let open: Vec<usize> =
                (0..planned.len()).filter(|at| submissions[*at].acknowledged.is_empty()).collect();
            if open.is_empty() {
                return submissions;
            }
            if !self.send(planned, &open, &mut submissions).await {
                tokio::time::sleep(AGAIN_AFTER).await;
            }
        }
        panic!("{} never was acknowledged", planned[0].key);
    }

    /// The same submission once more, although it was acknowledged.
    pub async fn repeat(&self, planned: &Planned, submission: &mut Submission) {
        let known = submission.acknowledged.len();
        for _ in 0..TRIES_MAX {
            self.send(std::slice::from_ref(planned), &[0], std::slice::from_mut(submission)).await;
            if submission.acknowledged.len() > known {
                self.counts.replayed.fetch_add(1, Ordering::Relaxed);
                return;
            }
            tokio::time::sleep(AGAIN_AFTER).await;
        }
        panic!("{} never was acknowledged again", planned.key);
    }

    /// Whether an answer came; notes what it acknowledged.
    async fn send(&self, planned: &[Planned], open: &[usize], submissions: &mut [Submission]) -> bool {
        let bodies: Vec<Value> = open.iter().map(|at| planned[*at].body.clone()).collect();
        let single = bodies.len() == 1;
        let (path, body) =
            if single { ("/v1/tasks", bodies[0].clone()) } else { ("/v1/tasks:batch", Value::Array(bodies)) };
        let answer = match self.try_once(Method::POST, path, Some(&body)).await {
            Tried::Answered(answer) => answer,
            Tried::Refused { code } => panic!("a submission was refused with {code}: {body}"),
            Tried::Again => return false,
        };
        let one = std::slice::from_ref(&answer);
        let results = if single { one } else { answer["results"].as_array().expect("results of a batch") };
        assert_eq!(results.len(), open.len(), "a result for each");
        for (at, result) in open.iter().zip(results) {
            if let Some(id) = result["task_id"].as_str() {
                submissions[*at].acknowledged.push(id.to_owned());
            }
        }
        true
    }

    pub async fn cancel(&self, planned: &Planned, submission: &mut Submission) {
        let id = submission.acknowledged[0].clone();
        let path = match planned.cancelling {
            Cancelling::No => return,
            Cancelling::AtOnce => format!("/v1/tasks/{id}"),
            Cancelling::After(ms) => {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                format!("/v1/tasks/{id}?force=true")
            }
        };
        let mut unsure = false;
        for _ in 0..TRIES_MAX {
            match self.try_once(Method::DELETE, &path, None).await {
                Tried::Answered(answer) => {
                    let stopping = answer["stopping"] == true;
                    let will_not_run = CancelAnswer::WillNotRun { at: now() };
                    submission.cancel = Some(if stopping { CancelAnswer::Stopping } else { will_not_run });
                    return;
                }
                Tried::Refused { code } => {
                    let expected = ["TASK_ALREADY_RUNNING", "TASK_ALREADY_ENDED"].contains(&code.as_str());
                    assert!(expected, "a cancel was refused with {code}");
                    // After an answer that was lost it may have been ended by this very cancel.
                    submission.cancel = (!unsure).then_some(CancelAnswer::TooLate);
                    return;
                }
                Tried::Again => unsure = true,
            }
            tokio::time::sleep(AGAIN_AFTER).await;
        }
        panic!("{path} never was answered");
    }
}
