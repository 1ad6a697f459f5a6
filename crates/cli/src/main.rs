//! The drivelab binary.

fn main() -> std::process::ExitCode {
    cli::main()
}
