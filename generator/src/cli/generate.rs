//! `openapi-crates generate`: generates a workspace from a document.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use openapi_crates::{CrateKind, Generated, Options, Runtime, generate_from};

use super::{
    Failure, Outcome,
    config::{self, Config, RuntimeKind, SettingsFile},
    count, diagnostics,
    input::Document,
    named, output, paths, print_stderr, print_stdout,
    progress::Progress,
    reading::Reading,
    revision::Files,
    runtime,
};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  openapi-crates generate petstore.yaml --out petstore --name petstore
      write petstore/{models,validation,server,client,runtime} and the manifest of a workspace

  openapi-crates generate petstore.yaml --out petstore --name petstore --crates models
      generate the types only, without HTTP dependencies

  openapi-crates generate petstore.yaml --out petstore --name petstore --check
      for CI: write nothing, list the files that are out of date, exit with 1 if there are any

  openapi-crates generate petstore.yaml --out petstore --name petstore --overlay fix.overlay.yaml
      change the document by an OpenAPI overlay before it is read; see docs/any-openapi-document.md

  openapi-crates generate petstore.yaml --out petstore --name petstore --only listPets --only /stores
      generate some operations, with nothing that they don't need; see docs/settings.md

  openapi-crates generate petstore.yaml
      read `out`, `name` and more from openapi-crates.toml next to the document (see docs/settings.md)

The output folder must be new, empty or written by this command. The command updates and removes only files that it
generated, and refuses to overwrite hand-written files.")]
pub struct Arguments {
    /// Read this OpenAPI document, JSON or YAML [default: `-`, standard input]
    spec: Option<PathBuf>,
    /// Write the workspace to this folder [required, here or as `out` in openapi-crates.toml]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Prefix crate names: `petstore` gives `petstore-models` [required, here or as `name`]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Generate only these crates and their dependencies, for example `models,client` [default: all]
    #[arg(long, value_name = "CRATES", value_delimiter = ',',
          value_parser = named(CrateKind::ALL.iter().copied(), CrateKind::folder))]
    crates: Vec<CrateKind>,
    #[command(flatten)]
    reading: Reading,
    /// Depend on the runtime in this folder [default: write a copy next to the crates]
    #[arg(long, value_name = "DIR", conflicts_with = "runtime")]
    runtime_path: Option<PathBuf>,
    /// Depend on a `copy` of the runtime next to the crates, or on the `published` one [default: copy]
    #[arg(long, value_name = "WHICH", value_enum, hide_possible_values = true)]
    runtime: Option<RuntimeKind>,
    /// Write nothing; list missing, stale and no longer generated files, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
}

/// The merged arguments and settings.
struct Plan {
    options: Options,
    out: PathBuf,
    /// The package name of the copy of the runtime, if one is written.
    copy: Option<String>,
}

pub fn run(arguments: &Arguments) -> Result<Outcome, Failure> {
    let started = Instant::now();
    let Arguments { spec, reading, .. } = arguments;
    let (document, config, file) =
        Document::with_settings(&Files::Disk, spec.as_deref(), reading.config.as_deref(), &reading.overlay)?;
    let Plan { options, out, copy } = Plan::new(arguments, &document, &config, file.as_ref())?;
    let Generated { files, report, unused, operations, .. } = {
        let progress = Progress::start(&document.name);
        generate_from(&document.input(), &options, &|stage| progress.enter(stage))?
    };
    let idle = reading.print_unused(&config, file.as_ref(), &unused)?;
    diagnostics::print_some(&report, reading.all_warnings);
    if let Some(note) = config::fastapi_note(&report, &config) {
        print_stderr(note);
    }
    let Some(mut files) = files else {
        print_stderr(format_args!("{}: {}; nothing was generated", document.name, report.summary()));
        return Ok(Outcome::Failed);
    };
    let number = count(files.iter().len(), "file");
    let generated = [
        count(options.all_crates().len(), "crate"),
        number.clone(),
        count(files.iter().map(|(_, text)| text.lines().count()).sum(), "line"),
        count(operations, "operation"),
        count(report.summary().warnings + idle, "warning"),
    ];
    if let Some(package) = &copy {
        files.merge(runtime::copy(package, &options.header()));
    }
    if config.workspace.unwrap_or(true) {
        let folders = options.all_crates().into_iter().map(CrateKind::folder);
        let folders = folders.chain(copy.as_ref().map(|_| runtime::FOLDER));
        let members: Vec<String> = folders.map(|folder| format!("\"{folder}\"")).collect();
        let (header, members) = (options.header(), members.join(", "));
        let text = format!("# {header}\n\n[workspace]\nresolver = \"3\"\nmembers = [{members}]\n");
        files.insert("Cargo.toml", text);
    }
    if arguments.check {
        return output::check(&files, &number, &out, &document.source);
    }
    // The document, the settings file and the overlays may be in the output folder.
    let own = spec.iter().chain(file.as_ref().map(|file| &file.path));
    let own: Vec<&PathBuf> = own.chain(&reading.overlay).chain(&config.overlays).collect();
    output::write(&files, &out, &own)?;
    let (out, took) = (out.display(), started.elapsed().as_secs_f64());
    print_stdout(format_args!("{out}: {} in {took:.2} s", generated.join(", ")));
    Ok(Outcome::Done)
}

impl Plan {
    fn new(
        arguments: &Arguments,
        document: &Document,
        config: &Config,
        file: Option<&SettingsFile>,
    ) -> Result<Self, Failure> {
        let path = file.map(|file| file.path.as_path());
        let missing = |what: &str, key: &str| {
            let file = path.unwrap_or(Path::new(config::FILE)).display();
            Failure::Usage(format!("missing {what}; pass `--{key}`, or set `{key}` in {file}"))
        };
        let out = arguments.out.clone().or(config.out.clone());
        let out = out.ok_or_else(|| missing("output folder", "out"))?;
        let name = arguments.name.clone().or(config.name.clone());
        let name = name.ok_or_else(|| missing("prefix for the names of the crates", "name"))?;
        check_name(&name)?;
        if config.runtime_path.is_some() && config.runtime.is_some() {
            return Err(Failure::Usage(
                "`runtime` and `runtime-path` contradict each other; remove one".to_owned(),
            ));
        }
        let set = config.runtime_path.as_ref().filter(|_| arguments.runtime.is_none());
        let folder = arguments.runtime_path.as_ref().or(set);
        let (runtime, copy) = match (folder, arguments.runtime.or(config.runtime)) {
            (Some(folder), _) => (existing_runtime(folder, &out)?, None),
            (None, Some(RuntimeKind::Published)) => (Runtime::Published, None),
            (None, Some(RuntimeKind::Copy) | None) => {
                let package = format!("{name}-runtime");
                let path = format!("../{}", runtime::FOLDER);
                (Runtime::Copy { package: package.clone(), path }, Some(package))
            }
        };
        let mut options = arguments
            .reading
            .apply(config, Options::new(&name, &document.source))
            .runtime(runtime)
            .dependencies(config::dependencies(config, path.unwrap_or(Path::new("")), &out)?);
        if !arguments.crates.is_empty() {
            options = options.crates(arguments.crates.iter().copied());
        }
        Ok(Self { options, out, copy })
    }
}

/// Fails if cargo or rustc would reject the name.
fn check_name(name: &str) -> Result<(), Failure> {
    let is_letter = |byte: u8| byte.is_ascii_lowercase();
    let rest = |byte: u8| is_letter(byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    if name.bytes().next().is_some_and(is_letter) && name.bytes().all(rest) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "invalid crate name `{name}-…`: a crate name contains only lower-case letters, digits, `-` and `_`, and starts \
         with a letter"
    )))
}

/// Returns the runtime in a folder, with its path relative to the generated crates.
fn existing_runtime(folder: &Path, out: &Path) -> Result<Runtime, Failure> {
    let manifest = Files::Disk.read(&folder.join("Cargo.toml"))?;
    let (folder_from_root, out_from_root) = (paths::absolute(folder)?, paths::absolute(out)?);
    if folder_from_root == out_from_root.join(runtime::FOLDER) {
        let folder = folder.display();
        let help = "omit `--runtime-path`, or move that copy to another folder";
        let reason = "is the folder for this command's own copy of the runtime";
        return Err(Failure::Usage(format!("`{folder}` {reason}; {help}")));
    }
    let path = paths::relative(&folder_from_root, &out_from_root.join("models"));
    match manifest.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')) {
        Some("openapi-crates-runtime") => Ok(Runtime::Path(path)),
        Some(name) if name.ends_with("-runtime") => Ok(Runtime::Copy { package: name.to_owned(), path }),
        _ => {
            let folder = folder.display();
            Err(Failure::Usage(format!("`{folder}` does not contain the runtime or a copy of it")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_crates() {
        for good in ["petstore", "pet-store", "a1_b"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", "1a", "Pets", "pet store", "-a", "ä"] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
