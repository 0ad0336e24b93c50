//! Entities of every kind on their way to the tables and back. What each kind is made of is known in `store` only.

use std::collections::BTreeMap;

use mainspring_core::collections::{Entity, EntityTable};
use mainspring_core::engine::Engine;
use mainspring_core::state::State;
use mainspring_core::values::{EntityId, EntityKind, Groups};
use mainspring_store::entity::{EntityError, KindHead, ReadWith, VersionKey, changed_entities, kind_heads};
use mainspring_store::format::{EncodedProfiles, FormatError, ProfileCache, Reader, VersionRef, Writer};
use mainspring_store::{Cut, EachTable, EntityFormat, EntityRow, OpenError, Recovery, each_table};

use super::recover::unreadable;
use super::runs::Plans;

/// Rows in a page.
const ROWS_AT_ONCE: usize = 1_000;

/// Rows of what changed; tells which of them have ended.
pub(super) fn add_rows(
    engine: &mut Engine,
    groups: Groups,
    cut: &mut Cut,
    profiles: &mut EncodedProfiles,
) -> Vec<(EntityKind, u128)> {
    cut.entities = changed_entities(engine.entity_tables(), groups, profiles);
    let ended = cut.entities.iter().filter(|row| row.ended.is_some());
    ended.map(|row| (row.kind, row.id)).collect()
}

/// What the head of a cut says of each kind.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct KindHeads(BTreeMap<EntityKind, KindHead>);

impl KindHeads {
    /// After [`add_rows`].
    pub(super) fn of(engine: &mut Engine) -> Self {
        Self(kind_heads(engine.entity_tables()).into_iter().collect())
    }

    pub(super) fn write(&self, w: &mut Writer<'_>) {
        w.varint(self.0.len() as u64);
        for (kind, head) in &self.0 {
            w.byte(*kind as u8);
            w.varint(head.live);
            w.varint(head.numbers);
        }
    }

    pub(super) fn read(r: &mut Reader<'_>) -> Result<Self, FormatError> {
        let mut heads = BTreeMap::new();
        for _ in 0..r.varint("kinds of entities")? {
            let at = r.at();
            let number = r.byte("kind of entity")?;
            let newest = EntityKind::ALL.map(|kind| kind as u8).into_iter().max().unwrap_or_default();
            let unknown =
                FormatError::Newer { what: "kind of entity", at, found: number.into(), known: newest.into() };
            let kind = EntityKind::from_number(number).ok_or(unknown)?;
            heads.insert(kind, KindHead { live: r.varint("entities")?, numbers: r.varint("numbers")? });
        }
        Ok(Self(heads))
    }
}

/// Everything that has not ended, kind by kind.
pub(super) fn load_all(
    state: &mut State,
    recovery: &mut dyn Recovery,
    (plans, profiles): (&mut Plans, &mut ProfileCache),
    heads: &KindHeads,
) -> Result<u64, OpenError> {
    let mut load = Load { recovery, plans, profiles, heads, rows: 0 };
    each_table(state.entity_tables(), &mut load)?;
    Ok(load.rows)
}

struct Load<'a> {
    recovery: &'a mut dyn Recovery,
    plans: &'a mut Plans,
    profiles: &'a mut ProfileCache,
    heads: &'a KindHeads,
    rows: u64,
}

impl EachTable for Load<'_> {
    type Error = OpenError;

    fn visit<T: EntityTable>(&mut self, table: &mut T) -> Result<(), OpenError>
    where
        T::Row: EntityFormat,
    {
        let kind = T::Row::KIND;
        let (mut after, mut found) = (None, 0);
        loop {
            let page = self.recovery.entities(kind, after, ROWS_AT_ONCE)?;
            let Some(last) = page.last() else { break };
            after = Some(last.id);
            found += page.len() as u64;
            self.fetch_versions::<T::Row>(&page)?;
            for row in &page {
                table.load(self.read(row)?);
            }
        }
        self.rows += found;
        let KindHead { live: expected, numbers } = self.heads.0.get(&kind).copied().unwrap_or_default();
        table.rows_mut().set_numbers(numbers);
        if found == expected {
            return Ok(());
        }
        let (what, label) = ("table of entities".to_owned(), kind.label());
        let why = format!(
            "it has {found} rows of kind `{label}` that have not ended, the last cut wrote {expected}"
        );
        Err(OpenError::Unreadable { what, why })
    }
}

impl Load<'_> {
    fn fetch_versions<E: EntityFormat>(&mut self, page: &[EntityRow]) -> Result<(), OpenError> {
        let mut wanted: Vec<VersionKey> = Vec::new();
        for row in page {
            wanted.extend(E::version(row).map_err(unreadable(what_of(row)))?);
        }
        let wanted = wanted.iter().map(|(key, version)| VersionRef {
            tenant: key.tenant.as_str(),
            name: key.name.as_str(),
            version: *version,
        });
        Ok(self.plans.fetch(wanted, self.recovery.tables(), self.profiles)?)
    }

    fn read<E: EntityFormat>(&mut self, row: &EntityRow) -> Result<E, OpenError> {
        let plans = &*self.plans;
        let mut with = ReadWith { profiles: self.profiles, plans: &|of| plans.find_version(of) };
        let entity = E::read(row, &mut with).map_err(|error| match error {
            EntityError::Format(error) => unreadable(what_of(row))(error),
            EntityError::NoVersion { .. } => {
                OpenError::Unreadable { what: what_of(row), why: error.to_string() }
            }
        })?;
        if entity.id().to_bits() == row.id {
            return Ok(entity);
        }
        Err(OpenError::Unreadable { what: what_of(row), why: "its bytes are of another id".to_owned() })
    }
}

fn what_of(row: &EntityRow) -> String {
    let EntityRow { kind, id, tenant, parent, .. } = row;
    format!("row {id:#x} of kind `{}`, tenant `{tenant}`, job `{parent}`", kind.label())
}
