#include "config.h"

#include "history/prism-frames.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Dimensions of this file: m = object_size. */

#define INDEX PRISM_FRAMES_INDEX
#define FIRST_COLUMNS \
  "kind,phase,step,n_rows,n_visits,sample,sample_step,pass,n_visited,misfit,seconds"
/* Of files that have the decoder's image wherever there was one. */
#define OLD_HEADER FIRST_COLUMNS PRISM_EARLY_METRICS ",settings"
#define MIDDLE_HEADER OLD_HEADER ",array,unseen"
#define MAX_MOMENTS 65536

static const char header[] = MIDDLE_HEADER PRISM_LATER_METRICS;

/* The whole numbers of a line in the order of the header; then the reals and the early metrics;
 * then the last ones and the later metrics. */
#define N_WHOLE 9
#define N_REAL 2
#define N_EARLY PRISM_N_EARLY_METRICS
#define N_LAST 3
#define N_OLD_LAST 1

/* What a header says of the lines. */
typedef struct
{
  guint n_last;
  guint n_metrics;
} Columns;

/* A line of the table. */
typedef struct
{
  guint64 whole[N_WHOLE];
  double reals[N_REAL];
  PrismMetrics metrics;
  guint64 version; /* of the settings */
  guint64 array;   /* number of the picture; that of the moment before where it is the same */
  guint64 unseen;
} Line;

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
      self->moments[i] = prism_moment_ref (moments[i]);
      if (i == 0 || moments[i]->image != moments[i - 1]->image)
        self->bytes += prism_moment_get_bytes (moments[i]);
      if (!isnan (moments[i]->metrics.psnr)
          && (self->best < 0
              || moments[i]->metrics.psnr > moments[self->best]->metrics.psnr))
        self->best = (int) i;
    }
  return self;
}

/**
 * prism_frames_ref:
 *
 * Returns: (transfer full): the same list, with one more reference
 */
PrismFrames *
prism_frames_ref (PrismFrames *self)
{
  g_atomic_int_inc (&self->ref_count);
  return self;
}

/**
 * prism_frames_unref:
 * @self: (transfer full) (nullable): a list
 *
 * Gives one reference back; the last one lets go of the moments.
 */
void
prism_frames_unref (PrismFrames *self)
{
  if (self == NULL || !g_atomic_int_dec_and_test (&self->ref_count))
    return;
  for (guint i = 0; i < self->n_moments; i++)
    prism_moment_unref (self->moments[i]);
  g_free (self->moments);
  g_free (self);
}

/* The first that is not before the step. */
static guint
find_bound (const PrismFrames *self,
            guint64 step)
{
  guint low = 0, high = self->n_moments;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (self->moments[middle]->step < step)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/**
 * prism_frames_find:
 * @step: any step
 *
 * Returns: the index of the moment nearest to the step, the earlier of two; -1 in an empty list
 */
int
prism_frames_find (const PrismFrames *self,
                   guint64 step)
{
  guint i = find_bound (self, step);

  if (self->n_moments == 0)
    return -1;
  if (i == self->n_moments
      || (i > 0 && step - self->moments[i - 1]->step <= self->moments[i]->step - step))
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

static void
append_reals (GString *text,
              const double *values,
              guint n)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, ",%s", g_ascii_dtostr (number, sizeof number, values[i]));
}

static void
append_line (GString *text,
             const PrismMoment *moment,
             guint array)
{
  const double reals[N_REAL] = { moment->misfit, moment->seconds };
  const guint64 counts[] = { moment->step, moment->n_rows, moment->n_visits, moment->sample,
                             moment->sample_step, moment->pass, moment->n_visited };
  const double *metrics = moment->metrics.values;

  g_string_append_printf (text, "%d,%d", moment->kind, moment->phase);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    g_string_append_printf (text, ",%" G_GUINT64_FORMAT, counts[i]);
  append_reals (text, reals, N_REAL);
  append_reals (text, metrics, N_EARLY);
  g_string_append_printf (text, ",%u,%u,%d", moment->settings->version, array, moment->unseen);
  append_reals (text, metrics + N_EARLY, PRISM_N_METRICS - N_EARLY);
  g_string_append_c (text, '\n');
}

/**
 * prism_frames_save_members:
 * @self: a list, which must be held until prism_archive_writer_finish()
 * @writer: the file of a run
 *
 * Adds the parts below frames/: the pictures as arrays, one for neighbours that share it, a table
 * of where the run stood, and each version of the settings as text.
 *
 * Shape: each array [m][m].
 */
void
prism_frames_save_members (const PrismFrames *self,
                           PrismArchiveWriter *writer)
{
  g_autoptr (GString) text = g_string_new (NULL);
  int version = -1;
  guint array = 0;

  g_string_append_printf (text, "%u,%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT "\n%s\n",
                          self->n_moments, self->spacing, self->end_spacing, header);
  for (guint i = 0; i < self->n_moments; i++)
    {
      const PrismMoment *moment = self->moments[i];
      const gsize shape[] = { moment->image->height, moment->image->width };
      g_autofree char *name = g_strdup_printf ("frames/%05u.npy", i);

      if (i == 0 || moment->image != self->moments[i - 1]->image)
        {
          prism_archive_writer_add_array (writer, name, moment->image->pixels, 2, shape);
          array = i;
        }
      append_line (text, moment, array);
      if ((int) moment->settings->version > version)
        {
          g_autofree char *config = prism_config_to_text (moment->settings->config);
          g_autofree char *config_name = NULL;

          version = (int) moment->settings->version;
          config_name = g_strdup_printf ("frames/settings-%d.prism", version);
          prism_archive_writer_add_text (writer, config_name, config);
        }
    }
  prism_archive_writer_add_text (writer, INDEX, text->str);
}

static gboolean
refuse (GError **error,
        guint line)
{
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
               "Line %u of the table of moments (" INDEX ") is damaged. The run can be opened"
               " without its past: copy the file and remove the parts below frames/.",
               line);
  return FALSE;
}

static gboolean
parse_whole (char **fields,
             guint n,
             guint64 *values)
{
  for (guint i = 0; i < n; i++)
    if (!g_ascii_string_to_unsigned (fields[i], 10, 0, G_MAXUINT64, &values[i], NULL))
      return FALSE;
  return TRUE;
}

static gboolean
parse_reals (char **fields,
             guint n,
             double *values)
{
  for (guint i = 0; i < n; i++)
    {
      char *end;

      values[i] = g_ascii_strtod (fields[i], &end);
      if (end == fields[i] || *end != '\0')
        return FALSE;
    }
  return TRUE;
}

/* An older file has fewer columns. */
static gboolean
parse_header (const char *text,
              Columns *columns)
{
  gsize length = text != NULL ? strlen (text) : 0;

  *columns = (Columns) { .n_last = N_OLD_LAST, .n_metrics = N_EARLY };
  if (g_strcmp0 (text, OLD_HEADER) == 0)
    return TRUE;
  columns->n_last = N_LAST;
  if (length < strlen (MIDDLE_HEADER) || length >= sizeof header
      || strncmp (text, header, length) != 0 || (header[length] != ',' && header[length] != '\0'))
    return FALSE;
  for (gsize i = strlen (MIDDLE_HEADER); i < length; i++)
    columns->n_metrics += header[i] == ',';
  return TRUE;
}

static gboolean
parse_line (const char *text,
            const Columns *columns,
            guint i,
            Line *line)
{
  guint n_later = columns->n_metrics - N_EARLY;
  guint n_fields = N_WHOLE + N_REAL + N_EARLY + columns->n_last + n_later;
  g_auto (GStrv) fields = g_strsplit (text, ",", n_fields + 1);
  char **metrics = fields + N_WHOLE + N_REAL, **end = metrics + N_EARLY;
  guint64 last[N_LAST] = { 0, i, 0 };

  prism_metrics_init (&line->metrics);
  if (g_strv_length (fields) != n_fields || !parse_whole (fields, N_WHOLE, line->whole)
      || !parse_reals (fields + N_WHOLE, N_REAL, line->reals)
      || !parse_reals (metrics, N_EARLY, line->metrics.values)
      || !parse_whole (end, columns->n_last, last)
      || !parse_reals (end + columns->n_last, n_later, line->metrics.values + N_EARLY))
    return FALSE;
  line->version = last[0];
  line->array = last[1];
  line->unseen = last[2];
  return line->whole[0] <= PRISM_MOMENT_BEST && line->whole[1] <= PRISM_PHASE_DONE
         && line->version <= MAX_MOMENTS && line->unseen <= 1
         && MAX (MAX (line->whole[5], line->whole[6]), MAX (line->whole[7], line->whole[8]))
                <= G_MAXINT;
}

static void
fill_moment (PrismMoment *moment,
             const Line *line)
{
  moment->kind = (PrismMomentKind) line->whole[0];
  moment->phase = (PrismPhase) line->whole[1];
  moment->step = line->whole[2];
  moment->n_rows = line->whole[3];
  moment->n_visits = line->whole[4];
  moment->sample = (guint) line->whole[5];
  moment->sample_step = (guint) line->whole[6];
  moment->pass = (guint) line->whole[7];
  moment->n_visited = (guint) line->whole[8];
  moment->misfit = line->reals[0];
  moment->seconds = line->reals[1];
  moment->metrics = line->metrics;
  moment->unseen = line->unseen != 0;
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
  g_autoptr (PrismImage) image
      = is_shared ? prism_image_ref (before->image) : load_image (archive, i, m, error);
  g_autoptr (PrismMomentSettings) settings = NULL;
  PrismMoment *moment;

  if (image == NULL)
    return NULL;
  settings = before != NULL && before->settings->version == line->version
                 ? prism_moment_settings_ref (before->settings)
                 : load_settings (archive, (guint) line->version, error);
  if (settings == NULL)
    return NULL;
  moment = prism_moment_new (image, settings);
  fill_moment (moment, line);
  return moment;
}

static gboolean
load_moments (PrismArchive *archive,
              char **lines,
              guint n_lines,
              const Columns *columns,
              int m,
              GPtrArray *moments,
              GError **error)
{
  Line line, before = { 0 };
  PrismMoment *moment = NULL;

  for (guint i = 0; i < n_lines; i++)
    {
      if (!parse_line (lines[i], columns, i, &line)
          || (i > 0 && line.whole[2] <= before.whole[2])
          || (line.array != i && (i == 0 || line.array != before.array)))
        return refuse (error, i + 3);
      moment = load_moment (archive, &line, i, m, moment, error);
      if (moment == NULL)
        return FALSE;
      g_ptr_array_add (moments, moment);
      before = line;
    }
  return TRUE;
}

/* What an older file has of the time of the live picture; before the polish comes its result. */
static gboolean
is_unseen (const PrismFrames *self,
           guint i)
{
  const PrismMoment *moment = self->moments[i];
  const PrismConfig *config = moment->settings->config;

  return moment->phase == PRISM_PHASE_SAMPLES && moment->n_visited > 0 && config->consistency > 0
         && prism_config_trains (config)
         && (i + 1 == self->n_moments || self->moments[i + 1]->phase == PRISM_PHASE_SAMPLES);
}

static PrismFrames *
load_lines (PrismArchive *archive,
            char **lines,
            int m,
            GError **error)
{
  g_auto (GStrv) head = g_strsplit (lines[0] != NULL ? lines[0] : "", ",", 4);
  g_autoptr (GPtrArray) moments
      = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_moment_unref);
  guint64 numbers[3];
  Columns columns;
  PrismFrames *frames;

  if (g_strv_length (head) != 3 || !parse_whole (head, 3, numbers) || numbers[0] > MAX_MOMENTS
      || numbers[1] == 0 || numbers[2] == 0 || g_strv_length (lines) < numbers[0] + 2
      || !parse_header (lines[1], &columns))
    {
      refuse (error, 1);
      return NULL;
    }
  if (!load_moments (archive, lines + 2, (guint) numbers[0], &columns, m, moments, error))
    return NULL;
  frames = prism_frames_new ((PrismMoment *const *) moments->pdata, moments->len);
  frames->spacing = numbers[1];
  frames->end_spacing = numbers[2];
  for (guint i = 0; columns.n_last == N_OLD_LAST && i < frames->n_moments; i++)
    frames->moments[i]->unseen = is_unseen (frames, i);
  return frames;
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

  if (!prism_archive_has (archive, INDEX))
    return prism_frames_new (NULL, 0);
  text = prism_archive_load_text (archive, INDEX, error);
  if (text == NULL)
    return NULL;
  lines = g_strsplit (text, "\n", -1);
  return load_lines (archive, lines, object_size, error);
}
