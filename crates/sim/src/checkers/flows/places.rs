//! Places of runs: released when their rule holds (I18), once each (I19), within the bounds of the run (I21).

use mainspring_core::job::Tolerance;
use mainspring_core::run::{NodeStatus, RunStop};
use mainspring_core::task::Status;
use mainspring_core::values::{Elapsed, Epoch, NodeInstance, RunId, RunStatus};

use super::rules::{answers_failure, lets_downstream_run, was};
use super::{FlowFold, MapFacts, RunFacts};
use crate::checkers::{Check, require};
use crate::words;

impl FlowFold {
    /// A task or a run of its own was begun at this place.
    pub(super) fn release(&mut self, id: RunId, place: NodeInstance) -> Check {
        let now = self.now;
        let run = self.run_mut(id)?;
        require(run.status == RunStatus::Running, "I20", || {
            format!("{place:?} of {id} was released, the run is {:?}", run.status)
        })?;
        require(run.released.insert(place), "I19", || format!("{place:?} of {id} was released twice"))?;
        let (out, max) = (run.out.len(), run.plan.bounds.running_max as usize);
        require(out < max, "I21", || format!("{place:?} of {id} was released, {out} of {max} were out"))?;
        let undo = place.index == NodeInstance::UNDO;
        let again = run.nodes[place.node as usize].status == NodeStatus::Judged;
        if !undo && run.nodes[place.node as usize].status == NodeStatus::Waiting {
            self.check_jobs(id, place.node)?;
        }
        let run = self.run_mut(id)?;
        if undo {
            run.check_undo(place)?;
        } else {
            run.released_at(place)?;
        }
        if !undo && !again {
            run.check_rate(now)?;
        }
        run.out.insert(place);
        self.counts.undone += u64::from(undo);
        self.counts.rounds += u64::from(again);
        Ok(())
    }

    pub(super) fn place_ended(
        &mut self,
        id: RunId,
        place: NodeInstance,
        status: Status,
        output: Option<usize>,
    ) -> Check {
        let run = self.run_mut(id)?;
        require(run.out.remove(&place), "I19", || format!("{place:?} of {id} ended and was not out"))?;
        let joined = run.place_ended(place, status, output)?;
        self.counts.joins += u64::from(joined);
        Ok(())
    }
}

impl MapFacts {
    /// What was not released is not released any more.
    pub(super) fn give_up(&mut self) {
        let again = std::mem::take(&mut self.again);
        self.given_up.extend(again.into_iter().chain(self.released..self.count));
        self.released = self.count;
    }
}

impl RunFacts {
    fn released_at(&mut self, place: NodeInstance) -> Check {
        let (id, node) = (self.id, place.node);
        let state = &self.nodes[node as usize];
        let (status, turn, rounds) = (state.status, state.turn, state.rounds);
        let spec = self.plan.node(node);
        match status {
            NodeStatus::Waiting => {
                require(
                    place.index == NodeInstance::WHOLE && place.turn == turn && spec.each.is_none(),
                    "I19",
                    || format!("{place:?} of {id} is no place of a node at turn {turn}"),
                )?;
                self.check_may_run(node)?;
            }
            NodeStatus::Out => self.check_item(place)?,
            NodeStatus::Judged => {
                let rounds_max = spec.repeat.as_ref().map_or(0, |repeat| repeat.rounds_max);
                require(
                    place.turn == turn + 1 && rounds + 1 < rounds_max && self.stop.is_none() && !self.paused,
                    "I18",
                    || format!("{place:?} of {id} is no next round after {rounds} of {rounds_max}"),
                )?;
                self.outputs.retain(|(of, _), _| *of != node);
                let state = &mut self.nodes[node as usize];
                (state.turn, state.rounds) = (place.turn, rounds + 1);
            }
            ended => {
                return require(false, "I19", || format!("{place:?} of {id} was released after {ended:?}"));
            }
        }
        let state = &mut self.nodes[node as usize];
        state.status = NodeStatus::Out;
        if let Some(map) = &mut state.map
            && !map.again.remove(&place.index)
        {
            map.released += 1;
        }
        Ok(())
    }

    /// I18: the rule holds on what ended before, and nothing else stands in the way.
    fn check_may_run(&self, node: u32) -> Check {
        let (id, spec) = (self.id, self.plan.node(node));
        let upstream = self.upstream(node);
        let forgiving = lets_downstream_run(self.plan.policy);
        require(upstream.runs(spec.rule, forgiving), "I18", || {
            format!("node {node} of {id} was released under {:?} after {:?}", spec.rule, upstream.0)
        })?;
        let condition = spec.condition.as_deref();
        require(condition.is_none_or(|text| text == "true"), "I18", || {
            format!("node {node} of {id} was released although its condition is {condition:?}")
        })?;
        self.check_not_stopped(node)
    }

    fn check_not_stopped(&self, node: u32) -> Check {
        let (id, stop) = (self.id, self.stop);
        let answers = answers_failure(self.plan.node(node).rule);
        let goes_on = stop.is_none() || stop == Some(RunStop::Failed) && answers;
        require(goes_on && !self.paused, "I20", || {
            format!("node {node} of {id} was released, stop {stop:?}, paused {}", self.paused)
        })
    }

    fn check_item(&self, place: NodeInstance) -> Check {
        let (id, live) = (self.id, self.live(place.node) as u32);
        let state = &self.nodes[place.node as usize];
        let next = state.map.as_ref().and_then(|map| match map.again.first() {
            Some(first) => Some(*first),
            None => (map.released < map.count).then_some(map.released),
        });
        require(next == Some(place.index) && place.turn == self.turn_of(place), "I19", || {
            format!("{place:?} of {id} is not the next item of its node")
        })?;
        let active_max = self.plan.node(place.node).each.as_ref().map_or(0, |each| each.active_max);
        require(live < active_max, "I21", || format!("{place:?} of {id}: {live} of {active_max} are out"))?;
        self.check_not_stopped(place.node)
    }

    /// Only what was done last, and only when everything else is over.
    fn check_undo(&self, place: NodeInstance) -> Check {
        let id = self.id;
        let turn = self.nodes[place.node as usize].turn;
        require(self.is_over() && self.out.is_empty(), "I20", || {
            format!("{place:?} of {id} was released before the run was over")
        })?;
        require(self.undo.last() == Some(&place.node) && place.turn == turn, "I20", || {
            format!("{place:?} of {id} is not what is to be undone next: {:?}", self.undo)
        })
    }

    fn check_rate(&mut self, now: (Epoch, Elapsed)) -> Check {
        const SECOND_NS: u64 = 1_000_000_000;
        let ((epoch, at), mut used) = self.rate;
        if epoch != now.0 {
            // A tenth of a second may go at once after a restart.
            used = used.min(SECOND_NS / 10 * 9);
        }
        used = used.saturating_sub(now.1.since(at).get().saturating_mul(1_000_000));
        let (id, max) = (self.id, self.plan.bounds.release_per_second);
        used += SECOND_NS / u64::from(max.max(1));
        self.rate = (now, used);
        require(used <= SECOND_NS, "I21", || format!("{id} releases faster than {max} a second"))
    }

    /// Whether a mapped node came to its end.
    fn place_ended(
        &mut self,
        place: NodeInstance,
        status: Status,
        output: Option<usize>,
    ) -> Result<bool, crate::checkers::Broken> {
        let NodeInstance { node, index, turn } = place;
        if turn != self.turn_of(place) {
            return Ok(false);
        }
        if index == NodeInstance::UNDO {
            self.undo.retain(|left| *left != node);
            return Ok(false);
        }
        let spec = self.plan.node(node);
        let judged = spec.repeat.is_some() || spec.spawns.is_some();
        if let Some(output) = output.filter(|_| spec.output_kept || judged) {
            self.outputs.insert((node, index), output);
        }
        let status = match status {
            Status::Succeeded => NodeStatus::Succeeded,
            Status::Cancelled => NodeStatus::Cancelled,
            Status::Skipped => NodeStatus::Skipped,
            _ => NodeStatus::Failed,
        };
        let state = &mut self.nodes[node as usize];
        if let Some(map) = &mut state.map {
            map.ended.insert(index, status);
            return self.join(node);
        }
        if status == NodeStatus::Succeeded && judged {
            state.status = NodeStatus::Judged;
            return Ok(false);
        }
        self.end_node(node, status).map(|()| false)
    }

    pub(super) fn map_expanded(&mut self, node: u32, count: u32) -> Check {
        let (id, status) = (self.id, self.nodes[node as usize].status);
        require(status == NodeStatus::Waiting, "I19", || {
            format!("node {node} of {id} was expanded, it was {status:?}")
        })?;
        self.check_may_run(node)?;
        let each = self.plan.node(node).each.as_ref();
        let text = each.map(|each| each.items.clone()).unwrap_or_default();
        let wanted = words::items(&text, |of| self.outputs.get(&(of, NodeInstance::WHOLE)).copied());
        require(wanted == Some(count) && count > 0, "I19", || {
            format!("node {node} of {id} has {count} items, `{text}` has {wanted:?}")
        })?;
        let max = self.plan.bounds.fan_out_max.max(self.fan_out_allowed);
        require(count <= max, "I21", || format!("node {node} of {id} has {count} items of {max}"))?;
        let state = &mut self.nodes[node as usize];
        state.status = NodeStatus::Out;
        state.map = Some(MapFacts { count, turn: state.turn, ..MapFacts::default() });
        Ok(())
    }

    pub(super) fn map_cut(&mut self, node: u32) -> Result<bool, crate::checkers::Broken> {
        let id = self.id;
        let map = self.nodes[node as usize].map.as_mut();
        require(map.is_some(), "I19", || format!("node {node} of {id} was cut and has no items"))?;
        if let Some(map) = map {
            map.give_up();
        }
        self.join(node)
    }

    /// I19: the join comes when all items are over, once, and counts all of them.
    fn join(&mut self, node: u32) -> Result<bool, crate::checkers::Broken> {
        let live = self.live(node);
        let Some(map) = &self.nodes[node as usize].map else { return Ok(false) };
        if live > 0 || !map.again.is_empty() || map.released < map.count {
            return Ok(false);
        }
        let (id, count, ended) = (self.id, map.count, map.ended.len() + map.given_up.len());
        require(ended == count as usize, "I19", || {
            format!("node {node} of {id} joins {ended} of {count} items")
        })?;
        let well = |status: &&NodeStatus| matches!(status, NodeStatus::Succeeded | NodeStatus::Skipped);
        let failed = u64::from(count) - map.ended.values().filter(well).count() as u64;
        let tolerance = self.plan.node(node).each.as_ref().map_or(Tolerance::NONE, |each| each.tolerance);
        let fine = match tolerance {
            Tolerance::Count(most) => failed <= u64::from(most),
            Tolerance::Percent(percent) => failed * 100 <= u64::from(percent) * u64::from(count),
        };
        self.end_node(node, if fine { NodeStatus::Succeeded } else { NodeStatus::Failed })?;
        Ok(true)
    }

    pub(super) fn end_node(&mut self, node: u32, status: NodeStatus) -> Check {
        let (id, before) = (self.id, self.nodes[node as usize].status);
        require(was(before).is_none(), "I19", || {
            format!("node {node} of {id} ended as {status:?} after it had ended as {before:?}")
        })?;
        let state = &mut self.nodes[node as usize];
        state.status = status;
        state.map.iter_mut().for_each(MapFacts::give_up);
        if status == NodeStatus::Succeeded && self.plan.node(node).undo.is_some() {
            self.undo.push(node);
        }
        Ok(())
    }
}
