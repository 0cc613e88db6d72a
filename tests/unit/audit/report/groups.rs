use std::borrow::Cow;

use super::*;
use crate::audit::finding::{DocumentPosition, FindingDraft, FindingSubject};
use crate::audit::rules::{Level, RuleId};
use crate::bytes::lines::Position;

/// Adds findings with so many different targets.
fn groups(findings: u64, targets: u64) -> FindingGroups {
    let mut groups = FindingGroups::new(Grouping::Target);
    for number in 0..findings {
        let document = DocumentPath::new(format!("site/page-{}.html", number / 10).as_bytes());
        let name = format!("_static/some/path/name-{:08}.js", number % targets);
        let reference = format!("../{name}");
        let (line, column) = (1000 + number, 10);
        let draft = FindingDraft {
            subject: FindingSubject::Document(DocumentPosition {
                position: Some(Position { line, column }),
                name: reference.as_bytes(),
                ..DocumentPosition::default()
            }),
            rule: RuleId::BrokenFile,
            level: Level::Error,
            cause: None,
            hint: SuggestionHint::Nothing,
            key: number,
            group: number % targets,
            target_name: Cow::Borrowed(name.as_bytes()),
            origin: None,
        };
        groups.add(&Finding {
            document: &document,
            draft: &draft,
            suggestion: None,
        });
    }
    groups
}

fn held(groups: &FindingGroups) -> usize {
    let numbers = groups.numbers.capacity() * (size_of::<(u64, u32)>() + 1) * 8 / 7;
    groups.packed.capacity() + groups.groups.capacity() * size_of::<FindingGroup>() + numbers
}

#[test]
fn a_finding_takes_less_than_200_bytes_and_further_ones_of_a_group_none() {
    const MANY: u64 = 100_000;
    let all_different = groups(MANY, MANY);
    let bytes = held(&all_different) as u64 / MANY;
    assert!(bytes < 200, "{bytes} bytes for each");
    let few = groups(MANY, 10);
    assert!(held(&few) < 10_000, "{}", held(&few));
    assert_eq!(few.groups.len(), 10);
}

#[test]
fn the_first_findings_of_each_group_are_shown_and_all_are_counted() {
    let groups = groups(25, 10);
    let mut shown = Vec::new();
    let all = groups.show_all(|place, finding| {
        let line = finding.position().map(|position| position.line);
        shown.push((place.count, place.nth, line, place.more()));
        Ok::<(), ()>(())
    });
    assert_eq!(all, Ok(()));
    assert_eq!(shown.len(), 25);
    assert_eq!(shown[0], (3, 0, Some(1000), None));
    assert_eq!(shown[2], (3, 2, Some(1020), Some(0)));
    assert_eq!(shown[24], (2, 1, Some(1019), Some(0)));
    let mut largest = Vec::new();
    groups.show_largest(6, |place, finding| {
        largest.push((place.count, finding.key()))
    });
    let key = |number: u64| format!("{number:016x}");
    let expected = [(3, 0), (3, 1), (3, 2), (3, 3), (3, 4), (2, 5)];
    assert_eq!(
        largest,
        expected.map(|(count, number)| (count, key(number)))
    );
}
