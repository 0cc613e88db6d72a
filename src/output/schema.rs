//! The JSON Schemas of the records, made from the tables that the records are made from.

use super::field::{FIELDS, Field, Kind, Shape};
use super::json::{push_member, push_string};
use super::record::{Archive, SkipReason, Summary};

/// A key that only some records have.
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub about: &'static str,
    /// What its value may be.
    pub shape: Shape,
}

/// The keys that a summary on standard error has behind the counts.
pub static USAGE: &[Key] = &[
    Key {
        name: "wall_seconds",
        about: "Time that has passed",
        shape: Shape::MaybeFraction,
    },
    Key {
        name: "cpu_seconds",
        about: "Time of all processors",
        shape: Shape::MaybeFraction,
    },
    Key {
        name: "peak_bytes",
        about: "The most memory held at a time",
        shape: Shape::MaybeNumber,
    },
];

/// The keys that a finding has behind those of its link.
pub static FINDING: &[Key] = &[
    Key {
        name: "rule",
        about: "The rule that the reference breaks",
        shape: Shape::Text,
    },
    Key {
        name: "level",
        about: "How bad it is: error or warning",
        shape: Shape::Text,
    },
    Key {
        name: "message",
        about: "What is wrong, in words",
        shape: Shape::Text,
    },
    Key {
        name: "suggestion",
        about: "What may be meant",
        shape: Shape::MaybeText,
    },
    Key {
        name: "key",
        about: "What names the finding from one run to the next",
        shape: Shape::Text,
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
static AUDIT: &[Key] = &[
    Key {
        name: "ok",
        about: "References whose target exists",
        shape: Shape::Number,
    },
    Key {
        name: "broken",
        about: "References whose target, or the place in it, does not exist",
        shape: Shape::Number,
    },
    Key {
        name: "external",
        about: "References to elsewhere on the network",
        shape: Shape::Number,
    },
    Key {
        name: "unresolved",
        about: "References without a target",
        shape: Shape::Number,
    },
    Key {
        name: "skipped",
        about: "References that were left out, or whose scheme has nothing to look up",
        shape: Shape::Number,
    },
    Key {
        name: "findings",
        about: "Findings of each level",
        shape: Shape::Counts,
    },
    Key {
        name: "hidden_findings",
        about: "Findings beyond --max-findings",
        shape: Shape::Number,
    },
    Key {
        name: "unsuggested",
        about: "Findings without a suggestion because looking for more would take too long",
        shape: Shape::Number,
    },
];

fn push_link(out: &mut Vec<u8>) {
    let mut keys = link_keys("link");
    let about = "audit: ok, broken, external, unresolved or skipped";
    keys.push(("state", about, Shape::Text, Kind::Appended));
    push("link", "A reference, resolved", &keys, out);
}

fn push_finding(out: &mut Vec<u8>) {
    let mut keys = link_keys("finding");
    for (name, _, shape, _) in &mut keys {
        // A finding may be about a document, where a link's keys have nothing to say.
        *shape = match (*name, *shape) {
            ("path", shape) => shape,
            (_, Shape::Text) => Shape::MaybeText,
            (_, Shape::Number) => Shape::MaybeNumber,
            (_, shape) => shape,
        };
    }
    let own = FINDING.iter();
    keys.extend(own.map(|key| (key.name, key.about, key.shape, Kind::Core)));
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
        Shape::Constant("summary"),
        Kind::Core,
    );
    let mut keys = vec![kind];
    for (name, _) in Summary::default().counts() {
        keys.push((name, Summary::about(name), Shape::Number, Kind::Core));
    }
    let others = USAGE.iter().chain(AUDIT);
    keys.extend(others.map(|key| (key.name, key.about, key.shape, Kind::Appended)));
    let skips = SkipReason::NAMES.iter();
    keys.extend(skips.map(|(_, name, about)| (*name, *about, Shape::Number, Kind::Core)));
    push("summary", "The counts of a run", &keys, out);
}

fn push_archive(out: &mut Vec<u8>) {
    let kind = "The kind of record";
    let path = "The file, as reached from the arguments";
    let mut keys = vec![
        ("type", kind, Shape::Constant("archive"), Kind::Core),
        ("path", path, Shape::Text, Kind::Core),
    ];
    for (name, shape) in [
        ("messages", Shape::Number),
        ("parts", Shape::Number),
        ("skipped_parts", Shape::Counts),
        ("links", Shape::Number),
        ("bytes", Shape::Number),
        ("diagnostics", Shape::Counts),
    ] {
        keys.push((name, Archive::about(name), shape, Kind::Core));
    }
    let bytes = "The bytes of a path that is not UTF-8, in base64";
    keys.push(("path_bytes", bytes, Shape::Text, Kind::Appended));
    push("archive", "How much of an archive was read", &keys, out);
}

fn push_count(out: &mut Vec<u8>) {
    let keys = [
        (
            "type",
            "The kind of record",
            Shape::Constant("count"),
            Kind::Core,
        ),
        (
            "key",
            "The property that references are counted by",
            Shape::Text,
            Kind::Core,
        ),
        (
            "value",
            "Its value; null where a reference has none",
            Shape::MaybeText,
            Kind::Core,
        ),
        (
            "count",
            "How many references have this value",
            Shape::Number,
            Kind::Core,
        ),
        (
            "value_bytes",
            "The bytes of a value that is not UTF-8, in base64",
            Shape::Text,
            Kind::Appended,
        ),
    ];
    push("count", "How often a value occurred", &keys, out);
}

type Row = (&'static str, &'static str, Shape, Kind);

fn link_keys(kind: &'static str) -> Vec<Row> {
    let row = |field: &Field| {
        let shape = match field.shape {
            Shape::Constant(_) => Shape::Constant(kind),
            other => other,
        };
        (field.name, field.about, shape, field.kind)
    };
    FIELDS.iter().map(row).collect()
}

fn push(name: &str, about: &str, keys: &[Row], out: &mut Vec<u8>) {
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
    let required = keys.iter().filter(|(_, _, _, kind)| *kind == Kind::Core);
    for (index, (name, _, _, _)) in required.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        push_string(name.as_bytes(), out);
    }
    out.extend_from_slice(b"]\n}\n");
}

fn push_shape(shape: Shape, out: &mut Vec<u8>) {
    let text: &[u8] = match shape {
        Shape::Constant(name) => return push_member("const", name, out),
        Shape::Text => b",\"type\":\"string\"",
        Shape::MaybeText => b",\"type\":[\"string\",\"null\"]",
        Shape::Number => b",\"type\":\"integer\",\"minimum\":0",
        Shape::MaybeNumber => b",\"type\":[\"integer\",\"null\"],\"minimum\":0",
        Shape::MaybeFraction => b",\"type\":[\"number\",\"null\"],\"minimum\":0",
        Shape::Counts => {
            b",\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\",\"minimum\":0}"
        }
        Shape::Texts => b",\"type\":\"array\",\"items\":{\"type\":\"string\"}",
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
