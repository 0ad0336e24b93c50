//! Workers in the order of their free room, in blocks of neighbours that know their greatest amounts.
//! Entry: [`Shelf`].
//! - SF-1 entries are sorted by (free cpu, free memory, worker) over all blocks; no block is empty
//! - SF-2 a search skips every block in which no worker has enough of some resource
//!
//! An entry holds all that a search compares, so that the worst search reads memory in a row: measured,
//! 50,000 workers of which none fits take a few microseconds.

use super::room::{Amounts, SPARE_KINDS, covers};

/// Full blocks are cut in half. 64 entries: shifting half of them costs about as much as finding the block.
const BLOCK_MAX: usize = 64;
const BLOCK_SMALL: usize = BLOCK_MAX / 4;

#[derive(Clone, Copy, Debug)]
pub struct ShelfEntry {
    pub free: Amounts,
    pub worker: u32,
}

type ShelfRank = (u64, u64, u32);

impl ShelfEntry {
    const fn rank(&self) -> ShelfRank {
        (self.free.cpu, self.free.spare[0], self.worker)
    }
}

#[derive(Debug)]
struct Block {
    last: ShelfRank,
    most: [u64; SPARE_KINDS],
    entries: Vec<ShelfEntry>,
}

impl Block {
    fn new(entries: Vec<ShelfEntry>) -> Self {
        let mut block = Self { last: (0, 0, 0), most: [0; SPARE_KINDS], entries };
        block.sum_up();
        block
    }

    fn sum_up(&mut self) {
        self.last = self.entries.last().map_or((0, 0, 0), ShelfEntry::rank);
        let mut most = [0; SPARE_KINDS];
        for entry in &self.entries {
            most = greater(most, entry.free.spare);
        }
        self.most = most;
    }

    fn add_up(&mut self, entry: &ShelfEntry) {
        self.last = self.last.max(entry.rank());
        self.most = greater(self.most, entry.free.spare);
    }
}

fn greater(a: [u64; SPARE_KINDS], b: [u64; SPARE_KINDS]) -> [u64; SPARE_KINDS] {
    std::array::from_fn(|kind| a[kind].max(b[kind]))
}

#[derive(Debug, Default)]
pub struct Shelf {
    blocks: Vec<Block>,
    len: usize,
}

impl Shelf {
    /// All at once: a new condition in a large pool would else be felt as a pause.
    pub fn filled(mut entries: Vec<ShelfEntry>) -> Self {
        entries.sort_unstable_by_key(ShelfEntry::rank);
        let blocks = entries.chunks(BLOCK_MAX / 2).map(|chunk| Block::new(chunk.to_vec())).collect();
        Self { blocks, len: entries.len() }
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    pub fn insert(&mut self, entry: ShelfEntry) {
        self.len += 1;
        let rank = entry.rank();
        let Some(last) = self.blocks.len().checked_sub(1) else {
            self.blocks.push(Block::new(vec![entry]));
            return;
        };
        let at = self.block_of(rank).min(last);
        let block = &mut self.blocks[at];
        let place = block.entries.partition_point(|other| other.rank() < rank);
        block.entries.insert(place, entry);
        block.add_up(&entry);
        if block.entries.len() > BLOCK_MAX {
            let upper = block.entries.split_off(BLOCK_MAX / 2);
            block.sum_up();
            self.blocks.insert(at + 1, Block::new(upper));
        }
    }

    /// Takes out the entry with the same amounts and worker, which must be there.
    pub fn remove(&mut self, entry: &ShelfEntry) {
        let rank = entry.rank();
        let at = self.block_of(rank);
        let block = &mut self.blocks[at];
        let place = block
            .entries
            .binary_search_by_key(&rank, ShelfEntry::rank)
            .expect("DP-4: a listed worker is on each of its shelves");
        block.entries.remove(place);
        self.len -= 1;
        if block.entries.is_empty() {
            self.blocks.remove(at);
            return;
        }
        block.sum_up();
        self.merge(at);
    }

    /// The worker with the least room that has enough, by cpu and then memory.
    pub fn tightest(&self, need: &Amounts, may: impl Fn(u32) -> bool) -> Option<u32> {
        let from = self.block_of((need.cpu, need.spare[0], 0));
        self.blocks[from..]
            .iter()
            .filter(|block| covers(&block.most, &need.spare))
            .flat_map(|block| &block.entries)
            .find(|entry| entry.free.cover(need) && may(entry.worker))
            .map(|entry| entry.worker)
    }

    /// The worker with the most room that has enough.
    pub fn roomiest(&self, need: &Amounts, may: impl Fn(u32) -> bool) -> Option<u32> {
        self.blocks
            .iter()
            .rev()
            .take_while(|block| block.last.0 >= need.cpu)
            .filter(|block| covers(&block.most, &need.spare))
            .flat_map(|block| block.entries.iter().rev())
            .find(|entry| entry.free.cover(need) && may(entry.worker))
            .map(|entry| entry.worker)
    }

    pub fn iter(&self) -> impl Iterator<Item = &ShelfEntry> {
        self.blocks.iter().flat_map(|block| &block.entries)
    }

    /// Some entry; `draw` gives a number below its argument. The shelf is not empty.
    pub fn draw(&self, mut draw: impl FnMut(usize) -> usize) -> &ShelfEntry {
        let block = &self.blocks[draw(self.blocks.len())];
        &block.entries[draw(block.entries.len())]
    }

    fn block_of(&self, rank: ShelfRank) -> usize {
        self.blocks.partition_point(|block| block.last < rank)
    }

    /// Small blocks join a neighbour, or a shelf that has drifted would be all headers.
    fn merge(&mut self, at: usize) {
        if self.blocks[at].entries.len() > BLOCK_SMALL || at + 1 == self.blocks.len() {
            return;
        }
        if self.blocks[at].entries.len() + self.blocks[at + 1].entries.len() <= BLOCK_MAX / 2 {
            let next = self.blocks.remove(at + 1);
            self.blocks[at].entries.extend(next.entries);
            self.blocks[at].sum_up();
        }
    }
}
