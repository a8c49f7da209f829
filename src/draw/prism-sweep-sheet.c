#include "config.h"

#include "prism-sweep-sheet.h"

#include "base/prism-directory.h"
#include "base/prism-file.h"
#include "formats/prism-npy.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* Of an uncertainty map that is nothing but 0. */
#define LEAST_WHITE 1e-6f

static void
add_item (PrismSweepSheet *self,
          PrismImage *image,
          char *title,
          char *note)
{
  self->multiples.items[self->multiples.n_items++] = (PrismMultiple) {
    .image = image != NULL ? prism_image_ref (image) : NULL,
    .title = title,
    .note = note,
  };
}

static float
get_maximum (const PrismImage *image)
{
  float maximum = LEAST_WHITE;

  for (gsize i = 0; i < (gsize) image->height * image->width; i++)
    maximum = MAX (maximum, image->pixels[i]);
  return maximum;
}

static PrismImage *
scale_up (const PrismImage *image,
          float white)
{
  PrismImage *scaled = prism_image_new (image->height, image->width, NULL);

  for (gsize i = 0; scaled != NULL && i < (gsize) image->height * image->width; i++)
    scaled->pixels[i] = image->pixels[i] / white;
  return scaled;
}

static void
add_spread (PrismSweepSheet *self)
{
  float white = get_maximum (self->spread);
  g_autoptr (PrismImage) scaled = scale_up (self->spread, white);

  add_item (self, self->mean, g_strdup (_ ("Mean")),
            self->ensemble.n_runs > 0 ? g_strdup_printf (_ ("%.2f dB"), self->ensemble.psnr)
                                      : NULL);
  add_item (self, scaled, g_strdup (_ ("Uncertainty")),
            g_strdup_printf (_ ("white = %.3g"), white));
}

static char *
dup_note (const PrismSweepRow *row)
{
  if (row->finished)
    return g_strdup_printf (_ ("%.2f dB"), row->metrics.psnr);
  return g_strdup (row->failure != NULL ? _ ("failed") : _ ("no result yet"));
}

/* Of a grid: rows are all parameters but the last, whose values have the columns. */
static void
set_headings (PrismMultiples *sheet,
              PrismSweep *sweep)
{
  const guint last = sweep->n_axes - 1;
  const PrismSweepAxis *axis = &sweep->axes[last];
  g_autoptr (GString) rows = g_string_new (NULL);

  sheet->n_columns = axis->n_values;
  sheet->columns = g_new0 (char *, sheet->n_columns + 1);
  for (guint j = 0; j < sheet->n_columns; j++)
    sheet->columns[j] = prism_sweep_dup_value (sweep, last, j);
  sheet->rows = g_new0 (char *, sweep->n_points / sheet->n_columns + 1);
  for (guint i = 0; i < sweep->n_points / sheet->n_columns; i++)
    {
      g_autoptr (GString) row = g_string_new (NULL);

      for (guint k = 0; k < last; k++)
        {
          guint position = prism_sweep_get_position (sweep, i * sheet->n_columns, k);
          g_autofree char *value = prism_sweep_dup_value (sweep, k, position);

          g_string_append_printf (row, "%s%s", k > 0 ? ", " : "", value);
        }
      sheet->rows[i] = g_string_free (g_steal_pointer (&row), FALSE);
    }
  for (guint k = 0; k < last; k++)
    g_string_append_printf (rows, "%s%s", k > 0 ? ", " : "", _ (sweep->axes[k].param->label));
  /* TRANSLATORS: headings of a table of pictures: what differs from row to row and from column to
   * column */
  sheet->title
      = g_strdup_printf (_ ("Rows: %s, columns: %s"), rows->str, _ (axis->param->label));
}

/**
 * prism_sweep_sheet_new:
 * @sweep: a sweep
 * @table: what its runs have come to
 *
 * Puts the reconstructions in rows and columns with headings where there are two axes, and one
 * after the other with their values where there is one. An ensemble of at least two results begins
 * with mean and uncertainty.
 *
 * Returns: (transfer full): the sheet
 */
PrismSweepSheet *
prism_sweep_sheet_new (PrismSweep *sweep,
                       const PrismSweepTable *table)
{
  PrismSweepSheet *self = g_new0 (PrismSweepSheet, 1);
  PrismMultiples *sheet = &self->multiples;

  if (prism_sweep_is_ensemble (sweep))
    prism_sweep_table_get_spread (table, &self->mean, &self->spread, NULL);
  if (self->spread != NULL)
    prism_sweep_ensemble_compute (&self->ensemble, table, self->mean, self->spread, NULL);
  sheet->marked = G_MAXUINT;
  sheet->items = g_new0 (PrismMultiple, table->n_rows + 2);
  if (self->spread != NULL)
    add_spread (self);
  self->first = sheet->n_items;
  for (guint i = 0; i < table->n_rows; i++)
    add_item (self, table->rows[i].image,
              sweep->n_axes == 1 ? prism_sweep_dup_value (sweep, 0, i) : NULL,
              dup_note (&table->rows[i]));
  if (sweep->n_axes > 1)
    set_headings (sheet, sweep);
  else
    {
      sheet->n_columns = (guint) ceil (sqrt (sheet->n_items));
      sheet->title = sweep->n_axes == 1 ? g_strdup (_ (sweep->axes[0].param->label)) : NULL;
    }
  return self;
}

/**
 * prism_sweep_sheet_free:
 * @self: (nullable): a sheet
 */
void
prism_sweep_sheet_free (PrismSweepSheet *self)
{
  if (self == NULL)
    return;
  prism_multiples_clear (&self->multiples);
  g_clear_pointer (&self->mean, prism_image_unref);
  g_clear_pointer (&self->spread, prism_image_unref);
  g_free (self);
}

static gboolean
save_image (const char *directory,
            const char *name,
            const PrismImage *image,
            float white,
            GError **error)
{
  g_autofree char *array_name = g_strconcat (name, ".npy", NULL);
  g_autofree char *picture_name = g_strconcat (name, ".png", NULL);
  g_autofree char *array = g_build_filename (directory, array_name, NULL);
  g_autofree char *picture = g_build_filename (directory, picture_name, NULL);
  const gsize shape[] = { (gsize) image->height, (gsize) image->width };

  return prism_npy_save (array, image->pixels, 2, shape, error)
         && prism_image_save_png (image, picture, 16, 0.0f, white, NULL, error);
}

/**
 * prism_sweep_sheet_save_all:
 * @self: a sheet
 * @sweep: its sweep
 * @table: its table
 * @directory: of the sweep
 * @error: return location
 *
 * Writes sweep.csv and sweep.png, and of an ensemble mean and uncertainty as .npy and .png. Those
 * of an earlier time are replaced as a whole.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether all files are on the disk
 */
gboolean
prism_sweep_sheet_save_all (const PrismSweepSheet *self,
                            PrismSweep *sweep,
                            const PrismSweepTable *table,
                            const char *directory,
                            GError **error)
{
  static const char *const of_ensembles[]
      = { "mean.npy", "mean.png", "uncertainty.npy", "uncertainty.png", NULL };
  g_autofree char *csv = prism_sweep_table_to_csv (table, sweep);
  g_autoptr (PrismExchange) exchange = prism_exchange_new (directory, error);
  g_autofree char *csv_path = NULL, *png_path = NULL;
  const char *stage;

  if (exchange == NULL)
    return FALSE;
  stage = prism_exchange_get_directory (exchange);
  csv_path = g_build_filename (stage, "sweep.csv", NULL);
  png_path = g_build_filename (stage, "sweep.png", NULL);
  return prism_file_save (csv_path, csv, strlen (csv), error)
         && prism_multiples_save_png (&self->multiples, png_path, error)
         && (self->spread == NULL
             || (save_image (stage, "mean", self->mean, 1.0f, error)
                 && save_image (stage, "uncertainty", self->spread, get_maximum (self->spread),
                                error)))
         && prism_exchange_commit (exchange, of_ensembles, error);
}
