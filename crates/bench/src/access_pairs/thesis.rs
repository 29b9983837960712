//! The figures of the thesis: tables 4.2 to 4.5 and 6.2 to 6.5.

/// RW, MM, WM and WN pairs.
pub type Kinds = [u64; 4];

/// What the thesis says of a program.
pub struct Figures {
    pub program: &'static str,
    pub cflag: Option<&'static str>,
    pub nodes: u64,
    pub mhp_pairs: u64,
    pub pairs: Kinds,
    pub seconds: f64,
    /// The pairs without the filter that must remove some (`pairs::BITES`).
    pub without: Option<Kinds>,
    /// Of the search and of the baseline; none where the baseline ran out of time.
    pub states: (f64, Option<f64>),
    pub instructions: (f64, Option<f64>),
    pub overall: (f64, Option<f64>),
    pub search: (f64, Option<f64>),
    /// Left out of the averages.
    pub is_exceptional: bool,
}

const fn figures(program: &'static str, nodes: u64, mhp_pairs: u64, pairs: Kinds, seconds: f64) -> Figures {
    let none = (0.0, None);
    Figures {
        program,
        cflag: None,
        nodes,
        mhp_pairs,
        pairs,
        seconds,
        without: None,
        states: none,
        instructions: none,
        overall: none,
        search: none,
        is_exceptional: false,
    }
}

impl Figures {
    /// States, instructions, overall time and time of the search: each of the search, then of the baseline.
    const fn took(self, own: [f64; 4], baseline: [f64; 3]) -> Figures {
        let [states, instructions, seconds] = baseline;
        Figures {
            states: (own[0], Some(states)),
            instructions: (own[1], Some(instructions)),
            overall: (own[2], Some(seconds)),
            search: (own[3], Some(seconds)),
            ..self
        }
    }

    const fn without(self, pairs: Kinds) -> Figures {
        Figures { without: Some(pairs), ..self }
    }

    const fn exceptional(self) -> Figures {
        Figures { is_exceptional: true, ..self }
    }
}

/// The programs that timed out in table 4.2 have the figures of table 4.3.
pub const FIGURES: &[Figures] = &[
    figures("twostage", 84, 1255, [0, 2, 0, 0], 4.54).took([7.0, 695.0, 5.50, 0.96], [82.0, 3541.0, 1.00]),
    figures("wronglock", 79, 863, [5, 0, 0, 0], 3.72).took([5.0, 682.0, 5.01, 1.29], [42.0, 2545.0, 1.00]),
    figures("producerconsumer", 380, 26354, [41, 44, 54, 54], 23.97)
        .without([95, 44, 54, 54])
        .took([30.0, 3568.0, 24.11, 0.14], [121.0, 5341.0, 3.00]),
    figures("blockbarrier", 226, 6196, [0, 6, 12, 12], 7.54).took([24.0, 1760.0, 8.50, 0.96], [896.0, 17463.0, 4.00]),
    figures("reorder", 77, 1082, [20, 0, 0, 0], 3.62).took([16.0, 1581.0, 5.22, 1.60], [722.0, 14767.0, 3.00]),
    figures("deadlock_d1", 63, 672, [0, 2, 0, 0], 4.09).took([4.0, 532.0, 4.95, 0.86], [70.0, 3172.0, 1.00]),
    figures("deadlock_d2", 45, 435, [0, 4, 0, 0], 3.37).took([8.0, 528.0, 4.33, 0.96], [24.0, 2664.0, 1.00]),
    figures("diningphilosopher", 108, 3225, [0, 40, 0, 0], 5.02)
        .took([367.0, 2057.0, 6.52, 1.50], [1927.0, 56749.0, 7.80]),
    figures("losenotify", 77, 713, [0, 1, 1, 1], 3.53).took([7.0, 556.0, 4.40, 0.88], [13.0, 2519.0, 1.00]),
    figures("clean", 71, 912, [7, 2, 2, 2], 4.45).took([3.0, 575.0, 4.90, 0.45], [614.0, 9383.0, 3.00]),
    figures("nestedmonitor", 75, 923, [0, 2, 2, 2], 3.97).took([19.0, 677.0, 4.72, 0.93], [33.0, 2690.0, 1.00]),
    figures("alarmclock", 263, 13948, [16, 6, 4, 2], 16.61).took([48.0, 2207.0, 17.184, 0.57], [987.0, 18329.0, 3.74]),
    Figures {
        states: (11.0, None),
        instructions: (3843756.0, None),
        overall: (85.034, None),
        search: (69.21, None),
        ..figures("raxextend", 218, 16159, [10, 35, 0, 0], 15.83)
    }
    .exceptional(),
    figures("daisy", 957, 202531, [1, 45, 12, 2], 16.90)
        .without([272, 45, 12, 2])
        .took([6477.0, 411742.0, 89.639, 70.74], [50222.0, 11792715.0, 21.88]),
    figures("rw", 415, 31063, [51, 52, 36, 12], 27.27)
        .took([28.0, 125847.0, 27.01, 0.74], [65681652.0, 1390833819.0, 416538.66])
        .exceptional(),
    Figures { cflag: Some("-DCHECK"), ..figures("rw", 415, 31063, [51, 52, 36, 12], 26.27) }
        .took([6090.0, 1555447.0, 218.383, 191.11], [439092.0, 43843944.0, 439.09]),
    figures("replicatedworker", 1650, 28901, [545, 1100, 640, 295], 18.90)
        .without([1025, 1390, 640, 295])
        .took([1206.0, 184464.0, 34.63, 15.73], [614842.0, 34381953.0, 437.15]),
    figures("boundedbuffer", 349, 41325, [0, 28, 56, 56], 38.51)
        .took([71876.0, 3130349.0, 243.665, 205.16], [344720.0, 24847425.0, 166.82]),
    figures("linkedlist", 272, 8432, [144, 0, 0, 0], 9.97)
        .took([197.0, 299293.0, 20.53, 10.56], [42137.0, 67193304.0, 91.00]),
    figures("piper", 1133, 104281, [0, 496, 992, 992], 11.84)
        .without([2208, 496, 992, 992])
        .took([15.0, 7539.0, 11.80, 0.76], [224.0, 8741.0, 4.41]),
    figures("account_race", 314, 33825, [1890, 1210, 0, 0], 86.48)
        .without([4320, 1210, 0, 0])
        .took([124.0, 12388.0, 88.83, 2.35], [344.0, 10310.0, 4.09]),
    figures("account_deadlock", 269, 24150, [0, 1210, 0, 0], 57.83)
        .took([49991.0, 1119633.0, 333.127, 275.30], [314118.0, 8308060.0, 160.73]),
    figures("account_subtype", 256, 18440, [2040, 490, 0, 0], 29.10)
        .without([4590, 490, 0, 0])
        .took([332.0, 17699.0, 29.575, 0.47], [2132349.0, 68951390.0, 1125.44])
        .exceptional(),
];
