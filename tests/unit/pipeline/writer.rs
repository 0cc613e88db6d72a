use super::*;

#[test]
fn a_key_is_new_once() {
    let (mut seen, hash) = (SeenTargets::default(), TargetHasher::default());
    for turn in 0..2 {
        for n in 0..20_000u32 {
            assert_eq!(seen.insert(hash.of(&n.to_le_bytes())), turn == 0);
        }
    }
}
