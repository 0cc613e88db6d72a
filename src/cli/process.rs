//! The process: its exit codes, the signals that end it, and the time and memory that it uses.

use std::process::{ExitCode, Termination};
use std::time::{Duration, Instant};

use crate::output::record::Usage;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Something was found, resolved, or is valid.
    Found = 0,
    /// Nothing was found, or something is invalid.
    Nothing = 1,
    /// Something failed: a bad option, an unreadable file, a damaged container.
    Error = 2,
}

impl Exit {
    /// What it is under `--exit-zero`: finding nothing is fine, an error never is.
    #[must_use]
    pub fn or_zero(self, exit_zero: bool) -> Self {
        match self {
            Exit::Nothing if exit_zero => Exit::Found,
            other => other,
        }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}

/// Has `clean_up` called before a signal ends the process, which then exits with 129 for HUP, 130 for
/// INT and 143 for TERM. Signals that were ignored when the process began stay so (nohup, `trap ''`).
///
/// Before the first call signals do what they do by default; later calls change nothing.
#[cfg(unix)]
pub(super) fn before_the_end(clean_up: fn()) {
    use std::sync::{Once, mpsc};
    use std::thread;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut wanted = vec![SIGHUP, SIGINT, SIGTERM];
        wanted.retain(|&signal| !is_ignored(signal));
        let (registered, registers) = mpsc::channel();
        let watch = move || {
            let Ok(mut signals) = Signals::new(&wanted) else {
                return;
            };
            drop(registered);
            if let Some(signal) = signals.forever().next() {
                clean_up();
                std::process::exit(128 + signal);
            }
        };
        // Without a thread the defaults stay: the process ends and leaves its temporary file.
        if thread::Builder::new().spawn(watch).is_ok() {
            // The channel closes when the handlers are in place.
            let _: Result<(), _> = registers.recv();
        }
    });
}

/// Returns whether a signal is ignored. Only Linux tells without foreign code; elsewhere HUP is left
/// alone for the sake of nohup.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    if cfg!(not(target_os = "linux")) {
        return signal == signal_hook::consts::SIGHUP;
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // proc(5): a hexadecimal mask; signal 1 is the lowest bit.
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// The same for Ctrl-C and the closing of the console.
#[cfg(not(unix))]
pub(super) fn before_the_end(clean_up: fn()) {
    // Without a handler the temporary file stays; there is nothing else to lose.
    let _ = ctrlc::set_handler(move || {
        clean_up();
        std::process::exit(130);
    });
}

/// What has been used up to now by a process that began to work at `start`.
pub(super) fn since(start: Instant) -> Usage {
    let (cpu, most) = resources();
    Usage {
        wall: start.elapsed(),
        cpu,
        peak: resident().or(most),
    }
}

/// The time of all processors, in and below this process, and the most bytes that it has held.
#[cfg(unix)]
fn resources() -> (Option<Duration>, Option<u64>) {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeVal;

    let Ok(used) = getrusage(UsageWho::RUSAGE_SELF) else {
        return (None, None);
    };
    let duration = |time: TimeVal| {
        let seconds = u64::try_from(time.tv_sec()).unwrap_or(0);
        let micros = u64::try_from(time.tv_usec()).unwrap_or(0);
        Duration::from_secs(seconds) + Duration::from_micros(micros)
    };
    let cpu = duration(used.user_time()) + duration(used.system_time());
    // Kibibytes everywhere but there.
    let unit = if cfg!(target_vendor = "apple") {
        1
    } else {
        1024
    };
    let most = u64::try_from(used.max_rss()).ok().map(|most| most * unit);
    (Some(cpu), most)
}

#[cfg(not(unix))]
fn resources() -> (Option<Duration>, Option<u64>) {
    (None, None)
}

/// The most bytes of memory by Linux's own file, for `getrusage` counts what the process was a copy
/// of when it was started, too.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_zero_forgives_nothing_but_finding_nothing() {
        for (exit, forgiven) in [
            (Exit::Found, Exit::Found),
            (Exit::Nothing, Exit::Found),
            (Exit::Error, Exit::Error),
        ] {
            assert_eq!(exit.or_zero(true), forgiven);
            assert_eq!(exit.or_zero(false), exit);
        }
    }

    #[test]
    #[cfg(unix)]
    fn what_was_used_grows() {
        let start = Instant::now();
        let before = since(start);
        // Filling so much takes time.
        let held = std::hint::black_box(vec![1u8; 64 << 20]);
        let after = since(start);
        assert!(after.wall > before.wall && after.cpu > before.cpu);
        assert!(after.peak >= Some(held.len() as u64), "{after:?}");
    }
}
