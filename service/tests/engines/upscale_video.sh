#!/bin/sh
# Doubles the size of a short video with Real-ESRGAN: upscale_video.sh SOURCE TARGET. `ffmpeg` and `python` are in ENGINES.
set -eu
"$ENGINES/ffmpeg" -nostdin -v error -i "$1" -fps_mode passthrough frames-%04d.png 2>&1
mkdir frames
mv frames-*.png frames/
"$ENGINES/python" "$(dirname "$0")/upscale.py" frames enlarged 2
"$ENGINES/ffmpeg" -nostdin -y -v error -framerate 12 -i enlarged/frames-%04d.png -c:v libx264 -pix_fmt yuv420p "$2" 2>&1
