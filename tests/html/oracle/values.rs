//! Grammars of attribute values, transcribed step by step: lists, srcset, refresh.

/// The characters that HTML calls ASCII whitespace.
pub(crate) fn is_space(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\u{c}' | '\r' | ' ')
}

/// A space-separated list.
pub(crate) fn spaces(value: &str) -> Vec<String> {
    value
        .split(is_space)
        .filter(|item| !item.is_empty())
        .map(str::to_owned)
        .collect()
}

/// A comma-separated list.
pub(crate) fn commas(value: &str) -> Vec<String> {
    value
        .split(',')
        .map(|item| item.trim_matches(is_space))
        .filter(|item| !item.is_empty())
        .map(str::to_owned)
        .collect()
}

/// HTML, "parse a srcset attribute": the URLs of the valid candidates.
pub(crate) fn srcset(value: &str) -> Vec<String> {
    let input: Vec<char> = value.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        while at < input.len() && (is_space(input[at]) || input[at] == ',') {
            at += 1;
        }
        if at == input.len() {
            return found;
        }
        let start = at;
        while at < input.len() && !is_space(input[at]) {
            at += 1;
        }
        let url: String = input[start..at].iter().collect();
        let descriptors = if url.ends_with(',') {
            Vec::new()
        } else {
            descriptors(&input, &mut at)
        };
        if are_valid(&descriptors) {
            found.push(url.trim_end_matches(',').to_owned());
        }
    }
}

#[derive(PartialEq)]
enum State {
    InDescriptor,
    InParens,
    AfterDescriptor,
}

/// HTML, "parse a srcset attribute", the descriptor tokenizer.
fn descriptors(input: &[char], at: &mut usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut current = String::new();
    let mut state = State::InDescriptor;
    while *at < input.len() && is_space(input[*at]) {
        *at += 1;
    }
    loop {
        let character = input.get(*at).copied();
        match (&state, character) {
            (State::InDescriptor | State::InParens, None) => {
                found.push(current);
                found.retain(|descriptor| !descriptor.is_empty());
                return found;
            }
            (State::InDescriptor, Some(',')) => {
                *at += 1;
                found.push(current);
                found.retain(|descriptor| !descriptor.is_empty());
                return found;
            }
            (State::InDescriptor, Some(space)) if is_space(space) => {
                found.push(std::mem::take(&mut current));
                state = State::AfterDescriptor;
            }
            (State::InDescriptor, Some('(')) => {
                current.push('(');
                state = State::InParens;
            }
            (State::InParens, Some(')')) => {
                current.push(')');
                state = State::InDescriptor;
            }
            (State::InDescriptor | State::InParens, Some(other)) => current.push(other),
            (State::AfterDescriptor, Some(space)) if is_space(space) => {}
            (State::AfterDescriptor, None) => {
                found.retain(|descriptor| !descriptor.is_empty());
                return found;
            }
            (State::AfterDescriptor, Some(_)) => {
                state = State::InDescriptor;
                continue;
            }
        }
        *at += 1;
    }
}

/// HTML, "parse a srcset attribute", the descriptor parser.
fn are_valid(descriptors: &[String]) -> bool {
    let (mut width, mut density, mut height) = (false, false, false);
    for descriptor in descriptors {
        let split = descriptor.char_indices().next_back();
        let (number, unit) = match split {
            Some((at, unit)) => (&descriptor[..at], unit),
            None => return false,
        };
        match unit {
            'w' if is_positive_integer(number) && !width && !density => width = true,
            'x' if is_float_from_zero(number) && !width && !density && !height => density = true,
            'h' if is_positive_integer(number) && !height && !density => height = true,
            _ => return false,
        }
    }
    !height || width
}

/// A valid non-negative integer that is not zero.
fn is_positive_integer(number: &str) -> bool {
    !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && number.bytes().any(|byte| byte != b'0')
}

/// A valid floating-point number that is not less than zero.
fn is_float_from_zero(number: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = number.strip_prefix('-').unwrap_or(number);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let mantissa_holds = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole.is_empty() || digits(whole)) && digits(fraction),
        None => digits(mantissa),
    };
    let exponent_holds = exponent
        .is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)));
    let is_zero = mantissa.bytes().all(|byte| byte == b'0' || byte == b'.');
    mantissa_holds && exponent_holds && (unsigned.len() == number.len() || is_zero)
}

/// HTML, "shared declarative refresh steps": the URL string, if it gets that far.
pub(crate) fn refresh(value: &str) -> Option<String> {
    let input: Vec<char> = value.chars().collect();
    let skip = |mut at: usize, accept: &dyn Fn(char) -> bool| {
        while at < input.len() && accept(input[at]) {
            at += 1;
        }
        at
    };
    let is_at = |at: usize, wanted: &str| {
        let character = input.get(at);
        character.is_some_and(|character| wanted.contains(character.to_ascii_lowercase()))
    };
    let mut at = skip(0, &is_space);
    let digits = at;
    at = skip(at, &|character| character.is_ascii_digit());
    if at == digits && !is_at(at, ".") {
        return None;
    }
    at = skip(at, &|character| {
        character.is_ascii_digit() || character == '.'
    });
    if at < input.len() && !is_at(at, ";,") && !is_space(input[at]) {
        return None;
    }
    at = skip(at, &is_space);
    if is_at(at, ";,") {
        at += 1;
    }
    at = skip(at, &is_space);
    if at == input.len() {
        return None;
    }
    let from_u: String = input[at..].iter().collect();
    if is_at(at, "u") {
        if !(is_at(at + 1, "r") && is_at(at + 2, "l")) {
            return Some(from_u);
        }
        at = skip(at + 3, &is_space);
        if !is_at(at, "=") {
            return Some(from_u);
        }
        at = skip(at + 1, &is_space);
    }
    let quote = input
        .get(at)
        .copied()
        .filter(|&first| first == '"' || first == '\'');
    let rest = &input[at + usize::from(quote.is_some())..];
    let is_end = |character: &char| Some(*character) == quote;
    let end = rest.iter().position(is_end).unwrap_or(rest.len());
    Some(rest[..end].iter().collect())
}
