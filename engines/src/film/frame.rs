//! Video frames: brightness per pixel, and colour per block of four pixels.

/// A frame with one brightness plane and two colour difference planes.
///
/// The planes are brightness, blue difference and red difference (Rec. 709, limited range). The difference
/// planes have half the width and height.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    pub width: usize,
    pub height: usize,
    pub planes: [Vec<u8>; 3],
}

/// A picture to cut frames from: three planes of the same size.
#[derive(Debug, Clone)]
pub(super) struct Plate {
    width: usize,
    planes: [Vec<f32>; 3],
}

/// A part of a plate, in the plate's pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    pub left: f32,
    pub top: f32,
    pub width: f32,
    pub height: f32,
}

impl Plate {
    /// Creates a plate without rows.
    pub fn new(width: usize) -> Self {
        Self { width: width.max(1), planes: [const { Vec::new() }; 3] }
    }

    /// Adds a row of display values.
    pub fn push(&mut self, row: impl Iterator<Item = [u8; 3]>) {
        let [ys, us, vs] = &mut self.planes;
        for pixel in row {
            let [r, g, b] = pixel.map(f32::from);
            ys.push(16.0 + 0.182_586 * r + 0.614_231 * g + 0.062_007 * b);
            us.push(128.0 - 0.100_644 * r - 0.338_572 * g + 0.439_216 * b);
            vs.push(128.0 + 0.439_216 * r - 0.398_942 * g - 0.040_274 * b);
        }
    }

    fn height(&self) -> usize {
        self.planes.first().map_or(0, Vec::len) / self.width
    }

    /// Returns a window of the whole plate.
    pub fn whole(&self) -> Window {
        Window { left: 0.0, top: 0.0, width: self.width as f32, height: self.height() as f32 }
    }

    /// Renders a window as a frame of this size. Both sides must be even.
    pub fn frame(&self, window: Window, width: usize, height: usize) -> Frame {
        let [ys, us, vs] = &self.planes;
        let (half_width, half_height) = (width / 2, height / 2);
        Frame {
            width,
            height,
            planes: [
                self.sample(ys, window, (width, height)),
                self.sample(us, window, (half_width, half_height)),
                self.sample(vs, window, (half_width, half_height)),
            ],
        }
    }

    /// Resamples one plane, first down the columns and then along the rows.
    fn sample(&self, plane: &[f32], window: Window, (width, height): (usize, usize)) -> Vec<u8> {
        let columns = taps(window.left, window.width, width, self.width);
        let rows = taps(window.top, window.height, height, self.height());
        let mut result = Vec::with_capacity(width * height);
        let mut line = vec![0.0_f32; self.width];
        for Tap { first, weights } in &rows {
            line.fill(0.0);
            for (number, weight) in (*first..).zip(weights) {
                let source = plane.get(number * self.width..(number + 1) * self.width).unwrap_or_default();
                line.iter_mut().zip(source).for_each(|(target, value)| *target += weight * value);
            }
            result.extend(columns.iter().map(|Tap { first, weights }| {
                let source = line.get(*first..first + weights.len()).unwrap_or_default();
                let value: f32 = source.iter().zip(weights).map(|(value, weight)| value * weight).sum();
                // A cast from float to integer saturates.
                (value + 0.5) as u8
            }));
        }
        result
    }
}

/// The source values of one result value, and their weights.
struct Tap {
    first: usize,
    weights: Vec<f32>,
}

/// Computes the taps of a Catmull-Rom cubic, cut off at the edges.
///
/// The kernel is widened by the scale when the result is smaller than the source.
fn taps(start: f32, length: f32, count: usize, available: usize) -> Vec<Tap> {
    let step = length / count.max(1) as f32;
    let scale = step.max(1.0);
    let last = available.saturating_sub(1);
    (0..count)
        .map(|number| {
            let middle = start + (number as f32 + 0.5) * step - 0.5;
            let first = (middle - 2.0 * scale).floor().max(0.0) as usize;
            let end = ((middle + 2.0 * scale).floor().max(0.0) as usize + 1).min(last);
            let first = first.min(end);
            let mut weights: Vec<f32> = (first..=end).map(|at| cubic((at as f32 - middle) / scale)).collect();
            let sum: f32 = weights.iter().sum();
            weights.iter_mut().for_each(|weight| *weight /= sum);
            Tap { first, weights }
        })
        .collect()
}

fn cubic(at: f32) -> f32 {
    let at = at.abs();
    if at < 1.0 {
        (1.5 * at - 2.5) * at * at + 1.0
    } else if at < 2.0 {
        ((-0.5 * at + 2.5) * at - 4.0) * at + 2.0
    } else {
        0.0
    }
}

impl Frame {
    /// Lays another frame over this one with an opacity of `cover`, 0 to 1.
    pub fn faded(mut self, other: &Self, cover: f32) -> Self {
        let share = (cover.clamp(0.0, 1.0) * 256.0) as u32;
        for (plane, other) in self.planes.iter_mut().zip(&other.planes) {
            for (value, other) in plane.iter_mut().zip(other) {
                let sum = u32::from(*value) * (256 - share) + u32::from(*other) * share;
                *value = ((sum + 128) >> 8) as u8;
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plate_at_its_own_size_is_itself_and_a_flat_one_stays_flat() {
        let mut plate = Plate::new(16);
        for y in 0..12_u8 {
            plate.push((0..16_u8).map(|x| [x * 10, y * 20, 128]));
        }
        let frame = plate.frame(plate.whole(), 16, 12);
        let [ys, ..] = &plate.planes;
        assert!(frame.planes[0].iter().zip(ys).all(|(made, value)| (f32::from(*made) - value).abs() <= 0.51));
        assert_eq!([frame.planes[1].len(), frame.planes[2].len()], [48, 48]);

        let mut flat = Plate::new(30);
        (0..20).for_each(|_| flat.push(std::iter::repeat_n([255; 3], 30)));
        let window = Window { left: 3.3, top: 1.7, width: 20.0, height: 11.0 };
        let frame = flat.frame(window, 64, 32);
        assert!(frame.planes[0].iter().all(|value| *value == 235));
        assert!(frame.planes[1].iter().all(|value| *value == 128));
    }

    #[test]
    fn fading_ends_at_the_other_frame() {
        let frame =
            |value: u8| Frame { width: 2, height: 2, planes: [vec![value; 4], vec![value], vec![value]] };
        assert_eq!(frame(10).faded(&frame(200), 0.0), frame(10));
        assert_eq!(frame(10).faded(&frame(200), 1.0), frame(200));
        assert_eq!(frame(0).faded(&frame(200), 0.5), frame(100));
    }
}
