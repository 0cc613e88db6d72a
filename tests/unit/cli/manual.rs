use super::*;

#[test]
fn every_name_has_all_texts_and_every_text_a_name() {
    let all: Vec<_> = tables().into_iter().flatten().collect();
    for row in &all {
        for text in [row.meaning, row.why, row.example, &row.allow] {
            assert!(!text.is_empty(), "{} {}", row.kind, row.name);
        }
    }
    for kind in ["rule", "diagnostic", "flag"] {
        for name in TEXTS[kind].as_table().unwrap().keys() {
            let is_known = all.iter().any(|row| row.kind == kind && row.name == name);
            assert!(is_known, "there is no {kind} {name}");
        }
    }
}
