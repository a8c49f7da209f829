#include "config.h"

#include "prism-colormap.h"

#include <glib/gi18n.h>
#include <math.h>

#define N_COLORMAPS (PRISM_COLORMAP_CORRELATION + 1)
#define N_TERMS 7

/* [channel][power]: polynomials in the position 0…1. */
typedef double Polynomial[3][N_TERMS];

/* Source: fits of degree 6 by Matt Zucker (CC0, shadertoy.com/view/WlfXRN) to the tables of
 * Nathaniel Smith and Stéfan van der Walt (CC0, bids.github.io/colormap); within 2 % of them
 * everywhere. */
static const Polynomial viridis = {
  { 0.2777273, 0.1050930, -0.3308618, -4.6342305, 6.2282699, 4.7763850, -5.4354559 },
  { 0.0054073, 1.4046135, 0.2148476, -5.7991010, 14.1799334, -13.7451454, 4.6458526 },
  { 0.3340998, 1.3845902, 0.0950952, -19.3324410, 56.6905526, -65.3530326, 26.3124352 },
};

static const Polynomial magma = {
  { -0.0021365, 0.2516605, 8.3537173, -27.6687331, 52.1761398, -50.7685254, 18.6557051 },
  { -0.0007497, 0.6775232, -3.5777195, 14.2647308, -27.9436061, 29.0465828, -11.4897735 },
  { -0.0053861, 2.4940266, 0.3144679, -13.6492132, 12.9441694, 4.2341530, -5.6019615 },
};

static const Polynomial inferno = {
  { 0.0002189, 0.1065134, 11.6024931, -41.7039961, 77.1629357, -71.3194282, 25.1311262 },
  { 0.0016510, 0.5639564, -3.9728540, 17.4363989, -33.4023589, 32.6260643, -12.2426690 },
  { -0.0194809, 3.9327124, -15.9423941, 44.3541452, -81.8073093, 73.2095199, -23.0703250 },
};

static const Polynomial plasma = {
  { 0.0587323, 2.1765146, -2.6894605, 6.1303483, -11.1074362, 10.0230656, -3.6587138 },
  { 0.0233367, 0.2383834, -7.4558511, 42.3461881, -82.6663111, 71.4136177, -22.9315347 },
  { 0.5433402, 0.7539605, 3.1107999, -28.5188547, 60.1398477, -54.0721866, 18.1919078 },
};

/* Source: the fit of d3-scale-chromatic to the table of Nuñez, Anderton and Renslow,
 * doi:10.1371/journal.pone.0199239; in units of 1/255. */
static const Polynomial cividis = {
  { -4.54, -35.34, 2381.73, -6402.70, 7024.72, -2710.57, 0 },
  { 32.49, 170.73, 52.82, -131.46, 176.58, -67.37, 0 },
  { 81.24, 442.36, -2482.43, 6167.24, -6614.94, 2475.67, 0 },
};

static guint32 tables[N_COLORMAPS][PRISM_COLORMAP_SIZE];

static guint32
pack_color (const double rgb[3],
            double alpha)
{
  guint32 pixel = (guint32) lrint (255 * alpha) << 24;

  for (int c = 0; c < 3; c++)
    pixel |= (guint32) lrint (255 * alpha * CLAMP (rgb[c], 0.0, 1.0)) << (16 - 8 * c);
  return pixel;
}

static void
compute_polynomial (const Polynomial polynomial,
                    double unit,
                    guint32 table[PRISM_COLORMAP_SIZE])
{
  for (int i = 0; i < PRISM_COLORMAP_SIZE; i++)
    {
      double t = i / (PRISM_COLORMAP_SIZE - 1.0);
      double rgb[3] = { 0 };

      for (int c = 0; c < 3; c++)
        for (int power = N_TERMS - 1; power >= 0; power--)
          rgb[c] = rgb[c] * t + polynomial[c][power] / unit;
      table[i] = pack_color (rgb, 1);
    }
}

/* Magnitude, saturation, hue to sRGB by way of CIELAB under D65. */
static void
convert_msh (const double msh[3],
             double rgb[3])
{
  static const double white[3] = { 0.95047, 1.0, 1.08883 };
  static const double matrix[3][3] = {
    { 3.2406, -1.5372, -0.4986 },
    { -0.9689, 1.8758, 0.0415 },
    { 0.0557, -0.2040, 1.0570 },
  };
  double y = (msh[0] * cos (msh[1]) + 16) / 116;
  double f[3] = {
    y + msh[0] * sin (msh[1]) * cos (msh[2]) / 500,
    y,
    y - msh[0] * sin (msh[1]) * sin (msh[2]) / 200,
  };
  double xyz[3];

  for (int c = 0; c < 3; c++)
    xyz[c] = white[c] * (f[c] > 6.0 / 29 ? pow (f[c], 3) : (f[c] - 4.0 / 29) * 108 / 841);
  for (int c = 0; c < 3; c++)
    {
      double linear = matrix[c][0] * xyz[0] + matrix[c][1] * xyz[1] + matrix[c][2] * xyz[2];
      rgb[c] = linear > 0.0031308 ? 1.055 * pow (linear, 1 / 2.4) - 0.055 : 12.92 * linear;
    }
}

/* Source: Kenneth Moreland, "Diverging Color Maps for Scientific Visualization" (2009): straight
 * lines in Msh from sRGB (59, 76, 192) over a white of M = 88 to (180, 4, 38). */
static void
compute_coolwarm (guint32 table[PRISM_COLORMAP_SIZE])
{
  static const double ends[2][3] = { { 80, 1.08, -1.1 }, { 80, 1.08, 0.5 } };
  static const double middles[2][3] = { { 88, 0, -1.661 }, { 88, 0, 1.061 } };

  for (int i = 0; i < PRISM_COLORMAP_SIZE; i++)
    {
      double t = 2.0 * i / (PRISM_COLORMAP_SIZE - 1) - 1;
      const double *end = ends[t > 0];
      const double *middle = middles[t > 0];
      double msh[3];
      double rgb[3];

      for (int c = 0; c < 3; c++)
        msh[c] = middle[c] + fabs (t) * (end[c] - middle[c]);
      convert_msh (msh, rgb);
      table[i] = pack_color (rgb, 1);
    }
}

static void
compute_coverage (guint32 table[PRISM_COLORMAP_SIZE])
{
  static const double tint[3] = { 0.20, 0.78, 1.0 };

  for (int i = 0; i < PRISM_COLORMAP_SIZE; i++)
    table[i] = pack_color (tint, 0.38 * i / (PRISM_COLORMAP_SIZE - 1));
}

/* The spectrum is to be seen through it. */
static void
compute_correlation (guint32 table[PRISM_COLORMAP_SIZE])
{
  const double alpha = 0.72;

  for (int i = 0; i < PRISM_COLORMAP_SIZE; i++)
    {
      guint32 color = tables[PRISM_COLORMAP_VIRIDIS][i];
      double rgb[3];

      for (int c = 0; c < 3; c++)
        rgb[c] = (color >> (16 - 8 * c) & 0xff) / 255.0;
      table[i] = pack_color (rgb, alpha);
    }
}

static gpointer
compute_tables (gpointer data)
{
  static const double black_to_white[3][N_TERMS] = { { 0, 1 }, { 0, 1 }, { 0, 1 } };

  compute_polynomial (black_to_white, 1, tables[PRISM_COLORMAP_GREY]);
  compute_polynomial (viridis, 1, tables[PRISM_COLORMAP_VIRIDIS]);
  compute_polynomial (magma, 1, tables[PRISM_COLORMAP_MAGMA]);
  compute_polynomial (inferno, 1, tables[PRISM_COLORMAP_INFERNO]);
  compute_polynomial (plasma, 1, tables[PRISM_COLORMAP_PLASMA]);
  compute_polynomial (cividis, 255, tables[PRISM_COLORMAP_CIVIDIS]);
  compute_coolwarm (tables[PRISM_COLORMAP_COOLWARM]);
  compute_coverage (tables[PRISM_COLORMAP_COVERAGE]);
  compute_correlation (tables[PRISM_COLORMAP_CORRELATION]);
  return tables;
}

static const GEnumValue values[] = {
  { PRISM_COLORMAP_GREY, "PRISM_COLORMAP_GREY", "grey" },
  { PRISM_COLORMAP_VIRIDIS, "PRISM_COLORMAP_VIRIDIS", "viridis" },
  { PRISM_COLORMAP_MAGMA, "PRISM_COLORMAP_MAGMA", "magma" },
  { PRISM_COLORMAP_INFERNO, "PRISM_COLORMAP_INFERNO", "inferno" },
  { PRISM_COLORMAP_PLASMA, "PRISM_COLORMAP_PLASMA", "plasma" },
  { PRISM_COLORMAP_CIVIDIS, "PRISM_COLORMAP_CIVIDIS", "cividis" },
  { PRISM_COLORMAP_COOLWARM, "PRISM_COLORMAP_COOLWARM", "coolwarm" },
  { PRISM_COLORMAP_COVERAGE, "PRISM_COLORMAP_COVERAGE", "coverage" },
  { PRISM_COLORMAP_CORRELATION, "PRISM_COLORMAP_CORRELATION", "correlation" },
  { 0, NULL, NULL },
};

/**
 * prism_colormap_get_type:
 *
 * The enumeration, with nicks as they stand in the settings: "grey", "viridis" and so on.
 *
 * Returns: the type
 */
GType
prism_colormap_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("PrismColormap", values));
  return type;
}

/**
 * prism_colormap_get_label:
 * @self: a colour map
 *
 * Returns: (transfer none): its name as a user reads it
 */
const char *
prism_colormap_get_label (PrismColormap self)
{
  static const char *labels[N_COLORMAPS] = {
    N_ ("Grey"),
    N_ ("Viridis"),
    N_ ("Magma"),
    N_ ("Inferno"),
    N_ ("Plasma"),
    N_ ("Cividis"),
    N_ ("Cool to warm"),
    N_ ("Coverage"),
    N_ ("Correlation"),
  };

  g_return_val_if_fail ((guint) self < N_COLORMAPS, NULL);

  return _ (labels[self]);
}

/**
 * prism_colormap_get_table:
 * @self: a colour map
 *
 * The colours from black level to white level, as cairo's ARGB32 has them: alpha in the highest
 * byte, premultiplied.
 *
 * Shape: [PRISM_COLORMAP_SIZE].
 * Thread: any.
 *
 * Returns: (transfer none) (array fixed-size=256): the table
 */
const guint32 *
prism_colormap_get_table (PrismColormap self)
{
  static GOnce once = G_ONCE_INIT;

  g_return_val_if_fail ((guint) self < N_COLORMAPS, NULL);

  g_once (&once, compute_tables, NULL);
  return tables[self];
}
