//! Programs that embed uriscan are the tests of this package.
