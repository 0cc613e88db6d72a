//! The contents of object and cross-reference streams: FlateDecode and the predictors of PNG
//! (ISO 32000-2, section 7.4.4), up to a limit.

use std::io::Read;

use flate2::bufread::ZlibDecoder;

use crate::document::diagnostic::{self, Code};

/// The parameters of FlateDecode (ISO 32000-2, table 8).
#[derive(Clone, Copy, Debug)]
pub(super) struct FlateParameters {
    pub(super) predictor: usize,
    pub(super) colors: usize,
    pub(super) bits: usize,
    pub(super) columns: usize,
}

/// Decompresses a stream up to `limit` bytes; of damaged data, the part before the damage.
pub(super) fn inflate(
    data: &[u8],
    parameters: FlateParameters,
    limit: usize,
) -> (Vec<u8>, Option<&'static Code>) {
    let mut inflated = Vec::new();
    let most = (limit as u64).saturating_add(1);
    let outcome = ZlibDecoder::new(data).take(most).read_to_end(&mut inflated);
    let fault = match outcome {
        _ if inflated.len() > limit => {
            inflated.truncate(limit);
            Some(&diagnostic::PDF_LIMIT)
        }
        Ok(_) => None,
        Err(_) => Some(&diagnostic::PDF_DAMAGED),
    };
    let plain = match parameters.predictor {
        0 | 1 => Some(inflated),
        10.. => undo_png(&inflated, parameters),
        _ => None,
    };
    let damaged = (Vec::new(), Some(&diagnostic::PDF_DAMAGED));
    plain.map_or(damaged, |plain| (plain, fault))
}

/// Undoes the predictors of PNG (its section 9): a byte before each row names the row's.
fn undo_png(bytes: &[u8], parameters: FlateParameters) -> Option<Vec<u8>> {
    // The bytes of a sample of all colours, at least one, and of a row.
    let bits = parameters.colors.checked_mul(parameters.bits)?;
    let sample = bits.div_ceil(8).max(1);
    let width = bits.checked_mul(parameters.columns)?.div_ceil(8);
    let mut plain: Vec<u8> = Vec::with_capacity(bytes.len());
    for coded in bytes.chunks(width.checked_add(1)?) {
        let (&filter, coded) = coded.split_first()?;
        let start = plain.len();
        for (at, &byte) in coded.iter().enumerate() {
            let before = |distance: usize, is_there: bool| {
                let index = (start + at).checked_sub(distance).filter(|_| is_there);
                index.map_or(0, |index| plain[index])
            };
            let (has_left, has_up) = (at >= sample, start >= width);
            let left = before(sample, has_left);
            let up = before(width, has_up);
            let corner = before(width + sample, has_left && has_up);
            let predicted = match filter {
                1 => left,
                2 => up,
                3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
                4 => paeth(left, up, corner),
                _ => 0,
            };
            plain.push(byte.wrapping_add(predicted));
        }
    }
    Some(plain)
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let estimate = i16::from(left) + i16::from(up) - i16::from(corner);
    let distance = |byte: u8| (estimate - i16::from(byte)).abs();
    if distance(left) <= distance(up) && distance(left) <= distance(corner) {
        left
    } else if distance(up) <= distance(corner) {
        up
    } else {
        corner
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/pdf/stream.rs"]
mod tests;
