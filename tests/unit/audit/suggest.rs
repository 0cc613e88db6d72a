use super::*;

fn names<T: AsRef<[u8]>>(all: impl IntoIterator<Item = T>) -> (Interner, NameOrder) {
    let mut names = Interner::default();
    for name in all {
        names.add(name.as_ref());
    }
    let order = NameOrder::new(&names);
    (names, order)
}

#[test]
fn the_nearest_name_is_at_most_two_edits_away() {
    let (names, order) = names(["usage", "install", "installed"]);
    let mut budget = SuggestionBudget(1000);
    let mut nearest = |wanted: &'static str| {
        let limit = most_edits(wanted.as_bytes());
        let name = nearest(
            &names,
            &order,
            wanted.as_bytes(),
            limit,
            |_| true,
            &mut budget,
        );
        name.map(<[u8]>::to_vec)
    };
    assert_eq!(nearest("instal"), Some(b"install".to_vec()));
    assert_eq!(nearest("setup"), None);
}

#[test]
fn names_are_near_up_to_a_third_of_their_length() {
    for (name, edits) in [
        ("abc", 0),
        ("abcd", 1),
        ("abcde", 1),
        ("abcdef", 2),
        ("abcdefghi", 2),
    ] {
        assert_eq!(most_edits(name.as_bytes()), edits, "{name}");
    }
    assert_eq!(most_edits("\u{e9}\u{e9}\u{e9}".as_bytes()), 0);
}

#[test]
fn the_nearest_name_is_that_of_the_whole_table() {
    let mut seed = 7u64;
    let mut random = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    for _ in 0..300 {
        let mut word = || -> Vec<u8> {
            let length = random(7);
            (0..length).map(|_| b'a' + random(3) as u8).collect()
        };
        let all: Vec<Vec<u8>> = (0..40).map(|_| word()).collect();
        let wanted = word();
        let (names, order) = names(&all);
        let mut budget = SuggestionBudget(u64::MAX);
        let got = nearest(&names, &order, &wanted, LIMIT, |_| true, &mut budget);
        let distance = |name: &Vec<u8>| strsim::generic_levenshtein(name, &wanted);
        let near = all
            .iter()
            .filter(|name| name.len().min(wanted.len()) > LIMIT);
        let expected = near
            .map(|name| (distance(name), name.as_slice()))
            .filter(|(distance, _)| (1..=LIMIT).contains(distance))
            .min()
            .map(|(_, name)| name);
        assert_eq!(got, expected, "{wanted:?} in {all:?}");
    }
}

#[test]
fn other_numbers_and_other_words_are_no_typos() {
    for (wanted, name, expected) in [
        ("instal", "install", true),
        ("setup-guid", "setup-guide", true),
        ("get-started", "getstarted", true),
        ("index-19", "index-1", false),
        ("page2", "page12", false),
        ("notes-2", "notes", false),
        ("java.nio", "java.io", false),
        ("wise_real", "wise_ceil", false),
        // Other names have the word.
        ("javax.net", "java.net", false),
        ("javaz.net", "java.net", true),
        ("javax", "java", true),
    ] {
        assert_eq!(
            is_typo(wanted.as_bytes(), name.as_bytes(), |word| word == b"javax"),
            expected,
            "{wanted}"
        );
    }
}

fn spent(names: &Interner, order: &NameOrder, wanted: impl Iterator<Item = Vec<u8>>) -> u64 {
    let mut budget = SuggestionBudget(u64::MAX);
    for wanted in wanted {
        nearest(names, order, &wanted, LIMIT, |_| true, &mut budget);
    }
    u64::MAX - budget.0
}

#[track_caller]
fn grows_with_its_input(steps: impl Fn(usize) -> u64, n: usize) {
    let (once, twice) = (steps(n), steps(2 * n));
    assert!(twice * 10 <= once * 22, "{once} and {twice} steps");
}

#[test]
fn two_long_names_are_compared_in_linear_time() {
    let steps = |n: usize| {
        let (names, order) = names(["ab".repeat(n)]);
        let wanted = "ab".repeat(n - 1) + "cb";
        spent(&names, &order, std::iter::once(wanted.into_bytes()))
    };
    assert!(steps(100_000) < 1_000_000);
    grows_with_its_input(steps, 10_000);
}

#[test]
fn a_budget_ends_the_search_and_is_never_exceeded() {
    let (names, order) = names((0..10_000).map(|i| format!("{i:05}")));
    for rows in [0, 1, 10, 100] {
        let mut budget = SuggestionBudget(rows);
        let near = nearest(&names, &order, b"9999x", LIMIT, |_| true, &mut budget);
        assert_eq!(near, None);
        assert!(budget.is_spent());
    }
}
