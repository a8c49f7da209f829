/* Programs that steer cameras write a file for each frame, and each has its own way to do so: under
 * a name for the time being or not, in one go or in some, now and then a second time. So nothing is
 * asked of them: a file is a frame that is there once its size and time have stood still for a
 * moment and all of it can be read. GFileMonitor says when it is worth looking; a network disk says
 * nothing, so the folder is looked into from time to time as well.
 *
 * Whatever the order in which they came, frames are read in that of their names, by the reader of
 * all recordings: what is read when the last one is there is what is read of the folder later. What
 * takes that reader longest is to ask the frames about the geometry. They are asked when there are
 * twice as many as before; in between new frames have the geometry of those. */
#include "config.h"

#include "recording/prism-arrivals.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "formats/prism-fields.h"
#include "recording/prism-recording-private.h"

#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* A file of the folder. */
typedef struct
{
  guint frame;    /* that the table names it for */
  gboolean whole; /* it can be read */
  gboolean out;   /* it is none of the frames */
  goffset size;
  gint64 time;  /* of the file, ns */
  gint64 since; /* µs, by our own clock, that both stand still */
  gboolean told;
} File;

/* A frame of the table. */
typedef struct
{
  guint row;
  char *expected;   /* (nullable): name in the table, with or without ending */
  const char *name; /* (nullable): of the file, once it is there */
} Frame;

struct _PrismArrivals
{
  char *folder;
  char *shown; /* name of the table */
  PrismRecipe *recipe;
  PrismRecordingRows *rows;
  guint n_frames;
  guint n_there;
  Frame *frames;        /* [n_frames], in the order of their names */
  GHashTable *expected; /* (nullable): names with and without ending → number + 1 */
  GHashTable *files;    /* name → File */
  gsize height;         /* of the first frame */
  gsize width;
  PrismRecording *asked; /* (nullable): what those that were asked say of the geometry */
  GArray *asked_numbers; /* of guint: theirs */
  GQueue notes;          /* of char * */
  gboolean gone;
  gboolean pending; /* a file has yet to stand still */
  gboolean changed;
  GMainContext *context;
  GFileMonitor *monitor; /* (nullable) */
};

static int
compare_frames (gconstpointer a,
                gconstpointer b,
                gpointer data)
{
  return prism_fields_compare_names (((const Frame *) a)->expected,
                                     ((const Frame *) b)->expected);
}

static char *
dup_stem (const char *name)
{
  const char *dot = strrchr (name, '.');

  return g_strndup (name, dot != NULL ? (gsize) (dot - name) : strlen (name));
}

static void
on_change (PrismArrivals *self)
{
  self->changed = TRUE;
}

/* Its events come where prism_arrivals_wait() waits for them. */
static void
begin_to_watch (PrismArrivals *self)
{
  g_autoptr (GFile) file = g_file_new_for_path (self->folder);

  self->context = g_main_context_new ();
  g_main_context_push_thread_default (self->context);
  self->monitor = g_file_monitor_directory (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  if (self->monitor != NULL)
    g_signal_connect_swapped (self->monitor, "changed", G_CALLBACK (on_change), self);
  g_main_context_pop_thread_default (self->context);
}

static gboolean
take_rows (PrismArrivals *self,
           GError **error)
{
  const PrismRecordingRows *rows = self->rows;

  self->n_frames = rows->n;
  self->frames = g_new0 (Frame, rows->n);
  for (guint j = 0; j < rows->n; j++)
    self->frames[j] = (Frame) { j, rows->files != NULL ? g_strdup (rows->files[j]) : NULL, NULL };
  if (rows->files == NULL)
    return TRUE;
  self->expected = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  prism_sort (self->frames, rows->n, sizeof *self->frames, compare_frames, NULL);
  for (guint j = 0; j < rows->n; j++)
    {
      const char *name = self->frames[j].expected;

      g_hash_table_insert (self->expected, dup_stem (name), GUINT_TO_POINTER (j + 1));
      if (!g_hash_table_contains (self->expected, name)
          || g_strcmp0 (name, j > 0 ? self->frames[j - 1].expected : NULL) != 0)
        g_hash_table_insert (self->expected, g_strdup (name), GUINT_TO_POINTER (j + 1));
      else
        return prism_error_config (error, "“%s” names the file “%s” twice: each frame has its own.",
                                   self->shown, name);
    }
  return TRUE;
}

/**
 * prism_arrivals_new:
 * @folder: that frames come into
 * @positions: file name of the table of the LEDs, with a row for each frame and names of columns;
 *   without a column of files, frames have the order of their files' names
 * @recipe: how frames are to be understood; it is copied
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT; PRISM_ERROR_CONFIG for a file named twice.
 *
 * Returns: (transfer full) (nullable): what has arrived, nothing so far
 */
PrismArrivals *
prism_arrivals_new (const char *folder,
                    const char *positions,
                    const PrismRecipe *recipe,
                    GError **error)
{
  g_autoptr (PrismArrivals) self = g_new0 (PrismArrivals, 1);

  self->folder = g_strdup (folder);
  self->shown = prism_file_dup_display_name (positions);
  self->recipe = prism_recipe_dup (recipe);
  self->asked_numbers = g_array_new (FALSE, FALSE, sizeof (guint));
  self->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->rows = prism_recording_rows_load (positions, error);
  if (self->rows == NULL || !take_rows (self, error))
    return NULL;
  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO,
                   "“%s” is no folder: name the one that the camera writes into.", folder);
      return NULL;
    }
  begin_to_watch (self);
  return g_steal_pointer (&self);
}

/**
 * prism_arrivals_free:
 * @self: (nullable): what has arrived
 */
void
prism_arrivals_free (PrismArrivals *self)
{
  if (self == NULL)
    return;
  if (self->monitor != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->monitor, self);
      g_file_monitor_cancel (self->monitor);
      g_object_unref (self->monitor);
    }
  g_clear_pointer (&self->context, g_main_context_unref);
  for (guint j = 0; j < self->n_frames; j++)
    g_free (self->frames[j].expected);
  g_free (self->frames);
  g_clear_pointer (&self->expected, g_hash_table_unref);
  g_hash_table_unref (self->files);
  g_queue_clear_full (&self->notes, g_free);
  prism_recording_free (self->asked);
  g_array_unref (self->asked_numbers);
  prism_recording_rows_free (self->rows);
  prism_recipe_free (self->recipe);
  g_free (self->folder);
  g_free (self->shown);
  g_free (self);
}

static void
note (PrismArrivals *self,
      const char *format,
      ...) G_GNUC_PRINTF (2, 3);

static void
note (PrismArrivals *self,
      const char *format,
      ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_queue_push_tail (&self->notes, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

/* The frame that the table has for a name, n_frames where there is none. */
static guint
find_frame (const PrismArrivals *self,
            const char *name)
{
  g_autofree char *stem = dup_stem (name);
  gpointer found = g_hash_table_lookup (self->expected, name);

  if (found == NULL)
    found = g_hash_table_lookup (self->expected, stem);
  return found != NULL ? GPOINTER_TO_UINT (found) - 1 : self->n_frames;
}

/* Whether a file has stood still for 60 ms, and is a frame from its beginning to its end. */
static gboolean
is_whole (PrismArrivals *self,
          const char *name,
          File *file,
          gint64 now)
{
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  g_autoptr (GError) reason = NULL;
  gsize height, width;
  GStatBuf status;
  gint64 time;

  if (g_stat (path, &status) != 0 || !S_ISREG (status.st_mode))
    return FALSE;
  time = status.st_mtim.tv_sec * G_GINT64_CONSTANT (1000000000) + status.st_mtim.tv_nsec;
  if (status.st_size != file->size || time != file->time)
    {
      file->size = status.st_size;
      file->time = time;
      file->since = now;
    }
  if (now - file->since < 60000 || file->size == 0)
    {
      self->pending = TRUE;
      return FALSE;
    }
  if (!prism_fields_check_frame (path, &height, &width, &reason))
    {
      if (!file->told && now - file->since > 3 * G_USEC_PER_SEC)
        {
          note (self, _ ("“%s” cannot be read yet, and is waited for: %s"), name, reason->message);
          file->told = TRUE;
        }
      return FALSE;
    }
  if (self->height == 0)
    {
      self->height = height;
      self->width = width;
    }
  file->out = height != self->height || width != self->width;
  if (file->out)
    note (self,
          _ ("“%s” has %u×%u pixels, and the frames before it %u×%u: it is left out."), name,
          (guint) width, (guint) height, (guint) self->width, (guint) self->height);
  return !file->out;
}

/* A frame that the table names. */
static void
take_named (PrismArrivals *self,
            const char *name,
            File *file)
{
  Frame *frame = &self->frames[file->frame];

  if (frame->name == NULL)
    {
      frame->name = name;
      return;
    }
  note (self, _ ("“%s” is the frame of “%s” again: it is left out."), name, frame->name);
  file->out = TRUE;
}

static int
compare_names (gconstpointer a,
               gconstpointer b,
               gpointer data)
{
  return prism_fields_compare_names (*(char *const *) a, *(char *const *) b);
}

/* Frames that have the order of their names, as far as the table goes. */
static void
take_in_order (PrismArrivals *self)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name, file;

  g_hash_table_iter_init (&iter, self->files);
  while (g_hash_table_iter_next (&iter, &name, &file))
    if (((File *) file)->whole)
      g_ptr_array_add (names, name);
  prism_sort (names->pdata, names->len, sizeof *names->pdata, compare_names, NULL);
  for (guint j = 0; j < self->n_frames; j++)
    self->frames[j].name = j < names->len ? g_ptr_array_index (names, j) : NULL;
  if (names->len > self->n_frames)
    note (self, _ ("“%s” has %u rows, and there are more files: the last by name are left out."),
          self->shown, self->n_frames);
}

/* A file that was not there before. */
static File *
add_file (PrismArrivals *self,
          char *name) /* (transfer full) */
{
  File *file = g_new0 (File, 1);

  g_hash_table_insert (self->files, name, file);
  if (self->expected == NULL)
    return file;
  file->frame = find_frame (self, name);
  file->out = file->frame == self->n_frames;
  if (file->out)
    note (self, _ ("“%s” is in no row of “%s”: it is left out."), name, self->shown);
  return file;
}

/**
 * prism_arrivals_look:
 * @now: µs, of a clock that does not go back
 *
 * Looks which frames have come.
 *
 * Returns: whether there are some that were not there before
 */
gboolean
prism_arrivals_look (PrismArrivals *self,
                     gint64 now)
{
  g_autoptr (GDir) directory = g_dir_open (self->folder, 0, NULL);
  const guint n_before = self->n_there;
  const char *name;

  self->changed = self->pending = FALSE;
  self->gone = directory == NULL;
  while (directory != NULL && (name = g_dir_read_name (directory)) != NULL)
    {
      gpointer key = NULL, value = NULL;
      File *file;

      if (!prism_fields_is_frame (name))
        continue;
      if (!g_hash_table_lookup_extended (self->files, name, &key, &value))
        value = add_file (self, key = g_strdup (name));
      file = value;
      if (file->whole || file->out || !is_whole (self, key, file, now))
        continue;
      file->whole = TRUE;
      if (self->expected != NULL)
        take_named (self, key, file);
    }
  if (self->expected == NULL)
    take_in_order (self);
  self->n_there = 0;
  for (guint j = 0; j < self->n_frames; j++)
    self->n_there += self->frames[j].name != NULL;
  return self->n_there > n_before;
}

static gboolean
on_time (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

/**
 * prism_arrivals_wait:
 *
 * Waits until it is worth looking again: for an event, and a quarter of a second at most.
 */
void
prism_arrivals_wait (PrismArrivals *self)
{
  g_autoptr (GSource) timer = g_timeout_source_new (self->pending ? 30 : 250);
  gboolean over = FALSE;

  g_source_set_callback (timer, on_time, &over, NULL);
  g_source_attach (timer, self->context);
  while (!over && (self->pending || !self->changed))
    g_main_context_iteration (self->context, TRUE);
  g_source_destroy (timer);
}

/**
 * prism_arrivals_get_n:
 *
 * Returns: frames that there are to be
 */
guint
prism_arrivals_get_n (const PrismArrivals *self)
{
  return self->n_frames;
}

/**
 * prism_arrivals_get_n_there:
 *
 * Returns: frames that are there
 */
guint
prism_arrivals_get_n_there (const PrismArrivals *self)
{
  return self->n_there;
}

/**
 * prism_arrivals_get_gone:
 *
 * Returns: whether the folder was not there when it was looked into last
 */
gboolean
prism_arrivals_get_gone (const PrismArrivals *self)
{
  return self->gone;
}

/**
 * prism_arrivals_next_note:
 *
 * Returns: (transfer full) (nullable): the next sentence about files, in the user's language
 */
char *
prism_arrivals_next_note (PrismArrivals *self)
{
  return g_queue_pop_head (&self->notes);
}

/**
 * prism_arrivals_get_name:
 * @frame: number of one that is there
 *
 * Returns: (transfer none): of its file
 */
const char *
prism_arrivals_get_name (const PrismArrivals *self,
                         guint frame)
{
  return self->frames[frame].name;
}

/**
 * prism_arrivals_dup_missing:
 *
 * Returns: (transfer full) (nullable): names or numbers of frames that are not there, the first
 *   ones; %NULL: all are
 */
char *
prism_arrivals_dup_missing (const PrismArrivals *self)
{
  GString *names = g_string_new (NULL);
  guint n = 0;

  for (guint j = 0; j < self->n_frames; j++)
    {
      if (self->frames[j].name != NULL || n++ >= 8)
        continue;
      g_string_append (names, names->len > 0 ? ", " : "");
      if (self->frames[j].expected != NULL)
        g_string_append (names, self->frames[j].expected);
      else
        g_string_append_printf (names, "%u", j);
    }
  g_string_append (names, n > 8 ? " …" : "");
  return g_string_free (names, n == 0);
}

/* The rows of those that are there, in the order of the frames; names: (out) (nullable) */
static GBytes *
dup_table (const PrismArrivals *self,
           GStrv *names,
           GArray *numbers)
{
  g_autofree guint *rows = g_new (guint, self->n_frames);
  g_auto (GStrv) there = g_new0 (char *, self->n_frames + 1);
  GBytes *table;
  guint n = 0;

  for (guint j = 0; j < self->n_frames; j++)
    if (self->frames[j].name != NULL)
      {
        rows[n] = self->frames[j].row;
        there[n++] = g_strdup (self->frames[j].name);
        if (numbers != NULL)
          g_array_append_val (numbers, j);
      }
  table = prism_recording_rows_dup_some (self->rows, rows, self->expected == NULL ? there : NULL,
                                         n);
  if (names != NULL)
    *names = g_steal_pointer (&there);
  return table;
}

/**
 * prism_arrivals_dup_table:
 *
 * Returns: (transfer full): the rows of the table whose frames are there, with their files
 */
GBytes *
prism_arrivals_dup_table (const PrismArrivals *self)
{
  return dup_table (self, NULL, NULL);
}

/* The numbers that frames may have corrected. */
static void
take_geometry (PrismRecording *self,
               const PrismRecording *asked)
{
  self->na = asked->na;
  self->pixel_size = asked->pixel_size;
  self->camera_pixel = asked->camera_pixel;
  self->distance = asked->distance;
  self->rotation = asked->rotation;
  self->shift[0] = asked->shift[0];
  self->shift[1] = asked->shift[1];
  self->geometry_known = TRUE;
}

/* Solves a·x = b of three equations, symmetric and positive, for two right sides. */
static gboolean
solve (double a[3][3],
       double b[3][2])
{
  for (int i = 0; i < 3; i++)
    {
      if (!(fabs (a[i][i]) > 1e-12))
        return FALSE;
      for (int j = 0; j < 3; j++)
        {
          const double factor = j != i ? a[j][i] / a[i][i] : 0;

          for (int k = 0; k < 3; k++)
            a[j][k] -= factor * a[i][k];
          for (int k = 0; k < 2; k++)
            b[j][k] -= factor * b[i][k];
        }
    }
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++)
      b[i][k] /= a[i][i];
  return TRUE;
}

/* What frames made of the directions (turned, mirrored, scaled and moved them) is a linear map, by
 * least squares over those that were asked: it holds for the others, too. Returns whether it is
 * known */
static gboolean
move_directions (const PrismArrivals *self,
                 PrismRecording *recording,
                 const GArray *numbers)
{
  const guint *asked = (const guint *) (void *) self->asked_numbers->data;
  double a[3][3] = { { 0 } }, b[3][2] = { { 0 } };
  guint i = 0;

  if (recording->directions == NULL || self->asked->directions == NULL)
    return FALSE;
  for (guint j = 0; j < numbers->len && i < self->asked_numbers->len; j++)
    {
      const double *to = self->asked->directions + 2 * (gsize) i;
      const double from[]
          = { recording->directions[2 * j], recording->directions[2 * j + 1], 1 };

      if (g_array_index (numbers, guint, j) != asked[i])
        continue;
      i++;
      for (int k = 0; k < 3; k++)
        {
          for (int l = 0; l < 3; l++)
            a[k][l] += from[k] * from[l];
          for (int l = 0; l < 2; l++)
            b[k][l] += from[k] * to[l];
        }
    }
  if (i < self->asked_numbers->len || !solve (a, b))
    return FALSE;
  for (guint j = 0; j < numbers->len; j++)
    {
      double *at = recording->directions + 2 * (gsize) j;
      const double x = at[0], y = at[1];

      for (int k = 0; k < 2; k++)
        at[k] = b[0][k] * x + b[1][k] * y + b[2][k];
    }
  recording->directions_given = TRUE;
  return TRUE;
}

/**
 * prism_arrivals_read:
 * @whole: whether frames are asked about the geometry in any case, as for a result
 * @numbers: (element-type guint): gets the number of each frame
 *
 * Reads the frames that are there; as a whole it does so as prism_recording_load() and
 * prism_recording_load_positions() read a folder that has no others.
 *
 * Errors: those of both; PRISM_ERROR_IO where files have gone.
 *
 * Returns: (transfer full) (nullable): the recording
 */
PrismRecording *
prism_arrivals_read (PrismArrivals *self,
                     gboolean whole,
                     GArray *numbers,
                     GError **error)
{
  g_auto (GStrv) names = NULL;
  g_autoptr (GBytes) table = dup_table (self, &names, numbers);
  g_autoptr (PrismRecording) recording = NULL;
  const gboolean asks = whole || numbers->len >= 2 * self->asked_numbers->len;

  recording = prism_recording_load_files (self->folder, names, self->recipe, error);
  if (recording != NULL && !asks)
    take_geometry (recording, self->asked);
  if (recording == NULL || !prism_recording_parse_positions (recording, table, self->shown, error))
    return NULL;
  if (!asks)
    {
      if (move_directions (self, recording, numbers))
        return g_steal_pointer (&recording);
      g_array_set_size (numbers, 0);
      return prism_arrivals_read (self, TRUE, numbers, error);
    }
  g_clear_pointer (&self->asked, prism_recording_free);
  self->asked = prism_recording_new (self->folder, recording->format);
  take_geometry (self->asked, recording);
  self->asked->directions
      = g_memdup2 (recording->directions,
                   recording->directions != NULL ? 2 * sizeof (double) * numbers->len : 0);
  g_array_set_size (self->asked_numbers, 0);
  g_array_append_vals (self->asked_numbers, numbers->data, numbers->len);
  return g_steal_pointer (&recording);
}
