/* What is read of a folder that fills. Whatever the order in which they came, all frames are read
 * in that of their names, by the reader of all recordings: what is read when the last one is there
 * is what is read of the folder later. That reader asks the frames about the geometry, which is
 * done when there are twice as many as before, in a thread of its own. In between the pixels of new
 * frames alone are read and put behind the others; where their light comes from the frames that
 * were asked have said of the whole table. */
#include "config.h"

#include "base/prism-each.h"
#include "recording/prism-arrivals.h"

#include "num/prism-linear.h"
#include "recording/prism-recording-private.h"

/* Rows of the table, with the names of the files where it has none; labels: [n] */
static GBytes *
dup_rows (const PrismArrivals *self,
          const guint *numbers,
          char *const *labels,
          guint n)
{
  g_autofree guint *rows = g_new (guint, n);

  for (guint i = 0; i < n; i++)
    rows[i] = self->frames[numbers[i]].row;
  return prism_recording_rows_dup_some (self->rows, rows, self->expected == NULL ? labels : NULL,
                                        n);
}

/* What frames made of the directions (turned, mirrored, scaled and moved them) is a linear map, by
 * least squares over those that were asked: it holds for the others, too, and is the least that
 * does where they lie in a line. Returns %NULL where there are no directions */
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
      || asked->directions == NULL || all->unplaced != NULL)
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
 * prism_asking_new:
 * @arrivals: what has arrived
 *
 * Returns: (transfer full): the frames that are there now, for prism_asking_run()
 */
PrismAsking *
prism_asking_new (const PrismArrivals *arrivals)
{
  PrismAsking *self = g_new0 (PrismAsking, 1);

  self->arrivals = arrivals;
  self->numbers = g_array_new (FALSE, FALSE, sizeof (guint));
  self->names = g_new0 (char *, arrivals->n_frames + 1);
  for (guint j = 0; j < arrivals->n_frames; j++)
    if (arrivals->frames[j].name != NULL)
      {
        self->names[self->numbers->len] = g_strdup (arrivals->frames[j].name);
        g_array_append_val (self->numbers, j);
      }
  self->rows = dup_rows (arrivals, (const guint *) (void *) self->numbers->data, self->names,
                         self->numbers->len);
  return self;
}

/**
 * prism_asking_free:
 * @self: (nullable): an asking
 */
PRISM_FREE_FOR_ALL (PrismAsking,
                    prism_asking_free,
                    g_strfreev,
                    names,
                    g_bytes_unref,
                    rows,
                    g_array_unref,
                    numbers,
                    prism_recording_free,
                    recording,
                    prism_recording_free,
                    table)

/**
 * prism_asking_run:
 *
 * Reads the frames and asks them, as prism_recording_load() and prism_recording_load_positions()
 * read a folder that has no others. Thread: any.
 *
 * Errors: those of both; PRISM_ERROR_IO where files have gone.
 *
 * Returns: whether it has a recording then
 */
gboolean
prism_asking_run (PrismAsking *self,
                  GError **error)
{
  const PrismArrivals *arrivals = self->arrivals;
  g_autoptr (PrismRecording) recording
      = prism_recording_load_files (arrivals->folder, self->names, arrivals->recipe, error);

  if (recording == NULL
      || !prism_recording_parse_positions (recording, self->rows, arrivals->shown, error))
    return FALSE;
  self->table = new_table (arrivals, recording, self->numbers);
  self->recording = g_steal_pointer (&recording);
  return TRUE;
}

/**
 * prism_arrivals_take:
 * @asking: frames that were asked
 *
 * What they say holds from now on.
 */
void
prism_arrivals_take (PrismArrivals *self,
                     PrismAsking *asking)
{
  g_autofree PrismFrameLight *ranks = prism_recording_rank_by_light (asking->recording, TRUE);

  self->brightest = ranks[0].frame;
  prism_recording_free (self->table);
  self->table = g_steal_pointer (&asking->table);
  prism_recording_free (self->read);
  self->read = g_steal_pointer (&asking->recording);
  self->n_asked = self->room = self->read->n_frames;
  g_array_set_size (self->numbers, 0);
  g_array_append_vals (self->numbers, asking->numbers->data, asking->numbers->len);
}

/**
 * prism_arrivals_read:
 * @numbers: (out) (optional) (transfer none): [n_frames], of each frame
 *
 * Reads the frames that came since others were asked, and puts them behind.
 *
 * Returns: (transfer none) (nullable): the recording, until the next call; %NULL where all have to
 *   be asked: nothing was read yet, or others are not what they were
 */
PrismRecording *
prism_arrivals_read (PrismArrivals *self,
                     const guint **numbers)
{
  if (self->read == NULL || !read_new (self))
    return NULL;
  if (numbers != NULL)
    *numbers = (const guint *) (void *) self->numbers->data;
  return self->read;
}

/**
 * prism_arrivals_dup_recording:
 * @asks: as for a result: its bits are those of the same files later; where files have gone
 *   meanwhile, it is what was read of them
 *
 * Errors: PRISM_ERROR_MEMORY; those of prism_asking_run() where nothing was read before.
 *
 * Returns: (transfer full) (nullable): frames that were read, in the order of their numbers, for a
 *   result with their rows where others are missing; %NULL without an error where there are none
 */
PrismRecording *
prism_arrivals_dup_recording (PrismArrivals *self,
                              gboolean asks,
                              GError **error)
{
  g_autoptr (PrismAsking) asking = asks && self->n_there >= 2 ? prism_asking_new (self) : NULL;
  g_autofree guint *order = g_new (guint, self->n_frames);
  g_autofree guint *sorted = g_new (guint, self->n_frames);
  PrismRecording *recording;
  guint n = 0;

  if (asking != NULL && prism_asking_run (asking, self->read == NULL ? error : NULL))
    prism_arrivals_take (self, asking);
  if (self->read == NULL)
    return NULL;
  for (guint j = 0; j < self->n_frames; j++)
    for (guint i = 0; i < self->numbers->len; i++)
      if (g_array_index (self->numbers, guint, i) == j)
        {
          order[n] = i;
          sorted[n++] = j;
        }
  recording = n == self->n_asked ? prism_recording_ref (self->read)
                                 : prism_recording_dup_frames (self->read, order, n, error);
  if (asks && recording != NULL && n < self->n_frames && recording->rows == NULL)
    recording->rows = dup_rows (self, sorted, recording->labels, n);
  return recording;
}
