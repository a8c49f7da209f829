#include "config.h"

#include "results/prism-frc.h"

#include "base/prism-arena.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "base/prism-csv.h"
#include "base/prism-each.h"
#include "num/prism-fft.h"
#include "num/prism-spectrum.h"

/* Of a ring with fewer independent values nothing can be said: it is judged as if it had these. */
#define LEAST_VALUES 4.0

/* Sums of one ring. */
typedef struct
{
  guint n_pixels;
  double product; /* Re Σ a·b̄ */
  double power_a;
  double power_b;
} RingSums;

/* A real image has half the values of its spectrum, one in a larger field m²/n² of these.
 * Source: van Heel & Schatz, J. Struct. Biol. 151 (2005) 250, eq. 17. */
static double
get_half_bit (guint n_pixels,
              double share)
{
  double root = sqrt (MAX (LEAST_VALUES, 0.5 * n_pixels * share));

  return (0.2071 + 1.9102 / root) / (1.2071 + 0.9102 / root);
}

/* share: m²/n² */
static void
measure_coverage (PrismFrc *self,
                  const PrismImage *coverage,
                  double share)
{
  int n = coverage->width;
  g_autofree guint *n_pixels = g_new0 (guint, self->n_rings);

  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      {
        guint ring = (guint) floor (hypot (y - n / 2, x - n / 2) + 0.5);

        if (ring >= self->n_rings)
          continue;
        n_pixels[ring]++;
        self->covered[ring] += coverage->pixels[(gsize) y * n + x] > 0.0f;
      }
  for (guint ring = 0; ring < self->n_rings; ring++)
    {
      self->covered[ring] /= MAX (n_pixels[ring], 1);
      self->half_bit[ring] = get_half_bit (n_pixels[ring], share);
    }
}

static PrismFrc *
new_rings (int n)
{
  PrismFrc *self = g_new0 (PrismFrc, 1);

  self->n_rings = (guint) n / 2 + 1;
  self->correlation = g_new0 (double, self->n_rings);
  self->covered = g_new0 (double, self->n_rings);
  self->half_bit = g_new0 (double, self->n_rings);
  return self;
}

/* Takes a frequency of two spectra, of which weight many are alike, into its ring. */
static void
add_product (RingSums *rings,
             guint n_rings,
             int y,
             int x,
             double weight,
             const float *a,
             const float *b)
{
  const guint ring = (guint) floor (hypot (y, x) + 0.5);

  if (ring >= n_rings)
    return;
  rings[ring].n_pixels++;
  rings[ring].product += weight * (a[0] * (double) b[0] + a[1] * (double) b[1]);
  rings[ring].power_a += weight * (a[0] * (double) a[0] + a[1] * (double) a[1]);
  rings[ring].power_b += weight * (b[0] * (double) b[0] + b[1] * (double) b[1]);
}

static void
set_correlation (PrismFrc *self,
                 const RingSums *rings)
{
  for (guint ring = 0; ring < self->n_rings; ring++)
    {
      const double power = sqrt (rings[ring].power_a) * sqrt (rings[ring].power_b);

      self->correlation[ring] = power > 0.0 ? rings[ring].product / power : NAN;
    }
}

/**
 * prism_frc_new:
 * @image: a reconstruction
 * @object: what it should be
 * @coverage: 1 where k-space was measured
 *
 * Correlates the spectra ring by ring: Re Σ a·b̄ / √(Σ|a|²·Σ|b|²). A low value in a ring that is
 * covered says that the ring was not learned, in one that is not covered that it was not measured.
 *
 * Shape: @image and @object [m][m], @coverage [n][n] with zero frequency at [n/2][n/2], m ≤ n.
 * Units: the rings' radius in px of k-space.
 * Errors: PRISM_ERROR_MEMORY.
 * Source: numerics.md § 10; Saxton & Baumeister, J. Microscopy 127 (1982) 127.
 *
 * Returns: (transfer full) (nullable): the curve
 */
PrismFrc *
prism_frc_new (const PrismImage *image,
               const PrismImage *object,
               const PrismImage *coverage,
               GError **error)
{
  const int n = coverage->width;
  g_autoptr (PrismFrc) self = new_rings (n);
  g_autofree RingSums *rings = g_new0 (RingSums, self->n_rings);
  prism_autofree_array float *a = NULL, *b = NULL;

  g_return_val_if_fail (coverage->height == n && image->width <= n && image->height <= n, NULL);
  g_return_val_if_fail (image->width == object->width && image->height == object->height, NULL);

  measure_coverage (self, coverage, (double) image->width * image->height / n / n);
  a = prism_spectrum_transform (image, n, error);
  b = a != NULL ? prism_spectrum_transform (object, n, error) : NULL;
  if (b == NULL)
    return NULL;
  /* Columns 1…n/2-1 of the half spectrum stand for their mirror images, too. */
  for (int row = 0; row < n; row++)
    for (int x = 0; x <= n / 2; x++)
      {
        const gsize i = 2 * ((gsize) row * (n / 2 + 1) + x);

        add_product (rings, self->n_rings, row < n / 2 ? row : row - n, x,
                     x == 0 || x == n / 2 ? 1.0 : 2.0, a + i, b + i);
      }
  set_correlation (self, rings);
  return g_steal_pointer (&self);
}

/* Fades an object less its mean towards its edges, which a transform joins. Returns: (transfer
 * full): [n][n][2], the spectrum, zero frequency first */
static float *
transform_faded (const float *object,
                 int n)
{
  float *values = g_memdup2 (object, 2 * sizeof *values * n * n);
  double mean[2] = { 0 };

  for (int i = 0; i < n * n; i++)
    for (int k = 0; k < 2; k++)
      mean[k] += (double) object[2 * i + k] / n / n;
  for (int i = 0; i < n * n; i++)
    {
      const double y = sin (G_PI * (i / n + 0.5) / n), x = sin (G_PI * (i % n + 0.5) / n);

      for (int k = 0; k < 2; k++)
        values[2 * i + k] = (float) (x * x * y * y * ((double) object[2 * i + k] - mean[k]));
    }
  prism_fft_complex_transform (values, n, TRUE);
  return values;
}

/* Of independent values that the faded square still has: (Σw²)²/(n²·Σw⁴). */
#define FADED (0.5143 * 0.5143)

/**
 * prism_frc_new_complex:
 * @a: an object
 * @b: another one of the same
 * @n: their side
 *
 * Correlates two complex objects that know nothing of each other's noise, as prism_frc_new() does.
 * How much of a ring was measured is not said.
 *
 * Shape: [n][n][2].
 *
 * Returns: (transfer full): the curve
 */
PrismFrc *
prism_frc_new_complex (const float *a,
                       const float *b,
                       int n)
{
  PrismFrc *self = new_rings (n);
  g_autofree float *s = transform_faded (a, n);
  g_autofree float *t = transform_faded (b, n);
  g_autofree RingSums *rings = g_new0 (RingSums, self->n_rings);

  for (int i = 0; i < n * n; i++)
    add_product (rings, self->n_rings, i / n < n / 2 ? i / n : i / n - n,
                 i % n < n / 2 ? i % n : i % n - n, 1.0, s + 2 * (gsize) i, t + 2 * (gsize) i);
  set_correlation (self, rings);
  for (guint ring = 0; ring < self->n_rings; ring++)
    {
      self->covered[ring] = NAN;
      /* A complex object has twice the independent values of a real one. */
      self->half_bit[ring] = get_half_bit (rings[ring].n_pixels, 2 * FADED);
    }
  return self;
}

/**
 * prism_frc_new_snapshot:
 * @snapshot: a snapshot
 *
 * Correlates the reconstruction with the object at the moment of a snapshot.
 *
 * Errors: PRISM_ERROR_MEMORY; none, and %NULL, where the snapshot has no image yet.
 *
 * Returns: (transfer full) (nullable): the curve
 */
PrismFrc *
prism_frc_new_snapshot (const PrismSnapshot *snapshot,
                        GError **error)
{
  const PrismImage *image = snapshot->reconstruction, *object = snapshot->target;

  if (image == NULL || object == NULL || snapshot->coverage_plane == NULL
      || image->width != object->width || image->height != object->height)
    return NULL;
  return prism_frc_new (image, object, snapshot->coverage_plane, error);
}

/**
 * prism_frc_free:
 * @self: (nullable): a curve
 */
PRISM_FREE_FOR_ALL (PrismFrc,
                    prism_frc_free,
                    g_free,
                    correlation,
                    g_free,
                    covered,
                    g_free,
                    half_bit)

/* threshold [n_rings], or the same everywhere: step 0. */
static double
find_crossing (const PrismFrc *self,
               const double *threshold,
               guint step)
{
  for (guint ring = 1; ring < self->n_rings; ring++)
    {
      double before = self->correlation[ring - 1] - threshold[(ring - 1) * step];
      double here = self->correlation[ring] - threshold[ring * step];

      if (here >= 0.0)
        continue;
      if (isnan (here) || isnan (before) || before <= 0.0)
        return ring - 1;
      return ring - 1 + before / (before - here);
    }
  return self->n_rings - 1;
}

/**
 * prism_frc_get_resolution:
 * @threshold: such as 1/7, for a comparison with the truth 0.5
 *
 * Finds the frequency up to which the images agree: where the curve first falls below the
 * threshold, between two rings by straight line.
 *
 * Units: px of k-space.
 *
 * Returns: 0…n/2
 */
double
prism_frc_get_resolution (const PrismFrc *self,
                          double threshold)
{
  return find_crossing (self, &threshold, 0);
}

/**
 * prism_frc_get_measured:
 *
 * Returns: the ring before the first of which nothing was measured, 0…n/2
 */
guint
prism_frc_get_measured (const PrismFrc *self)
{
  guint ring = 0;

  while (ring + 1 < self->n_rings && self->covered[ring + 1] > 0.0)
    ring++;
  return ring;
}

/**
 * prism_frc_get_reach:
 *
 * Finds the frequency up to which the images agree by the half-bit criterion, as
 * prism_frc_get_resolution() does for a constant. What was not measured is a guess, however right:
 * it counts up to the first ring of which nothing was measured, and no farther.
 *
 * Units: px of k-space.
 *
 * Returns: 0…n/2
 */
double
prism_frc_get_reach (const PrismFrc *self)
{
  return fmin (find_crossing (self, self->half_bit, 1), prism_frc_get_measured (self));
}

/**
 * prism_frc_get_share:
 *
 * Returns: how much was measured of the plane up to prism_frc_get_reach(), 0…1
 */
double
prism_frc_get_share (const PrismFrc *self)
{
  const double reach = prism_frc_get_reach (self);
  double measured = 0, all = 0;

  for (guint ring = 0; ring <= reach; ring++)
    {
      /* As there are pixels in it. */
      const double weight = MAX (ring, 0.125);

      measured += weight * self->covered[ring];
      all += weight;
    }
  return measured / all;
}

/**
 * prism_frc_to_text:
 *
 * Says in one sentence up to which frequency the result is right, and the finest period there.
 *
 * Returns: (transfer full): the sentence
 */
char *
prism_frc_to_text (const PrismFrc *self)
{
  double reach = prism_frc_get_reach (self);
  double n = 2.0 * (self->n_rings - 1);
  const char *radius = prism_digits ("%.1f", reach);

  if (reach >= self->n_rings - 1)
    return g_strdup_printf ("Fourier ring correlation: above the half-bit threshold up to the edge"
                            " of the field, %s px.",
                            radius);
  if (reach >= prism_frc_get_measured (self))
    return g_strdup_printf ("Fourier ring correlation: above the half-bit threshold as far as was"
                            " measured, %s of %u px.",
                            radius, self->n_rings - 1);
  return g_strdup_printf ("Fourier ring correlation: above the half-bit threshold up to %s of %u"
                          " px, periods of %s px.",
                          radius, self->n_rings - 1,
                          prism_digits ("%.2f", reach > 0.0 ? n / reach : n));
}

/**
 * prism_frc_save_csv:
 * @path: file name
 *
 * Writes one line per ring: radius, correlation, covered, half-bit threshold. What has no value is
 * empty.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_frc_save_csv (const PrismFrc *self,
                    const char *path,
                    GError **error)
{
  g_autoptr (GString) text = g_string_new ("radius,correlation,covered,half_bit\n");

  for (guint ring = 0; ring < self->n_rings; ring++)
    {
      const double cells[]
          = { self->correlation[ring], self->covered[ring], self->half_bit[ring] };

      g_string_append_printf (text, "%u", ring);
      prism_csv_append_numbers (text, cells, G_N_ELEMENTS (cells));
      g_string_append_c (text, '\n');
    }
  return prism_file_save (path, text->str, text->len, error);
}

#define TARGET "usaf1951"
#define N_BARS 3
#define BAR_LENGTH 5.0 /* line widths */
/* What the object's own pixels do not show is no test of a reconstruction: bars beyond Nyquist's
 * limit, and those that fall badly on the grid. */
#define MAX_LINE_PAIRS_PER_PIXEL 0.5
#define MIN_CONTRAST 0.1

typedef struct
{
  double y, x, height, width; /* px */
} Box;

/* Mean over a box whose borders lie between pixels. */
static double
get_mean (const PrismImage *image,
          const Box *box)
{
  int y1 = MIN ((int) ceil (box->y + box->height), image->height);
  int x1 = MIN ((int) ceil (box->x + box->width), image->width);
  double sum = 0.0, area = 0.0;

  for (int y = MAX ((int) floor (box->y), 0); y < y1; y++)
    for (int x = MAX ((int) floor (box->x), 0); x < x1; x++)
      {
        double rows = MIN (y + 1.0, box->y + box->height) - MAX ((double) y, box->y);
        double columns = MIN (x + 1.0, box->x + box->width) - MAX ((double) x, box->x);
        double part = MAX (rows, 0.0) * MAX (columns, 0.0);

        sum += part * image->pixels[(gsize) y * image->width + x];
        area += part;
      }
  return area > 0.0 ? sum / area : 0.0;
}

/* (bars - gaps)/(bars + gaps) of one of the two triples: the middle half of each bar and gap, the
 * ends left out. */
static double
get_contrast (const PrismImage *image,
              const PrismUsafElement *usaf,
              gboolean horizontal)
{
  double line = usaf->side / BAR_LENGTH;
  double x0 = horizontal ? usaf->x + usaf->side + usaf->gap : usaf->x;
  double sums[2] = { 0.0, 0.0 };

  for (int i = 0; i < 2 * N_BARS - 1; i++)
    {
      double across = (i + 0.25) * line, along = 0.2 * usaf->side;
      Box box = { usaf->y + along, x0 + across, 0.6 * usaf->side, 0.5 * line };

      if (horizontal)
        box = (Box) { usaf->y + across, x0 + along, 0.5 * line, 0.6 * usaf->side };
      sums[i % 2] += get_mean (image, &box) / (i % 2 == 0 ? N_BARS : N_BARS - 1);
    }
  return sums[0] + sums[1] != 0.0 ? (sums[0] - sums[1]) / (sums[0] + sums[1]) : 0.0;
}

/* The worse of the two directions, as a part of the object's own contrast; NAN for bars that are
 * too fine for the object's pixels. */
static double
get_transfer (const PrismImage *image,
              const PrismImage *object,
              const PrismUsafElement *usaf)
{
  double worst = INFINITY;

  for (int horizontal = 0; horizontal < 2; horizontal++)
    {
      double truth = get_contrast (object, usaf, horizontal);

      if (usaf->line_pairs_per_pixel > MAX_LINE_PAIRS_PER_PIXEL || fabs (truth) < MIN_CONTRAST)
        return NAN;
      worst = MIN (worst, get_contrast (image, usaf, horizontal) / truth);
    }
  return worst;
}

static int
compare_elements (gconstpointer a,
                  gconstpointer b)
{
  const PrismUsafElement *left = a;
  const PrismUsafElement *right = b;

  return (left->line_pairs_per_pixel > right->line_pairs_per_pixel)
         - (left->line_pairs_per_pixel < right->line_pairs_per_pixel);
}

/**
 * prism_resolution_compute:
 * @self: (out caller-allocates): what was found
 * @image: a reconstruction of the built-in target
 * @object: the target itself
 *
 * Finds the finest element whose bars keep PRISM_RESOLUTION_CONTRAST of their contrast in both
 * directions, every coarser element doing so, too.
 *
 * Shape: both [m][m], amplitude.
 */
void
prism_resolution_compute (PrismResolution *self,
                          const PrismImage *image,
                          const PrismImage *object)
{
  PrismUsafElement elements[PRISM_OBJECT_MAX_USAF_ELEMENTS];
  gboolean all_before = TRUE;
  guint n_elements;

  g_return_if_fail (image->width == object->width && image->height == object->height);

  memset (self, 0, sizeof *self);
  n_elements = prism_object_get_usaf_elements (object->width, elements);
  qsort (elements, n_elements, sizeof *elements, compare_elements);
  for (guint i = 0; i < n_elements; i++)
    {
      double transfer = get_transfer (image, object, &elements[i]);

      if (isnan (transfer))
        continue;
      self->n_elements++;
      all_before = all_before && transfer >= PRISM_RESOLUTION_CONTRAST;
      if (!all_before)
        continue;
      self->n_resolved++;
      self->finest = elements[i];
      self->contrast = transfer;
    }
}

/**
 * prism_resolution_compute_snapshot:
 * @self: (out caller-allocates): what was found
 * @snapshot: a snapshot
 *
 * The same for a run whose object is the built-in target.
 *
 * Returns: whether the object is the target and there is a reconstruction
 */
gboolean
prism_resolution_compute_snapshot (PrismResolution *self,
                                   const PrismSnapshot *snapshot)
{
  if (snapshot->config == NULL || strcmp (snapshot->config->object, TARGET) != 0
      || snapshot->reconstruction == NULL || snapshot->target == NULL)
    return FALSE;
  prism_resolution_compute (self, snapshot->reconstruction, snapshot->target);
  return TRUE;
}

/**
 * prism_resolution_to_text:
 * @self: of prism_resolution_compute()
 *
 * Says in one sentence what is resolved.
 *
 * Returns: (transfer full): "Resolved: group 0, element 3 (0.125 line pairs per pixel, …)."
 */
char *
prism_resolution_to_text (const PrismResolution *self)
{
  if (self->n_resolved == 0)
    return g_strdup_printf ("Resolved: none of the %u elements.", self->n_elements);
  return g_strdup_printf ("Resolved: group %d, element %d (%.3g line pairs per pixel), %u of %u"
                          " elements.",
                          self->finest.group, self->finest.element,
                          self->finest.line_pairs_per_pixel, self->n_resolved, self->n_elements);
}
