//! What a method runs on: a modelled or a real drive, behind one interface.

use super::failure::Failure;
use super::load::Load;
use super::preconditioning::Preconditioning;
use super::soak::{SoakAsked, Soaked};
use crate::life::Life;
use engine::{Duration, whole};
use iopath::device::flash::cell::endurance::Class;
use metric::State;
use serde::{Deserialize, Serialize};
use simulate::{Enough, HeatSummary, ServersAsked};
use smart::Interval;
use stats::{Limit, RunResult, Timeline, Windows};

/// One run of a job.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    /// The job.
    pub load: &'a Load,
    /// Time before anything is measured, in microseconds of the target's time.
    pub ramp_us: u64,
    /// Measured time, in microseconds of the target's time; a pass ends by itself.
    pub runtime_us: u64,
    /// Window of the series.
    pub window: Duration,
    /// A small region keeps its true size on a drive at a fraction of its capacity.
    pub keep_size: bool,
    /// Only a look: its books need not be checked.
    pub pilot: bool,
    /// On a model so many I/Os are enough, and the times are limits.
    pub enough: Option<Enough>,
    /// The time stands for a volume, and on a part of a drive for a longer time of the real one.
    pub volume: bool,
    /// A rate is tried, which may be more than the target can do.
    pub tried: bool,
}

impl<'a> Work<'a> {
    /// The job until it ends by itself.
    pub fn pass(load: &'a Load, window: Duration) -> Self {
        Work {
            load,
            ramp_us: 0,
            runtime_us: 0,
            window,
            keep_size: false,
            pilot: false,
            enough: None,
            volume: false,
            tried: false,
        }
    }

    /// The job after `ramp_s` and for `seconds`, in windows of a second, on the share of a model
    /// that its region is.
    pub fn timed(load: &'a Load, ramp_s: f64, seconds: f64) -> Self {
        let (ramp_us, runtime_us) = (whole(ramp_s * 1e6), whole(seconds * 1e6));
        Work { ramp_us, runtime_us, ..Work::pass(load, Duration::from_s(1)) }
    }
}

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Ran {
    /// What fio reports, or would.
    pub run: RunResult,
    /// I/Os and bytes over time, if they are known.
    pub windows: Option<Windows>,
    /// Measured time of the target, s.
    pub measured_s: f64,
    /// Mean power over it, W, if it is known.
    pub mean_power_w: Option<f64>,
    /// Flash writes over host writes in it, if they are known.
    pub write_amplification: Option<f64>,
    /// How warm it was, if it is known.
    pub heat: Option<HeatSummary>,
    /// Share of the time of the host's processors that was used, 0 to 1, if it is known.
    pub processors_busy: Option<f64>,
    /// Of a real target: what was seen of its drives, one a second.
    pub sensed: Vec<Sensed>,
    /// What limited it, if it is known.
    pub limit: Option<Limit>,
    /// What to keep in mind.
    pub warnings: Vec<String>,
}

/// What was seen of the drives of a real target in a second of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sensed {
    /// Temperature of the warmest drive at its beginning, degrees Celsius; `None` without a sensor.
    pub celsius: Option<f64>,
    /// Highest power state of the drives at its beginning; `None` where they tell none.
    #[serde(default)]
    pub power_state: Option<u8>,
    /// Bytes that others moved in it, at least; `None` where they cannot be told.
    pub others_bytes: Option<f64>,
}

/// What was written in a time that was not simulated second by second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Written {
    /// Bytes that the host wrote, of the real drive.
    pub host_bytes: f64,
}

/// Counters of a drive's life, as of the real drive: what is simulated at a fraction of the
/// capacity is multiplied up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counters {
    /// Bytes that the host read.
    pub host_read_bytes: f64,
    /// Bytes that the host wrote.
    pub host_write_bytes: f64,
    /// Bytes that were programmed; `None` if the drive does not tell.
    pub flash_write_bytes: Option<f64>,
    /// Share of the rated cycles that is used, from 0 up; `None` if the drive does not tell.
    pub wear: Option<f64>,
    /// Least step of `wear` that the drive shows.
    pub wear_step: f64,
    /// Time under load, s.
    pub seconds: f64,
}

/// What writing to each device of a target cannot exceed, bytes a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WriteLimits {
    /// What the links of the drives behind a device carry.
    pub link: f64,
    /// What their flash can program, no copies made.
    pub flash: f64,
}

/// A life that is asked for.
pub struct LifeAsked<'a> {
    /// The load that is kept up over it.
    pub load: &'a Load,
    /// Timed windows, at least 1.
    pub windows: u32,
    /// I/Os of all windows together.
    pub ios: u64,
    /// Time of the real drive between two readings of its counters before all else, s.
    pub reading_s: Option<f64>,
    /// Seed of what is written without time.
    pub seed: u64,
    /// Told what is done now and how much is behind it, 0 to 1.
    pub watch: &'a dyn Fn(&str, f64),
}

/// A life, and the estimate of the counters.
#[derive(Clone, Debug)]
pub struct Lived {
    /// The life.
    pub life: Life,
    /// Host writes over the life as the counters promise them, bytes; or why they promise none.
    pub told: Option<Result<Interval, String>>,
}

/// An array that was made whole again.
#[derive(Clone, Debug)]
pub struct Rebuilt {
    /// Time that it took, of the real array, s.
    pub seconds: f64,
    /// Bytes that were written to the new drive, of the real array.
    pub bytes: f64,
    /// Bytes a second that the array's own rules promise under a load, if they are known.
    pub floor: Option<f64>,
    /// What the load got in that time; `None` without one.
    pub load: Option<Ran>,
}

/// What a loss of power did, of the real target.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PowerLoss {
    /// Acknowledged bytes that are gone.
    pub lost_bytes: f64,
    /// Bytes that were read or written afterwards to make copies and parity agree again.
    pub resync_bytes: f64,
    /// Time that this took, s.
    pub resync_s: f64,
}

/// What database servers did.
#[derive(Clone, Debug, Default)]
pub struct Transactions {
    /// Rate, response times and what else is known, by metric.
    pub values: super::values::Values,
    /// What to keep in mind.
    pub warnings: Vec<String>,
}

/// Something that methods run on.
pub trait Target {
    /// Its name: a slug or a path.
    fn name(&self) -> &str;

    /// Whether it is a model.
    fn modelled(&self) -> bool;

    /// Of a real target: what it is, and what was done to it, in order, for the Record.
    fn about(&self) -> serde_json::Value {
        serde_json::Value::Null
    }

    /// Simulated over real capacity; 1 for a real drive. Volumes, and times that mean volumes,
    /// shrink by it; rates and latencies do not.
    fn scale(&self) -> f64 {
        1.0
    }

    /// Bytes of each block device that it shows, of the real target. Jobs name them `/dev/...` in
    /// this order; a load that names none runs on all of them.
    fn devices(&self) -> Vec<u64>;

    /// Bytes that a job can address on any of its devices, of the real target: those of the
    /// smallest.
    fn capacity(&self) -> u64 {
        self.devices().into_iter().min().unwrap_or(0)
    }

    /// Bytes of the raw flash, of the real drive, if they are known.
    fn raw_bytes(&self) -> Option<f64> {
        None
    }

    /// Finds what a load asks that the target cannot give at its scale, without running anything.
    /// What a real target cannot give is found by the program that measures it.
    ///
    /// # Errors
    /// If the job does not fit the target at its scale.
    fn check(&self, work: &Work<'_>) -> Result<(), Failure> {
        let _ = work;
        Ok(())
    }

    /// Least region that a load over the whole target may shrink to, bytes of the real one: a part
    /// of a modelled drive must hold some write buffers of it. 0 where nothing shrinks.
    ///
    /// # Errors
    ///
    /// Those of the load.
    fn least_region(&self, _work: &Work<'_>) -> Result<u64, Failure> {
        Ok(0)
    }

    /// Least size and alignment of an I/O, bytes.
    fn sector(&self) -> u64;

    /// Brings it into a state; `steady` is that of random writes to the first `share` of it.
    ///
    /// # Errors
    /// If the target cannot reach the state, refuses to be written, or the user interrupts.
    fn prepare(&mut self, state: State, share: f64) -> Result<(), Failure>;

    /// The same, the random writes being of `block` bytes each; a target that cannot tell them
    /// apart takes its own size.
    ///
    /// # Errors
    /// As [`Target::prepare`].
    fn prepare_in(&mut self, state: State, share: f64, block: u64) -> Result<(), Failure> {
        let _ = block;
        self.prepare(state, share)
    }

    /// Writes every device once in order, in writes of `block` bytes. A model is filled without
    /// time, whatever their size.
    ///
    /// # Errors
    /// If a write fails, or the user interrupts.
    fn fill(&mut self, block: u64) -> Result<(), Failure>;

    /// Formats one of its devices, from 0: nothing of it was ever written from then on, and the
    /// others are untouched.
    ///
    /// # Errors
    /// If the target cannot be formatted, or has no device of this number.
    fn format(&mut self, device: usize) -> Result<(), Failure> {
        let _ = device;
        Err(Failure::left_out("this target cannot be formatted"))
    }

    /// Runs a job.
    ///
    /// # Errors
    /// If the job does not fit the target, the run fails, or the user interrupts.
    fn run(&mut self, work: &Work<'_>) -> Result<Ran, Failure>;

    /// Keeps up a load for `seconds` of the real drive's time.
    ///
    /// # Errors
    /// As [`Target::run`].
    fn load_for(&mut self, load: &Load, seconds: f64, seed: u64) -> Result<Written, Failure>;

    /// Writes it for hours on a fast path; `false` if it has none for this.
    ///
    /// # Errors
    /// If the load does not fit the target, or the run fails.
    fn precondition(&mut self, asked: &Preconditioning) -> Result<bool, Failure> {
        let _ = asked;
        Ok(false)
    }

    /// What the last run, idle time, hours of load or rebuild was over time, as simulated (hours of
    /// load: as of the real drive), if it is known and was not asked for yet.
    fn take_timeline(&mut self) -> Option<Timeline> {
        None
    }

    /// Lets `seconds` of the real drive's time pass without I/O.
    ///
    /// # Errors
    /// If the time is beyond what a simulation may last, or the user interrupts.
    fn idle(&mut self, seconds: f64) -> Result<(), Failure>;

    /// Its counters now.
    ///
    /// # Errors
    /// If the health log of a real drive cannot be read.
    fn counters(&mut self) -> Result<Counters, Failure>;

    /// Cycles that its cells are rated for, if they are known.
    fn rated_cycles(&self) -> Option<f64> {
        None
    }

    /// Bytes of a superblock over all flash drives, as simulated, if they are known.
    fn superblock_bytes(&self) -> Option<f64> {
        None
    }

    /// Bytes that no data fills on all flash drives, as simulated, if they are known.
    fn spare_bytes(&self) -> Option<f64> {
        None
    }

    /// Bytes that the SLC caches of all flash drives can hold now, as simulated.
    fn slc_bytes(&self) -> f64 {
        0.0
    }

    /// Bytes that can be written to all flash drives, as simulated, before anything is collected,
    /// if they are known.
    fn free_bytes(&self) -> Option<f64> {
        None
    }

    /// Bytes that the write buffers of all flash drives hold, if they are known.
    fn buffer_bytes(&self) -> Option<f64> {
        None
    }

    /// Bytes that write-back volume caches hold.
    fn cache_bytes(&self) -> f64 {
        0.0
    }

    /// Remembers what its flash holds, for [`Target::take_back`]. A real target cannot.
    fn remember(&mut self) {}

    /// Makes its flash hold again what was remembered last, as if nothing had been written since.
    fn take_back(&mut self) {}

    /// What writing to one of its devices cannot exceed, if that is known.
    fn write_limits(&self) -> Option<WriteLimits> {
        None
    }

    /// Drives that it is made of.
    fn members(&self) -> u32 {
        1
    }

    /// Bytes that the host can write until it is worn out, if that is rated: of an array all that
    /// its drives can take, parity and copies not counted.
    fn rated_writes(&self) -> Option<f64> {
        None
    }

    /// Seconds without power at 30 C after which its cells, with so many cycles behind them, reach
    /// what their code corrects at the error rate of a class; `None` if nothing is known of its
    /// cells, or it is no single flash drive.
    fn retention_s(&self, cycles: f64, class: Class) -> Option<f64> {
        let _ = (cycles, class);
        None
    }

    /// Switches it off in good order and on again: caches without power are empty, what is kept
    /// over a loss of power is there.
    ///
    /// # Errors
    /// If the target cannot be switched off.
    fn restart(&mut self) -> Result<(), Failure> {
        Err(Failure::left_out("this target cannot be switched off and on"))
    }

    /// Takes the drive of this number, from 0, out of an array.
    ///
    /// # Errors
    /// If the target is not an array, or cannot lose this drive.
    fn fail_member(&mut self, member: u32) -> Result<(), Failure> {
        let _ = member;
        Err(Failure::left_out("the target is no array of drives: none of it can fail alone"))
    }

    /// Whether a drive of it can be rebuilt, as far as that is known before it is tried.
    ///
    /// # Errors
    /// Why none can.
    fn check_rebuild(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// Puts a new drive in the place of one that failed and makes the array whole again, under a
    /// load if there is one; the load's time is ignored.
    ///
    /// # Errors
    /// If the target is not an array, the drive cannot be replaced, or the load fails.
    fn rebuild(&mut self, member: u32, work: Option<&Work<'_>>) -> Result<Rebuilt, Failure> {
        let _ = (member, work);
        Err(Failure::left_out("the target is no array of drives: there is nothing to rebuild"))
    }

    /// Loses power in the middle of a load, at the end of its measured time, comes back and makes
    /// copies and parity agree.
    ///
    /// # Errors
    /// If the target cannot lose power under load, or the load fails.
    fn power_cut(&mut self, work: &Work<'_>) -> Result<PowerLoss, Failure> {
        let _ = work;
        Err(Failure::left_out("this target cannot lose power in the middle of a load"))
    }

    /// Keeps a load up for a time and follows the temperature.
    ///
    /// # Errors
    /// If the target is not a model with heat, or the load fails.
    fn soak(&mut self, asked: &SoakAsked<'_>) -> Result<Soaked, Failure> {
        let _ = asked;
        Err(Failure::left_out("only a modelled drive is warmed up; read a real one's sensor"))
    }

    /// Brings it into a state and runs database servers on it; `watch` receives the share that is
    /// done.
    ///
    /// # Errors
    /// If the target cannot run a database, the data does not fit, or a server fails.
    fn serve(
        &mut self,
        asked: &ServersAsked,
        state: State,
        watch: &dyn Fn(f64),
    ) -> Result<Transactions, Failure> {
        let _ = (asked, state, watch);
        Err(Failure::left_out(
            "a database needs a directory on the drive to be tested, as `--on /mnt/scratch/`",
        ))
    }

    /// Wears it to its end.
    ///
    /// # Errors
    /// If the target is not a single modelled flash drive with rated cycles, or the load fails.
    fn live(&mut self, asked: &LifeAsked<'_>) -> Result<Lived, Failure> {
        let _ = asked;
        Err(Failure::left_out(
            "only a modelled drive is worn to its end; `endurance-counters` reads a real one's",
        ))
    }
}
