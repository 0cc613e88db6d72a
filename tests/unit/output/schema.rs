use super::*;

#[test]
fn schemas_are_json_and_require_the_core_keys() {
    for schema in SCHEMAS {
        let value: serde_json::Value = serde_json::from_str(&schema.text()).unwrap();
        assert_eq!(value["title"], schema.name);
        assert_eq!(value["version"], 1);
        assert_eq!(value["properties"]["type"]["const"], schema.name);
        let required = value["required"].as_array().unwrap();
        assert!(required.len() > 3, "{required:?}");
        for key in required {
            assert!(value["properties"].get(key.as_str().unwrap()).is_some());
        }
    }
}
