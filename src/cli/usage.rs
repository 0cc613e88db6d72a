//! What this process has used of the machine: time and memory.

use std::time::{Duration, Instant};

use crate::output::record::Usage;

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
