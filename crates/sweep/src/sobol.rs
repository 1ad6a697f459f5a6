//! Sobol's sequence with the direction numbers of Joe and Kuo (2008, `new-joe-kuo-6`), plain or
//! scrambled as Owen does it, by a hash (Burley 2020 with the constants of Vegdahl 2021).

/// Polynomial and first direction numbers of each dimension but the first, whose numbers are all 1.
/// The polynomial has its leading and its constant coefficient, as bits.
#[rustfmt::skip]
const DIRECTIONS: [(u32, &[u32]); 32] = [
    (3, &[1]), (7, &[1, 3]), (11, &[1, 3, 1]), (13, &[1, 1, 1]),
    (19, &[1, 1, 3, 3]), (25, &[1, 3, 5, 13]), (37, &[1, 1, 5, 5, 17]), (41, &[1, 1, 5, 5, 5]),
    (47, &[1, 1, 7, 11, 19]), (55, &[1, 1, 5, 1, 1]), (59, &[1, 1, 1, 3, 11]),
    (61, &[1, 3, 5, 5, 31]), (67, &[1, 3, 3, 9, 7, 49]), (91, &[1, 1, 1, 15, 21, 21]),
    (97, &[1, 3, 1, 13, 27, 49]), (103, &[1, 1, 1, 15, 7, 5]), (109, &[1, 3, 1, 15, 13, 25]),
    (115, &[1, 1, 5, 5, 19, 61]), (131, &[1, 3, 7, 11, 23, 15, 103]),
    (137, &[1, 3, 7, 13, 13, 15, 69]), (143, &[1, 1, 3, 13, 7, 35, 63]),
    (145, &[1, 3, 5, 9, 1, 25, 53]), (157, &[1, 3, 1, 13, 9, 35, 107]),
    (167, &[1, 3, 1, 5, 27, 61, 31]), (171, &[1, 1, 5, 11, 19, 41, 61]),
    (185, &[1, 3, 5, 3, 3, 13, 69]), (191, &[1, 1, 7, 13, 1, 19, 1]),
    (193, &[1, 3, 7, 5, 13, 19, 59]), (203, &[1, 1, 3, 9, 25, 29, 41]),
    (211, &[1, 3, 5, 13, 23, 1, 55]), (213, &[1, 3, 7, 3, 13, 59, 17]),
    (229, &[1, 3, 1, 3, 5, 53, 69]),
];

/// Most dimensions.
pub const DIMENSIONS: usize = DIRECTIONS.len() + 1;
/// Bits of a coordinate.
const BITS: usize = 32;

/// Points of Sobol's sequence. The first is the origin; it belongs to the sequence, and without it
/// no stretch of a power of two points is balanced.
#[derive(Clone, Debug)]
pub struct Sobol {
    numbers: Vec<[u32; BITS]>,
    /// The seed of each dimension's scrambling.
    scramble: Option<Vec<u32>>,
}

impl Sobol {
    /// The sequence of so many dimensions, scrambled by a seed or plain.
    ///
    /// # Panics
    /// If there are more than [`DIMENSIONS`].
    pub fn new(dimensions: usize, scramble: Option<u64>) -> Self {
        assert!(dimensions <= DIMENSIONS, "the table has {DIMENSIONS} dimensions");
        let numbers = (0..dimensions).map(directions).collect();
        let seeds = |seed: u64| {
            let mut stream = engine::Stream::new(seed, "sweep/sobol");
            (0..dimensions).map(|_| engine::low32(stream.bits())).collect()
        };
        Self { numbers, scramble: scramble.map(seeds) }
    }

    /// Point `index` in the order of Gray's code (Antonov and Saleev), each coordinate in units of
    /// 1/2^32.
    pub fn bits(&self, index: u32) -> Vec<u32> {
        let gray = index ^ (index >> 1);
        let chosen = |numbers: &[u32; BITS]| {
            let set = numbers.iter().enumerate().filter(|(bit, _)| gray >> bit & 1 == 1);
            set.fold(0, |x, (_, number)| x ^ number)
        };
        let plain = self.numbers.iter().map(chosen);
        match &self.scramble {
            None => plain.collect(),
            Some(seeds) => plain.zip(seeds).map(|(x, seed)| owen(x, *seed)).collect(),
        }
    }

    /// The same from 0 to below 1; exact, 32 bits fit.
    pub fn point(&self, index: u32) -> Vec<f64> {
        self.bits(index).into_iter().map(|x| f64::from(x) / 4_294_967_296.0).collect()
    }
}

/// The direction numbers of a dimension.
fn directions(dimension: usize) -> [u32; BITS] {
    let mut numbers = [0; BITS];
    let Some((polynomial, first)) = dimension.checked_sub(1).map(|i| DIRECTIONS[i]) else {
        for (bit, number) in numbers.iter_mut().enumerate() {
            *number = 1 << (BITS - 1 - bit);
        }
        return numbers;
    };
    let degree = first.len();
    for (bit, m) in first.iter().enumerate() {
        numbers[bit] = m << (BITS - 1 - bit);
    }
    for bit in degree..BITS {
        let mut number = numbers[bit - degree] ^ (numbers[bit - degree] >> degree);
        for k in 1..degree {
            if polynomial >> (degree - k) & 1 == 1 {
                number ^= numbers[bit - k];
            }
        }
        numbers[bit] = number;
    }
    numbers
}

/// A random permutation of every bit by the bits above it.
fn owen(x: u32, seed: u32) -> u32 {
    let mut x = x.reverse_bits();
    x ^= x.wrapping_mul(0x3d20_adea);
    x = x.wrapping_add(seed);
    x = x.wrapping_mul((seed >> 16) | 1);
    x ^= x.wrapping_mul(0x0552_6c56);
    x ^= x.wrapping_mul(0x53a2_2864);
    x.reverse_bits()
}
