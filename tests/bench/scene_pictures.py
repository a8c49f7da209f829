"""28 pictures that no number of the program was chosen for: amplitudes from 0 to 1, from formulas and seeds alone.

PICTURES has them by name; a picture is a function of its side in pixels and a seed. FILLING are those that fill their
square as photographs do; the others are bodies on black ground. Most are drawn four times finer and averaged, as a
camera does it; letters, bars and squares keep sharp pixels.
"""
import numpy as np

FINE = 4
# Letters of 3 × 5 px: an octal digit is a row.
FONT = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", """25755 65656 34443 65556 74647 74644 34553 55755 72227 11152 55655 44447
    57755 65555 25552 65644 25563 65655 34216 72222 55557 55552 55775 55255 55222 71247""".split()))


def grid(m):
    """y and x from -1 to 1, [FINE m][FINE m]."""
    t = (np.arange(FINE * m) + 0.5) / (FINE * m) * 2 - 1
    return np.meshgrid(t, t, indexing="ij")


def average(fine):
    """[FINE m][FINE m] → [m][m]."""
    m = len(fine) // FINE
    return fine.reshape(m, FINE, m, FINE).mean((1, 3))


def spread(values, low=0.0, high=1.0):
    """Shifts and stretches values to the range; the outermost percent is cut off."""
    a, b = np.percentile(values, (0.5, 99.5))
    return low + (high - low) * np.clip((values - a) / max(b - a, 1e-9), 0, 1)


def make_texture(rng, n, slope):
    """A periodic field of random phases whose amplitudes fall as 1/f^slope: photographs are near 1; mean 0, RMS 1."""
    f = np.hypot(np.fft.fftfreq(n)[:, None], np.fft.fftfreq(n)[None, :])
    f[0, 0] = np.inf
    values = np.fft.ifft2(np.fft.fft2(rng.standard_normal((n, n))) / f**slope).real
    return values / values.std()


def step(distance, width):
    """0 to 1 around a distance of 0, over about twice the width."""
    return 0.5 + 0.5 * np.tanh(distance / width)


def turn(y, x, angle):
    return np.cos(angle) * y + np.sin(angle) * x, np.cos(angle) * x - np.sin(angle) * y


def draw_clouds(m, rng):
    return average(spread(make_texture(rng, FINE * m, 1.2)))


def draw_shore(m, rng):
    """Two textures of different roughness and brightness that meet at an edge."""
    n = FINE * m
    border = step(make_texture(rng, n, 1.8), 0.02)
    land, water = spread(make_texture(rng, n, 1.0), 0.5, 1), spread(make_texture(rng, n, 1.6), 0.05, 0.4)
    return average(border * land + (1 - border) * water)


def drop_leaves(m, rng, cover):
    """Dead leaves: shapes of every size hide each other until nothing of the ground is seen."""
    y, x = grid(m)
    picture, free = np.zeros_like(y), np.ones(y.shape, bool)
    for _ in range(4000):
        size = (1 / rng.uniform(1 / 0.6**2, 1 / 0.05**2))**0.5
        shape = cover(y - rng.uniform(-1.2, 1.2), x - rng.uniform(-1.2, 1.2), size) & free
        picture[shape] = rng.uniform(0.05, 1) * (1 + 0.2 * (x[shape] + y[shape]) / 2)
        free &= ~shape
        if not free.any():
            break
    picture[free] = 0.5
    return average(np.clip(picture, 0, 1))


def draw_city(m, rng):
    return drop_leaves(m, rng, lambda y, x, s: (abs(y) < s * rng.uniform(0.4, 2)) & (abs(x) < s))


def draw_foliage(m, rng):
    return drop_leaves(m, rng, lambda y, x, s: np.hypot(y, x) < s)


def draw_landscape(m, rng):
    """A sky that gets brighter downwards, three ridges one behind the other, and water with ripples."""
    y, x = grid(m)
    picture = 0.55 + 0.4 * (y + 1) / 2 + 0.08 * make_texture(rng, len(y), 1.6)
    for level, shade in ((-0.2, 0.6), (0.0, 0.4), (0.15, 0.2)):
        outline = level + 0.12 * make_texture(rng, len(y), 1.3)[0][None, :]
        picture = np.where(y > outline, shade + 0.05 * make_texture(rng, len(y), 1.0), picture)
    depth = np.clip(y - 0.45, 1e-3, None)
    water = 0.55 + 0.25 * np.sin(6 / depth**0.5 * np.pi + 2 * np.sin(5 * x) + make_texture(rng, len(y), 1.5))
    return average(np.clip(np.where(y > 0.45, water, picture), 0, 1))


def write_letters(m, rng, scale, words):
    """[m][m]: 1 where there is ink."""
    page = np.zeros((m, m))
    for top in range(2 * scale, m - 6 * scale, 7 * scale):
        left = 2 * scale
        while left < m - 4 * scale:
            if words and rng.random() < 0.17:
                left += 3 * scale
                continue
            for row, digit in enumerate(FONT[rng.choice(list(FONT))]):
                for column in range(3):
                    if int(digit) >> (2 - column) & 1:
                        y, x = top + row * scale, left + column * scale
                        page[y:y + scale, x:x + scale] = 1
            left += 4 * scale
    return page


def draw_page(m, rng):
    """Dark letters on paper that is lit from one side."""
    y, x = np.mgrid[:m, :m] / m
    return (0.95 - 0.25 * x - 0.1 * y) * (1 - 0.85 * write_letters(m, rng, 1 + (m >= 80), True))


def draw_letters(m, rng):
    """Bright letters on black, each line with a brightness of its own."""
    scale = max(2, m // 24)
    return write_letters(m, rng, scale, False) * rng.uniform(0.4, 1, m).repeat(7 * scale)[:m, None]


def draw_zone_plate(m, rng):
    """Rings that get finer outwards to 2.5 px."""
    y, x = grid(m)
    return average(0.5 + 0.45 * np.cos(np.pi * m / 5 * (y**2 + x**2) + rng.uniform(0, 6)))


def draw_checks(m, rng):
    """Squares of two brightnesses, seen at an angle and with light that falls off."""
    y, x = grid(m)
    angle, near = rng.uniform(0.1, 0.6), 1 + 0.3 * y
    u, v = (t / near for t in turn(y, x, angle))
    return average(np.where((np.floor(4.3 * u) + np.floor(4.3 * v)) % 2 > 0, 0.85, 0.2) * (1 - 0.2 * (y**2 + x**2)))


def draw_spokes(m, rng):
    """Grey spokes to the corners, out of the centre, on a ground that is not black."""
    y, x = grid(m)
    cy, cx = rng.uniform(-0.3, 0.3, 2)
    return average(0.5 + 0.4 * np.sin(22 * np.arctan2(y - cy, x - cx)) * step(np.hypot(y - cy, x - cx) - 0.12, 0.02))


def draw_cells(m, rng):
    """Cells that touch: bright walls, grey insides with a nucleus."""
    y, x = grid(m)
    centres = rng.uniform(-1.1, 1.1, (40, 2))
    distance = np.sort(np.array([np.hypot(y - a, x - b) for a, b in centres]), 0)
    wall = 1 - step(distance[1] - distance[0] - 0.05, 0.02)
    return average(np.clip(0.25 + 0.65 * wall + 0.35 * (1 - step(distance[0] - 0.05, 0.02)), 0, 1))


def draw_fabric(m, rng):
    """Threads over and under each other, with folds."""
    y, x = grid(m)
    fold = 0.06 * make_texture(rng, len(y), 1.9)
    u, v = np.pi * m / 7 * (y + fold), np.pi * m / 7 * (x - fold)
    return average(np.clip(0.5 + 0.22 * np.cos(u) * np.cos(v) + 0.15 * np.sin(u + v) + 2 * fold, 0, 1))


def draw_map(m, rng):
    """Contour lines on a relief."""
    height = make_texture(rng, FINE * m, 2.4)
    line = np.abs(height * 3 % 1 - 0.5) < 0.12
    return average(np.where(line, 0.1, spread(height, 0.5, 1)))


def draw_print(m, rng):
    """Ridges of a finger: stripes of one width whose direction changes."""
    y, x = grid(m)
    bend = 0.25 * make_texture(rng, len(y), 2.0)
    return average(0.5 + 0.45 * np.tanh(2 * np.sin(np.pi * m / 6 * (np.hypot(y + 0.2, 0.8 * x) + 0.3 * bend))))


def draw_portrait(m, rng):
    """Soft shading, a few sharp edges, grain: what a face in front of a wall has."""
    y, x = grid(m)
    head = 1 - step(np.hypot(y + 0.1, 1.25 * x) - 0.62, 0.015)
    light = 0.75 + 0.2 * x - 0.25 * (y**2 + x**2)
    hollows = ((-0.2, -0.22, 0.1, 0.5), (-0.2, 0.22, 0.1, 0.5), (0.05, 0.03, 0.08, 0.2), (0.28, 0, 0.13, 0.3))
    for a, b, s, depth in hollows:
        light = light - depth * np.exp(-((y - a)**2 * 3 + (x - b)**2) / s**2)
    wall = spread(make_texture(rng, len(y), 1.4), 0.15, 0.4)
    shoulders = 1 - step(np.hypot(1.2 * (y - 1.3), x) - 0.75, 0.01)
    picture = shoulders * 0.3 + (1 - shoulders) * wall
    return average(np.clip(head * light + (1 - head) * picture + 0.02 * make_texture(rng, len(y), 0.3), 0, 1))


def draw_galaxy(m, rng):
    """A bright core, two spiral arms and edges that fade away."""
    y, x = grid(m)
    u, v = 1.5 * (0.8 * y + 0.6 * x), 0.8 * x - 0.6 * y
    radius, angle = np.hypot(u, v) + 1e-3, np.arctan2(u, v)
    arms = 0.5 + 0.5 * np.cos(2 * angle - 7 * np.log(radius) + rng.uniform(0, 6))
    knots = np.exp(0.5 * make_texture(rng, len(y), 0.8))
    return average(np.exp(-radius / 0.22) * (0.35 + arms * knots) + 1.5 * np.exp(-(radius / 0.07)**2)) * fade(m)


def fade(m):
    """1 in the middle, 0 beyond the circle that touches the sides."""
    y, x = np.mgrid[:m, :m] * 2 / (m - 1) - 1
    return np.clip((1 - np.hypot(y, x)) / 0.15, 0, 1)


def draw_planet(m, rng):
    """A disk with bands, whirls and a dark limb."""
    y, x = grid(m)
    radius = np.hypot(y, x) / 0.9
    depth = np.sqrt(np.clip(1 - radius**2, 0, 1))
    turned = y + 0.25 * x + 0.03 * make_texture(rng, len(y), 1.5)
    bands = 0.6 + 0.2 * np.sin(11 * turned) + 0.12 * np.sin(23 * turned + 1)
    spot = np.exp(-((y - 0.3) / 0.09)**2 - ((x + 0.25) / 0.17)**2)
    return average((radius < 1) * np.clip(bands + 0.3 * spot, 0, 1) * depth**0.4)


def draw_crescent(m, rng):
    """A sphere with craters that is lit from behind."""
    y, x = grid(m)
    radius = np.hypot(y, x) / 0.93
    z = np.sqrt(np.clip(1 - radius**2, 0, 1))
    relief = 0.06 * make_texture(rng, len(y), 1.1)
    return average((radius < 1) * np.clip(0.85 * x - 0.45 * z + 0.25 * y + relief, 0, 1)**0.7)


def draw_asteroid(m, rng):
    """A lump, lit from one side."""
    y, x = grid(m)
    angle = np.arctan2(y, x)
    outline = 0.65 + sum(rng.uniform(0.02, 0.12) * np.cos(k * angle + rng.uniform(0, 6)) for k in (2, 3, 4, 5))
    radius = np.hypot(y, x) / outline
    height = np.sqrt(np.clip(1 - radius**2, 0, 1)) + 0.05 * make_texture(rng, len(y), 1.3)
    dy, dx = np.gradient(height, 2 / len(y))
    return average((radius < 1) * np.clip(0.35 - 0.3 * dx + 0.2 * dy, 0.02, 1))


def draw_comet(m, rng):
    """A head like a point, a coma and a tail with streaks."""
    y, x = grid(m)
    u, v = 0.9 * (x + 0.6) + 0.44 * (y + 0.4), 0.9 * (y + 0.4) - 0.44 * (x + 0.6)
    along = np.clip(u, 0, None)
    streaks = 1 + 0.4 * np.sin(30 * v / (0.1 + along) + rng.uniform(0, 6))
    tail = np.exp(-along / 0.7) * np.exp(-(v / (0.05 + 0.22 * along))**2) * streaks * (u > 0)
    coma = np.hypot(u, v)
    return average(0.5 * tail + np.exp(-(coma / 0.05)**2) + 0.4 * np.exp(-coma / 0.1)) * np.minimum(1, 3 * fade(m))


def draw_stars(m, rng, number, width):
    """Stars of a power law of brightness, each a soft spot of so many pixels."""
    y, x = np.mgrid[:m, :m]
    picture = np.zeros((m, m))
    for _ in range(number):
        radius, angle = 0.42 * m * rng.random()**0.8, rng.uniform(0, 2 * np.pi)
        cy, cx = m / 2 + radius * np.sin(angle), m / 2 + radius * np.cos(angle)
        picture += min(1, 0.1 / rng.uniform(0.05, 1)) * np.exp(-((y - cy)**2 + (x - cx)**2) / (2 * width**2))
    return picture


def draw_cluster(m, rng):
    return draw_stars(m, rng, 60, 0.8)


def draw_pair(m, rng):
    """Two unequal stars and a faint ring around one of them."""
    y, x = grid(m)
    near = np.hypot(y + 0.15, x + 0.2)
    ring = 0.12 * np.exp(-((near - 0.4) / 0.05)**2) * (1.3 + np.sin(np.arctan2(y + 0.15, x + 0.2) + rng.uniform(0, 6)))
    return average(ring) + average(np.exp(-(near / 0.06)**2) + 0.3 * np.exp(-((y - 0.5)**2 + (x - 0.45)**2) / 0.05**2))


def draw_nebula(m, rng):
    """Filaments of gas: where a texture passes through zero."""
    n = FINE * m
    threads = (np.exp(-np.abs(make_texture(rng, n, 1.5)) / 0.12)
               + 0.6 * np.exp(-np.abs(make_texture(rng, n, 1.5)) / 0.08))
    return average(threads * spread(make_texture(rng, n, 1.7), 0.1, 1)) * fade(m) + 0.4 * draw_stars(m, rng, 12, 0.8)


def draw_ellipses(m, rng):
    """A phantom of its own: an outline of bone, inside it ellipses by chance that add up."""
    y, x = grid(m)
    picture = 1.0 * (np.hypot(y / 0.92, x / 0.72) < 1) - 0.65 * (np.hypot(y / 0.84, x / 0.64) < 1)
    for _ in range(9):
        angle, (cy, cx) = rng.uniform(0, np.pi), rng.uniform(-0.45, 0.45, 2)
        u, v = turn(y - cy, x - cx, angle)
        shape = np.hypot(u / rng.uniform(0.05, 0.25), v / rng.uniform(0.05, 0.25)) < 1
        picture += rng.choice((-0.15, 0.1, 0.2, 0.3)) * (shape & (np.hypot(y / 0.84, x / 0.64) < 1))
    return average(np.clip(picture, 0, None))


def draw_rings(m, rng):
    """A planet whose rings have gaps and lie behind it at the top."""
    y, x = grid(m)
    ball, ring = np.hypot(y, x) / 0.38, np.hypot(y / 0.35, x) / 0.95
    width = 0.6 + 0.3 * np.sin(40 * ring + rng.uniform(0, 6))
    rings = ((ring > 0.6) & (ring < 1) & (abs(ring - 0.85) > 0.02)) * width
    body = (ball < 1) * (0.5 + 0.4 * np.sqrt(np.clip(1 - ball**2, 0, 1)) + 0.08 * np.sin(25 * y))
    return average(np.where((ball < 1) & ((y < 0) | (rings == 0)), body, rings))


def draw_bars(m, rng):
    """Groups of three bars at every multiple of 11.25°, of widths from 1 px, with brightnesses of their own."""
    y, x = (t * m / 2 for t in grid(m))
    picture = np.zeros_like(y)
    for k, (cy, cx) in enumerate(rng.permutation([(a, b) for a in (-0.29, 0, 0.29) for b in (-0.29, 0, 0.29)])):
        angle, width = rng.integers(16) * np.pi / 16, 1 + k * m / 400
        u, v = turn(y - cy * m, x - cx * m, angle)
        bar = (abs(v) < 2.5 * width) & (np.abs(u) < 2.5 * width) & (np.floor(u / width + 0.5) % 2 == 0)
        picture[bar] = rng.uniform(0.5, 1)
    return average(picture)


def draw_satellite(m, rng):
    """A box with two wings of cells, and a dish."""
    y, x = grid(m)
    angle = rng.uniform(0, np.pi)
    u, v = turn(y, x, angle)
    wing = (abs(u) < 0.16) & (abs(v) > 0.26) & (abs(v) < 0.9)
    cells = 0.35 + 0.25 * ((np.floor(v * 9) + np.floor(u * 12)) % 2)
    body = (abs(u) < 0.22) & (abs(v) < 0.2)
    dish = np.hypot(u - 0.35, v) < 0.13
    return average(np.where(body, 0.7 + 0.8 * u, np.where(dish, 1, wing * cells)))


def draw_arcs(m, rng):
    """A soft galaxy that bends what lies behind it into arcs."""
    y, x = grid(m)
    radius, angle = np.hypot(y, x), np.arctan2(y, x)
    picture = 0.6 * np.exp(-radius / 0.12)
    for _ in range(6):
        at, where, length = rng.uniform(0.35, 0.8), rng.uniform(-np.pi, np.pi), rng.uniform(0.2, 0.8)
        beside = np.angle(np.exp(1j * (angle - where)))
        picture += rng.uniform(0.4, 1) * np.exp(-((radius - at) / 0.025)**2 - (beside / length)**2)
    return average(picture)


FILLING = ["clouds", "shore", "city", "foliage", "landscape", "page", "zone_plate", "checks", "spokes", "cells",
           "fabric", "map", "print", "portrait"]
BODIES = ["galaxy", "planet", "crescent", "asteroid", "comet", "cluster", "pair", "nebula", "ellipses", "rings", "bars",
          "satellite", "arcs", "letters"]
PICTURES = {name: globals()[f"draw_{name}"] for pair in zip(FILLING, BODIES) for name in pair}


def draw(name, m, seed):
    """The amplitude, [m][m] float32, whose largest value is 1."""
    picture = PICTURES[name](m, np.random.default_rng([seed, *name.encode()]))
    return np.clip(picture / picture.max(), 0, 1).astype(np.float32)
