//! Routes, with three shards that answer what they were told to.

use std::sync::Mutex;

use mainspring_core::collections::Soft;
use mainspring_core::engine::question::{Question, Stats};
use mainspring_core::job::{Bounds, Definition, FailurePolicy, Job, JobKey, Plan};
use mainspring_core::run::decide::{RunAnswer, RunCommand};
use mainspring_core::task::Status;
use mainspring_core::values::{Group, Name, OperationId, Seq};
use mainspring_runtime::node::{Followed, Told};

use super::*;

/// A shard as the gateway sees it: notes what came, and answers by a rule.
struct Fake {
    came: Mutex<Vec<(usize, Vec<Command>)>>,
    heard: Mutex<Vec<usize>>,
    /// Takes nothing.
    busy: Option<usize>,
    answer: fn(usize, &Command) -> Result<Answer, Rejection>,
}

impl Shards for Fake {
    fn count(&self) -> usize {
        3
    }

    fn of(&self, bucket: Bucket) -> usize {
        usize::from(bucket.group().get()) % 3
    }

    fn offer(&self, shard: usize, envelope: Envelope<Reply>) -> Result<(), Busy> {
        if self.busy == Some(shard) {
            return Err(Busy { envelope, stopped: true });
        }
        let Envelope { commands, reply } = envelope;
        let answers = commands.iter().map(|command| (self.answer)(shard, command)).collect();
        self.came.lock().expect("no panic").push((shard, commands));
        reply(answers);
        Ok(())
    }

    fn heard(&self, shard: usize, _: WorkerId, _: Session) {
        self.heard.lock().expect("no panic").push(shard);
    }

    fn follow(&self, _: usize, followed: Followed) -> bool {
        followed();
        true
    }

    fn measure(&self, _: usize, _: Told) -> bool {
        false
    }

    fn health(&self) -> Arc<Health> {
        Arc::default()
    }
}

/// `a…` in group 0, `b…` in group 1, `c…` in group 2.
fn groups() -> Groups {
    Groups::assigned_by(|tenant| Group::new(tenant.bytes().next().map_or(0, |first| first - b'a')))
}

fn gateway(answer: fn(usize, &Command) -> Result<Answer, Rejection>) -> (Gateway, Arc<Fake>) {
    busy_gateway(answer, None)
}

fn busy_gateway(
    answer: fn(usize, &Command) -> Result<Answer, Rejection>,
    busy: Option<usize>,
) -> (Gateway, Arc<Fake>) {
    let fake = Arc::new(Fake { came: Mutex::default(), heard: Mutex::default(), busy, answer });
    (Gateway::new(fake.clone(), groups()), fake)
}

impl Fake {
    /// Which shards were asked, and how many commands each got.
    fn asked(&self) -> Vec<(usize, usize)> {
        let came = self.came.lock().expect("no panic");
        came.iter().map(|(shard, commands)| (*shard, commands.len())).collect()
    }
}

fn read(id: TaskId) -> Command {
    Command::Read { id }
}

/// Says the number of the shard and the id that it was asked for.
#[expect(clippy::unnecessary_wraps, reason = "a shard may refuse")]
fn echo(shard: usize, command: &Command) -> Result<Answer, Rejection> {
    match command {
        Command::Read { id } => {
            let status = [Status::Queued, Status::Running, Status::Failed][shard];
            Ok(Answer::Now { id: *id, status })
        }
        _ => Ok(Answer::Done),
    }
}

#[tokio::test]
async fn an_id_and_a_tenant_ask_one_shard() {
    let (gateway, fake) = gateway(echo);
    for (tenant, shard) in [("acme", 0), ("beta", 1), ("corp", 2)] {
        for id in [gateway.mint(tenant), gateway.mint_anonymous(tenant)] {
            gateway.ask(id, read(id)).await.expect("an answer");
            gateway.ask(gateway.tenant(tenant), read(id)).await.expect("an answer");
        }
        assert_eq!(fake.asked(), [(shard, 1); 4], "{tenant}");
        fake.came.lock().expect("no panic").clear();
    }
}

#[tokio::test]
async fn all_asks_every_shard_and_merges() {
    #[expect(clippy::unnecessary_wraps, reason = "a shard may refuse")]
    fn answer(shard: usize, command: &Command) -> Result<Answer, Rejection> {
        Ok(match command {
            Command::Ask(Question::Stats) => Answer::Stats(Box::new(Stats {
                counts: vec![(Status::Queued, 10 + shard as u64), (Status::Failed, 1)],
                ..Stats::default()
            })),
            _ => Answer::Done,
        })
    }
    let (gateway, fake) = gateway(answer);
    let Ok(Answer::Stats(stats)) = gateway.ask(Route::All, Command::Ask(Question::Stats)).await else {
        panic!("no stats");
    };
    assert_eq!(stats.counts, [(Status::Queued, 33), (Status::Failed, 3)]);
    assert_eq!(fake.asked(), [(0, 1), (1, 1), (2, 1)]);
}

fn a_job(key: JobKey) -> Job {
    let plan = Plan::new(Vec::new(), FailurePolicy::FailFast, Bounds::default(), None);
    let definition = Definition { plan: Arc::new(plan), source: Arc::from(*b"{}"), hash: 1 };
    Job {
        id: key.id(),
        key: Arc::new(key),
        version: 1,
        definition,
        paused: false,
        deleted: None,
        created: Wall::ZERO,
        changed: Wall::ZERO,
        last: None,
        succeeded: None,
        recent: Vec::new(),
        notes: Vec::new(),
        touched: Seq::ZERO,
        lanes: Soft::default(),
    }
}

#[tokio::test]
async fn lists_of_all_shards_are_in_one_order() {
    #[expect(clippy::unnecessary_wraps, reason = "a shard may refuse")]
    fn answer(shard: usize, _: &Command) -> Result<Answer, Rejection> {
        let job = |name: &'static str| {
            let key =
                JobKey { tenant: Name::fixed(["acme", "beta", "corp"][2 - shard]), name: Name::fixed(name) };
            a_job(key)
        };
        Ok(Answer::Run(RunAnswer::Jobs(vec![job("etl"), job("mail")])))
    }
    let (gateway, _) = gateway(answer);
    let command = RunCommand::ListJobs { after: None, tenant: None, limit: 10 };
    let answer = gateway.ask(Route::All, Command::Run(Box::new(command))).await;
    let Ok(Answer::Run(RunAnswer::Jobs(jobs))) = answer else { panic!("no jobs") };
    let keys: Vec<String> = jobs.iter().map(|job| format!("{}/{}", job.key.tenant, job.key.name)).collect();
    assert_eq!(keys, ["acme/etl", "acme/mail", "beta/etl", "beta/mail", "corp/etl", "corp/mail"]);
}

#[tokio::test]
async fn what_cannot_be_merged_is_refused_and_so_is_what_one_shard_refuses() {
    let (gateway, _) = gateway(|shard, _| Ok(Answer::Operation(OperationId::new(shard as u64))));
    let refused = gateway.ask(Route::All, Command::Ask(Question::Stats)).await;
    assert!(matches!(refused, Err(Problem::Rejected(Rejection::Internal { .. }))));
    let (gateway, _) = self::gateway(|shard, _| match shard {
        1 => Err(Rejection::Internal { what: "one" }),
        _ => Ok(Answer::Done),
    });
    let refused = gateway.ask(Route::All, Command::Ask(Question::Stats)).await;
    assert!(matches!(refused, Err(Problem::Rejected(Rejection::Internal { what: "one" }))));
    let (gateway, _) = self::gateway(|shard, _| match shard {
        1 => Ok(Answer::Done),
        _ => Err(Rejection::RowNotQuarantined { row: Name::fixed("a row") }),
    });
    let released = gateway.ask(Route::All, Command::Ask(Question::Stats)).await;
    assert!(matches!(released, Ok(Answer::Done)));
}

#[tokio::test]
async fn a_batch_is_split_by_shard_and_answered_in_its_order() {
    let (gateway, fake) = gateway(echo);
    let tenants = ["corp", "acme", "corp", "beta", "acme", "corp"];
    let ids: Vec<TaskId> = tenants.iter().map(|tenant| gateway.mint_anonymous(tenant)).collect();
    let commands = ids.iter().map(|id| (id.bucket(), read(*id))).collect();
    let answers = gateway.ask_split(commands).await.expect("answers");
    assert_eq!(fake.asked(), [(0, 2), (1, 1), (2, 3)], "one envelope for each shard");
    for (id, answer) in ids.iter().zip(answers) {
        let Ok(Answer::Now { id: answered, .. }) = answer else { panic!("no answer") };
        assert_eq!(answered, *id);
    }
}

#[tokio::test]
async fn a_shard_that_takes_nothing_fails_its_own_part_of_a_batch() {
    let (gateway, _) = busy_gateway(echo, Some(1));
    let ids: Vec<TaskId> = ["beta", "acme", "beta"].iter().map(|tenant| gateway.mint(tenant)).collect();
    let commands = |ids: &[TaskId]| ids.iter().map(|id| (id.bucket(), read(*id))).collect();
    let answers = gateway.ask_split(commands(&ids)).await.expect("answers");
    assert!(matches!(
        &answers[..],
        [Err(Problem::ServerBusy), Ok(Answer::Now { .. }), Err(Problem::ServerBusy)]
    ));
    let none = gateway.ask_split(commands(&ids[..1])).await;
    assert!(matches!(none, Err(Problem::ServerBusy)), "nobody took anything");
}

#[tokio::test]
async fn what_a_worker_says_goes_to_the_shards_that_it_is_about() {
    let (gateway, fake) = gateway(echo);
    let (beta, corp) = (gateway.mint("beta"), gateway.mint("corp"));
    let said = vec![
        (beta.into(), read(beta)),
        (Route::All, Command::Ask(Question::Stats)),
        (corp.into(), read(corp)),
    ];
    assert!(gateway.deliver(said, ()).await);
    assert_eq!(fake.asked(), [(0, 1), (1, 2), (2, 2)]);
    gateway.heard(WorkerId::from_bits(7), Session::new(1));
    assert_eq!(*fake.heard.lock().expect("no panic"), [0, 1, 2]);
}

#[test]
fn ids_lie_in_the_group_of_their_tenant_and_in_the_sub_of_their_kind() {
    let (gateway, _) = gateway(echo);
    for (tenant, group) in [("acme", 0), ("beta", 1), ("corp", 2)] {
        let named = gateway.mint(tenant).bucket();
        assert_eq!((named.group(), named.sub()), (Group::new(group), 0));
        let subs: std::collections::BTreeSet<u8> = (0..500)
            .map(|_| {
                let bucket = gateway.mint_anonymous(tenant).bucket();
                assert_eq!(bucket.group(), Group::new(group));
                bucket.sub()
            })
            .collect();
        assert_eq!(subs, (1..=15).collect(), "{tenant}");
    }
}
