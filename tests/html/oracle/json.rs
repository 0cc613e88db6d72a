//! References in the JSON of script elements: import maps, speculation rules, linked data.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use url::Url;

/// A JSON value whose objects keep every member, in order.
pub(crate) enum Json {
    Object(Vec<(String, Json)>),
    Array(Vec<Json>),
    String(String),
    /// A number, `true`, `false` or `null`.
    Other,
}

impl Json {
    fn parse(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or(Json::Other)
    }

    /// The members of an object; of anything else, none.
    fn members(&self) -> &[(String, Json)] {
        match self {
            Json::Object(members) => members,
            _ => &[],
        }
    }

    /// The items of an array; of anything else, none.
    fn items(&self) -> &[Json] {
        match self {
            Json::Array(items) => items,
            _ => &[],
        }
    }

    fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Json::Object(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Other)
    }
}

/// HTML, "URL-like import specifier".
fn is_url_like(specifier: &str) -> bool {
    ["/", "./", "../"]
        .iter()
        .any(|start| specifier.starts_with(start))
        || Url::parse(specifier).is_ok()
}

/// HTML, "import map": the keys and values that are URLs.
pub(crate) fn import_map(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (key, value) in Json::parse(text).members() {
        match key.as_str() {
            "imports" => specifiers(value, &mut found),
            "scopes" => {
                for (prefix, scope) in value.members() {
                    found.push(prefix.clone());
                    specifiers(scope, &mut found);
                }
            }
            "integrity" => found.extend(value.members().iter().map(|(key, _)| key.clone())),
            _ => {}
        }
    }
    found.retain(|specifier| is_url_like(specifier));
    found
}

fn specifiers(map: &Json, found: &mut Vec<String>) {
    for (specifier, address) in map.members() {
        found.push(specifier.clone());
        found.extend(address.as_str().map(str::to_owned));
    }
}

/// "Speculation rules": the URLs of list rules of every action.
pub(crate) fn speculation_rules(text: &str) -> Vec<String> {
    let document = Json::parse(text);
    let rules = document
        .members()
        .iter()
        .flat_map(|(_, rules)| rules.items());
    rules
        .flat_map(Json::members)
        .filter(|(key, _)| key == "urls")
        .flat_map(|(_, urls)| urls.items())
        .filter_map(Json::as_str)
        .filter(|reference| !reference.is_empty())
        .map(str::to_owned)
        .collect()
}

/// JSON-LD: the members that are URLs by convention, at any depth.
pub(crate) fn linked_data(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    linked(&Json::parse(text), false, &mut found);
    found
}

fn linked(value: &Json, is_link: bool, found: &mut Vec<String>) {
    const MEMBERS: [&str; 19] = [
        "@id",
        "archivedAt",
        "codeRepository",
        "contentUrl",
        "discussionUrl",
        "downloadUrl",
        "embedUrl",
        "hasMap",
        "image",
        "installUrl",
        "item",
        "logo",
        "mainEntityOfPage",
        "relatedLink",
        "sameAs",
        "screenshot",
        "significantLink",
        "thumbnailUrl",
        "url",
    ];
    match value {
        Json::String(text) if is_link && !text.is_empty() => found.push(text.clone()),
        Json::Array(items) => items.iter().for_each(|item| linked(item, is_link, found)),
        Json::Object(members) => {
            for (key, member) in members {
                linked(member, MEMBERS.contains(&key.as_str()), found);
            }
        }
        Json::String(_) | Json::Other => {}
    }
}
