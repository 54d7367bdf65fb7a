//! The API families of AI tasks: names, paths and default engines.

use asset_api_validation::OPERATIONS;

use crate::families::task_families;
use crate::media::format::Kind;

/// The default model of every family with models.
pub const STANDARD: &str = "standard";

/// An API family: the tasks that one path lists.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    /// The name of the family in the settings.
    pub name: &'static str,
    /// The path that lists the tasks; `{model}` stands for the model's name.
    pub path: &'static str,
    /// The ids of the operations that create tasks.
    pub creates: &'static [&'static str],
    /// The built-in engine. `None`: none serves this family.
    pub engine: Option<&'static str>,
    /// The kind of the result; `None` for texts, and for the runs of apps.
    pub makes: Option<Kind>,
}

impl Family {
    /// Returns whether the path names a model.
    #[must_use]
    pub fn has_models(&self) -> bool {
        self.path.contains("{model}")
    }

    /// Returns the path that lists the tasks of a model.
    #[must_use]
    pub fn path_of(&self, model: Option<&str>) -> String {
        match model {
            Some(model) => self.path.replace("{model}", model),
            None => self.path.to_owned(),
        }
    }

    /// Returns the family with this name in the settings.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().copied().find(|family| family.name == name)
    }
}

macro_rules! declare {
    ($($tag:ident::$api:ident {$(
        $family:ident = $name:literal $model:tt, $result:ident $(, $engine:literal)? {
            $(create $create:ident($create_input:ident) $(by $work:ident)?;)*
            $(list $list:ident($list_input:ident) $(-> $list_response:ident)?;)?
            get $get:ident($get_input:ident) $(-> $get_response:ident)?;
            $(other $other:ident($other_input:ident) -> $other_response:ident by $method:ident;)*
        }
    )*})*) => {
        $($(#[doc = concat!("The tasks of `", stringify!($tag), "` that `", stringify!($get), "` returns.")]
        pub static $family: Family = Family {
            name: $name,
            path: tasks_path(stringify!($get)),
            creates: &[$(stringify!($create)),*],
            engine: [$($engine)?].first().copied(),
            makes: $result,
        };)*)*

        /// All families, in the order of the spec.
        pub static ALL: &[&Family] = &[$($(&$family,)*)* &APP_RUNS];
    };
}

const IMAGE: Option<Kind> = Some(Kind::Image);
const AUDIO: Option<Kind> = Some(Kind::Audio);
const VIDEO: Option<Kind> = Some(Kind::Video);
const TEXT: Option<Kind> = None;

task_families!(declare);

/// The runs of workflow apps.
pub static APP_RUNS: Family =
    Family { name: "app-runs", path: "/v1/ai/apps/runs", creates: &[], engine: None, makes: None };

/// Returns the path that lists the tasks, from the operation that returns one of them.
const fn tasks_path(get: &str) -> &'static str {
    const TASK: &str = "/{task-id}";
    let path = path_of(get);
    let (tasks, task) = path.split_at(path.len() - TASK.len());
    assert!(are_equal(task.as_bytes(), TASK.as_bytes()), "the path of a task must end in its id");
    tasks
}

/// Returns the path of an operation.
#[expect(clippy::panic, reason = "the compiler calls this")]
const fn path_of(id: &str) -> &'static str {
    let mut tags = OPERATIONS;
    while let [tag, other_tags @ ..] = tags {
        let mut operations = *tag;
        while let [operation, others @ ..] = operations {
            if are_equal(operation.id.as_bytes(), id.as_bytes()) {
                return operation.path;
            }
            operations = others;
        }
        tags = other_tags;
    }
    panic!("the document has no such operation")
}

const fn are_equal(mut one: &[u8], mut other: &[u8]) -> bool {
    while let ([a, rest @ ..], [b, other_rest @ ..]) = (one, other) {
        if *a != *b {
            return false;
        }
        (one, other) = (rest, other_rest);
    }
    one.is_empty() && other.is_empty()
}
