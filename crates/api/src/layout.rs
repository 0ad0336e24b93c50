//! Where the tasks of a graph are drawn: layers from left to right, and heights. Entry: [`layout`].
//! - LY-1 a task is in a later layer than each that it needs
//! - LY-2 things of one layer are at least one row apart: tasks, and the places where long edges pass
//! - LY-3 O(n log n) in tasks and places, without recursion: a chain of any length is laid out as fast as a wide graph
//!
//! Longest paths give the layers, sweeps over means of neighbours the order in them, then each is moved as close to its
//! neighbours as the order and the distance allow.

/// Sweeps that sort, and sweeps that move. More of them make fewer crossings, but hardly so.
const SORTS: usize = 8;
const MOVES: usize = 6;
/// With more places than this long edges are drawn straight.
const PLACES_MAX: usize = 400_000;

/// One edge: the second needs the first.
pub(crate) type Edge = (u32, u32);

#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Drawing {
    /// Of each task; the column in which it stands.
    pub layer: Vec<u32>,
    /// Of each task, in rows from the top.
    pub y: Vec<f32>,
    pub layers: u32,
    pub rows: f32,
    /// Heights of the places of each edge, one for each layer between its ends, edge by edge. Empty if `straight`.
    pub bends: Vec<f32>,
    /// There were too many places: edges go straight.
    pub straight: bool,
}

pub(crate) fn layout(count: usize, edges: &[Edge]) -> Drawing {
    let layer = layers(count, edges);
    let (wide, straight) = Wide::of(count, &layer, edges);
    let mut rows = wide.rows();
    let (before, after) =
        (Neighbours::of(&wide, |(from, to)| (to, from)), Neighbours::of(&wide, |(from, to)| (from, to)));
    sort_rows(&mut rows, wide.layer.len(), &before, &after);
    let mut y = moved(&rows, wide.layer.len(), &before, &after);
    let top = y.iter().copied().fold(f32::INFINITY, f32::min);
    let bottom = y.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for y in &mut y {
        *y -= top;
    }
    let bends = y.split_off(count);
    let tall = if count == 0 { 0.0 } else { bottom - top + 1.0 };
    Drawing { layers: rows.len() as u32, layer, y, rows: tall, bends, straight }
}

/// One more than the highest of those that it needs. What lies on a cycle, which no plan has, is left in the first.
pub(crate) fn layers(count: usize, edges: &[Edge]) -> Vec<u32> {
    let after = Neighbours::new(count, edges.iter().copied());
    let mut waits = vec![0_u32; count];
    for (_, to) in edges {
        waits[*to as usize] += 1;
    }
    let mut layer = vec![0; count];
    let mut ready: Vec<u32> = (0..count as u32).filter(|node| waits[*node as usize] == 0).collect();
    let mut next = 0;
    while let Some(&node) = ready.get(next) {
        next += 1;
        for &to in after.of_node(node) {
            let place = to as usize;
            layer[place] = layer[place].max(layer[node as usize] + 1);
            waits[place] -= 1;
            if waits[place] == 0 {
                ready.push(to);
            }
        }
    }
    layer
}

/// The graph with a place for each layer that an edge passes: every edge goes to the next layer.
struct Wide {
    layer: Vec<u32>,
    edges: Vec<Edge>,
}

impl Wide {
    fn of(count: usize, layer: &[u32], edges: &[Edge]) -> (Self, bool) {
        let span = |&(from, to): &Edge| layer[to as usize].saturating_sub(layer[from as usize] + 1);
        let places: usize = edges.iter().map(|edge| span(edge) as usize).sum();
        if places > PLACES_MAX {
            return (Self { layer: layer.to_vec(), edges: edges.to_vec() }, true);
        }
        let mut wide =
            Self { layer: layer[..count].to_vec(), edges: Vec::with_capacity(edges.len() + places) };
        wide.layer.reserve(places);
        for &(from, to) in edges {
            let mut last = from;
            for at in layer[from as usize] + 1..layer[to as usize] {
                let place = wide.layer.len() as u32;
                wide.layer.push(at);
                wide.edges.push((last, place));
                last = place;
            }
            wide.edges.push((last, to));
        }
        (wide, false)
    }

    /// What each layer holds.
    fn rows(&self) -> Vec<Vec<u32>> {
        let deep = self.layer.iter().copied().max().map_or(0, |deepest| deepest as usize + 1);
        let mut rows = vec![Vec::new(); deep];
        for (node, layer) in self.layer.iter().enumerate() {
            rows[*layer as usize].push(node as u32);
        }
        rows
    }
}

/// Lists of neighbours, one behind the other.
struct Neighbours {
    starts: Vec<u32>,
    list: Vec<u32>,
}

impl Neighbours {
    fn of(wide: &Wide, turned: impl Fn(Edge) -> Edge) -> Self {
        Self::new(wide.layer.len(), wide.edges.iter().map(|edge| turned(*edge)))
    }

    /// The seconds of each first.
    fn new(count: usize, edges: impl Iterator<Item = Edge> + Clone) -> Self {
        let mut starts = vec![0_u32; count + 1];
        for (from, _) in edges.clone() {
            starts[from as usize + 1] += 1;
        }
        for node in 0..count {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut list = vec![0; starts.last().map_or(0, |all| *all as usize)];
        for (from, to) in edges {
            let place = &mut next[from as usize];
            list[*place as usize] = to;
            *place += 1;
        }
        Self { starts, list }
    }

    fn of_node(&self, node: u32) -> &[u32] {
        let (from, to) = (self.starts[node as usize], self.starts[node as usize + 1]);
        &self.list[from as usize..to as usize]
    }

    /// The mean of what the neighbours have; its own where it has none.
    fn mean(&self, node: u32, of: &[f32]) -> f32 {
        match self.of_node(node) {
            [] => of[node as usize],
            all => all.iter().map(|other| of[*other as usize]).sum::<f32>() / all.len() as f32,
        }
    }
}

/// Layers in the direction of a sweep, without the one where it begins.
fn sweep(count: usize, forth: bool) -> impl Iterator<Item = usize> {
    (1..count).map(move |step| if forth { step } else { count - 1 - step })
}

fn sort_rows(rows: &mut [Vec<u32>], count: usize, before: &Neighbours, after: &Neighbours) {
    let mut place = vec![0.0_f32; count];
    let note = |row: &[u32], place: &mut Vec<f32>| {
        row.iter().enumerate().for_each(|(at, node)| place[*node as usize] = at as f32);
    };
    for row in rows.iter() {
        note(row, &mut place);
    }
    let mut keyed: Vec<(f32, f32, u32)> = Vec::new();
    for turn in 0..SORTS {
        let forth = turn % 2 == 0;
        let neighbours = if forth { before } else { after };
        for at in sweep(rows.len(), forth) {
            let row = &mut rows[at];
            keyed.clear();
            keyed.extend(
                row.iter().map(|node| (neighbours.mean(*node, &place), place[*node as usize], *node)),
            );
            keyed.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
            row.iter_mut().zip(&keyed).for_each(|(slot, (_, _, node))| *slot = *node);
            note(row, &mut place);
        }
    }
}

/// Heights: each wants to be level with its neighbours.
fn moved(rows: &[Vec<u32>], count: usize, before: &Neighbours, after: &Neighbours) -> Vec<f32> {
    let mut y = vec![0.0_f32; count];
    for row in rows {
        let middle = (row.len().max(1) - 1) as f32 / 2.0;
        row.iter().enumerate().for_each(|(at, node)| y[*node as usize] = at as f32 - middle);
    }
    let (mut wish, mut blocks) = (Vec::new(), Vec::new());
    for turn in 0..MOVES {
        let forth = turn % 2 == 0;
        let neighbours = if forth { before } else { after };
        for at in sweep(rows.len(), forth) {
            wish.clear();
            wish.extend(rows[at].iter().map(|node| neighbours.mean(*node, &y)));
            spread(&mut wish, &mut blocks);
            rows[at].iter().zip(&wish).for_each(|(node, height)| y[*node as usize] = *height);
        }
    }
    y
}

/// The closest heights to the wishes that are a row apart: those that collide are moved together, around their mean.
fn spread(wish: &mut [f32], blocks: &mut Vec<(f64, u32)>) {
    blocks.clear();
    let mean = |(sum, count): &(f64, u32)| sum / f64::from(*count);
    for (at, value) in wish.iter().enumerate() {
        let mut block = (f64::from(*value) - at as f64, 1);
        while let Some(last) = blocks.last().copied().filter(|last| mean(last) > mean(&block)) {
            block = (block.0 + last.0, block.1 + last.1);
            blocks.pop();
        }
        blocks.push(block);
    }
    let settled = blocks.iter().flat_map(|block| std::iter::repeat_n(mean(block), block.1 as usize));
    for ((at, slot), value) in wish.iter_mut().enumerate().zip(settled) {
        *slot = (value + at as f64) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every edge goes forward, and nothing in a layer is closer than a row.
    #[track_caller]
    fn check(count: usize, edges: &[Edge]) -> Drawing {
        let drawing = layout(count, edges);
        for (from, to) in edges {
            assert!(drawing.layer[*from as usize] < drawing.layer[*to as usize], "LY-1: {from} before {to}");
        }
        let mut places: Vec<(u32, f32)> =
            drawing.layer.iter().copied().zip(drawing.y.iter().copied()).collect();
        let mut bends = drawing.bends.iter();
        for (from, to) in edges.iter().filter(|_| !drawing.straight) {
            for layer in drawing.layer[*from as usize] + 1..drawing.layer[*to as usize] {
                places.push((layer, *bends.next().expect("a place for each layer")));
            }
        }
        assert_eq!(bends.next(), None);
        places.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        for pair in places.windows(2) {
            let apart = pair[0].0 != pair[1].0 || pair[1].1 - pair[0].1 > 0.99;
            assert!(apart, "LY-2: {pair:?}");
        }
        drawing
    }

    #[test]
    fn small_graphs() {
        assert_eq!(layout(0, &[]), Drawing::default());
        let diamond = check(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        assert_eq!((diamond.layer, diamond.layers, diamond.rows), (vec![0, 1, 1, 2], 3, 2.0));
        assert_eq!(diamond.y, [0.5, 0.0, 1.0, 0.5]);
        let long = check(5, &[(0, 1), (1, 2), (0, 3), (2, 3), (0, 4)]);
        assert_eq!((long.layer, long.bends.len()), (vec![0, 1, 2, 3, 1], 2), "0 to 3 passes two layers");
    }

    #[test]
    fn a_cycle_ends() {
        assert_eq!(layout(2, &[(0, 1), (1, 0)]).layer, [0, 0]);
    }

    #[test]
    fn a_chain_is_straight_however_long() {
        let edges: Vec<Edge> = (1..100_000).map(|node| (node - 1, node)).collect();
        let chain = check(100_000, &edges);
        assert_eq!((chain.layers, chain.rows), (100_000, 1.0));
        assert!(chain.y.iter().all(|y| *y == 0.0));
    }

    #[test]
    fn crossings_are_untangled() {
        // Each of the second layer needs one of the first, in the opposite order.
        let edges: Vec<Edge> = (0..50).map(|node| (node, 99 - node)).collect();
        let drawing = check(100, &edges);
        for (from, to) in edges {
            assert!(
                (drawing.y[from as usize] - drawing.y[to as usize]).abs() < 0.01,
                "{from} is level with {to}"
            );
        }
    }

    #[test]
    fn a_large_random_graph_keeps_its_distances() {
        let (mut seed, mut edges) = (7_u64, Vec::new());
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for node in 1..10_000_u64 {
            for _ in 0..=draw(2) {
                edges.push((node.saturating_sub(1 + draw(200)) as u32, node as u32));
            }
        }
        check(10_000, &edges);
        let wide: Vec<Edge> = (1..10_000).map(|node| (0, node)).collect();
        assert!((check(10_000, &wide).rows - 9_999.0).abs() < 0.5);
    }

    #[test]
    fn too_many_places_make_edges_straight() {
        let mut edges: Vec<Edge> = (1..2_000).map(|node| (node - 1, node)).collect();
        edges.extend((0..600).map(|node| (node, 1_999)));
        let drawing = check(2_000, &edges);
        assert!(drawing.straight && drawing.bends.is_empty());
    }
}
