//! Builds scenes from briefs.
//!
//! The seed chooses the positions and colours that the words leave open.

mod abstracts;
mod city;
mod dots;
mod inner;
mod land;
mod outdoors;
mod sky;
mod space;
mod trees;
mod weather;

use super::brief::Brief;
use super::colour::{Colour, Light};
use super::lexicon::Idea;
use super::noise::Tile;
use super::view::{Scene, View};
use crate::random::Random;

/// Builds the scene of a brief for a picture of this shape.
///
/// `detail` is 0 to 1.
pub(super) fn scene(brief: &Brief, colours: &[Colour], view: &View, detail: f32, seed: u64) -> Scene {
    let mut random = Random::for_part(seed, "scene");
    let tile = Tile::new(Random::for_part(seed, "tile").next(), detail);
    let brief = complete(brief.clone(), &mut random);
    let abstracts = [Idea::Space, Idea::Flow, Idea::Pattern, Idea::Gradient, Idea::Portrait];
    let outdoors = brief.layouts().any(|idea| !abstracts.contains(&idea));
    let main = brief.layouts().find(|idea| abstracts.contains(idea) && (!outdoors || *idea == Idea::Space));
    let mut scene = match main {
        Some(Idea::Space) if !outdoors => inner::space(&brief, view, &mut random, tile),
        Some(Idea::Flow) => inner::flow(&brief, colours, view, &mut random, tile),
        Some(Idea::Pattern) => inner::pattern(&brief, colours, &mut random, tile),
        Some(Idea::Gradient) => inner::gradient(&brief, colours, view, &mut random, tile),
        Some(Idea::Portrait) => inner::studio(&brief, colours, view, &mut random, tile),
        _ => outdoors::scene(&brief, view, &mut random, tile),
    };
    if outdoors {
        weather::fall(&brief, view, &mut random, &mut scene.front);
    }
    scene
}

/// Adds a layout if the brief has none.
///
/// It is chosen at random among those that suit the other ideas.
fn complete(brief: Brief, random: &mut Random) -> Brief {
    if brief.layouts().next().is_some() {
        return brief;
    }
    let open = [
        Idea::Sun,
        Idea::Moon,
        Idea::Stars,
        Idea::Aurora,
        Idea::Rain,
        Idea::Snow,
        Idea::Fog,
        Idea::Storm,
        Idea::Clouds,
    ];
    let hours = [Idea::Dawn, Idea::Day, Idea::Sunset, Idea::Dusk, Idea::Night, Idea::Autumn, Idea::Spring];
    let anywhere =
        [Idea::Hills, Idea::Mountains, Idea::Sea, Idea::Flow, Idea::Gradient, Idea::Forest, Idea::Meadow];
    let outdoors = [Idea::Hills, Idea::Mountains, Idea::Sea, Idea::Forest, Idea::Meadow];
    let from: &[Idea] =
        if brief.first(&open).or_else(|| brief.first(&hours)).is_some() { &outdoors } else { &anywhere };
    let allowed: Vec<Idea> = from.iter().copied().filter(|idea| !brief.bans(*idea)).collect();
    let chosen = random.pick(&allowed).copied().unwrap_or(Idea::Gradient);
    brief.with(chosen)
}

/// Returns the pixels of a row between two positions, each with its x.
fn between<'a>(
    view: &View,
    from: f32,
    to: f32,
    row: &'a mut [Light],
) -> impl Iterator<Item = (f32, &'a mut Light)> + use<'a> {
    let view = *view;
    let column = |x: f32| ((x + view.side()) / view.pixel()).clamp(0.0, view.width as f32) as usize;
    let (first, end) = (column(from), (column(to) + 1).min(view.width));
    let part = row.get_mut(first..end.max(first)).unwrap_or_default();
    part.iter_mut().zip(first..).map(move |(target, column)| (view.x(column), target))
}
