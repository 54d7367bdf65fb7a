//! Video frames in YCbCr 4:2:0: luma for each pixel, and chroma for each block of four pixels.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};

use crate::Failure;

/// A frame with one luma plane and two chroma planes.
///
/// The planes are Y, Cb and Cr (Rec. 709, limited range). The chroma planes have half the width and height.
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
    planes: [Vec<u8>; 3],
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
            ys.push((16.5 + 0.182_586 * r + 0.614_231 * g + 0.062_007 * b) as u8);
            us.push((128.5 - 0.100_644 * r - 0.338_572 * g + 0.439_216 * b) as u8);
            vs.push((128.5 + 0.439_216 * r - 0.398_942 * g - 0.040_274 * b) as u8);
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
    pub fn frame(&self, window: Window, width: usize, height: usize) -> Result<Frame, Failure> {
        let [ys, us, vs] = &self.planes;
        let half = (width / 2, height / 2);
        let planes = [
            self.sample(ys, window, (width, height))?,
            self.sample(us, window, half)?,
            self.sample(vs, window, half)?,
        ];
        Ok(Frame { width, height, planes })
    }

    /// Resamples a part of a plane with a Catmull-Rom cubic.
    ///
    /// It uses integer arithmetic, so the result is the same on every machine.
    fn sample(
        &self,
        plane: &[u8],
        part: Window,
        (width, height): (usize, usize),
    ) -> Result<Vec<u8>, Failure> {
        let side = |side: usize| u32::try_from(side).map_err(broken);
        let whole = self.whole();
        // Rounding errors must not extend the part beyond the edges.
        let (across, down) =
            (part.width.min(whole.width - part.left), part.height.min(whole.height - part.top));
        let [left, top, across, down] = [part.left, part.top, across, down].map(f64::from);
        let cubic = ResizeAlg::Convolution(FilterType::CatmullRom);
        let options = ResizeOptions::new().resize_alg(cubic).crop(left, top, across, down);
        let size = (side(width)?, side(height)?);
        let mut sampled = vec![0; width * height];
        // `Resizer::resize` would add the code for all pixel types to the program, 4 MB.
        let source = TypedImageRef::<U8>::from_buffer(side(self.width)?, side(self.height())?, plane);
        let target = TypedImage::<U8>::from_buffer(size.0, size.1, &mut sampled);
        let (source, mut target) = (source.map_err(broken)?, target.map_err(broken)?);
        Resizer::new().resize_typed(&source, &mut target, &options).map_err(broken)?;
        Ok(sampled)
    }
}

fn broken(error: impl std::fmt::Display) -> Failure {
    Failure::Internal(format!("can't resample a frame: {error}"))
}

impl Frame {
    /// Blends another frame over this one. `opacity` is that of the other frame, 0 to 1.
    pub fn faded(mut self, other: &Self, opacity: f32) -> Self {
        let share = (opacity.clamp(0.0, 1.0) * 256.0) as u32;
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
    fn a_whole_plate_is_unchanged_and_a_uniform_plate_stays_uniform() {
        let mut plate = Plate::new(16);
        for y in 0..12_u8 {
            plate.push((0..16_u8).map(|x| [x * 10, y * 20, 128]));
        }
        let frame = plate.frame(plate.whole(), 16, 12).unwrap();
        assert_eq!(frame.planes[0], plate.planes[0]);
        assert_eq!([frame.planes[1].len(), frame.planes[2].len()], [48, 48]);

        let mut flat = Plate::new(30);
        (0..20).for_each(|_| flat.push(std::iter::repeat_n([255; 3], 30)));
        let window = Window { left: 3.3, top: 1.7, width: 20.0, height: 11.0 };
        let frame = flat.frame(window, 64, 32).unwrap();
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
