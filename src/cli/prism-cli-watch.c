#include "config.h"

#include "base/prism-directory.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-png-stream.h"
#include "history/prism-snapshot.h"
#include "prism-cli-engine.h"
#include "prism-cli-measurements.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "ptychography/prism-following.h"
#include "results/prism-export.h"

#define MOST_SECONDS 31536000 /* a year */
#define PICTURE "amplitude-now.png"
#define PICTURE_INTERVAL 500000 /* µs between two pictures of what is known by now */

typedef struct
{
  const char *directory;
  gboolean json;
  gboolean quiet;
  double timeout; /* s without a new frame; 0: for ever */
  gint64 begun;   /* µs */
  PrismRecipe *recipe;
  PrismFollowing *following;
  char *picture;   /* its file */
  gint64 pictured; /* µs, when the last one was written */
} Watch;

PRISM_CLEAR (Watch,
             clear_watch,
             prism_recipe_free,
             recipe,
             prism_following_free,
             following,
             g_free,
             picture)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Watch, clear_watch)

/* The beginning of a line of JSON, "event" and "seconds"; NULL where none is wanted. */
static JsonBuilder *
new_event (const Watch *self,
           const char *event)
{
  const double seconds = 1e-6 * (double) (g_get_monotonic_time () - self->begun);
  JsonBuilder *builder = self->json && !self->quiet ? json_builder_new () : NULL;

  if (builder != NULL)
    prism_json_add (builder, "{event: %s, seconds: %g", event, round (1e3 * seconds) / 1e3);
  return builder;
}

static void
print_event (JsonBuilder *builder)
{
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *line = NULL;

  prism_json_add (builder, "}");
  root = json_builder_get_root (builder);
  line = json_to_string (root, FALSE);
  puts (line);
  fflush (stdout);
}

static void
say (const Watch *self,
     const char *sentence)
{
  g_autoptr (JsonBuilder) event = new_event (self, "sentence");

  if (event != NULL)
    {
      prism_json_add (event, "text: %s", sentence);
      print_event (event);
    }
  else if (!self->quiet)
    prism_cli_say ("%s", sentence);
  fflush (stdout);
}

/* The picture by now, beside those of an earlier result. No matter if it cannot be written. */
static void
write_picture (Watch *self)
{
  g_autoptr (JsonBuilder) event = NULL;
  g_autoptr (PrismImage) image = NULL;

  if (g_get_monotonic_time () - self->pictured < PICTURE_INTERVAL)
    return;
  image = prism_following_dup_amplitude (self->following);
  if (image == NULL || !prism_image_save_png (image, self->picture, 16, 0, 0, NULL, NULL))
    return;
  event = new_event (self, "picture");
  if (event != NULL)
    {
      prism_json_add (event, "frames: %u",
                      prism_following_get_arrivals (self->following)->numbers->len);
      print_event (event);
    }
  self->pictured = g_get_monotonic_time ();
}

/* Until all frames are there, or nothing is to be waited for any more. */
static void
follow (Watch *self)
{
  gboolean more = TRUE;

  while (more && prism_cli_engine_get_signal () == 0
         && !(self->timeout > 0 && prism_following_get_idle (self->following) > self->timeout))
    {
      PrismGrowingFrame frame;
      char *sentence;

      more = prism_following_step (self->following);
      while (prism_following_next_frame (self->following, &frame))
        {
          PrismArrivals *arrivals = prism_following_get_arrivals (self->following);
          const char *name = arrivals->frames[frame.frame].name;
          g_autoptr (JsonBuilder) event = new_event (self, "frame");

          if (event != NULL)
            {
              prism_json_add (event, "frame: %u, file: %s, misfit: %g, correlation: %g",
                              frame.frame, name, frame.misfit, frame.correlation);
              print_event (event);
            }
          else if (!self->quiet && isfinite (frame.misfit))
            prism_cli_say ("Frame %u, %s: predicted misfit %.4f, correlation %.4f.",
                           frame.frame, name, frame.misfit, frame.correlation);
          else if (!self->quiet)
            prism_cli_say ("Frame %u, %s: nothing is known before it.", frame.frame, name);
          fflush (stdout);
        }
      while ((sentence = prism_following_next_sentence (self->following)) != NULL)
        {
          say (self, sentence);
          g_free (sentence);
        }
      write_picture (self);
    }
}

/* Says what is missing. Returns (nullable): the table of the result, with which what is there can
 * be read again */
static char *
dup_table (const Watch *self)
{
  PrismArrivals *arrivals = prism_following_get_arrivals (self->following);
  g_autofree char *missing = prism_arrivals_dup_missing (arrivals);
  g_autofree char *sentence = NULL;

  if (missing == NULL)
    return NULL;
  sentence = g_strdup_printf ("%u of %u frames are there; missing are %s. The result is that of"
                              " those that are there.",
                              arrivals->n_there,
                              arrivals->n_frames, missing);
  say (self, sentence);
  return prism_file_dup_place (self->directory, PRISM_RESULT_TABLE);
}

static PrismExit
conclude (const Watch *self,
          PrismSnapshot *snapshot,
          char **reports,
          GError **error)
{
  g_autoptr (JsonBuilder) event = NULL;

  if (!prism_cli_engine_check (snapshot, error)
      || !prism_cli_measurements_conclude (self->directory, reports, FALSE,
                                           self->quiet || self->json, error))
    return PRISM_EXIT_FAILED;
  event = new_event (self, "result");
  if (event != NULL)
    {
      prism_json_add (event, "frames: %u, folder: %s",
                      prism_following_get_arrivals (self->following)->numbers->len,
                      self->directory);
      print_event (event);
    }
  return snapshot->state == PRISM_STATE_STOPPED ? prism_cli_engine_get_exit () : PRISM_EXIT_OK;
}

/* An ordinary run over the frames that are there, in their order: the same bits as later from the
 * folder, whatever the order in which they came. */
static PrismExit
run (Watch *self,
     PrismCliRunFile *file,
     const PrismCliRecordingOptions *reading,
     PrismConfig *config,
     char **reports,
     GError **error)
{
  const int ended_by = prism_cli_engine_take_signal ();
  g_autofree char *positions = NULL;
  g_autoptr (PrismSnapshot) snapshot = NULL;
  g_autoptr (GError) reason = NULL;
  g_auto (PrismCliWatch) watch = { 0 };
  g_autoptr (PrismRecording) recording = NULL;
  PrismExit code;

  prism_cli_watch_init (&watch);
  recording = prism_following_dup_recording (self->following, &reason);
  if (recording == NULL)
    {
      if (reason == NULL)
        prism_error_io (&reason,
                        "No frames have come that can be explained: at least %u are needed.",
                        PRISM_RECORDING_FEW);
      code = prism_cli_report (reason);
      return ended_by != 0 ? (PrismExit) (128 + ended_by) : code;
    }
  positions = dup_table (self);
  if (!prism_cli_measurements_take (file, recording, self->recipe,
                                    positions != NULL ? positions : reading->positions, config,
                                    FALSE, self->quiet || self->json, error)
      || (snapshot = prism_cli_run_file_run (file, config, self->quiet || self->json, error))
             == NULL)
    return PRISM_EXIT_FAILED;
  g_unlink (self->picture);
  code = conclude (self, snapshot, reports, error);
  return code == PRISM_EXIT_OK && ended_by != 0 ? (PrismExit) (128 + ended_by) : code;
}

static gboolean
begin (Watch *self,
       const char *folder,
       const PrismCliRecordingOptions *reading,
       const PrismConfig *config,
       GError **error)
{
  if (reading->positions == NULL)
    return prism_error_config (error, "The table of the LEDs is needed: --positions leds.csv, with"
                                      " a row for each frame.");
  self->recipe = prism_cli_recording_new_recipe (reading, error);
  if (self->recipe == NULL || !prism_cli_claim_folder (self->directory, error))
    return FALSE;
  self->picture = prism_file_dup_place (self->directory, PICTURE);
  if (!self->quiet && !self->json)
    prism_cli_note_older (self->directory);
  self->following
      = prism_following_new (folder, reading->positions, self->recipe, config, error);
  self->begun = g_get_monotonic_time ();
  return self->following != NULL;
}

/**
 * prism_cli_watch:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli watch: follows a folder that frames come into, shows what they tell by now, and writes
 * the result of all of them.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_watch (int argc,
                 char **argv,
                 GError **error)
{
  PrismCliOptions options = { 0 };
  PrismCliRecordingOptions reading = { 0 };
  g_auto (PrismCliRunFile) file = { 0 };
  char **reports = NULL;
  char *directory = (char *) "prism-output";
  g_auto (Watch) self = { 0 };
  const PrismCliOption entries[] = {
    PRISM_CLI_OUTPUT_ENTRY (
        &directory, "Write picture and result into this directory (default: prism-output)"),
    PRISM_CLI_READING_ENTRIES (&reading),
    { "timeout", 0, PRISM_CLI_NUMBER, &self.timeout,
      "End after so many seconds without a new frame (default: never)", "S", 0, MOST_SECONDS },
    { "report", 'r', PRISM_CLI_OUTPUTS, &reports,
      "Write a report, as HTML or PDF by the ending; may be given again", "FILE" },
    { "save", 0, PRISM_CLI_OUTPUT, &file.save,
      "Save the run of all frames in this new file (.prismrun)", "FILE" },
    { "json", 0, PRISM_CLI_SWITCH, &self.json, "Print a line of JSON for each event" },
    PRISM_CLI_QUIET_ENTRY (&self.quiet),
    { NULL },
  };
  g_autoptr (PrismConfig) config = NULL;

  if (!prism_cli_parse (entries, &options, &argc, &argv, error)
      || !prism_cli_claim (PRISM_CLI_FOLDER, "--output", directory, PRISM_RESULT_TABLE, error)
      || !prism_cli_claim_places (error)
      || !prism_cli_check_reports (reports, error)
      || (config = prism_cli_options_load_for (&options, PRISM_FRAMES_RECORDED, error)) == NULL)
    return PRISM_EXIT_FAILED;
  self.directory = file.output = directory;
  prism_cli_engine_catch_signals ();
  if (!begin (&self, argv[1], &reading, config, error))
    return PRISM_EXIT_FAILED;
  follow (&self);
  return run (&self, &file, &reading, config, reports, error);
}
