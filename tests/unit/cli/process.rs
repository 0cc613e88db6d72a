use super::*;

#[test]
fn exit_zero_turns_only_one_into_zero() {
    for (exit, or_zero) in [
        (Exit::Found, Exit::Found),
        (Exit::Nothing, Exit::Found),
        (Exit::Error, Exit::Error),
    ] {
        assert_eq!(exit.or_zero(true), or_zero);
        assert_eq!(exit.or_zero(false), exit);
    }
}

#[test]
#[cfg(unix)]
fn usage_grows() {
    let start = Instant::now();
    let before = usage(start);
    // Filling the memory takes processor time.
    let memory = std::hint::black_box(vec![1u8; 64 << 20]);
    let after = usage(start);
    assert!(after.wall > before.wall && after.cpu > before.cpu);
    assert!(after.peak >= Some(memory.len() as u64), "{after:?}");
}
