//! The schema of tables, as Arrow has it.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};

use super::values::{UTC, item};
use crate::output::column::{ColumnKind, METADATA};
use crate::output::field::RecordField;

/// Returns the schema of a table.
pub(super) fn schema(fields: &[&RecordField], has_dictionaries: bool) -> SchemaRef {
    let field = |field: &&RecordField| {
        let data_type = data_type(field.column, has_dictionaries);
        Field::new(field.name, data_type, field.is_nullable())
    };
    let fields: Vec<_> = fields.iter().map(field).collect();
    Arc::new(Schema::new(fields).with_metadata(METADATA))
}

fn data_type(kind: ColumnKind, has_dictionaries: bool) -> DataType {
    match kind {
        ColumnKind::Number => DataType::Int64,
        ColumnKind::Time => DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into())),
        ColumnKind::Bytes => DataType::Binary,
        ColumnKind::ByteLists => DataType::List(item(DataType::Binary)),
        ColumnKind::Names => DataType::List(item(DataType::Utf8)),
        _ if kind.is_shared() && has_dictionaries => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
        }
        _ => DataType::Utf8,
    }
}
