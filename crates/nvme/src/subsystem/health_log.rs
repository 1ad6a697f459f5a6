//! The health logs: 02h, and C0h of OCP.

use super::events::warnings;
use crate::backend::{Health, OcpHealth};
use crate::wire::put;

/// Log page 02h. `beyond` is whether a temperature is beyond its threshold.
pub(crate) fn page(health: &Health, beyond: bool, errors: u64) -> Vec<u8> {
    let mut page = vec![0; 512];
    page[0] = warnings(health, beyond);
    put(&mut page, 1, &health.kelvin.to_le_bytes());
    page[3] = health.spare;
    page[4] = health.spare_threshold;
    page[5] = health.used;
    let counters = [
        health.units_read,
        health.units_written,
        health.reads,
        health.writes,
        health.busy_minutes,
        health.power_cycles,
        health.power_hours,
        health.unsafe_shutdowns,
        health.media_errors,
        errors.into(),
    ];
    for (place, counter) in counters.iter().enumerate() {
        put(&mut page, 32 + place * 16, &counter.to_le_bytes());
    }
    put(&mut page, 192, &health.warning_minutes.to_le_bytes());
    put(&mut page, 196, &health.critical_minutes.to_le_bytes());
    for (place, kelvin) in health.sensors.iter().enumerate() {
        put(&mut page, 200 + place * 2, &kelvin.to_le_bytes());
    }
    for (place, count) in health.throttles.iter().chain(&health.throttled_seconds).enumerate() {
        put(&mut page, 216 + place * 4, &count.to_le_bytes());
    }
    page
}

/// What marks log page C0h as OCP's, in the order of its bytes.
const GUID: u128 = 0xafd5_14c9_7c6f_4f9c_a4f2_bfea_2810_afc5;

/// Log page C0h. `used` is the number of blocks that namespaces use.
pub(crate) fn ocp_page(ocp: &OcpHealth, used: u64) -> Vec<u8> {
    let mut page = vec![0; 512];
    put(&mut page, 0, &ocp.media_written.to_le_bytes());
    put(&mut page, 16, &ocp.media_read.to_le_bytes());
    for (at, (count, left)) in [(32, ocp.bad_user_blocks), (40, ocp.bad_system_blocks)] {
        put(&mut page, at, &count.to_le_bytes()[..6]);
        put(&mut page, at + 6, &left.to_le_bytes());
    }
    put(&mut page, 48, &ocp.parity_recoveries.to_le_bytes());
    put(&mut page, 56, &ocp.uncorrectable_reads.to_le_bytes());
    put(&mut page, 64, &ocp.soft_errors.to_le_bytes());
    put(&mut page, 81, &ocp.refreshes.to_le_bytes()[..7]);
    put(&mut page, 88, &ocp.erases[0].to_le_bytes());
    put(&mut page, 92, &ocp.erases[1].to_le_bytes());
    page[96] = ocp.throttling_events;
    page[97] = ocp.throttling;
    // Version 2.0 of the specification.
    page[103] = 2;
    put(&mut page, 112, &ocp.incomplete_shutdowns.to_le_bytes());
    page[120] = ocp.free_blocks;
    put(&mut page, 128, &ocp.capacitor.to_le_bytes());
    put(&mut page, 136, &ocp.unaligned.to_le_bytes());
    put(&mut page, 152, &used.to_le_bytes());
    put(&mut page, 160, &ocp.protections.to_le_bytes());
    put(&mut page, 176, &ocp.endurance.to_le_bytes());
    put(&mut page, 200, &ocp.power_changes.to_le_bytes());
    put(&mut page, 494, &3_u16.to_le_bytes());
    put(&mut page, 496, &GUID.to_le_bytes());
    page
}
