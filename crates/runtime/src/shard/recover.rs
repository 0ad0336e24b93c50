//! Opening: tables, then the tail of the journal, then everything owed; the first record names the new epoch.

use std::sync::Arc;

use mainspring_core::collections::Soft;
use mainspring_core::engine::{Batch, Engine};
use mainspring_core::event::Event;
use mainspring_core::run::{Evaluate, NoTexts};
use mainspring_core::state::{State, fold};
use mainspring_core::values::{Epoch, Now, Seq, TaskId, Wall};
use mainspring_store::entity::has_entity;
use mainspring_store::format::{EncodedProfiles, FormatError, ProfileCache, Reader, read_events, read_task};
use mainspring_store::{
    CheckpointHead, LiveRow, OpenError, ReadError, ReadTables, Record, Recovery, StoredTask,
};

use super::checkpoint::{Checkpoints, META_VERSION};
use super::commit::Building;
use super::entities::KindHeads;
use super::paging::Pager;
use super::quarantine::Quarantine;
use super::renew::Renewal;
use super::retention::{Retained, Retention};
use super::runs::Plans;
use super::{Shard, entities, run_rows};
use crate::clock::{Reading, ShardClock};
use crate::config::ShardConfig;

/// What was read on the way; for the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Recovered {
    pub rows: u64,
    pub records: u64,
    pub events: u64,
}

impl<R> Shard<R> {
    /// Reads the store and builds the shard as `epoch`. Its first record is already on its way out; nothing is
    /// answered before that is durable.
    pub fn recover(
        config: ShardConfig,
        epoch: Epoch,
        recovery: &mut dyn Recovery,
        reading: Reading,
    ) -> Result<(Self, Recovered), OpenError> {
        Self::recover_with(config, epoch, recovery, reading, Arc::new(NoTexts))
    }

    /// Like [`Shard::recover`], with someone who understands the texts of plans.
    pub fn recover_with(
        config: ShardConfig,
        epoch: Epoch,
        recovery: &mut dyn Recovery,
        reading: Reading,
        evaluate: Arc<dyn Evaluate>,
    ) -> Result<(Self, Recovered), OpenError> {
        let mut state = State::default();
        let mut profiles = ProfileCache::default();
        let mut seen = Recovered::default();
        let head = recovery.head()?;
        let (retained, entity_counts) = read_meta(&head, &mut state)?;
        let horizon = ShardClock::resume(head.now, reading, config.trust).last().wall + config.park_beyond;
        let mut plans = Plans::default();
        let known = (&mut plans, &mut profiles);
        seen.rows += entities::load_all(&mut state, recovery, known, &entity_counts)?;
        seen.rows += run_rows::load_all(&mut state, recovery, &mut plans, &mut profiles)?;
        drop(plans);
        let mut quarantine = Quarantine::default();
        let until = (horizon, reading.wall);
        seen.rows += load_rows(&mut state, recovery, until, &mut profiles, &mut quarantine)?;
        let mut replay = Replay { state: &mut state, profiles: &mut profiles, last: (head.seq, head.now) };
        let tail = replay.run(recovery, &mut seen)?;
        let (last_seq, last_now) = replay.last;
        let mut engine = Engine::with_state(config.engine, state);
        engine.set_evaluate(evaluate);

        let mut clock = ShardClock::resume(last_now, reading, config.trust);
        let now = clock.now(reading);
        let mut checkpoints = Checkpoints::starting_at(head.seq, now.elapsed);
        for (seq, events, bytes) in tail {
            checkpoints.appended(seq, events, bytes);
        }
        let mut shard = Self {
            config,
            engine,
            clock,
            epoch,
            renewal: Renewal::None,
            building: Building::new(last_seq.next()),
            in_flight: None,
            durable: last_seq,
            checkpoints,
            retention: Retention::resume(retained, head.now),
            pager: Pager::starting_at(horizon, config.park_beyond),
            quarantine,
            profiles_out: EncodedProfiles::default(),
            profiles_in: profiles,
            outputs: std::collections::VecDeque::new(),
            batch: Batch::default(),
            spare_body: Vec::new(),
            waited: None,
            stopped: false,
        };
        shard.start_epoch(now);
        Ok((shard, seen))
    }

    fn start_epoch(&mut self, now: Now) {
        self.engine.begin(self.building.seq, now);
        let mut batch = Batch::default();
        self.engine.start_epoch(self.epoch, &mut batch);
        self.absorb(batch);
        self.engine.recover();
        // If recovery took long, the first turn finds a stall, and every worker has a full lease from then.
        self.engine.listen(true);
        self.seal_if_free();
    }
}

pub(super) fn unreadable(what: String) -> impl FnOnce(FormatError) -> OpenError {
    move |error| match error {
        FormatError::Newer { what: kind, found, known, .. } => {
            OpenError::NewerFormat { what: format!("{what}: {kind}"), found, known }
        }
        FormatError::Short { .. } | FormatError::Bad { .. } | FormatError::Zone { .. } => {
            OpenError::Unreadable { what, why: error.to_string() }
        }
    }
}

/// Also how far retention had come, and how many entities there are.
fn read_meta(head: &CheckpointHead, state: &mut State) -> Result<(Option<Retained>, KindHeads), OpenError> {
    state.begin(head.seq, head.now);
    state.set_cut(head.seq);
    if head.meta.is_empty() {
        return Ok((None, KindHeads::default()));
    }
    let what = || "shard-wide state of a cut".to_owned();
    let mut r = Reader::new(&head.meta);
    let version = r.byte("version").map_err(unreadable(what()))?;
    let (found, known) = (version.into(), META_VERSION.into());
    if version > META_VERSION {
        return Err(OpenError::NewerFormat { what: what(), found, known });
    }
    if version < META_VERSION {
        return Err(OpenError::OlderFormat { what: what(), found, known });
    }
    (|| {
        state.epoch = Epoch::new(r.varint("epoch")?);
        state.fences = r.varint32("fences")?;
        let retained = Retained::read(&mut r)?;
        let counts = KindHeads::read(&mut r)?;
        r.finish("shard-wide state")?;
        Ok((Some(retained), counts))
    })()
    .map_err(unreadable(what()))
}

fn load_rows(
    state: &mut State,
    recovery: &mut dyn Recovery,
    (horizon, now): (Wall, Wall),
    profiles: &mut ProfileCache,
    quarantine: &mut Quarantine,
) -> Result<u64, OpenError> {
    let (mut failed, mut rows) = (None, 0);
    recovery.live(horizon, &mut |row| {
        rows += 1;
        match load_row(state, &row, profiles) {
            // A task that waits for its time: nothing that runs needs it, and the tables keep the row.
            Err(error @ OpenError::Unreadable { .. }) if row.parked_due.is_some() => {
                quarantine.add(row.id, error, now);
            }
            loaded => failed = failed.take().or(loaded.err()),
        }
    })?;
    failed.map_or(Ok(rows), Err)
}

fn load_row(state: &mut State, row: &LiveRow, profiles: &mut ProfileCache) -> Result<(), OpenError> {
    let mut task = read_task(&row.bytes, profiles).map_err(unreadable(format!("row of {}", row.id)))?;
    task.touched = row.touched;
    task.stored = Soft(true);
    if state.tasks().find(task.id).is_none() {
        state.load(task);
    }
    Ok(())
}

struct Replay<'a> {
    state: &'a mut State,
    profiles: &'a mut ProfileCache,
    last: (Seq, Now),
}

impl Replay<'_> {
    /// Folds the tail; answers the size of each record for the lag.
    fn run(
        &mut self,
        recovery: &mut dyn Recovery,
        seen: &mut Recovered,
    ) -> Result<Vec<(Seq, u32, usize)>, OpenError> {
        let mut sizes = Vec::new();
        recovery.tail(self.last.0, &mut |record, tables| {
            sizes.push((record.seq, record.events, record.body.len()));
            seen.records += 1;
            seen.events += u64::from(record.events);
            self.fold(&record, tables)
        })?;
        Ok(sizes)
    }

    fn fold(&mut self, record: &Record, tables: &mut dyn ReadTables) -> Result<(), OpenError> {
        let mut events = Vec::with_capacity(record.events as usize);
        read_events::<FormatError>(&record.body, record.events, self.profiles, &mut |event| {
            events.push(event);
            Ok(())
        })
        .map_err(unreadable(format!("journal record {}", record.seq)))?;
        self.state.begin(record.seq, record.now);
        self.last = (record.seq, record.now);
        for event in &events {
            self.apply(event, record.seq, tables)?;
        }
        Ok(())
    }

    fn apply(&mut self, event: &Event, seq: Seq, tables: &mut dyn ReadTables) -> Result<(), OpenError> {
        if let Some(id) = event.run().filter(|id| self.state.job_runs().run(*id).is_none()) {
            let why = format!("it touches {id}, which neither the tables nor an earlier record hold");
            return Err(OpenError::Unreadable { what: format!("journal record {seq}"), why });
        }
        if let Some(what) = self.unknown(event) {
            let why = format!("it touches {what}, which neither the tables nor an earlier record hold");
            return Err(OpenError::Unreadable { what: format!("journal record {seq}"), why });
        }
        let begins =
            matches!(event, Event::TaskSubmitted(_) | Event::TaskRevived { .. } | Event::TaskSpawned { .. });
        if let Some(id) = event.task().filter(|_| !begins) {
            self.load_if_parked(id, tables)?;
            if self.state.tasks().find(id).is_none() {
                let why = format!("it touches {id}, which neither the tables nor an earlier record hold");
                return Err(OpenError::Unreadable { what: format!("journal record {seq}"), why });
            }
        }
        fold(self.state, event);
        Ok(())
    }

    /// The entity that the event touches, if nobody knows it.
    fn unknown(&mut self, event: &Event) -> Option<String> {
        let entity = event.entity().filter(|entity| !entity.may_begin)?;
        let known = has_entity(self.state.entity_tables(), entity.kind, entity.id);
        (!known).then(|| format!("{} {:#x}", entity.kind.label(), entity.id))
    }

    /// A far-off task that was touched after the cut is not among the rows loaded at first.
    fn load_if_parked(&mut self, id: TaskId, tables: &mut dyn ReadTables) -> Result<(), OpenError> {
        if self.state.tasks().find(id).is_some() {
            return Ok(());
        }
        let failed = |error: ReadError| OpenError::Backend { what: id.to_string(), why: error.to_string() };
        match tables.tasks(&[id]).map_err(failed)?.pop().flatten() {
            Some(StoredTask::Live(row)) => load_row(self.state, &row, self.profiles),
            Some(StoredTask::Ended(_)) | None => Ok(()),
        }
    }
}
