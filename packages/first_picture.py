"""Waits until a window has drawn itself on an empty Xvfb. usage: first_picture.py XWD_OF_FBDIR SECONDS PID

Beside the time it says how much of it the first thread of the program computed, and how long others had its processor: on
a quiet machine nobody has.
"""
import struct
import sys
import time

begun = time.monotonic()
while time.monotonic() - begun < float(sys.argv[2]):
    with open(sys.argv[1], 'rb') as file:
        screen = file.read()
    # The header says how long it is, and how many colours of four words follow it.
    head = struct.unpack('>20I', screen[:80])
    pixels = screen[head[0] + 12 * head[19]:]
    shown = len(pixels) - pixels.count(0)
    colours = len({pixels[i:i + 4] for i in range(0, len(pixels), 4 * 97)})
    if shown > len(pixels) / 4 and colours > 8:
        with open(f'/proc/{sys.argv[3]}/schedstat', encoding='ascii') as file:
            computed, waited = (int(word) / 1e9 for word in file.read().split()[:2])
        print(f'first picture after {time.monotonic() - begun:.1f} s, {computed:.1f} s of them computed, '
              f'{waited:.1f} s without a processor, {colours} colours')
        sys.exit(0)
    time.sleep(0.1)
print(f'nothing was drawn in {sys.argv[2]} s')
sys.exit(1)
