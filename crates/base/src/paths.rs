//! Shortest paths in graphs whose nodes are small numbers.

/// Finds shortest paths between nodes below a limit. It keeps its room from one search to the next.
pub struct ShortestPaths {
    /// By node: the one before it on the way from the start; [`NOT_REACHED`] before and after each search.
    came_from: Vec<u32>,
    /// In the order in which they were reached.
    reached: Vec<u32>,
}

const NOT_REACHED: u32 = u32::MAX;

impl ShortestPaths {
    /// Among this many nodes.
    pub fn new(n_nodes: usize) -> ShortestPaths {
        ShortestPaths { came_from: vec![NOT_REACHED; n_nodes], reached: Vec::new() }
    }

    /// The nodes of a shortest path, both ends included. Of several it is the one whose nodes `successors` names first.
    pub fn find<I: IntoIterator<Item = u32>>(
        &mut self,
        from: u32,
        to: u32,
        successors: impl Fn(u32) -> I,
    ) -> Option<Vec<u32>> {
        self.reach(from, from);
        let mut nth = 0;
        while let Some(&at) = self.reached.get(nth).filter(|&&at| at != to) {
            for next in successors(at) {
                self.reach(next, at);
            }
            nth += 1;
        }
        let path = (self.reached.get(nth) == Some(&to)).then(|| self.path_to(to));
        for at in self.reached.drain(..) {
            self.came_from[at as usize] = NOT_REACHED;
        }
        path
    }

    #[inline]
    fn reach(&mut self, node: u32, from: u32) {
        let came_from = &mut self.came_from[node as usize];
        if *came_from == NOT_REACHED {
            *came_from = from;
            self.reached.push(node);
        }
    }

    fn path_to(&self, to: u32) -> Vec<u32> {
        let before = |&at: &u32| Some(self.came_from[at as usize]).filter(|&before| before != at);
        let mut path: Vec<u32> = std::iter::successors(Some(to), before).collect();
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_is_found_again_and_again() {
        let edges: [&[u32]; 6] = [&[1, 2], &[3], &[4], &[4], &[0, 5], &[]];
        let mut paths = ShortestPaths::new(edges.len());
        let mut find = |from, to| paths.find(from, to, |at| edges[at as usize].iter().copied());
        assert_eq!(find(0, 4), Some(vec![0, 2, 4]));
        assert_eq!(find(1, 2), Some(vec![1, 3, 4, 0, 2]));
        assert_eq!(find(5, 0), None);
        assert_eq!(find(3, 3), Some(vec![3]));
        assert_eq!(find(0, 5), Some(vec![0, 2, 4, 5]));
    }
}
