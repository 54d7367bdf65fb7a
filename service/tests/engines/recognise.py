"""Recognises which sentence each sound holds: recognise.py SENTENCES SOUND... Prints a sentence per sound.

SENTENCES is a file with a sentence per line. They are the whole grammar.
"""

import pathlib
import subprocess
import sys

import imageio_ffmpeg
from pocketsphinx import Decoder

sentences = pathlib.Path(sys.argv[1]).read_text().splitlines()
grammar = f"#JSGF V1.0; grammar sentences; public <sentence> = {' | '.join(sentences)};"
decoder = Decoder(samprate=16000, lm=None, loglevel="FATAL")
decoder.add_jsgf_string("sentences", grammar)
decoder.activate_search("sentences")
for sound in sys.argv[2:]:
    options = ["-nostdin", "-v", "error", "-i", sound, "-f", "s16le", "-ac", "1", "-ar", "16000", "-"]
    samples = subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), *options], check=True, capture_output=True).stdout
    decoder.start_utt()
    decoder.process_raw(samples, full_utt=True)
    decoder.end_utt()
    recognised = decoder.hyp()
    print(recognised.hypstr if recognised else "")
