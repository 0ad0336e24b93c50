//! Durable entities: one shape for their rows, and the list of their kinds.
//! Entry: [`each_table`]. A new kind has an [`EntityFormat`] in `format` and a line in `each_table`; stores, cuts, recovery
//! and the simulator's checkers need nothing more.
//! - EN-1 a row is written whole or, without its `fixed` part, over a row that has one

use std::convert::Infallible;
use std::sync::Arc;

use mainspring_core::collections::{Entity, EntityTable};
use mainspring_core::job::{Definition, JobKey};
use mainspring_core::state::EntityTables;
use mainspring_core::values::{EntityId, EntityKind, Group, Groups, Name, Seq, Wall};

use crate::format::{EncodedProfiles, FormatError, ProfileCache, VersionRef};

/// Insert or replace, by kind and id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntityRow {
    pub kind: EntityKind,
    pub id: u128,
    /// That of the tenant; group 0 if there is none.
    pub group: Group,
    pub tenant: Name,
    /// A job, or empty.
    pub parent: Name,
    /// `None` while it has not ended.
    pub ended: Option<Wall>,
    /// What never changes. In a cut `None` leaves it as it is; one that was read has it, if its kind has such a part.
    pub fixed: Option<Vec<u8>>,
    /// The rest, as [`crate::format`] encodes it.
    pub bytes: Vec<u8>,
}

/// A page of one kind, newest first: by id, the greatest first. Every field but `kind` narrows; `None` does not. Only of kinds
/// that are listed from the tables ([`EntityKind::is_listed`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntityQuery {
    pub kind: EntityKind,
    pub tenant: Option<Name>,
    pub parent: Option<Name>,
    /// The last one of the page before this one.
    pub after: Option<u128>,
    /// At most [`crate::PAGE_MAX`].
    pub limit: usize,
}

impl EntityQuery {
    pub fn wants(&self, row: &EntityRow) -> bool {
        row.kind == self.kind
            && self.tenant.as_ref().is_none_or(|tenant| row.tenant == *tenant)
            && self.parent.as_ref().is_none_or(|parent| row.parent == *parent)
            && self.after.is_none_or(|after| row.id < after)
    }
}

/// The bytes of a kind.
pub trait EntityFormat: Entity + Sized {
    fn write(&self, out: &mut EntityBytes, profiles: &mut EncodedProfiles);
    fn read(row: &EntityRow, with: &mut ReadWith<'_>) -> Result<Self, EntityError>;

    /// The version of a job that [`EntityFormat::read`] asks for; these are looked up for many rows at once.
    fn version(_row: &EntityRow) -> Result<Option<VersionKey>, FormatError> {
        Ok(None)
    }
}

#[derive(Debug, Default)]
pub struct EntityBytes {
    pub fixed: Option<Vec<u8>>,
    pub bytes: Vec<u8>,
}

pub type VersionKey = (JobKey, u32);

/// Finds a version of a job that is in the tables.
pub type FindPlan<'a> = dyn Fn(VersionRef<'_>) -> Option<(Arc<JobKey>, Definition)> + 'a;

/// What rows refer to.
pub struct ReadWith<'a> {
    pub profiles: &'a mut ProfileCache,
    pub plans: &'a FindPlan<'a>,
}

impl ReadWith<'_> {
    pub fn plan(&self, of: VersionRef<'_>) -> Result<(Arc<JobKey>, Definition), EntityError> {
        let none = || EntityError::NoVersion { name: of.name.to_owned(), version: of.version };
        (self.plans)(of).ok_or_else(none)
    }
}

/// Why a row cannot be turned into an entity.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EntityError {
    #[error(transparent)]
    Format(#[from] FormatError),
    #[error("version {version} of job `{name}` is not in the tables")]
    NoVersion { name: String, version: u32 },
}

pub trait EachTable {
    type Error;

    fn visit<T: EntityTable>(&mut self, table: &mut T) -> Result<(), Self::Error>
    where
        T::Row: EntityFormat;
}

/// The list of kinds. Each comes after those that its rows refer to.
pub fn each_table<V: EachTable>(tables: EntityTables<'_>, visitor: &mut V) -> Result<(), V::Error> {
    let EntityTables { jobs, schedules, triggers, backfills, cordons, operations } = tables;
    visitor.visit(jobs)?;
    visitor.visit(schedules)?;
    visitor.visit(triggers)?;
    visitor.visit(backfills)?;
    visitor.visit(cordons)?;
    visitor.visit(operations)
}

/// Whether an entity is in memory.
pub fn has_entity(tables: EntityTables<'_>, kind: EntityKind, id: u128) -> bool {
    struct Has(EntityKind, u128, bool);
    impl EachTable for Has {
        type Error = Infallible;

        fn visit<T: EntityTable>(&mut self, table: &mut T) -> Result<(), Infallible>
        where
            T::Row: EntityFormat,
        {
            if T::Row::KIND == self.0 {
                self.2 = table.rows().get(EntityId::of_bits(self.1)).is_some();
            }
            Ok(())
        }
    }
    let mut has = Has(kind, id, false);
    let Ok(()) = each_table(tables, &mut has);
    has.2
}

/// The row of an entity as it is now.
pub fn entity_row<E: EntityFormat>(entity: &E, groups: Groups, profiles: &mut EncodedProfiles) -> EntityRow {
    let mut out = EntityBytes::default();
    entity.write(&mut out, profiles);
    let (tenant, parent) = entity.scope();
    let EntityBytes { fixed, bytes } = out;
    EntityRow {
        kind: E::KIND,
        id: entity.id().to_bits(),
        group: if tenant.is_empty() { Group::ZERO } else { groups.of(&tenant) },
        tenant,
        parent,
        ended: entity.ended(),
        fixed,
        bytes,
    }
}

/// The rows of everything that changed since this was last asked.
pub fn changed_entities(
    tables: EntityTables<'_>,
    groups: Groups,
    profiles: &mut EncodedProfiles,
) -> Vec<EntityRow> {
    struct Changed<'a>(Vec<EntityRow>, Groups, &'a mut EncodedProfiles);
    impl EachTable for Changed<'_> {
        type Error = Infallible;

        fn visit<T: EntityTable>(&mut self, table: &mut T) -> Result<(), Infallible>
        where
            T::Row: EntityFormat,
        {
            let rows = table.rows_mut();
            let dirty = rows.take_dirty();
            self.0.reserve(dirty.len());
            for id in dirty {
                self.0.extend(rows.get(id).map(|entity| entity_row(entity, self.1, self.2)));
                // A cut that fails is offered again as it is, and nothing is cut meanwhile.
                rows.set_stored(id);
            }
            Ok(())
        }
    }
    let mut changed = Changed(Vec::new(), groups, profiles);
    let Ok(()) = each_table(tables, &mut changed);
    changed.0
}

/// For a state that nobody cuts.
pub fn forget_changed(tables: EntityTables<'_>) {
    struct Forget;
    impl EachTable for Forget {
        type Error = Infallible;

        fn visit<T: EntityTable>(&mut self, table: &mut T) -> Result<(), Infallible>
        where
            T::Row: EntityFormat,
        {
            table.rows_mut().take_dirty();
            Ok(())
        }
    }
    let Ok(()) = each_table(tables, &mut Forget);
}

/// What the head of a cut says of a kind: a row that was lost is noticed, and no number is given away twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KindHead {
    /// Rows that have not ended.
    pub live: u64,
    /// The greatest number that one of its ids ever had.
    pub numbers: u64,
}

/// After the cut that [`changed_entities`] was asked for.
pub fn kind_heads(tables: EntityTables<'_>) -> Vec<(EntityKind, KindHead)> {
    struct Heads(Vec<(EntityKind, KindHead)>);
    impl EachTable for Heads {
        type Error = Infallible;

        fn visit<T: EntityTable>(&mut self, table: &mut T) -> Result<(), Infallible>
        where
            T::Row: EntityFormat,
        {
            let rows = table.rows();
            let head = KindHead { live: rows.live_rows() as u64, numbers: rows.numbers() };
            self.0.push((T::Row::KIND, head));
            Ok(())
        }
    }
    let mut heads = Heads(Vec::new());
    let Ok(()) = each_table(tables, &mut heads);
    heads.0
}

/// Takes ended entities out of memory that the cut through `cut` stored; see `Table::leave`.
pub fn drop_entities(tables: EntityTables<'_>, ended: &[(EntityKind, u128)], cut: Seq) {
    struct Leave<'a>(&'a [(EntityKind, u128)], Seq);
    impl EachTable for Leave<'_> {
        type Error = Infallible;

        fn visit<T: EntityTable>(&mut self, table: &mut T) -> Result<(), Infallible>
        where
            T::Row: EntityFormat,
        {
            for (_, id) in self.0.iter().filter(|(kind, _)| *kind == T::Row::KIND) {
                table.leave(EntityId::of_bits(*id), self.1);
            }
            Ok(())
        }
    }
    if !ended.is_empty() {
        let Ok(()) = each_table(tables, &mut Leave(ended, cut));
    }
}
