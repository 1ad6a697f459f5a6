//! Read disturb: every read of a block puts a little charge into the cells of its other pages.

/// Power of wear in the slope; fits the slopes measured from 2,000 to 15,000 cycles (Cai, DSN
/// 2015).
pub const WEAR_EXPONENT: f64 = 1.45;

/// Raw bit error rate that `reads` of the block since its programming add after `worn` reference
/// cycles; `slope` is what one read adds at the reference cycles. Linear in reads.
pub fn errors(slope: f64, worn: f64, reads: f64) -> f64 {
    slope * libm::pow(worn, WEAR_EXPONENT) * reads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_follow_those_measured_on_2y_nm_mlc() {
        // Cycles and added raw bit error rate a read.
        let measured = [
            (2_000.0, 1.00e-9),
            (3_000.0, 1.63e-9),
            (4_000.0, 2.37e-9),
            (5_000.0, 3.74e-9),
            (8_000.0, 7.50e-9),
            (10_000.0, 9.10e-9),
            (15_000.0, 1.90e-8),
        ];
        for (cycles, slope) in measured {
            let model = errors(1.63e-9, cycles / 3_000.0, 1.0);
            // One power law through seven points: within 15 % of each.
            assert!((model / slope - 1.0).abs() < 0.15, "{cycles} cycles: {model:e} {slope:e}");
        }
    }
}
