//! Which orders are void: those of an owner that was replaced.
//! - DK-7 once the server has named a new owner of a group, an order of an older epoch about a task of that group is not
//!   obeyed, however late it comes

use std::collections::BTreeMap;

use mainspring_core::values::Group;
use mainspring_proto::v1;
use tracing::warn;

use crate::attempt::Key;

/// The lowest epoch that is obeyed, in this session.
#[derive(Default)]
pub struct Floors {
    /// Of groups that were not named.
    all: u64,
    groups: BTreeMap<Group, u64>,
}

impl Floors {
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    pub fn raise(&mut self, say: &v1::SayHello) {
        if say.groups.is_empty() {
            self.all = self.all.max(say.epoch);
        }
        for group in groups(say) {
            let floor = self.groups.entry(group).or_default();
            *floor = say.epoch.max(*floor);
        }
    }

    /// Whether an order of this epoch about this attempt is obeyed.
    pub fn admit(&self, key: Key, epoch: u64) -> bool {
        let of_group = self.groups.get(&key.task.bucket().group()).copied().unwrap_or(0);
        let admits = epoch >= of_group.max(self.all);
        if !admits {
            warn!(task = %key.task, epoch, "an order of an owner that was replaced is not obeyed");
        }
        admits
    }

    /// Whether the owner that is to be greeted is the owner of this task.
    pub fn means(say: &v1::SayHello, key: Key) -> bool {
        say.groups.is_empty() || groups(say).any(|group| group == key.task.bucket().group())
    }
}

fn groups(say: &v1::SayHello) -> impl Iterator<Item = Group> + '_ {
    say.groups.iter().filter_map(|group| u8::try_from(*group).ok()).map(Group::new)
}
