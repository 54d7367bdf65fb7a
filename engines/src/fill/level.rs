//! A picture at one size, with its unknown pixels and its completely known patches.

use super::{Canvas, RADIUS};
use crate::picture::{Plane, box_mean};

pub(super) struct Level {
    pub width: usize,
    pub pixels: Vec<[u8; 4]>,
    pub unknown: Vec<bool>,
    /// Whether a complete and known patch is centred here.
    ///
    /// Only such patches are copied.
    pub source: Vec<bool>,
    /// The centres of patches with at least one unknown pixel.
    pub targets: Vec<usize>,
    /// Steps to the nearest known pixel, at most 255.
    pub depth: Vec<u8>,
}

impl Level {
    pub fn new(canvas: Canvas) -> Self {
        let Canvas { width, pixels, unknown, .. } = canvas;
        let depth = depth(&unknown, width);
        let touched = dilated(&unknown, width);
        let height = pixels.len() / width;
        let inside = |at: usize| {
            let (x, y) = (at % width, at / width);
            x >= RADIUS && y >= RADIUS && x + RADIUS < width && y + RADIUS < height
        };
        let source = touched.iter().enumerate().map(|(at, touched)| !touched && inside(at)).collect();
        let targets = touched.iter().enumerate().filter(|&(at, touched)| *touched && inside(at));
        let targets = targets.map(|(at, _)| at).collect();
        Self { width, pixels, unknown, source, targets, depth }
    }

    pub fn height(&self) -> usize {
        self.pixels.len() / self.width
    }

    /// Returns the number of known patches.
    pub fn sources(&self) -> usize {
        self.source.iter().filter(|source| **source).count()
    }

    pub fn is_source(&self, at: usize) -> bool {
        self.source.get(at).copied().unwrap_or_default()
    }

    pub fn pixel(&self, at: usize) -> [u8; 4] {
        self.pixels.get(at).copied().unwrap_or_default()
    }

    /// Fills the unknown pixels with a first estimate.
    ///
    /// Ring by ring, each unknown pixel becomes the mean of its neighbours that are known or already estimated.
    pub fn spread_known(&mut self) {
        let mut open = self.unknown.clone();
        loop {
            let mut ring = Vec::new();
            for at in (0..open.len()).filter(|&at| open.get(at) == Some(&true)) {
                let mut sums = [0_usize; 4];
                let mut count = 0;
                for next in
                    self.neighbours(at).into_iter().flatten().filter(|&next| open.get(next) == Some(&false))
                {
                    sums.iter_mut().zip(self.pixel(next)).for_each(|(sum, value)| *sum += usize::from(value));
                    count += 1;
                }
                if count > 0 {
                    ring.push((at, sums.map(|sum| (sum / count) as u8)));
                }
            }
            if ring.is_empty() {
                return;
            }
            for (at, value) in ring {
                self.set(at, value);
                if let Some(open) = open.get_mut(at) {
                    *open = false;
                }
            }
        }
    }

    pub fn set(&mut self, at: usize, value: [u8; 4]) {
        if let Some(pixel) = self.pixels.get_mut(at) {
            *pixel = value;
        }
    }

    /// Returns the pixels to the left and right, above and below.
    pub fn neighbours(&self, at: usize) -> [Option<usize>; 4] {
        let x = at % self.width;
        [
            (x > 0).then(|| at - 1),
            (x + 1 < self.width).then(|| at + 1),
            at.checked_sub(self.width),
            Some(at + self.width).filter(|&at| at < self.pixels.len()),
        ]
    }
}

impl Canvas {
    /// Halves the picture. A pixel is unknown if a part of it is.
    pub(super) fn halved(&self) -> Self {
        let (width, height) = (self.width.div_ceil(2), self.height().div_ceil(2));
        let mut pixels = Vec::with_capacity(width * height);
        let mut unknown = Vec::with_capacity(width * height);
        for at in 0..width * height {
            let (x, y) = (at % width * 2, at / width * 2);
            let (right, below) = ((x + 1).min(self.width - 1), (y + 1).min(self.height() - 1));
            let four = [(x, y), (right, y), (x, below), (right, below)].map(|(x, y)| y * self.width + x);
            let is_unknown = |at: &usize| self.unknown.get(*at).copied().unwrap_or_default();
            let mut sums = [0_usize; 4];
            for at in four {
                let pixel = self.pixels.get(at).copied().unwrap_or_default();
                sums.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += usize::from(value));
            }
            pixels.push(sums.map(|sum| ((sum + 2) / 4) as u8));
            unknown.push(four.iter().any(is_unknown));
        }
        Self { width, pixels, unknown }
    }

    fn height(&self) -> usize {
        self.pixels.len() / self.width
    }
}

/// Counts the steps, left, right, up and down, to the nearest known pixel.
fn depth(unknown: &[bool], width: usize) -> Vec<u8> {
    let mut depth: Vec<u8> = unknown.iter().map(|unknown| if *unknown { u8::MAX } else { 0 }).collect();
    let relax = |depth: &mut [u8], at: usize, before: [Option<usize>; 2]| {
        let near =
            before.into_iter().flatten().filter_map(|at| depth.get(at)).min().copied().unwrap_or(u8::MAX);
        if let Some(depth) = depth.get_mut(at) {
            *depth = near.saturating_add(1).min(*depth);
        }
    };
    for at in 0..unknown.len() {
        relax(&mut depth, at, [(at % width > 0).then(|| at - 1), at.checked_sub(width)]);
    }
    for at in (0..unknown.len()).rev() {
        relax(&mut depth, at, [((at + 1) % width > 0).then(|| at + 1), Some(at + width)]);
    }
    depth
}

/// Returns for each pixel whether anything within a patch's radius is marked.
fn dilated(marked: &[bool], width: usize) -> Vec<bool> {
    let mut marks = marked.iter().map(|mark| if *mark { 1.0 } else { 0.0 });
    let marks = Plane::from_fn(width, marked.len() / width, |_, _| marks.next().unwrap_or_default());
    box_mean(&marks, RADIUS).values().iter().map(|mean| *mean > 0.0).collect()
}
