#include "history/prism-keeper.h"
#include "../support/test-config.h"

/* m = object_size of 64: a picture of 16 KiB, 64 of which make a MiB. */
#define SIZE 64
#define STEPS_PER_SAMPLE 50

static PrismConfig *
make_config (int history_size)
{
  PrismConfig *config = prism_config_new ();

  config->object_size = SIZE;
  config->history_size = history_size;
  config->samples = 1;
  return config;
}

static double
get_psnr (guint64 step, guint64 best)
{
  return 30.0 - fabs ((double) step - (double) best) / 100.0;
}

/* A step of a run, the way the trainer does it. */
static void
do_step (PrismKeeper *keeper, guint64 step, double psnr)
{
  guint64 n_visits = step / STEPS_PER_SAMPLE;
  gboolean ends = step % STEPS_PER_SAMPLE == 0;
  PrismMomentKind kind;

  if (!prism_keeper_wants (keeper, step, ends ? n_visits : 0, step % 10 == 0 ? psnr : NAN, &kind))
    return;
  g_autoptr (PrismImage) image = prism_image_new (SIZE, SIZE, NULL);
  image->pixels[0] = (float) step;
  PrismMoment *moment = prism_keeper_new_moment (keeper, kind, image);
  moment->step = step;
  moment->n_visits = n_visits;
  moment->n_visited = (guint) n_visits;
  moment->metrics.psnr = psnr;
  prism_keeper_keep (keeper, moment);
}

static PrismFrames *
record (int history_size, guint64 n_steps, guint64 best)
{
  g_autoptr (PrismConfig) config = make_config (history_size);
  g_autoptr (PrismKeeper) keeper = prism_keeper_new (config, 1);

  for (guint64 step = 1; step <= n_steps; step++)
    do_step (keeper, step, get_psnr (step, best));
  return prism_keeper_dup_frames (keeper);
}

TEST (everything_fits, "/engine/keeper/everything-fits")
{
  g_autoptr (PrismFrames) frames = record (256, 500, 0);

  /* The first, then every multiple of ten, which include the ends. */
  g_assert_cmpuint (frames->n_moments, ==, 51);
  for (guint i = 1; i < frames->n_moments; i++)
    {
      g_assert_cmpuint (frames->moments[i]->step, ==, 10 * i);
      g_assert_cmpfloat (frames->moments[i]->image->pixels[0], ==, 10.0f * i);
      g_assert_cmpint (frames->moments[i]->kind, ==,
                       i % 5 == 0 ? PRISM_MOMENT_END : PRISM_MOMENT_STEP);
    }
  g_assert_cmpuint (frames->bytes, ==, 51 * SIZE * SIZE * 4);
}

static guint64
get_largest_gap (const PrismFrames *frames)
{
  guint64 gap = 0;

  for (guint i = 1; i < frames->n_moments; i++)
    {
      g_assert_cmpuint (frames->moments[i]->step, >, frames->moments[i - 1]->step);
      gap = MAX (gap, frames->moments[i]->step - frames->moments[i - 1]->step);
    }
  return gap;
}

TEST (thinned_evenly, "/engine/keeper/thinned-evenly")
{
  static const guint64 lengths[] = { 700, 5003, 20000, 123457, 1000000 };

  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      guint64 n = lengths[i], best = n / 3 / 10 * 10;
      g_autoptr (PrismFrames) frames = record (1, n, best);
      guint last = frames->n_moments - 1;

      g_test_message ("%u moments of %u steps, gap %u", frames->n_moments, (guint) n,
                      (guint) get_largest_gap (frames));
      g_assert_cmpuint (frames->bytes, <=, 1 << 20);
      g_assert_cmpuint (frames->n_moments, >=, 16);
      g_assert_cmpuint (frames->moments[0]->step, ==, 1);
      g_assert_cmpuint (n - frames->moments[last]->step, <, MAX (frames->spacing, 10));
      g_assert_cmpint (frames->best, >=, 0);
      g_assert_cmpuint (frames->moments[frames->best]->step, ==, best);
      /* Nowhere more than a few times the mean distance. */
      g_assert_cmpuint (get_largest_gap (frames), <=, 4 * n / frames->n_moments + 10);
    }
}

TEST (ends_stay_longer, "/engine/keeper/ends-stay-longer")
{
  g_autoptr (PrismFrames) frames = record (1, 2000, 0);
  guint n_ends = 0;

  for (guint i = 0; i < frames->n_moments; i++)
    n_ends += frames->moments[i]->kind == PRISM_MOMENT_END;
  g_assert_cmpuint (n_ends, ==, 40);
  g_assert_cmpuint (frames->spacing, >, 10);
  for (guint i = 0; i < 40; i++)
    {
      int found = prism_frames_find_sample (frames, i);

      g_assert_cmpint (found, >=, 0);
      g_assert_cmpuint (frames->moments[found]->step, ==, (i + 1) * STEPS_PER_SAMPLE);
    }
  g_assert_cmpint (prism_frames_find_sample (frames, 40), ==, -1);
}

/* A run that is known to be long begins with a larger distance: no more moments are made than there
 * is use for. */
TEST (long_run, "/engine/keeper/long-run")
{
  g_autoptr (PrismConfig) config = make_config (1);
  guint n_made = 0;

  config->samples = 10000;
  config->steps = STEPS_PER_SAMPLE;
  config->start_steps = 0;
  g_autoptr (PrismKeeper) keeper = prism_keeper_new (config, 1);
  for (guint64 step = 1; step <= 500000; step++)
    {
      guint64 n_visits = step % STEPS_PER_SAMPLE == 0 ? step / STEPS_PER_SAMPLE : 0;
      PrismMomentKind kind;

      n_made += prism_keeper_wants (keeper, step, n_visits, NAN, &kind);
      do_step (keeper, step, 20.0);
    }
  g_autoptr (PrismFrames) frames = prism_keeper_dup_frames (keeper);
  g_test_message ("%u made, %u kept", n_made, frames->n_moments);
  g_assert_cmpuint (n_made, <=, 2 * 64 * 8);
  g_assert_cmpuint (frames->n_moments, >=, 32);
}

/* A device that halts for every look is looked at less often. */
TEST (chunks, "/engine/keeper/chunks")
{
  g_autoptr (PrismConfig) config = make_config (256);
  g_autoptr (PrismKeeper) keeper = prism_keeper_new (config, 64);

  for (guint64 step = 64; step <= 640; step += 64)
    do_step (keeper, step, 20.0);
  g_autoptr (PrismFrames) frames = prism_keeper_dup_frames (keeper);
  g_assert_cmpuint (frames->spacing, ==, 80);
  g_assert_cmpuint (frames->n_moments, ==, 9); /* all but 384: of one eighty with 320 */
}

TEST (budget, "/engine/keeper/budget")
{
  g_autoptr (PrismConfig) config = make_config (0);
  g_autoptr (PrismFrames) none = record (0, 1000, 0);

  g_assert_cmpuint (none->n_moments, ==, 0);
  g_assert_cmpint (none->best, ==, -1);
  g_assert_cmpint (prism_frames_find (none, 5), ==, -1);
  g_assert_cmpuint (prism_keeper_get_capacity (config), ==, 0);
  config->history_size = 1;
  g_assert_cmpuint (prism_keeper_get_capacity (config), ==, 64);
  config->object_size = 512; /* a picture of 1 MiB */
  g_assert_cmpuint (prism_keeper_get_capacity (config), ==, 0);
  config->history_size = 4;
  g_assert_cmpuint (prism_keeper_get_capacity (config), ==, 4);
  g_assert_cmpuint (prism_keeper_get_required_bytes (config, 100), ==, 4 << 20);
  config->history_size = 1048576;
  g_assert_cmpuint (prism_keeper_get_capacity (config), ==, 2048);
  test_config_set (config, "steps=10 start_steps=0 polish=0 consistency=0");
  g_assert_cmpuint (prism_keeper_get_required_bytes (config, 100), ==, 204 << 20);
  /* The steps of the first sample, and then the rounds of the live picture. */
  config->consistency = 3;
  g_assert_cmpuint (prism_keeper_get_required_bytes (config, 100), ==, 105 << 20);
  g_assert_cmpuint (prism_keeper_get_required_bytes (config, 1000), ==, 107 << 20);
  config->polish = 50;
  g_assert_cmpuint (prism_keeper_get_required_bytes (config, 100), ==, 155 << 20);
  test_config_set (config, "method=epie passes=7");
  g_assert_cmpuint (prism_keeper_get_required_bytes (config, 100), ==, 7 << 20);
}

/* A picture that does not change is in memory once. */
TEST (same_picture, "/engine/keeper/same-picture")
{
  g_autoptr (PrismConfig) config = make_config (256);
  g_autoptr (PrismKeeper) keeper = prism_keeper_new (config, 1);

  for (guint step = 1; step <= 6; step++)
    {
      g_autoptr (PrismImage) image = prism_image_new (SIZE, SIZE, NULL);

      image->pixels[SIZE * SIZE - 1] = (float) (step / 3);
      PrismMoment *moment = prism_keeper_new_moment (keeper, PRISM_MOMENT_STEP, image);
      moment->step = step;
      prism_keeper_keep (keeper, moment);
    }
  g_autoptr (PrismFrames) frames = prism_keeper_dup_frames (keeper);
  g_assert_cmpuint (frames->n_moments, ==, 6);
  g_assert_cmpuint (frames->bytes, ==, 3 * SIZE * SIZE * 4);
  for (guint step = 1; step <= 6; step++)
    g_assert_cmpfloat (frames->moments[step - 1]->image->pixels[SIZE * SIZE - 1], ==, step / 3);
}

/* A search that takes more passes than were planned keeps no more than was told before it. */
TEST (told, "/engine/keeper/told")
{
  g_autoptr (PrismConfig) config = make_config (256);

  config->samples = 8;
  config->start_steps = config->steps = 10;
  config->polish = 30;
  guint64 told = prism_keeper_get_required_bytes (config, 8);
  g_assert_cmpuint (told, <, 100 * SIZE * SIZE * 4);
  g_autoptr (PrismKeeper) keeper = prism_keeper_new (config, 1);
  for (guint64 step = 1; step <= 4000; step++)
    {
      do_step (keeper, step, get_psnr (step, 700));
      g_autoptr (PrismFrames) frames = prism_keeper_dup_frames (keeper);
      g_assert_cmpuint (frames->bytes, <=, told);
    }
}

/* As few as fit at all. */
TEST (smallest_budget, "/engine/keeper/smallest-budget")
{
  g_autoptr (PrismConfig) config = make_config (1);

  config->object_size = 256; /* four in a MiB; the budget goes by the configuration */
  g_autoptr (PrismKeeper) keeper = prism_keeper_new (config, 1);
  for (guint64 step = 1; step <= 3000; step++)
    {
      do_step (keeper, step, get_psnr (step, 700));
      g_autoptr (PrismFrames) frames = prism_keeper_dup_frames (keeper);
      g_assert_cmpuint (frames->n_moments, <=, 4);
      g_assert_cmpuint (frames->moments[0]->step, ==, 1);
      if (step >= 700)
        g_assert_cmpuint (frames->moments[frames->best]->step, ==, 700);
    }
}

/* The best of a run lies between two moments that are kept anyway. */
TEST (best_between, "/engine/keeper/best-between")
{
  g_autoptr (PrismConfig) config = make_config (1);
  g_autoptr (PrismKeeper) keeper = prism_keeper_new (config, 1);

  for (guint64 step = 1; step <= 20000; step++)
    do_step (keeper, step, step == 15130 ? 40.0 : 20.0);
  g_autoptr (PrismFrames) frames = prism_keeper_dup_frames (keeper);
  g_assert_cmpuint (frames->moments[frames->best]->step, ==, 15130);
  g_assert_cmpint (frames->moments[frames->best]->kind, ==, PRISM_MOMENT_BEST);
}

TEST (result_replaces_last_step, "/engine/keeper/result")
{
  g_autoptr (PrismConfig) config = make_config (1);
  g_autoptr (PrismKeeper) keeper = prism_keeper_new (config, 1);
  g_autoptr (PrismImage) image = prism_image_new (SIZE, SIZE, NULL);

  for (guint64 step = 1; step <= 100; step++)
    do_step (keeper, step, (double) step);
  g_autoptr (PrismFrames) before = prism_keeper_dup_frames (keeper);
  PrismMoment *result = prism_keeper_new_moment (keeper, PRISM_MOMENT_END, image);
  result->step = 100;
  result->metrics.psnr = 50.0;
  prism_keeper_keep (keeper, result);
  g_autoptr (PrismFrames) after = prism_keeper_dup_frames (keeper);

  g_assert_cmpuint (after->n_moments, ==, before->n_moments);
  g_assert_true (after->moments[after->n_moments - 1] == result);
  g_assert_true (before->moments[before->n_moments - 1] != result);
  g_assert_cmpuint (after->moments[after->best]->step, ==, 90);
}

TEST (settings_are_shared, "/engine/keeper/settings")
{
  g_autoptr (PrismConfig) config = make_config (1);
  g_autoptr (PrismKeeper) keeper = prism_keeper_new (config, 1);

  for (guint64 step = 1; step <= 60; step++)
    {
      if (step == 35)
        config->learning_rate *= 0.5;
      if (step % 5 == 0)
        prism_keeper_set_config (keeper, config);
      do_step (keeper, step, 20.0);
    }
  g_autoptr (PrismFrames) frames = prism_keeper_dup_frames (keeper);
  g_assert_cmpuint (frames->n_moments, ==, 7); /* 1, 10, 20, 30 | 40, 50, 60 */
  for (guint i = 1; i < 7; i++)
    {
      g_assert_cmpuint (frames->moments[i]->settings->version, ==, i < 4 ? 0 : 1);
      g_assert_true (i == 4 || frames->moments[i]->settings == frames->moments[i - 1]->settings);
    }
}

typedef struct
{
  pthread_mutex_t lock;
  PrismFrames *frames; /* (nullable): the newest, as in the mailbox */
  gboolean done;
} Shared;

/* Reads every picture of every list that it gets hold of, while others are kept and dropped. */
static void *
read_while_kept (void *data)
{
  Shared *shared = data;
  gboolean done = FALSE;

  while (!done)
    {
      pthread_mutex_lock (&shared->lock);
      g_autoptr (PrismFrames) frames = g_steal_pointer (&shared->frames);
      done = shared->done;
      pthread_mutex_unlock (&shared->lock);
      for (guint i = 0; frames != NULL && i < frames->n_moments; i++)
        {
          const PrismMoment *moment = frames->moments[i];

          g_assert_cmpfloat (moment->image->pixels[0], ==, (float) moment->step);
          g_assert_cmpint (moment->settings->config->object_size, ==, SIZE);
        }
    }
  return NULL;
}

TEST (reading_while_keeping, "/engine/keeper/reading-while-keeping")
{
  g_autoptr (PrismConfig) config = make_config (1);
  g_autoptr (PrismKeeper) keeper = prism_keeper_new (config, 1);
  Shared shared = { .lock = PTHREAD_MUTEX_INITIALIZER };
  pthread_t readers[2];

  for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
    g_assert_cmpint (pthread_create (&readers[i], NULL, read_while_kept, &shared), ==, 0);
  for (guint64 step = 1; step <= 20000; step++)
    {
      do_step (keeper, step, (double) (step % 100));
      PrismFrames *frames = prism_keeper_dup_frames (keeper);
      pthread_mutex_lock (&shared.lock);
      prism_frames_unref (shared.frames);
      shared.frames = frames;
      shared.done = step == 20000;
      pthread_mutex_unlock (&shared.lock);
    }
  for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
    pthread_join (readers[i], NULL);
  prism_frames_unref (shared.frames);
}
