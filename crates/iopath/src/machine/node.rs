//! Every kind of node, listed once.

use crate::device::disk::Disk;
use crate::device::flash::drive::Drive;
use crate::device::xpoint::XPoint;
use crate::host::oltp::Oltp;
use crate::host::path::Path;
use crate::host::workload::Workload;
use crate::kernel::command::CommandId;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use crate::kernel::{Context, Device, Range, Source};
use crate::volume::cache::Cache;
use crate::volume::raid::Raid;
use crate::volume::tier::Tier;
use engine::{Event, Instant};

/// Makes the type of all nodes of two lists: those that issue commands, those that take them.
macro_rules! nodes {
    (
        sources { $( $(#[$source_doc:meta])* $source:ident($source_type:ty), )* }
        devices { $( $(#[$device_doc:meta])* $device:ident($device_type:ty), )* }
    ) => {
        /// A node of the tree.
        pub enum Node<P: Payload> {
            $( $(#[$source_doc])* $source(Box<$source_type>), )*
            $( $(#[$device_doc])* $device(Box<$device_type>), )*
        }

        impl<P: Payload> Node<P> {
            /// True if it issues commands and takes none.
            pub fn is_source(&self) -> bool {
                match self {
                    $( Node::$source(_) => true, )*
                    $( Node::$device(_) => false, )*
                }
            }

            /// Starts a source; a device has nothing to start.
            pub fn start<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
                match self {
                    $( Node::$source(node) => node.start(context), )*
                    $( Node::$device(_) => {} )*
                }
            }

            /// Tells a source to begin nothing more.
            pub fn stop<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
                match self {
                    $( Node::$source(node) => node.stop(context), )*
                    $( Node::$device(_) => {} )*
                }
            }
        }

        /// A source has no bytes, takes no commands and uses no energy.
        impl<P: Payload> Device<P> for Node<P> {
            fn capacity(&self) -> u64 {
                match self {
                    $( Node::$source(_) => 0, )*
                    $( Node::$device(node) => <$device_type as Device<P>>::capacity(node), )*
                }
            }

            #[inline]
            fn submit<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
                match self {
                    $( Node::$source(_) => panic!("a source takes no commands"), )*
                    $( Node::$device(node) => node.submit(context, id), )*
                }
            }

            // Part of the machine's loop: an event is one call away from its node.
            #[inline(always)]
            fn handle<O: Probe<P>>(&mut self, context: &mut Context<P, O>, event: Event) {
                match self {
                    $( Node::$source(node) => node.handle(context, event), )*
                    $( Node::$device(node) => node.handle(context, event), )*
                }
            }

            fn idle<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
                match self {
                    $( Node::$source(_) => {} )*
                    $( Node::$device(node) => node.idle(context), )*
                }
            }

            fn rest<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
                match self {
                    $( Node::$source(node) => node.stop(context), )*
                    $( Node::$device(node) => node.rest(context), )*
                }
            }

            fn power_cut<O: Probe<P>>(&mut self, context: &mut Context<P, O>, node: u16) -> u64 {
                match self {
                    $( Node::$source(_) => 0, )*
                    $( Node::$device(device) => device.power_cut(context, node), )*
                }
            }

            fn fail<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
                match self {
                    $( Node::$source(_) => {} )*
                    $( Node::$device(node) => node.fail(context), )*
                }
            }

            fn write_untimed(&mut self, start: u64, len: u64, below: &mut Vec<Range>) {
                match self {
                    $( Node::$source(_) => {} )*
                    $( Node::$device(node) => {
                        <$device_type as Device<P>>::write_untimed(node, start, len, below);
                    } )*
                }
            }

            fn destinations(&self, start: u64, len: u64, below: &mut Vec<Range>) -> bool {
                match self {
                    $( Node::$source(_) => false, )*
                    $( Node::$device(node) => {
                        <$device_type as Device<P>>::destinations(node, start, len, below)
                    } )*
                }
            }

            fn energy_pj(&self, now: Instant) -> u128 {
                match self {
                    $( Node::$source(_) => 0, )*
                    $( Node::$device(node) => <$device_type as Device<P>>::energy_pj(node, now), )*
                }
            }

            fn describe(&self) -> String {
                match self {
                    $( Node::$source(_) => String::new(), )*
                    $( Node::$device(node) => <$device_type as Device<P>>::describe(node), )*
                }
            }

            fn audit(&self) {
                match self {
                    $( Node::$source(node) => node.audit(), )*
                    $( Node::$device(node) => <$device_type as Device<P>>::audit(node), )*
                }
            }
        }
    };
}

nodes! {
    sources {
        /// Issues commands.
        Workload(Workload<P>),
        /// A database server with its clients, which issue transactions.
        Oltp(Oltp<P>),
    }
    devices {
        /// A flash drive.
        Drive(Drive<P>),
        /// A hard disk.
        Disk(Disk<P>),
        /// A module of 3D XPoint.
        XPoint(XPoint<P>),
        /// The path to a node: software, shared links.
        Path(Path),
        /// A fast device before a slow one.
        Tier(Tier<P>),
        /// An array.
        Raid(Raid<P>),
        /// A write-back volume cache.
        Cache(Cache<P>),
    }
}
