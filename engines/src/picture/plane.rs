//! One channel of a picture.

/// Numbers in rows, at least one of each.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plane {
    width: usize,
    values: Vec<f32>,
}

impl Plane {
    /// A plane of zeros.
    pub fn new(width: usize, height: usize) -> Self {
        let width = width.max(1);
        Self { width, values: vec![0.0; width * height.max(1)] }
    }

    /// A plane of what `value` says of each column and row.
    pub fn from_fn(width: usize, height: usize, mut value: impl FnMut(usize, usize) -> f32) -> Self {
        let mut plane = Self::new(width, height);
        for (y, row) in plane.rows_mut().enumerate() {
            for (x, target) in row.iter_mut().enumerate() {
                *target = value(x, y);
            }
        }
        plane
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn height(&self) -> usize {
        self.values.len() / self.width
    }

    pub fn values(&self) -> &[f32] {
        &self.values
    }

    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    pub fn rows_mut(&mut self) -> std::slice::ChunksExactMut<'_, f32> {
        self.values.chunks_exact_mut(self.width)
    }

    /// The row with this number, or the next to it that there is.
    pub fn row(&self, y: isize) -> &[f32] {
        let y = usize::try_from(y).unwrap_or_default().min(self.height() - 1);
        self.values.get(y * self.width..(y + 1) * self.width).unwrap_or_default()
    }

    /// The row with this number, empty when there is none.
    pub fn row_mut(&mut self, y: usize) -> &mut [f32] {
        self.values.get_mut(y * self.width..(y + 1) * self.width).unwrap_or_default()
    }

    /// The value at a place, or at the next to it that there is.
    pub fn at(&self, x: isize, y: isize) -> f32 {
        let x = usize::try_from(x).unwrap_or_default().min(self.width - 1);
        self.row(y).get(x).copied().unwrap_or_default()
    }

    /// Each value made anew.
    pub fn map(&self, make: impl Fn(f32) -> f32) -> Self {
        Self { width: self.width, values: self.values.iter().map(|&value| make(value)).collect() }
    }

    /// Each value made anew from it and its twin in a plane of the same size.
    pub fn zip(&self, other: &Self, make: impl Fn(f32, f32) -> f32) -> Self {
        let values = self.values.iter().zip(&other.values).map(|(&a, &b)| make(a, b)).collect();
        Self { width: self.width, values }
    }
}
