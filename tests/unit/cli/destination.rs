use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::*;

#[test]
fn no_temporary_file_is_created_after_they_are_removed_for_a_signal() {
    let directory = tempfile::tempdir().unwrap();
    let (path, second) = (directory.path().join("a"), directory.path().join("b"));
    let count = || fs::read_dir(directory.path()).unwrap().count();
    let first = Unfinished::create(&path).unwrap();
    assert_eq!(count(), 1);
    let held = remove_unfinished();
    let (created, creates) = mpsc::channel();
    let thread = thread::spawn(move || {
        let unfinished = Unfinished::create(&second);
        created.send(()).unwrap();
        unfinished.unwrap().finish().unwrap();
    });
    assert!(creates.recv_timeout(Duration::from_millis(100)).is_err());
    assert_eq!(count(), 0);
    drop(held);
    thread.join().unwrap();
    assert_eq!(count(), 1);
    drop(first);
}
