#include "config.h"

#include "model/prism-object.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-pool.h"
#include "base/prism-system.h"
#include "config/prism-builtin.h"
#include "model/prism-stroke-font.h"
#include "num/prism-resample.h"

#define MAX_FILE_BYTES (G_GUINT64_CONSTANT (1) << 30)

typedef struct
{
  float low;
  float high;
} ValueRange;

static ValueRange
get_range (const PrismImage *image)
{
  ValueRange range = { INFINITY, -INFINITY };

  for (gsize i = 0; i < (gsize) image->height * image->width; i++)
    {
      range.low = MIN (range.low, image->pixels[i]);
      range.high = MAX (range.high, image->pixels[i]);
    }
  return range;
}

/* The frame has the value of the darkest pixel, the image lies in its middle. */
static PrismImage *
new_centred (const PrismImage *image,
             int side,
             float background,
             GError **error)
{
  PrismImage *frame = prism_image_new (side, side, error);
  int y0 = (side - image->height) / 2;
  int x0 = (side - image->width) / 2;

  if (frame == NULL)
    return NULL;
  for (gsize i = 0; i < (gsize) side * side; i++)
    frame->pixels[i] = background;
  for (int y = 0; y < image->height; y++)
    memcpy (frame->pixels + (gsize) (y0 + y) * side + x0,
            image->pixels + (gsize) y * image->width, image->width * sizeof *image->pixels);
  return frame;
}

static gboolean
check_range (ValueRange range,
             GError **error)
{
  if (range.high > range.low)
    return TRUE;
  return prism_error_format (
      error, _ ("The image has the same value everywhere in single precision (seven digits, "
                "1e-37 to 1e37), so that there is nothing to reconstruct. "
                "Choose an image that shows something."));
}

/**
 * prism_object_fit:
 * @grey: intensities in any range
 * @object_size: m
 * @invert: whether bright and dark are exchanged
 *
 * Makes an object of an image: resampled so that it fits, keeping its aspect, into a square filled
 * with its darkest value; then from 0 to 1; then the square root, since a field's amplitude is the
 * root of its intensity.
 *
 * Shape: the result is [m][m].
 * Units: amplitude, 0…1.
 * Errors: PRISM_ERROR_FORMAT for an image without structure, PRISM_ERROR_MEMORY.
 * Source: numerics.md § 2.
 *
 * Returns: (transfer full) (nullable): the amplitude
 */
PrismImage *
prism_object_fit (const PrismImage *grey,
                  int object_size,
                  gboolean invert,
                  GError **error)
{
  g_autoptr (PrismImage) fitted = NULL;
  PrismImage *object;
  ValueRange range;
  double scale;

  g_return_val_if_fail (grey != NULL && object_size > 0, NULL);

  scale = (double) object_size / MAX (grey->height, grey->width);
  fitted = prism_resample (grey, CLAMP ((int) lround (grey->height * scale), 1, object_size),
                           CLAMP ((int) lround (grey->width * scale), 1, object_size), error);
  if (fitted == NULL)
    return NULL;
  if (invert)
    {
      for (gsize i = 0; i < (gsize) fitted->height * fitted->width; i++)
        fitted->pixels[i] = -fitted->pixels[i];
    }
  range = get_range (fitted);
  if (!check_range (range, error))
    return NULL;

  object = new_centred (fitted, object_size, range.low, error);
  if (object != NULL)
    {
      scale = 1.0 / ((double) range.high - range.low);

      /* Intensity to amplitude: the darkest pixel becomes 0, the brightest 1, and √ of that is
       * kept. */
      for (gsize i = 0; i < (gsize) object->height * object->width; i++)
        {
          double value = ((double) object->pixels[i] - range.low) * scale;
          object->pixels[i] = (float) sqrt (CLAMP (value, 0.0, 1.0));
        }
    }
  return object;
}

/* What a .npy file holds is the amplitude itself. */
static PrismImage *
fit_amplitude (PrismImage *image,
               int object_size,
               GError **error)
{
  g_autoptr (PrismImage) object = NULL;
  ValueRange range = get_range (image);

  if (image->height != image->width || image->height % 2 != 0)
    {
      prism_error_format (
          error,
          _ ("The array has %d × %d values, but an amplitude must be square with an even "
             "side. Cut or pad it, or save it as an image."),
          image->height, image->width);
      return NULL;
    }
  if (range.low < 0.0f)
    {
      prism_error_format (
          error,
          _ ("The array has values from %g to %g, but an amplitude is not negative. Take"
             " its absolute value, or set what is below zero to zero."),
          range.low, range.high);
      return NULL;
    }
  if (range.high > 1.0f)
    {
      prism_error_format (
          error,
          _ ("The array has values from %g to %g, but an amplitude lies between 0 and 1. "
             "Divide it by its maximum."),
          range.low, range.high);
      return NULL;
    }
  /* One bright value everywhere is a square of light with an edge, which a tile may well be. */
  if (range.high <= 0.0f && !check_range (range, error))
    return NULL;

  object = prism_resample (image, object_size, object_size, error);
  for (gsize i = 0; object != NULL && i < (gsize) object_size * object_size; i++)
    object->pixels[i] = CLAMP (object->pixels[i], 0.0f, 1.0f);
  return g_steal_pointer (&object);
}

static char *
dup_builtin_names (void)
{
  GString *names = g_string_new (NULL);
  gsize n;
  const PrismBuiltin *builtins = prism_builtin_get_all (&n);

  for (gsize i = 0; i < n; i++)
    g_string_append_printf (names, "%s%s", i == 0 ? "" : i + 1 < n ? ", "
                                                                   : " or ",
                            builtins[i].id);
  return g_string_free (names, FALSE);
}

static gboolean
check_exists (const char *name,
              GError **error)
{
  g_autofree char *builtins = NULL;

  if (strchr (name, G_DIR_SEPARATOR) != NULL || g_file_test (name, G_FILE_TEST_EXISTS))
    return TRUE;

  builtins = dup_builtin_names ();
  return prism_error_io (
      error, _ ("The object “%s” is neither a file nor built in. Choose %s, or an image file."),
      name, builtins);
}

static PrismImage *
load_file (const PrismConfig *config,
           GError **error)
{
  g_autofree char *name = prism_file_dup_display_name (config->object);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (PrismImage) image = NULL;
  PrismImage *object;
  GError *local_error = NULL;
  gsize size;
  const char *data;

  if (!check_exists (config->object, error))
    return NULL;
  bytes = prism_file_load (config->object, MAX_FILE_BYTES, error);
  if (bytes == NULL)
    return NULL;
  image = prism_image_load_bytes (bytes, name, error);
  if (image == NULL)
    return NULL;

  data = g_bytes_get_data (bytes, &size);
  if (size > 6 && memcmp (data, "\x93NUMPY", 6) == 0)
    object = fit_amplitude (image, config->object_size, &local_error);
  else
    object = prism_object_fit (image, config->object_size, config->object_invert, &local_error);
  if (local_error != NULL)
    g_propagate_prefixed_error (error, local_error, "“%s”: ", name);
  if (object != NULL)
    object->origin = image->origin;
  return object;
}

#define MAX_THREADS 16

typedef struct
{
  PrismImage *image;
  int oversampling;
  PrismDrawFunc func;
  gconstpointer drawing;
} DrawJob;

static void
draw_row (gpointer data,
          guint y,
          guint worker)
{
  const DrawJob *job = data;
  int m = job->image->width;
  int n = job->oversampling;
  double step = 2.0 / ((double) m * n);

  for (int x = 0; x < m; x++)
    {
      double sum = 0.0;
      for (int v = 0; v < n; v++)
        for (int u = 0; u < n; u++)
          sum += job->func (((double) y * n + v + 0.5) * step - 1.0,
                            ((double) x * n + u + 0.5) * step - 1.0, job->drawing);
      job->image->pixels[(gsize) y * m + x] = (float) (sum / (n * n));
    }
}

/**
 * prism_object_draw:
 * @object_size: m
 * @oversampling: points per pixel in each direction
 * @func: (scope call): intensity at a point, for several threads at once
 * @drawing: for @func
 *
 * Draws by the mean over a grid of points in each pixel, on all processors.
 *
 * Shape: [m][m].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the drawing
 */
PrismImage *
prism_object_draw (int object_size,
                   int oversampling,
                   PrismDrawFunc func,
                   gconstpointer drawing,
                   GError **error)
{
  g_autoptr (PrismImage) image = prism_image_new (object_size, object_size, error);
  g_autoptr (PrismPool) pool = NULL;
  DrawJob job = { image, oversampling, func, drawing };

  if (image == NULL)
    return NULL;
  pool = prism_pool_new (MIN (prism_available_get_processors (), MAX_THREADS), error);
  if (pool == NULL)
    return NULL;
  prism_pool_run (pool, (guint) object_size, draw_row, &job);
  return g_steal_pointer (&image);
}

#define N_SPOKES 36
#define STAR_RADIUS 0.95
#define N_SQUARES 8

static int
get_oversampling (int object_size)
{
  return object_size <= 512 ? 8 : 4;
}

/* A Siemens star of 36 bright spokes; at radius ρ px its period is 2πρ/36 px. */
static double
get_siemens (double y,
             double x,
             gconstpointer drawing)
{
  if (hypot (y, x) > STAR_RADIUS)
    return 0.0;
  return sin (N_SPOKES * atan2 (y, x)) > 0.0 ? 1.0 : 0.0;
}

/* 8 × 8 squares, the upper left one bright. */
static double
get_checkerboard (double y,
                  double x,
                  gconstpointer drawing)
{
  int row = (int) floor ((y + 1.0) * N_SQUARES / 2);
  int column = (int) floor ((x + 1.0) * N_SQUARES / 2);

  return (row + column) % 2 == 0 ? 1.0 : 0.0;
}

/* Centre and semi-axes of an ellipse, y upwards; turned counter-clockwise; what it adds. */
typedef struct
{
  double value;
  double semi_x;
  double semi_y;
  double x;
  double y;
  double degrees;
} PhantomEllipse;

static const PhantomEllipse ellipses[] = {
  { 1.0, 0.69, 0.92, 0.0, 0.0, 0.0 },
  { -0.8, 0.6624, 0.874, 0.0, -0.0184, 0.0 },
  { -0.2, 0.11, 0.31, 0.22, 0.0, -18.0 },
  { -0.2, 0.16, 0.41, -0.22, 0.0, 18.0 },
  { 0.1, 0.21, 0.25, 0.0, 0.35, 0.0 },
  { 0.1, 0.046, 0.046, 0.0, 0.1, 0.0 },
  { 0.1, 0.046, 0.046, 0.0, -0.1, 0.0 },
  { 0.1, 0.046, 0.023, -0.08, -0.605, 0.0 },
  { 0.1, 0.023, 0.023, 0.0, -0.606, 0.0 },
  { 0.1, 0.023, 0.046, 0.06, -0.605, 0.0 },
};

/* The head phantom in the version with visible contrast (Shepp and Logan, 1974; contrasts of Toft,
 * "The Radon transform", 1996, table B.1). */
static double
get_shepp_logan (double y,
                 double x,
                 gconstpointer drawing)
{
  double sum = 0.0;

  PRISM_FOR_EACH_OF (e, ellipses)
    {
      double angle = e->degrees * G_PI / 180.0;
      double dx = x - e->x;
      double dy = -y - e->y;
      double u = (dx * cos (angle) + dy * sin (angle)) / e->semi_x;
      double v = (dy * cos (angle) - dx * sin (angle)) / e->semi_y;
      if (u * u + v * v <= 1.0)
        sum += e->value;
    }
  return MAX (sum, 0.0);
}

/* Stars in units of the frame. */
typedef struct
{
  int n_stars;
  double centres[4][2]; /* y, x */
  double radius;
} PointDrawing;

static double
get_points (double y,
            double x,
            gconstpointer drawing)
{
  const PointDrawing *points = drawing;

  for (int i = 0; i < points->n_stars; i++)
    if (hypot (y - points->centres[i][0], x - points->centres[i][1]) <= points->radius)
      return 1.0;
  return 0.0;
}

/* One to four stars of equal brightness, a side apart: side by side, as a triangle or as a square.
 */
static PrismImage *
draw_points (const PrismConfig *config,
             GError **error)
{
  double unit = 2.0 / config->object_size;
  PointDrawing points = { .n_stars = CLAMP (config->point_count, 1, 4) };
  double distance;
  double spacing = config->point_spacing * unit;
  static const double first_angles[5] = { 0.0, 0.0, 0.0, -G_PI / 2, -G_PI / 4 };
  int n = points.n_stars;
  double radius = n == 1 ? 0.0 : spacing / (2.0 * sin (G_PI / n));

  /* On the corners of a regular figure whose sides are the spacing; two lie side by side. */
  for (int i = 0; i < n; i++)
    {
      double angle = first_angles[n] + 2.0 * G_PI * i / n;
      points.centres[i][0] = radius * sin (angle);
      points.centres[i][1] = radius * cos (angle);
    }
  distance = radius;
  points.radius = 0.5 * config->point_diameter * unit;
  if (!(distance + points.radius <= 1.0))
    {
      prism_error_config (
          error,
          _ ("%d points of %g px, %g px apart, do not fit into an object of %d px. Make "
             "“point_spacing” or “point_diameter” smaller, or “object_size” larger."),
          points.n_stars, config->point_diameter, config->point_spacing, config->object_size);
      return NULL;
    }
  return prism_object_draw (config->object_size, get_oversampling (config->object_size),
                            get_points, &points, error);
}

/* Of the side of the frame. */
#define FILLED 0.92

/* A text as large as fits; \n in it starts a new line. */
static PrismImage *
draw_text (const PrismConfig *config,
           GError **error)
{
  /* A newline is easier to type on a command line as \n. */
  g_auto (GStrv) parts
      = g_strsplit (config->object_text != NULL ? config->object_text : "", "\\n", -1);
  g_autofree char *lines = g_strjoinv ("\n", parts);
  g_autoptr (PrismStrokeText) text = prism_stroke_text_new (lines);
  double width = prism_stroke_text_get_width (text);
  double height = prism_stroke_text_get_height (text);
  int m = config->object_size;
  PrismImage *image;
  double scale;

  if (width == 0.0)
    {
      prism_error_config (error, _ ("object_text is empty: give it a word."));
      return NULL;
    }
  image = prism_image_new (m, m, error);
  if (image == NULL)
    return NULL;

  scale = FILLED * m / MAX (width, height);
  prism_stroke_text_draw (text, image, (m - height * scale) / 2, (m - width * scale) / 2, scale);
  return image;
}

/* By the ids of prism-builtin: what draws one, or what is a formula and depends on nothing. */
static const struct
{
  const char *id;
  PrismImage *(*draw) (const PrismConfig *config,
                       GError **error);
  PrismDrawFunc formula;
} drawings[] = {
  { "moon", prism_object_draw_moon, NULL },
  { "ice-moon", prism_object_draw_ice_moon, NULL },
  { "usaf1951", prism_object_draw_usaf1951, NULL },
  { "siemens", NULL, get_siemens },
  { "points", draw_points, NULL },
  { "checkerboard", NULL, get_checkerboard },
  { "shepp-logan", NULL, get_shepp_logan },
  { "text", draw_text, NULL },
};

/**
 * prism_object_load:
 * @config: object, object_size, object_invert; for built-in ones also point_… and object_text
 *
 * Draws a built-in object or reads one from an image file (PNG, JPEG, TIFF, FITS: intensities) or
 * a .npy file (the amplitude itself: unchanged where its side is m, resampled otherwise, never
 * inverted). Its origin says what of the file it does not show.
 *
 * Shape: [m][m].
 * Units: amplitude, 0…1.
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG, PRISM_ERROR_MEMORY.
 * Source: numerics.md § 2.
 *
 * Returns: (transfer full) (nullable): the amplitude
 */
PrismImage *
prism_object_load (const PrismConfig *config,
                   GError **error)
{
  const int m = config->object_size;

  g_return_val_if_fail (m > 0, NULL);

  if (config->object == NULL || *config->object == '\0')
    {
      prism_error_config (
          error, _ ("No object is chosen. Set “object” to the name of a built-in one or to a "
                    "file."));
      return NULL;
    }
  PRISM_FOR_EACH_OF (drawing, drawings)
    {
      g_autoptr (PrismImage) intensity = NULL;

      if (strcmp (drawing->id, config->object) != 0)
        continue;
      intensity = drawing->draw != NULL
                      ? drawing->draw (config, error)
                      : prism_object_draw (m, get_oversampling (m), drawing->formula, NULL,
                                           error);
      return intensity != NULL
                 ? prism_object_fit (intensity, m, config->object_invert, error)
                 : NULL;
    }
  return load_file (config, error);
}
