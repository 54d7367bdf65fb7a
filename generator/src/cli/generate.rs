//! `openapi-crates generate`: a document becomes a workspace.

use std::{
    fs,
    path::{Component, Path, PathBuf},
    time::Instant,
};

use clap::builder::PossibleValuesParser;
use openapi_crates::{CrateKind, FileTree, Generated, Options, Runtime, Strictness, generate_watched};

use super::{
    Failure, Outcome, count, findings, input::Input, output, progress::Progress, runtime, say, tell,
    workspace,
};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  openapi-crates generate petstore.yaml --out petstore --name petstore
      writes petstore/{models,validation,server,client,runtime} and a workspace around them

  openapi-crates generate petstore.yaml --out petstore --name petstore --crates models
      types alone, with no HTTP dependency

  openapi-crates generate petstore.yaml --out petstore --name petstore --check
      for CI: writes nothing, lists the files that are out of date, exits with 1 if there are any

A folder that holds other things is refused. In one that this command wrote, it replaces and removes what it wrote, and
leaves alone what it did not.")]
pub struct Arguments {
    /// The document, JSON or YAML; `-` or nothing is standard input
    spec: Option<PathBuf>,
    /// The folder of the workspace
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// What the names of the crates begin with: `petstore` gives `petstore-models` and so on
    #[arg(long, value_name = "NAME", value_parser = crate_name)]
    name: String,
    /// The crates that are wanted; those that they need come along
    #[arg(long, value_name = "CRATES", value_delimiter = ',', value_parser = crate_kinds())]
    crates: Vec<CrateKind>,
    /// Use the runtime in this folder, rather than a copy beside the crates
    #[arg(long, value_name = "DIR")]
    runtime_path: Option<PathBuf>,
    /// Write nothing; list the files that are stale, missing or left over, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
    /// Refuse a document that has any mistake, or anything that generated code can't express
    #[arg(long)]
    strict: bool,
    /// Show every warning, not only the first few of each kind
    #[arg(long)]
    all_warnings: bool,
}

/// A name that cargo and rustc take.
fn crate_name(name: &str) -> Result<String, String> {
    let is_letter = |byte: u8| byte.is_ascii_lowercase();
    let rest = |byte: u8| is_letter(byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    if name.bytes().next().is_some_and(is_letter) && name.bytes().all(rest) {
        return Ok(name.to_owned());
    }
    Err("a crate's name has lower-case letters, digits, `-` and `_`, and begins with a letter".to_owned())
}

fn crate_kinds() -> impl clap::builder::TypedValueParser<Value = CrateKind> {
    use clap::builder::TypedValueParser;
    PossibleValuesParser::new(CrateKind::ALL.map(CrateKind::folder))
        .try_map(|name| CrateKind::from_name(&name).ok_or("there is no such crate"))
}

pub fn run(arguments: &Arguments) -> Result<Outcome, Failure> {
    let started = Instant::now();
    let input = Input::read(arguments.spec.as_deref())?;
    let options = options(arguments, &input)?;
    let copy = arguments.runtime_path.is_none();
    tell_implied(arguments, &options);
    let Generated { files, report, operations } = {
        let progress = Progress::start(&input.name);
        generate_watched(&input.name, &input.text, &options, &|stage| progress.enter(stage))?
    };
    findings::tell_some(&report, arguments.all_warnings);
    let Some(files) = files else {
        tell(format_args!("{}: {}; nothing was generated", input.name, report.summary()));
        return Ok(Outcome::Findings);
    };
    let generated = [
        count(options.all_crates().len(), "crate"),
        count(files.iter().len(), "file"),
        count(files.iter().map(|(_, text)| text.lines().count()).sum(), "line"),
        count(operations, "operation"),
        count(report.summary().warnings, "warning"),
    ];
    let files = with_workspace(files, &options, copy);
    if arguments.check {
        return output::check(&files, &arguments.out, &input.source);
    }
    let own: Vec<&Path> = arguments.spec.as_deref().into_iter().collect();
    output::write(&files, &arguments.out, &own)?;
    let (out, took) = (arguments.out.display(), started.elapsed().as_secs_f64());
    say(format_args!("{out}: {} in {took:.2} s", generated.join(", ")));
    Ok(Outcome::Done)
}

fn options(arguments: &Arguments, input: &Input) -> Result<Options, Failure> {
    let mut options = Options::new(&arguments.name, &input.source);
    options.strictness = if arguments.strict { Strictness::Strict } else { Strictness::Lenient };
    if !arguments.crates.is_empty() {
        options.crates = arguments.crates.iter().copied().collect();
    }
    options.runtime = match &arguments.runtime_path {
        Some(folder) => existing_runtime(folder, &arguments.out)?,
        None => Runtime::Copy {
            package: format!("{}-runtime", arguments.name),
            path: format!("../{}", runtime::FOLDER),
        },
    };
    Ok(options)
}

/// Says which crates come along unasked.
fn tell_implied(arguments: &Arguments, options: &Options) {
    let implied: Vec<&str> =
        options.all_crates().difference(&options.crates).map(|kind| kind.folder()).collect();
    if !implied.is_empty() {
        let wanted: Vec<&str> = arguments.crates.iter().map(|kind| kind.folder()).collect();
        tell(format_args!(
            "note: {} needs {}, so that comes along",
            wanted.join(", "),
            implied.join(" and ")
        ));
    }
}

/// The generated crates and what makes a workspace of them.
fn with_workspace(mut files: FileTree, options: &Options, copy: bool) -> FileTree {
    if let (true, Runtime::Copy { package, .. }) = (copy, &options.runtime) {
        files.merge(runtime::copy(package, &options.header()));
    }
    files.merge(workspace::manifest(options, copy));
    files
}

/// The runtime in a folder, as the generated crates see it.
fn existing_runtime(folder: &Path, out: &Path) -> Result<Runtime, Failure> {
    let read = |path: &Path| {
        fs::read_to_string(path).map_err(|source| Failure::Read { path: path.to_owned(), source })
    };
    let manifest = read(&folder.join("Cargo.toml"))?;
    let absolute = |path: &Path| {
        std::path::absolute(path)
            .map(|path| lexical(&path))
            .map_err(|source| Failure::Read { path: path.to_owned(), source })
    };
    let (folder_from_root, out_from_root) = (absolute(folder)?, absolute(out)?);
    if folder_from_root == out_from_root.join(runtime::FOLDER) {
        let folder = folder.display();
        let help = "leave --runtime-path out, or move the copy somewhere else";
        return Err(Failure::Usage(format!("`{folder}` is where this command puts its own copy; {help}.")));
    }
    let path = relative(&folder_from_root, &out_from_root.join("models"));
    match manifest.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')) {
        Some("openapi-crates-runtime") => Ok(Runtime::Path(path)),
        Some(name) if name.ends_with("-runtime") => Ok(Runtime::Copy { package: name.to_owned(), path }),
        _ => {
            let folder = folder.display();
            Err(Failure::Usage(format!("`{folder}` does not hold the runtime, or a copy of it.")))
        }
    }
}

/// An absolute path without `.` and `..`.
fn lexical(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => _ = result.pop(),
            Component::CurDir => {}
            component => result.push(component),
        }
    }
    result
}

/// The way from a folder to a path, with `/`; both are absolute.
fn relative(path: &Path, from: &Path) -> String {
    let common = path.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| "..".to_owned());
    let down = path.components().skip(common).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_crates() {
        for good in ["petstore", "pet-store", "a1_b"] {
            assert_eq!(crate_name(good).as_deref(), Ok(good));
        }
        for bad in ["", "1a", "Pets", "pet store", "-a", "ä"] {
            assert!(crate_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn ways_from_folder_to_folder() {
        assert_eq!(relative(Path::new("/a/b/rt"), Path::new("/a/out/models")), "../../b/rt");
        assert_eq!(lexical(Path::new("/a/./b/../c")), Path::new("/a/c"));
    }
}
