//! Values that every capability shares: ids, times, names and the small facts that one capability tells another.
//! - VA-1 nothing here knows a table, an event or a rule

mod actor;
mod attempt;
mod attempt_details;
mod breaks;
mod bucket;
mod chance;
mod cloud_event;
mod entity;
mod failure;
mod id;
mod index;
mod limits;
mod name;
mod numbered_id;
mod pattern;
mod permit;
mod priority;
mod resources;
mod revision;
mod run;
mod stamp;
mod time;
mod window;

pub use self::{
    actor::{Actor, Note},
    attempt::AttemptId,
    attempt_details::{AttemptDetails, PROGRESS_BYTES_MAX},
    breaks::Breaks,
    bucket::{BUCKETS, Bucket, Group, Groups, group_of},
    chance::Chance,
    cloud_event::{ATTRIBUTE_BYTES_MAX, Cause, CloudEvent, DATA_BYTES_MAX, DEPTH_MAX, OWN_PREFIX},
    entity::{EntityId, EntityKind},
    failure::{Failure, FailureClass, MESSAGE_BYTES_MAX},
    id::{
        BackfillId, BadId, Epoch, Fence, Incarnation, JobId, NodeInstance, OperationId, RunId, Seq, Session,
        TaskId, WorkerId,
    },
    index::{RunIndex, ScheduleIndex, TaskIndex, WorkerIndex},
    limits::{Limits, Pressure},
    name::{BadName, NAME_BYTES_MAX, Name},
    numbered_id::{NUMBER_BITS, ScheduleId, TriggerId},
    pattern::{Pattern, Source},
    permit::{PERMITS_MAX, Permit, Permits},
    priority::{Band, LEVEL_DEFAULT, LEVEL_MAX, Priority},
    resources::{
        BadResourceName, CUSTOM_RESOURCES_MAX, LABELS_MAX, LabelCondition, RESOURCE_NAME_BYTES_MAX,
        Requirements, Resources, resource_name,
    },
    revision::Revision,
    run::{InRun, RunStatus},
    stamp::Stamp,
    time::{Elapsed, Millis, Now, Wall},
    window::{FiredAs, FiredBy, FiredWindow, Started, Window},
};
