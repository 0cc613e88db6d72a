//! What differs between two lists of references, told so that a reader sees it at once.

use super::oracle::{Expected, Options};

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    /// References, elements, attributes, flags.
    References,
    /// The same, and where the references lead.
    Targets,
}

/// One reference in one line. The group is the table's own affair and not compared.
fn line(compared: Compared, one: &Expected) -> String {
    let mut line = format!(
        "{}@{} {:?}",
        one.element,
        one.attribute,
        String::from_utf8_lossy(&one.reference)
    );
    if compared == Compared::Targets {
        let target = one.target.as_deref().unwrap_or("(none)");
        line += &format!(" -> {target}");
    }
    if one.inert {
        line += " inert";
    }
    if let Some(via) = one.via {
        line += &format!(" via {via}");
    }
    line
}

/// Both lists side by side, from the first place where they differ.
pub(crate) fn differences(
    compared: Compared,
    expected: &[Expected],
    got: &[Expected],
) -> Option<String> {
    let lines =
        |list: &[Expected]| -> Vec<String> { list.iter().map(|one| line(compared, one)).collect() };
    let (expected, got) = (lines(expected), lines(got));
    if expected == got {
        return None;
    }
    let same = expected
        .iter()
        .zip(&got)
        .take_while(|(one, other)| one == other)
        .count();
    let mut text = format!("    {same} references agree, then\n");
    for (name, list) in [("expected", &expected), ("got", &got)] {
        let rest = &list[same..];
        text += &format!("    {name}: {} more\n", rest.len());
        for line in rest.iter().take(8) {
            text += &format!("        {line}\n");
        }
    }
    Some(text)
}

/// A failure with its input.
pub(crate) fn report(title: &str, html: &[u8], options: &Options, difference: &str) -> String {
    let input = match std::str::from_utf8(html) {
        Ok(text) => format!("{text:?}"),
        Err(_) => format!("b\"{}\"", html.escape_ascii()),
    };
    let mut asked = Vec::new();
    asked.extend(options.extended.then(|| "extended".to_owned()));
    asked.extend(options.scripting.then(|| "scripting".to_owned()));
    asked.extend(options.transport_charset.clone());
    asked.extend(options.document_uri.clone());
    format!(
        "{title}\n    input: {input}\n    options: {}\n{difference}",
        asked.join(", ")
    )
}
