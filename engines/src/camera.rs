//! Shows a picture from another point of view, as a flat plane in space.

use serde::{Deserialize, Serialize};

use crate::fill::{Canvas, Effort, fill};
use crate::picture::{JPEG_QUALITY, Picture, decode, jpeg, png};
use crate::{Engine, Failure, Job, Output, Refusal};

/// The largest horizontal turn to either side, in degrees.
///
/// Beyond this limit and [`MAX_VERTICAL`], most of the result would be invented texture.
pub const MAX_HORIZONTAL: u16 = 60;
/// The largest vertical angle, up or down, in degrees. See [`MAX_HORIZONTAL`].
pub const MAX_VERTICAL: i16 = 45;

/// The parameters of a camera change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Camera {
    /// Degrees that the camera moves to the right around the picture, 0 to 360.
    ///
    /// 315 is 45 degrees to the left.
    pub horizontal_angle: u16,
    /// Degrees that the camera rises, -30 to 90.
    pub vertical_angle: i16,
    /// The zoom, 0 to 10.
    ///
    /// 5 leaves the size of everything unchanged, 10 doubles it, and 0 halves it.
    pub zoom: u8,
    /// The file format of the result.
    pub output_format: OutputFormat,
}

/// A file format for a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputFormat {
    /// PNG.
    #[default]
    Png,
    /// JPEG.
    Jpeg,
}

impl Default for Camera {
    fn default() -> Self {
        Self { horizontal_angle: 0, vertical_angle: 0, zoom: 5, output_format: OutputFormat::Png }
    }
}

/// Renders the picture as a flat plane in perspective.
///
/// Areas that come into view beside the picture are filled with its texture.
#[derive(Debug, Clone, Copy, Default)]
pub struct Photographer;

impl Engine<Camera> for Photographer {
    const NAME: &'static str = "plane-camera/1";

    type Media = Vec<u8>;

    fn refuse(&self, parameters: &Camera) -> Vec<Refusal> {
        let turns_far = parameters.turn().abs() > f32::from(MAX_HORIZONTAL);
        let turns = format!(
            "the built-in engine can turn at most {MAX_HORIZONTAL} degrees to either side; use 0 to {MAX_HORIZONTAL} or {} \
             to 360",
            360 - MAX_HORIZONTAL
        );
        let tilts_far = !(-MAX_VERTICAL..=MAX_VERTICAL).contains(&parameters.vertical_angle);
        let tilts =
            format!("the built-in engine can tilt at most {MAX_VERTICAL} degrees; use -30 to {MAX_VERTICAL}");
        let refusals = [
            Refusal::of_number("horizontal_angle", parameters.horizontal_angle, 0..=360),
            Refusal::of_number("zoom", parameters.zoom, 0..=10),
            Refusal::when(turns_far, "horizontal_angle", turns),
            Refusal::when(tilts_far, "vertical_angle", tilts),
        ];
        refusals.into_iter().flatten().collect()
    }

    fn run(&self, parameters: &Camera, media: Vec<u8>, job: &Job) -> Result<Vec<Output>, Failure> {
        let mut picture = decode(media)?;
        job.check()?;
        let view = View::new(parameters, &picture);
        if !view.unchanged {
            let mut canvas = view.seen(&picture, job)?;
            fill(&mut canvas, Effort::NORMAL, job)?;
            picture = picture.with_pixels(canvas.width, canvas.pixels)?;
        }
        job.check()?;
        let file = match parameters.output_format {
            OutputFormat::Png => png(&picture, Self::NAME)?,
            OutputFormat::Jpeg => jpeg(&picture, JPEG_QUALITY, Self::NAME)?,
        };
        Ok(vec![Output::File(file)])
    }
}

impl Camera {
    /// Returns the horizontal angle in degrees to the right, negative to the left.
    fn turn(&self) -> f32 {
        let angle = f32::from(self.horizontal_angle % 360);
        if angle > 180.0 { angle - 360.0 } else { angle }
    }
}

/// A camera in front of a picture.
///
/// The origin is the middle of the picture, and lengths are in its pixels.
struct View {
    width: f32,
    height: f32,
    /// The direction to the right on the picture, in camera space.
    across: [f32; 3],
    /// The direction downwards on the picture, in camera space.
    down: [f32; 3],
    /// The direction away from the camera, perpendicular to the picture, in camera space.
    normal: [f32; 3],
    /// The distance from the camera to the picture and to the screen.
    distance: f32,
    /// The factor by which the zoom enlarges everything.
    scale: f32,
    unchanged: bool,
}

impl View {
    fn new(parameters: &Camera, picture: &Picture) -> Self {
        let (width, height) = (picture.width() as f32, picture.height() as f32);
        let (turn_sin, turn_cos) = parameters.turn().to_radians().sin_cos();
        let (rise_sin, rise_cos) = f32::from(parameters.vertical_angle).to_radians().sin_cos();
        // The picture turns around its vertical axis first, and then around the horizontal axis of the camera.
        // From the right, the right edge is nearer; from above, the upper edge is nearer.
        let turned = |[x, y, z]: [f32; 3]| [x, y * rise_cos - z * rise_sin, y * rise_sin + z * rise_cos];
        Self {
            width,
            height,
            across: turned([turn_cos, 0.0, -turn_sin]),
            down: turned([0.0, 1.0, 0.0]),
            normal: turned([turn_sin, 0.0, turn_cos]),
            distance: 1.4 * width.max(height),
            scale: ((f32::from(parameters.zoom.min(10)) - 5.0) / 5.0).exp2(),
            unchanged: parameters.turn() == 0.0 && parameters.vertical_angle == 0 && parameters.zoom == 5,
        }
    }

    /// Returns the point of the picture at a screen point.
    ///
    /// `None` means that the picture's plane is behind the camera or nearly edge-on there.
    fn project(&self, x: f32, y: f32) -> Option<(f32, f32)> {
        let ray = [(x - self.width / 2.0) / self.scale, (y - self.height / 2.0) / self.scale, self.distance];
        let dot = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let facing = dot(self.normal, ray);
        if facing <= 0.05 * self.distance {
            return None;
        }
        let [_, _, away] = self.normal;
        let reach = self.distance * away / facing;
        let [ray_x, ray_y, ray_z] = ray;
        let hit = [ray_x * reach, ray_y * reach, ray_z * reach - self.distance];
        Some((dot(self.across, hit) + self.width / 2.0, dot(self.down, hit) + self.height / 2.0))
    }

    /// Renders the camera's view. Pixels beside the picture are marked as unknown.
    fn seen(&self, picture: &Picture, job: &Job) -> Result<Canvas, Failure> {
        let (width, height) = (picture.width(), picture.height());
        let mut pixels = Vec::with_capacity(width * height);
        let mut unknown = Vec::with_capacity(width * height);
        for y in 0..height {
            if y % 32 == 0 {
                job.check()?;
            }
            for x in 0..width {
                let (x, y) = (x as f32 + 0.5, y as f32 + 0.5);
                let inside = self.project(x, y).is_some_and(|(x, y)| {
                    (0.0..=self.width).contains(&x) && (0.0..=self.height).contains(&y)
                });
                unknown.push(!inside);
                pixels.push(if inside { self.averaged(picture, x, y) } else { [0; 4] });
            }
        }
        Ok(Canvas { width, pixels, unknown })
    }

    /// Samples the picture around a screen point.
    ///
    /// It takes more samples where the picture is scaled down.
    fn averaged(&self, picture: &Picture, x: f32, y: f32) -> [u8; 4] {
        let here = self.project(x, y).unwrap_or_default();
        let apart =
            |next: Option<(f32, f32)>| next.map_or(1.0, |next| (next.0 - here.0).hypot(next.1 - here.1));
        let smaller = apart(self.project(x + 1.0, y)).max(apart(self.project(x, y + 1.0)));
        let count = (smaller - 0.1).ceil().clamp(1.0, 4.0);
        let mut sum = [0.0; 4];
        let steps = count as usize;
        for (row, column) in (0..steps).flat_map(|row| (0..steps).map(move |column| (row, column))) {
            let beside = |step: usize| (step as f32 + 0.5) / count - 0.5;
            let (x, y) = self.project(x + beside(column), y + beside(row)).unwrap_or(here);
            sum.iter_mut().zip(cubic(picture, x - 0.5, y - 0.5)).for_each(|(sum, value)| *sum += value);
        }
        sum.map(|sum: f32| (sum / (count * count) + 0.5) as u8)
    }
}

/// Interpolates the picture between its pixels with Catmull-Rom cubics.
///
/// The result stays within the range of the four nearest pixels.
fn cubic(picture: &Picture, x: f32, y: f32) -> [f32; 4] {
    let (left, top) = (x.floor(), y.floor());
    let (across, down) = (weights(x - left), weights(y - top));
    let near = |at: f32, step: usize, length: usize| {
        (at as isize + step as isize - 1).clamp(0, length as isize - 1) as usize
    };
    let (mut sum, mut low, mut high) = ([0.0; 4], [255.0_f32; 4], [0.0_f32; 4]);
    for (step_y, weight_y) in down.iter().enumerate() {
        let row = picture.row(near(top, step_y, picture.height()));
        for (step_x, weight_x) in across.iter().enumerate() {
            let pixel =
                row.get(near(left, step_x, picture.width())).copied().unwrap_or_default().map(f32::from);
            sum.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += weight_x * weight_y * value);
            if (1..3).contains(&step_x) && (1..3).contains(&step_y) {
                low.iter_mut().zip(pixel).for_each(|(low, value)| *low = low.min(value));
                high.iter_mut().zip(pixel).for_each(|(high, value)| *high = high.max(value));
            }
        }
    }
    sum.iter_mut()
        .zip(low.iter().zip(high))
        .for_each(|(value, (low, high))| *value = value.max(*low).min(high));
    sum
}

fn weights(t: f32) -> [f32; 4] {
    let (square, cube) = (t * t, t * t * t);
    [
        0.5 * (-cube + 2.0 * square - t),
        0.5 * (3.0 * cube - 5.0 * square + 2.0),
        0.5 * (-3.0 * cube + 4.0 * square + t),
        0.5 * (cube - square),
    ]
}
