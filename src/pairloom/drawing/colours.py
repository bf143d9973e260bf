"""Colours at equal distances for the eye, made in Oklch (Ottosson 2020), for light and for dark paper.

    a = C cos h,  b = C sin h                             lightness L, chroma C, hue h
    (l, m, s) = (L + M₁ (a, b))³,  linear RGB = M₂ (l, m, s)

A scale goes through equal steps of L and h, so equal differences of a value look equal. On either paper a higher value
stands out more. Hues of classes have the same L and C, so that no class looks more important than another.
"""

import math

Oklch = tuple[float, float, float]

_LIGHT_SCALE: tuple[Oklch, Oklch] = ((0.74, 0.11, 95.0), (0.34, 0.15, 300.0))  # of the lowest and the highest value
_DARK_SCALE: tuple[Oklch, Oklch] = ((0.46, 0.12, 300.0), (0.92, 0.13, 100.0))
_LIGHT_CLASS, _DARK_CLASS = (0.55, 0.16), (0.76, 0.13)
_FIRST_HUE = 255.0  # blue
_HUE_STEP = 0.381966 * 360  # the golden angle: neighbouring numbers differ much, whatever their number


def scale(steps: int, dark: bool) -> list[str]:
    """Colours for values from low to high.

    >>> scale(3, dark=False)
    ['#c0aa54', '#0a7e81', '#461878']
    """
    low, high = _DARK_SCALE if dark else _LIGHT_SCALE
    shares = [step / max(1, steps - 1) for step in range(steps)]
    return [_hex(*(a + share * (b - a) for a, b in zip(low, high, strict=True))) for share in shares]


def hues(n: int, dark: bool) -> list[str]:
    """Colours for n classes."""
    lightness, chroma = _DARK_CLASS if dark else _LIGHT_CLASS
    return [_hex(lightness, chroma, (_FIRST_HUE + number * _HUE_STEP) % 360) for number in range(n)]


def _hex(lightness: float, chroma: float, hue: float) -> str:
    """The colour as #rrggbb. Chroma that a screen cannot show is reduced; lightness and hue stay."""
    while True:
        rgb = _linear_rgb(lightness, chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue)))
        if chroma < 0.005 or all(-1e-4 <= value <= 1.0001 for value in rgb):
            return "#" + "".join(f"{round(255 * _encoded(min(max(value, 0.0), 1.0))):02x}" for value in rgb)
        chroma -= 0.005


def _linear_rgb(lightness: float, a: float, b: float) -> tuple[float, float, float]:
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _encoded(value: float) -> float:
    """A linear value as sRGB encodes it."""
    return 12.92 * value if value <= 0.0031308 else 1.055 * float(value ** (1 / 2.4)) - 0.055
