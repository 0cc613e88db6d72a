//! The scanner of HTML, in windows of any size, against html5ever's tree.

use super::Input;
use crate::html::compare::{Compared, differences, report};
use crate::html::oracle::{Options, references};
use crate::html::scanner;

pub(super) fn check(mut input: Input<'_>) {
    let charsets = [
        None,
        None,
        Some("utf-8"),
        Some("windows-1252"),
        Some("utf-16le"),
        Some("iso-2022-jp"),
    ];
    let options = Options {
        extended: input.flag(),
        scripting: input.flag(),
        transport_charset: input.pick(&charsets).map(str::to_owned),
        document_uri: Some("https://example.com/dir/page?q".to_owned()),
    };
    let window = 1 + input.below(256);
    let html = input.document();
    let expected = references(html, &options);
    for window in [window, 1 << 18] {
        let got = scanner::scan(html, &options, window);
        // Where references lead is the matter of another target: the engines differ in known ways.
        if let Some(difference) = differences(Compared::References, &expected, &got) {
            let title = format!("windows of {window}");
            panic!("{}", report(&title, html, &options, &difference));
        }
    }
}
