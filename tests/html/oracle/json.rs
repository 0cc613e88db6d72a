//! References in the JSON of script elements: import maps, speculation rules, linked data.

use serde_json::{Map, Value};
use url::Url;

/// HTML, "URL-like import specifier".
fn is_url_like(specifier: &str) -> bool {
    ["/", "./", "../"]
        .iter()
        .any(|start| specifier.starts_with(start))
        || Url::parse(specifier).is_ok()
}

fn parse(text: &str) -> Map<String, Value> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

/// HTML, "import map": the keys and values that are URLs.
pub(crate) fn import_map(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (key, value) in &parse(text) {
        let Value::Object(members) = value else {
            continue;
        };
        match key.as_str() {
            "imports" => specifiers(members, &mut found),
            "scopes" => {
                for (prefix, scope) in members {
                    found.push(prefix.clone());
                    if let Value::Object(scope) = scope {
                        specifiers(scope, &mut found);
                    }
                }
            }
            "integrity" => found.extend(members.keys().cloned()),
            _ => {}
        }
    }
    found.retain(|specifier| is_url_like(specifier));
    found
}

fn specifiers(map: &Map<String, Value>, found: &mut Vec<String>) {
    for (specifier, address) in map {
        found.push(specifier.clone());
        found.extend(address.as_str().map(str::to_owned));
    }
}

/// "Speculation rules": the URLs of list rules of every action.
pub(crate) fn speculation_rules(text: &str) -> Vec<String> {
    let rules = parse(text);
    let rules = rules.values().filter_map(Value::as_array).flatten();
    rules
        .filter_map(|rule| rule.get("urls")?.as_array())
        .flatten()
        .filter_map(Value::as_str)
        .filter(|reference| !reference.is_empty())
        .map(str::to_owned)
        .collect()
}

/// JSON-LD: the members that are URLs by convention, at any depth.
pub(crate) fn linked_data(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Ok(value) = serde_json::from_str(text) {
        linked(&value, false, &mut found);
    }
    found
}

fn linked(value: &Value, is_link: bool, found: &mut Vec<String>) {
    const MEMBERS: [&str; 5] = ["@id", "url", "image", "sameAs", "logo"];
    match value {
        Value::String(text) if is_link && !text.is_empty() => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| linked(item, is_link, found)),
        Value::Object(members) => {
            for (key, member) in members {
                linked(member, MEMBERS.contains(&key.as_str()), found);
            }
        }
        _ => {}
    }
}
