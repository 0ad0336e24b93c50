//! A run as a row, and inside the event that opens an ended one again.
//! - RR-1 a row names its plan by job and version, and its outputs by place: the plan is in the version's row, the
//!   outputs in the rows of the tasks that gave them (save those taken over from another run); an event carries both.
//!   Tasks that were added to the run are in both

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::collections::Soft;
use mainspring_core::job::{JobKey, NodeEnd, Plan, UpstreamEnds};
use mainspring_core::run::{Additions, MapItems, NodeState, NodeStatus, Pause, Run, RunStop};
use mainspring_core::values::{InRun, NodeInstance, Note, RunId, RunStatus, Seq, Wall};

use super::names::{VersionRef, read_version, write_key};
use super::{added, decisions, origin, plan};
use crate::format::{EncodedProfiles, FormatError, ProfileCache, Reader, Writer};

const VERSION: u8 = 1;

/// A run read from its row; its outputs must still be looked up.
#[derive(Debug)]
pub struct StoredRun {
    pub run: Run,
    pub outputs: Vec<(u32, u32)>,
}

pub fn write_run(out: &mut Vec<u8>, run: &Run, profiles: &mut EncodedProfiles) {
    let w = &mut Writer::new(out);
    w.byte(VERSION);
    write_head(w, run);
    added::write(w, run, profiles);
    write_body(w, run);
    w.varint(run.outputs.len() as u64);
    for ((node, index), output) in &run.outputs {
        w.varint((*node).into());
        w.varint((*index).into());
        let own = run.reused.binary_search(node).is_ok();
        w.option(own.then_some(&**output), Writer::bytes);
    }
}

pub fn read_run<E: From<FormatError>>(
    bytes: &[u8],
    profiles: &mut ProfileCache,
    plan: impl FnOnce(VersionRef<'_>) -> Result<(Arc<JobKey>, Arc<Plan>), E>,
) -> Result<StoredRun, E> {
    let mut r = Reader::new(bytes);
    r.version("run version", VERSION)?;
    let (id, of, output) = read_names(&mut r)?;
    let (job, plan) = plan(of)?;
    let head = Head { id, job, version: of.version, output };
    let (plan, own) = added::read(&mut r, plan, profiles)?;
    let mut run = read_body(&mut r, head, plan, own)?;
    let mut outputs = Vec::new();
    let count = run.plan.len();
    for (place, output) in r.list("outputs", |r| {
        let place = (node_of(r, count)?, r.varint32("index")?);
        Ok((place, r.option("output", |r| r.shared_bytes("output"))?))
    })? {
        match output {
            Some(output) => {
                run.output_bytes += output.len() as u64;
                run.outputs.insert(place, output);
            }
            None => outputs.push(place),
        }
    }
    r.finish("run")?;
    Ok(StoredRun { run, outputs })
}

/// Of a run's row only what the run as a whole gave.
pub fn read_run_output(bytes: &[u8]) -> Result<Option<Arc<[u8]>>, FormatError> {
    let mut r = Reader::new(bytes);
    r.version("run version", VERSION)?;
    Ok(read_names(&mut r)?.2)
}

/// Of a run's row only which version of its job it has.
pub fn run_version(bytes: &[u8]) -> Result<VersionRef<'_>, FormatError> {
    let mut r = Reader::new(bytes);
    r.version("run version", VERSION)?;
    r.run_id()?;
    read_version(&mut r)
}

/// With plan and outputs, for an event.
pub(super) fn write_whole(w: &mut Writer<'_>, run: &Run, profiles: &mut EncodedProfiles) {
    w.byte(VERSION);
    write_head(w, run);
    plan::write(w, run.base(), profiles);
    added::write(w, run, profiles);
    write_body(w, run);
    w.varint(run.outputs.len() as u64);
    for ((node, index), output) in &run.outputs {
        w.varint((*node).into());
        w.varint((*index).into());
        w.bytes(output);
    }
}

pub(super) fn read_whole(r: &mut Reader<'_>, profiles: &mut ProfileCache) -> Result<Run, FormatError> {
    r.version("run version", VERSION)?;
    let head = read_head(r)?;
    let plan = Arc::new(plan::read(r, profiles)?);
    let (plan, own) = added::read(r, plan, profiles)?;
    let mut run = read_body(r, head, plan, own)?;
    let count = run.plan.len();
    let outputs =
        r.list("outputs", |r| Ok(((node_of(r, count)?, r.varint32("index")?), r.shared_bytes("output")?)))?;
    run.outputs = outputs.into_iter().collect();
    run.output_bytes = run.outputs.values().map(|output| output.len() as u64).sum();
    Ok(run)
}

fn write_head(w: &mut Writer<'_>, run: &Run) {
    w.wide(run.id.bits());
    write_key(w, &run.job);
    w.varint(run.version.into());
    w.option(run.output.as_deref(), Writer::bytes);
}

fn read_head(r: &mut Reader<'_>) -> Result<Head, FormatError> {
    let (id, of, output) = read_names(r)?;
    Ok(Head { id, job: Arc::new(of.key()?), version: of.version, output })
}

type Names<'a> = (RunId, VersionRef<'a>, Option<Arc<[u8]>>);

fn read_names<'a>(r: &mut Reader<'a>) -> Result<Names<'a>, FormatError> {
    Ok((r.run_id()?, read_version(r)?, r.option("output", |r| r.shared_bytes("output"))?))
}

pub(in crate::format) fn write_in_run(w: &mut Writer<'_>, origin: &InRun) {
    w.wide(origin.run.bits());
    write_place(w, origin.place);
}

pub(in crate::format) fn read_in_run(r: &mut Reader<'_>) -> Result<InRun, FormatError> {
    Ok(InRun { run: r.run_id()?, place: read_place(r)? })
}

pub(super) fn write_place(w: &mut Writer<'_>, place: NodeInstance) {
    w.varint(place.node.into());
    // Most places are of a whole node, whose index is the greatest there is.
    w.varint(place.index.wrapping_add(2).into());
    w.varint(place.turn.into());
}

pub(super) fn read_place(r: &mut Reader<'_>) -> Result<NodeInstance, FormatError> {
    Ok(NodeInstance {
        node: r.varint32("node")?,
        index: r.varint32("index")?.wrapping_sub(2),
        turn: r.varint32("turn")?,
    })
}

pub(super) fn write_pause(w: &mut Writer<'_>, pause: &Pause) {
    match pause {
        Pause::ByHand => w.byte(0),
        Pause::FanOut { node, count, max } => {
            w.byte(1);
            for value in [node, count, max] {
                w.varint((*value).into());
            }
        }
    }
}

pub(super) fn read_pause(r: &mut Reader<'_>) -> Result<Pause, FormatError> {
    let at = r.at();
    match r.byte("pause")? {
        0 => Ok(Pause::ByHand),
        1 => Ok(Pause::FanOut {
            node: r.varint32("node")?,
            count: r.varint32("count")?,
            max: r.varint32("max")?,
        }),
        found => Err(FormatError::newer("pause", at, found, 1)),
    }
}

fn write_body(w: &mut Writer<'_>, run: &Run) {
    w.bytes(&run.parameters);
    w.byte(run.status as u8);
    w.option(run.pause.as_ref(), write_pause);
    w.option(run.stop, |w, stop| w.byte(stop as u8));
    w.option(run.forced, |w, status| w.byte(status as u8));
    w.option(run.priority, Writer::priority);
    w.option(run.labels.as_ref(), |w, labels| w.labels(labels));
    origin::write(w, &run.origin);
    w.option(run.key.as_ref(), Writer::key);
    for at in [run.created, run.started, run.ended, run.changed] {
        w.wall(at);
    }
    w.list(&run.nodes, write_node);
    w.varint(run.groups.len() as u64);
    for (node, group) in &run.groups {
        w.varint((*node).into());
        write_group(w, group);
    }
    w.varint(run.whys.len() as u64);
    for (node, why) in &run.whys {
        w.varint((*node).into());
        w.text(why);
    }
    w.varint(run.holds.len() as u64);
    for (node, since) in &run.holds {
        w.varint((*node).into());
        w.wall(*since);
    }
    w.list(&run.reused, |w, node| w.varint((*node).into()));
    w.list(&run.undo, |w, node| w.varint((*node).into()));
    for count in [run.undone, run.out, run.fan_out_allowed] {
        w.varint(count.into());
    }
    w.option(run.why.as_deref(), Writer::text);
    w.list(&run.notes, write_note);
    decisions::write(w, &run.decisions);
    w.varint(run.touched.get());
}

/// What stands before everything that needs the plan.
struct Head {
    id: RunId,
    job: Arc<JobKey>,
    version: u32,
    output: Option<Arc<[u8]>>,
}

fn read_body(
    r: &mut Reader<'_>,
    Head { id, job, version, output }: Head,
    plan: Arc<Plan>,
    own: Option<Box<Additions>>,
) -> Result<Run, FormatError> {
    let parameters = r.shared_bytes("parameters")?;
    let status = r.choice("status of a run", RunStatus::from_index)?;
    let pause = r.option("pause", read_pause)?;
    let stop = r.option("stop", |r| r.choice("stop", stop))?;
    let forced = r.option("forced", |r| r.choice("status of a run", RunStatus::from_index))?;
    let priority = r.option("priority", Reader::priority)?;
    let labels = r.option("labels", Reader::labels)?;
    let origin = origin::read(r)?;
    let key = r.option("key", Reader::key)?;
    let [created, started, ended, changed] = read_times(r)?;
    let count = plan.len();
    let nodes = read_nodes(r, count)?;
    let groups = r.list("groups", |r| Ok((node_of(r, count)?, read_group(r)?)))?;
    let (whys, holds) = read_words(r, count)?;
    Ok(Run {
        id,
        job,
        version,
        plan,
        own,
        parameters,
        status,
        pause,
        stop,
        priority,
        labels,
        origin,
        key,
        created,
        started,
        ended,
        changed,
        unfinished: nodes.iter().filter(|node| node.status.end().is_none()).count() as u32,
        failed: nodes.iter().filter(|node| node.status.end() == Some(NodeEnd::Failed)).count() as u32,
        nodes,
        groups: groups.into_iter().collect(),
        outputs: BTreeMap::new(),
        output_bytes: 0,
        holds,
        whys,
        reused: r.list("reused", |r| node_of(r, count))?,
        undo: r.list("undo", |r| node_of(r, count))?,
        undone: r.varint32("undone")?,
        out: r.varint32("out")?,
        fan_out_allowed: r.varint32("fan-out allowed")?,
        output,
        why: r.option("why", |r| Ok(Arc::from(r.text("why")?)))?,
        forced,
        notes: r.list("notes", read_note)?,
        decisions: decisions::read(r, count)?,
        touched: Seq::new(r.varint("touched")?),
        stored: Soft(false),
        soft: Soft::default(),
    })
}

fn read_nodes(r: &mut Reader<'_>, count: u32) -> Result<Vec<NodeState>, FormatError> {
    let at = r.at();
    let nodes = r.list("nodes", read_node)?;
    if nodes.len() == count as usize {
        Ok(nodes)
    } else {
        Err(FormatError::bad("nodes", at, "are not as many as the plan has"))
    }
}

type Words = (BTreeMap<u32, Arc<str>>, BTreeMap<u32, Wall>);

/// Why nodes ended, and since when others wait for jobs.
fn read_words(r: &mut Reader<'_>, count: u32) -> Result<Words, FormatError> {
    let whys = r.list("whys", |r| Ok((node_of(r, count)?, Arc::from(r.text("why")?))))?;
    let holds = r.list("holds", |r| Ok((node_of(r, count)?, r.wall("held since")?)))?;
    Ok((whys.into_iter().collect(), holds.into_iter().collect()))
}

fn read_times(r: &mut Reader<'_>) -> Result<[Wall; 4], FormatError> {
    Ok([r.wall("created")?, r.wall("started")?, r.wall("ended")?, r.wall("changed")?])
}

/// One of the plan's nodes.
fn node_of(r: &mut Reader<'_>, count: u32) -> Result<u32, FormatError> {
    let at = r.at();
    let node = r.varint32("node")?;
    if node < count { Ok(node) } else { Err(FormatError::bad("node", at, "is not in the plan")) }
}

pub(super) fn write_note(w: &mut Writer<'_>, note: &Note) {
    w.wall(note.at);
    w.over(&note.over);
    w.text(&note.what);
}

pub(super) fn read_note(r: &mut Reader<'_>) -> Result<Note, FormatError> {
    Ok(Note { at: r.wall("note")?, over: r.over()?, what: Arc::from(r.text("note")?) })
}

fn stop(byte: u8) -> Option<RunStop> {
    [RunStop::Failed, RunStop::Cancel, RunStop::Timeout].get(usize::from(byte)).copied()
}

pub(super) fn read_stop(r: &mut Reader<'_>) -> Result<RunStop, FormatError> {
    r.choice("stop", stop)
}

/// The status, and what differs from a node that has never been looked at.
fn write_node(w: &mut Writer<'_>, node: &NodeState) {
    let begun = node.turn > 0 || node.rounds > 0 || node.started > 0 || node.ended > 0;
    w.byte(node.status as u8 | u8::from(begun) << 7);
    if begun {
        for value in [node.turn, node.rounds, node.started, node.ended] {
            w.varint(value.into());
        }
    }
}

fn read_node(r: &mut Reader<'_>) -> Result<NodeState, FormatError> {
    let at = r.at();
    let byte = r.byte("node")?;
    let status = NodeStatus::from_index(byte & 0x7f)
        .ok_or_else(|| FormatError::bad("status of a node", at, "has no such value"))?;
    let mut node = NodeState { status, ..NodeState::default() };
    if byte & 0x80 != 0 {
        node.turn = r.varint32("turn")?;
        node.rounds = r.varint32("rounds")?;
        node.started = r.varint32("started")?;
        node.ended = r.varint32("ended")?;
    }
    node.ends = UpstreamEnds::default();
    Ok(node)
}

fn write_group(w: &mut Writer<'_>, group: &MapItems) {
    w.varint(group.released.into());
    w.varint(group.live.into());
    let items: Vec<u8> = group.items.iter().map(|item| *item as u8).collect();
    w.bytes(&items);
    w.varint(group.turn.into());
    w.varint(group.turns.len() as u64);
    for (item, turn) in &group.turns {
        w.varint((*item).into());
        w.varint((*turn).into());
    }
}

fn read_group(r: &mut Reader<'_>) -> Result<MapItems, FormatError> {
    let (released, live) = (r.varint32("released")?, r.varint32("live")?);
    let at = r.at();
    let items =
        r.bytes("items")?.iter().map(|byte| NodeStatus::from_index(*byte)).collect::<Option<Vec<_>>>();
    let items = items.ok_or_else(|| FormatError::bad("items", at, "have a status that does not exist"))?;
    if released as usize > items.len() || live > released {
        return Err(FormatError::bad("items", at, "are fewer than were released"));
    }
    let turn = r.varint32("turn")?;
    let turns = r.list("turns of items", |r| {
        let at = r.at();
        let item = r.varint32("item")?;
        let is_known = (item as usize) < items.len();
        is_known.then_some(()).ok_or_else(|| FormatError::bad("item", at, "is not one of its node"))?;
        Ok((item, r.varint32("turn")?))
    })?;
    Ok(MapItems::restore(items, (released, live), (turn, turns.into_iter().collect())))
}
