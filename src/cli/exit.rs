//! Exit codes.

use std::process::{ExitCode, Termination};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Something was found, resolved, or is valid.
    Found = 0,
    /// Nothing was found, or something is invalid.
    Nothing = 1,
    /// Something failed: a bad option, an unreadable file, a damaged container.
    Error = 2,
}

impl Exit {
    /// What it is under `--exit-zero`: finding nothing is fine, an error never is.
    #[must_use]
    pub fn or_zero(self, exit_zero: bool) -> Self {
        match self {
            Exit::Nothing if exit_zero => Exit::Found,
            other => other,
        }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn exit_zero_forgives_nothing_but_finding_nothing() {
        for (exit, forgiven) in [
            (Exit::Found, Exit::Found),
            (Exit::Nothing, Exit::Found),
            (Exit::Error, Exit::Error),
        ] {
            assert_eq!(exit.or_zero(true), forgiven);
            assert_eq!(exit.or_zero(false), exit);
        }
    }
}
