//! Who waits for what, so that an end or an event finds those it concerns. Soft: made again from the tasks after a recovery.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use super::{Awaited, EventMask, Wait};
use crate::values::{CloudEvent, Name, OWN_PREFIX, RunId, TaskIndex};

/// Tasks that wait for the same event: what it ends is in one record with it.
pub(crate) const SAME_MAX: usize = 500;

/// What is looked up when something has come.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum WaitMark {
    Run(RunId),
    /// Of a tenant, with this type and, if one is asked for, this subject.
    Kind(Name, Arc<str>, Option<Arc<str>>),
    Prefix(Name, Arc<str>),
    /// The approval of a task of this run.
    Approval(RunId),
}

/// Whose wait it is.
#[derive(Clone, Copy)]
pub(crate) struct Waiter<'a> {
    pub(crate) tenant: &'a Name,
    pub(crate) run: Option<RunId>,
}

#[derive(Debug, Default)]
pub(crate) struct WaitIndex {
    by_mark: BTreeMap<WaitMark, BTreeSet<TaskIndex>>,
    by_task: BTreeMap<TaskIndex, WaitMark>,
    /// Lengths of the prefixes, with how many have it.
    lengths: BTreeMap<usize, usize>,
    /// Waits for events.
    events: usize,
    /// Break mode: the server's own events end waits whose type does not name them.
    hears_own: bool,
    /// Runs that ended while somebody waited for them.
    pub(crate) ended: VecDeque<RunId>,
    /// Waits for runs that memory does not know: the tables are to be asked.
    pub(crate) unknown: VecDeque<TaskIndex>,
    /// The tables were asked and could not be read.
    pub(crate) unread: Vec<TaskIndex>,
}

/// `None`: only time is awaited.
fn mark(Waiter { tenant, run }: Waiter<'_>, what: &Awaited) -> Option<WaitMark> {
    match what {
        Awaited::Until(_) => None,
        Awaited::Run(run) => Some(WaitMark::Run(*run)),
        Awaited::Approval(_) => run.map(WaitMark::Approval),
        Awaited::Event(mask) => {
            let EventMask { kind, subject, .. } = &**mask;
            let (tenant, text) = (tenant.clone(), kind.text.clone());
            Some(if kind.prefix {
                WaitMark::Prefix(tenant, text)
            } else {
                WaitMark::Kind(tenant, text, subject.clone())
            })
        }
    }
}

impl WaitIndex {
    /// `hears_own`: a break mode.
    pub(crate) fn new(hears_own: bool) -> Self {
        Self { hears_own, ..Self::default() }
    }

    pub(crate) fn add(&mut self, index: TaskIndex, waiter: Waiter<'_>, wait: &Wait) {
        let Some(mark) = mark(waiter, &wait.what) else { return };
        if self.by_mark.entry(mark.clone()).or_default().insert(index) {
            self.count(&mark, true);
            self.by_task.insert(index, mark);
        }
    }

    pub(crate) fn remove(&mut self, index: TaskIndex) {
        let Some(mark) = self.by_task.remove(&index) else { return };
        self.count(&mark, false);
        if let Some(waiting) = self.by_mark.get_mut(&mark) {
            waiting.remove(&index);
            if waiting.is_empty() {
                self.by_mark.remove(&mark);
            }
        }
    }

    fn count(&mut self, mark: &WaitMark, more: bool) {
        let count = |held: &mut usize| if more { *held += 1 } else { *held -= 1 };
        if !matches!(mark, WaitMark::Run(_) | WaitMark::Approval(_)) {
            count(&mut self.events);
        }
        if let WaitMark::Prefix(_, text) = mark {
            let held = self.lengths.entry(text.len()).or_default();
            count(held);
            if *held == 0 {
                self.lengths.remove(&text.len());
            }
        }
    }

    /// Somebody will hear of it when what this task waits for comes.
    pub(crate) fn has(&self, index: TaskIndex, waiter: Waiter<'_>, wait: &Wait) -> bool {
        mark(waiter, &wait.what).is_none_or(|mark| self.by_task.get(&index) == Some(&mark))
    }

    /// No more may wait for the same.
    pub(crate) fn is_full(&self, waiter: Waiter<'_>, wait: &Wait) -> bool {
        let Awaited::Event(_) = wait.what else { return false };
        let waiting = mark(waiter, &wait.what).and_then(|mark| self.by_mark.get(&mark));
        waiting.is_some_and(|waiting| waiting.len() >= SAME_MAX)
    }

    pub(crate) fn run_ended(&mut self, run: RunId) {
        if self.by_mark.contains_key(&WaitMark::Run(run)) {
            self.ended.push_back(run);
        }
    }

    /// Some of those that wait for this run.
    pub(crate) fn of_run(&self, run: RunId, limit: usize) -> Vec<TaskIndex> {
        self.by_mark.get(&WaitMark::Run(run)).into_iter().flatten().take(limit).copied().collect()
    }

    /// Tasks of this run that wait for approval. Ascending.
    pub(crate) fn approvals_of(&self, run: RunId) -> impl Iterator<Item = TaskIndex> {
        self.by_mark.get(&WaitMark::Approval(run)).into_iter().flatten().copied()
    }

    /// All that wait for approval, by run.
    pub(crate) fn approvals(&self) -> impl Iterator<Item = TaskIndex> {
        let first = WaitMark::Approval(RunId::from_bits(0));
        let marks = self.by_mark.range(first..);
        let approvals = marks.take_while(|(mark, _)| matches!(mark, WaitMark::Approval(_)));
        approvals.flat_map(|(_, waiting)| waiting).copied()
    }

    /// Those that wait for an event of this type and subject. Ascending.
    pub(crate) fn of_event(&self, tenant: &Name, notice: &CloudEvent) -> Vec<TaskIndex> {
        let found = self.sets_of(tenant, notice).flatten().copied().collect::<BTreeSet<_>>();
        found.into_iter().collect()
    }

    /// Whether anybody waits for an event of this type and subject.
    pub(crate) fn awaits(&self, tenant: &Name, notice: &CloudEvent) -> bool {
        self.sets_of(tenant, notice).next().is_some()
    }

    fn sets_of<'a>(
        &'a self,
        tenant: &'a Name,
        notice: &'a CloudEvent,
    ) -> impl Iterator<Item = &'a BTreeSet<TaskIndex>> {
        let kind = move |subject| WaitMark::Kind(tenant.clone(), notice.kind.clone(), subject);
        let kinds =
            [None, notice.subject.clone()].into_iter().take(1 + usize::from(notice.subject.is_some()));
        // As with triggers: a type that does not begin with `mainspring.` does not mean the server's own events.
        let own = notice.is_own() && !self.hears_own;
        let shortest = if own { OWN_PREFIX.len() } else { 0 };
        let prefixes = self.lengths.range(shortest..).filter_map(|(length, _)| notice.kind.get(..*length));
        let marks = kinds.map(kind).chain(prefixes.map(|text| WaitMark::Prefix(tenant.clone(), text.into())));
        marks.take(if self.events == 0 { 0 } else { usize::MAX }).filter_map(|mark| self.by_mark.get(&mark))
    }

    pub(crate) fn awaits_events(&self) -> bool {
        self.events > 0
    }
}
