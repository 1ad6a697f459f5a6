//! Options about the data itself: flushes, contents, verification, replay.

use super::draft::Draft;
use super::value::{Value, Warnings};
use crate::diagnostic::Diagnostic;
use crate::number::shown;
use crate::workload::{SyncMode, WriteCommand};

/// Ways to verify that fio knows; `0` is none.
const VERIFY: &[&str] = &[
    "0",
    "null",
    "meta",
    "pattern",
    "pattern_hdr",
    "md5",
    "crc64",
    "crc32c",
    "crc32c-intel",
    "crc32",
    "crc16",
    "crc7",
    "xxhash",
    "sha512",
    "sha256",
    "sha1",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
];

/// Applies an option of this group; `false` if it belongs to another.
pub(super) fn apply(
    draft: &mut Draft,
    value: &Value<'_>,
    warnings: &mut Warnings,
) -> Result<bool, Diagnostic> {
    let done = apply_writes(draft, value)?
        || apply_verify(draft, value)?
        || apply_replay(draft, value)?
        || apply_hooks(draft, value, warnings)?;
    Ok(done)
}

fn apply_writes(draft: &mut Draft, value: &Value<'_>) -> Result<bool, Diagnostic> {
    let job = &mut draft.job;
    match value.name() {
        "direct" => job.direct = value.boolean()?,
        "buffered" => job.direct = !value.boolean()?,
        "fsync" => job.fsync = value.int()?,
        "fdatasync" => job.fdatasync = value.int()?,
        "sync_file_range" => job.sync_file_range = sync_file_range(value)?,
        "end_fsync" => job.end_fsync = value.boolean()?,
        "fsync_on_close" => job.fsync_on_close = value.boolean()?,
        "sync" => {
            job.sync = match value.word()? {
                "sync" | "1" => SyncMode::Sync,
                "dsync" => SyncMode::Dsync,
                _ => SyncMode::None,
            };
        }
        "writefua" => {
            // Forced unit access makes each write stable, which is what O_DSYNC requires.
            job.sync = if value.boolean()? { SyncMode::Dsync } else { SyncMode::None };
        }
        "sg_write_mode" | "write_mode" => job.write_command = write_command(value)?,
        "zero_buffers" => job.zero_buffers = value.flag()?,
        "refill_buffers" => job.refill_buffers = value.flag()?,
        "scramble_buffers" => job.scramble_buffers = value.boolean()?,
        "buffer_pattern" => job.buffer_pattern = Some(value.required()?.to_owned()),
        "buffer_compress_percentage" => job.buffer_compress_percentage = Some(value.int32()?),
        "buffer_compress_chunk" => job.buffer_compress_chunk = value.bytes()?,
        "dedupe_percentage" => job.dedupe_percentage = Some(value.int32()?),
        "create_only" => job.create_only = value.boolean()?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn apply_verify(draft: &mut Draft, value: &Value<'_>) -> Result<bool, Diagnostic> {
    let job = &mut draft.job;
    match value.name() {
        "verify" => {
            let method = value.required()?;
            if !VERIFY.contains(&method) {
                let reason = format!("{} is not a method of verification", shown(method));
                let help = format!("write one of {}", VERIFY.join(", "));
                return Err(value.error_help(reason, &help));
            }
            job.verify = Some(method.to_owned()).filter(|method| method != "0");
        }
        "do_verify" => job.do_verify = value.boolean()?,
        "verify_only" => job.verify_only = value.flag()?,
        "verify_backlog" => job.verify_backlog = value.int()?,
        "verify_backlog_batch" => job.verify_backlog_batch = value.int()?,
        "trim_percentage" => job.trim_percentage = value.int32()?,
        "trim_backlog" => job.trim_backlog = value.int()?,
        "trim_backlog_batch" => job.trim_backlog_batch = value.int()?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn apply_replay(draft: &mut Draft, value: &Value<'_>) -> Result<bool, Diagnostic> {
    let replay = &mut draft.replay;
    match value.name() {
        "read_iolog" => {
            replay.path = value.required()?.to_owned();
            draft.has_replay = true;
        }
        "replay_no_stall" => replay.no_stall = value.boolean()?,
        "replay_time_scale" => replay.time_scale_percent = value.int()?,
        "replay_redirect" => replay.redirect = Some(value.required()?.to_owned()),
        "replay_scale" => replay.scale = value.int()?,
        "replay_align" => replay.align = value.bytes()?,
        "replay_skip" => {
            replay.skip = [false; 3];
            for part in value.required()?.split(',').map(str::trim) {
                match part {
                    "read" => replay.skip[0] = true,
                    "write" => replay.skip[1] = true,
                    "trim" => replay.skip[2] = true,
                    "sync" | "flush" => {}
                    _ => {
                        let reason = format!("{} is not a kind of I/O", shown(part));
                        return Err(value.error_help(reason, "write read, write, trim or sync"));
                    }
                }
            }
        }
        "write_iolog" => draft.job.write_iolog = Some(value.required()?.to_owned()),
        _ => return Ok(false),
    }
    Ok(true)
}

fn write_command(value: &Value<'_>) -> Result<WriteCommand, Diagnostic> {
    let scsi = value.name() == "sg_write_mode";
    Ok(match value.required()? {
        "write" => WriteCommand::Write,
        "write_same" | "same" | "write_same_ndob" if scsi => WriteCommand::Same,
        "verify_bytchk_00" | "verify_bytchk_01" | "verify_bytchk_11" if scsi => {
            WriteCommand::Verify
        }
        "write_stream" if scsi => WriteCommand::Stream,
        "verify" if !scsi => WriteCommand::Verify,
        mode => {
            let reason = format!("{} sends a command that is not modelled", shown(mode));
            let modelled = match scsi {
                true => "write, write_same, write_same_ndob, write_stream or verify_bytchk_00",
                false => "write or verify",
            };
            return Err(value.error_help(reason, &format!("write {modelled}")));
        }
    })
}

fn apply_hooks(
    draft: &mut Draft,
    value: &Value<'_>,
    warnings: &mut Warnings,
) -> Result<bool, Diagnostic> {
    match value.name() {
        name @ ("exec_prerun" | "exec_postrun") => {
            draft.job.hooks.push(value.required()?.to_owned());
            let message = format!("`{name}`: the command is never run on a model");
            let help = "run it yourself if the drive's state depends on it";
            warnings.once(name, Diagnostic::new(&value.entry.value_place, message).with_help(help));
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Reads `wait_before,write:8`; only the number matters to a model.
fn sync_file_range(value: &Value<'_>) -> Result<u64, Diagnostic> {
    let text = value.required()?;
    let (flags, number) = text.rsplit_once(':').unwrap_or((text, "1"));
    for flag in flags.split(',').map(str::trim) {
        if !matches!(flag, "wait_before" | "write" | "wait_after") {
            let reason = format!("{} is not a flag of the call", shown(flag));
            return Err(value.error_help(reason, "write wait_before, write or wait_after"));
        }
    }
    value.int_of(number, 1, u64::from(u32::MAX))
}
