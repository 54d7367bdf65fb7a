//! Tests of videos: valid files with the right content.

use asset_engines::film::{Animation, Animator, CameraMove, RATE, Shots, StillCamera};
use asset_engines::{Engine, Failure};
use image::imageops::{FilterType, resize};
use image::{Rgb, RgbImage};
use rusty_h264_decoder::Decoder;

use crate::measure::psnr;
use crate::support::{photo, png, run_bytes, stops_when_cancelled};

/// Follows a path of nested boxes and returns the content of the last one.
fn part<'a>(mut bytes: &'a [u8], path: &[(&[u8; 4], usize)]) -> &'a [u8] {
    for (name, skip) in path {
        bytes = boxes(bytes)
            .into_iter()
            .find(|(found, _)| found == name)
            .map(|(_, inner)| &inner[*skip..])
            .unwrap();
    }
    bytes
}

fn boxes(mut bytes: &[u8]) -> Vec<(&[u8; 4], &[u8])> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let length = number(bytes, 0) as usize;
        found.push((bytes[4..8].try_into().unwrap(), &bytes[8..length]));
        bytes = &bytes[length..];
    }
    found
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
}

struct Video {
    size: (u32, u32),
    seconds: f64,
    keys: u32,
    frames: Vec<RgbImage>,
}

/// Reads a file as a player would, using only its index.
fn played(file: &[u8]) -> Video {
    let names: Vec<_> = boxes(file).iter().map(|(name, _)| *name).collect();
    assert_eq!(names, [b"ftyp", b"moov", b"mdat"], "the index comes first");
    let track = part(file, &[(b"moov", 0), (b"trak", 0)]);
    let media = part(track, &[(b"mdia", 0)]);
    let head = part(media, &[(b"mdhd", 0)]);
    let tables = part(media, &[(b"minf", 0), (b"stbl", 0)]);
    let sizes = part(tables, &[(b"stsz", 0)]);
    let sample = part(tables, &[(b"stsd", 8), (b"avc1", 0)]);
    let size = [24, 26].map(|at| u32::from(u16::from_be_bytes(sample[at..at + 2].try_into().unwrap())));
    assert_eq!([76, 80].map(|at| number(part(track, &[(b"tkhd", 0)]), at) >> 16), size);
    let sets = part(&sample[78..], &[(b"avcC", 0)]);
    let length = usize::from(u16::from_be_bytes(sets[6..8].try_into().unwrap()));
    let (sequence, picture) = (&sets[8..8 + length], &sets[8 + length + 3..]);
    assert!(sets[1] == 66 && sequence[0] & 0x1f == 7 && picture[0] & 0x1f == 8, "baseline");

    let mut stream = [&[0, 0, 0, 1], sequence, &[0, 0, 0, 1], picture].concat();
    let mut at = number(part(tables, &[(b"stco", 0)]), 8) as usize;
    let count = number(sizes, 8) as usize;
    for frame in 0..count {
        let end = at + number(sizes, 12 + 4 * frame) as usize;
        while at < end {
            let length = number(file, at) as usize;
            stream.extend([0, 0, 0, 1]);
            stream.extend_from_slice(&file[at + 4..at + 4 + length]);
            at += 4 + length;
        }
        assert_eq!(at, end);
    }
    assert_eq!(at, file.len());
    let decoded = Decoder::new().decode_stream(&stream).unwrap();
    assert_eq!(decoded.len(), count);
    let frames = decoded.iter().map(|frame| {
        assert_eq!((frame.width as u32, frame.height as u32), (size[0], size[1]));
        RgbImage::from_fn(size[0], size[1], |x, y| {
            let at = y as usize * frame.width + x as usize;
            let half = (y / 2) as usize * (frame.width / 2) + (x / 2) as usize;
            let light = 1.164_384 * (f64::from(frame.y[at]) - 16.0);
            let (u, v) = (f64::from(frame.u[half]) - 128.0, f64::from(frame.v[half]) - 128.0);
            Rgb([light + 1.792_741 * v, light - 0.213_249 * u - 0.532_909 * v, light + 2.112_402 * u]
                .map(|value| value.round().clamp(0.0, 255.0) as u8))
        })
    });
    let seconds = f64::from(number(head, 16)) / f64::from(number(head, 12));
    Video {
        size: (size[0], size[1]),
        seconds,
        keys: number(part(tables, &[(b"stss", 0)]), 4),
        frames: frames.collect(),
    }
}

fn a_move(prompt: &str) -> CameraMove {
    CameraMove {
        prompt: prompt.to_owned(),
        negative_prompt: String::new(),
        shorter_side: 96,
        seconds: 3,
        first: true,
        last: false,
        video: false,
        audio: false,
    }
}

fn moved(parameters: &CameraMove, stills: &[&RgbImage], seed: u64) -> Vec<u8> {
    let media = stills.iter().map(|still| png((*still).clone())).collect();
    run_bytes(&StillCamera, parameters, media, seed).unwrap()
}

/// Scales a still to the size of the frames.
fn small(still: &RgbImage, (width, height): (u32, u32)) -> RgbImage {
    resize(still, width, height, FilterType::CatmullRom)
}

#[test]
fn a_video_begins_with_its_still_and_moves_on() {
    let still = photo("coffee");
    let file = moved(&a_move(""), &[&still], 1);
    assert!(file.windows(14).any(|window| window == b"still-camera/1"));
    let video = played(&file);
    assert_eq!((video.frames.len() as u32, video.seconds, video.keys), (3 * RATE, 3.0, 2));
    let long = (96.0 * f64::from(still.width()) / f64::from(still.height())).round() as u32 & !1;
    assert_eq!(video.size, (long, 96));
    let whole = small(&still, video.size);
    let (first, last) = (psnr(&video.frames[0], &whole), psnr(video.frames.last().unwrap(), &whole));
    assert!(first > 30.0 && last < 24.0, "{first} {last}");
    // No frame differs much from the one before.
    for pair in video.frames.windows(2) {
        assert!(psnr(&pair[0], &pair[1]) > 24.0);
    }
    assert_eq!(moved(&a_move(""), &[&still], 1), file);
    assert_ne!(moved(&a_move(""), &[&still], 2), file);
}

#[test]
fn a_video_ends_with_its_last_frame() {
    let (first, last) = (photo("coffee"), photo("chelsea"));
    let both = CameraMove { last: true, ..a_move("") };
    let video = played(&moved(&both, &[&first, &last], 1));
    let end = video.frames.last().unwrap();
    assert!(psnr(&video.frames[0], &small(&first, video.size)) > 30.0);
    // The last still is cropped to the shape of the first.
    assert!(psnr(end, &small(&last, video.size)) > psnr(end, &small(&first, video.size)) + 3.0);
    let only = CameraMove { first: false, last: true, ..a_move("") };
    let video = played(&moved(&only, &[&last], 1));
    assert!(psnr(video.frames.last().unwrap(), &small(&last, video.size)) > 30.0);
}

#[test]
fn words_move_the_camera() {
    let still = photo("rocket");
    let filmed =
        |prompt: &str| played(&moved(&CameraMove { seconds: 2, ..a_move(prompt) }, &[&still], 1)).frames;
    let (left, right, fixed) = (filmed("pan left"), filmed("pan right"), filmed("static camera"));
    assert!(psnr(left.last().unwrap(), right.last().unwrap()) < 30.0);
    assert!(psnr(&fixed[0], fixed.last().unwrap()) > 34.0);
}

#[test]
fn parameters_that_need_a_model_are_refused() {
    let parameters = CameraMove { video: true, audio: true, ..a_move("") };
    let refused: Vec<_> =
        StillCamera.refuse(&parameters).iter().map(|refusal| refusal.parameter.clone()).collect();
    assert_eq!(refused, ["video_url", "audio_url"]);
    stops_when_cancelled(&StillCamera, &a_move(""), vec![png(photo("coffee"))]);
    let failed = run_bytes(&StillCamera, &a_move(""), vec![b"GIF89a".to_vec()], 1);
    assert!(matches!(failed, Err(Failure::Media { .. })), "{failed:?}");
}

fn animation(prompt: &str) -> Animation {
    Animation {
        prompt: prompt.to_owned(),
        negative_prompt: String::new(),
        expand: false,
        width: 96,
        height: 54,
        seconds: 2,
        shots: Shots::Single,
        audio: false,
    }
}

#[test]
fn scenes_move_in_small_steps() {
    for prompt in ["sea at sunset", "a city at night", "abstract silk"] {
        let bytes = |seed| run_bytes(&Animator, &animation(prompt), (), seed).unwrap();
        let file = bytes(4);
        assert_eq!(bytes(4), file, "{prompt}");
        assert_ne!(bytes(5), file, "{prompt}");
        let video = played(&file);
        assert_eq!((video.frames.len() as u32, video.size), (2 * RATE, (96, 54)), "{prompt}");
        let (first, last) = (&video.frames[0], video.frames.last().unwrap());
        assert!(psnr(first, last) < 32.0, "{prompt}: {}", psnr(first, last));
        for pair in video.frames.windows(2) {
            assert!(psnr(&pair[0], &pair[1]) > psnr(first, last), "{prompt}");
        }
    }
    let refused = Animator.refuse(&Animation { audio: true, ..animation("sea") });
    assert_eq!(refused.len(), 1);
    stops_when_cancelled(&Animator, &animation("sea"), ());
}

#[test]
fn several_shots_are_cut() {
    let video = played(
        &run_bytes(&Animator, &Animation { shots: Shots::Multi, ..animation("mountains") }, (), 4).unwrap(),
    );
    let middle = video.frames.len() / 2;
    let cut = psnr(&video.frames[middle - 1], &video.frames[middle]);
    assert!(cut < psnr(&video.frames[middle - 2], &video.frames[middle - 1]) - 6.0, "{cut}");
}
