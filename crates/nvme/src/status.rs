//! How commands end.

use std::fmt;

/// The status of a completion: its type in bits 10 to 8, its code in bits 7 to 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Status(u16);

/// "Do not retry" in a [`Status`], as it is on the wire without the phase bit.
const DNR: u16 = 1 << 14;

macro_rules! statuses {
    ($($name:ident $code:literal $dnr:literal $text:literal)*) => {
        impl Status {
            $(#[doc = $text] pub const $name: Status = Status($code | if $dnr { DNR } else { 0 });)*

            /// What a person is told.
            pub fn text(self) -> &'static str {
                match self.code() {
                    $($code => $text,)*
                    _ => "an unknown status",
                }
            }
        }
    };
}

statuses! {
    SUCCESS 0x000 false "Success"
    INVALID_OPCODE 0x001 true "Invalid Command Opcode"
    INVALID_FIELD 0x002 true "Invalid Field in Command"
    COMMAND_ID_CONFLICT 0x003 true "Command ID Conflict"
    INTERNAL 0x006 false "Internal Error"
    ABORTED 0x007 false "Command Abort Requested"
    INVALID_NAMESPACE 0x00b true "Invalid Namespace or Format"
    SEQUENCE 0x00c true "Command Sequence Error"
    DATA_LENGTH 0x00f true "Data SGL Length Invalid"
    SGL_TYPE 0x011 true "SGL Descriptor Type Invalid"
    SGL_OFFSET 0x016 true "SGL Offset Invalid"
    SANITIZE_FAILED 0x01c true "Sanitize Failed"
    SANITIZE_IN_PROGRESS 0x01d false "Sanitize In Progress"
    WRITE_PROTECTED 0x020 true "Namespace is Write Protected"
    TRANSIENT_TRANSPORT 0x022 false "Transient Transport Error"
    LBA_RANGE 0x080 true "LBA Out of Range"
    CAPACITY 0x081 true "Capacity Exceeded"
    NOT_READY 0x082 false "Namespace Not Ready"
    FORMAT_IN_PROGRESS 0x084 false "Format In Progress"
    EVENT_LIMIT 0x105 true "Asynchronous Event Request Limit Exceeded"
    INVALID_LOG_PAGE 0x109 true "Invalid Log Page"
    INVALID_FORMAT 0x10a true "Invalid Format"
    NOT_SAVEABLE 0x10d true "Feature Identifier Not Saveable"
    NOT_CHANGEABLE 0x10e true "Feature Not Changeable"
    NOT_OF_NAMESPACE 0x10f true "Feature Not Namespace Specific"
    NAMESPACE_CAPACITY 0x115 true "Namespace Insufficient Capacity"
    NAMESPACE_IDS 0x116 true "Namespace Identifier Unavailable"
    ALREADY_ATTACHED 0x118 true "Namespace Already Attached"
    NOT_ATTACHED 0x11a true "Namespace Not Attached"
    THIN 0x11b true "Thin Provisioning Not Supported"
    CONTROLLER_LIST 0x11c true "Controller List Invalid"
    SELF_TEST_IN_PROGRESS 0x11d false "Device Self-test In Progress"
    COMMAND_SET 0x129 true "I/O Command Set Not Supported"
    CONNECT_FORMAT 0x180 true "Incompatible Format"
    CONTROLLER_BUSY 0x181 false "Controller Busy"
    CONNECT_PARAMETERS 0x182 true "Connect Invalid Parameters"
    QUEUE_TYPE 0x185 true "Invalid Queue Type"
    WRITE_FAULT 0x280 false "Write Fault"
    READ_ERROR 0x281 false "Unrecovered Read Error"
}

impl Status {
    /// Type and code: the type times 256, plus the code.
    pub fn code(self) -> u16 {
        self.0 & 0x7ff
    }

    /// Whether the host is told not to try again.
    pub fn do_not_retry(self) -> bool {
        self.0 & DNR != 0
    }

    /// The field of a completion, with the phase bit, which fabrics do not use.
    pub(crate) fn field(self) -> u16 {
        self.0 << 1
    }

    /// What the field of a completion says.
    pub(crate) fn of_field(field: u16) -> Status {
        Status(field >> 1 & (DNR | 0x7ff))
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:03x}h)", self.text(), self.code())
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}{}", if self.do_not_retry() { ", do not retry" } else { "" })
    }
}
