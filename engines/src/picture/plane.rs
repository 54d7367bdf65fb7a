//! One channel of a picture.

/// A grid of numbers with at least one row and one column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plane {
    width: usize,
    values: Vec<f32>,
}

impl Plane {
    /// Creates a plane of zeros.
    pub fn new(width: usize, height: usize) -> Self {
        let width = width.max(1);
        Self { width, values: vec![0.0; width * height.max(1)] }
    }

    /// Creates a plane by calling `value` with each column and row.
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

    /// Returns the row with this number, or the nearest existing one.
    pub fn row(&self, y: isize) -> &[f32] {
        let y = usize::try_from(y).unwrap_or_default().min(self.height() - 1);
        self.values.get(y * self.width..(y + 1) * self.width).unwrap_or_default()
    }

    /// Returns the row with this number, or an empty slice if it doesn't exist.
    pub fn row_mut(&mut self, y: usize) -> &mut [f32] {
        self.values.get_mut(y * self.width..(y + 1) * self.width).unwrap_or_default()
    }

    /// Returns the value at a position, or the nearest existing one.
    pub fn at(&self, x: isize, y: isize) -> f32 {
        let x = usize::try_from(x).unwrap_or_default().min(self.width - 1);
        self.row(y).get(x).copied().unwrap_or_default()
    }

    /// Applies a function to each value.
    pub fn map(&self, make: impl Fn(f32) -> f32) -> Self {
        Self { width: self.width, values: self.values.iter().map(|&value| make(value)).collect() }
    }

    /// Combines each value with the one at the same position of an equally large plane.
    pub fn zip(&self, other: &Self, make: impl Fn(f32, f32) -> f32) -> Self {
        let values = self.values.iter().zip(&other.values).map(|(&a, &b)| make(a, b)).collect();
        Self { width: self.width, values }
    }
}
