//! The files by which others get uriscan agree with each other, and with what a release holds.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use saphyr::{LoadableYamlNode, Yaml};
use uriscan::document::diagnostic::{CODES, Effect};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn toml(path: &str) -> toml::Table {
    read(path).parse().unwrap()
}

/// The strings of an array.
fn strings(value: &toml::Value) -> Vec<&str> {
    let array = value.as_array().unwrap();
    array.iter().map(|item| item.as_str().unwrap()).collect()
}

fn with_yaml<T>(path: &str, look: impl FnOnce(&Yaml<'_>) -> T) -> T {
    with_text(path, &read(path), look)
}

fn with_text<T>(path: &str, text: &str, look: impl FnOnce(&Yaml<'_>) -> T) -> T {
    let documents = Yaml::load_from_str(text).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert_eq!(documents.len(), 1, "{path}");
    look(&documents[0])
}

/// Hands on the step of a workflow that uses our action.
fn with_own_step<T>(workflow: &str, look: impl FnOnce(&Yaml<'_>) -> T) -> T {
    with_text("README.md", workflow, |workflow| {
        let steps = workflow["jobs"]["links"]["steps"].as_vec().unwrap();
        let uses = |step: &&Yaml<'_>| step["uses"].as_str().unwrap().starts_with("uriscan/");
        look(steps.iter().find(uses).unwrap())
    })
}

/// The YAML blocks of README.md: for GitHub, GitLab and pre-commit.
fn readme_yaml() -> [String; 3] {
    let text = read("README.md");
    let blocks = text.split("\n```yaml\n").skip(1);
    let blocks: Vec<_> = blocks
        .map(|rest| rest.split_once("```").unwrap().0.to_owned())
        .collect();
    blocks.try_into().unwrap()
}

/// The keys of a mapping.
fn keys<'a>(value: &'a Yaml<'_>) -> BTreeSet<&'a str> {
    let mapping = value.as_mapping().unwrap();
    mapping.keys().map(|key| key.as_str().unwrap()).collect()
}

/// The paths of the workflows.
fn workflows() -> Vec<String> {
    let entries = fs::read_dir(root().join(".github/workflows")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut paths: Vec<_> = names
        .map(|name| format!(".github/workflows/{name}"))
        .collect();
    paths.sort();
    paths
}

/// The names behind `${{ inputs.` and the like in a text.
fn names_after<'a>(text: &'a str, prefix: &str) -> BTreeSet<&'a str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let rests = text.split(prefix).skip(1);
    rests
        .map(|rest| &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())])
        .collect()
}

#[test]
fn all_files_name_the_version_of_the_package() {
    let version = env!("CARGO_PKG_VERSION");
    with_yaml("action.yml", |action| {
        assert_eq!(
            action["inputs"]["version"]["default"].as_str(),
            Some(version)
        );
    });
    with_yaml(".ci/gitlab.yml", |jobs| {
        let variables = &jobs["uriscan"]["variables"];
        assert_eq!(variables["URISCAN_VERSION"].as_str(), Some(version));
    });
    for lock in [
        "Cargo.lock",
        "benches/peers/Cargo.lock",
        "tests/fuzz/Cargo.lock",
    ] {
        let entry = format!("name = \"uriscan\"\nversion = \"{version}\"\n");
        assert!(read(lock).contains(&entry), "{lock}");
    }
    // Tags in instructions.
    let mut tags = 0;
    for file in ["README.md", ".ci/gitlab.yml"] {
        let text = read(file);
        for before in ["uriscan/uriscan@v", "uriscan/uriscan/v", "rev: v"] {
            for (at, _) in text.match_indices(before) {
                tags += 1;
                assert!(
                    text[at + before.len()..].starts_with(version),
                    "{file}: {before}"
                );
            }
        }
    }
    assert!(tags >= 1, "{tags}");
    assert!(read("CHANGELOG.md").contains(&format!("\n## [{version}]")));
}

#[test]
fn everyone_asks_for_the_archives_that_a_release_has() {
    let dist = toml("dist-workspace.toml");
    let dist = dist["dist"].as_table().unwrap();
    let (unix, windows) = (&dist["unix-archive"], &dist["windows-archive"]);
    let suffix = |target: &str| match target.contains("windows") {
        true => windows.as_str().unwrap(),
        false => unix.as_str().unwrap(),
    };
    let targets = strings(&dist["targets"]);
    let archives: BTreeSet<_> = targets
        .iter()
        .map(|target| format!("uriscan-{target}{}", suffix(target)))
        .collect();

    let action = read(".ci/action");
    let asked: BTreeSet<_> = action
        .lines()
        .filter_map(|line| line.split_once("echo uriscan-"))
        .map(|(_, rest)| format!("uriscan-{}", rest.split(' ').next().unwrap()))
        .collect();
    assert_eq!(asked, archives);

    let gitlab = read(".ci/gitlab.yml");
    assert!(gitlab.contains("archive=uriscan-$(uname -m)-unknown-linux-musl.tar.gz"));

    let package = toml("Cargo.toml");
    let binstall = &package["package"]["metadata"]["binstall"];
    assert_eq!(binstall["pkg-fmt"].as_str(), Some("tgz"));
    assert_eq!(unix.as_str(), Some(".tar.gz"));
    for target in targets.iter().filter(|target| target.contains("windows")) {
        let windows = &binstall["overrides"][*target];
        assert_eq!(windows["pkg-fmt"].as_str(), Some("zip"));
    }
}

#[test]
fn packages_hold_the_man_pages_and_the_completions() {
    let assets = read(".ci/assets");
    let package = toml("Cargo.toml");
    let deb = package["package"]["metadata"]["deb"]["assets"]
        .as_array()
        .unwrap();
    let sources: Vec<_> = deb.iter().map(|asset| strings(asset)[0]).collect();
    assert!(sources.contains(&"target/assets/man/*"));
    let completions = sources
        .iter()
        .filter_map(|path| path.strip_prefix("target/assets/complete/"));
    let mut shells = 0;
    for name in completions {
        shells += 1;
        assert!(assets.contains(&format!(" {name}\n")), "{name}");
    }
    assert_eq!(shells, 3);
    let dist = toml("dist-workspace.toml");
    // All binaries have the same features.
    let features = &dist["dist"]["features"];
    assert_eq!(features, &package["package"]["metadata"]["deb"]["features"]);
    assert_eq!(
        features,
        &toml("pyproject.toml")["tool"]["maturin"]["features"]
    );
    assert!(read("Dockerfile").contains(&format!("--features {} ", strings(features).join(","))));
    let include = strings(&dist["dist"]["include"]);
    assert_eq!(include, ["target/assets/man", "target/assets/complete"]);
    // The npm package has them too, and the job that makes it runs no other steps of ours.
    let extra = &dist["dist"]["extra-artifacts"][0];
    assert_eq!(strings(&extra["build"]), [".ci/assets"]);
    let archive = strings(&extra["artifacts"])[0].rsplit('/').next().unwrap();
    assert!(assets.contains(archive), "{archive}");
    let setup = dist["dist"]["github-build-setup"].as_str().unwrap();
    assert!(read(&format!(".github/workflows/{setup}")).contains(".ci/assets"));
}

#[test]
fn workflows_use_actions_by_one_hash_each_and_grant_little() {
    let dist = toml("dist-workspace.toml");
    let commits = dist["dist"]["github-action-commits"].as_table().unwrap();
    let mut uses = BTreeSet::new();
    for path in workflows() {
        with_yaml(&path, |workflow| {
            // dist writes its own permissions.
            if !path.ends_with("/release.yml") {
                let permissions = workflow["permissions"].as_mapping().unwrap();
                assert_eq!(permissions.len(), 1, "{path}");
                assert_eq!(
                    workflow["permissions"]["contents"].as_str(),
                    Some("read"),
                    "{path}"
                );
            }
            for (name, job) in workflow["jobs"].as_mapping().unwrap() {
                let steps = job.as_mapping_get("steps").and_then(|steps| steps.as_vec());
                for step in steps.into_iter().flatten() {
                    let action = step.as_mapping_get("uses").and_then(|uses| uses.as_str());
                    uses.extend(action.map(str::to_owned));
                    let runs = step.as_mapping_get("run").is_some();
                    assert_ne!(action.is_some(), runs, "{path}: {name:?}");
                }
            }
        });
    }
    assert!(uses.len() >= 5, "{uses:?}");
    for one in uses {
        let (action, at) = one.split_once('@').unwrap();
        match commits.get(action) {
            Some(commit) => assert_eq!(commit.as_str(), Some(at), "{action}"),
            // Those of the release workflow that dist names by their tags.
            None if matches!(action, "actions/attest" | "actions/setup-node") => {}
            None => assert!(at.len() == 40, "{one}"),
        }
    }
}

#[test]
fn the_release_workflow_has_the_jobs_that_its_settings_name() {
    let dist = toml("dist-workspace.toml");
    let release = read(".github/workflows/release.yml");
    assert!(release.starts_with("# This file was autogenerated by dist"));
    let version = dist["dist"]["cargo-dist-version"].as_str().unwrap();
    assert!(release.contains(&format!("/v{version}/cargo-dist-installer.sh")));
    let jobs = ["local-artifacts-jobs", "publish-jobs"];
    let jobs = jobs.iter().flat_map(|key| strings(&dist["dist"][*key]));
    let own: Vec<_> = jobs.filter_map(|job| job.strip_prefix("./")).collect();
    assert!(own.len() >= 4);
    for job in own {
        assert!(
            release.contains(&format!("/.github/workflows/{job}.yml")),
            "{job}"
        );
        assert!(release.contains(&format!("\n  custom-{job}:\n")), "{job}");
        with_yaml(&format!(".github/workflows/{job}.yml"), |workflow| {
            let inputs = &workflow["on"]["workflow_call"]["inputs"];
            assert_eq!(inputs["plan"]["type"].as_str(), Some("string"), "{job}");
        });
    }
    // The action trusts what this workflow has built, and nothing else.
    assert!(read(".ci/action").contains("uriscan/uriscan/.github/workflows/release.yml"));
    assert!(release.contains("uses: actions/attest@"));
}

#[test]
fn the_action_hands_every_input_to_its_script() {
    let text = read("action.yml");
    let script = read(".ci/action");
    with_yaml("action.yml", |action| {
        let declared = keys(&action["inputs"]);
        assert_eq!(names_after(&text, "${{ inputs."), declared);
        let variables = names_after(&text, "INPUT_").len();
        // The token is for `gh`.
        assert_eq!(variables, declared.len() - 1);
    });
    assert_eq!(
        names_after(&script, "$INPUT_").len() + 1,
        names_after(&text, "INPUT_").len()
    );
}

#[test]
fn readme_ci_examples_name_existing_inputs() {
    let [github, gitlab, hooks] = readme_yaml();
    with_own_step(&github, |step| {
        with_yaml("action.yml", |action| {
            assert!(keys(&step["with"]).is_subset(&keys(&action["inputs"])));
        });
    });
    with_text("README.md", &gitlab, |jobs| {
        let remote = jobs["include"][0]["remote"].as_str().unwrap();
        assert!(remote.ends_with("/.ci/gitlab.yml"), "{remote}");
        with_yaml(".ci/gitlab.yml", |template| {
            let known = keys(&template["uriscan"]["variables"]);
            assert!(keys(&jobs["uriscan"]["variables"]).is_subset(&known));
        });
    });
    with_text("README.md", &hooks, |configuration| {
        let repository = &configuration["repos"][0];
        let id = repository["hooks"][0]["id"].as_str().unwrap();
        with_yaml(".pre-commit-hooks.yaml", |hooks| {
            let mut hooks = hooks.as_vec().unwrap().iter();
            assert!(hooks.any(|hook| hook["id"].as_str() == Some(id)), "{id}");
        });
    });
}

#[test]
fn hooks_audit_the_whole_tree() {
    with_yaml(".pre-commit-hooks.yaml", |hooks| {
        let hooks = hooks.as_vec().unwrap();
        let languages: Vec<_> = hooks.iter().map(|hook| hook["language"].as_str()).collect();
        assert_eq!(languages, [Some("rust"), Some("system"), Some("python")]);
        for hook in hooks {
            assert_eq!(hook["entry"].as_str(), Some("uriscan audit"));
            assert_eq!(hook["pass_filenames"].as_bool(), Some(false));
        }
    });
}

/// The action's steps, run by bash as a runner of GitHub does.
#[cfg(unix)]
mod action {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::{Command, Output};

    use super::*;
    use crate::cli::Tree;

    /// A runner with a planted site and the releases in `releases/`.
    struct Runner {
        tree: Tree,
    }

    impl Runner {
        fn new() -> Self {
            let tree = Tree::new(&[("work/site/index.html", "<a href=gone.html>x</a>\n")]);
            fs::create_dir(tree.path().join("bin")).unwrap();
            Runner { tree }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.tree.path().join(name)
        }

        /// Puts a program onto the path.
        fn program(&self, name: &str, text: &str) {
            let path = self.path("bin").join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }

        fn step(&self, name: &str, inputs: &[(&str, &str)]) -> Output {
            let path = format!("{}:{}", self.path("bin").display(), env!("PATH"));
            let releases = format!("file://{}", self.path("releases").display());
            Command::new("bash")
                .arg(root().join(".ci/action"))
                .arg(name)
                .current_dir(self.path("work"))
                .env("PATH", path)
                .env("URISCAN_RELEASES", releases)
                .env("RUNNER_OS", "Linux")
                .env("RUNNER_ARCH", "X64")
                .env("RUNNER_TEMP", self.path("temp"))
                .env("GITHUB_PATH", self.path("path"))
                .env("GITHUB_OUTPUT", self.path("output"))
                .env("GITHUB_STEP_SUMMARY", self.path("summary.md"))
                .envs(inputs.iter().copied())
                .output()
                .unwrap()
        }
    }

    const AUDIT: [(&str, &str); 6] = [
        ("INPUT_PATHS", ""),
        ("INPUT_ARGS", ""),
        ("INPUT_ANNOTATIONS", "true"),
        ("INPUT_SUMMARY", "true"),
        ("INPUT_SARIF", ""),
        ("INPUT_HTML", ""),
    ];

    #[test]
    fn an_audit_annotates_summarises_and_reports() {
        let runner = Runner::new();
        symlink(env!("CARGO_BIN_EXE_uriscan"), runner.path("bin/uriscan")).unwrap();
        let audit = |inputs: &[(&str, &str)]| {
            let ran = runner.step("audit", &[&AUDIT, inputs].concat());
            let out = String::from_utf8(ran.stdout).unwrap();
            (ran.status.code(), out)
        };
        let (code, out) = audit(&[("INPUT_PATHS", "site\r\n\n"), ("INPUT_SARIF", "out.sarif")]);
        assert_eq!(code, Some(1));
        assert!(
            out.starts_with("::error file=site/index.html,line=1,col=9,"),
            "{out}"
        );
        let written = |name: &str| fs::read_to_string(runner.path(name)).unwrap();
        assert!(written("summary.md").contains("gone.html"));
        assert!(written("work/out.sarif").contains("\"2.1.0\""));
        assert_eq!(written("output"), "exit-code=1\n");

        // Without paths the working directory is checked, whatever standard input is; words of
        // `args` are no patterns.
        let (code, out) = audit(&[
            ("INPUT_ARGS", "--allow broken-file\n  --exclude *"),
            ("INPUT_ANNOTATIONS", "false"),
        ]);
        assert_eq!((code, out.as_str()), (Some(2), ""));
        let (code, _) = audit(&[("INPUT_ARGS", "--allow broken-file\n")]);
        assert_eq!(code, Some(0));
        let (code, _) = audit(&[("INPUT_PATHS", "$(touch made) `touch made`;")]);
        assert_eq!(code, Some(2));
        assert!(!runner.path("work/made").exists());
    }

    /// The end of the first five minutes in README.md: what its workflow says of the planted site.
    #[test]
    fn the_workflow_of_the_readme_fails_until_the_links_are_mended() {
        let runner = Runner::new();
        symlink(env!("CARGO_BIN_EXE_uriscan"), runner.path("bin/uriscan")).unwrap();
        for page in ["index.html", "guide/install.html", "guide/usage.html"] {
            let text = read(&format!("corpus/audit/first-run/site/{page}"));
            let path = format!("work/public/{page}");
            runner.tree.write(path, text.as_bytes());
        }
        let [workflow, ..] = readme_yaml();
        let inputs: Vec<_> = with_own_step(&workflow, |step| {
            let inputs = step["with"].as_mapping().unwrap().iter();
            let text = |value: &Yaml<'_>| value.as_str().unwrap().to_owned();
            let variable = |key| format!("INPUT_{}", text(key).to_uppercase());
            inputs
                .map(|(key, value)| (variable(key), text(value)))
                .collect()
        });
        let inputs: Vec<_> = inputs
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let audit = || {
            let ran = runner.step("audit", &[&AUDIT, &inputs[..]].concat());
            (ran.status.code(), String::from_utf8(ran.stdout).unwrap())
        };
        let (code, out) = audit();
        assert_eq!(
            (code, out.matches("::error ").count()),
            (Some(1), 2),
            "{out}"
        );
        assert!(out.contains("file=public/index.html,line=4,"), "{out}");
        let index = runner.path("work/public/index.html");
        let text = fs::read_to_string(&index).unwrap();
        let mended = text
            .replace("instal.", "install.")
            .replace("Guide/", "guide/");
        fs::write(&index, mended.replace("#trouble", "#troubles")).unwrap();
        assert_eq!(audit(), (Some(0), String::new()));
    }

    fn digest(path: &Path) -> Option<String> {
        let ran = Command::new("sha256sum").arg(path).output().ok()?;
        let text = String::from_utf8(ran.stdout).unwrap();
        text.split(' ').next().map(str::to_owned)
    }

    #[test]
    fn a_binary_is_installed_when_its_checksum_and_its_attestation_are_right() {
        let runner = Runner::new();
        let name = "uriscan-x86_64-unknown-linux-musl";
        let folder = runner.path("releases/v1.2.3");
        fs::create_dir_all(folder.join(name)).unwrap();
        fs::write(folder.join(name).join("uriscan"), "a binary").unwrap();
        let archive = folder.join(format!("{name}.tar.gz"));
        let packed = Command::new("tar")
            .arg("-czf")
            .arg(&archive)
            .arg("-C")
            .arg(&folder)
            .arg(name)
            .status();
        let there = Command::new("curl").arg("--version").output();
        let (Some(digest), Ok(_), Ok(_)) = (digest(&archive), packed, there) else {
            eprintln!("there is no tar, curl or sha256sum: nothing was tried");
            return;
        };
        let sum = folder.join(format!("{name}.tar.gz.sha256"));
        fs::write(&sum, format!("{digest} *{name}.tar.gz\n")).unwrap();
        runner.program(
            "gh",
            "#!/bin/sh\necho \"$@\" > gh-arguments\nexit ${GH_CODE:-0}\n",
        );
        let install = |inputs: &[(&str, &str)]| {
            let inputs = [
                &[("INPUT_VERSION", "v1.2.3"), ("INPUT_ATTESTATION", "true")],
                inputs,
            ]
            .concat();
            let ran = runner.step("install", &inputs);
            (ran.status.code(), String::from_utf8(ran.stdout).unwrap())
        };

        assert_eq!(install(&[]), (Some(0), String::new()));
        let installed = runner.path("temp/uriscan-1.2.3");
        assert_eq!(fs::read(installed.join("uriscan")).unwrap(), b"a binary");
        let added = fs::read_to_string(runner.path("path")).unwrap();
        assert_eq!(added, format!("{}\n", installed.display()));
        let asked = fs::read_to_string(installed.join("gh-arguments")).unwrap();
        assert!(
            asked.starts_with(&format!("attestation verify {name}.tar.gz ")),
            "{asked}"
        );

        for (inputs, expected) in [
            (&[("GH_CODE", "1")][..], "the attestation does not say"),
            (
                &[("INPUT_VERSION", "1.2.3/../../x")],
                "a version is three numbers",
            ),
            (&[("INPUT_VERSION", "9.9.9")], "cannot fetch"),
            (
                &[("RUNNER_ARCH", "S390X")],
                "there is no binary for Linux on S390X",
            ),
        ] {
            let (code, out) = install(inputs);
            assert_eq!(code, Some(2), "{inputs:?}");
            assert!(out.starts_with("::error title=uriscan::"), "{out}");
            assert!(out.contains(expected), "{out}");
        }
        assert_eq!(
            install(&[("GH_CODE", "1"), ("INPUT_ATTESTATION", "false")]).0,
            Some(0)
        );
        fs::write(&sum, format!("{} *{name}.tar.gz\n", "0".repeat(64))).unwrap();
        let (code, out) = install(&[]);
        assert_eq!(code, Some(2));
        assert!(out.contains("wrong checksum"), "{out}");
    }
}

#[test]
fn python_knows_the_diagnostics_that_set_the_exit_code() {
    let module = read("src/python/uriscan/_process.py");
    let (_, list) = module.split_once("_DAMAGE = (").unwrap();
    let (list, _) = list.split_once("\n)").unwrap();
    let prefixes: Vec<_> = list.split('"').skip(1).step_by(2).collect();
    for code in CODES {
        let is_known = prefixes.iter().any(|prefix| code.name.starts_with(prefix));
        assert_eq!(is_known, code.effect == Effect::Damage, "{code}");
    }
}
