//! Packages: the formats of zips whose members belong together (EPUB, OOXML, ODF).
//!
//! `archive/package.rs` reads members by their own formats. The rows here give packages their names,
//! and read files with such a name that are not zips.

use super::{Format, Scan, ScanStart, diagnostic, text};
use crate::bytes::window::Window;
use crate::document::events::{Event, Events};

/// Books: OCF 3.3 with the publications of EPUB 2 and 3.
pub(crate) const EPUB: Format = Format {
    name: "epub",
    extensions: &["epub", "kepub"],
    scanner: |_| Box::<NoPackage>::default(),
    ..text::FORMAT
};

/// Office Open XML: packages of ECMA-376 part 2.
pub(crate) const OOXML: Format = Format {
    name: "ooxml",
    extensions: &[
        "docx", "docm", "dotx", "dotm", "xlsx", "xlsm", "xlsb", "xltx", "xltm", "xlam", "pptx",
        "pptm", "potx", "potm", "ppsx", "ppsm", "ppam", "sldx", "sldm", "thmx", "vsdx", "vsdm",
        "vssx", "vssm", "vstx", "vstm",
    ],
    ..EPUB
};

/// Open Document: packages of ODF 1.2 part 3.
pub(crate) const ODF: Format = Format {
    name: "odf",
    extensions: &[
        "odt", "ott", "odm", "oth", "ods", "ots", "odp", "otp", "odg", "otg", "odf", "odc", "odi",
        "odb",
    ],
    ..EPUB
};

#[derive(Default)]
struct NoPackage {
    is_diagnosed: bool,
}

impl Scan for NoPackage {
    fn begin(&mut self, _start: &ScanStart) {
        self.is_diagnosed = false;
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        if !std::mem::replace(&mut self.is_diagnosed, true) {
            events.push(Event::Diagnostic(&diagnostic::PACKAGE_INVALID, 0));
        }
        window.bytes.len()
    }
}
