//! The id of an attempt.
//! - AI-1 it is made of the task and the fence, so whoever knows both knows it, and nothing more is stored or sent

use std::fmt;
use std::str::FromStr;

use super::id::{BadId, Fence, TaskId};

/// One try at a task under one grant. No two grants have the same fence, so no two attempts have the same id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptId {
    pub task: TaskId,
    pub fence: Fence,
}

const TASK_DIGITS: usize = 32;
const FENCE_DIGITS: usize = 16;

impl fmt::Display for AttemptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "attempt_{:032x}{:016x}", self.task.bits(), self.fence.bits())
    }
}

impl fmt::Debug for AttemptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for AttemptId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        let digits = text.strip_prefix("attempt_").ok_or(BadId)?;
        if digits.len() != TASK_DIGITS + FENCE_DIGITS || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(BadId);
        }
        let (task, fence) = digits.split_at(TASK_DIGITS);
        let task = u128::from_str_radix(task, 16).map(TaskId::from_bits).map_err(|_| BadId)?;
        let fence = u64::from_str_radix(fence, 16).map(Fence::from_bits).map_err(|_| BadId)?;
        Ok(Self { task, fence })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::Epoch;

    #[test]
    fn the_text_names_task_and_fence() {
        let id = AttemptId { task: TaskId::from_bits(0xabc), fence: Fence::new(Epoch::new(7), 9) };
        let text = "attempt_00000000000000000000000000000abc0000000700000009";
        assert_eq!((id.to_string().as_str(), text.parse()), (text, Ok(id)));
        for bad in ["", "attempt_", "attempt_00", &text.replace("attempt", "task"), &text.replace('7', "+")] {
            assert_eq!(bad.parse::<AttemptId>(), Err(BadId), "{bad}");
        }
    }
}
