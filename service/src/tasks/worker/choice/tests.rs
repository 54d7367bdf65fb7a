use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const LONG_AGO: Duration = Duration::from_secs(1);

fn lane(kind: Kind, free: usize) -> Lane {
    let (last_start, sole_key, rest) = (Some(LONG_AGO), None, Duration::ZERO);
    Lane { kind, free, ahead: 0, last_start, sole_key, rest }
}

#[test]
fn a_state_of_the_lanes_has_one_choice() {
    let (threads, reserve, engine) =
        (|free| lane(Kind::Threads, free), |free| lane(Kind::Reserve, free), |free| lane(Kind::Engine, free));
    let key = || Arc::<str>::from("A");
    let flowing = Lane { last_start: Some(Duration::from_millis(3)), ..threads(0) };
    let of_one_key = Lane { sole_key: Some(key()), ..threads(0) };
    let resting = Lane { rest: Duration::from_millis(9), ..engine(3) };
    let soon = Some(CLAIM_AHEAD);
    let rows = [
        ("all is free", vec![threads(2), reserve(1)], vec![(0, 2, Select::Any)], None),
        (
            "tasks take less time than a claim",
            vec![Lane { ahead: 30, ..threads(1) }, reserve(1)],
            vec![(0, 31, Select::Any)],
            None,
        ),
        ("a thread becomes free soon", vec![Lane { ahead: 30, ..flowing }, reserve(1)], vec![], soon),
        ("the threads are full", vec![threads(0), reserve(1)], vec![(1, 1, Select::Quick)], None),
        ("the reserve is full, too", vec![threads(0), reserve(0)], vec![], None),
        (
            "a key has all threads",
            vec![of_one_key.clone(), reserve(1)],
            vec![(1, 1, Select::Quick), (0, 1, Select::OtherThan(key()))],
            None,
        ),
        ("a key has all", vec![of_one_key, reserve(0)], vec![(0, 1, Select::OtherThan(key()))], None),
        (
            "engines have room of their own",
            vec![threads(0), reserve(0), engine(4), engine(0)],
            vec![(2, 4, Select::Any)],
            None,
        ),
        (
            "an engine was empty a moment ago",
            vec![threads(1), reserve(1), resting],
            vec![(0, 1, Select::Any)],
            Some(Duration::from_millis(9)),
        ),
    ];
    let poll = Duration::from_secs(1);
    for (state, lanes, expected, wait) in rows {
        let expected = expected.into_iter().map(|(lane, limit, select)| Choice { lane, limit, select });
        assert_eq!(choose(&lanes), expected.collect::<Vec<_>>(), "{state}");
        assert_eq!(pause(&lanes, poll), wait.unwrap_or(poll), "{state}");
    }
}

/// How long a key may have all permits, and a task the reserve, in steps of the simulation.
const SOLE: usize = 10;
const LIMIT: usize = 160;

/// A step of the simulation.
const STEP: Duration = Duration::from_millis(50);

/// A task of the simulated queue. Its length is in steps; it may be longer than expected.
#[derive(Debug, Clone)]
struct Task {
    key: usize,
    arrives: usize,
    length: usize,
    is_quick: bool,
    first_start: Option<usize>,
    is_done: bool,
}

fn task() -> impl Strategy<Value = Task> {
    let new = |(key, arrives, length, is_quick)| Task {
        key,
        arrives,
        length,
        is_quick,
        first_start: None,
        is_done: false,
    };
    (0..3_usize, 0..400_usize, 1..300_usize, any::<bool>()).prop_map(new)
}

/// The queue, and the tasks that run: the lane, the task, and the step in which it began.
struct Simulation {
    threads: usize,
    tasks: Vec<Task>,
    running: Vec<(usize, usize, usize)>,
}

impl Simulation {
    fn on(&self, lane: usize) -> impl Iterator<Item = &(usize, usize, usize)> {
        self.running.iter().filter(move |(on, ..)| *on == lane)
    }

    /// Returns the key that has had all threads for a while.
    fn sole_key(&self, now: usize) -> Option<usize> {
        let key = self.tasks[self.on(0).next()?.1].key;
        let is_sole = self.on(0).all(|(_, task, since)| self.tasks[*task].key == key && now - since >= SOLE);
        (self.threads > 1 && self.on(0).count() == self.threads && is_sole).then_some(key)
    }

    fn lanes(&self, now: usize) -> Vec<Lane> {
        let last = |lane| self.on(lane).map(|(.., since)| STEP * (now - since) as u32).min();
        let sole_key = self.sole_key(now).map(|key| key.to_string().into());
        let threads = self.threads - self.on(0).count();
        vec![
            Lane { last_start: last(0), sole_key, ..lane(Kind::Threads, threads) },
            Lane { last_start: last(1), ..lane(Kind::Reserve, 1 - self.on(1).count()) },
        ]
    }

    /// Returns the waiting tasks of this selection as the store orders them: keys with the fewest tasks in progress first.
    fn waiting(&self, now: usize, select: &Select) -> Vec<usize> {
        let is_wanted = |id: usize, task: &Task| {
            let is_selected = match select {
                Select::Any => true,
                Select::Quick => task.is_quick,
                Select::OtherThan(key) => **key != *task.key.to_string(),
            };
            is_selected
                && !task.is_done
                && task.arrives <= now
                && self.running.iter().all(|(_, runs, _)| *runs != id)
        };
        let mut ids: Vec<usize> =
            (0..self.tasks.len()).filter(|id| is_wanted(*id, &self.tasks[*id])).collect();
        let of_key = |id: &usize| {
            self.running.iter().filter(|(_, runs, _)| self.tasks[*runs].key == self.tasks[*id].key).count()
        };
        ids.sort_by_key(of_key);
        ids
    }

    fn step(&mut self, now: usize) {
        let tasks = &mut self.tasks;
        self.running.retain(|(lane, id, since)| {
            let (task, age) = (&mut tasks[*id], now - since);
            task.is_done = age >= task.length;
            // A task that has the reserve for too long is not a quick one.
            let is_overdue = *lane == 1 && age >= LIMIT;
            task.is_quick &= !is_overdue;
            !task.is_done && !is_overdue
        });
        for Choice { lane, limit, select } in choose(&self.lanes(now)) {
            for id in self.waiting(now, &select).into_iter().take(limit) {
                if let Select::OtherThan(_) = select {
                    let youngest = (0..self.running.len())
                        .filter(|run| self.running[*run].0 == 0)
                        .max_by_key(|run| self.running[*run].2);
                    self.running.remove(youngest.unwrap());
                }
                self.running.push((lane, id, now));
                self.tasks[id].first_start.get_or_insert(now);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nobody_starves(threads in 1..4_usize, tasks in vec(task(), 1..12)) {
        let quick = tasks.iter().filter(|task| task.is_quick).count();
        let most: usize = tasks.iter().map(|task| task.length.max(LIMIT)).sum::<usize>() * 4 + 400;
        let mut simulation = Simulation { threads, tasks, running: Vec::new() };
        for now in 0..most {
            simulation.step(now);
            prop_assert!(simulation.on(0).count() <= threads && simulation.on(1).count() <= 1);
            let others = |key: usize| Select::OtherThan(key.to_string().into());
            let is_starved = simulation.sole_key(now).is_some_and(|key| !simulation.waiting(now, &others(key)).is_empty());
            prop_assert!(!is_starved, "a key has all threads, and another one waits");
            let is_idle = simulation.on(0).count() < threads && !simulation.waiting(now, &Select::Any).is_empty();
            prop_assert!(!is_idle, "a thread is free, and a task waits");
        }
        for task in &simulation.tasks {
            prop_assert!(task.is_done, "{task:?}");
            let waited = task.first_start.unwrap() - task.arrives;
            prop_assert!(!task.is_quick || waited <= quick * (LIMIT + 1), "{task:?}");
        }
    }
}
