"""pictures.py FILE FILE prints the share of pixels that differ between two pictures of the same size."""

import sys

from PIL import Image, ImageChops

one, other = (Image.open(name).convert("RGB") for name in sys.argv[1:])
bands = ImageChops.difference(one, other).split()
largest = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
same = largest.histogram()[0]
print(1 - same / (one.width * one.height))
