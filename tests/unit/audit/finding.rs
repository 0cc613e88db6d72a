use super::*;

#[test]
fn a_baseline_is_a_list_of_keys() {
    let read = |text: &'static str| Baseline::read(text.as_bytes());
    let baseline = read("# known\n\n00c0ffee00c0ffee broken-file a.html b\n").unwrap();
    assert!(baseline.keys.contains(&0x00c0_ffee_00c0_ffee));
    assert!(!baseline.keys.contains(&0x00c0_ffee));
    for text in ["<html>\n", "00c0ffee\n", "00c0ffee00c0ffee0 x\n"] {
        assert!(read(text).is_err(), "{text}");
    }
}
