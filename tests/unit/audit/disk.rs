use super::*;

#[test]
fn of_several_names_in_other_case_the_first_counts() {
    let mut listing = Listing::default();
    for name in ["page.HTML", "Page.html", "caf\u{e9}.html", "x"] {
        listing.names.add(name.as_bytes());
        listing.kinds.push(DiskEntryKind::File);
        listing.longest = listing.longest.max(name.len());
    }
    let folded = |name: &str| {
        let folded = listing.folded(name.as_bytes());
        folded.map(|(name, several)| (name.to_vec(), several))
    };
    assert_eq!(folded("PAGE.html"), Some((b"Page.html".to_vec(), true)));
    assert_eq!(
        folded("CAFE\u{301}.html"),
        Some(("caf\u{e9}.html".as_bytes().to_vec(), false))
    );
    assert_eq!(folded("pages.html"), None);
}
