//! Why a peer must be dropped.

/// A breach after which the two sides no longer agree about what the next byte means, or which no
/// answer exists for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The client answers the greeting with flags that do not exist.
    #[error("the client sets unknown flags: {0:#x}")]
    ClientFlags(u32),
    /// An option does not begin as options do.
    #[error("an option begins with {0:#018x}, which is not its magic number")]
    OptionMagic(u64),
    /// An option is longer than any option needs to be.
    #[error("option {option} announces {len} bytes; at most {limit} are taken")]
    OptionTooLong {
        /// Number of the option.
        option: u32,
        /// Bytes that it announces.
        len: u32,
        /// Bytes that are taken.
        limit: u32,
    },
    /// The oldest way to choose an export has no answer for a name that does not exist.
    #[error("there is no export `{0}`")]
    UnknownExport(String),
    /// A request does not begin as requests do.
    #[error("a request begins with {0:#010x}, which is not its magic number")]
    RequestMagic(u32),
    /// A write brings more data than any client sends at once.
    #[error("a write announces {len} bytes; at most {limit} are taken")]
    PayloadTooLong {
        /// Bytes that it announces.
        len: u32,
        /// Bytes that are taken.
        limit: u32,
    },
}
