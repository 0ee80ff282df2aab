//! Facts about a repository, each a word: `docker`, `monorepo`, `typescript`.

use crate::tree::Tree;

/// A word and how it is told.
#[derive(Debug)]
pub struct Fact {
    /// The word that a condition uses.
    pub word: &'static str,
    /// What tells it, for people.
    pub told_by: &'static str,
    signs: &'static [Sign],
}

/// Something that tells a fact.
#[derive(Debug)]
enum Sign {
    /// A path at the root, a file or a folder.
    At(&'static str),
    /// A file of this name, anywhere.
    Named(&'static str),
    /// A file whose name ends so, anywhere.
    Ending(&'static str),
    /// A file below a folder of this name, anywhere.
    Below(&'static str),
    /// A file of this name at the root that has some text.
    Says(&'static str, &'static str),
    /// At least two folders with a manifest.
    SeveralPackages,
}

use Sign::{At, Below, Ending, Named, Says, SeveralPackages};

const WORKSPACES: &[Sign] = &[
    Says("Cargo.toml", "[workspace"),
    Says("package.json", "\"workspaces\""),
    Says("pyproject.toml", "[tool.uv.workspace"),
    At("pnpm-workspace.yaml"),
    At("go.work"),
    At("lerna.json"),
];

/// Every fact that conditions may name.
const FACTS: &[Fact] = &[
    Fact { word: "git", told_by: ".git", signs: &[At(".git")] },
    Fact {
        word: "workspace",
        told_by: "workspace in Cargo.toml, package.json or pyproject.toml, pnpm-workspace.yaml, go.work or lerna.json",
        signs: WORKSPACES,
    },
    Fact {
        word: "monorepo",
        told_by: "workspace, nx.json, turbo.json or second package",
        signs: &[
            Says("Cargo.toml", "[workspace"),
            Says("package.json", "\"workspaces\""),
            Says("pyproject.toml", "[tool.uv.workspace"),
            At("pnpm-workspace.yaml"),
            At("go.work"),
            At("lerna.json"),
            At("nx.json"),
            At("turbo.json"),
            At("rush.json"),
            SeveralPackages,
        ],
    },
    Fact {
        word: "docker",
        told_by: "Dockerfile or compose file",
        signs: &[
            Named("Dockerfile"),
            Named("Containerfile"),
            Named("docker-compose.yml"),
            Named("docker-compose.yaml"),
            Named("compose.yml"),
            Named("compose.yaml"),
            Ending(".dockerfile"),
            Ending(".Dockerfile"),
        ],
    },
    Fact {
        word: "ci",
        told_by: "workflow or pipeline of a known service",
        signs: &[
            Below(".github/workflows"),
            At(".gitlab-ci.yml"),
            Below(".circleci"),
            At("Jenkinsfile"),
            At("azure-pipelines.yml"),
            At(".travis.yml"),
            At("bitbucket-pipelines.yml"),
            Below(".buildkite"),
            Below(".woodpecker"),
            Below(".forgejo/workflows"),
            At(".drone.yml"),
        ],
    },
    Fact { word: "github_actions", told_by: ".github/workflows", signs: &[Below(".github/workflows")] },
    Fact { word: "gitlab_ci", told_by: ".gitlab-ci.yml", signs: &[At(".gitlab-ci.yml")] },
    Fact { word: "rust", told_by: "Cargo.toml or .rs file", signs: &[Named("Cargo.toml"), Ending(".rs")] },
    Fact {
        word: "python",
        told_by: "pyproject.toml, setup.py or .py file",
        signs: &[Named("pyproject.toml"), Named("setup.py"), Ending(".py")],
    },
    Fact { word: "node", told_by: "package.json", signs: &[Named("package.json")] },
    Fact {
        word: "typescript",
        told_by: "tsconfig.json or .ts file",
        signs: &[Named("tsconfig.json"), Ending(".ts"), Ending(".tsx")],
    },
    Fact {
        word: "javascript",
        told_by: ".js file",
        signs: &[Ending(".js"), Ending(".mjs"), Ending(".cjs"), Ending(".jsx")],
    },
    Fact { word: "go", told_by: "go.mod or .go file", signs: &[Named("go.mod"), Ending(".go")] },
    Fact {
        word: "java",
        told_by: ".java file, pom.xml or Gradle build",
        signs: &[Ending(".java"), Named("pom.xml"), Named("build.gradle")],
    },
    Fact { word: "kotlin", told_by: ".kt file", signs: &[Ending(".kt"), Ending(".kts")] },
    Fact { word: "ruby", told_by: "Gemfile or .rb file", signs: &[Named("Gemfile"), Ending(".rb")] },
    Fact {
        word: "php",
        told_by: "composer.json or .php file",
        signs: &[Named("composer.json"), Ending(".php")],
    },
    Fact { word: "c", told_by: ".c file", signs: &[Ending(".c")] },
    Fact {
        word: "cpp",
        told_by: ".cpp, .cc or .hpp file",
        signs: &[Ending(".cpp"), Ending(".cc"), Ending(".cxx"), Ending(".hpp")],
    },
    Fact { word: "csharp", told_by: ".cs file or .csproj", signs: &[Ending(".csproj"), Ending(".cs")] },
    Fact {
        word: "swift",
        told_by: "Package.swift or .swift file",
        signs: &[Named("Package.swift"), Ending(".swift")],
    },
    Fact { word: "shell", told_by: ".sh file", signs: &[Ending(".sh"), Ending(".bash")] },
    Fact {
        word: "make",
        told_by: "Makefile",
        signs: &[Named("Makefile"), Named("GNUmakefile"), Named("makefile")],
    },
    Fact {
        word: "just",
        told_by: "justfile",
        signs: &[Named("justfile"), Named("Justfile"), Named(".justfile")],
    },
    Fact { word: "cmake", told_by: "CMakeLists.txt", signs: &[Named("CMakeLists.txt")] },
    Fact {
        word: "bazel",
        told_by: "MODULE.bazel, WORKSPACE or BUILD.bazel",
        signs: &[At("MODULE.bazel"), At("WORKSPACE"), At("WORKSPACE.bazel"), Named("BUILD.bazel")],
    },
    Fact {
        word: "gradle",
        told_by: "Gradle build",
        signs: &[Named("build.gradle"), Named("build.gradle.kts")],
    },
    Fact { word: "maven", told_by: "pom.xml", signs: &[Named("pom.xml")] },
    Fact {
        word: "nix",
        told_by: "flake.nix, shell.nix or default.nix",
        signs: &[Named("flake.nix"), Named("shell.nix"), Named("default.nix")],
    },
    Fact { word: "terraform", told_by: ".tf file", signs: &[Ending(".tf")] },
    Fact {
        word: "kubernetes",
        told_by: "Helm chart, kustomization or k8s folder",
        signs: &[
            Named("Chart.yaml"),
            Named("kustomization.yaml"),
            Named("kustomization.yml"),
            Below("k8s"),
            Below("kubernetes"),
        ],
    },
    Fact { word: "helm", told_by: "Chart.yaml", signs: &[Named("Chart.yaml")] },
    Fact {
        word: "tests",
        told_by: "folder of tests or file named as one",
        signs: &[
            Below("tests"),
            Below("test"),
            Below("spec"),
            Below("__tests__"),
            Ending("_test.go"),
            Ending("_test.py"),
            Ending(".test.ts"),
            Ending(".test.tsx"),
            Ending(".test.js"),
            Ending(".spec.ts"),
            Ending(".spec.js"),
            Ending("_spec.rb"),
        ],
    },
    Fact {
        word: "lockfile",
        told_by: "lock of a package manager",
        signs: &[
            Named("Cargo.lock"),
            Named("package-lock.json"),
            Named("yarn.lock"),
            Named("pnpm-lock.yaml"),
            Named("bun.lock"),
            Named("bun.lockb"),
            Named("poetry.lock"),
            Named("uv.lock"),
            Named("pdm.lock"),
            Named("Pipfile.lock"),
            Named("go.sum"),
            Named("Gemfile.lock"),
            Named("composer.lock"),
            Named("flake.lock"),
        ],
    },
    Fact { word: "submodules", told_by: ".gitmodules", signs: &[At(".gitmodules")] },
    Fact {
        word: "pre_commit",
        told_by: ".pre-commit-config.yaml",
        signs: &[At(".pre-commit-config.yaml"), At(".pre-commit-config.yml")],
    },
    Fact { word: "protobuf", told_by: ".proto file", signs: &[Ending(".proto")] },
    Fact { word: "sql", told_by: ".sql file", signs: &[Ending(".sql")] },
    Fact {
        word: "devcontainer",
        told_by: ".devcontainer",
        signs: &[Below(".devcontainer"), At(".devcontainer.json")],
    },
    Fact {
        word: "changelog",
        told_by: "changelog",
        signs: &[At("CHANGELOG.md"), At("CHANGELOG"), At("CHANGES.md"), At("CHANGES.rst")],
    },
    Fact {
        word: "license",
        told_by: "licence",
        signs: &[At("LICENSE"), At("LICENSE.md"), At("LICENSE.txt"), At("LICENSE-MIT"), At("COPYING")],
    },
];

/// The words that conditions may use, each with what tells it.
pub fn facts() -> impl Iterator<Item = (&'static str, &'static str)> {
    FACTS.iter().map(|fact| (fact.word, fact.told_by))
}

/// The fact of a word; `-` and `_` are the same.
pub(crate) fn fact(word: &str) -> Option<&'static Fact> {
    let word = word.to_ascii_lowercase().replace('-', "_");
    FACTS.iter().find(|fact| fact.word == word)
}

/// What tells a fact in a tree; none where nothing does.
pub(crate) fn tell(fact: &Fact, tree: &mut dyn Tree) -> Result<Option<String>, String> {
    let by = |what: &str| Ok(Some(format!("{} follows from {what}", fact.word)));
    // Looking at the root costs less than a listing, so it comes first.
    for sign in fact.signs {
        match sign {
            At(path) if tree.look(path).is_there() => return by(path),
            Says(path, text) => {
                let bytes = tree.read(path).ok().flatten().unwrap_or_default();
                if String::from_utf8_lossy(&bytes).contains(text) {
                    return by(&format!("{path} has {text}"));
                }
            }
            At(_) | Named(_) | Ending(_) | Below(_) | SeveralPackages => {}
        }
    }
    if fact.signs.iter().all(|sign| matches!(sign, At(_) | Says(..))) {
        return Ok(None);
    }
    let listing = tree.list()?;
    for sign in fact.signs {
        let found = match sign {
            At(_) | Says(..) => None,
            Named(name) => listing.iter().find(|path| path.rsplit('/').next() == Some(name)),
            Ending(end) => listing.iter().find(|path| path.ends_with(end)),
            Below(folder) => {
                let (first, within) = (format!("{folder}/"), format!("/{folder}/"));
                listing.iter().find(|path| path.starts_with(&first) || path.contains(&within))
            }
            SeveralPackages => {
                let names = ["Cargo.toml", "package.json", "pyproject.toml", "go.mod", "pom.xml"];
                let mut packages = listing.iter().filter(|path| {
                    path.contains('/') && names.iter().any(|name| path.rsplit('/').next() == Some(name))
                });
                packages.next().zip(packages.next()).map(|(_, second)| second)
            }
        };
        if let Some(path) = found {
            return by(path);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::MemoryTree;

    #[test]
    fn facts_are_told_by_files() {
        for (files, word, told) in [
            ("api/Dockerfile", "docker", Some("docker follows from api/Dockerfile")),
            ("README.md", "docker", None),
            (
                ".github/workflows/ci.yml",
                "github-actions",
                Some("github_actions follows from .github/workflows/ci.yml"),
            ),
            (".github/workflows/ci.yml", "ci", Some("ci follows from .github/workflows/ci.yml")),
            ("a/package.json b/package.json", "monorepo", Some("monorepo follows from b/package.json")),
            ("package.json", "monorepo", None),
            ("src/test/java/X.java", "tests", Some("tests follows from src/test/java/X.java")),
            ("src/latest/X.java", "tests", None),
            (".gitmodules", "submodules", Some("submodules follows from .gitmodules")),
        ] {
            let files: Vec<(&str, &str)> = files.split(' ').map(|path| (path, "x")).collect();
            let found = tell(fact(word).unwrap(), &mut MemoryTree::new(&files)).unwrap();
            assert_eq!(found.as_deref(), told, "{files:?} {word}");
        }
        let mut tree = MemoryTree::new(&[("Cargo.toml", "[workspace]\n")]);
        assert!(tell(fact("workspace").unwrap(), &mut tree).unwrap().is_some());
        assert!(fact("weather").is_none());
    }

    #[test]
    fn words_are_said_once() {
        let words: std::collections::BTreeSet<&str> = facts().map(|(word, _)| word).collect();
        assert_eq!(words.len(), facts().count());
    }
}
