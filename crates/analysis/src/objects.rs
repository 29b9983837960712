//! What pointers point to: objects, and places in them.

use gordian_base::{FxHashMap, define_id};
use gordian_externals::Shared;
use gordian_ir::GlobalId;

define_id! {
    /// An abstract object: all the memory that one place of the program allocates in one context.
    ObjectId, "o"
}
define_id! {
    /// A place in an object.
    LocId, "l"
}
define_id! {
    /// An abstract thread: all the threads that one place of the program creates in one context.
    AbstractThread, "t"
}
define_id! {
    /// A function in one context.
    InstanceId, "i"
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    Global(GlobalId),
    ThreadLocal(GlobalId, Option<AbstractThread>),
    /// A local variable: the number of its `Alloca`.
    Local {
        instance: InstanceId,
        pc: u32,
        variable: u32,
    },
    Heap {
        instance: InstanceId,
        pc: u32,
    },
    /// The copy of an argument that is passed by value in memory.
    ByValue {
        instance: InstanceId,
        argument: u32,
    },
    /// The arguments beyond the fixed ones.
    Variadic {
        instance: InstanceId,
    },
    /// A function or an external one, by its code index.
    Code(u32),
    /// What a thread handle names.
    Handle(AbstractThread),
    Library(Shared),
    /// What the C library keeps for each thread.
    OfThread(Option<AbstractThread>),
    /// The arguments of `main` and the environment.
    Arguments,
    /// What threads return, until they are joined.
    Results,
    /// What a copy of bytes has read and not written yet: stands between both sides, and nobody points to it.
    Buffer(u32),
    /// All memory, where objects are not told apart.
    Memory,
}

/// An offset, or all offsets that differ from it by a multiple of the stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Offset {
    pub base: i64,
    /// 0: the offset alone. 1: any offset.
    pub stride: u32,
}

/// Bytes from an offset on; `u32::MAX` for all the rest of the object.
pub type Extent = u32;
pub const TO_THE_END: Extent = u32::MAX;

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Offset {
    pub const ANY: Offset = Offset { base: 0, stride: 1 };

    pub fn exact(base: i64) -> Self {
        Offset { base, stride: 0 }
    }

    pub fn is_exact(self) -> bool {
        self.stride == 0
    }

    fn normal(base: i64, stride: u32) -> Self {
        Offset { base: if stride == 0 { base } else { base.rem_euclid(i64::from(stride)) }, stride }
    }

    pub fn plus(self, by: i64) -> Self {
        Offset::normal(self.base.wrapping_add(by), self.stride)
    }

    /// Plus any multiple of the scale.
    pub fn strided(self, scale: u32) -> Self {
        match gcd(u64::from(self.stride), u64::from(scale)) {
            0 => self,
            stride => Offset::normal(self.base, stride as u32),
        }
    }

    /// Whether some bytes from the one may be bytes from the other.
    pub fn overlaps(self, size: Extent, other: Offset, other_size: Extent) -> bool {
        let stride = gcd(u64::from(self.stride), u64::from(other.stride)) as i64;
        let (size, other_size) = (i64::from(size), i64::from(other_size));
        if stride == 0 {
            return self.base < other.base.saturating_add(other_size) && other.base < self.base.saturating_add(size);
        }
        let ahead = (other.base - self.base).rem_euclid(stride);
        ahead < size || stride - ahead < other_size
    }

    /// Whether accesses of that size that overlap begin at the same byte.
    pub fn overlaps_only_as_a_whole(self, other: Offset, size: Extent) -> bool {
        self == other && (self.stride == 0 || self.stride >= size)
    }
}

/// The objects and places that were met so far.
#[derive(Debug, Default)]
pub struct Objects {
    kinds: Vec<ObjectKind>,
    ids: FxHashMap<ObjectKind, ObjectId>,
    locs: Vec<(ObjectId, Offset)>,
    loc_ids: FxHashMap<(ObjectId, Offset), LocId>,
    n_offsets: Vec<u32>,
    /// Offsets of one object that are told apart before all are taken for one.
    most_offsets: u32,
    /// All memory is one object.
    is_one: bool,
}

impl Objects {
    pub fn new(most_offsets: u32, is_one: bool) -> Self {
        Objects { most_offsets, is_one, ..Objects::default() }
    }

    /// The kind under which an object is known.
    fn told_apart(&self, kind: ObjectKind) -> ObjectKind {
        if self.is_one && !matches!(kind, ObjectKind::Code(_)) { ObjectKind::Memory } else { kind }
    }

    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    pub fn intern(&mut self, kind: ObjectKind) -> ObjectId {
        let kind = self.told_apart(kind);
        if let Some(&id) = self.ids.get(&kind) {
            return id;
        }
        let id = ObjectId(self.kinds.len() as u32);
        self.kinds.push(kind);
        self.n_offsets.push(0);
        self.ids.insert(kind, id);
        id
    }

    pub fn find(&self, kind: ObjectKind) -> Option<ObjectId> {
        self.ids.get(&self.told_apart(kind)).copied()
    }

    pub fn kind(&self, object: ObjectId) -> ObjectKind {
        self.kinds[object.0 as usize]
    }

    pub fn ids(&self) -> impl Iterator<Item = ObjectId> + use<> {
        (0..self.kinds.len() as u32).map(ObjectId)
    }

    /// The place; any place of the object once it has too many.
    pub fn loc(&mut self, object: ObjectId, offset: Offset) -> LocId {
        if let Some(&id) = self.loc_ids.get(&(object, offset)) {
            return id;
        }
        let n = &mut self.n_offsets[object.0 as usize];
        if *n >= self.most_offsets && offset != Offset::ANY {
            return self.loc(object, Offset::ANY);
        }
        *n += 1;
        let id = LocId(self.locs.len() as u32);
        self.locs.push((object, offset));
        self.loc_ids.insert((object, offset), id);
        id
    }

    pub fn n_locs(&self) -> u32 {
        self.locs.len() as u32
    }

    pub fn at(&self, loc: LocId) -> (ObjectId, Offset) {
        self.locs[loc.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with all members of both classes within a window.
    #[test]
    fn overlap_is_that_of_the_members() {
        let members = |offset: Offset| -> Vec<i64> {
            match offset.stride {
                0 => vec![offset.base],
                stride => (-30..30).map(|n| offset.base + n * i64::from(stride)).collect(),
            }
        };
        let offsets: Vec<Offset> =
            (0..6).flat_map(|base| [0, 1, 2, 3, 4, 6].map(|stride| Offset::normal(base, stride))).collect();
        for &a in &offsets {
            for &b in &offsets {
                for (x, y) in [(1, 1), (2, 1), (1, 3), (4, 4)] {
                    let meets = |p: i64, q: i64| p < q + i64::from(y) && q < p + i64::from(x);
                    let naive = members(a).iter().any(|&p| members(b).iter().any(|&q| meets(p, q)));
                    assert_eq!(a.overlaps(x, b, y), naive, "{a:?} {x} {b:?} {y}");
                }
            }
        }
    }

    #[test]
    fn offsets_move() {
        assert_eq!(Offset::exact(8).plus(-12), Offset::exact(-4));
        assert_eq!(Offset::exact(8).strided(48).plus(44), Offset { base: 4, stride: 48 });
        assert_eq!(Offset { base: 4, stride: 48 }.strided(20), Offset { base: 0, stride: 4 });
        assert_eq!(Offset::exact(3).strided(0), Offset::exact(3));
    }
}
