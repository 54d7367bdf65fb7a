//! An instance with an engine for every family: simulated ones, or real ones in place of some.

use std::collections::BTreeSet;
use std::path::Path;

use asset_service::engine::family;
use asset_service::media::format::Kind;
use simulated_providers::{Medium, Provider, Providers};
use tempfile::TempDir;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use toml::{Table, Value as Toml};

use super::super::model_servers::Model;
use super::super::outside::{Outside, PICTURE, SOUND};
use super::super::running::{Running, binary};

/// The mappings of this repository, their provider, and the families that they serve here; by default all.
const MAPPINGS: [(&str, Provider, &[&str]); 3] = [
    (include_str!("../../../../assets/engines/models/fal.toml"), Provider::Fal, &[]),
    (
        include_str!("../../../../assets/engines/models/replicate.toml"),
        Provider::Replicate,
        &["lip-sync", "video-std", "image-preview", "text-to-image-kontext-pro"],
    ),
    (include_str!("../../../../assets/engines/models/piper.toml"), Provider::Piper, &[]),
];

/// The outputs of models that generate no videos, by a part of their names.
const MAKES: [(&str, Medium); 9] = [
    ("gemini-3-pro-image", Medium::Picture),
    ("nano-banana", Medium::Picture),
    ("flux", Medium::Picture),
    ("ideogram", Medium::Picture),
    ("image-apps", Medium::Picture),
    ("qwen-image", Medium::Picture),
    ("upscale/image", Medium::Picture),
    ("sound-effects", Medium::Sound),
    ("tts", Medium::Sound),
];

/// The keys of the providers, as the mappings read them.
const KEYS: [(&str, &str); 2] = [("FAL_KEY", "key-of-fal"), ("REPLICATE_API_TOKEN", "key-of-replicate")];

/// Limits that the test does not reach.
const UNLIMITED: &str = "tiers.default = { burst = 100000, per-second = 100000.0 }";

/// A running instance, and what it calls.
pub struct Instance {
    pub running: Running,
    /// Other processes that share the database and the bucket of `running`.
    others: Vec<Running>,
    pub outside: Outside,
    /// The names of the engines that are real.
    pub real: BTreeSet<String>,
    _providers: Providers,
    folder: TempDir,
}

impl Instance {
    /// Starts an instance. `own` has settings of its own, such as real engines; programs of this machine serve the
    /// families `local`.
    pub async fn start(own: Table, local: &[&str], environment: &[(&str, &str)]) -> Self {
        let (outside, providers) = (Outside::start().await, Providers::start().await.unwrap());
        MAKES.into_iter().for_each(|(model, medium)| providers.makes(model, medium));
        let folder = tempfile::tempdir().unwrap();
        let mut settings = toml::from_str(UNLIMITED).unwrap();
        for (mapping, provider, families) in MAPPINGS {
            merge(&mut settings, mapped(mapping, &providers.url(provider), families));
        }
        merge(&mut settings, others(&providers, &Model::default().start().await));
        attach_rest(&mut settings, folder.path());
        let names =
            |table: &Table| table.get("engines").and_then(Toml::as_table).cloned().unwrap_or_default();
        let mut real_names: BTreeSet<String> = names(&own).into_iter().map(|(name, _)| name).collect();
        merge(&mut settings, own);
        let families = settings["families"].as_table_mut().unwrap();
        local.iter().for_each(|family| drop(families.remove(*family)));
        if local.is_empty() {
            settings.insert("local-programs".to_owned(), false.into());
        } else {
            real_names.insert("ffmpeg".to_owned());
        }
        let environment = [&KEYS, environment].concat();
        let running = Running::start_here(&toml::to_string(&settings).unwrap(), &[], &environment);
        import(&running, folder.path(), &environment);
        Self { running, others: Vec::new(), outside, real: real_names, _providers: providers, folder }
    }

    /// Starts such an instance of three processes with separate folders, which get the requests in turns.
    pub async fn start_three(own: Table, environment: &[(&str, &str)]) -> Self {
        let mut instance = Self::start(own, &[], environment).await;
        let mut urls = vec![instance.running.url.clone()];
        for name in ["second", "third"] {
            let data = instance.folder.path().join(name);
            std::fs::create_dir(&data).unwrap();
            let settings = "asset-service.toml";
            std::fs::copy(instance.running.data().join(settings), data.join(settings)).unwrap();
            let other = instance.running.start_on(&data, &[&KEYS, environment].concat());
            urls.push(other.url.clone());
            instance.others.push(other);
        }
        instance.running.url = round_robin(urls).await;
        instance
    }
}

/// Imports an icon, a picture, a piece of music and a sound effect.
fn import(running: &Running, folder: &Path, environment: &[(&str, &str)]) {
    let icons = r#"{"prefix": "lucide", "icons": {"house": {"body": "<path d='M3 21V9l9-7l9 7v12z'/>"}}, "width": 24, "height": 24}"#;
    let info = r#"{"prefix": "lucide", "name": "Lucide", "total": 1, "author": {"name": "A"}, "license": {"title": "ISC"}}"#;
    for (what, file, content) in [
        ("icons", "icons/info.json", info.as_bytes()),
        ("icons", "icons/icons.json", icons.as_bytes()),
        ("resources", "resources/coffee.jpg", PICTURE),
        ("music", "music/bells.wav", &SOUND),
        ("sfx", "sfx/wind/cold.wav", &SOUND),
    ] {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        if file != "icons/info.json" {
            let mut import = binary();
            import.args(["import", what]).arg(folder.join(what)).arg("--data-dir").arg(running.data());
            let done = import.envs(environment.iter().copied()).output().unwrap();
            assert!(done.status.success(), "{what}: {}", String::from_utf8_lossy(&done.stderr));
        }
    }
}

/// Returns the settings of a mapping for a simulated provider.
fn mapped(mapping: &str, url: &str, families: &[&str]) -> Table {
    let mut mapping: Table = toml::from_str(mapping).unwrap();
    for (_, engine) in mapping["engines"].as_table_mut().unwrap() {
        let engine = engine.as_table_mut().unwrap();
        engine.insert("base-url".to_owned(), url.into());
        engine.insert("poll-seconds".to_owned(), 0.02.into());
    }
    if !families.is_empty() {
        mapping["families"].as_table_mut().unwrap().retain(|name, _| families.contains(&name));
    }
    mapping
}

/// Returns the settings of engines besides the mappings, and of the families that are to have a certain one.
fn others(providers: &Providers, chat: &str) -> Table {
    let comfyui = providers.url(Provider::ComfyUi);
    let settings = format!(
        r#"
        [engines.comfyui]
        kind = "http"
        preset = "comfyui"
        base-url = "{comfyui}"
        poll-seconds = 0.02

        [families.skin-enhancer]
        engine = "comfyui"
        input.1 = {{ class_type = "LoadImage", inputs = {{ image = "{{{{ media.image }}}}" }} }}
        input.9 = {{ class_type = "SaveImage", inputs = {{ images = ["1", 0] }} }}

        [families.imagegen]
        engine = "comfyui"
        input.1 = {{ class_type = "Prompt", inputs = {{ text = "{{{{ request.prompt }}}}", loras = "{{{{ request.loras }}}}" }} }}
        input.9 = {{ class_type = "SaveImage", inputs = {{ images = ["1", 0] }} }}
        loras = [
            {{ id = 1, name = "watercolor", type = "style", preview = "https://example.com/1.png" }},
            {{ id = 12, name = "keeper", type = "character", preview = "https://example.com/2.png" }},
        ]

        [engines.chat]
        kind = "openai"
        base-url = "{chat}"

        [engines.copier]
        kind = "command"
        program = "cp"
        "#
    );
    toml::from_str(&settings).unwrap()
}

/// Attaches an engine to each family that has none: a program that copies a file, or a chat model for texts.
fn attach_rest(settings: &mut Table, folder: &Path) {
    let copied = |content: &[u8], file: &str| {
        let path = folder.join(file);
        std::fs::write(&path, content).unwrap();
        format!("engine = 'copier'\noutput = {file:?}\nargs = [{path:?}, '{{{{ output }}}}']")
    };
    let families = settings["families"].as_table_mut().unwrap();
    for family in family::ALL.iter().filter(|family| family.name != family::APP_RUNS.name) {
        families.entry(family.name).or_insert_with(|| {
            let attached = match family.makes {
                Some(Kind::Image) => copied(Medium::Picture.bytes(), "picture.png"),
                Some(Kind::Audio) => copied(Medium::Sound.bytes(), "sound.wav"),
                Some(Kind::Video) => copied(Medium::Film.bytes(), "video.mp4"),
                // The kind `openai` knows which messages make the texts of these families.
                None if family.engine.is_some() => "engine = 'chat'\nmodel = 'tiny'".to_owned(),
                None => copied(b"A text.", "text.txt"),
            };
            toml::from_str::<Table>(&attached).unwrap().into()
        });
    }
}

/// Overrides settings with others: engines and families one by one.
fn merge(settings: &mut Table, over: Table) {
    for (name, value) in over {
        match (settings.get_mut(&name).and_then(Toml::as_table_mut), value) {
            (Some(into), Toml::Table(tables)) => into.extend(tables),
            (_, value) => drop(settings.insert(name, value)),
        }
    }
}

/// Returns an address whose connections lead to these servers in turns, until the runtime ends.
async fn round_robin(urls: Vec<String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        for url in urls.iter().cycle() {
            let (mut client, _) = listener.accept().await.unwrap();
            let server = url.strip_prefix("http://").unwrap().to_owned();
            tokio::spawn(async move {
                let mut server = TcpStream::connect(server).await.unwrap();
                let _ = copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    address
}
