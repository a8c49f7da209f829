#include "prism-test.h"
#include "window/prism-status-bar.h"
#include "model/prism-object.h"
#include "support/prism-ui-text.h"
#include "widget-test.h"
#include "window/prism-device-page.h"

#define ERRORS "SSIM 0.9900, NRMSE 1.50 % (normalised by the target's RMS)"

/* A run in the middle of a phase, as the engine reports it. */
static PrismSnapshot *
new_snapshot (PrismPhase phase)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();

  snapshot->config = prism_config_new ();
  snapshot->state = PRISM_STATE_RUNNING;
  snapshot->phase = phase;
  snapshot->n_samples = 1000;
  snapshot->n_steps = 5000;
  snapshot->step = 30;
  snapshot->loss_new = 0.25;
  snapshot->device = g_strdup ("CPU, 2 threads");
  return snapshot;
}

/* Sizes have a blank that does not break, which is a plain one here. */
static gboolean
is_text (GtkWidget *widget,
         const char *text)
{
  if (!GTK_IS_LABEL (widget) || !gtk_widget_get_visible (widget))
    return FALSE;
  g_autoptr (GString) shown = g_string_new (gtk_label_get_text (GTK_LABEL (widget)));
  g_string_replace (shown, "\302\240", " ", 0);
  return strcmp (shown->str, text) == 0;
}

static gboolean
says (GtkWidget *widget,
      const char *text)
{
  return FIND (widget, is_text (it, text)) != NULL;
}

static void
check (GtkWidget *bar,
       PrismState state,
       PrismSnapshot *snapshot,
       const char *text)
{
  prism_status_bar_set_snapshot (PRISM_STATUS_BAR (bar), state, snapshot);
  g_assert_true (says (bar, text));
}

/* In the start phase there are no earlier samples, and no loss of theirs. */
TEST (losses, "/app/status-bar/losses")
{
  g_autoptr (GtkWidget) bar = g_object_ref_sink (g_object_new (PRISM_TYPE_STATUS_BAR, NULL));
  g_autoptr (PrismSnapshot) start = new_snapshot (PRISM_PHASE_START);
  g_autoptr (PrismSnapshot) samples = new_snapshot (PRISM_PHASE_SAMPLES);

  samples->loss_old = 0.125;
  check (bar, PRISM_STATE_RUNNING, start, "Loss 0.2500");
  check (bar, PRISM_STATE_RUNNING, samples, "Loss 0.2500 / 0.1250");
  /* The charts call it the same. */
  samples->loss_old = NAN;
  samples->training = PRISM_TRAINING_WAITS;
  check (bar, PRISM_STATE_PAUSED, samples, "Misfit 0.2500");
}

/* What a run has come to is seen by a sign, and by a colour beside it. */
TEST (verdict, "/app/status-bar/verdict")
{
  static const struct
  {
    PrismVerdictKind kind;
    const char *text;
    const char *style;
  } rows[] = {
    { PRISM_VERDICT_EXPLAINED, "Misfit 0.2500, ✓ fits the measurements", "success" },
    { PRISM_VERDICT_UNEXPLAINED, "Misfit 0.2500, ✗ does not fit the measurements", "error" },
    { PRISM_VERDICT_AMBIGUOUS, "Misfit 0.2500, ⚠ ambiguous", "warning" },
    { PRISM_VERDICT_OPEN, "Misfit 0.2500", NULL },
  };
  GtkWidget *bar = g_object_ref_sink (g_object_new (PRISM_TYPE_STATUS_BAR, NULL));

  PRISM_FOR_EACH_OF (row, rows)
    {
      g_autoptr (PrismSnapshot) end = new_snapshot (PRISM_PHASE_DONE);

      end->coverage = 1;
      end->misfit = 0.25;
      end->verdict.kind = row->kind;
      prism_status_bar_set_snapshot (PRISM_STATUS_BAR (bar), PRISM_STATE_FINISHED, end);
      GtkWidget *label = FIND (bar, is_text (it, row->text));
      g_assert_nonnull (label);
      for (int i = 0; i < 3; i++)
        g_assert_cmpint (gtk_widget_has_css_class (label, rows[i].style), ==,
                         g_strcmp0 (rows[i].style, row->style) == 0);
    }
  g_object_unref (bar);
}

/* Passes that may end early are told by what was expected, with what may follow them; what was
 * expected and is over, or was not known, by what has been spent. */
TEST (time_left, "/app/status-bar/time-left")
{
  g_autoptr (GtkWidget) bar = g_object_ref_sink (g_object_new (PRISM_TYPE_STATUS_BAR, NULL));
  g_autoptr (PrismSnapshot) samples = new_snapshot (PRISM_PHASE_SAMPLES);
  g_autoptr (PrismSnapshot) trained = new_snapshot (PRISM_PHASE_SAMPLES);
  g_autoptr (PrismSnapshot) passes = new_snapshot (PRISM_PHASE_POLISH);
  g_autoptr (PrismSnapshot) search = new_snapshot (PRISM_PHASE_POLISH);
  const struct
  {
    PrismSnapshot *snapshot;
    double expected[2];
    const char *text;
  } cases[] = { { samples, { 6, 6 }, "26 s left" },
                { samples, { 6, 90 }, "26 s left" },
                { trained, { 6, 90 }, "26 s – 1:26 min left" },
                { trained, { 6, 20 }, "26 s left" },
                { passes, { 6, 6 }, "2 s left" },
                { passes, { 6, 90 }, "2 s – 1:26 min left" },
                { search, { 6, 90 }, "at most 1:26 min left" },
                { passes, { 3, 90 }, "at most 1:26 min left" },
                { passes, { 3, 3 }, "4 s spent" },
                { passes, { NAN, NAN }, "4 s spent" } };

  samples->step = trained->step = passes->step = search->step = 40;
  samples->seconds = trained->seconds = passes->seconds = search->seconds = 4;
  samples->seconds_left = trained->seconds_left = passes->seconds_left = 26;
  trained->training = PRISM_TRAINING_NEEDED;
  passes->training = search->training = PRISM_TRAINING_WAITS;
  search->search = 1;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      prism_status_bar_set_expected (PRISM_STATUS_BAR (bar), cases[i].expected);
      prism_status_bar_set_snapshot (PRISM_STATUS_BAR (bar), PRISM_STATE_PAUSED, NULL);
      prism_status_bar_set_snapshot (PRISM_STATUS_BAR (bar), PRISM_STATE_RUNNING,
                                     cases[i].snapshot);
      g_assert_true (says (bar, cases[i].text));
    }
}

/* Snapshots may be seconds apart, of tiles that are put together and of a search that has none: the
 * time goes on, and never back. */
TEST (clock, "/app/status-bar/clock")
{
  g_autoptr (GtkWidget) bar = g_object_ref_sink (g_object_new (PRISM_TYPE_STATUS_BAR, NULL));
  g_autoptr (PrismSnapshot) search = new_snapshot (PRISM_PHASE_POLISH);
  g_autoptr (PrismSnapshot) pass = new_snapshot (PRISM_PHASE_POLISH);
  g_autoptr (PrismSnapshot) tile = new_snapshot (PRISM_PHASE_POLISH);

  search->step = 0;
  pass->seconds = 4;
  pass->training = tile->training = PRISM_TRAINING_SET;
  tile->config->kind = PRISM_FRAMES_RECORDED;
  tile->seconds = 5.2;
  tile->seconds_left = 7;
  check (bar, PRISM_STATE_RUNNING, search, "1 s spent");
  WAIT_FOR (says (bar, "2 s spent"));
  check (bar, PRISM_STATE_RUNNING, pass, "4 s spent");
  WAIT_FOR (says (bar, "6 s spent"));
  /* What the run has counted is behind the clock: an estimate that is over is no limit any more. */
  prism_status_bar_set_snapshot (PRISM_STATUS_BAR (bar), PRISM_STATE_RUNNING, tile);
  WAIT_FOR (says (bar, "5 s left"));
  tile->seconds_left = 0.6;
  WAIT_FOR (widget_test_find_part (bar, "s spent") != NULL);
  g_assert_false (says (bar, "4 s spent") || says (bar, "5 s spent"));
  tile->n_tiles = 25;
  tile->config->passes = 8;
  tile->n_passes = 25 * 8;
  tile->seconds_left = 70;
  tile->pass = 8;
  WAIT_FOR (widget_test_find_part (bar, "at least ") != NULL);
}

static double
get_bar (GtkWidget *bar)
{
  return gtk_progress_bar_get_fraction (
      GTK_PROGRESS_BAR (widget_test_find (bar, GTK_TYPE_PROGRESS_BAR)));
}

/* That there is more to do than was known moves it no step back; another run begins anew. */
TEST (progress, "/app/status-bar/progress")
{
  static const struct
  {
    guint64 run, step, n_steps;
    double fraction;
  } rows[] = { { 1, 40, 80, 0.5 },
               { 1, 60, 600, 0.5 },
               { 1, 450, 600, 0.75 },
               { 2, 10, 40, 0.25 } };
  g_autoptr (GtkWidget) bar = g_object_ref_sink (g_object_new (PRISM_TYPE_STATUS_BAR, NULL));

  PRISM_FOR_EACH_OF (row, rows)
    {
      g_autoptr (PrismSnapshot) snapshot = new_snapshot (PRISM_PHASE_SAMPLES);

      snapshot->run = row->run;
      snapshot->step = row->step;
      snapshot->n_steps = row->n_steps;
      prism_status_bar_set_snapshot (PRISM_STATUS_BAR (bar), PRISM_STATE_RUNNING, snapshot);
      WAIT_FOR (get_bar (bar) == row->fraction);
    }
  prism_status_bar_set_snapshot (PRISM_STATUS_BAR (bar), PRISM_STATE_PREPARING, NULL);
  g_assert_cmpfloat (get_bar (bar), ==, 0);
}

/* One count, in the same words while a run goes on, in its past and when it is over. */
TEST (place, "/app/status-bar/place")
{
  g_autoptr (GtkWidget) bar = g_object_ref_sink (g_object_new (PRISM_TYPE_STATUS_BAR, NULL));
  g_autoptr (PrismSnapshot) samples = new_snapshot (PRISM_PHASE_SAMPLES);
  g_autoptr (PrismSnapshot) passes = new_snapshot (PRISM_PHASE_POLISH);
  g_autoptr (PrismSnapshot) done = new_snapshot (PRISM_PHASE_DONE);

  samples->n_samples = passes->n_samples = done->n_samples = 80;
  samples->n_visited = 14;
  passes->pass = 20;
  done->pass = 21;
  passes->n_passes = done->n_passes = 401;
  done->misfit = 0.01;
  check (bar, PRISM_STATE_RUNNING, samples, "Position 14 of 80");
  check (bar, PRISM_STATE_RUNNING, passes, "Pass 20 of at most 401");
  passes->sample = 3;
  check (bar, PRISM_STATE_PAUSED, passes, "Pass 21 of at most 401");
  passes->config->kind = PRISM_FRAMES_RECORDED;
  passes->n_tiles = 25;
  passes->config->passes = 10;
  passes->n_passes = 260;
  passes->seconds = 10;
  passes->seconds_left = 20;
  passes->step = 20;
  check (bar, PRISM_STATE_RUNNING, passes, "Tile 2 of 25, pass 21 of at most 260");
  g_assert_true (says (bar, "at least 20 s left"));
  passes->pass = 40;
  passes->sample = 4;
  check (bar, PRISM_STATE_PAUSED, passes, "Tile 4 of 25, pass 41 of at most 260");
  check (bar, PRISM_STATE_RUNNING, passes, "20 s left");
  passes->pass = 20;
  passes->sample = passes->n_passes = 0;
  check (bar, PRISM_STATE_FINISHED, done, "Pass 21");
  done->n_tiles = 25;
  done->n_done = 9;
  SAYS (prism_ui_text_dup_place (done), "9 of 25 tiles");
  prism_status_bar_set_past (PRISM_STATUS_BAR (bar), samples);
  g_assert_true (says (bar, "Position 14 of 80"));
  prism_status_bar_set_past (PRISM_STATUS_BAR (bar), NULL);
  prism_status_bar_set_past (PRISM_STATUS_BAR (bar), passes);
  g_assert_true (says (bar, "Pass 20"));
}

/* A graphics processor in the middle of a run, with numbers that can be told apart. */
static PrismSnapshot *
new_device_snapshot (void)
{
  PrismSnapshot *snapshot = new_snapshot (PRISM_PHASE_SAMPLES);
  PrismDeviceCounters *counters = &snapshot->counters;

  snapshot->backend = "cuda";
  snapshot->memory_used = 2ull << 30;
  snapshot->memory_peak = 3ull << 30;
  snapshot->memory_available = 6ull << 30;
  snapshot->precision_advice = g_strdup ("Mixed precision is slow here.");
  counters->n_steps = 1000;
  counters->n_launches = 990;
  counters->n_captures = 2;
  counters->n_waits = 16;
  counters->n_to_device[PRISM_TRANSFER_STEP] = 20;
  counters->bytes_to_device[PRISM_TRANSFER_STEP] = 20 << 10;
  counters->n_to_host[PRISM_TRANSFER_FRAME] = 30;
  counters->bytes_to_host[PRISM_TRANSFER_FRAME] = 3 << 20;
  counters->loss_scale = 65536;
  counters->n_overflows = 4;
  return snapshot;
}

TEST (device_page, "/app/status-bar/device-page")
{
  GtkWidget *page = g_object_new (PRISM_TYPE_DEVICE_PAGE, NULL);
  g_autoptr (PrismSnapshot) device = new_device_snapshot ();
  g_autoptr (PrismSnapshot) processor = new_snapshot (PRISM_PHASE_SAMPLES);
  g_autoptr (ShownWindow) window = widget_test_show (page, 400, 400);

  prism_device_page_set_snapshot (PRISM_DEVICE_PAGE (page), device);
  g_assert_true (says (page, "Memory of the run: 2.0 GiB used, 3.0 GiB at most, 6.0 GiB free of "
                             "8.0 GiB"));
  g_assert_true (says (page, "20 · 20.0 KiB"));
  g_assert_true (says (page, "30 · 3.0 MiB"));
  g_assert_true (says (page, "0.020 · 20 bytes"));
  g_assert_true (says (page, "1000 steps in 990 launches of 2 captured graphs; "
                             "16 waits for the device"));
  g_assert_true (says (page, "Loss scale 65536, 4 steps skipped for overflow"));
  g_assert_true (says (page, "Mixed precision is slow here."));

  processor->counters.loss_scale = 1;
  processor->cache.n_entries = 3;
  processor->cache.bytes = 3 << 20;
  processor->cache.hits = 980;
  processor->cache.misses = 20;
  processor->cache.hit_rate = 0.98;
  processor->cache.aperture_rate = 0.97;
  processor->cache.transform_rate = 0.999;
  prism_device_page_set_snapshot (PRISM_DEVICE_PAGE (page), processor);
  g_assert_true (says (page, "3 frames at hand, 3.0 MiB"));
  g_assert_true (says (page, "Found at hand: frames 98.0 %, apertures 97.0 %, "
                             "plans of transforms 99.9 %"));
  g_assert_true (says (page, "The processor works in the memory of this computer: "
                             "nothing is transferred."));
  g_assert_false (says (page, "Loss scale 1, 0 steps skipped for overflow"));
  processor->cache.n_small = 80;
  processor->cache.small_bytes = 5 << 20;
  prism_device_page_set_snapshot (PRISM_DEVICE_PAGE (page), processor);
  g_assert_true (says (page, "3 whole frames and 80 small ones at hand, 8.0 MiB"));
}

/* Of a graphics processor's memory the limit is told, too. */
TEST (memory, "/app/status-bar/memory")
{
  g_autoptr (GtkWidget) bar = g_object_ref_sink (g_object_new (PRISM_TYPE_STATUS_BAR, NULL));
  g_autoptr (PrismSnapshot) device = new_device_snapshot ();
  g_autoptr (PrismSnapshot) processor = new_device_snapshot ();

  processor->backend = "cpu";
  check (bar, PRISM_STATE_RUNNING, device, "2.0 GiB of 8.0 GiB");
  prism_status_bar_set_snapshot (PRISM_STATUS_BAR (bar), PRISM_STATE_PAUSED, processor);
  /* What the program takes, as it was told before. */
  g_assert_false (says (bar, "2.0 GiB"));
}

/* While steps are timed, and while passes go on until nothing moves, the bar says so. */
TEST (tuning_and_convergence, "/app/status-bar/tuning-and-convergence")
{
  g_autoptr (GtkWidget) bar = g_object_ref_sink (g_object_new (PRISM_TYPE_STATUS_BAR, NULL));
  g_autoptr (PrismSnapshot) steps = new_snapshot (PRISM_PHASE_SAMPLES);
  g_autoptr (PrismSnapshot) passes = new_snapshot (PRISM_PHASE_POLISH);

  steps->counters.is_tuning = TRUE;
  check (bar, PRISM_STATE_RUNNING, steps, "Running: positions, tuning");
  check (bar, PRISM_STATE_PAUSED, steps, "Paused: positions");
  passes->config->until_converged = TRUE;
  passes->pass = 129;
  passes->n_passes = 140;
  check (bar, PRISM_STATE_RUNNING, passes, "Pass 129 of at most 140");
  passes->settling = (PrismSettling) { PRISM_SETTLING_OPEN, 0.00012, 0.00002 };
  check (bar, PRISM_STATE_PAUSED, passes, "Pass 129, moved by 0.012 % (ends below 0.002 %)");
}

static const char *
get_tooltip (GtkWidget *widget,
             const char *start)
{
  return gtk_widget_get_tooltip_text (widget_test_find_start (widget, start));
}

static void
count (int *n)
{
  (*n)++;
}

/* A text that changes faster than ten times a second cannot be read; the newest one comes anyhow,
 * and that of another state at once. */
TEST (pace, "/app/status-bar/pace")
{
  g_autoptr (GtkWidget) bar = g_object_ref_sink (g_object_new (PRISM_TYPE_STATUS_BAR, NULL));
  gint64 begin = g_get_monotonic_time ();
  int n_texts = 0, step = 100;

  for (; n_texts < 3; step++)
    {
      g_autoptr (PrismSnapshot) snapshot = new_snapshot (PRISM_PHASE_SAMPLES);

      snapshot->n_visited = step;
      prism_status_bar_set_snapshot (PRISM_STATUS_BAR (bar), PRISM_STATE_RUNNING, snapshot);
      if (step == 100)
        g_signal_connect_swapped (widget_test_find_start (bar, "Position 100 "), "notify::label",
                                  G_CALLBACK (count), &n_texts);
      g_usleep (1000);
      g_main_context_iteration (NULL, FALSE);
    }
  g_assert_cmpint (g_get_monotonic_time () - begin, >=, 2 * 100 * 1000);
  while (n_texts < 4)
    {
      g_autoptr (PrismSnapshot) snapshot = new_snapshot (PRISM_PHASE_SAMPLES);

      snapshot->n_visited = 777;
      prism_status_bar_set_snapshot (PRISM_STATUS_BAR (bar), PRISM_STATE_RUNNING, snapshot);
      g_main_context_iteration (NULL, TRUE);
    }
  g_assert_nonnull (widget_test_find_start (bar, "Position 777 "));
  for (step = 800; step < 803; step++)
    {
      g_autoptr (PrismSnapshot) snapshot = new_snapshot (PRISM_PHASE_SAMPLES);

      snapshot->n_visited = step;
      prism_status_bar_set_snapshot (PRISM_STATUS_BAR (bar), PRISM_STATE_RUNNING, snapshot);
      prism_status_bar_set_snapshot (PRISM_STATUS_BAR (bar), PRISM_STATE_PAUSED, snapshot);
    }
  g_assert_nonnull (widget_test_find_start (bar, "Position 802 "));
}

/* The finest element of the target, once the run stands still. */
TEST (resolution, "/app/status-bar/resolution")
{
  g_autoptr (GtkWidget) bar = g_object_ref_sink (g_object_new (PRISM_TYPE_STATUS_BAR, NULL));
  g_autoptr (PrismSnapshot) snapshot = new_snapshot (PRISM_PHASE_SAMPLES);

  snapshot->metrics.psnr = 40.0;
  snapshot->metrics.ssim = 0.99;
  snapshot->metrics.rmse = 1.5;
  g_free (snapshot->config->object);
  snapshot->config->object = g_strdup ("usaf1951");
  snapshot->target = MUST (prism_object_load (snapshot->config, &error));
  snapshot->reconstruction = prism_image_ref (snapshot->target);
  prism_status_bar_set_snapshot (PRISM_STATUS_BAR (bar), PRISM_STATE_RUNNING, snapshot);
  g_assert_cmpstr (get_tooltip (bar, "PSNR"), ==, ERRORS);
  snapshot->state = PRISM_STATE_FINISHED;
  prism_status_bar_set_snapshot (PRISM_STATUS_BAR (bar), PRISM_STATE_FINISHED, snapshot);
  g_assert_true (g_str_has_prefix (get_tooltip (bar, "PSNR"),
                                   ERRORS "\nFinest element resolved: group "));
}

/* The misfit is of all measurements, the verdict of some. */
TEST (misfit_and_verdict, "/app/status-bar/misfit-and-verdict")
{
  g_autoptr (GtkWidget) bar = g_object_ref_sink (g_object_new (PRISM_TYPE_STATUS_BAR, NULL));
  g_autoptr (PrismSnapshot) snapshot = new_snapshot (PRISM_PHASE_DONE);

  snapshot->state = PRISM_STATE_FINISHED;
  snapshot->misfit = 1.65e-10;
  snapshot->verdict = (PrismVerdict) {
    .kind = PRISM_VERDICT_EXPLAINED, .n_frames = 64, .misfit = 1.3e-10, .power = 1
  };
  prism_status_bar_set_snapshot (PRISM_STATUS_BAR (bar), PRISM_STATE_FINISHED, snapshot);
  const char *tooltip = get_tooltip (bar, "Misfit 1.65×10⁻¹⁰, ⚠ fits");
  HAS (tooltip, "from all measurements\n", "1.3e-10 of the light of 64 frames");
}

/* All of it is of the moment that is shown, and none of where the run is now. */
TEST (past, "/app/status-bar/past")
{
  g_autoptr (GtkWidget) bar = g_object_ref_sink (g_object_new (PRISM_TYPE_STATUS_BAR, NULL));
  PrismStatusBar *status = PRISM_STATUS_BAR (bar);
  g_autoptr (PrismSnapshot) live = new_snapshot (PRISM_PHASE_SAMPLES);
  g_autoptr (PrismSnapshot) past = new_snapshot (PRISM_PHASE_SAMPLES);

  live->step = 4000;
  live->sample = 60;
  live->metrics.psnr = 44.7;
  live->metrics.ssim = 0.99;
  live->metrics.rmse = 0.5;
  live->steps_per_second = 480;
  past->step = 1190;
  past->n_steps = 4760;
  past->seconds = 3;
  past->sample = 16;
  past->n_visited = 16;
  past->metrics.psnr = 33.6;
  prism_status_bar_set_snapshot (status, PRISM_STATE_RUNNING, live);
  g_assert_true (says (bar, "PSNR 44.7 dB"));
  g_assert_true (says (bar, "480 it/s"));
  prism_status_bar_set_past (status, past);
  g_assert_true (says (bar, "PSNR 33.6 dB"));
  g_assert_true (says (bar, "Past: positions"));
  g_assert_true (says (bar, "3 s spent"));
  GtkWidget *progress = gtk_widget_get_next_sibling (
      gtk_widget_get_parent (widget_test_find_start (bar, "Past")));
  g_assert_cmpfloat (gtk_progress_bar_get_fraction (GTK_PROGRESS_BAR (progress)), ==, 0.25);
  g_assert_false (says (bar, "PSNR 44.7 dB"));
  g_assert_null (get_tooltip (bar, "PSNR"));
  g_assert_false (says (bar, "480 it/s"));
  prism_status_bar_set_snapshot (status, PRISM_STATE_PAUSED, live);
  g_assert_true (says (bar, "PSNR 33.6 dB"));
  prism_status_bar_set_past (status, NULL);
  g_assert_true (says (bar, "PSNR 44.7 dB"));
  g_assert_true (says (bar, "480 it/s"));
  /* A full bar would say that it had come to its end. */
  prism_status_bar_set_snapshot (status, PRISM_STATE_STOPPED, live);
  g_assert_false (gtk_widget_get_visible (progress));
}
