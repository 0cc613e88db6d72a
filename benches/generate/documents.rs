//! Style sheets and JSON documents.

use super::Input;
use super::random::Random;

/// Style sheets: rules of a few declarations, now and then with a `url()`.
pub(super) fn css(seed: u64, bytes: usize) -> Input {
    let mut random = Random::new(seed);
    let mut text = String::new();
    let mut links = 0;
    while text.len() < bytes {
        let (element, class) = (random.word(), random.word());
        text.push_str(&format!(
            ".{class} > {element}:hover,\n.{class}-{element} {{\n"
        ));
        for _ in 0..2 + random.below(5) {
            let (property, number) = (random.joined(2, "-"), random.below(100));
            text.push_str(&format!("  {property}: {number}px solid #{number:06x};\n"));
        }
        if random.percent(8) {
            let image = random.joined(2, "/");
            text.push_str(&format!(
                "  background: url(\"../{image}.png\") no-repeat;\n"
            ));
            links += 1;
        }
        if random.percent(10) {
            let note = random.words(8);
            text.push_str(&format!("  /* {note} */\n"));
        }
        text.push_str("}\n\n");
    }
    Input {
        documents: vec![text.into_bytes()],
        links,
    }
}

/// Documents, one after the other, until they have this many bytes.
fn several(seed: u64, bytes: usize, make: fn(&mut Random, &mut String) -> usize) -> Input {
    let mut random = Random::new(seed);
    let mut input = Input::default();
    while input.len() < bytes {
        let mut text = String::new();
        input.links += make(&mut random, &mut text);
        input.documents.push(text.into_bytes());
    }
    input
}

/// Web application manifests of about 16 KiB, with many icons and shortcuts.
pub(super) fn manifests(seed: u64, bytes: usize) -> Input {
    several(seed, bytes, |random, text| {
        let mut links = 2;
        text.push_str("{\n  \"name\": \"");
        text.push_str(&random.words(3));
        text.push_str(
            "\",\n  \"start_url\": \"/?source=home\",\n  \"scope\": \"/\",\n  \"shortcuts\": [",
        );
        while text.len() < 16 << 10 {
            let (name, description, page) = (random.name(), random.words(9), random.joined(2, "/"));
            let (icon, size) = (random.word(), 16 * random.below(32));
            text.push_str(&format!(
                "{}\n    {{\n      \"name\": \"{name}\",\n      \"description\": \"{description}\",\n      \
                 \"url\": \"/{page}\",\n      \"icons\": [\n        {{ \"src\": \"icons/{icon}.png\", \
                 \"sizes\": \"{size}x{size}\", \"type\": \"image/png\", \"purpose\": \"any\" }}\n      ]\n    }}",
                if links > 2 { "," } else { "" }
            ));
            links += 2;
        }
        text.push_str(
            "\n  ],\n  \"display\": \"standalone\",\n  \"theme_color\": \"#ffffff\"\n}\n",
        );
        links
    })
}

/// GeoJSON: polygons of many numbers.
pub(super) fn geojson(seed: u64, bytes: usize) -> Input {
    let mut random = Random::new(seed);
    let mut text = String::from("{\"type\":\"FeatureCollection\",\"features\":[");
    let mut links = 0;
    while text.len() < bytes {
        let (name, uri) = (random.words(2), random.uri());
        text.push_str(&format!(
            "{}{{\"type\":\"Feature\",\"properties\":{{\"name\":\"{name}\",\"url\":\"{uri}\"}},\
             \"geometry\":{{\"type\":\"Polygon\",\"coordinates\":[[",
            if links > 0 { "," } else { "" }
        ));
        for point in 0..20 + random.below(200) {
            let degree = |random: &mut Random, limit: usize| {
                let whole = random.below(2 * limit) as i64 - limit as i64;
                format!("{whole}.{:06}", random.below(1_000_000))
            };
            let (longitude, latitude) = (degree(&mut random, 180), degree(&mut random, 90));
            let comma = if point > 0 { "," } else { "" };
            text.push_str(&format!("{comma}[{longitude},{latitude}]"));
        }
        text.push_str("]]}}");
        links += 1;
    }
    text.push_str("]}\n");
    Input {
        documents: vec![text.into_bytes()],
        links,
    }
}

/// Source maps of about 400 KiB: mappings and the contents of sources.
pub(super) fn source_maps(seed: u64, bytes: usize) -> Input {
    several(seed, bytes, |random, text| {
        let sources = 20;
        text.push_str("{\"version\":3,\"file\":\"bundle.js\",\"sources\":[");
        for source in 0..sources {
            let comma = if source > 0 { "," } else { "" };
            let path = random.joined(3, "/");
            text.push_str(&format!("{comma}\"../{path}.ts\""));
        }
        text.push_str("],\"sourcesContent\":[");
        for source in 0..sources {
            text.push_str(if source > 0 { ",\"" } else { "\"" });
            for _ in 0..100 + random.below(200) {
                let (name, value, words) = (random.word(), random.below(1000), random.words(4));
                text.push_str(&format!("  const {name} = f({value}, \\\"{words}\\\");\\n"));
            }
            text.push('"');
        }
        text.push_str("],\"names\":[\"a\",\"b\"],\"mappings\":\"");
        let segments = ["AAAA", "IACE", "gBAAgB", "UAAU", "CAAC", ";AAEA", "OAAO"];
        for _ in 0..30_000 {
            text.push_str(random.pick(&segments));
            text.push(',');
        }
        text.push_str("\"}");
        sources + 1
    })
}

/// Notebooks of about 300 KiB: prose, code, and images in base64.
pub(super) fn notebooks(seed: u64, bytes: usize) -> Input {
    several(seed, bytes, |random, text| {
        let mut links = 0;
        text.push_str("{\n \"cells\": [");
        for cell in 0..12 {
            text.push_str(if cell > 0 { "," } else { "" });
            let uri = random.uri();
            text.push_str(
                "\n  {\n   \"cell_type\": \"markdown\",\n   \"metadata\": {},\n   \"source\": [\n",
            );
            text.push_str(&format!(
                "    \"## {}\\n\",\n    \"\\n\",\n",
                random.words(3)
            ));
            text.push_str(&format!("    \"See {} <{uri}>.\\n\",\n", random.words(20)));
            text.push_str(&format!("    \"{}\\n\"\n   ]\n  }},", random.words(40)));
            links += 1;
            text.push_str("\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": 1,\n   \"metadata\": {},");
            text.push_str("\n   \"outputs\": [\n    {\n     \"data\": {\n      \"image/png\": \"");
            for _ in 0..5_000 {
                text.push_str(random.pick(&["iVBO", "Rw0K", "GgoA", "AAAN", "SUhE", "+/9k"]));
            }
            text.push_str(
                "\",\n      \"text/plain\": [\n       \"<Figure size 640x480>\"\n      ]\n     },",
            );
            text.push_str(
                "\n     \"metadata\": {},\n     \"output_type\": \"display_data\"\n    }\n   ],",
            );
            text.push_str("\n   \"source\": [\n");
            for _ in 0..30 {
                let (name, number, word) = (random.word(), random.below(1000), random.word());
                text.push_str(&format!(
                    "    \"{name} = frame[\\\"{word}\\\"].head({number})\\n\",\n"
                ));
            }
            text.push_str("    \"plt.show()\"\n   ]\n  }");
        }
        text.push_str("\n ],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n");
        links
    })
}
