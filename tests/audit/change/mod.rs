//! The addresses of trees (`targets`), and those that a change removes (`diff`).

// Addresses that a new tree does not answer.
mod diff;
// Moves of files and folders.
mod moves;
// Moves in random trees, there and back.
mod random_moves;
// Moves that are refused.
mod refusals;
// The addresses of a tree.
mod targets;
