#!/usr/bin/env python3
"""Makes the pictures of this folder. Needs Pillow, piexif, and the command `vips`.

Run it in this folder. The pictures are committed, so that the tests need none of these.
"""
import io
import math
import subprocess

import piexif
from PIL import Image


def picture(width, height, seed=0):
    """A smooth picture with colour, edges and no symmetry, so that every turn looks different."""
    image = Image.new("RGB", (width, height))
    for y in range(height):
        for x in range(width):
            u, v = x / width, y / height
            red = 127 + 120 * math.sin(3 * u + 5 * v * v + seed)
            green = 127 + 120 * math.cos(7 * u * v + seed * 2)
            blue = 250 if u < 0.3 and v < 0.4 else 60 + 100 * v
            image.putpixel((x, y), (int(red), int(green), int(blue)))
    return image


def exif(orientation, thumbnail=True, **more):
    block = {
        "0th": {
            piexif.ImageIFD.Make: b"Acme",
            piexif.ImageIFD.Model: b"Acme Pocket 7",
            piexif.ImageIFD.Orientation: orientation,
        },
        "Exif": {
            piexif.ExifIFD.DateTimeOriginal: b"2024:05:17 18:03:59",
            piexif.ExifIFD.SubSecTimeOriginal: b"123",
            piexif.ExifIFD.OffsetTimeOriginal: b"+02:00",
            piexif.ExifIFD.ExposureTime: (1, 250),
            piexif.ExifIFD.FNumber: (28, 10),
            piexif.ExifIFD.ISOSpeedRatings: 400,
            piexif.ExifIFD.ExposureBiasValue: (-2, 3),
            piexif.ExifIFD.ExposureMode: 2,
            piexif.ExifIFD.FocalLength: (35, 1),
        },
        "1st": {},
    }
    block.update(more)
    if thumbnail:
        small = io.BytesIO()
        picture(160, 107).save(small, "JPEG", quality=40)
        block["thumbnail"] = small.getvalue()
        block["1st"] = {piexif.ImageIFD.Compression: 6}
    return piexif.dump(block)


def vips(*arguments):
    subprocess.run(["vips", *arguments], check=True)


base = picture(96, 64)
base.save("camera.jpg", quality=80, exif=exif(6))
for orientation in range(1, 9):
    picture(48, 32).save(f"orientation-{orientation}.jpg", quality=90, exif=exif(orientation, thumbnail=False))
base.save("plain.jpg", quality=80)
base.save("progressive.jpg", quality=80, progressive=True)
base.convert("L").save("grey.jpg", quality=80)
base.convert("CMYK").save("cmyk.jpg", quality=80)
base.quantize(16).save("palette.png")
with_alpha = base.convert("RGBA")
with_alpha.putalpha(Image.linear_gradient("L").resize(base.size))
with_alpha.save("alpha.png", exif=exif(8, thumbnail=False))
base.save("plain.png")
vips("pngsave", "plain.png", "interlaced.png", "--interlace")
vips("icc_transform", "plain.png", "profile.jpg[Q=95]", "p3", "--input-profile", "srgb")
vips("colourspace", "plain.png", "rgb16.png", "rgb16")
base.save("lossless.webp", lossless=True)
base.save("lossy.webp", quality=70, exif=exif(6, thumbnail=False))
base.save("animated.webp", save_all=True, append_images=[picture(96, 64, 1), picture(96, 64, 2)], duration=100)
base.save("plain.tif", compression="tiff_deflate")
vips("heifsave", "plain.png", "plain.heic", "--Q", "60")
for index, size in enumerate([(9, 8), (17, 16), (40, 60), (120, 33), (101, 97), (30, 97)]):
    picture(*size, seed=index).save(f"hash-{index}.png", optimize=True)
