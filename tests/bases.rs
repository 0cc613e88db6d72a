//! The base stack: which base a reference gets, and when (RFC 2396 section 5.1).

use std::ops::ControlFlow;

use uriscan::document::events::{
    BaseSelector, Context, Enter, EntityBase, EntityBaseField, Event, Events, FoundReference,
    RestartHints, RuleFamily, Span,
};
use uriscan::linker::{self, DocumentContext, EmbeddedBases, Link, Linker, Ruling, Sink};
use uriscan::uri::{Base, BaseSource};

/// Collects `reference -> target (base source)`.
#[derive(Default)]
struct Collected(Vec<String>);

impl Sink for Collected {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let target = match link.target {
            Ok(target) => show(target),
            Err(kind) => format!("{kind:?}"),
        };
        let source = link.base.map_or("-", |base| base.source_name());
        let member = link
            .member
            .map_or(String::new(), |member| format!("{member}: "));
        let reference = show(link.reference);
        self.0
            .push(format!("{member}{reference} -> {target} ({source})"));
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &linker::Found<'_>) {
        if let linker::Found::Diagnostic(diagnostic) = found {
            let (code, count) = (diagnostic.code.name, diagnostic.count);
            self.0
                .push(format!("{code} x{count} at {}", diagnostic.offset));
        }
    }
}

/// One event of a document, or the end of a batch.
enum Step {
    Reference(&'static str),
    Wants(&'static str, fn(&mut Events) -> BaseSelector),
    Base(&'static str),
    Enter(
        &'static str,
        RuleFamily,
        Option<(&'static str, &'static str)>,
    ),
    Leave,
    Settled,
    Restart,
    /// The events so far were one batch; their window is gone.
    NextBatch,
}
use Step::{Base as BaseIs, Enter as EnterIs, Leave, NextBatch, Reference, Restart, Settled};

fn push(step: &Step, events: &mut Events) {
    let event = match *step {
        Reference(text) => {
            let text = events.store(text.as_bytes());
            Event::Reference(FoundReference::new(
                Span::default(),
                text,
                Context::Attribute,
            ))
        }
        Step::Wants(text, wants) => {
            let text = events.store(text.as_bytes());
            let wants = wants(events);
            let found = FoundReference::new(Span::default(), text, Context::Attribute);
            Event::Reference(FoundReference {
                base: wants,
                ..found
            })
        }
        BaseIs(text) => Event::Base(events.store(text.as_bytes()), 7),
        EnterIs(member, family, base) => {
            let base = base.map(|(reference, source)| EntityBase {
                reference: events.store(reference.as_bytes()),
                source: match source.split_once('@') {
                    Some(("entity:content-base", part)) => {
                        EntityBaseField::ContentBase(events.store(part.as_bytes()))
                    }
                    Some(("entity:content-location", part)) => {
                        EntityBaseField::ContentLocation(events.store(part.as_bytes()))
                    }
                    _ => panic!("{source} names no part"),
                },
            });
            let member = (!member.is_empty()).then(|| events.store(member.as_bytes()));
            Event::Enter(Enter {
                member,
                family,
                base,
            })
        }
        Leave => Event::Leave,
        Settled => Event::Settled,
        Restart => Event::Restart(RestartHints::default()),
        NextBatch => return,
    };
    events.push(event);
}

/// Returns the links of a markup document at `http://example.com/d/p.html`.
fn links_of(embedded: EmbeddedBases, steps: &[Step]) -> Vec<String> {
    let mut linker = Linker::new(Ruling::AUTO, embedded, usize::MAX, None);
    let mut collected = Collected::default();
    let base = Base {
        uri: b"http://example.com/d/p.html".to_vec(),
        source: BaseSource::RetrievalRoot,
    };
    // The second pass shows that the first document leaves no state.
    for _ in 0..2 {
        collected.0.clear();
        linker.begin(DocumentContext::new(RuleFamily::Markup, Some(&base)));
        let mut events = Events::default();
        for step in steps {
            push(step, &mut events);
            if matches!(step, NextBatch) {
                linker.take(&events, &[], &mut collected);
                linker.limit(&mut collected);
                events.clear();
            }
        }
        linker.take(&events, &[], &mut collected);
        linker.limit(&mut collected);
        linker.end(&mut collected);
    }
    collected.0
}

fn check(steps: &[Step], expected: &[&str]) {
    assert_eq!(links_of(EmbeddedBases::Honour, steps), expected);
}

#[test]
fn without_a_base_of_its_own_a_document_has_its_retrieval_uri() {
    check(
        &[Reference("x"), Settled],
        &["x -> http://example.com/d/x (retrieval:root)"],
    );
}

#[test]
fn a_base_after_the_links_applies_to_them() {
    let expected = [
        "x -> http://example.org/b/x (content:base)",
        "http://example.net/ -> http://example.net/ (-)",
    ];
    let base = "http://example.org/b/";
    let absolute = "http://example.net/";
    check(
        &[Reference("x"), BaseIs(base), Reference(absolute)],
        &expected,
    );
    check(
        &[
            Reference("x"),
            NextBatch,
            Reference(absolute),
            NextBatch,
            BaseIs(base),
        ],
        &expected,
    );
}

#[test]
fn a_refused_base_leaves_the_fallback_and_is_diagnosed() {
    for base in ["data:,x", "javascript:x", "http://["] {
        check(
            &[BaseIs(base), Reference("x"), Settled],
            &[
                "x -> http://example.com/d/x (retrieval:root)",
                "html.base-refused x1 at 7",
            ],
        );
    }
}

#[test]
fn ignored_bases_do_not_count() {
    let steps = [BaseIs("http://example.org/"), Reference("x"), Settled];
    assert_eq!(
        links_of(EmbeddedBases::Ignore, &steps),
        ["x -> http://example.com/d/x (retrieval:root)"]
    );
}

#[test]
fn a_restart_forgets_links_and_base() {
    let again = [Restart, Reference("y"), Settled];
    let expected = ["y -> http://example.com/d/y (retrieval:root)"];
    let mut steps = vec![Reference("x"), BaseIs("http://example.org/")];
    steps.extend(again);
    check(&steps, &expected);
    let again = [NextBatch, Restart, Reference("y"), Settled];
    let mut steps = vec![Reference("x"), BaseIs("http://example.org/")];
    steps.extend(again);
    check(&steps, &expected);
}

#[test]
fn enclosed_documents_inherit_and_do_not_leak() {
    check(
        &[
            EnterIs("", RuleFamily::Markup, None),
            Reference("in"),
            BaseIs("sub/"),
            Leave,
            Reference("out"),
            BaseIs("http://example.org/b/"),
        ],
        &[
            "in -> http://example.org/b/sub/in (content:base)",
            "out -> http://example.org/b/out (content:base)",
        ],
    );
}

#[test]
fn an_entity_base_is_nearer_than_the_container_s() {
    let base = Some(("http://example.net/m/", "entity:content-base@1.2"));
    let chained = Some(("n/", "entity:content-location@1.2.1"));
    check(
        &[
            Settled,
            EnterIs("1/1.2", RuleFamily::Plain, base),
            Reference("x"),
            EnterIs("1/1.2.1", RuleFamily::Markup, chained),
            Reference("y"),
            Leave,
            Reference("z"),
            Leave,
            EnterIs("2/1", RuleFamily::Plain, None),
            Reference("w"),
        ],
        &[
            "1/1.2: x -> http://example.net/m/x (entity:content-base@1.2)",
            "1/1.2.1: y -> http://example.net/m/n/y (entity:content-location@1.2.1)",
            "1/1.2: z -> http://example.net/m/z (entity:content-base@1.2)",
            "2/1: w -> http://example.com/d/w (retrieval:root)",
        ],
    );
}

#[test]
fn some_references_want_another_base() {
    let codebase = |events: &mut Events| BaseSelector::Codebase(events.store(b"classes/"));
    check(
        &[
            Step::Wants("m", |_| BaseSelector::Fallback),
            Step::Wants("a.jar", codebase),
            Step::Wants("Thing", |_| BaseSelector::Nothing),
            Step::Wants("http://example.net/T", |_| BaseSelector::Nothing),
            NextBatch,
            BaseIs("http://example.org/b/"),
        ],
        &[
            "m -> http://example.com/d/m (retrieval:root)",
            "a.jar -> http://example.org/b/classes/a.jar (content:codebase)",
            "Thing -> NoBase (-)",
            "http://example.net/T -> http://example.net/T (-)",
        ],
    );
}

#[test]
fn message_references_are_their_own_targets() {
    check(
        &[Reference("cid:A%41@b"), Reference("MID:x"), Settled],
        &["cid:A%41@b -> cid:A%41@b (-)", "MID:x -> MID:x (-)"],
    );
    // Without the blanks around them, which belong to no URL.
    check(
        &[Reference(" \x0Bcid:/a/../b\n"), Settled],
        &[" \x0Bcid:/a/../b\n -> cid:/a/../b (-)"],
    );
}

#[test]
fn more_than_can_be_held_resolves_against_the_base_known_so_far() {
    let mut linker = Linker::new(Ruling::AUTO, EmbeddedBases::Honour, usize::MAX, None);
    linker.begin(DocumentContext::new(RuleFamily::Markup, None));
    let mut links = 0;
    let mut last = String::new();
    struct Counting<'a>(&'a mut u64, &'a mut String);
    impl Sink for Counting<'_> {
        fn link(&mut self, _: &Link<'_>) -> ControlFlow<()> {
            *self.0 += 1;
            ControlFlow::Continue(())
        }

        fn event(&mut self, found: &linker::Found<'_>) {
            if let linker::Found::Diagnostic(diagnostic) = found {
                *self.1 = diagnostic.code.name.to_owned();
            }
        }
    }
    let mut events = Events::default();
    for _ in 0..1000 {
        push(&Reference("http://example.com/some/path"), &mut events);
    }
    for _ in 0..120 {
        let mut counting = Counting(&mut links, &mut last);
        linker.take(&events, &[], &mut counting);
        linker.limit(&mut counting);
    }
    linker.end(&mut Counting(&mut links, &mut last));
    assert_eq!((links, last.as_str()), (120_000, "html.held-limit"));
}
