//! The JSON Schemas of the records: for links and findings from the table of keys, the others from files.

use super::column::ColumnKind;
use super::field::{
    ColumnChoice, FIELDS, FieldPresence, RECORD_FIELDS, RecordField, chosen_fields, record_fields,
};
use super::json::{push_key, push_list, push_member, push_string};

/// The JSON Schema of a record.
pub(crate) struct Schema {
    /// The name that `schema` takes.
    pub name: &'static str,
    /// Appends the schema.
    pub push: fn(&mut Vec<u8>),
    /// Returns the columns that are chosen of its table; `None` without a table.
    pub fields: Option<TableColumns>,
}

type TableColumns = fn(&[ColumnChoice]) -> Result<Vec<&'static RecordField>, String>;

/// The version of all schemas: grows where a key goes away, or gets another meaning or type.
const VERSION: &str = "1";

pub(crate) static SCHEMAS: &[Schema] = &[
    Schema {
        fields: Some(|columns| Ok(chosen_fields(columns, false))),
        ..row("link", push_link)
    },
    Schema {
        fields: Some(record_fields),
        ..row("record", push_record)
    },
    row("finding", push_finding),
    row("summary", |out| {
        out.extend_from_slice(include_bytes!("schemas/summary.json"));
    }),
    row("archive", |out| {
        out.extend_from_slice(include_bytes!("schemas/archive.json"));
    }),
    row("target", |out| {
        out.extend_from_slice(include_bytes!("schemas/target.json"));
    }),
    row("external", |out| {
        out.extend_from_slice(include_bytes!("schemas/external.json"));
    }),
    row("count", |out| {
        out.extend_from_slice(include_bytes!("schemas/count.json"));
    }),
];

const fn row(name: &'static str, push: fn(&mut Vec<u8>)) -> Schema {
    Schema {
        name,
        push,
        fields: None,
    }
}

/// The keys of a finding after the link's, with their descriptions: strings; `suggestion` may be null.
static FINDING: [(&str, &str); 6] = [
    ("rule", "The rule that the reference breaks"),
    ("level", "The severity: error or warning"),
    ("message", "The problem, in words"),
    ("suggestion", "The reference that may be meant"),
    ("key", "The key of the finding, the same from run to run"),
    (
        "group",
        "The key of the findings of the rule with the target, the same from run to run",
    ),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueType {
    /// Always this string.
    Constant(&'static str),
    Text,
    /// A number from 0.
    Number,
    /// An array of strings.
    Texts,
}

struct SchemaKey {
    name: &'static str,
    about: &'static str,
    value: ValueType,
    is_nullable: bool,
    is_required: bool,
}

impl SchemaKey {
    /// Creates a key of the record of a link with this type.
    fn of_link(kind: &'static str, field: &RecordField) -> Self {
        let value = match field.column {
            _ if field.name == "type" => ValueType::Constant(kind),
            ColumnKind::Number => ValueType::Number,
            ColumnKind::Names | ColumnKind::ByteLists => ValueType::Texts,
            _ => ValueType::Text,
        };
        SchemaKey {
            name: field.name,
            about: field.about,
            value,
            is_nullable: field.is_requested()
                || matches!(
                    field.presence,
                    FieldPresence::Nullable | FieldPresence::Mail
                ),
            is_required: field.is_core(),
        }
    }

    fn text(name: &'static str, about: &'static str) -> Self {
        SchemaKey {
            name,
            about,
            value: ValueType::Text,
            is_nullable: false,
            is_required: true,
        }
    }

    fn push(&self, out: &mut Vec<u8>) {
        push_string(self.name.as_bytes(), out);
        out.extend_from_slice(b":{\"description\":");
        push_string(self.about.as_bytes(), out);
        let (name, rest) = match self.value {
            ValueType::Constant(name) => {
                push_member("const", name, out);
                return out.push(b'}');
            }
            ValueType::Text => ("string", ""),
            ValueType::Number => ("integer", ",\"minimum\":0"),
            ValueType::Texts => ("array", ",\"items\":{\"type\":\"string\"}"),
        };
        if self.is_nullable {
            push_key("type", out);
            out.extend_from_slice(format!("[\"{name}\",\"null\"]").as_bytes());
        } else {
            push_member("type", name, out);
        }
        out.extend_from_slice(rest.as_bytes());
        out.push(b'}');
    }
}

fn push_link(out: &mut Vec<u8>) {
    let keys = FIELDS.iter().map(|field| SchemaKey::of_link("link", field));
    let state = SchemaKey {
        is_required: false,
        ..SchemaKey::text(
            "state",
            "audit: ok, broken, external, unresolved or skipped",
        )
    };
    let keys: Vec<_> = keys.chain([state]).collect();
    push("link", "A reference, resolved", &keys, out);
}

fn push_record(out: &mut Vec<u8>) {
    let kind = SchemaKey::of_link("record", &FIELDS[0]);
    let fields = RECORD_FIELDS.iter();
    let keys = fields.map(|field| SchemaKey::of_link("record", field));
    let keys: Vec<_> = [kind].into_iter().chain(keys).collect();
    let about = "A document, a message, a record of a web archive, or a member of an archive";
    push("record", about, &keys, out);
}

fn push_finding(out: &mut Vec<u8>) {
    let keys = FIELDS.iter().map(|field| {
        let key = SchemaKey::of_link("finding", field);
        // A finding about a document has no values for the keys of a link.
        let may_lack = matches!(key.value, ValueType::Text | ValueType::Number);
        SchemaKey {
            is_nullable: key.is_nullable || may_lack && key.name != "path",
            ..key
        }
    });
    let own = FINDING.iter().map(|(name, about)| SchemaKey {
        is_nullable: *name == "suggestion",
        ..SchemaKey::text(name, about)
    });
    let keys: Vec<_> = keys.chain(own).collect();
    let about = "A reference and its problem";
    push("finding", about, &keys, out);
}

fn push(name: &str, about: &str, keys: &[SchemaKey], out: &mut Vec<u8>) {
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
    for (index, key) in keys.iter().enumerate() {
        out.extend_from_slice(if index == 0 { b"\n    " } else { b",\n    " });
        key.push(out);
    }
    out.extend_from_slice(b"\n  },\n  \"required\":");
    let required = keys.iter().filter(|key| key.is_required);
    push_list(required, out, |key, out| {
        push_string(key.name.as_bytes(), out)
    });
    out.extend_from_slice(b"\n}\n");
}

#[cfg(test)]
#[path = "../../tests/unit/output/schema.rs"]
mod tests;
