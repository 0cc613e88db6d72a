//! References of any characters against the transcriptions of the RFCs, the slow way and another
//! engine.

use super::Input;
use crate::uri::generate::BASES;
use crate::uri::oracles::AGREEMENTS;
use uriscan::uri::{Resolver, Rules};

pub(super) fn check(mut input: Input<'_>) {
    let base = input.pick(&BASES);
    let bytes = input.document();
    // Any bytes have a target or an error, and a base of any bytes is one or is refused.
    for rules in [
        Rules::Whatwg,
        Rules::RFC3986,
        Rules::RFC2396,
        Rules::Rfc1808,
    ] {
        for base in [base.as_bytes(), bytes] {
            if let Ok(resolver) = Resolver::new(base, rules) {
                let mut target = Vec::new();
                let _ = resolver.resolve_into(bytes, &mut target);
            }
        }
    }
    let Ok(reference) = std::str::from_utf8(bytes) else {
        return;
    };
    for agreement in AGREEMENTS {
        if let Err(difference) = agreement(base, reference) {
            panic!("{difference}");
        }
    }
}
