/* Programs that steer cameras write a file for each frame, and each has its own way to do so: under
 * a name for the time being or not, in one go or in some, now and then a second time. So nothing is
 * asked of them: a file is a frame that is there once somebody has closed it or moved it there, as
 * GFileMonitor tells, and all of it can be read. A network disk tells nothing, so the folder is
 * looked into from time to time as well: there size and time have to stand still for a moment.
 *
 * Whatever the order in which they came, all frames are read in that of their names, by the reader
 * of all recordings: what is read when the last one is there is what is read of the folder later.
 * That reader asks the frames about the geometry, which is done when there are twice as many as
 * before. In between the pixels of new frames alone are read and put behind the others; where their
 * light comes from the frames that were asked have said of the whole table. */
#include "config.h"

#include "recording/prism-arrivals.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "formats/prism-fields.h"
#include "num/prism-linear.h"
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
  gint64 time;   /* of the file, ns */
  gint64 since;  /* µs, by our own clock, that both stand still */
  gboolean done; /* its writer has closed it, or moved it there */
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
  PrismRecording *read;  /* (nullable): frames that were asked, and behind them those since */
  GArray *numbers;       /* of guint: of its frames */
  guint n_asked;         /* of them */
  guint room;            /* frames that it has memory for */
  guint brightest;       /* of them */
  PrismRecording *table; /* (nullable): no frames; where the light of all rows comes from */
  GHashTable *done;      /* names of files that were closed or moved there since the last look */
  GQueue notes;          /* of char * */
  gboolean gone;
  gboolean pending; /* a file has yet to stand still */
  gboolean changed;
  gint64 looked; /* µs */
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

static void
on_change (PrismArrivals *self,
           GFile *file,
           GFile *other,
           GFileMonitorEvent event)
{
  GFile *there = event == G_FILE_MONITOR_EVENT_RENAMED ? other : file;

  self->changed = TRUE;
  if (event == G_FILE_MONITOR_EVENT_RENAMED || event == G_FILE_MONITOR_EVENT_MOVED_IN
      || event == G_FILE_MONITOR_EVENT_CHANGES_DONE_HINT)
    g_hash_table_add (self->done, g_file_get_basename (there));
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

      if (j > 0 && g_str_equal (name, self->frames[j - 1].expected))
        return prism_error_config (error, "“%s” names the file “%s” twice: each frame has its own.",
                                   self->shown, name);
      prism_frame_names_add (self->expected, name, j);
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
  self->numbers = g_array_new (FALSE, FALSE, sizeof (guint));
  self->done = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->rows = prism_recording_rows_load (positions, error);
  if (self->rows == NULL || !take_rows (self, error))
    return NULL;
  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    {
      prism_error_io (error,
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
  prism_recording_free (self->read);
  prism_recording_free (self->table);
  g_array_unref (self->numbers);
  g_hash_table_unref (self->done);
  prism_recording_rows_free (self->rows);
  prism_recipe_free (self->recipe);
  g_free (self->folder);
  g_free (self->shown);
  g_free (self);
}

/* Whether a file has been closed or has stood still for 60 ms, and is a frame from its beginning to
 * its end. */
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
      file->done = FALSE;
    }
  file->done |= g_hash_table_remove (self->done, name);
  if ((now - file->since < 60000 && !file->done) || file->size == 0)
    {
      self->pending = TRUE;
      return FALSE;
    }
  if (!prism_fields_check_frame (path, &height, &width, &reason))
    {
      if (!file->told && now - file->since > 3 * G_USEC_PER_SEC)
        {
          g_queue_push_tail (
              &self->notes,
              g_strdup_printf (_ ("“%s” cannot be read yet, and is waited for: %s"),
                               name, reason->message));
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
    g_queue_push_tail (
        &self->notes,
        g_strdup_printf (_ ("“%s” has %u×%u pixels, and the frames before it %u×%u: it is left"
                            " out."),
                         name, (guint) width, (guint) height, (guint) self->width,
                         (guint) self->height));
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
  g_queue_push_tail (
      &self->notes,
      g_strdup_printf (_ ("“%s” is the frame of “%s” again: it is left out."),
                       name, frame->name));
  file->out = TRUE;
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
  prism_fields_sort_names (names);
  for (guint j = 0; j < self->n_frames; j++)
    self->frames[j].name = j < names->len ? g_ptr_array_index (names, j) : NULL;
  if (names->len > self->n_frames)
    g_queue_push_tail (
        &self->notes,
        g_strdup_printf (_ ("“%s” has %u rows, and there are more files: the last by name are left"
                            " out."),
                         self->shown, self->n_frames));
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
  file->out = !prism_frame_names_find (self->expected, name, &file->frame);
  if (file->out)
    g_queue_push_tail (
        &self->notes,
        g_strdup_printf (_ ("“%s” is in no row of “%s”: it is left out."),
                         name, self->shown));
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
  self->looked = now;
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
  g_hash_table_remove_all (self->done);
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
 * @rests: whether there is nothing else to do
 *
 * Takes what the folder has told. Who rests waits for an event, and a quarter of a second at most.
 *
 * Returns: whether it is worth looking
 */
gboolean
prism_arrivals_wait (PrismArrivals *self,
                     gboolean rests)
{
  const guint most = self->pending ? 30 : 250; /* ms */
  g_autoptr (GSource) timer = g_timeout_source_new (most);
  gboolean over = FALSE;

  g_source_set_callback (timer, on_time, &over, NULL);
  g_source_attach (timer, self->context);
  while (g_main_context_iteration (self->context, rests && !over && !self->changed))
    ;
  g_source_destroy (timer);
  return self->changed || g_get_monotonic_time () - self->looked >= 1000 * (gint64) most;
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

/* Where the light of all rows of the table comes from. What frames made of the directions (turned,
 * mirrored, scaled and moved them) is a linear map, by least squares over those that were asked: it
 * holds for the others, too, and is the least that does where they lie in a line. Returns %NULL
 * where there are no directions */
static PrismRecording *
new_table (const PrismArrivals *self,
           const PrismRecording *asked,
           const GArray *numbers)
{
  g_autofree guint *rows = g_new (guint, self->n_frames);
  g_autoptr (PrismRecording) all = prism_recording_new_like (asked);
  g_autoptr (GBytes) table = NULL;
  double maps[2][3][4] = { { { 0 } } };

  all->n_frames = self->n_frames;
  all->labels = g_new0 (char *, self->n_frames + 1);
  for (guint j = 0; j < self->n_frames; j++)
    {
      rows[j] = self->frames[j].row;
      all->labels[j] = self->expected != NULL ? g_strdup (self->frames[j].expected)
                                              : g_strdup_printf ("%u", j);
    }
  all->height = all->width = 0;
  all->stated = all->corrected;
  all->geometry_known = TRUE;
  table = prism_recording_rows_dup_some (self->rows, rows,
                                         self->expected == NULL ? all->labels : NULL,
                                         self->n_frames);
  if (!prism_recording_parse_positions (all, table, self->shown, NULL) || all->directions == NULL
      || asked->directions == NULL)
    return NULL;
  for (guint i = 0; i < numbers->len; i++)
    {
      const double *to = asked->directions + 2 * (gsize) i;
      const double *at = all->directions + 2 * (gsize) g_array_index (numbers, guint, i);
      const double from[] = { at[0], at[1], 1 };

      for (int m = 0; m < 2; m++)
        for (int k = 0; k < 3; k++)
          {
            maps[m][k][k] += 1e-9;
            maps[m][k][3] += from[k] * (to[m] - at[m]);
            for (int l = 0; l < 3; l++)
              maps[m][k][l] += from[k] * from[l];
          }
    }
  for (int m = 0; m < 2; m++)
    prism_linear_solve (maps[m][0], 3);
  for (guint j = 0; j < self->n_frames; j++)
    {
      double *at = all->directions + 2 * (gsize) j;
      const double x = at[0], y = at[1];

      for (int m = 0; m < 2; m++)
        at[m] += maps[m][0][3] * x + maps[m][1][3] * y + maps[m][2][3];
    }
  return g_steal_pointer (&all);
}

/* Puts a frame behind those that were read. */
static void
put_behind (PrismArrivals *self,
            const PrismRecording *part,
            guint i,
            guint number)
{
  PrismRecording *read = self->read;
  const gsize n_pixels = (gsize) read->height * read->width, n = read->n_frames;

  memcpy (read->frames + n * n_pixels, part->frames + i * n_pixels,
          n_pixels * sizeof *read->frames);
  memcpy (read->directions + 2 * n, self->table->directions + 2 * (gsize) number,
          2 * sizeof (double));
  for (int k = 0; read->positions != NULL && k < 2; k++)
    read->positions[2 * n + k] = self->table->positions != NULL
                                     ? self->table->positions[2 * (gsize) number + k]
                                     : (double) NAN;
  read->labels[n] = g_strdup (part->labels[i]);
  read->n_frames++;
  g_array_append_val (self->numbers, number);
}

/* Reads the frames that came since, beside the brightest of the others: a recording is never of one
 * frame, and has some light. Returns whether that is enough, and all others are what they were */
static gboolean
read_new (PrismArrivals *self)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree guint8 *known = g_new0 (guint8, self->n_frames);
  g_autoptr (PrismRecording) part = NULL;
  PrismRecording *larger;

  if (self->table == NULL || self->read->exposures_divided)
    return FALSE;
  for (guint i = 0; i < self->numbers->len; i++)
    {
      const guint number = g_array_index (self->numbers, guint, i);

      if (g_strcmp0 (self->frames[number].name, self->read->labels[i]) != 0)
        return FALSE;
      known[number] = 1;
    }
  for (guint j = 0; j < self->n_frames; j++)
    if (self->frames[j].name != NULL && known[j] == 0)
      g_ptr_array_add (names, (gpointer) self->frames[j].name);
  if (names->len == 0)
    return TRUE;
  g_ptr_array_add (names, self->read->labels[self->brightest]);
  g_ptr_array_add (names, NULL);
  part = prism_recording_load_files (self->folder, (char *const *) names->pdata, self->recipe,
                                     NULL);
  if (part == NULL || part->height != self->read->height || part->width != self->read->width)
    return FALSE;
  if (part->n_frames + self->read->n_frames > self->room
      || !g_atomic_ref_count_compare (&self->read->ref_count, 1))
    {
      self->room = MIN (2 * (part->n_frames + self->read->n_frames), self->n_frames);
      larger = prism_recording_dup_frames (self->read, NULL, self->room, NULL);
      if (larger == NULL)
        return FALSE;
      prism_recording_free (self->read);
      self->read = larger;
    }
  for (guint i = 0; i < part->n_frames; i++)
    for (guint j = 0; j < self->n_frames; j++)
      if (known[j] == 0 && g_strcmp0 (part->labels[i], self->frames[j].name) == 0)
        put_behind (self, part, i, j);
  return TRUE;
}

/**
 * prism_arrivals_read:
 * @asks: whether frames are asked about the geometry in any case, as for a result
 * @numbers: (element-type guint): gets the number of each frame
 *
 * Reads the frames that are there. Where they are asked it does so as prism_recording_load() and
 * prism_recording_load_positions() read a folder that has no others; otherwise those that came
 * since are behind those that were read before.
 *
 * Errors: those of both; PRISM_ERROR_IO where files have gone, and then what was read before stays.
 *
 * Returns: (transfer none) (nullable): the recording, until the next call
 */
PrismRecording *
prism_arrivals_read (PrismArrivals *self,
                     gboolean asks,
                     GArray *numbers,
                     GError **error)
{
  if (self->read == NULL || asks || !read_new (self))
    {
      g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (guint));
      g_auto (GStrv) names = NULL;
      g_autoptr (GBytes) table = dup_table (self, &names, all);
      g_autofree PrismFrameLight *ranks = NULL;
      g_autoptr (PrismRecording) recording
          = prism_recording_load_files (self->folder, names, self->recipe, error);

      if (recording == NULL
          || !prism_recording_parse_positions (recording, table, self->shown, error))
        return NULL;
      ranks = prism_recording_rank_by_light (recording, TRUE);
      self->brightest = ranks[0].frame;
      prism_recording_free (self->table);
      self->table = new_table (self, recording, all);
      self->n_asked = self->room = recording->n_frames;
      prism_recording_free (self->read);
      self->read = g_steal_pointer (&recording);
      g_array_unref (self->numbers);
      self->numbers = g_steal_pointer (&all);
    }
  g_array_append_vals (numbers, self->numbers->data, self->numbers->len);
  return self->read;
}

/**
 * prism_arrivals_wants_to_ask:
 *
 * Returns: whether twice as many frames were read as have been asked about the geometry
 */
gboolean
prism_arrivals_wants_to_ask (const PrismArrivals *self)
{
  return self->numbers->len >= 2 * self->n_asked;
}

/**
 * prism_arrivals_get_n_read:
 *
 * Returns: frames that were read
 */
guint
prism_arrivals_get_n_read (const PrismArrivals *self)
{
  return self->numbers->len;
}

/**
 * prism_arrivals_dup_recording:
 * @asked: as for a result: its bits are those of the same files later; where files have gone
 *   meanwhile, it is what was read of them
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): frames that were read, in the order of their numbers; %NULL
 *   without an error where there are none
 */
PrismRecording *
prism_arrivals_dup_recording (PrismArrivals *self,
                              gboolean asked,
                              GError **error)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree guint *order = NULL;
  guint n = 0;

  if (self->read == NULL)
    return NULL;
  if (asked && self->n_asked < self->n_there)
    prism_arrivals_read (self, TRUE, numbers, NULL);
  if (self->numbers->len == self->n_asked)
    return prism_recording_ref (self->read);
  order = g_new (guint, self->numbers->len);
  for (guint j = 0; j < self->n_frames; j++)
    for (guint i = 0; i < self->numbers->len; i++)
      if (g_array_index (self->numbers, guint, i) == j)
        order[n++] = i;
  return prism_recording_dup_frames (self->read, order, n, error);
}
