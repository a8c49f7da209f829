#include "config.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "prism-cli-engine.h"
#include "prism-cli-measurements.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "recording/prism-recording-save.h"

/* What goes wrong with a camera, on request. Of each kind one frame in so many, at least one; no
 * frame has two. A frame that is late comes up to LATEST frames after its turn, one that is written
 * in two halves has PAUSE between them. */
#define FAULT_EVERY 100
#define LATEST 12
#define PAUSE 0.4        /* s */
#define LEAST_RATE 0.001 /* frames a second */
#define MOST_RATE 1000

typedef enum
{
  FAULT_NONE,
  FAULT_LATE,
  FAULT_HALF,
  FAULT_MISSING,
  FAULT_DOUBLED,
  FAULT_SWAPPED, /* with the next one */
  FAULT_SWAPPED_BACK,
  FAULT_DARK,
} Fault;

static const char *const fault_names[]
    = { "", "late", "half", "missing", "doubled", "swapped", NULL, "dark" };

/* A file that is written, in its turn. */
typedef struct
{
  double turn;
  guint frame; /* number of the file's name */
  gboolean again;
} Delivery;

typedef struct
{
  const PrismRecording *recording;
  const char *folder;
  double rate;    /* frames a second */
  guint8 *faults; /* [n_frames] of Fault */
  char **names;   /* [n_frames] */
} Replay;

/* Waits, unless a signal comes. Returns whether none has */
static gboolean
wait_for (double seconds)
{
  const gint64 end = g_get_monotonic_time () + (gint64) (1e6 * seconds);

  while (prism_cli_engine_get_signal () == 0 && g_get_monotonic_time () < end)
    g_usleep ((gulong) CLAMP (end - g_get_monotonic_time (), 0, 50000));
  return prism_cli_engine_get_signal () == 0;
}

static void
draw_fault (Replay *self,
            GRand *random,
            Fault fault)
{
  const guint n = self->recording->n_frames;

  for (guint k = 0, tries = 0; k < MAX (n / FAULT_EVERY, 1) && tries < 100 * n; tries++)
    {
      const guint j = (guint) g_rand_int_range (random, 0, (gint32) n);
      const gboolean pair = fault == FAULT_SWAPPED;

      if (self->faults[j] != FAULT_NONE
          || (pair && (j + 1 == n || self->faults[j + 1] != FAULT_NONE)))
        continue;
      self->faults[j] = (guint8) fault;
      if (pair)
        self->faults[j + 1] = FAULT_SWAPPED_BACK;
      k++;
    }
}

/* text: names with commas between them */
static gboolean
draw_faults (Replay *self,
             const char *text,
             GRand *random,
             GError **error)
{
  g_auto (GStrv) words = g_strsplit (text != NULL ? text : "", ",", -1);

  PRISM_FOR_EACH_STRING (word, words)
    {
      Fault fault = FAULT_LATE;

      while (fault <= FAULT_DARK && g_strcmp0 (g_strstrip (*word), fault_names[fault]) != 0)
        fault++;
      if (fault > FAULT_DARK)
        return prism_error_config (error,
                                   "There is no fault “%s”: use late, half, missing, doubled,"
                                   " swapped or dark, with commas between them.",
                                   *word);
      draw_fault (self, random, fault);
    }
  return TRUE;
}

static int
compare_turns (gconstpointer a,
               gconstpointer b)
{
  const Delivery *one = a, *other = b;

  return one->turn < other->turn ? -1 : one->turn > other->turn;
}

static GArray *
plan (const Replay *self,
      GRand *random)
{
  GArray *deliveries = g_array_new (FALSE, FALSE, sizeof (Delivery));

  for (guint j = 0; j < self->recording->n_frames; j++)
    {
      Delivery one = { j, j, FALSE };

      if (self->faults[j] == FAULT_MISSING)
        continue;
      if (self->faults[j] == FAULT_LATE)
        one.turn += g_rand_int_range (random, 2, LATEST) + 0.5;
      g_array_append_val (deliveries, one);
      if (self->faults[j] == FAULT_DOUBLED)
        g_array_append_val (deliveries, ((Delivery) { j + 0.5, j, TRUE }));
    }
  g_array_sort (deliveries, compare_turns);
  return deliveries;
}

static gboolean
append (const char *path,
        const char *bytes,
        gsize n)
{
  FILE *file = fopen (path, "ab");
  const gboolean ok = file != NULL && fwrite (bytes, 1, n, file) == n;

  return file != NULL && fclose (file) == 0 && ok;
}

/* A camera that does not hide a file before it is whole. */
static gboolean
write_halves (const char *temporary,
              const char *path,
              GError **error)
{
  g_autofree char *bytes = NULL;
  gsize n;

  if (!g_file_get_contents (temporary, &bytes, &n, error))
    return FALSE;
  unlink (temporary);
  if (append (path, bytes, n / 2) && (wait_for (PAUSE), append (path, bytes + n / 2, n - n / 2)))
    return TRUE;
  return prism_error_io (error, "“%s” cannot be written: %s.", path,
                         g_strerror (errno));
}

static gboolean
deliver (const Replay *self,
         const Delivery *delivery,
         GError **error)
{
  const guint j = delivery->frame;
  g_autofree char *hidden = g_strdup_printf (".%s.part", self->names[j]);
  g_autofree char *temporary = g_build_filename (self->folder, hidden, NULL);
  g_autofree char *copy = g_strdup_printf ("copy-of-%s", self->names[j]);
  g_autofree char *path
      = g_build_filename (self->folder, delivery->again ? copy : self->names[j], NULL);
  const gsize n = (gsize) self->recording->height * self->recording->width;
  const Fault fault = self->faults[j];
  const float *frames = self->recording->frames;
  const guint seen = fault == FAULT_SWAPPED ? j + 1 : fault == FAULT_SWAPPED_BACK ? j - 1
                                                                                  : j;
  g_autofree float *values = g_memdup2 (frames + seen * n, n * sizeof *values);
  float least = values[0];

  /* What the camera sees in a frame's turn: that frame, its neighbour, or its own level. */
  for (gsize i = 0; fault == FAULT_DARK && i < n * self->recording->n_frames; i++)
    least = MIN (least, frames[i]);
  for (gsize i = 0; fault == FAULT_DARK && i < n; i++)
    values[i] = least;
  if (!prism_recording_save_frame (self->recording, values, temporary, error))
    return FALSE;
  if (self->faults[j] == FAULT_HALF)
    return write_halves (temporary, path, error);
  if (rename (temporary, path) == 0)
    return TRUE;
  return prism_error_io (error, "“%s” cannot be written: %s.", path,
                         g_strerror (errno));
}

static void
print_plan (const Replay *self,
            const char *table,
            const char *recipe)
{
  g_autofree char *folder = g_shell_quote (self->folder);
  g_autofree char *table_quoted = g_shell_quote (table);
  g_autofree char *recipe_quoted = g_shell_quote (recipe);

  for (guint j = 0; j < self->recording->n_frames; j++)
    if (self->faults[j] != FAULT_NONE && fault_names[self->faults[j]] != NULL)
      prism_cli_say ("%s: %s", self->names[j], fault_names[self->faults[j]]);
  prism_cli_say ("To follow: prism-cli watch %s --positions %s --recipe %s", folder,
                 table_quoted, recipe_quoted);
  fflush (stdout);
}

/* The table and the numbers come first, then the frames. */
static gboolean
replay (Replay *self,
        GRand *random,
        GError **error)
{
  g_autofree char *table = prism_file_dup_place (self->folder, "leds.csv");
  g_autofree char *recipe = prism_file_dup_place (self->folder, "recipe.prism");
  g_autoptr (GArray) deliveries = plan (self, random);

  if (g_mkdir_with_parents (self->folder, 0777) != 0)
    return prism_error_io (error, "“%s” cannot be made: %s.", self->folder,
                           g_strerror (errno));
  if (!prism_recording_save_table (self->recording, self->names, table, error)
      || !prism_recording_save_recipe (self->recording, recipe, error))
    return FALSE;
  print_plan (self, table, recipe);
  for (guint i = 0; i < deliveries->len && wait_for (1 / self->rate); i++)
    if (!deliver (self, &g_array_index (deliveries, Delivery, i), error))
      return FALSE;
  return TRUE;
}

/**
 * prism_cli_replay:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli replay: writes the frames of a recording into a folder one after the other, as a camera
 * does.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_replay (int argc,
                  char **argv,
                  GError **error)
{
  PrismCliRecordingOptions reading = { 0 };
  char *faults = NULL;
  int seed = 1;
  Replay self = { .rate = 10 };
  const PrismCliOption entries[] = {
    { "rate", 0, PRISM_CLI_NUMBER, &self.rate, "Frames a second (default: 10)", "N", LEAST_RATE,
      MOST_RATE },
    { "faults", 0, PRISM_CLI_TEXT, &faults, "What goes wrong with some frames",
      "late,half,missing,doubled,swapped,dark" },
    { "seed", 0, PRISM_CLI_INTEGER, &seed, "Which frames these are (default: 1)", "N", 0,
      G_MAXINT },
    PRISM_CLI_READING_ENTRIES (&reading),
    { NULL },
  };
  g_autoptr (GRand) random = NULL;
  g_autoptr (PrismRecording) recording = NULL;
  g_autofree guint8 *drawn = NULL;
  g_auto (GStrv) names = NULL;

  if (!prism_cli_parse (entries, NULL, &argc, &argv, error))
    return PRISM_EXIT_FAILED;
  prism_cli_engine_catch_signals ();
  self.folder = argv[2];
  if ((recording = prism_cli_recording_load (&reading, argv[1], error)) == NULL
      || !prism_recording_check (recording, error))
    return PRISM_EXIT_FAILED;
  random = g_rand_new_with_seed ((guint32) seed);
  self.recording = recording;
  self.faults = drawn = g_new0 (guint8, recording->n_frames);
  self.names = names = g_new0 (char *, recording->n_frames + 1);
  for (guint j = 0; j < recording->n_frames; j++)
    names[j] = g_strdup_printf ("frame_%04u.tif", j);
  if (!draw_faults (&self, faults, random, error) || !replay (&self, random, error))
    return PRISM_EXIT_FAILED;
  return prism_cli_engine_get_exit ();
}
