//! Every row of `tests/vectors/uri.json`.
//!
//! Among them all of RFC 1808 section 5, RFC 2396 Appendix C and RFC 3986 section 5.4.

use serde_json::{Value, json};
use uriscan::uri::{
    AuthorityKind, ExcessDots, Grammar, Normalization, Reference, Reference1808, ReferenceKind,
    Resolver, RuleForm, Rules, SameScheme, normalize, validate,
};

/// Runs the rows of a kind and reports those that differ, one line each.
fn check(kind: &str, count: usize, got: impl Fn(&Value) -> Value) {
    let rows: Vec<Value> = serde_json::from_str(include_str!("../vectors/uri.json")).unwrap();
    let rows: Vec<&Value> = rows.iter().filter(|row| row["kind"] == kind).collect();
    assert_eq!(rows.len(), count, "rows of kind {kind}");
    let failures: Vec<String> = rows
        .into_iter()
        .filter_map(|row| {
            let got = got(row);
            let input = if row["input"].is_null() {
                &row["ref"]
            } else {
                &row["input"]
            };
            (got != row["expect"]).then(|| {
                format!(
                    "{} {} {} against {} {}: expected {}, got {got}",
                    row["id"], row["rules"], input, row["base"], row["options"], row["expect"]
                )
            })
        })
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {count} fail\n{}",
        failures.len(),
        failures.join("\n")
    );
}

fn rules(row: &Value) -> Rules {
    let scheme = if row["options"]["strict"] == json!(false) {
        SameScheme::Compat
    } else {
        SameScheme::Strict
    };
    let excess = match row["options"]["excess"].as_str() {
        Some("remove") => ExcessDots::Remove,
        Some("error") => ExcessDots::Error,
        _ => ExcessDots::Keep,
    };
    match row["rules"].as_str().unwrap() {
        "whatwg" => Rules::Whatwg,
        "rfc3986" => Rules::Rfc3986 {
            scheme,
            form: RuleForm::Letter,
        },
        "rfc2396" => Rules::Rfc2396 {
            excess,
            scheme,
            form: RuleForm::Letter,
        },
        "rfc1808" => Rules::Rfc1808,
        other => panic!("unknown rules {other}"),
    }
}

#[test]
fn references_resolve() {
    check("resolve", 616, |row| {
        let rules = rules(row);
        let resolver = match row["base"].as_str() {
            Some(base) => Resolver::new(base.as_bytes(), rules).unwrap(),
            None => Resolver::without_base(rules),
        };
        let mut target = Vec::new();
        let Ok(resolved) =
            resolver.resolve_into(row["ref"].as_str().unwrap().as_bytes(), &mut target)
        else {
            return Value::Null;
        };
        let target = String::from_utf8(target).unwrap();
        // Appendix C of RFC 2396 writes a reference to the current document so.
        if matches!(rules, Rules::Rfc2396 { .. }) && resolved.kind() <= ReferenceKind::Fragment {
            let base = std::str::from_utf8(resolver.base().unwrap()).unwrap();
            return json!(format!(
                "(current document){}",
                target.strip_prefix(base).unwrap()
            ));
        }
        json!(target)
    });
}

#[test]
fn references_split() {
    check("split", 34, |row| {
        let input = row["input"].as_str().unwrap().as_bytes();
        let text = |bytes| std::str::from_utf8(bytes).unwrap();
        if row["rules"] == "rfc1808" {
            let parts = Reference1808::split(input);
            return json!({
                "scheme": text(parts.scheme), "net_loc": text(parts.net_loc), "path": text(parts.path),
                "params": text(parts.params), "query": text(parts.query), "fragment": text(parts.fragment),
            });
        }
        let parts = Reference::split(input);
        json!({
            "scheme": parts.scheme.map(text), "authority": parts.authority.map(text), "path": text(parts.path),
            "query": parts.query.map(text), "fragment": parts.fragment.map(text),
        })
    });
}

#[test]
fn references_validate() {
    for (kind, count, grammar) in [
        ("validate", 71, Grammar::Rfc2396),
        ("scheme", 78, Grammar::Rfc1738),
    ] {
        check(kind, count, |row| {
            let input = row["input"].as_str().unwrap().as_bytes();
            let fault = validate(input, grammar)
                .err()
                .map(|fault| fault.component().name());
            let mut got = json!({ "valid": fault.is_none(), "fault": fault });
            if row["expect"].get("authority_kind").is_some() {
                got["authority_kind"] = json!(AuthorityKind::of(input).map(AuthorityKind::name));
            }
            got
        });
    }
}

#[test]
fn references_normalize() {
    check("normalize", 34, |row| {
        let form = match row["rules"].as_str().unwrap() {
            "rfc2396" => Normalization::Rfc2396,
            "rfc3986-syntax" => Normalization::Rfc3986Syntax,
            _ => Normalization::Rfc3986Scheme,
        };
        let mut normal = Vec::new();
        normalize(row["input"].as_str().unwrap().as_bytes(), form, &mut normal);
        json!(String::from_utf8(normal).unwrap())
    });
}
