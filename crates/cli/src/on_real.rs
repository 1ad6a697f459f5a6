//! Methods on files and devices that exist: what has to be confirmed for them, and the measurement.

use crate::interrupt;
use crate::render::Failure;
use crate::target;
use crate::values;
use clap::Args;
use engine::Bytes;
use method::measure::{
    BenchOptions, DatabaseOptions, DatabaseTarget, RealOptions, RealTarget, Watch, measure_on,
};
use method::review::{Measurement, Run};
use real::database::Programs;
use std::path::Path;

/// Options about real drives.
#[derive(Args, Debug)]
pub struct RealArgs {
    /// Size of a file that is made
    #[arg(long, value_name = "BYTES", value_parser = values::bytes, help_heading = "Real drives")]
    pub size: Option<Bytes>,
    /// Overwrite an existing file that drivelab did not make
    #[arg(long, help_heading = "Real drives")]
    pub overwrite: bool,
    /// Destroy all data of the device with this serial number; of several paths one each, with
    /// commas
    #[arg(long, value_name = "SERIAL", help_heading = "Real drives")]
    pub destroy_data: Option<String>,
    /// Keep the data of a database in its directory
    #[arg(long, help_heading = "Real drives")]
    pub keep: bool,
}

impl RealArgs {
    /// A method on a file or a device that exists.
    pub fn measure(
        &self,
        run: &Run,
        options: BenchOptions,
        watch: Watch<'_>,
    ) -> Result<Measurement, Failure> {
        let method = method::measure::find(&run.method)
            .map_err(|help| Failure::wrong("a real drive states no facts").with_help(help))?;
        let model_only = ["give_up", "power_state"];
        for name in model_only.into_iter().filter(|name| run.params.get(name).is_some()) {
            let value = run.params.get(name);
            if value.is_some_and(|value| !value.is_zero()) {
                let message = format!("`{name}` can be set on models only");
                return Err(Failure::wrong(message).with_help("leave it out for a real drive"));
            }
        }
        let refused = |failure| Failure::from(method::review::MeasureError::from(failure));
        if method.wants_directory() || Path::new(&run.target).is_dir() {
            interrupt::watch();
            let options_of = DatabaseOptions {
                directory: run.target.clone().into(),
                keep: self.keep,
                programs: Programs::installed(),
                interrupted: interrupt::happened,
            };
            let mut target = DatabaseTarget::new(options_of).map_err(refused)?;
            return measure_on(&mut target, method, &run.params, options, Some(watch))
                .map_err(refused);
        }
        let paths = target::paths(&run.target)?;
        let real = RealOptions {
            destroy_data: target::serials(self.destroy_data.as_deref(), paths.len())?,
            paths,
            size: self.size.map(engine::Bytes::base),
            overwrite: self.overwrite,
        };
        let mut target = RealTarget::new(real).map_err(refused)?;
        measure_on(&mut target, method, &run.params, options, Some(watch)).map_err(refused)
    }
}
