//! The schema of tables, as Arrow has it.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef, TimeUnit};

use crate::output::column::METADATA;
use crate::output::column::{ColumnKind, StringForm};
use crate::output::field::RecordField;

/// The time zone of columns of times.
pub(super) const UTC: &str = "UTC";

pub(super) fn schema(fields: &[&RecordField], strings: StringForm) -> SchemaRef {
    let fields = typed(fields, |kind| data_type(kind, strings));
    Arc::new(Schema::new(fields).with_metadata(METADATA))
}

/// Returns the schema of blocks, which have shared strings in runs.
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

fn typed(fields: &[&RecordField], data_type: impl Fn(ColumnKind) -> DataType) -> Vec<Field> {
    let field = |field: &&RecordField| {
        let data_type = data_type(field.column);
        Field::new(field.name, data_type, field.is_nullable())
    };
    fields.iter().map(field).collect()
}

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

pub(super) fn item(data_type: DataType) -> FieldRef {
    Arc::new(Field::new_list_field(data_type, false))
}
