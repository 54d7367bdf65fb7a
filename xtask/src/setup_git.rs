//! `cargo xtask setup-git`: makes git show outlines, and keeps conflicts out of generated files.
//!
//! `.gitattributes` says which files the drivers are for. git takes their commands only from the clone's own settings.

use std::{env, path::Path, process::Command};

use anyhow::{Context, Result};

use crate::{Outcome, project};

/// Sets the drivers in the settings of this clone.
pub fn run() -> Result<Outcome> {
    let program = env::current_exe().context("the path of xtask is unknown")?;
    configure(&project::root()?, &program)?;
    println!("`git diff` shows the outline of the spec; `git diff --no-textconv` shows its text");
    println!(
        "a conflict in generated/ keeps this branch's file; to resolve it: cargo xtask regen, then git add"
    );
    Ok(Outcome::Done)
}

/// Sets the drivers in the settings of a clone, with this program for outlines.
fn configure(clone: &Path, program: &Path) -> Result<()> {
    for (key, value) in settings(&program.display().to_string()) {
        let mut command = Command::new("git");
        command.current_dir(clone).args(["config", "--local", key, &value]);
        project::succeed(&mut command)?;
    }
    Ok(())
}

/// Returns the keys and values of git's settings.
fn settings(program: &str) -> [(&'static str, String); 3] {
    // The program, and not cargo, which waits for other builds. A spec with errors has no outline. The shell reads the
    // path in apostrophes.
    let program = program.replace('\'', r"'\''");
    let outline = format!("f() {{ '{program}' outline \"$1\" 2>/dev/null || cat \"$1\"; }}; f");
    let merge = "git merge-file -p -q %A %O %B >%A.new && mv %A.new %A || { rm -f %A.new; \
                 echo %P: conflict, to resolve it: cargo xtask regen >&2; exit 1; }";
    [
        ("diff.openapi.textconv", outline),
        ("merge.generated.name", "files that are generated again after a conflict".to_owned()),
        ("merge.generated.driver", merge.to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;
    use crate::files;

    /// A clone in a temporary folder, removed on drop.
    struct Repository(std::path::PathBuf);

    impl Drop for Repository {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    impl Repository {
        fn new() -> Self {
            let folder = env::temp_dir().join(format!("xtask-setup-git-{}", std::process::id()));
            let attributes = project::root().unwrap().join(".gitattributes");
            files::copy(&attributes, &folder.join(".gitattributes")).unwrap();
            let clone = Self(folder);
            clone.git(&["init", "--quiet", "--initial-branch", "main"]);
            clone
        }

        fn put(&self, path: &str, text: &str) {
            files::write(&self.0.join(path), text).unwrap();
        }

        fn read(&self, path: &str) -> String {
            files::read(&self.0.join(path)).unwrap()
        }

        fn commit(&self, message: &str) {
            self.git(&["add", "--all"]);
            self.git(&["commit", "--quiet", "--message", message]);
        }

        /// Runs git, and returns whether it succeeds with what it prints.
        fn git(&self, arguments: &[&str]) -> (bool, String) {
            let output = Command::new("git")
                .current_dir(&self.0)
                .args(["-c", "user.name=Test", "-c", "user.email=test@example.com"])
                .args(arguments)
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .output()
                .unwrap();
            let text = [output.stdout, output.stderr].concat();
            (output.status.success(), String::from_utf8(text).unwrap())
        }
    }

    #[test]
    fn drivers_show_outlines_and_keep_our_generated_files() {
        let clone = Repository::new();
        let program = clone.0.join("xtask's outline");
        fs::write(&program, "#!/bin/sh\nsed 's/^/the outline of /' \"$2\"\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        configure(&clone.0, &program).unwrap();
        let lines: Vec<String> = (1..20).map(|line| format!("line {line}\n")).collect();
        let with = |changed: usize, text: &str| {
            let line =
                |(at, line): (usize, &String)| if at == changed { format!("{text}\n") } else { line.clone() };
            lines.iter().enumerate().map(line).collect::<String>()
        };
        clone.put("spec/openapi.yaml", "one\n");
        clone.put("generated/a.rs", &lines.concat());
        clone.put("generated/b.rs", &lines.concat());
        clone.commit("start");

        clone.git(&["switch", "--quiet", "--create", "theirs"]);
        clone.put("generated/a.rs", &with(9, "theirs"));
        clone.put("generated/b.rs", &with(1, "theirs"));
        clone.commit("theirs");
        clone.git(&["switch", "--quiet", "main"]);
        clone.put("spec/openapi.yaml", "two\n");
        let (_, shown) = clone.git(&["diff"]);
        assert!(shown.contains("-the outline of one\n+the outline of two\n"), "{shown}");
        clone.put("generated/a.rs", &with(9, "ours"));
        clone.put("generated/b.rs", &with(17, "ours"));
        clone.commit("ours");

        let (is_merged, output) = clone.git(&["merge", "theirs"]);
        assert!(!is_merged && output.contains("to resolve it: cargo xtask regen"), "{output}");
        assert_eq!(clone.read("generated/a.rs"), with(9, "ours"), "no markers");
        let both = clone.read("generated/b.rs");
        assert!(both.contains("theirs") && both.contains("ours"), "{both}");
        assert_eq!(clone.git(&["diff", "--name-only", "--diff-filter=U"]).1, "generated/a.rs\n");
    }
}
