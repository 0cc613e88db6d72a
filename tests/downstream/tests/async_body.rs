//! The links of a body that arrives in chunks.

use tokio::io::{AsyncRead, AsyncReadExt};
use uriscan::{Base, Document, Extractor, ExtractorOptions, Format, Link};

/// Reads a body to its end and returns the targets of its links.
async fn targets(
    mut body: impl AsyncRead + Unpin,
    url: &str,
) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let base = Base::retrieved(url)?;
    let mut extractor = Extractor::new(&ExtractorOptions::default());
    let document = Document::new(Format::HTML, Some(&base));
    let mut targets = Vec::new();
    let mut sink = |link: &Link<'_>| targets.extend(link.target_str().map(str::to_owned));
    let mut stream = extractor.stream(&document, &mut sink);
    let mut chunk = [0; 16];
    loop {
        let length = body.read(&mut chunk).await?;
        if length == 0 {
            break;
        }
        stream.write(&chunk[..length])?;
    }
    stream.finish()?;
    Ok(targets)
}

#[tokio::test(flavor = "current_thread")]
async fn links_of_a_body_in_chunks() {
    let body = &b"<base href=/docs/><a href=guide.html>guide</a> <img src='logo.png'>"[..];
    let found = targets(body, "http://example.com/index.html")
        .await
        .unwrap();
    assert_eq!(
        found,
        [
            "http://example.com/docs/",
            "http://example.com/docs/guide.html",
            "http://example.com/docs/logo.png"
        ][1..]
    );
}
