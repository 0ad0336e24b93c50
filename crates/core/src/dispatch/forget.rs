//! Forgetting what is no longer used, so that endless variety of tasks takes bounded memory.
//! Entry: `Dispatcher::note_idle`.
//! - FO-1 at most [`IDLE_MAX`] classes are kept without a task; with its last class a line, need, group,
//!   tenant or pool goes too, unless it was configured or has workers

use super::need::{Need, Outlook};
use super::queue::{Class, Pool, Tenant};
use super::{Dispatcher, POOL_DEFAULT, TENANT_DEFAULT};
use crate::collections::Id;

/// A class that was used a moment ago is likely to be used again.
pub const IDLE_MAX: usize = 1024;

impl Dispatcher {
    /// Called when a class may have lost its last task.
    pub(super) fn note_idle(&mut self, id: Id<Class>) {
        let class = &mut self.classes[id];
        if class.in_idle || !class.is_idle() {
            return;
        }
        class.in_idle = true;
        self.lookup.idle.push_back(id);
        if self.lookup.idle.len() > IDLE_MAX
            && let Some(oldest) = self.lookup.idle.pop_front()
        {
            self.classes[oldest].in_idle = false;
            if self.classes[oldest].is_idle() {
                self.drop_class(oldest);
            }
        }
    }

    fn drop_class(&mut self, id: Id<Class>) {
        let class = self.classes.remove(id);
        self.forget_class_key(&class);
        if let Some(row) = &class.row {
            self.drop_row(row);
        }
        self.lines[class.line].classes -= 1;
        if self.lines[class.line].classes == 0 {
            let line = self.lines.remove(class.line);
            self.lookup.lines.remove(&(line.tenant, line.pool, line.band));
            self.tenants[line.tenant].lines -= 1;
            self.drop_tenant_if_unused(line.tenant);
        }
        self.needs[class.need].classes -= 1;
        if self.needs[class.need].classes == 0 {
            self.drop_need(class.need);
        }
    }

    fn drop_need(&mut self, id: Id<Need>) {
        let need = self.needs.remove(id);
        let needs = &mut self.pools[need.pool].needs;
        if let Some(of_executor) = needs.get_mut(&need.executor) {
            of_executor.remove(&need.requirements);
            if of_executor.is_empty() {
                needs.remove(&need.executor);
            }
        }
        let group = &mut self.workers.groups[need.group];
        if need.outlook != Outlook::Open {
            group.watch.remove(&(need.amounts.cpu, id));
        }
        group.needs -= 1;
        if group.needs == 0 {
            self.workers.drop_group(need.group);
        }
        self.drop_pool_if_unused(need.pool);
    }

    pub(super) fn drop_tenant_if_unused(&mut self, id: Id<Tenant>) {
        let tenant = &self.tenants[id];
        if tenant.lines == 0 && tenant.share == TENANT_DEFAULT {
            let tenant = self.tenants.remove(id);
            self.lookup.tenants.remove(&tenant.name);
        }
    }

    pub(super) fn drop_pool_if_unused(&mut self, id: Id<Pool>) {
        let pool = &self.pools[id];
        let used = !pool.needs.is_empty() || pool.limit != POOL_DEFAULT || !self.workers.pool(id).is_unused();
        if !used {
            let pool = self.pools.remove(id);
            self.lookup.pools.remove(&pool.name);
            self.ready.iter_mut().for_each(|ring| ring.retain(|other| *other != id));
        }
    }
}
