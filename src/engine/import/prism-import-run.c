#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "formats/prism-npy.h"
#include "formats/prism-pickle.h"
#include "import/prism-import-private.h"

/* Positions and pictures that runs of the first PRISM left. */

#define MAX_SIDE 16384          /* of a picture, pixels */
#define SAME_ANGLE_DEGREES 0.01 /* lines whose single precision differs */

/* Of each position the middle of its ends: [n][2], [n][1][2] or, of lines, [n][2][2]; y comes
 * before x. */
static gboolean
take_points (PrismImportSource *self,
             const double *values,
             int n_dims,
             const gsize *shape,
             GError **error)
{
  gsize n_ends = n_dims == 3 ? shape[1] : 1;
  double first = 0;

  if (n_dims < 2 || n_dims > 3 || shape[n_dims - 1] != 2 || n_ends < 1 || n_ends > 2
      || shape[0] < 1 || shape[0] > PRISM_PATTERN_MAX_POINTS)
    return prism_error_format (error, "“%s” holds no positions: expected are 1 to %d pairs, [n][2],"
                                      " or the two ends of as many lines, [n][2][2].",
                               self->name, PRISM_PATTERN_MAX_POINTS);
  for (gsize i = 0; i < shape[0] * n_ends * 2; i++)
    if (!isfinite (values[i]) || fabs (values[i]) > G_MAXINT16)
      return prism_error_format (error, "A position of “%s” is no number within ±32767.",
                                 self->name);
  g_free (self->points);
  self->n_points = (guint) shape[0];
  self->points = g_new0 (PrismPoint, self->n_points);
  self->line_length = 0;
  self->line_turns = FALSE;
  for (guint i = 0; i < self->n_points; i++)
    {
      const double *start = values + i * n_ends * 2, *end = start + (n_ends - 1) * 2;
      double dy = end[0] - start[0], dx = end[1] - start[1];
      double turn;

      self->points[i] = (PrismPoint) { (start[0] + end[0]) / 2, (start[1] + end[1]) / 2,
                                       atan2 (dy, dx) };
      /* Stored in single precision. */
      self->line_length = MAX (self->line_length, rint (1e4 * hypot (dy, dx)) / 1e4);
      first = i == 0 ? self->points[i].angle : first;
      /* A line has no direction: half a turn changes nothing. */
      turn = remainder (self->points[i].angle - first, G_PI);
      self->line_turns |= fabs (turn) * 180 / G_PI > SAME_ANGLE_DEGREES;
    }
  return TRUE;
}

/* Of a tensor [1]…[1][height][width], complex or real, the amplitudes. */
static gboolean
take_picture (PrismImportSource *self,
              PrismPickle *file,
              const PrismPickleValue *tensor,
              gboolean is_complex,
              GError **error)
{
  gsize shape[PRISM_PICKLE_MAX_DIMS], n;
  int n_dims = prism_pickle_get_shape (tensor, shape) - (is_complex ? 1 : 0);
  prism_autofree_array double *values = NULL;
  gsize step = is_complex ? 2 : 1;

  for (int i = 0; i + 2 < n_dims; i++)
    if (shape[i] != 1)
      n_dims = 0;
  if (n_dims < 2 || shape[n_dims - 1] < 1 || shape[n_dims - 1] > MAX_SIDE || shape[n_dims - 2] < 1
      || shape[n_dims - 2] > MAX_SIDE)
    {
      prism_import_source_note (self, "What should be the picture has not the shape of one.");
      return TRUE;
    }
  values = prism_pickle_load_tensor (file, tensor, &n, error);
  if (values == NULL)
    return FALSE;
  g_free (self->picture);
  self->height = shape[n_dims - 2];
  self->width = shape[n_dims - 1];
  self->picture = g_new (float, self->height * self->width);
  for (gsize i = 0; i < self->height * self->width; i++)
    self->picture[i] = (float) (is_complex ? hypot (values[step * i], values[step * i + 1])
                                           : fabs (values[i]));
  return TRUE;
}

/* Whatever a dictionary states that is a setting. */
static void
take_settings (PrismImportSource *self,
               const PrismPickleValue *dictionary)
{
  const PrismPickleValue *value;
  const char *name;

  for (guint i = 0; prism_pickle_get_item (dictionary, i, &name, &value); i++)
    {
      const char *text = prism_pickle_get_text (value);

      if (text != NULL)
        prism_import_source_set (self, prism_import_table_find (name), name, text);
    }
}

/**
 * prism_import_source_read_torch:
 * @path: checkpoint.pt, sample_points.pt or args.pt
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is understood
 */
gboolean
prism_import_source_read_torch (PrismImportSource *self,
                                const char *path,
                                GError **error)
{
  static const char *const pictures[] = { "current_rec", "current_reconstruction", "object" };
  g_autoptr (PrismPickle) file = prism_pickle_load (path, error);
  const PrismPickleValue *root, *settings, *points = NULL, *diameter;

  if (file == NULL)
    return FALSE;
  root = prism_pickle_get_root (file);
  settings = prism_pickle_get (root, "args_dict");
  take_settings (self, settings != NULL ? settings : root);
  points = prism_pickle_get (root, "sample_centers");
  if (points == NULL)
    points = prism_pickle_get (root, "centers");
  if (points != NULL)
    {
      gsize shape[PRISM_PICKLE_MAX_DIMS], n;
      const int n_dims = prism_pickle_get_shape (points, shape);
      prism_autofree_array double *values = prism_pickle_load_tensor (file, points, &n, error);

      if (values == NULL || !take_points (self, values, n_dims, shape, error))
        return FALSE;
    }
  diameter = prism_pickle_get (root, "diameter");
  if (diameter != NULL)
    {
      const char *text = prism_pickle_get_text (diameter);

      self->diameter = text != NULL ? g_ascii_strtod (text, NULL) : 0;
    }
  PRISM_FOR_EACH_OF (one, pictures)
    {
      const PrismPickleValue *tensor = prism_pickle_get (root, *one);

      if (tensor != NULL
          && !take_picture (self, file, tensor, prism_pickle_is_complex (tensor), error))
        return FALSE;
    }
  if (prism_pickle_get (root, "model") != NULL)
    prism_import_source_note (self, "The weights of its decoder and the state of its optimiser are"
                                    " not read.");
  if (self->n_values == 0 && self->points == NULL && self->picture == NULL)
    return prism_error_format (error, "“%s” has neither settings nor positions nor a picture of the"
                                      " first PRISM.",
                               self->name);
  return TRUE;
}

/**
 * prism_import_source_read_npy:
 * @path: positions, an array of NumPy's
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is understood
 */
gboolean
prism_import_source_read_npy (PrismImportSource *self,
                              const char *path,
                              GError **error)
{
  g_autoptr (PrismNpy) array = prism_npy_load (path, error);

  if (array == NULL)
    return FALSE;
  if (array->values == NULL || array->is_complex)
    return prism_error_format (error, "“%s” has no positions.", self->name);
  return take_points (self, array->values, array->n_dims, array->shape, error);
}
