//! `openapi-crates generate`: a document becomes a workspace.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use clap::builder::PossibleValuesParser;
use openapi_crates::{CrateKind, FileTree, Generated, Options, Runtime, Strictness, Unfit, generate_from};

use super::{
    Failure, Outcome,
    config::{self, Config},
    count, findings,
    input::Document,
    output, paths,
    progress::Progress,
    runtime, say, tell, workspace,
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

  openapi-crates generate petstore.yaml
      with `out`, `name` and more in openapi-crates.toml beside the document (see docs/settings.md)

A folder that holds other things is refused. In one that this command wrote, it replaces and removes what it wrote, and
leaves alone what it did not.")]
pub struct Arguments {
    /// The document, JSON or YAML; `-` or nothing is standard input
    spec: Option<PathBuf>,
    /// The folder of the workspace
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// What the names of the crates begin with: `petstore` gives `petstore-models` and so on
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The crates that are wanted, all by default; those that they need come along
    #[arg(long, value_name = "CRATES", value_delimiter = ',', value_parser = crate_kinds())]
    crates: Vec<CrateKind>,
    /// Use the runtime in this folder, rather than a copy beside the crates
    #[arg(long, value_name = "DIR")]
    runtime_path: Option<PathBuf>,
    /// Settings; by default `openapi-crates.toml` beside the document. Arguments override them
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
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

fn crate_kinds() -> impl clap::builder::TypedValueParser<Value = CrateKind> {
    use clap::builder::TypedValueParser;
    PossibleValuesParser::new(CrateKind::ALL.map(CrateKind::folder))
        .try_map(|name| CrateKind::from_name(&name).ok_or("there is no such crate"))
}

/// What was decided, by arguments and settings.
struct Plan {
    options: Options,
    out: PathBuf,
    /// Whether a copy of the runtime is written.
    copies_runtime: bool,
    /// Whether the crates get a workspace of their own.
    workspace: bool,
    /// Files that may lie in the folder of the output.
    own: Vec<PathBuf>,
    /// The settings, and the file that they stand in.
    settings: Option<(Config, config::File)>,
}

pub fn run(arguments: &Arguments) -> Result<Outcome, Failure> {
    let started = Instant::now();
    let document = Document::read(arguments.spec.as_deref())?;
    let plan = Plan::new(arguments, &document)?;
    let options = &plan.options;
    tell_implied(options);
    let Generated { files, report, unfit, operations } = {
        let progress = Progress::start(&document.name);
        generate_from(&document.input(), options, &|stage| progress.enter(stage))?
    };
    let idle = plan.tell_unfit(&unfit)?;
    findings::tell_some(&report, arguments.all_warnings);
    let Some(files) = files else {
        tell(format_args!("{}: {}; nothing was generated", document.name, report.summary()));
        return Ok(Outcome::Findings);
    };
    let number = count(files.iter().len(), "file");
    let generated = [
        count(options.all_crates().len(), "crate"),
        number.clone(),
        count(files.iter().map(|(_, text)| text.lines().count()).sum(), "line"),
        count(operations, "operation"),
        count(report.summary().warnings + idle, "warning"),
    ];
    let files = plan.with_workspace(files);
    if arguments.check {
        return output::check(&files, &number, &plan.out, &document.source);
    }
    output::write(&files, &plan.out, &plan.own)?;
    let (out, took) = (plan.out.display(), started.elapsed().as_secs_f64());
    say(format_args!("{out}: {} in {took:.2} s", generated.join(", ")));
    Ok(Outcome::Done)
}

impl Plan {
    fn new(arguments: &Arguments, document: &Document) -> Result<Self, Failure> {
        let (config, file) = Config::find(arguments.config.as_deref(), arguments.spec.as_deref())?;
        let missing = |what: &str, key: &str| {
            let file = file.as_ref().map_or(Path::new(config::FILE), |file| &file.path).display();
            Failure::Usage(format!("Give {what}, by `--{key}` or by `{key}` in {file}."))
        };
        let out = arguments.out.clone().or(config.out.clone());
        let out = out.ok_or_else(|| missing("the folder of the output", "out"))?;
        let name = arguments.name.clone().or(config.name.clone());
        let name = name.ok_or_else(|| missing("what the crates are called", "name"))?;
        check_name(&name)?;
        let mut options = Options::new(&name, &document.source);
        // The same document gives the same files, whatever its own file is called and wherever it comes from.
        options.source = None;
        options.strictness = if arguments.strict { Strictness::Strict } else { Strictness::Lenient };
        if let Some(crates) =
            [&arguments.crates, &config.crates].into_iter().find(|crates| !crates.is_empty())
        {
            options.crates = crates.iter().copied().collect();
        }
        let runtime = arguments.runtime_path.as_ref().or(config.runtime_path.as_ref());
        options.runtime = match runtime {
            Some(folder) => existing_runtime(folder, &out)?,
            None => {
                Runtime::Copy { package: format!("{name}-runtime"), path: format!("../{}", runtime::FOLDER) }
            }
        };
        let path = file.as_ref().map(|file| file.path.as_path());
        options.dependencies = config.dependencies(path.unwrap_or(Path::new("")), &out)?;
        let copies_runtime = runtime.is_none();
        let workspace = config.workspace.unwrap_or(true);
        options.grouping = config.modules;
        options.omit = config.omit.iter().map(|name| name.get_ref().clone()).collect();
        options.types =
            config.types.iter().map(|(format, path)| (format.get_ref().clone(), path.0.clone())).collect();
        options.derives = config.derives.iter().map(|path| path.get_ref().0.clone()).collect();
        let own = arguments.spec.as_deref().into_iter().chain(path).map(Path::to_owned).collect();
        let settings = file.map(|file| (config, file));
        Ok(Self { options, out, copies_runtime, workspace, own, settings })
    }

    /// Tells of settings without effect; gives how many there are, if none of them is an error.
    fn tell_unfit(&self, unfit: &[Unfit]) -> Result<usize, Failure> {
        let Some((config, file)) = &self.settings else { return Ok(0) };
        let (mut errors, mut warnings) = config.without_effect(file, unfit);
        if self.options.strictness == Strictness::Strict {
            errors.append(&mut warnings);
        }
        if !errors.is_empty() {
            return Err(config::ConfigError::from(errors).into());
        }
        for warning in &warnings {
            tell(format_args!("warning: {warning}"));
        }
        Ok(warnings.len())
    }

    /// The generated crates and what makes a workspace of them.
    fn with_workspace(&self, mut files: FileTree) -> FileTree {
        let Self { options, copies_runtime, .. } = self;
        if let (true, Runtime::Copy { package, .. }) = (copies_runtime, &options.runtime) {
            files.merge(runtime::copy(package, &options.header()));
        }
        if self.workspace {
            files.merge(workspace::manifest(options, *copies_runtime));
        }
        files
    }
}

/// Whether cargo and rustc take the name.
fn check_name(name: &str) -> Result<(), Failure> {
    let is_letter = |byte: u8| byte.is_ascii_lowercase();
    let rest = |byte: u8| is_letter(byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    if name.bytes().next().is_some_and(is_letter) && name.bytes().all(rest) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "Crates can't be called `{name}-…`: a crate's name has lower-case letters, digits, `-` and `_`, and begins with \
         a letter."
    )))
}

/// Says which crates come along unasked.
fn tell_implied(options: &Options) {
    let names = |kinds: Vec<&CrateKind>, and: &str| {
        kinds.into_iter().map(|kind| kind.folder()).collect::<Vec<_>>().join(and)
    };
    let all = options.all_crates();
    let implied: Vec<_> = all.difference(&options.crates).collect();
    if !implied.is_empty() {
        let wanted =
            names(options.crates.iter().filter(|kind| !kind.dependencies().is_empty()).collect(), " and ");
        let need = if wanted.contains(' ') { "need" } else { "needs" };
        let come = if implied.len() == 1 { "comes" } else { "come" };
        tell(format_args!("note: {wanted} {need} {}, which {come} along", names(implied, " and ")));
    }
}

/// The runtime in a folder, as the generated crates see it.
fn existing_runtime(folder: &Path, out: &Path) -> Result<Runtime, Failure> {
    let read = |path: &Path| {
        fs::read_to_string(path).map_err(|source| Failure::Read { path: path.to_owned(), source })
    };
    let manifest = read(&folder.join("Cargo.toml"))?;
    let (folder_from_root, out_from_root) = (paths::absolute(folder)?, paths::absolute(out)?);
    if folder_from_root == out_from_root.join(runtime::FOLDER) {
        let folder = folder.display();
        let help = "leave --runtime-path out, or move the copy somewhere else";
        return Err(Failure::Usage(format!("`{folder}` is where this command puts its own copy; {help}.")));
    }
    let path = paths::relative(&folder_from_root, &out_from_root.join("models"));
    match manifest.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')) {
        Some("openapi-crates-runtime") => Ok(Runtime::Path(path)),
        Some(name) if name.ends_with("-runtime") => Ok(Runtime::Copy { package: name.to_owned(), path }),
        _ => {
            let folder = folder.display();
            Err(Failure::Usage(format!("`{folder}` does not hold the runtime, or a copy of it.")))
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
