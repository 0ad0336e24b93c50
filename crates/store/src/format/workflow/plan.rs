//! A plan, as a version of a job holds it.

use std::sync::Arc;

use mainspring_core::job::{
    Bounds, Each, FailurePolicy, JobNeed, LimitUse, Node, NodeWork, OnEmpty, Plan, Repeat, TaskWork,
    Tolerance, TriggerRule,
};
use mainspring_core::values::Source;

use crate::format::{EncodedProfiles, FormatError, ProfileCache, Reader, Writer};

const VERSION: u8 = 1;

pub fn write_plan(out: &mut Vec<u8>, plan: &Plan, profiles: &mut EncodedProfiles) {
    write(&mut Writer::new(out), plan, profiles);
}

pub fn read_plan(bytes: &[u8], profiles: &mut ProfileCache) -> Result<Plan, FormatError> {
    let mut r = Reader::new(bytes);
    let plan = read(&mut r, profiles)?;
    r.finish("plan")?;
    Ok(plan)
}

pub(in crate::format) fn write(w: &mut Writer<'_>, plan: &Plan, profiles: &mut EncodedProfiles) {
    w.byte(VERSION);
    w.byte(plan.policy as u8);
    let Bounds { active_runs_max, running_max, fan_out_max, release_per_second, expected, timeout } =
        plan.bounds;
    for bound in [active_runs_max, running_max, fan_out_max, release_per_second] {
        w.varint(bound.into());
    }
    w.option(expected, Writer::millis);
    w.option(timeout, Writer::millis);
    w.option(plan.outputs.as_deref(), Writer::text);
    w.list(&plan.sensitive, Writer::name);
    w.varint(plan.len().into());
    for node in plan.nodes() {
        write_node(w, node, profiles);
    }
}

pub(in crate::format) fn read(r: &mut Reader<'_>, profiles: &mut ProfileCache) -> Result<Plan, FormatError> {
    r.version("plan version", VERSION)?;
    let policy = r.choice("failure policy", FailurePolicy::from_index)?;
    let bounds = Bounds {
        active_runs_max: r.varint32("active runs")?,
        running_max: r.varint32("running tasks")?,
        fan_out_max: r.varint32("fan-out")?,
        release_per_second: r.varint32("release rate")?,
        expected: r.option("expected", |r| r.millis("expected"))?,
        timeout: r.option("timeout", |r| r.millis("timeout"))?,
    };
    let outputs = r.option("outputs", |r| source(r, "outputs"))?;
    let sensitive = r.list("sensitive parameters", |r| r.name("parameter"))?;
    let at = r.at();
    let nodes = r.list("nodes", |r| read_node(r, profiles))?;
    let count = nodes.len() as u32;
    let inside = |list: &[u32]| list.iter().all(|node| *node < count);
    if !nodes.iter().all(|node| inside(&node.needs) && inside(&node.mentions)) {
        return Err(FormatError::bad("plan", at, "names a node that it does not have"));
    }
    Ok(Plan::new(nodes, policy, bounds, outputs).with_sensitive(sensitive))
}

fn source(r: &mut Reader<'_>, what: &'static str) -> Result<Source, FormatError> {
    r.text(what).map(Arc::from)
}

fn indexes(w: &mut Writer<'_>, list: &[u32]) {
    w.list(list, |w, index| w.varint((*index).into()));
}

pub(super) fn write_node(w: &mut Writer<'_>, node: &Node, profiles: &mut EncodedProfiles) {
    w.name(&node.name);
    write_work(w, &node.work, profiles);
    indexes(w, &node.needs);
    w.byte(node.rule as u8);
    w.option(node.condition.as_deref(), Writer::text);
    w.option(node.each.as_ref(), write_each);
    w.option(node.repeat.as_ref(), |w, repeat| {
        w.text(&repeat.until);
        w.varint(repeat.rounds_max.into());
        w.millis(repeat.pause);
    });
    w.bool(node.undo.is_some());
    if let Some(undo) = &node.undo {
        write_work(w, undo, profiles);
    }
    indexes(w, &node.mentions);
    w.bool(node.output_kept);
    w.list(&node.limits, |w, limit| {
        w.name(&limit.name);
        w.text(&limit.key);
        w.option(limit.max, |w, max| w.varint(max.into()));
    });
    w.option(node.spawns.as_deref(), Writer::text);
    w.list(&node.needs_jobs, |w, need| {
        w.name(&need.job);
        w.option(need.within, Writer::millis);
        w.option(need.timeout, Writer::millis);
    });
}

pub(super) fn read_node(r: &mut Reader<'_>, profiles: &mut ProfileCache) -> Result<Node, FormatError> {
    let index = |r: &mut Reader<'_>| r.varint32("node");
    Ok(Node {
        name: r.name("node name")?,
        work: read_work(r, profiles)?,
        needs: r.list("needs", index)?,
        rule: r.choice("trigger rule", TriggerRule::from_index)?,
        condition: r.option("condition", |r| source(r, "condition"))?,
        each: r.option("each", read_each)?,
        repeat: r.option("repeat", |r| {
            Ok(Repeat {
                until: source(r, "until")?,
                rounds_max: r.varint32("rounds")?,
                pause: r.millis("pause")?,
            })
        })?,
        undo: r.option("undo", |r| read_work(r, profiles))?,
        mentions: r.list("mentions", index)?,
        output_kept: r.bool("output kept")?,
        limits: r.list("limits", |r| {
            Ok(LimitUse {
                name: r.name("limit")?,
                key: source(r, "limit key")?,
                max: r.option("limit max", |r| r.varint32("limit max"))?,
            })
        })?,
        spawns: r.option("spawns", |r| source(r, "spawns"))?,
        needs_jobs: r.list("needs of jobs", |r| {
            Ok(JobNeed {
                job: r.name("job")?,
                within: r.option("within", |r| r.millis("within"))?,
                timeout: r.option("timeout", |r| r.millis("timeout"))?,
            })
        })?,
    })
}

fn write_work(w: &mut Writer<'_>, work: &NodeWork, profiles: &mut EncodedProfiles) {
    match work {
        NodeWork::Task(TaskWork { profile, payload, priority, templated, labels }) => {
            w.byte(0);
            profiles.write(w, profile);
            w.bytes(payload);
            w.priority(*priority);
            w.bool(*templated);
            w.option(labels.as_ref(), |w, labels| w.labels(labels));
        }
        NodeWork::Run { job, parameters, templated } => {
            w.byte(1);
            w.name(job);
            w.bytes(parameters);
            w.bool(*templated);
        }
    }
}

fn read_work(r: &mut Reader<'_>, profiles: &mut ProfileCache) -> Result<NodeWork, FormatError> {
    let at = r.at();
    match r.byte("work of a node")? {
        0 => Ok(NodeWork::Task(TaskWork {
            profile: profiles.read(r)?,
            payload: r.shared_bytes("payload")?,
            priority: r.priority()?,
            templated: r.bool("templated")?,
            labels: r.option("labels", Reader::labels)?,
        })),
        1 => Ok(NodeWork::Run {
            job: r.name("job")?,
            parameters: r.shared_bytes("parameters")?,
            templated: r.bool("templated")?,
        }),
        found => Err(FormatError::newer("work of a node", at, found, 1)),
    }
}

fn write_each(w: &mut Writer<'_>, each: &Each) {
    w.text(&each.items);
    w.varint(each.active_max.into());
    match each.tolerance {
        Tolerance::Count(count) => {
            w.byte(0);
            w.varint(count.into());
        }
        Tolerance::Percent(percent) => {
            w.byte(1);
            w.byte(percent);
        }
    }
    w.byte(each.on_empty as u8);
}

fn read_each(r: &mut Reader<'_>) -> Result<Each, FormatError> {
    let items = source(r, "items")?;
    let active_max = r.varint32("active items")?;
    let at = r.at();
    let tolerance = match r.byte("tolerance")? {
        0 => Tolerance::Count(r.varint32("tolerated")?),
        1 => Tolerance::Percent(r.byte("tolerated")?),
        found => return Err(FormatError::newer("tolerance", at, found, 1)),
    };
    let on_empty = r.choice("on empty", |byte| match byte {
        0 => Some(OnEmpty::Skip),
        1 => Some(OnEmpty::Succeed),
        _ => None,
    })?;
    Ok(Each { items, active_max, tolerance, on_empty })
}
