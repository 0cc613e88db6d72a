//! Signals that end the process: what is half-written goes first.

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
