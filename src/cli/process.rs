//! The process: its exit codes, the signals that end it, and the time and memory that it uses.

use std::io::{self, IsTerminal, Write};
#[cfg(unix)]
use std::os::fd::AsFd;
use std::process::{ExitCode, Termination};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::output::record::Usage;

/// The exit code of a run.
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
    /// Returns the exit code under `--exit-zero`, which turns 1 into 0, but never 2.
    #[must_use]
    pub fn or_zero(self, exit_zero: bool) -> Self {
        match self {
            Exit::Nothing if exit_zero => Exit::Found,
            other => other,
        }
    }

    /// Returns [`Exit::Nothing`] if nothing was found, or something is invalid.
    pub(super) fn or_nothing(self, is_nothing: bool) -> Self {
        if is_nothing { Exit::Nothing } else { self }
    }

    /// Returns [`Exit::Error`] if something has failed.
    pub(super) fn or_error(self, has_failed: bool) -> Self {
        if has_failed { Exit::Error } else { self }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}

/// Whether standard input and standard output were closed when the process began.
/// Before `main` the runtime of Rust opens the null device in place of closed streams, which hides that
/// output is lost.
static INPUT_CLOSED: AtomicBool = AtomicBool::new(false);
static OUTPUT_CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(unix)]
extern "C" fn note_closed_streams() {
    let is_closed = |stream: &dyn AsFd| stream.as_fd().try_clone_to_owned().is_err();
    INPUT_CLOSED.store(is_closed(&io::stdin()), Ordering::Relaxed);
    OUTPUT_CLOSED.store(is_closed(&io::stdout()), Ordering::Relaxed);
}

// SAFETY: The loader calls each function of this section once, before `main`, in the only thread. The
// function needs nothing of the runtime that `main` sets up.
#[cfg(unix)]
#[allow(unsafe_code)]
#[used]
#[cfg_attr(
    target_vendor = "apple",
    unsafe(link_section = "__DATA,__mod_init_func")
)]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static NOTE_CLOSED_STREAMS: extern "C" fn() = note_closed_streams;

/// Returns standard output, or an error if it was closed when the process began. It has no buffer of lines, for
/// which all output would be searched for line breaks; that is long in tables, which have few.
pub(super) fn standard_output() -> io::Result<impl Write + IsTerminal + Send + 'static> {
    if OUTPUT_CLOSED.load(Ordering::Relaxed) {
        return Err(io::Error::other("standard output is closed"));
    }
    let stdout = io::stdout();
    #[cfg(unix)]
    let stdout = std::fs::File::from(stdout.as_fd().try_clone_to_owned()?);
    Ok(stdout)
}

/// Returns an error if standard input was closed when the process began.
pub(super) fn check_standard_input() -> io::Result<()> {
    if INPUT_CLOSED.load(Ordering::Relaxed) {
        return Err(io::Error::other("standard input is closed"));
    }
    Ok(())
}

/// Calls `clean_up` before a signal ends the process, which then exits with 129 for HUP, 130 for INT,
/// 131 for QUIT, 143 for TERM and 152 for XCPU. XFSZ ends nothing, because the write fails too. Signals
/// that were ignored when the process began stay so (nohup, `trap ''`). Before the first call signals
/// have their default effect; later calls change nothing.
#[cfg(unix)]
pub(super) fn on_termination(clean_up: fn()) {
    use std::sync::{Once, mpsc};
    use std::thread;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
    use signal_hook::iterator::Signals;

    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut wanted = vec![SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ];
        wanted.retain(|&signal| !is_ignored(signal));
        let (registered, registers) = mpsc::channel();
        let watch = move || {
            let Ok(mut signals) = Signals::new(&wanted) else {
                return;
            };
            drop(registered);
            if let Some(signal) = signals.forever().find(|&signal| signal != SIGXFSZ) {
                clean_up();
                std::process::exit(128 + signal);
            }
        };
        // Without a thread signals keep their default effect, and temporary files stay.
        if thread::Builder::new().spawn(watch).is_ok() {
            // The channel closes when the handlers are registered.
            let _: Result<(), _> = registers.recv();
        }
    });
}

/// Returns whether a signal is ignored: only Linux reports it without unsafe code. Elsewhere HUP is taken
/// as ignored, so that nohup works.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    if cfg!(not(target_os = "linux")) {
        return signal == signal_hook::consts::SIGHUP;
    }
    // A hexadecimal mask; signal 1 is the lowest bit.
    let mask = status("SigIgn:").and_then(|mask| u64::from_str_radix(&mask, 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Calls `clean_up` before Ctrl-C, or closing the console, ends the process, which exits with 130.
#[cfg(not(unix))]
pub(super) fn on_termination(clean_up: fn()) {
    // Without a handler temporary files stay.
    let _ = ctrlc::set_handler(move || {
        clean_up();
        std::process::exit(130);
    });
}

pub(super) fn usage(start: Instant) -> Usage {
    let ((cpu, peak), wall) = (resources(), start.elapsed());
    let peak = peak_resident().or(peak);
    Usage { wall, cpu, peak }
}

#[cfg(unix)]
fn resources() -> (Option<Duration>, Option<u64>) {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeVal;

    let Ok(used) = getrusage(UsageWho::RUSAGE_SELF) else {
        return (None, None);
    };
    let duration = |time: TimeVal| {
        let micros = u32::try_from(time.tv_usec()).unwrap_or(0);
        Duration::new(u64::try_from(time.tv_sec()).unwrap_or(0), micros * 1000)
    };
    let cpu = duration(used.user_time()) + duration(used.system_time());
    // The unit of ru_maxrss is a byte on Apple systems and a KiB elsewhere.
    let unit = [1024, 1][usize::from(cfg!(target_vendor = "apple"))];
    let peak = u64::try_from(used.max_rss()).ok().map(|peak| peak * unit);
    (Some(cpu), peak)
}

#[cfg(not(unix))]
fn resources() -> (Option<Duration>, Option<u64>) {
    (None, None)
}

/// Returns the peak memory in bytes from the file of Linux: `getrusage` includes the parent's memory.
fn peak_resident() -> Option<u64> {
    let peak = status("VmHWM:")?;
    let kibibytes: u64 = peak.strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Returns the value of a line of the status of this process on Linux (proc(5)).
fn status(name: &str) -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let value = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(value.trim().to_owned())
}

#[cfg(test)]
#[path = "../../tests/unit/cli/process.rs"]
mod tests;
