//! The JSON Schemas of the records: files, in which the keys of links and of records come from the tables.

use super::column::ColumnKind;
use super::field::{
    ColumnChoice, FIELDS, FieldList, FieldPresence, RECORD_FIELDS, RecordField, TARGET_FIELDS,
    chosen_fields, record_fields,
};
use super::json::quoted;

/// The JSON Schema of a record. The version in it grows where a key goes away, or gets another meaning or type.
pub(crate) struct Schema {
    /// The name that `schema` takes.
    pub name: &'static str,
    /// The schema, with `{keys}` and `{required}` where the keys of the table are.
    text: &'static str,
    /// The table of its keys, without their type.
    table: &'static [RecordField],
    /// Returns the columns that are chosen of its table; `None` without a table.
    pub fields: Option<TableColumns>,
}

type TableColumns = fn(&[ColumnChoice]) -> Result<FieldList, String>;

pub(crate) static SCHEMAS: &[Schema] = &[
    Schema {
        table: FIELDS,
        fields: Some(|columns| Ok(chosen_fields(columns, false))),
        ..row("link", include_str!("schemas/link.json"))
    },
    Schema {
        table: RECORD_FIELDS,
        fields: Some(record_fields),
        ..row("record", include_str!("schemas/record.json"))
    },
    Schema {
        table: FIELDS,
        ..row("finding", include_str!("schemas/finding.json"))
    },
    row("summary", include_str!("schemas/summary.json")),
    row("archive", include_str!("schemas/archive.json")),
    Schema {
        table: TARGET_FIELDS,
        fields: Some(|columns| match columns {
            [] => Ok(TARGET_FIELDS.iter().collect()),
            _ => Err("targets have all columns".to_owned()),
        }),
        ..row("target", include_str!("schemas/target.json"))
    },
    row("external", include_str!("schemas/external.json")),
    row("count", include_str!("schemas/count.json")),
    row("error", include_str!("schemas/error.json")),
    row("diagnostic", include_str!("schemas/diagnostic.json")),
    row("link-change", include_str!("schemas/link-change.json")),
    row("skipped", include_str!("schemas/skipped.json")),
    row("resolution", include_str!("schemas/resolution.json")),
    row("components", include_str!("schemas/components.json")),
];

const fn row(name: &'static str, text: &'static str) -> Schema {
    Schema {
        name,
        text,
        table: &[],
        fields: None,
    }
}

impl Schema {
    /// Returns the schema, with the keys of its table.
    pub(crate) fn text(&self) -> String {
        let fields = || self.table.iter().filter(|field| field.name != "type");
        let keys: Vec<_> = fields().map(|field| self.key(field)).collect();
        let required = fields().filter(|field| field.is_core());
        let required = required.map(|field| quoted(field.name.as_bytes()));
        let required: Vec<_> = required.collect();
        let text = self.text.replace("{keys}", &keys.join(",\n    "));
        text.replace("{required}", &required.join(","))
    }

    fn key(&self, field: &RecordField) -> String {
        let (kind, more) = match field.column {
            ColumnKind::Number => ("integer", ",\"minimum\":0"),
            ColumnKind::Names | ColumnKind::ByteLists => {
                ("array", ",\"items\":{\"type\":\"string\"}")
            }
            _ => ("string", ""),
        };
        // A finding about a document has no values for the keys of a link.
        let may_lack = self.name == "finding" && kind != "array" && field.name != "path";
        let nullable = [FieldPresence::Nullable, FieldPresence::Mail];
        let is_nullable = nullable.contains(&field.presence);
        let kind = if is_nullable || field.is_requested() || may_lack {
            format!("[\"{kind}\",\"null\"]")
        } else {
            quoted(kind.as_bytes())
        };
        let [name, about] = [field.name, field.about].map(|text| quoted(text.as_bytes()));
        format!("{name}:{{\"description\":{about},\"type\":{kind}{more}}}")
    }
}

#[cfg(test)]
#[path = "../../tests/unit/output/schema.rs"]
mod tests;
