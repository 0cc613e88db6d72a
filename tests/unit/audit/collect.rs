use std::sync::{Mutex, mpsc};
use std::thread;

use super::*;
use crate::audit::options::AuditOptions;

#[test]
fn documents_that_take_much_memory_are_read_one_at_a_time() {
    let audit = Audit::new(AuditOptions::default(), &[]);
    let events = Mutex::new(Vec::new());
    let event = |event| events.lock().unwrap().push(event);
    let (first_has_begun, begin) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut first = LinkCollector::new(&audit, None);
            // A file may contain several such documents.
            first.event(&Found::Heavy);
            first.event(&Found::Heavy);
            first_has_begun.send(()).unwrap();
            thread::sleep(std::time::Duration::from_millis(50));
            event("the first ends");
        });
        begin.recv().unwrap();
        LinkCollector::new(&audit, None).event(&Found::Heavy);
        event("the second begins");
    });
    assert_eq!(
        events.into_inner().unwrap(),
        ["the first ends", "the second begins"]
    );
}
