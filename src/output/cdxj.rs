//! CDXJ: the index of the records of web archives, as pywb and cdxj-indexer write it.

use super::json::push_string;
use super::layout::Layout;
use super::record::DocumentPath;
use crate::linker::Link;
use crate::uri::surt;

/// Appends the line of a response, a revisit, a resource or a metadata record; nothing for other rows.
pub(super) fn push_record(_: &Layout, path: &DocumentPath, link: &Link<'_>, out: &mut Vec<u8>) {
    let Some(record) = link.part.record else {
        return;
    };
    let (Some(uri), Some(date)) = (record.target_uri, record.warc_date) else {
        return;
    };
    let kind = record.warc_type.unwrap_or_default();
    let content_type = record.content_type.unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    let is_indexed = match kind {
        "response" | "revisit" | "resource" => true,
        "metadata" => media_type != "application/warc-fields",
        _ => false,
    };
    if !is_indexed {
        return;
    }
    let mime = match media_type {
        _ if kind == "revisit" => Some("warc/revisit"),
        // Of the record: the response declares none.
        "" | "application/http" => None,
        media_type => Some(media_type),
    };
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
        push_string(value, out);
        separator = ", ";
    }
    out.extend_from_slice(b"}\n");
}
