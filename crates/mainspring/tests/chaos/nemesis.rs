//! Who is killed when: drawn from the seed.

use std::time::Duration;

use mainspring_core::values::Chance;

use crate::processes::Service;

/// Between two kills, at most; on average half of it.
const PAUSE_MS: u64 = 3_600;
/// How long a victim stays down, at most.
const DOWN_MS: u64 = 700;
/// Longer than a lease: once in a run a worker is away until the server gives it up.
const AWAY: Duration = Duration::from_secs(17);

pub struct Nemesis {
    pub chance: Chance,
    pub server: Service,
    pub workers: [Service; 2],
    pub killed: Killed,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Killed {
    pub servers: usize,
    pub workers: usize,
}

impl Nemesis {
    pub fn start_all(&mut self) {
        self.server.start();
        self.server.until_ready();
        for worker in &mut self.workers {
            worker.start();
            worker.until_ready();
        }
    }

    /// How long `kills` kills take on average.
    pub fn expected(kills: usize) -> Duration {
        Duration::from_millis(kills as u64 * (PAUSE_MS + DOWN_MS) / 2)
    }

    pub fn rage(&mut self, kills: usize) {
        let away_at = kills / 3;
        let mut away_until = None;
        for kill in 0..kills {
            pause(self.chance.below(PAUSE_MS));
            if away_until.is_some_and(|until| std::time::Instant::now() >= until) {
                self.workers[1].start();
                away_until = None;
            }
            if kill == away_at {
                self.killed.workers += 1;
                self.workers[1].kill();
                away_until = Some(std::time::Instant::now() + AWAY);
                continue;
            }
            self.strike();
        }
        if let Some(until) = away_until {
            std::thread::sleep(until.saturating_duration_since(std::time::Instant::now()));
            self.workers[1].start();
        }
    }

    /// Half of the time the server, else a worker; now and then both at once.
    fn strike(&mut self) {
        let kind = self.chance.below(10);
        let worker = usize::from(self.workers[1].is_running() && self.chance.per_mille(500));
        if kind < 6 {
            self.killed.servers += 1;
            self.server.kill();
        }
        if kind >= 5 {
            self.killed.workers += usize::from(kind > 5);
            self.workers[worker].kill();
        }
        pause(self.chance.below(DOWN_MS));
        if kind < 6 {
            self.server.start();
        }
        if kind >= 5 {
            self.workers[worker].start();
        }
    }
}

/// Not a synchronisation: the moment of a fault.
fn pause(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms));
}
