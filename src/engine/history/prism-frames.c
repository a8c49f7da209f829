#include "config.h"

#include "history/prism-frames.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-record.h"
#include "base/prism-csv.h"
#include "base/prism-each.h"

/* Dimensions of this file: m = object_size. */

#define INDEX PRISM_FRAMES_INDEX
#define FINDING "frames/%05u-"
#define MAX_MOMENTS 65536
#define ANY G_MAXDOUBLE

/* A line of the table. */
typedef struct
{
  PrismMoment moment; /* its numbers */
  guint version;      /* of the settings */
  guint64 array;      /* number of the picture; that of the moment before where it is the same */
  guint former;       /* what no program looks at any more */
} Line;

#define COLUMN(name, member, type, most) \
  PRISM_RECORD_PART (Line, name, member, type, 0, most, FALSE)
#define METRIC(key, ...) COLUMN (#key, moment.metrics.key, REAL, ANY),

/* Files of older versions end with one of the metrics or before all of those that came later. */
static const PrismRecordField columns[] = {
  COLUMN ("kind", moment.kind, INTEGER, PRISM_MOMENT_BEST),
  COLUMN ("phase", moment.phase, INTEGER, PRISM_PHASE_DONE),
  COLUMN ("step", moment.step, COUNT, ANY),
  COLUMN ("n_rows", moment.n_rows, COUNT, ANY),
  COLUMN ("n_visits", moment.n_visits, COUNT, ANY),
  COLUMN ("sample", moment.sample, INTEGER, G_MAXINT),
  COLUMN ("sample_step", moment.sample_step, INTEGER, G_MAXINT),
  COLUMN ("pass", moment.pass, INTEGER, G_MAXINT),
  COLUMN ("n_visited", moment.n_visited, INTEGER, G_MAXINT),
  COLUMN ("misfit", moment.misfit, REAL, ANY),
  COLUMN ("seconds", moment.seconds, REAL, ANY),
  PRISM_METRICS_EARLY (METRIC) COLUMN ("settings", version, INTEGER, MAX_MOMENTS),
  COLUMN ("array", array, COUNT, ANY),
  COLUMN ("unseen", former, INTEGER, 1),
  PRISM_METRICS_LATER (METRIC)
};

#define N_COLUMNS G_N_ELEMENTS (columns)
#define N_LEAST (N_COLUMNS - (PRISM_N_METRICS - PRISM_N_EARLY_METRICS))

/**
 * prism_frames_new:
 * @moments: (array length=n_moments): ascending in step
 * @n_moments: how many
 *
 * Makes a list that nobody changes any more.
 *
 * Returns: (transfer full): the list
 */
PrismFrames *
prism_frames_new (PrismMoment *const *moments,
                  guint n_moments)
{
  PrismFrames *self = g_new0 (PrismFrames, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->n_moments = n_moments;
  self->moments = g_new (PrismMoment *, MAX (n_moments, 1));
  self->best = -1;
  self->spacing = self->end_spacing = 1;
  for (guint i = 0; i < n_moments; i++)
    {
      const PrismImage *image = moments[i]->image;

      self->moments[i] = prism_moment_ref (moments[i]);
      /* The object of recorded frames has two numbers a pixel. */
      if (i == 0 || image != moments[i - 1]->image)
        self->bytes += (guint64) image->height * image->width * sizeof *image->pixels
                       * (moments[i]->finding != NULL ? 3 : 1);
      if (!isnan (moments[i]->metrics.psnr)
          && (self->best < 0
              || moments[i]->metrics.psnr > moments[self->best]->metrics.psnr))
        self->best = (int) i;
    }
  return self;
}

static void
frames_clear (PrismFrames *self)
{
  for (guint i = 0; i < self->n_moments; i++)
    prism_moment_unref (self->moments[i]);
  g_free (self->moments);
}

PRISM_DEFINE_REFERENCES (PrismFrames, prism_frames, frames_clear)

/* The first that is not before the step. */
static guint
find_bound (const PrismFrames *self,
            double step)
{
  guint low = 0, high = self->n_moments;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if ((double) self->moments[middle]->step < step)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/**
 * prism_frames_find:
 * @step: any step, or a place between two
 *
 * Returns: the index of the moment nearest to the step, the earlier of two; -1 in an empty list
 */
int
prism_frames_find (const PrismFrames *self,
                   double step)
{
  guint i = find_bound (self, step);

  if (self->n_moments == 0)
    return -1;
  if (i == self->n_moments
      || (i > 0
          && 2 * step <= (double) (self->moments[i - 1]->step + self->moments[i]->step)))
    i--;
  return (int) i;
}

/**
 * prism_frames_find_sample:
 * @sample: number of a sample
 *
 * Finds the first moment that knows this sample, which is its end where that is kept.
 *
 * Returns: its index, -1 where the run has not come so far
 */
int
prism_frames_find_sample (const PrismFrames *self,
                          guint sample)
{
  for (guint i = 0; i < self->n_moments; i++)
    if (self->moments[i]->n_visited > sample)
      return (int) i;
  return -1;
}

static double
get_cell (const Line *line,
          const PrismRecordField *column)
{
  gconstpointer value = (const char *) line + column->offset;

  return column->type == PRISM_RECORD_REAL    ? *(const double *) value
         : column->type == PRISM_RECORD_COUNT ? (double) *(const guint64 *) value
                                              : *(const guint *) value;
}

static gboolean
set_cell (Line *line,
          const PrismRecordField *column,
          double cell)
{
  gpointer value = (char *) line + column->offset;

  if (column->type == PRISM_RECORD_REAL)
    *(double *) value = cell;
  else if (!(cell >= 0 && cell <= MIN (column->maximum, PRISM_RECORD_MOST) && cell == floor (cell)))
    return FALSE;
  else if (column->type == PRISM_RECORD_COUNT)
    *(guint64 *) value = (guint64) cell;
  else
    *(guint *) value = (guint) cell;
  return TRUE;
}

/**
 * prism_frames_save_members:
 * @self: a list, which must be held until prism_archive_writer_finish()
 * @writer: the file of a run
 *
 * Adds the parts below frames/: the pictures as arrays, one for neighbours that share it, what was
 * known of recorded frames, a table of where the run stood, and each version of the settings as
 * text.
 *
 * Shape: each array [m][m].
 */
void
prism_frames_save_members (const PrismFrames *self,
                           PrismArchiveWriter *writer)
{
  g_autofree double *cells = g_try_new (double, self->n_moments *N_COLUMNS + 1);
  g_autoptr (GString) header = g_string_new (NULL);
  double *cell = cells;
  int version = -1;
  guint array = 0;

  g_string_append_printf (header, "%u,%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT "\n",
                          self->n_moments, self->spacing, self->end_spacing);
  for (guint i = 0; i < N_COLUMNS; i++)
    g_string_append_printf (header, "%s%s", i > 0 ? "," : "", columns[i].name);
  for (guint i = 0; i < self->n_moments; i++)
    {
      const PrismMoment *moment = self->moments[i];
      const gsize shape[] = { moment->image->height, moment->image->width };
      g_autofree char *name = g_strdup_printf ("frames/%05u.npy", i);
      Line line;

      if (i == 0 || moment->image != self->moments[i - 1]->image)
        {
          prism_archive_writer_add_array (writer, name, moment->image->pixels, 2, shape);
          array = i;
        }
      if (moment->finding != NULL && (i == 0 || moment->finding != self->moments[i - 1]->finding))
        {
          g_autofree char *prefix = g_strdup_printf (FINDING, i);

          prism_finding_save_members (moment->finding, writer, prefix);
        }
      line = (Line) { *moment, moment->settings->version, array };
      for (guint k = 0; k < N_COLUMNS && cells != NULL; k++)
        *cell++ = get_cell (&line, &columns[k]);
      if ((int) moment->settings->version > version)
        {
          g_autofree char *config = prism_config_to_text (moment->settings->config);
          g_autofree char *config_name = NULL;

          version = (int) moment->settings->version;
          config_name = g_strdup_printf ("frames/settings-%d.prism", version);
          prism_archive_writer_add_text (writer, config_name, config);
        }
    }
  prism_archive_writer_take_text (
      writer, INDEX,
      cells != NULL ? prism_csv_new_exact (header->str, cells, self->n_moments, N_COLUMNS) : NULL);
}

static gboolean
refuse (GError **error)
{
  return prism_error_format (error,
                             _ ("The table of moments (%s) is damaged. The run can be opened"
                                " without its past: copy the file and remove the parts below"
                                " frames/."),
                             INDEX);
}

/* Returns how many of the columns there are, of which an older file has fewer; 0 where they are
 * others. */
static guint
parse_header (const char *text)
{
  g_auto (GStrv) names = g_strsplit (text, ",", N_COLUMNS + 1);
  guint n = g_strv_length (names);

  if (n < N_LEAST || n > N_COLUMNS)
    return 0;
  for (guint i = 0; i < n; i++)
    if (strcmp (names[i], columns[i].name) != 0)
      return 0;
  return n;
}

static gboolean
take_line (Line *line,
           const double *cells,
           guint n_columns,
           guint i)
{
  *line = (Line) { .array = i };
  prism_metrics_init (&line->moment.metrics);
  for (guint k = 0; k < n_columns; k++)
    if (!set_cell (line, &columns[k], cells[k]))
      return FALSE;
  return TRUE;
}

static PrismMomentSettings *
load_settings (PrismArchive *archive,
               guint version,
               GError **error)
{
  g_autofree char *name = g_strdup_printf ("frames/settings-%u.prism", version);
  g_autofree char *text = prism_archive_load_text (archive, name, error);
  g_autoptr (PrismConfig) config = NULL;

  if (text == NULL)
    return NULL;
  config = prism_config_load_text (text, -1, name, error);
  return config != NULL ? prism_moment_settings_new (config, version) : NULL;
}

static PrismImage *
load_image (PrismArchive *archive,
            guint i,
            int m,
            GError **error)
{
  const gsize shape[] = { m, m };
  g_autofree char *name = g_strdup_printf ("frames/%05u.npy", i);
  float *pixels = prism_archive_load_floats (archive, name, 2, shape, error);
  PrismImage *image = pixels != NULL ? prism_image_new_copy (m, m, pixels, error) : NULL;

  prism_arena_free_array (pixels);
  return image;
}

/* What several moments have in common is taken over from the one before. */
static PrismMoment *
load_moment (PrismArchive *archive,
             const Line *line,
             guint i,
             int m,
             PrismMoment *before,
             GError **error)
{
  gboolean is_shared = before != NULL && line->array != i;
  g_autofree char *prefix = g_strdup_printf (FINDING, i);
  g_autoptr (PrismFinding) finding = NULL;
  g_autoptr (PrismImage) image
      = is_shared ? prism_image_ref (before->image) : load_image (archive, i, m, error);
  g_autoptr (PrismMomentSettings) settings = NULL;
  PrismMoment *moment;

  if (image == NULL || !prism_finding_load_members (archive, prefix, &finding, error))
    return NULL;
  if (finding == NULL && is_shared && before->finding != NULL)
    finding = prism_finding_ref (before->finding);
  settings = before != NULL && before->settings->version == line->version
                 ? prism_moment_settings_ref (before->settings)
                 : load_settings (archive, line->version, error);
  if (settings == NULL)
    return NULL;
  moment = prism_moment_new (image, settings);
  moment->finding = g_steal_pointer (&finding);
  for (guint k = 0; k < N_COLUMNS; k++)
    if (columns[k].offset < sizeof (PrismMoment))
      memcpy ((char *) moment + columns[k].offset, (const char *) &line->moment + columns[k].offset,
              columns[k].type == PRISM_RECORD_INTEGER ? sizeof (int) : sizeof (double));
  return moment;
}

static gboolean
load_moments (PrismArchive *archive,
              const double *cells,
              guint n_lines,
              guint n_columns,
              int m,
              GPtrArray *moments,
              GError **error)
{
  Line line, before = { 0 };
  PrismMoment *moment = NULL;

  for (guint i = 0; i < n_lines; i++)
    {
      if (!take_line (&line, cells + (gsize) i * n_columns, n_columns, i)
          || (i > 0 && line.moment.step <= before.moment.step)
          || (line.array != i && (i == 0 || line.array != before.array)))
        return refuse (error);
      moment = load_moment (archive, &line, i, m, moment, error);
      if (moment == NULL)
        return FALSE;
      g_ptr_array_add (moments, moment);
      before = line;
    }
  return TRUE;
}

static gboolean
parse_head (const char *line,
            guint64 *numbers)
{
  g_auto (GStrv) head = g_strsplit (line, ",", 4);

  if (g_strv_length (head) != 3)
    return FALSE;
  for (guint i = 0; i < 3; i++)
    if (!g_ascii_string_to_unsigned (head[i], 10, i > 0, i > 0 ? G_MAXUINT64 : MAX_MOMENTS,
                                     &numbers[i], NULL))
      return FALSE;
  return TRUE;
}

/**
 * prism_frames_load_members:
 * @archive: the file of a run
 * @object_size: m
 *
 * Reads what prism_frames_save_members() has added. A file without these parts has an empty list.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY, PRISM_ERROR_IO.
 *
 * Returns: (transfer full) (nullable): the list
 */
PrismFrames *
prism_frames_load_members (PrismArchive *archive,
                           int object_size,
                           GError **error)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (GPtrArray) moments = NULL;
  g_autoptr (GError) inner = NULL;
  g_autofree double *cells = NULL;
  guint64 numbers[3];
  guint n_columns = 0;
  gsize n_lines = 0;
  PrismFrames *frames;

  if (!prism_archive_has (archive, INDEX))
    return prism_frames_new (NULL, 0);
  text = prism_archive_load_text (archive, INDEX, error);
  if (text == NULL)
    return NULL;
  lines = g_strsplit (text, "\n", 3);
  if (g_strv_length (lines) == 3 && parse_head (lines[0], numbers))
    n_columns = parse_header (lines[1]);
  if (n_columns > 0)
    cells = prism_csv_parse_exact (strchr (text, '\n') + 1, n_columns, &n_lines, &inner);
  if (g_error_matches (inner, PRISM_ERROR, PRISM_ERROR_MEMORY))
    {
      g_propagate_error (error, g_steal_pointer (&inner));
      return NULL;
    }
  if (cells == NULL || n_lines != numbers[0])
    {
      refuse (error);
      return NULL;
    }
  moments = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_moment_unref);
  if (!load_moments (archive, cells, (guint) n_lines, n_columns, object_size, moments, error))
    return NULL;
  frames = prism_frames_new ((PrismMoment *const *) moments->pdata, moments->len);
  frames->spacing = numbers[1];
  frames->end_spacing = numbers[2];
  return frames;
}

/**
 * prism_moment_settings_new:
 * @config: what applied
 * @version: how many times it had been changed
 *
 * Returns: (transfer full): a copy of the configuration to share
 */
PrismMomentSettings *
prism_moment_settings_new (const PrismConfig *config,
                           guint version)
{
  PrismMomentSettings *self = g_new0 (PrismMomentSettings, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->version = version;
  self->config = prism_config_dup (config);
  return self;
}

PRISM_CLEAR (PrismMomentSettings, moment_settings_clear, prism_config_free, config)

PRISM_DEFINE_REFERENCES (PrismMomentSettings, prism_moment_settings, moment_settings_clear)

/**
 * prism_moment_new:
 * @image: the picture
 * @settings: what applied
 *
 * Makes a moment for the caller to fill in before it shares it; what was not computed is NAN.
 *
 * Shape: [m][m].
 *
 * Returns: (transfer full): the moment
 */
PrismMoment *
prism_moment_new (PrismImage *image,
                  PrismMomentSettings *settings)
{
  PrismMoment *self = g_new0 (PrismMoment, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->misfit = NAN;
  prism_metrics_init (&self->metrics);
  self->image = prism_image_ref (image);
  self->settings = prism_moment_settings_ref (settings);
  return self;
}

PRISM_CLEAR (PrismMoment,
             moment_clear,
             prism_image_unref,
             image,
             prism_finding_unref,
             finding,
             prism_moment_settings_unref,
             settings)

PRISM_DEFINE_REFERENCES (PrismMoment, prism_moment, moment_clear)
