//! The first ten links of a stream, which is then left alone.

use std::io::{self, Read};
use std::ops::ControlFlow;

use uriscan::{Document, Extractor, ExtractorOptions, Format, Link, Sink};

/// Keeps references, and stops when there are enough.
struct First {
    references: Vec<Vec<u8>>,
    wanted: usize,
}

impl Sink for First {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        self.references.push(link.reference.to_vec());
        if self.references.len() == self.wanted {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

fn first(extractor: &mut Extractor, input: impl Read, wanted: usize) -> io::Result<Vec<Vec<u8>>> {
    let mut sink = First {
        references: Vec::new(),
        wanted,
    };
    passed_on(extractor, input, &mut sink)?;
    Ok(sink.references)
}

fn passed_on(extractor: &mut Extractor, input: impl Read, sink: &mut dyn Sink) -> io::Result<u64> {
    extractor.extract(&Document::new(Format::TEXT, None), input, sink)
}

#[test]
fn an_endless_stream_is_left_after_ten_links() {
    let endless = b"see http://www.example.com/\n".repeat(100);
    let endless = endless.chain(io::repeat(b' '));
    let mut extractor = Extractor::new(&ExtractorOptions::default());
    assert_eq!(first(&mut extractor, endless, 10).unwrap().len(), 10);
    // The extractor goes on to the next document.
    assert_eq!(
        first(&mut extractor, &b"http://example.net/"[..], 10).unwrap(),
        [b"http://example.net/"]
    );
}
