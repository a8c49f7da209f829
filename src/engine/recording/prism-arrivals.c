/* Programs that steer cameras write a file for each frame, and each has its own way to do so: under
 * a name for the time being or not, in one go or in some, now and then a second time. So nothing is
 * asked of them: a file is a frame that is there once somebody has closed it or moved it there, as
 * inotify tells, and all of it can be read. A network disk tells nothing, so the folder is looked
 * into from time to time as well: there size and time have to stand still for a moment.
 * (GFileMonitor has all events wait for a tenth of a second where some were of no interest.)
 *
 * A file that is removed is a frame that is missing again. Of a folder that is removed there is
 * what was read. */
#include "config.h"

#include "recording/prism-arrivals.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "formats/prism-fields.h"
#include "recording/prism-recording-private.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>

#define STILL 60000 /* µs */

/* A file of the folder. */
typedef struct
{
  guint frame;    /* that the table names it for */
  gboolean whole; /* it can be read */
  gboolean out;   /* it is none of the frames */
  goffset size;
  gint64 time;   /* of the file, ns */
  gint64 seen;   /* µs, by our own clock, when it was there last */
  gint64 since;  /* µs, that size and time stand still, or after seen that it is not there */
  gboolean done; /* its writer has closed it, or moved it there */
  gboolean told;
} File;

static int
compare_frames (gconstpointer a,
                gconstpointer b,
                gpointer data)
{
  return prism_fields_compare_names (((const PrismArrivalsFrame *) a)->expected,
                                     ((const PrismArrivalsFrame *) b)->expected);
}

static gboolean
take_rows (PrismArrivals *self,
           GError **error)
{
  const PrismRecordingRows *rows = self->rows;

  self->n_frames = rows->n;
  self->frames = g_new0 (PrismArrivalsFrame, rows->n);
  for (guint j = 0; j < rows->n; j++)
    self->frames[j] = (PrismArrivalsFrame) {
      .row = j,
      .expected = rows->files != NULL ? g_strdup (rows->files[j]) : NULL,
    };
  if (rows->files == NULL)
    return TRUE;
  self->expected = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  prism_sort (self->frames, rows->n, sizeof *self->frames, compare_frames, NULL);
  for (guint j = 0; j < rows->n; j++)
    {
      const char *name = self->frames[j].expected;

      if (j > 0 && g_str_equal (name, self->frames[j - 1].expected))
        return prism_error_config (error, _ ("“%s” names the file “%s” twice: each frame has"
                                             " its own."),
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

  self->events = self->wakes = -1;
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
                      _ ("“%s” is no folder: name the one that the camera writes into."), folder);
      return NULL;
    }
  self->wakes = eventfd (0, EFD_NONBLOCK | EFD_CLOEXEC);
  self->events = inotify_init1 (IN_NONBLOCK | IN_CLOEXEC);
  inotify_add_watch (self->events, folder,
                     IN_CREATE | IN_CLOSE_WRITE | IN_MOVE | IN_DELETE | IN_DELETE_SELF
                         | IN_MOVE_SELF);
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
  if (self->events >= 0)
    close (self->events);
  if (self->wakes >= 0)
    close (self->wakes);
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

/* Whether a file has been closed or has stood still, and is a frame from its beginning to
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
  if ((now - file->since < STILL && !file->done) || file->size == 0)
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
  PrismArrivalsFrame *frame = &self->frames[file->frame];

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

static guint
count_there (PrismArrivals *self)
{
  if (self->expected == NULL)
    take_in_order (self);
  self->n_there = 0;
  for (guint j = 0; j < self->n_frames; j++)
    self->n_there += self->frames[j].name != NULL;
  return self->n_there;
}

/* Files that have not been there for 60 ms; until then the folder itself may be on its way out. */
static void
forget_removed (PrismArrivals *self,
                gint64 now)
{
  GHashTableIter iter;
  gpointer name, value;

  g_hash_table_iter_init (&iter, self->files);
  while (g_hash_table_iter_next (&iter, &name, &value))
    {
      File *file = value;

      if (file->seen == now)
        continue;
      if (file->since <= file->seen)
        file->since = now;
      if (now - file->since < STILL)
        {
          self->pending = TRUE;
          continue;
        }
      if (file->whole && !file->out)
        g_queue_push_tail (
            &self->notes,
            g_strdup_printf (_ ("“%s” was removed, and is waited for again: the picture keeps what"
                                " it showed, the result takes what is there at the end."),
                             (const char *) name));
      for (guint j = 0; j < self->n_frames; j++)
        if (self->frames[j].name == name)
          self->frames[j].name = NULL;
      g_hash_table_iter_remove (&iter);
    }
  count_there (self);
}

static void
keep_read (PrismArrivals *self)
{
  for (guint j = 0; j < self->n_frames; j++)
    self->frames[j].name = NULL;
  self->n_there = self->numbers->len;
  for (guint i = 0; i < self->n_there; i++)
    self->frames[g_array_index (self->numbers, guint, i)].name
        = g_intern_string (self->read->labels[i]);
}

/**
 * prism_arrivals_look:
 * @now: µs, of a clock that does not go back
 *
 * Looks which frames have come, and which are not there any more.
 *
 * Returns: whether there are some that were not there before
 */
gboolean
prism_arrivals_look (PrismArrivals *self,
                     gint64 now)
{
  g_autoptr (GDir) directory = g_dir_open (self->folder, 0, NULL);
  const guint n_before = self->n_there;
  gboolean has_come;
  const char *name;

  self->changed = self->pending = FALSE;
  self->looked = now;
  self->gone = directory == NULL;
  if (self->gone)
    {
      keep_read (self);
      return FALSE;
    }
  while ((name = g_dir_read_name (directory)) != NULL)
    {
      gpointer key = NULL, value = NULL;
      File *file;

      if (!prism_fields_is_frame (name))
        continue;
      if (!g_hash_table_lookup_extended (self->files, name, &key, &value))
        value = add_file (self, key = g_strdup (name));
      file = value;
      file->seen = now;
      if (file->whole || file->out || !is_whole (self, key, file, now))
        continue;
      file->whole = TRUE;
      if (self->expected != NULL)
        take_named (self, key, file);
    }
  g_hash_table_remove_all (self->done);
  has_come = count_there (self) > n_before;
  forget_removed (self, now);
  return has_come;
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
  const gint64 most = self->pending ? 30 : 250; /* ms */
  struct pollfd files[] = { { self->events, POLLIN, 0 }, { self->wakes, POLLIN, 0 } };
  char bytes[4096] __attribute__ ((aligned (__alignof__(struct inotify_event))));
  gssize n;

  poll (files, G_N_ELEMENTS (files), rests && !self->changed ? (int) most : 0);
  (void) !read (self->wakes, bytes, sizeof bytes);
  while ((n = read (self->events, bytes, sizeof bytes)) > 0)
    for (const char *at = bytes; at < bytes + n;)
      {
        const struct inotify_event *event = (const struct inotify_event *) (const void *) at;

        self->changed = TRUE;
        if ((event->mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) != 0)
          g_hash_table_add (self->done, g_strdup (event->name));
        at += sizeof *event + event->len;
      }
  return self->changed || g_get_monotonic_time () - self->looked >= 1000 * most;
}

/**
 * prism_arrivals_wake:
 *
 * Ends a wait, the next one where nobody waits. Thread: any.
 */
void
prism_arrivals_wake (PrismArrivals *self)
{
  eventfd_write (self->wakes, 1);
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
