//! CDXJ: the index of the records of web archives, as pywb and cdxj-indexer write it.

use super::json::push_string;
use super::layout::Layout;
use super::record::DocumentPath;
use crate::linker::Link;
use crate::uri::surt;

/// Appends the line of a record of an index; nothing for other rows.
pub(super) fn push_record(_: &Layout, path: &DocumentPath, link: &Link<'_>, out: &mut Vec<u8>) {
    let Some(record) = link.part.record else {
        return;
    };
    let (Some(uri), Some(date)) = (record.target_uri, record.warc_date) else {
        return;
    };
    let uri = &*uri.replace(' ', "%20");
    let ends = |character: char| character == ';' || character.is_whitespace();
    let mime = (record.content_type).and_then(|media_type| media_type.split(ends).next());
    out.extend_from_slice(surt(uri.as_bytes()).as_bytes());
    out.push(b' ');
    // The digits of the date, to the second.
    let digits = date.bytes().filter(u8::is_ascii_digit).take(14);
    out.extend(digits);
    let number = |number: Option<u64>| number.map(|number| number.to_string());
    let file = path.path().rsplit(|&byte| byte == b'/').next();
    let status = number(record.http_status.map(u64::from));
    let length = number(link.part.member_length);
    let offset = number(link.part.member_offset.or(link.part.message_offset));
    let members = [
        ("url", Some(uri.as_bytes())),
        ("mime", mime.map(str::as_bytes)),
        ("status", status.as_deref().map(str::as_bytes)),
        ("digest", record.payload_digest.map(str::as_bytes)),
        ("length", length.as_deref().map(str::as_bytes)),
        ("offset", offset.as_deref().map(str::as_bytes)),
        ("filename", file),
    ];
    let mut separator = " {";
    for (name, value) in members {
        let Some(value) = value else { continue };
        out.extend([separator, "\"", name, "\": "].concat().bytes());
        let start = out.len();
        push_string(value, out);
        if !out[start..].is_ascii() {
            let string = String::from_utf8_lossy(&out.split_off(start)).into_owned();
            for unit in string.encode_utf16() {
                match u8::try_from(unit) {
                    Ok(byte @ ..0x80) => out.push(byte),
                    _ => out.extend(format!("\\u{unit:04x}").bytes()),
                }
            }
        }
        separator = ", ";
    }
    out.extend_from_slice(b"}\n");
}
