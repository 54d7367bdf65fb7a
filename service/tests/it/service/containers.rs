//! The Compose file and the manifests in `service/deploy`: what they name exists, and the manifests start a service.

use std::path::Path;
use std::process::{Child, Command};

use asset_service::cli::Arguments;
use asset_service::settings::Settings;
use clap::Parser as _;
use object_store::aws::AmazonS3ConfigKey;
use serde::Deserialize as _;
use serde_json::Value;
use tempfile::TempDir;

use super::deploy::{file, variables};
use super::http_client;
use super::ports::free_address;
use super::running::{Database, binary};
use super::waiting::eventually;
use crate::files::s3::S3;

/// Returns the documents of a YAML file.
fn documents(name: &str) -> Vec<Value> {
    let text = file(name);
    serde_yaml::Deserializer::from_str(&text).map(|document| Value::deserialize(document).unwrap()).collect()
}

/// The manifests, and the containers in them.
struct Manifests(Vec<Value>);

impl Manifests {
    fn read() -> Self {
        let names = ["kubernetes/secret.yaml", "kubernetes/asset-service.yaml"];
        Self(names.into_iter().flat_map(documents).collect())
    }

    fn of(&self, kind: &str) -> &Value {
        self.0.iter().find(|manifest| manifest["kind"] == kind).unwrap()
    }

    fn pod(&self) -> &Value {
        &self.of("Deployment")["spec"]["template"]["spec"]
    }

    /// Returns the container that migrates, and the one that serves.
    fn containers(&self) -> [&Value; 2] {
        [&self.pod()["initContainers"][0], &self.pod()["containers"][0]]
    }

    fn settings(&self) -> &str {
        self.of("ConfigMap")["data"]["asset-service.toml"].as_str().unwrap()
    }

    /// Returns the variables of a container, those of the secret included.
    fn environment(&self, container: &Value) -> Vec<(String, String)> {
        let own = items(&container["env"]).map(|one| (text(&one["name"]), text(&one["value"])));
        let secret = self.of("Secret");
        assert_eq!(container["envFrom"][0]["secretRef"]["name"], secret["metadata"]["name"]);
        let secrets = secret["stringData"].as_object().unwrap();
        own.chain(secrets.iter().map(|(name, value)| (name.clone(), text(value)))).collect()
    }
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().unwrap().iter()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a string")).to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    items(value).map(text).collect()
}

/// Returns the values of an instruction of the image.
fn image(instruction: &str) -> Vec<String> {
    let image = file("Containerfile");
    let values = image.lines().filter_map(|line| line.strip_prefix(instruction)?.strip_prefix(' '));
    values.flat_map(str::split_whitespace).map(ToOwned::to_owned).collect()
}

/// Checks that the command line is one of the service.
fn check_arguments(arguments: Vec<String>) {
    let all = ["asset-service".to_owned()].into_iter().chain(arguments);
    if let Err(error) = Arguments::try_parse_from(all) {
        panic!("{error}");
    }
}

/// Checks that the service reads each variable.
fn check_variables<'n>(names: impl Iterator<Item = &'n str>) {
    let known = variables();
    for name in names {
        let is_of_bucket = || name.to_ascii_lowercase().parse::<AmazonS3ConfigKey>().is_ok();
        assert!(known.iter().any(|known| known == name) || is_of_bucket(), "{name}");
    }
}

/// Returns the seconds that a supervisor has to wait, by these settings.
fn seconds_to_stop(settings: &Settings) -> u64 {
    settings.drain_seconds.unwrap_or(5) + 2 * settings.shutdown_seconds.unwrap_or(10) + 50
}

#[test]
fn commands_in_comments_are_understood() {
    for name in ["Containerfile", "compose.yaml", "kubernetes/asset-service.yaml"] {
        let text = file(name);
        let shown = text.lines().filter_map(|line| line.strip_prefix("#   ")?.split_once(" asset-service "));
        // The name of an image has no arguments.
        let commands: Vec<&str> = shown.map(|(_, arguments)| arguments).filter(|rest| *rest != ".").collect();
        assert!(!commands.is_empty(), "{name}");
        commands.iter().for_each(|rest| check_arguments(rest.split(' ').map(ToOwned::to_owned).collect()));
    }
}

#[test]
fn the_compose_file_names_what_exists() {
    let compose = documents("compose.yaml").remove(0);
    // The field `<<` merges mappings.
    let merged = |value: &Value| {
        let mut all = value["<<"].as_object().cloned().unwrap_or_default();
        all.extend(value.as_object().unwrap().clone());
        all.remove("<<");
        Value::Object(all)
    };
    for name in ["api", "worker"] {
        let service = merged(&compose["services"][name]);
        check_arguments(texts(&service["command"]));
        check_variables(merged(&service["environment"]).as_object().unwrap().keys().map(String::as_str));
        let context =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(text(&service["build"]["context"]));
        assert!(context.join(text(&service["build"]["dockerfile"])).is_file());
        assert_eq!((&service["read_only"], &service["image"]), (&true.into(), &"asset-service".into()));
        let grace = text(&service["stop_grace_period"]);
        let grace: u64 = grace.strip_suffix('s').unwrap().parse().unwrap();
        assert!(grace >= seconds_to_stop(&Settings::default()));
        for needed in service["depends_on"].as_object().unwrap().keys() {
            assert!(compose["services"][needed]["healthcheck"].is_object(), "{needed}");
        }
        for port in service["ports"].as_array().into_iter().flatten().map(text) {
            assert!(image("EXPOSE").contains(&port.rsplit(':').next().unwrap().to_owned()), "{port}");
        }
    }
    assert!(file("Containerfile").contains("-t asset-service "));
    let used = items(&compose["services"]["database"]["volumes"])
        .chain(items(&compose["services"]["bucket"]["volumes"]));
    for volume in used.map(text) {
        assert!(
            compose["volumes"].as_object().unwrap().contains_key(volume.split(':').next().unwrap()),
            "{volume}"
        );
    }
}

#[test]
fn the_manifests_name_what_exists() {
    let manifests = Manifests::read();
    let deployment = manifests.of("Deployment");
    let labels = &deployment["spec"]["template"]["metadata"]["labels"];
    assert_eq!(&deployment["spec"]["selector"]["matchLabels"], labels);
    assert_eq!(&manifests.of("Service")["spec"]["selector"], labels);
    assert_eq!(&manifests.of("PodDisruptionBudget")["spec"]["selector"]["matchLabels"], labels);
    let settings = Settings::parse(Path::new("asset-service.toml"), manifests.settings()).unwrap();
    assert!(manifests.pod()["terminationGracePeriodSeconds"].as_u64().unwrap() >= seconds_to_stop(&settings));
    assert_eq!(vec![manifests.pod()["securityContext"]["runAsUser"].to_string()], image("USER"));
    for container in manifests.containers() {
        check_arguments(texts(&container["args"]));
        let environment = manifests.environment(container);
        check_variables(environment.iter().map(|(name, _)| name.as_str()));
        let version = concat!("/asset-service:", env!("CARGO_PKG_VERSION"));
        assert!(text(&container["image"]).ends_with(version), "{version}");
        let confined = &container["securityContext"];
        assert_eq!(confined["readOnlyRootFilesystem"], true);
        let mounts: Vec<_> = items(&container["volumeMounts"]).collect();
        let mounted =
            |path: &str| mounts.iter().find(|mount| mount["mountPath"] == path).unwrap()["name"].clone();
        let volume =
            |name: &Value| items(&manifests.pod()["volumes"]).find(|one| &one["name"] == name).unwrap();
        let (_, config) = environment.iter().find(|(name, _)| name == "ASSET_SERVICE_CONFIG").unwrap();
        let (folder, name) = config.rsplit_once('/').unwrap();
        assert_eq!(
            volume(&mounted(folder))["configMap"]["name"],
            manifests.of("ConfigMap")["metadata"]["name"]
        );
        assert!(manifests.of("ConfigMap")["data"][name].is_string());
        // The service writes to its data folder only.
        let data = image("ENV")
            .into_iter()
            .find_map(|one| Some(one.strip_prefix("ASSET_SERVICE_DATA_DIR=")?.to_owned()));
        assert!(volume(&mounted(&data.unwrap()))["emptyDir"].is_object());
    }
    let [_, container] = manifests.containers();
    let ports: Vec<String> =
        items(&container["ports"]).map(|port| port["containerPort"].to_string()).collect();
    assert_eq!(ports, image("EXPOSE"));
    let is_port = |port: &Value| items(&container["ports"]).any(|one| &one["name"] == port);
    assert!(items(&manifests.of("Service")["spec"]["ports"]).all(|port| is_port(&port["targetPort"])));
    for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
        assert!(is_port(&container[probe]["httpGet"]["port"]), "{probe}");
    }
}

/// A process that is killed on drop.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_manifests_start_a_service() {
    let Some(database) = Database::Postgres.setting().await else { return };
    let database = database.split('"').nth(1).unwrap();
    let (manifests, server, data) = (Manifests::read(), S3::start().await, tempfile::tempdir().unwrap());
    let config = data.path().join("settings.toml");
    std::fs::write(&config, manifests.settings()).unwrap();
    let (api, admin) = (free_address().to_string(), free_address().to_string());
    let command = |container: &Value| -> Command {
        let mut command = binary();
        command.args(texts(&container["args"])).envs(manifests.environment(container));
        command.envs(server.environment()).env("ASSET_SERVICE_DATABASE_URL", database);
        command.env("ASSET_SERVICE_CONFIG", &config).env("ASSET_SERVICE_DATA_DIR", data.path().join("data"));
        command.env("ASSET_SERVICE_LISTEN", &api).env("ASSET_SERVICE_ADMIN_LISTEN", &admin);
        command
    };
    let [migrates, serves] = manifests.containers();
    assert!(command(migrates).status().unwrap().success());
    let _process = Process(command(serves).spawn().unwrap());
    for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
        let url = format!("http://{admin}{}", text(&serves[probe]["httpGet"]["path"]));
        let works = async || http_client::get(&url).await.ok().filter(|response| response.status() == 200);
        eventually(probe, works).await;
    }
    assert_eq!(server.objects("assets-production/service/").len(), 1);
}

/// Runs a program and returns what it prints.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Images in a folder of their own, made without a daemon.
struct Images(TempDir);

impl Images {
    fn buildah(&self, arguments: &[&str]) -> Command {
        let mut buildah = Command::new("buildah");
        buildah.args(["--storage-driver", "vfs", "--root"]).arg(self.0.path().join("images"));
        buildah.arg("--runroot").arg(self.0.path().join("run")).args(arguments);
        buildah
    }

    /// Builds an image of these lines. Its context, and its stage `build`, is a folder.
    fn build(&self, name: &str, lines: &str, folder: &Path) {
        let file = self.0.path().join("Containerfile");
        std::fs::write(&file, lines).unwrap();
        let stage = format!("build={}", folder.display());
        let mut build =
            self.buildah(&["build", "--isolation", "chroot", "--build-context", &stage, "-t", name, "-f"]);
        output(build.arg(file).arg(folder));
    }

    /// Makes the base of the image available: that of the registry, or else one of Debian's packages.
    fn base(&self, name: &str) {
        let whole = format!("docker.io/library/{name}");
        if self.buildah(&["pull", &whole]).output().unwrap().status.success() {
            return;
        }
        let root = self.0.path().join("root.tar");
        let release = name.split([':', '-']).nth(1).unwrap();
        output(Command::new("mmdebstrap").args(["--variant=minbase", release]).arg(&root));
        self.build(&whole, "FROM scratch\nADD root.tar /\n", self.0.path());
    }
}

/// Builds the last stage of the image with the tests' program, and runs it with a root file system that can't be written.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs root, buildah, mmdebstrap, and minutes"]
async fn the_image_serves() {
    let images = Images(tempfile::tempdir().unwrap());
    let built = images.0.path().join("stage");
    std::fs::create_dir_all(built.join("source/target/release")).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_asset-service"), built.join("source/target/release/asset-service"))
        .unwrap();
    let whole = file("Containerfile");
    let last = &whole[whole.rfind("\nFROM ").unwrap() + 1..];
    images.base(last.lines().next().unwrap().strip_prefix("FROM ").unwrap());
    images.build("asset-service", last, &built);
    let inspected = output(&mut images.buildah(&["inspect", "--type", "image", "asset-service"]));
    let config = &serde_json::from_str::<Value>(&inspected).unwrap()["OCIv1"]["config"];
    let container = output(&mut images.buildah(&["from", "asset-service"]));
    let root = output(&mut images.buildah(&["mount", &container]));
    let (user, admin) = (text(&config["User"]), free_address().to_string());
    let script = format!(
        "mount --bind {root} {root} && mount --bind /proc {root}/proc &&
         mount -t tmpfs -o mode=0700,uid={user},gid={user} data {root}/data && mount -o remount,bind,ro {root} &&
         exec chroot --userspec={user}:{user} {root} env --ignore-environment \"$@\""
    );
    let mut run = Command::new("unshare");
    run.args(["--mount", "sh", "-c", &script, "sh"]).args(texts(&config["Env"]));
    run.args(["ASSET_SERVICE_LISTEN=127.0.0.1:0", &format!("ASSET_SERVICE_ADMIN_LISTEN={admin}")]);
    run.args(texts(&config["Entrypoint"])).args(texts(&config["Cmd"]));
    let mut process = Process(run.spawn().unwrap());
    let url = format!("http://{admin}/readyz");
    let ready = async || http_client::get(&url).await.ok().filter(|response| response.status() == 200);
    eventually("the image does not serve", ready).await;
    let id = process.0.id().to_string();
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    assert!(status.contains(&format!("Uid:\t{user}\t{user}\t{user}")), "{status}");
    output(Command::new("kill").args(["-s", text(&config["StopSignal"]).trim_start_matches("SIG"), &id]));
    assert!(process.0.wait().unwrap().success());
}
