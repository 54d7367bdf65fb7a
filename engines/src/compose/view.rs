//! Views of scenes, and painting: layer over layer, row by row.

use super::colour::Light;
use super::maths::wave;
use super::noise::Tile;

/// One frame of a scene.
///
/// Scene coordinates are square: x is 0 in the middle, y is 0 at the top. The picture's area is about 1, so
/// that a scene contains the same things for any shape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    pub width: usize,
    pub height: usize,
    /// Seconds since the start.
    pub time: f32,
    /// How far the camera has moved to the side.
    pub pan: f32,
}

impl View {
    pub fn still(width: usize, height: usize) -> Self {
        Self { width, height, time: 0.0, pan: 0.0 }
    }

    /// Returns the side of a pixel in scene coordinates.
    pub fn pixel(&self) -> f32 {
        1.0 / ((self.width * self.height) as f32).sqrt()
    }

    /// Returns the scene's height.
    pub fn bottom(&self) -> f32 {
        self.height as f32 * self.pixel()
    }

    /// Returns half of the scene's width.
    pub fn side(&self) -> f32 {
        0.5 * self.width as f32 * self.pixel()
    }

    pub fn x(&self, column: usize) -> f32 {
        (column as f32 + 0.5) * self.pixel() - self.side()
    }

    pub fn y(&self, row: usize) -> f32 {
        (row as f32 + 0.5) * self.pixel()
    }

    pub fn xs(&self) -> impl Iterator<Item = f32> + use<> {
        let view = *self;
        (0..view.width).map(move |column| view.x(column))
    }
}

/// A part of a scene that covers others.
pub(crate) trait Layer: Send + Sync {
    /// Prepares the layer for a view.
    ///
    /// Values that depend only on the column are computed here.
    fn seen<'a>(&'a self, view: &View, tile: &'a Tile) -> Painter<'a>;
}

/// Paints a layer over a row.
///
/// A row is given by its y, which need not be that of a row of pixels.
pub(crate) struct Painter<'a> {
    paint: Box<PaintRow<'a>>,
    /// The y from which the layer hides everything behind it.
    solid: f32,
}

type PaintRow<'a> = dyn Fn(f32, &mut [Light]) + 'a;

impl<'a> Painter<'a> {
    pub fn new(paint: impl Fn(f32, &mut [Light]) + 'a) -> Self {
        Self { paint: Box::new(paint), solid: f32::INFINITY }
    }

    /// Marks everything behind the layer as hidden from `y` on downward.
    pub fn solid_from(self, y: f32) -> Self {
        Self { solid: y, ..self }
    }

    pub fn paint(&self, y: f32, row: &mut [Light]) {
        (self.paint)(y, row);
    }
}

/// Paints a row with all painters, except those that are completely hidden.
fn paint_all(painters: &[Painter<'_>], y: f32, row: &mut [Light]) {
    let first = painters.iter().rposition(|painter| y > painter.solid).unwrap_or_default();
    painters.iter().skip(first).for_each(|painter| painter.paint(y, row));
}

/// Layers from the back to the front, with optional water in between.
pub(crate) struct Scene {
    pub tile: Tile,
    pub behind: Vec<Box<dyn Layer>>,
    pub water: Option<Water>,
    pub front: Vec<Box<dyn Layer>>,
}

/// A surface that mirrors everything behind it.
pub(crate) struct Water {
    /// The y at which the water begins.
    pub line: f32,
    pub colour: Light,
    /// The reflection of the sky at the horizon, where the view is flattest.
    pub glare: Light,
    /// 0 is a mirror, 1 a rough sea.
    pub rough: f32,
}

impl Scene {
    /// Paints a frame, row by row.
    pub fn paint<E>(
        &self,
        view: &View,
        mut row_done: impl FnMut(&[Light]) -> Result<(), E>,
    ) -> Result<(), E> {
        let behind: Vec<Painter<'_>> = self.behind.iter().map(|layer| layer.seen(view, &self.tile)).collect();
        let front: Vec<Painter<'_>> = self.front.iter().map(|layer| layer.seen(view, &self.tile)).collect();
        let mut row = vec![[0.0; 3]; view.width];
        let mut mirrored = row.clone();
        for number in 0..view.height {
            let y = view.y(number);
            match &self.water {
                _ if front.iter().any(|painter| y > painter.solid) => {}
                Some(water) if y > water.line => {
                    water.paint(view, &self.tile, y, &behind, &mut mirrored, &mut row);
                }
                _ => paint_all(&behind, y, &mut row),
            }
            paint_all(&front, y, &mut row);
            row_done(&row)?;
        }
        Ok(())
    }
}

impl Water {
    fn paint(
        &self,
        view: &View,
        tile: &Tile,
        y: f32,
        behind: &[Painter<'_>],
        mirrored: &mut [Light],
        row: &mut [Light],
    ) {
        let depth = y - self.line;
        // The viewing angle grows with the distance from the horizon: far waves are small and dense.
        let far = 1.0 / (depth + 0.02);
        let swell =
            wave(1.7 * far * 0.35 + 0.23 * view.time) + 0.6 * wave(4.1 * far * 0.35 - 0.31 * view.time);
        let reach = self.rough * depth * (0.10 + 0.16 * swell);
        let source = (self.line - (0.9 * depth + reach).max(0.0)).max(0.0);
        paint_all(behind, source, mirrored);
        let near = (depth / (view.bottom() - self.line).max(1e-3)).clamp(0.0, 1.0);
        let mirror = 0.9 - 0.45 * near - 0.25 * self.rough * near;
        let drift = 0.03 * view.time;
        for ((x, target), column) in view.xs().zip(row.iter_mut()).zip(0_isize..) {
            let x = x + view.pan * (0.3 + 0.7 * near);
            let ripple = tile.fine(0.5 * x * (0.4 + 0.05 * far) + drift, 0.16 * far + 0.4 * drift) - 0.5;
            let shift = ripple * (0.25 + self.rough) * depth / view.pixel() * 0.8;
            let place = (column + shift as isize).clamp(0, mirrored.len() as isize - 1);
            let seen = usize::try_from(place)
                .ok()
                .and_then(|place| mirrored.get(place))
                .copied()
                .unwrap_or_default();
            // The steep side of a wave shows the water, the flat side the sky.
            let facing = (mirror + 1.5 * ripple * (0.35 + self.rough)).clamp(0.06, 0.96);
            let glint = ((ripple - 0.13) * 5.0).clamp(0.0, 1.0) * self.rough * (1.0 - 0.7 * near);
            for ((target, seen), (water, glare)) in
                target.iter_mut().zip(seen).zip(self.colour.iter().zip(self.glare))
            {
                *target = water + (seen - water) * facing + glare * glint * 0.35;
            }
        }
    }
}
