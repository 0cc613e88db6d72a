//! The schema of tables, in words and as Arrow has it.

#[cfg(feature = "arrow")]
use std::sync::Arc;

#[cfg(feature = "arrow")]
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef, TimeUnit};

#[cfg(feature = "arrow")]
use crate::output::column::ColumnKind;
use crate::output::column::StringForm;
use crate::output::field::RecordField;

/// The metadata of the schema: its version, another one where a column that exists changes, and the
/// version of the package.
const METADATA: [(&str, &str); 3] = [
    // The public suffix list of `registered_domain`: the version of the crate `psl`, and its date.
    ("uriscan.psl", "2.1.247, 2026-11-05"),
    ("uriscan.schema", "1"),
    ("uriscan.version", env!("CARGO_PKG_VERSION")),
];

/// Appends the names of columns with their types, one a line, and then the metadata of the schema.
pub(crate) fn push_schema(fields: &[&RecordField], strings: StringForm, out: &mut Vec<u8>) {
    for field in fields {
        let (name, kind) = (field.name, field.column.type_name(strings));
        let presence = if field.is_nullable() { "" } else { " not null" };
        out.extend_from_slice(format!("{name}: {kind}{presence}\n").as_bytes());
    }
    for (key, value) in METADATA {
        out.extend_from_slice(format!("{key}={value}\n").as_bytes());
    }
}

/// The time zone of columns of times.
#[cfg(feature = "arrow")]
pub(super) const UTC: &str = "UTC";

#[cfg(feature = "arrow")]
pub(super) fn schema(fields: &[&RecordField], strings: StringForm) -> SchemaRef {
    let fields = typed(fields, |kind| data_type(kind, strings));
    Arc::new(Schema::new(fields).with_metadata(METADATA))
}

/// Returns the schema of blocks, which have shared strings in runs.
#[cfg(feature = "arrow")]
pub(super) fn block_schema(fields: &[&RecordField]) -> SchemaRef {
    let data_type = |kind: ColumnKind| {
        if !kind.is_shared() {
            return data_type(kind, StringForm::Plain);
        }
        DataType::RunEndEncoded(
            Arc::new(Field::new("run_ends", DataType::Int32, false)),
            Arc::new(Field::new("values", DataType::Utf8, true)),
        )
    };
    Arc::new(Schema::new(typed(fields, data_type)))
}

#[cfg(feature = "arrow")]
fn typed(fields: &[&RecordField], data_type: impl Fn(ColumnKind) -> DataType) -> Vec<Field> {
    let field = |field: &&RecordField| {
        let data_type = data_type(field.column);
        Field::new(field.name, data_type, field.is_nullable())
    };
    fields.iter().map(field).collect()
}

#[cfg(feature = "arrow")]
fn data_type(kind: ColumnKind, strings: StringForm) -> DataType {
    match kind {
        ColumnKind::Number => DataType::Int64,
        ColumnKind::Time => DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into())),
        ColumnKind::Bytes => DataType::Binary,
        ColumnKind::ByteLists => DataType::List(item(DataType::Binary)),
        ColumnKind::Names => DataType::List(item(DataType::Utf8)),
        _ if kind.is_shared() && strings == StringForm::Dictionary => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
        }
        _ => DataType::Utf8,
    }
}

#[cfg(feature = "arrow")]
pub(super) fn item(data_type: DataType) -> FieldRef {
    Arc::new(Field::new_list_field(data_type, false))
}
