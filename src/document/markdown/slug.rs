//! The anchors that GitHub gives to headings.

use std::collections::HashMap;

use unicode_normalization::char::is_combining_mark;

/// The slugs of one document: the second heading with the same slug gets `-1`, the third `-2`.
#[derive(Debug, Default)]
pub(super) struct Slugs {
    /// The number of times that each slug was the base of a numbered one.
    used: HashMap<String, u64>,
}

impl Slugs {
    /// Returns the slug of the next heading.
    pub(super) fn next(&mut self, heading: &str) -> String {
        let plain = slug(heading);
        let mut unique = plain.clone();
        while self.used.contains_key(&unique) {
            let count = self.used.entry(plain.clone()).or_default();
            *count += 1;
            unique = format!("{plain}-{count}");
        }
        self.used.insert(unique.clone(), 0);
        unique
    }
}

/// Lower-cases; keeps letters, marks, digits, `_` and `-`; replaces spaces by `-`; drops the rest.
fn slug(heading: &str) -> String {
    let mut slug = String::with_capacity(heading.len());
    for character in heading.trim().chars().flat_map(char::to_lowercase) {
        match character {
            ' ' => slug.push('-'),
            '-' | '_' => slug.push(character),
            _ if character.is_alphanumeric() || is_combining_mark(character) => {
                slug.push(character);
            }
            _ => {}
        }
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::Slugs;

    #[test]
    fn slugs_are_those_of_github() {
        let mut slugs = Slugs::default();
        for (heading, expected) in [
            ("Hello World", "hello-world"),
            ("Hello  World!", "hello--world"),
            ("Hello World", "hello-world-1"),
            ("Hello World", "hello-world-2"),
            ("hello-world-1", "hello-world-1-1"),
            ("`code` & more", "code--more"),
            ("Über 1.2_3", "über-12_3"),
            ("日本語", "日本語"),
            ("C++", "c"),
            ("C#", "c-1"),
            ("---", "---"),
        ] {
            assert_eq!(slugs.next(heading), expected, "{heading}");
        }
    }
}
