use super::*;

#[test]
    #[rustfmt::skip]
    fn layers_are_removed() {
        let mut unwrapper = Unwrapper::default();
        unwrapper.add(Gateway::named("safelinks").unwrap(), ".safelinks.example.com");
        unwrapper.add(Gateway::named("urldefense").unwrap(), "urldefense.example.com");
        let rows: &[(&str, Option<&str>)] = &[
            ("https://n1.safelinks.example.com/?url=http%3A%2F%2Fwww.example.org%2Fx%3Fa%3D1&data=05%7C01&sdata=zz&reserved=0", Some("http://www.example.org/x?a=1")),
            ("https://urldefense.example.com/v2/url?u=http-3A__www.example.org_a-2Db_&d=DwM&c=q", Some("http://www.example.org/a-b/")),
            ("https://urldefense.example.com/v3/__https://www.example.org/?q=a*b*c__;JiM!!AbC!x$", Some("https://www.example.org/?q=a&b#c")),
            ("https://urldefense.example.com/v3/__https://www.example.org/**Bx__;JiMm!!AbC!x$", Some("https://www.example.org/&#&x")),
            ("https://urldefense.example.com/v1/url?u=http://n1.safelinks.example.com/?url%3Dhttp%253A%252F%252Fwww.example.org%252Fy&k=1", Some("http://www.example.org/y")),
            ("https://n1.safelinks.example.com/?data=05", None),
            ("https://safelinks.example.com/?url=x", None),
            ("https://urldefense.example.com/v3/__relative__;!!x", None),
        ];
        for (link, expected) in rows {
            let got = unwrapper.unwrap(link.as_bytes());
            assert_eq!(got.map(|got| String::from_utf8(got).unwrap()).as_deref(), *expected, "{link}");
        }
    }

/// Links in the form of each vendor, with the documentation or the decoder that shows the form.
#[test]
    #[rustfmt::skip]
    fn links_of_known_gateways_are_unwrapped() {
        let inner = "https://www.example.org/a?b=c&d=e";
        let unwrapper = Unwrapper::default();
        for (gateway, link) in [
            ("Safe Links", "https://nam02.safelinks.protection.outlook.com/?url=https%3A%2F%2Fwww.example.org%2Fa%3Fb%3Dc%26d%3De&data=05%7C02&sdata=x%3D&reserved=0"),
            ("Safe Links, path", "https://eur01.safelinks.protection.outlook.com/ap/w-59584e83/?url=https%3A%2F%2Fwww.example.org%2Fa%3Fb%3Dc%26d%3De&data=05"),
            ("Safe Links, government", "https://usg02.safelinks.protection.office365.us/?url=https%3A%2F%2Fwww.example.org%2Fa%3Fb%3Dc%26d%3De&data=05"),
            ("Teams", "https://statics.teams.cdn.office.net/evergreen-assets/safelinks/1/atp-safelinks.html?url=https%3A%2F%2Fwww.example.org%2Fa%3Fb%3Dc%26d%3De&locale=en-us"),
            ("Proofpoint 1", "https://urldefense.proofpoint.com/v1/url?u=https://www.example.org/a?b%3Dc%26d%3De&k=1"),
            ("Proofpoint 2", "https://urldefense.proofpoint.com/v2/url?u=https-3A__www.example.org_a-3Fb-3Dc-26d-3De&d=DwMFaQ&c=1&r=2&m=3&s=4&e="),
            ("Proofpoint 3", "https://urldefense.com/v3/__https://www.example.org/a?b=c&d=e__;!!AbC!xyz$"),
            ("Proofpoint 3, folded", "https://urldefense.com/v3/__https:/www.example.org/a?b=c&d=e__;!!AbC!xyz$"),
            ("Google", "https://www.google.com/url?q=https%3A%2F%2Fwww.example.org%2Fa%3Fb%3Dc%26d%3De&sa=D&source=editors&ust=1&usg=2"),
            ("Google, results", "https://www.google.com/url?sa=t&url=https%3A%2F%2Fwww.example.org%2Fa%3Fb%3Dc%26d%3De&usg=2"),
            ("Facebook", "https://l.facebook.com/l.php?u=https%3A%2F%2Fwww.example.org%2Fa%3Fb%3Dc%26d%3De&h=AT0"),
            ("LinkedIn", "https://www.linkedin.com/redir/redirect?url=https%3A%2F%2Fwww.example.org%2Fa%3Fb%3Dc%26d%3De&urlhash=x"),
            ("LinkedIn, safety", "https://www.linkedin.com/safety/go?url=https%3A%2F%2Fwww.example.org%2Fa%3Fb%3Dc%26d%3De&trk=x"),
            ("YouTube", "https://www.youtube.com/redirect?event=video_description&redir_token=x&q=https%3A%2F%2Fwww.example.org%2Fa%3Fb%3Dc%26d%3De&v=1"),
            ("Slack", "https://slack-redir.net/link?url=https%3A%2F%2Fwww.example.org%2Fa%3Fb%3Dc%26d%3De"),
            ("DuckDuckGo", "https://duckduckgo.com/l/?uddg=https%3A%2F%2Fwww.example.org%2Fa%3Fb%3Dc%26d%3De&rut=1"),
            ("Barracuda", "https://linkprotect.cudasvc.com/url?a=https%3a%2f%2fwww.example.org%2fa%3fb%3dc%26d%3de&c=E,1,x&typo=1"),
            ("Cisco", "https://secure-web.cisco.com/1AbC-_d/https%3A%2F%2Fwww.example.org%2Fa%3Fb%3Dc%26d%3De"),
            ("Sophos", "https://eu-central-1.protection.sophos.com/?d=example.org&u=aHR0cHM6Ly93d3cuZXhhbXBsZS5vcmcvYT9iPWMmZD1l&i=1&t=2&h=3"),
            ("Symantec", "https://clicktime.symantec.com/3AbC?u=https%3A%2F%2Fwww.example.org%2Fa%3Fb%3Dc%26d%3De"),
            ("Trend Micro", "https://us-1.ctp.trendmicro.com:443/wis/clicktime/v1/query?url=https%3a%2f%2fwww.example.org%2fa%3fb%3dc%26d%3de&umid=1&auth=2"),
            ("Avanan 1", "https://avanan.url-protection.com/v1/url?o=https%3A//www.example.org/a%3Fb%3Dc%26d%3De&g=1&s=2"),
            ("Avanan 2", "https://url.avanan.click/v2/___https://www.example.org/a?b=c&d=e___.YXAzOm"),
            ("Avanan 2, folded", "https://url.avanan.click/v2/___https:/www.example.org/a?b=c&d=e___.YXAzOm"),
            ("Check Point", "https://protect.checkpoint.com/v2/___https://www.example.org/a?b=c&d=e___.YzJ1Om"),
            ("two layers", "https://urldefense.com/v3/__https://eur01.safelinks.protection.outlook.com/?url=https*3A*2F*2Fwww.example.org*2Fa*3Fb*3Dc*26d*3De&data=05__;JSUlJSUlJSU!!AbC!x$"),
        ] {
            let got = unwrapper.open(link.as_bytes());
            let original = got.original.map(|got| String::from_utf8(got).unwrap());
            assert_eq!((original.as_deref(), got.is_opaque), (Some(inner), false), "{gateway}");
        }
    }

#[test]
fn links_that_only_the_service_can_open_are_opaque() {
    let unwrapper = Unwrapper::default();
    for (link, is_opaque) in [
        (
            "https://protect-eu.mimecast.com/s/AbC1Cd2?domain=example.org",
            true,
        ),
        (
            "https://url.us.m.mimecastprotect.com/s/AbC1?domain=example.org",
            true,
        ),
        ("https://lnkd.in/dAbC1", true),
        ("https://clicktime.symantec.com/3AbC", true),
        ("https://secure-web.cisco.com/1AbC", true),
        (
            "https://protect.checkpoint.com/v2/r01/___myyux:ddbbb.jcfruqj.twl___.x",
            true,
        ),
        ("https://urldefense.com/v3/__relative__;!!x", true),
        ("https://urldefense.com/", false),
        (
            "https://www.google.com/search?q=https%3A%2F%2Fexample.org%2F",
            false,
        ),
        ("https://www.mimecast.com/s-blog/", false),
        (
            "https://safelinks.protection.outlook.com/?url=https%3A%2F%2Fexample.org%2F",
            false,
        ),
        ("https://lnkd.in.example.com/dAbC1", false),
        (
            "https://www.example.org/url?q=https%3A%2F%2Fexample.org%2F",
            false,
        ),
    ] {
        let got = unwrapper.open(link.as_bytes());
        assert_eq!((got.original, got.is_opaque), (None, is_opaque), "{link}");
    }
}
