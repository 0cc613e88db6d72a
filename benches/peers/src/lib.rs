//! Nothing: this package only has benches.
