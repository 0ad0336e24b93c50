//! Idempotency keys: the same key and the same request give the first answer again.
//! - KY-1 one entity per scope while the key lives; KY-2 the same key with another request is refused
//! - KY-3 a key leaves memory only when it is in the tables and no command that looked there before is
//!   still on its way
//!
//! Entry: [`KeyTable`], the keys still in memory, and [`KeyFact`], what the loader found in the tables.

use std::collections::VecDeque;
use std::fmt;

use crate::collections::KeyIndex;
use crate::values::{BackfillId, Group, OperationId, RunId, Seq, TaskId, Wall};

/// Hash of (tenant, operation, key), made at the edge with a cryptographic hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KeyScope(pub u128);

/// A caller's claim: this key stands for this request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyClaim {
    pub scope: KeyScope,
    /// Hash of the validated request. For a command other than a submission the lowest byte is not part of it: there
    /// the first answer is kept.
    pub request: u128,
    /// Until when the key is kept at least.
    pub expires: Wall,
    /// Where the key lives: with what the command is about, so that a repeated request finds it.
    pub group: Group,
}

/// What a key stands for, as far as its binding tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyHolder {
    Task(TaskId),
    Run(RunId),
    Backfill(BackfillId),
    Operation(OperationId),
    /// A request on something that has a name and no id.
    Request,
}

impl fmt::Display for KeyHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task(id) => write!(f, "`{id}`"),
            Self::Run(id) => write!(f, "`{id}`"),
            Self::Backfill(id) => write!(f, "`{id}`"),
            Self::Operation(id) => write!(f, "bulk operation `{}`", id.get()),
            Self::Request => f.write_str("an earlier request"),
        }
    }
}

/// A key that is bound to an entity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyBinding {
    pub request: u128,
    /// Or another id or number, as the outcome says.
    pub task: TaskId,
    pub group: Group,
}

/// What the tables said about a key before the command reached the shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyFact {
    Absent,
    Bound(KeyBinding),
}

/// Keys bound by recent records, in memory until the tables surely answer for them.
#[derive(Debug, Default)]
pub struct KeyTable {
    bindings: KeyIndex<KeyScope, KeyBinding>,
    /// In order of the record that bound them.
    order: VecDeque<(Seq, KeyScope, Wall)>,
}

impl KeyTable {
    pub fn get(&self, scope: KeyScope) -> Option<KeyBinding> {
        self.bindings.get(&scope).copied()
    }

    /// Memory first: it may know of a binding that the tables did not have when they were asked.
    pub fn known(&self, scope: KeyScope, fact: KeyFact) -> Option<KeyBinding> {
        self.get(scope).or(match fact {
            KeyFact::Bound(binding) => Some(binding),
            KeyFact::Absent => None,
        })
    }

    pub fn bind(&mut self, claim: KeyClaim, task: TaskId, at: Seq) {
        self.bindings.insert(claim.scope, KeyBinding { request: claim.request, task, group: claim.group });
        self.order.push_back((at, claim.scope, claim.expires));
    }

    /// Keys bound by records in `(after, through]`, for a checkpoint.
    pub fn bound_in(
        &self,
        after: Seq,
        through: Seq,
    ) -> impl Iterator<Item = (KeyScope, KeyBinding, Wall)> + '_ {
        let first = self.order.partition_point(|(at, ..)| *at <= after);
        self.order.range(first..).take_while(move |(at, ..)| *at <= through).filter_map(
            |(_, scope, expires)| self.bindings.get(scope).map(|binding| (*scope, *binding, *expires)),
        )
    }

    /// Forgets keys bound at or before `through`; the tables answer for them now.
    pub fn forget(&mut self, through: Seq) {
        while let Some((at, scope, _)) = self.order.front().copied() {
            if at > through {
                break;
            }
            self.order.pop_front();
            self.bindings.remove(&scope);
        }
    }

    pub fn len(&self) -> usize {
        self.bindings.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bindings.is_empty()
    }
}
