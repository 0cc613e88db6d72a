//! The scanner of text, in windows of any size, against the rules' slow transcription.

use super::Input;
use crate::text::oracle::{NonAscii, Options};
use crate::text::{laws, scanner};

pub(super) fn check(mut input: Input<'_>) {
    let options = Options {
        non_ascii: input.pick(&[NonAscii::Iri, NonAscii::Ascii]),
        www: input.flag(),
        email: input.flag(),
        strict: input.flag(),
        troff: input.flag(),
    };
    let window = 1 + input.below(256);
    let windows = [window, laws::WHOLE];
    let text = input.document();
    laws::agrees(&scanner::scan, text, &options, &windows, "text");
    laws::check_spans(text, &scanner::scan(text, &options, window));
}
