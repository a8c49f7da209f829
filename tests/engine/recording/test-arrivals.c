#include "../support/test-remove-tree.h"
#include "instrument/prism-instrument-simulate.h"
#include "../support/test-config.h"
#include "ptychography/prism-following.h"
#include "recording/prism-arrivals.h"
#include "recording/prism-recording-save.h"

#define tear_down NULL

/* A camera writes a small set into a folder, whatever the order and the delays; the clock is the
 * test's. */

#define STEP 100000 /* µs: a file that has not changed for that long stands still */

typedef struct
{
  PrismRecording *set;
  PrismRecipe *recipe;
  const char *root, *folder, *table;
  char **names;
  gint64 now;
} Camera;

typedef Camera Fixture;

/* data: whether the order of the files' names is that of the table; otherwise it is the reverse */
static void
set_up (Camera *self, gconstpointer data)
{
  g_autoptr (PrismInstrumentTruth) truth = NULL;
  PrismInstrument instrument;

  g_assert_true (prism_instrument_init (&instrument, "microscope", NULL));
  g_assert_true (prism_instrument_set (&instrument, "size", "32", NULL));
  g_assert_true (prism_instrument_set (&instrument, "per_side", "5", NULL));
  self->set = OWN (prism_recording_free,
                   MUST (prism_instrument_simulate (&instrument, &truth, &error)));
  self->root = OWN (test_folder_free, test_folder_new ());
  self->folder = in_folder (self->root, "camera");
  self->table = in_folder (self->root, "leds.csv");
  const char *recipe = in_folder (self->root, "recipe.prism");
  self->names = OWN (g_strfreev, g_new0 (char *, self->set->n_frames + 1));
  for (guint j = 0; j < self->set->n_frames; j++)
    {
      const guint number = data != NULL ? j : self->set->n_frames - 1 - j;

      self->names[j] = g_strdup_printf ("frame_%u.tif", number);
    }
  g_assert_true (prism_recording_save_table (self->set, self->names, self->table, NULL));
  g_assert_true (prism_recording_save_recipe (self->set, recipe, NULL));
  self->recipe = OWN (prism_recipe_free, MUST (prism_recipe_load (recipe, &error)));
  g_assert_cmpint (g_mkdir (self->folder, 0700), ==, 0);
  self->now = STEP;
}

/* part: of the file's bytes that are written, 0…1 */
static void
write_frame (const Camera *self, guint j, const char *name, double part)
{
  const gsize n = (gsize) self->set->height * self->set->width;
  g_autofree char *hidden = g_build_filename (self->folder, ".part", NULL);
  g_autofree char *path = g_build_filename (self->folder, name, NULL), *bytes = NULL;
  gsize length;

  g_assert_true (prism_recording_save_frame (self->set, self->set->frames + j * n, hidden, NULL));
  g_assert_true (g_file_get_contents (hidden, &bytes, &length, NULL));
  g_remove (hidden);
  g_assert_true (g_file_set_contents_full (path, bytes, (gssize) ((double) length * part),
                                           G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

static void
clean (const Camera *self)
{
  test_remove_tree (self->folder);
  g_assert_cmpint (g_mkdir (self->folder, 0700), ==, 0);
}

static gboolean
look (Camera *self, PrismArrivals *arrivals)
{
  self->now += STEP;
  return prism_arrivals_look (arrivals, self->now);
}

static PrismArrivals *
new_arrivals (const Camera *self)
{
  return MUST (prism_arrivals_new (self->folder, self->table, self->recipe, &error));
}

/* asks: all, which is done where it has to be in any case. numbers: (out) (nullable) */
static PrismRecording *
read_all (PrismArrivals *arrivals, gboolean asks, const guint **numbers)
{
  PrismRecording *recording = asks ? NULL : prism_arrivals_read (arrivals, numbers);

  if (recording == NULL)
    {
      g_autoptr (PrismAsking) asking = prism_asking_new (arrivals);

      g_assert_true (prism_asking_run (asking, NULL));
      prism_arrivals_take (arrivals, asking);
      recording = prism_arrivals_read (arrivals, numbers);
    }
  return prism_recording_ref (recording);
}

/* What a run makes of frames, as bits. */
static char *
dup_result (const PrismRecording *recording)
{
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  g_autoptr (PrismPtychography) solver = NULL;

  test_config_set (settings, "threads=1 pupil=flat");
  PrismPtychogram *frames = MUST (prism_ptychogram_new (recording, settings, &error));
  solver = MUST (prism_ptychography_new (frames, settings, recording->wavelength, recording->na,
                                         &error));
  g_assert_true (prism_ptychography_begin (solver));
  for (guint i = 0; i < 3; i++)
    g_assert_true (prism_ptychography_step (solver));
  float *object = prism_ptychography_dup_object (solver, NULL);
  char *sum = g_compute_checksum_for_data (
      G_CHECKSUM_SHA256, (const guchar *) object,
      2 * sizeof *object * (gsize) (frames->upsampling * frames->side)
          * (gsize) (frames->upsampling * frames->side));
  prism_arena_free_array (object);
  return sum;
}

/* In any order, some of them in two halves, with looks and readings anywhere in between: the same
 * bits as from the folder when all are there. */
TEST_FIXTURE (orders, "/engine/arrivals/orders")
{
  const guint n = self->set->n_frames, n_orders = 200;
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  g_autofree char *expected = NULL;

  for (guint order = 0; order < n_orders; order++)
    {
      g_autoptr (PrismArrivals) arrivals = new_arrivals (self);
      g_autoptr (PrismRecording) recording = NULL;
      g_autofree guint *turns = g_new (guint, n);
      guint half = n;

      clean (self);
      for (guint j = 0; j < n; j++)
        turns[j] = j;
      for (guint j = n - 1; j > 0; j--)
        {
          const guint k = (guint) g_rand_int_range (random, 0, (gint32) j + 1), turn = turns[j];

          turns[j] = turns[k];
          turns[k] = turn;
        }
      for (guint i = 0; i < n; i++)
        {
          const gboolean in_halves = half == n && g_rand_int_range (random, 0, 8) == 0;

          write_frame (self, turns[i], self->names[turns[i]], in_halves ? 0.6 : 1);
          if (half < n)
            write_frame (self, half, self->names[half], 1);
          half = in_halves ? turns[i] : n;
          if (g_rand_int_range (random, 0, 4) == 0)
            look (self, arrivals);
          if (g_rand_int_range (random, 0, 40) == 0
              && arrivals->n_there >= PRISM_RECORDING_FEW)
            {
              g_autoptr (PrismRecording) meanwhile = read_all (arrivals, FALSE, NULL);

              g_assert_cmpuint (meanwhile->n_frames, ==, arrivals->n_there);
            }
        }
      if (half < n)
        write_frame (self, half, self->names[half], 1);
      for (guint i = 0; i < 3; i++)
        look (self, arrivals);
      g_assert_cmpuint (arrivals->n_there, ==, n);
      recording = MUST (prism_arrivals_dup_recording (arrivals, TRUE, &error));
      if (expected == NULL)
        {
          g_autoptr (PrismRecording) offline
              = prism_recording_load_with (self->folder, self->table, self->recipe, NULL);

          expected = dup_result (offline);
        }
      g_assert_cmpuint (recording->n_frames, ==, n);
      SAYS (dup_result (recording), expected);
    }
}

/* Of files that are no frame of the table, or not as the others, it is said, and they are left
 * out; one that is not whole is waited for. */
TEST_WITH (files, "/engine/arrivals/files", "in order")
{
  g_autoptr (PrismArrivals) arrivals = new_arrivals (self);
  g_autoptr (PrismRecording) offline = NULL;

  write_frame (self, 0, self->names[0], 1);
  write_frame (self, 1, self->names[1], 0.5);
  write_frame (self, 2, "copy-of-frame_2.tif", 1);
  g_assert_false (prism_arrivals_look (arrivals, self->now)); /* nothing has stood still yet */
  g_assert_true (look (self, arrivals));
  g_assert_cmpuint (arrivals->n_there, ==, 1);
  g_autofree char *copy = g_queue_pop_head (&arrivals->notes);
  HAS (copy, "“copy-of-frame_2.tif” is in no row");
  g_assert_null (g_queue_pop_head (&arrivals->notes));
  for (guint i = 0; i < 40; i++)
    look (self, arrivals);
  g_free (copy);
  copy = g_queue_pop_head (&arrivals->notes);
  HAS (copy, "“frame_1.tif” cannot be read yet");
  g_autofree char *missing = prism_arrivals_dup_missing (arrivals);
  g_assert_true (g_str_has_prefix (missing, "frame_1.tif, frame_2.tif"));
  for (guint j = 1; j < self->set->n_frames; j++)
    write_frame (self, j, self->names[j], 1);
  look (self, arrivals);
  g_assert_true (look (self, arrivals));
  g_assert_cmpuint (arrivals->n_there, ==, self->set->n_frames);
  /* The copy is no frame for a run, either. */
  g_autoptr (PrismRecording) recording = read_all (arrivals, TRUE, NULL);
  offline = prism_recording_load_with (self->folder, self->table, self->recipe, NULL);
  g_assert_cmpuint (offline->n_frames, ==, self->set->n_frames);
  g_assert_cmpmem (recording->frames,
                   sizeof (float) * recording->n_frames * recording->height * recording->width,
                   offline->frames,
                   sizeof (float) * offline->n_frames * offline->height * offline->width);
  test_remove_tree (self->folder);
  look (self, arrivals);
  g_assert_true (arrivals->gone);
}

/* Frames that come after those that were asked are put behind them, the others are not read again;
 * where the folder goes away, they are there in the order of their numbers. */
TEST_FIXTURE (behind, "/engine/arrivals/behind")
{
  const guint n = self->set->n_frames, n_asked = 14;
  const gsize n_pixels = (gsize) self->set->height * self->set->width;
  const gsize n_bytes = sizeof (float) * n * n_pixels;
  g_autofree float *sums = g_new (float, n);
  const guint *numbers;
  guint dark = 0, other = 0;
  g_autoptr (PrismArrivals) arrivals = new_arrivals (self), others = new_arrivals (self);
  g_autoptr (PrismRecording) asked = NULL;

  for (guint j = 0; j < n; j++)
    {
      write_frame (self, j, self->names[j], 1);
      sums[j] = 0;
      for (gsize i = 0; i < n_pixels; i++)
        sums[j] += self->set->frames[j * n_pixels + i];
      dark = sums[j] < sums[dark] ? j : dark;
      if (j + 1 < n_asked)
        continue;
      look (self, arrivals);
      g_assert_true (look (self, arrivals));
      prism_recording_free (asked);
      asked = read_all (arrivals, j + 1 == n_asked, &numbers);
      g_assert_cmpuint (asked->n_frames, ==, j + 1);
      g_assert_cmpuint (numbers[j], ==, j + 1 == n_asked ? n - 1 : n - 1 - j);
      if (j + 1 > n_asked)
        continue;
      other = dark;
      write_frame (self, j, self->names[other], 1);
    }
  write_frame (self, other, self->names[other], 1);
  look (self, others);
  look (self, others);
  g_autoptr (PrismRecording) whole = read_all (others, TRUE, NULL);
  test_remove_tree (self->folder);
  g_autoptr (PrismRecording) kept = MUST (prism_arrivals_dup_recording (arrivals, TRUE, &error));
  g_assert_cmpmem (kept->frames, n_bytes, whole->frames, n_bytes);
  for (guint i = 0; i < 2 * n; i++)
    g_assert_cmpfloat_with_epsilon (kept->directions[i], whole->directions[i], 0.02);
}

/* A file that is removed is told and missing again, and comes back; where all are, since the folder
 * goes away, there is what was read. */
TEST_WITH (removed, "/engine/arrivals/removed", "in order")
{
  const guint n = self->set->n_frames - 1;
  g_autoptr (PrismArrivals) arrivals = new_arrivals (self);

  for (guint j = 0; j < n; j++)
    write_frame (self, j, self->names[j], 1);
  look (self, arrivals);
  g_assert_true (look (self, arrivals));
  g_autoptr (PrismRecording) recording = read_all (arrivals, TRUE, NULL);
  g_remove (in_folder (self->folder, self->names[3]));
  g_assert_false (look (self, arrivals)); /* the folder may be on its way out */
  g_assert_cmpuint (arrivals->n_there, ==, n);
  g_assert_false (look (self, arrivals));
  g_assert_cmpuint (arrivals->n_there, ==, n - 1);
  g_autofree char *note = g_queue_pop_head (&arrivals->notes);
  HAS (note, "“frame_3.tif” was removed");
  g_assert_null (g_queue_pop_head (&arrivals->notes));
  g_autofree char *missing = prism_arrivals_dup_missing (arrivals);
  g_assert_true (g_str_has_prefix (missing, "frame_3.tif, frame_"));
  g_assert_null (prism_arrivals_read (arrivals, NULL));
  prism_recording_free (recording);
  recording = MUST (prism_arrivals_dup_recording (arrivals, TRUE, &error));
  g_assert_cmpuint (recording->n_frames, ==, n - 1);
  write_frame (self, 3, self->names[3], 1);
  look (self, arrivals);
  g_assert_true (look (self, arrivals));
  g_assert_cmpuint (arrivals->n_there, ==, n);
  clean (self);
  look (self, arrivals);
  look (self, arrivals);
  g_assert_cmpuint (arrivals->n_there, ==, 0);
  test_remove_tree (self->folder);
  look (self, arrivals);
  g_assert_cmpuint (arrivals->n_there, ==, n - 1);
}

/* A file that was moved there is read at once, without standing still. */
TEST_WITH (moved, "/engine/arrivals/moved", "in order")
{
  g_autoptr (PrismArrivals) arrivals = new_arrivals (self);
  g_autofree char *away = g_build_filename (self->root, "frame_3.tif", NULL);
  g_autofree char *there = g_build_filename (self->folder, "frame_3.tif", NULL);

  write_frame (self, 3, "frame_3.tif", 1);
  g_assert_cmpint (g_rename (there, away), ==, 0);
  while (prism_arrivals_wait (arrivals, FALSE))
    prism_arrivals_look (arrivals, g_get_monotonic_time ());
  g_assert_cmpuint (arrivals->n_there, ==, 0);
  g_assert_cmpint (g_rename (away, there), ==, 0);
  g_assert_true (prism_arrivals_wait (arrivals, TRUE));
  g_assert_true (prism_arrivals_look (arrivals, g_get_monotonic_time ()));
}

/* Without a column of files frames have the order of their names, as in a folder that is opened. */
TEST_WITH (names, "/engine/arrivals/names", "in order")
{
  const guint n = self->set->n_frames;
  g_autoptr (PrismRecording) offline = NULL;

  g_assert_true (prism_recording_save_table (self->set, NULL, self->table, NULL));
  g_autoptr (PrismArrivals) arrivals = new_arrivals (self);
  for (guint j = n; j-- > 0;)
    write_frame (self, j, self->names[j], 1);
  look (self, arrivals);
  g_assert_true (look (self, arrivals));
  g_assert_cmpuint (arrivals->n_there, ==, n);
  g_assert_cmpstr (arrivals->frames[10].name, ==, "frame_10.tif");
  g_autoptr (PrismRecording) recording = read_all (arrivals, TRUE, NULL);
  offline = prism_recording_load_with (self->folder, self->table, self->recipe, NULL);
  g_assert_cmpmem (recording->directions, 2 * sizeof (double) * n, offline->directions,
                   2 * sizeof (double) * n);
  write_frame (self, 0, "frame_99.tif", 1);
  look (self, arrivals);
  g_assert_false (look (self, arrivals));
  g_autofree char *note = g_queue_pop_head (&arrivals->notes);
  HAS (note, "there are more files");
}

/* Every frame is predicted once, also those that come while all are made ready anew, and late ones
 * well. tile: side of a part of the field */
static void
grow (Camera *self, int tile)
{
  const guint n = self->set->n_frames;
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  g_autofree guint8 *seen = g_new0 (guint8, n);
  guint n_told = 0;

  settings->tile = tile;
  g_autoptr (PrismFollowing) following = MUST (
      prism_following_new (self->folder, self->table, self->recipe, settings, &error));
  for (guint j = 0; j < n; j++)
    {
      /* From both ends, so that numbers are none of places. */
      const guint frame = j % 2 == 0 ? j / 2 : n - 1 - j / 2;
      gboolean more = TRUE;
      PrismGrowingFrame one;

      write_frame (self, frame, self->names[frame], 1);
      while (more && n_told < (j < PRISM_RECORDING_FEW ? 0 : j + 1))
        {
          more = prism_following_step (following);
          while (prism_following_next_frame (following, &one))
            {
              g_assert_cmpint (seen[one.frame]++, ==, 0);
              if (++n_told > n - 4)
                g_assert_cmpfloat (one.correlation, >, 0.8);
            }
        }
      g_assert_cmpint (more, ==, j + 1 < n);
    }
  g_assert_cmpuint (n_told, ==, n);
}

TEST_FIXTURE (growing, "/engine/arrivals/growing")
{
  grow (self, 0);
}

TEST_FIXTURE (growing_part, "/engine/arrivals/growing-part")
{
  grow (self, 24);
}
