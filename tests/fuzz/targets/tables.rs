#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| uriscan_fuzz::run("tables", bytes));
