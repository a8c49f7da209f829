/* What a step runs, and what its run came to. */
#include "config.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "lesson/prism-lesson.h"
#include "prism-lessons.h"
#include "recording/prism-recording.h"

#include <gio/gio.h>

static char *
dup_cached (const char *name)
{
  return g_build_filename (g_get_user_cache_dir (), "prism-studio", "lessons", name, NULL);
}

/**
 * prism_lesson_dup_frames:
 * @folder: (nullable): of the lesson's file
 * @name: of recorded frames
 *
 * Looks for them beside the lesson, and then among those that come with the program, which are in
 * the user's cache when they are read.
 *
 * Returns: (transfer full) (nullable): their path
 */
char *
prism_lesson_dup_frames (const char *folder,
                         const char *name)
{
  g_autofree char *beside = folder != NULL ? g_canonicalize_filename (name, folder) : NULL;
  g_autofree char *resource = g_strconcat (PRISM_LESSON_FOLDER, name, NULL);

  if (beside != NULL && g_file_test (beside, G_FILE_TEST_IS_REGULAR))
    return g_steal_pointer (&beside);
  return g_resource_get_info (prism_lessons_get_resource (), resource, 0, NULL, NULL, NULL)
             ? dup_cached (name)
             : NULL;
}

/* Frames of the program, for readers of files. */
static gboolean
unpack (const char *path,
        GError **error)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *copy = dup_cached (name);
  g_autofree char *folder = g_path_get_dirname (copy);
  g_autofree char *resource = g_strconcat (PRISM_LESSON_FOLDER, name, NULL);
  g_autoptr (GBytes) bytes = NULL;
  GStatBuf status;

  if (strcmp (path, copy) != 0)
    return TRUE;
  bytes = g_resource_lookup_data (prism_lessons_get_resource (), resource, 0, error);
  if (bytes == NULL)
    return FALSE;
  if (g_stat (copy, &status) == 0 && (gsize) status.st_size == g_bytes_get_size (bytes))
    return TRUE;
  g_mkdir_with_parents (folder, 0700);
  return prism_file_save (copy, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), error);
}

/* What goes wrong in the instrument: as prism-cli replay has it. */
static void
spoil (const PrismLessonStep *self,
       PrismRecording *recording)
{
  const gsize n = (gsize) recording->height * recording->width;
  float *one = recording->frames + n * self->swapped[0];
  float *other = recording->frames + n * self->swapped[1];
  float *dark = recording->frames + n * (gsize) MAX (self->dark, 0);
  float least = recording->frames[0];

  for (gsize i = 0; one != other && i < n; i++)
    {
      const float kept = one[i];

      one[i] = other[i];
      other[i] = kept;
    }
  for (gsize i = 0; self->dark >= 0 && i < n * recording->n_frames; i++)
    least = MIN (least, recording->frames[i]);
  for (gsize i = 0; self->dark >= 0 && i < n; i++)
    dark[i] = least;
}

/**
 * prism_lesson_step_new_scene:
 * @self: a step; its settings get the sizes of what its run explains
 * @error: return location
 *
 * Reads recorded frames that the step is about, and spoils them as it says.
 *
 * Errors: those of prism_recording_load(), prism_recording_check() and prism_problem_new();
 * PRISM_ERROR_CONFIG where a frame is named that is not there.
 *
 * Returns: (transfer full) (nullable): the scene; %NULL without an error for a telescope
 */
PrismScene *
prism_lesson_step_new_scene (PrismLessonStep *self,
                             GError **error)
{
  g_autoptr (PrismRecording) recording = NULL;
  g_autoptr (PrismProblem) problem = NULL;
  PrismScene *scene;

  if (self->recipe == NULL)
    return NULL;
  if (!unpack (self->config->object, error))
    return NULL;
  recording = prism_recording_load (self->config->object, self->recipe, error);
  if (recording == NULL || !prism_recording_check (recording, error))
    return NULL;
  if (MAX (self->swapped[0], self->swapped[1]) >= recording->n_frames
      || self->dark >= (int) recording->n_frames)
    {
      prism_error_config (error,
                          _ ("A frame is spoilt that is not there: there are frames 0 to %u."),
                          recording->n_frames - 1);
      return NULL;
    }
  spoil (self, recording);
  problem = prism_problem_new (recording, self->config, error);
  if (problem == NULL)
    return NULL;
  prism_problem_set_reading (problem, self->recipe, NULL);
  scene = prism_scene_new_problem (problem);
  prism_scene_apply_problem (scene, self->config);
  return scene;
}

const PrismLessonNumber prism_lesson_numbers[PRISM_LESSON_N_MEASURES] = {
  [PRISM_LESSON_PSNR] = { "psnr", N_ ("PSNR"), "dB", 1 },
  [PRISM_LESSON_SSIM] = { "ssim", N_ ("SSIM"), "", 3 },
  [PRISM_LESSON_ERROR] = { "error", N_ ("Error"), "%", 1 },
  [PRISM_LESSON_COVERAGE] = { "coverage", N_ ("Coverage"), "%", 1 },
  [PRISM_LESSON_GAIN] = { "gain", N_ ("More than in the step before"), "dB", 1 },
  [PRISM_LESSON_CORRELATION] = { "correlation", N_ ("Correlation"), "", 2 },
  [PRISM_LESSON_MISFIT] = { "misfit", N_ ("Misfit"), "", 2 },
};

/**
 * prism_lesson_result_init:
 * @self: (out caller-allocates): gets the numbers
 * @snapshot: of a run that has ended
 * @before: (nullable): what the step before came to
 *
 * Reads the numbers of a run: PSNR and gain in dB, SSIM, the normalised error and the coverage in
 * percent; of recorded frames misfit and correlation of those that were never used.
 */
void
prism_lesson_result_init (PrismLessonResult *self,
                          const PrismSnapshot *snapshot,
                          const PrismLessonResult *before)
{
  const gboolean recorded = prism_snapshot_is_recorded (snapshot);

  *self = (PrismLessonResult) {
    .values = {
        [PRISM_LESSON_PSNR] = snapshot->metrics.psnr,
        [PRISM_LESSON_SSIM] = snapshot->metrics.ssim,
        [PRISM_LESSON_ERROR] = snapshot->metrics.rmse,
        [PRISM_LESSON_COVERAGE] = 100 * snapshot->coverage,
        [PRISM_LESSON_GAIN]
        = before != NULL ? snapshot->metrics.psnr - before->values[PRISM_LESSON_PSNR] : NAN,
        [PRISM_LESSON_CORRELATION] = recorded ? snapshot->correlation : NAN,
        [PRISM_LESSON_MISFIT] = recorded ? snapshot->misfit : NAN,
    },
    .verdict = snapshot->verdict.kind,
  };
}

/**
 * prism_lesson_measure_dup_text:
 * @measure: a number
 * @value: of it
 *
 * Returns: (transfer full): the value with its unit, as people read it
 */
char *
prism_lesson_measure_dup_text (PrismLessonMeasure measure,
                               double value)
{
  const PrismLessonNumber *number = &prism_lesson_numbers[measure];

  if (!isfinite (value))
    return g_strdup ("–");
  return g_strdup_printf ("%.*f%s%s", number->digits, value, *number->unit != '\0' ? " " : "",
                          number->unit);
}
