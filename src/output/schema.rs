//! The JSON Schemas of the records, made from the tables that the records are made from.

use super::field::{FIELDS, FieldPresence, RecordField, ValueShape};
use super::json::{push_member, push_string};
use super::record::{SkipReason, Summary};

/// A key with its description and the type of its value.
type ExtraKey = (&'static str, &'static str, ValueShape);

/// The keys after the counts in a summary on standard error.
static USAGE: &[ExtraKey] = &[
    (
        "wall_seconds",
        "Time that has passed",
        ValueShape::MaybeFraction,
    ),
    (
        "cpu_seconds",
        "Time of all processors",
        ValueShape::MaybeFraction,
    ),
    (
        "peak_bytes",
        "The most memory held at a time",
        ValueShape::MaybeNumber,
    ),
];

/// The keys of a finding after those of its link.
static FINDING: &[ExtraKey] = &[
    (
        "rule",
        "The rule that the reference breaks",
        ValueShape::Text,
    ),
    ("level", "How bad it is: error or warning", ValueShape::Text),
    ("message", "What is wrong, in words", ValueShape::Text),
    ("suggestion", "What may be meant", ValueShape::MaybeText),
    (
        "key",
        "What names the finding from one run to the next",
        ValueShape::Text,
    ),
    (
        "group",
        "What names the findings of the rule with the target, from one run to the next",
        ValueShape::Text,
    ),
];

/// The JSON Schema of a record.
pub(crate) struct Schema {
    /// The name that `schema` takes.
    pub name: &'static str,
    /// Appends the schema.
    pub push: fn(&mut Vec<u8>),
}

/// The version of all schemas: grows where a key goes away, or gets another meaning or type.
const VERSION: &str = "1";

/// All schemas.
pub(crate) static SCHEMAS: &[Schema] = &[
    Schema {
        name: "link",
        push: push_link,
    },
    Schema {
        name: "finding",
        push: push_finding,
    },
    Schema {
        name: "summary",
        push: push_summary,
    },
    Schema {
        name: "archive",
        push: push_archive,
    },
    Schema {
        name: "count",
        push: push_count,
    },
];

/// The keys that only an audit appends.
static AUDIT: &[ExtraKey] = &[
    ("ok", "References whose target exists", ValueShape::Number),
    (
        "broken",
        "References whose target, or the place in it, does not exist",
        ValueShape::Number,
    ),
    (
        "external",
        "References to elsewhere on the network",
        ValueShape::Number,
    ),
    (
        "unresolved",
        "References without a target",
        ValueShape::Number,
    ),
    (
        "skipped",
        "References that were left out, or whose scheme has nothing to look up",
        ValueShape::Number,
    ),
    ("findings", "Findings of each level", ValueShape::Counts),
    (
        "hidden_findings",
        "Findings beyond --max-findings",
        ValueShape::Number,
    ),
    (
        "read_as_text",
        "Documents of formats not known that were read as text, in which relative references are not seen",
        ValueShape::Number,
    ),
    (
        "unsuggested",
        "Findings without a suggestion because looking for more would take too long",
        ValueShape::Number,
    ),
    (
        "ignored",
        "Findings that comments or the configuration ignore",
        ValueShape::Number,
    ),
    (
        "servers",
        "The sites that were seen as a server other than a static one shows them: DIRECTORY=SERVER",
        ValueShape::Texts,
    ),
    (
        "server_rules",
        "Rules in the redirect files of these sites",
        ValueShape::Number,
    ),
    (
        "unfollowed_rules",
        "Rules and directives in these files that are not followed",
        ValueShape::Number,
    ),
    ("rules", "Findings of each rule", ValueShape::Counts),
    (
        "forgiven",
        "Findings that the baseline accepts",
        ValueShape::Number,
    ),
    (
        "stale",
        "Lines of the baseline that accept no finding",
        ValueShape::Number,
    ),
    (
        "config",
        "The configuration file that was read",
        ValueShape::Text,
    ),
];

fn push_link(out: &mut Vec<u8>) {
    let mut keys = link_keys("link");
    let about = "audit: ok, broken, external, unresolved or skipped";
    keys.push(appended("state", about, ValueShape::Text));
    push("link", "A reference, resolved", &keys, out);
}

fn push_finding(out: &mut Vec<u8>) {
    let mut keys = link_keys("finding");
    for (name, _, shape, _) in &mut keys {
        // A finding about a document has no values for the keys of a link.
        *shape = match (*name, *shape) {
            ("path", shape) => shape,
            (_, ValueShape::Text) => ValueShape::MaybeText,
            (_, ValueShape::Number) => ValueShape::MaybeNumber,
            (_, shape) => shape,
        };
    }
    let own = FINDING.iter();
    keys.extend(own.map(|&(name, about, shape)| core(name, about, shape)));
    push(
        "finding",
        "A reference and what is wrong with it",
        &keys,
        out,
    );
}

fn push_summary(out: &mut Vec<u8>) {
    let mut keys = vec![kind("summary")];
    keys.extend(Summary::KEYS.map(|(name, about)| core(name, about, ValueShape::Number)));
    let others = USAGE.iter().chain(AUDIT);
    keys.extend(others.map(|&(name, about, shape)| appended(name, about, shape)));
    let skips = SkipReason::NAMES.iter();
    let skips = skips.map(|(_, name, about)| (*name, *about));
    let skips = skips.chain([Summary::UNREAD, Summary::UNREAD_PARTS]);
    keys.extend(skips.map(|(name, about)| core(name, about, ValueShape::Number)));
    push("summary", "The counts of a run", &keys, out);
}

fn push_archive(out: &mut Vec<u8>) {
    let path = "The file, as reached from the arguments";
    let skipped = "Parts that were passed over, by media type";
    let bytes = "The bytes of a path that is not UTF-8, in base64";
    let keys = [
        kind("archive"),
        core("path", path, ValueShape::Text),
        core("messages", "Messages in it", ValueShape::Number),
        core("parts", "Parts that were read", ValueShape::Number),
        core("skipped_parts", skipped, ValueShape::Counts),
        core("links", "References that were reported", ValueShape::Number),
        core("bytes", "Its bytes, decompressed", ValueShape::Number),
        core(
            "diagnostics",
            "How often each code was diagnosed",
            ValueShape::Counts,
        ),
        appended(
            "members",
            "Members of a tar, a zip or a web archive",
            ValueShape::Number,
        ),
        appended("path_bytes", bytes, ValueShape::Text),
    ];
    push("archive", "How much of an archive was read", &keys, out);
}

fn push_count(out: &mut Vec<u8>) {
    let key = "The property that references are counted by";
    let value = "Its value; null where a reference has none";
    let count = "How many references have this value";
    let bytes = "The bytes of a value that is not UTF-8, in base64";
    let keys = [
        kind("count"),
        core("key", key, ValueShape::Text),
        core("value", value, ValueShape::MaybeText),
        core("count", count, ValueShape::Number),
        appended("value_bytes", bytes, ValueShape::Text),
    ];
    push("count", "How often a value occurred", &keys, out);
}

/// A key, its description, its type, and whether it is required.
type SchemaRow = (&'static str, &'static str, ValueShape, FieldPresence);

fn core(name: &'static str, about: &'static str, shape: ValueShape) -> SchemaRow {
    (name, about, shape, FieldPresence::Core)
}

fn appended(name: &'static str, about: &'static str, shape: ValueShape) -> SchemaRow {
    (name, about, shape, FieldPresence::Appended)
}

fn kind(name: &'static str) -> SchemaRow {
    core("type", "The kind of record", ValueShape::Constant(name))
}

fn link_keys(kind: &'static str) -> Vec<SchemaRow> {
    let row = |field: &RecordField| {
        let shape = match field.shape {
            ValueShape::Constant(_) => ValueShape::Constant(kind),
            other => other,
        };
        (field.name, field.about, shape, field.kind)
    };
    FIELDS.iter().map(row).collect()
}

fn push(name: &str, about: &str, keys: &[SchemaRow], out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\n  \"$schema\":\"https://json-schema.org/draft/2020-12/schema\"");
    for (key, text) in [("title", name), ("description", about), ("type", "object")] {
        out.extend_from_slice(b",\n  ");
        push_string(key.as_bytes(), out);
        out.push(b':');
        push_string(text.as_bytes(), out);
    }
    out.extend_from_slice(b",\n  \"version\":");
    out.extend_from_slice(VERSION.as_bytes());
    out.extend_from_slice(b",\n  \"properties\":{");
    for (index, (name, about, shape, _)) in keys.iter().enumerate() {
        out.extend_from_slice(if index == 0 { b"\n    " } else { b",\n    " });
        push_string(name.as_bytes(), out);
        out.extend_from_slice(b":{\"description\":");
        push_string(about.as_bytes(), out);
        push_shape(*shape, out);
        out.push(b'}');
    }
    out.extend_from_slice(b"\n  },\n  \"required\":[");
    let required = keys
        .iter()
        .filter(|(_, _, _, kind)| *kind == FieldPresence::Core);
    for (index, (name, _, _, _)) in required.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        push_string(name.as_bytes(), out);
    }
    out.extend_from_slice(b"]\n}\n");
}

fn push_shape(shape: ValueShape, out: &mut Vec<u8>) {
    let text: &[u8] = match shape {
        ValueShape::Constant(name) => return push_member("const", name, out),
        ValueShape::Text => b",\"type\":\"string\"",
        ValueShape::MaybeText => b",\"type\":[\"string\",\"null\"]",
        ValueShape::Number => b",\"type\":\"integer\",\"minimum\":0",
        ValueShape::MaybeNumber => b",\"type\":[\"integer\",\"null\"],\"minimum\":0",
        ValueShape::MaybeFraction => b",\"type\":[\"number\",\"null\"],\"minimum\":0",
        ValueShape::Counts => {
            b",\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\",\"minimum\":0}"
        }
        ValueShape::Texts => b",\"type\":\"array\",\"items\":{\"type\":\"string\"}",
        ValueShape::MaybeTexts => b",\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"string\"}",
    };
    out.extend_from_slice(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_json_and_require_the_core_keys() {
        for schema in SCHEMAS {
            let mut text = Vec::new();
            (schema.push)(&mut text);
            let value: serde_json::Value = serde_json::from_slice(&text).unwrap();
            assert_eq!(value["title"], schema.name);
            assert_eq!(value["version"], 1);
            assert_eq!(value["properties"]["type"]["const"], schema.name);
            let required = value["required"].as_array().unwrap();
            assert!(required.len() > 3, "{required:?}");
            for key in required {
                assert!(value["properties"].get(key.as_str().unwrap()).is_some());
            }
        }
    }
}
