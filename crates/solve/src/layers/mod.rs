//! Layers around a solver, each of which answers what it can and passes on the rest. KLEE (OSDI 2008) has the same chain.

mod cache;
mod domains;
mod fold;
mod independence;
mod order;
mod reuse;

pub use cache::Cache;
pub use domains::Domains;
pub use fold::Fold;
pub use independence::Independence;
pub use order::Order;
pub use reuse::ModelReuse;

use crate::backend::BitBlaster;
use crate::sat::Batsat;
use crate::statistics::Clock;

/// The usual chain.
pub type Standard = Fold<Independence<Cache<Order<ModelReuse<Domains<BitBlaster>>>>>>;

/// All layers around batsat. The clock only fills in the times of the statistics.
pub fn standard(clock: Option<Clock>) -> Standard {
    let bits = BitBlaster::with_core(Batsat::new(), clock);
    let domains = Domains::new(bits, clock);
    let order = Order::new(ModelReuse::new(domains, clock), clock);
    Fold::new(Independence::new(Cache::new(order, clock), clock), clock)
}
