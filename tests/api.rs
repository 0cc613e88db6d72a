//! Auto traits of public types.

use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::output::Layout;
use uriscan::pipeline;
use uriscan::resolver::{Diagnostic, Link};

fn can_be_sent<T: Send>() {}

fn can_be_shared<T: Send + Sync>() {}

#[test]
fn types_go_where_threads_need_them() {
    can_be_sent::<Extractor>();
    can_be_shared::<ExtractorOptions>();
    can_be_shared::<Document<'_>>();
    can_be_shared::<Link<'_>>();
    can_be_shared::<Diagnostic<'_>>();
    can_be_shared::<Layout>();
    can_be_shared::<pipeline::PipelineOptions>();
}
