//! The JSON Schemas of the records, made from the tables that the records are made from.

use super::field::{FIELDS, FieldPresence, RecordField, ValueShape};
use super::json::{push_member, push_string};
use super::record::{ArchiveRecord, SkipReason, Summary};

/// A key that only some records have.
pub struct ExtraKey {
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub about: &'static str,
    /// What its value may be.
    pub shape: ValueShape,
}

/// The keys that a summary on standard error has behind the counts.
pub static USAGE: &[ExtraKey] = &[
    ExtraKey {
        name: "wall_seconds",
        about: "Time that has passed",
        shape: ValueShape::MaybeFraction,
    },
    ExtraKey {
        name: "cpu_seconds",
        about: "Time of all processors",
        shape: ValueShape::MaybeFraction,
    },
    ExtraKey {
        name: "peak_bytes",
        about: "The most memory held at a time",
        shape: ValueShape::MaybeNumber,
    },
];

/// The keys that a finding has behind those of its link.
pub static FINDING: &[ExtraKey] = &[
    ExtraKey {
        name: "rule",
        about: "The rule that the reference breaks",
        shape: ValueShape::Text,
    },
    ExtraKey {
        name: "level",
        about: "How bad it is: error or warning",
        shape: ValueShape::Text,
    },
    ExtraKey {
        name: "message",
        about: "What is wrong, in words",
        shape: ValueShape::Text,
    },
    ExtraKey {
        name: "suggestion",
        about: "What may be meant",
        shape: ValueShape::MaybeText,
    },
    ExtraKey {
        name: "key",
        about: "What names the finding from one run to the next",
        shape: ValueShape::Text,
    },
];

/// A record that has a schema.
pub struct Schema {
    /// The name that `schema` takes.
    pub name: &'static str,
    /// Appends the schema.
    pub push: fn(&mut Vec<u8>),
}

/// Every record that has a schema.
pub static SCHEMAS: &[Schema] = &[
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
    ExtraKey {
        name: "ok",
        about: "References whose target exists",
        shape: ValueShape::Number,
    },
    ExtraKey {
        name: "broken",
        about: "References whose target, or the place in it, does not exist",
        shape: ValueShape::Number,
    },
    ExtraKey {
        name: "external",
        about: "References to elsewhere on the network",
        shape: ValueShape::Number,
    },
    ExtraKey {
        name: "unresolved",
        about: "References without a target",
        shape: ValueShape::Number,
    },
    ExtraKey {
        name: "skipped",
        about: "References that were left out, or whose scheme has nothing to look up",
        shape: ValueShape::Number,
    },
    ExtraKey {
        name: "findings",
        about: "Findings of each level",
        shape: ValueShape::Counts,
    },
    ExtraKey {
        name: "hidden_findings",
        about: "Findings beyond --max-findings",
        shape: ValueShape::Number,
    },
    ExtraKey {
        name: "unsuggested",
        about: "Findings without a suggestion because looking for more would take too long",
        shape: ValueShape::Number,
    },
];

fn push_link(out: &mut Vec<u8>) {
    let mut keys = link_keys("link");
    let about = "audit: ok, broken, external, unresolved or skipped";
    keys.push(("state", about, ValueShape::Text, FieldPresence::Appended));
    push("link", "A reference, resolved", &keys, out);
}

fn push_finding(out: &mut Vec<u8>) {
    let mut keys = link_keys("finding");
    for (name, _, shape, _) in &mut keys {
        // A finding may be about a document, where a link's keys have nothing to say.
        *shape = match (*name, *shape) {
            ("path", shape) => shape,
            (_, ValueShape::Text) => ValueShape::MaybeText,
            (_, ValueShape::Number) => ValueShape::MaybeNumber,
            (_, shape) => shape,
        };
    }
    let own = FINDING.iter();
    keys.extend(own.map(|key| (key.name, key.about, key.shape, FieldPresence::Core)));
    push(
        "finding",
        "A reference and what is wrong with it",
        &keys,
        out,
    );
}

fn push_summary(out: &mut Vec<u8>) {
    let kind = (
        "type",
        "The kind of record",
        ValueShape::Constant("summary"),
        FieldPresence::Core,
    );
    let mut keys = vec![kind];
    for (name, _) in Summary::default().counts() {
        keys.push((
            name,
            Summary::about(name),
            ValueShape::Number,
            FieldPresence::Core,
        ));
    }
    let others = USAGE.iter().chain(AUDIT);
    keys.extend(others.map(|key| (key.name, key.about, key.shape, FieldPresence::Appended)));
    let skips = SkipReason::NAMES.iter();
    keys.extend(
        skips.map(|(_, name, about)| (*name, *about, ValueShape::Number, FieldPresence::Core)),
    );
    push("summary", "The counts of a run", &keys, out);
}

fn push_archive(out: &mut Vec<u8>) {
    let kind = "The kind of record";
    let path = "The file, as reached from the arguments";
    let mut keys = vec![
        (
            "type",
            kind,
            ValueShape::Constant("archive"),
            FieldPresence::Core,
        ),
        ("path", path, ValueShape::Text, FieldPresence::Core),
    ];
    for (name, shape) in [
        ("messages", ValueShape::Number),
        ("parts", ValueShape::Number),
        ("skipped_parts", ValueShape::Counts),
        ("links", ValueShape::Number),
        ("bytes", ValueShape::Number),
        ("diagnostics", ValueShape::Counts),
    ] {
        keys.push((name, ArchiveRecord::about(name), shape, FieldPresence::Core));
    }
    let bytes = "The bytes of a path that is not UTF-8, in base64";
    keys.push((
        "path_bytes",
        bytes,
        ValueShape::Text,
        FieldPresence::Appended,
    ));
    push("archive", "How much of an archive was read", &keys, out);
}

fn push_count(out: &mut Vec<u8>) {
    let keys = [
        (
            "type",
            "The kind of record",
            ValueShape::Constant("count"),
            FieldPresence::Core,
        ),
        (
            "key",
            "The property that references are counted by",
            ValueShape::Text,
            FieldPresence::Core,
        ),
        (
            "value",
            "Its value; null where a reference has none",
            ValueShape::MaybeText,
            FieldPresence::Core,
        ),
        (
            "count",
            "How many references have this value",
            ValueShape::Number,
            FieldPresence::Core,
        ),
        (
            "value_bytes",
            "The bytes of a value that is not UTF-8, in base64",
            ValueShape::Text,
            FieldPresence::Appended,
        ),
    ];
    push("count", "How often a value occurred", &keys, out);
}

type SchemaRow = (&'static str, &'static str, ValueShape, FieldPresence);

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
            assert_eq!(value["properties"]["type"]["const"], schema.name);
            let required = value["required"].as_array().unwrap();
            assert!(required.len() > 3, "{required:?}");
            for key in required {
                assert!(value["properties"].get(key.as_str().unwrap()).is_some());
            }
        }
    }
}
