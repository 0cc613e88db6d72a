use super::*;

#[test]
    #[rustfmt::skip]
    fn texts_that_name_another_registered_domain_differ() {
        for (text, target, expected) in [
            // Honest.
            ("www.example.com", "https://example.com/a", false),
            ("https://example.com/…", "https://www.example.com/abc", false),
            ("EXAMPLE.com.", "https://login.example.com/", false),
            ("example.co.uk", "https://shop.example.co.uk/", false),
            ("b\u{fc}cher.example.com", "https://xn--bcher-kva.example.com/", false),
            ("click here", "https://example.org/", false),
            ("ann@example.com", "https://example.org/", false),
            ("report.zip", "https://example.org/report.zip", false),
            ("README.md", "https://example.org/README.md", false),
            ("build.rs", "https://example.org/", false),
            ("index.html", "https://example.org/", false),
            ("1.2.3", "https://example.org/", false),
            ("example.com", "mailto:ann@example.org", false),
            ("example.com", "b.html", false),
            ("example.com", "https://urldefense.com/v3/__https://www.example.com/__;!!x!y$", false),
            ("example.com", "https://protect-eu.mimecast.com/s/AbC1?domain=example.com", false),
            ("www.exam\u{2026}", "https://www.example.com/a", false),
            ("www.bank.example", "https://bank.example/", false),
            // Deceptive.
            ("www.bank.example", "https://example.org/", true),
            ("www.example.com", "https://example.org/", true),
            ("https://bank.example.com/login", "https://bank.example.com.example.net/login", true),
            ("example.com/login", "https://192.0.2.1/login", true),
            ("example.co.uk", "https://example.org.uk/", true),
            (" example.com ", "http://example.com@example.org/", true),
            ("user.github.io", "https://other.github.io/", true),
            ("example.com", "https://nam02.safelinks.protection.outlook.com/?url=https%3A%2F%2Fexample.org%2F&data=05", true),
        ] {
            let differs = names_other_host(text, target.as_bytes(), Unwrapper::known());
            assert_eq!(differs, expected, "{text:?} for {target}");
        }
    }
