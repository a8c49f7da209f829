#include "config.h"

#include "support/prism-ui-text.h"

#include "base/prism-each.h"
#include "prism-scale.h"

static gboolean
append_name (const GMatchInfo *match,
             GString *sentence,
             gpointer data)
{
  g_autofree char *all = g_match_info_fetch (match, 0), *key = g_match_info_fetch (match, 1);
  g_autofree char *value = g_match_info_fetch (match, 2), *words = NULL, *name = NULL;
  g_autoptr (PrismConfig) config = NULL;
  const PrismParam *param = key != NULL ? prism_config_get_param (key) : NULL;
  const gboolean has_value = value != NULL && *value != '\0';
  const PrismUiTextRow *find_row = data;
  int start;

  g_match_info_fetch_pos (match, 0, &start, NULL);
  if (*find_row != NULL && has_value)
    name = (*find_row) (key, value);
  if (name == NULL && param != NULL && has_value)
    config = prism_config_new ();
  if (config != NULL && prism_config_set_text (config, key, value, NULL))
    words = prism_ui_text_dup_value (config, param);
  if (words != NULL)
    name = g_strdup_printf ("%s: %s", gettext (param->label), words);
  else if (param != NULL && !has_value && (start == 0 || strchr (key, '_') != NULL))
    name = g_strdup (gettext (param->label));
  if (name != NULL)
    g_string_append_printf (sentence, _ ("“%s”"), name);
  else
    g_string_append (sentence, all);
  return FALSE;
}

/**
 * prism_ui_text_dup_sentence:
 * @message: a message of the engine
 *
 * Puts the names that the window shows in place of keys with an underscore, of a key at the
 * beginning, and of one with its value; other words that happen to be keys, such as "steps", and
 * command lines are left alone.
 *
 * Returns: (transfer full): the sentence
 */
char *
prism_ui_text_dup_sentence (const char *message)
{
  return prism_ui_text_dup_sentence_of (message, NULL);
}

/**
 * prism_ui_text_dup_sentence_of:
 * @message: a message of the engine
 * @find_row: (nullable): names keys with their values that are no parameters
 *
 * Returns: (transfer full): the sentence of prism_ui_text_dup_sentence(), with these names
 */
char *
prism_ui_text_dup_sentence_of (const char *message,
                               PrismUiTextRow find_row)
{
  g_autoptr (GRegex) names = g_regex_new (
      "prism-cli [^”“»]*|\\b([a-z][a-z0-9_]*)(?:=(\\w+))?", G_REGEX_OPTIMIZE, 0, NULL);

  return g_regex_replace_eval (names, message, -1, 0, 0, append_name, &find_row, NULL);
}

/**
 * prism_ui_text_get_unit:
 * @param: a parameter
 *
 * Returns: (transfer none): its unit as it is shown, "" where it has none
 */
const char *
prism_ui_text_get_unit (const PrismParam *param)
{
  return *param->unit != '\0' ? gettext (param->unit) : "";
}

/**
 * prism_ui_text_dup_number:
 * @number: of a parameter
 *
 * Returns: (transfer full): the number as the user's language writes it, whole ones in groups
 */
char *
prism_ui_text_dup_number (double number)
{
  return number >= 1e4 && number == floor (number) ? prism_ticks_dup_count ((guint64) number)
                                                   : g_strdup_printf ("%.8g", number);
}

/**
 * prism_ui_text_dup_value:
 * @config: a configuration
 * @param: a parameter
 *
 * Returns: (transfer full): the value with its unit, or the label of the choice
 */
char *
prism_ui_text_dup_value (const PrismConfig *config,
                         const PrismParam *param)
{
  g_autofree char *words = prism_config_dup_words (config, param);

  if (*param->unit != '\0' && prism_config_get_word (config, param) == NULL)
    return g_strdup_printf ("%s %s", words, prism_ui_text_get_unit (param));
  return g_steal_pointer (&words);
}

/**
 * prism_ui_text_dup_loss:
 * @loss: a loss; may be NAN
 *
 * Returns: (transfer full): "0.0123", "3.10×10⁻⁵" where it is small, a dash where it is not known
 */
char *
prism_ui_text_dup_loss (double loss)
{
  return fabs (loss) >= 1e-3 && fabs (loss) < 1e3 ? g_strdup_printf ("%.4f", loss)
                                                  : prism_ticks_dup_value (loss);
}

/**
 * prism_ui_text_dup_memory:
 * @snapshot: of a run
 *
 * Returns: (transfer full) (nullable): the memory of the device that trains, in words
 */
char *
prism_ui_text_dup_memory (const PrismSnapshot *snapshot)
{
  guint64 available = snapshot->memory_available;
  g_autofree char *used = g_format_size_full (snapshot->memory_used, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *peak = g_format_size_full (snapshot->memory_peak, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *free_size = g_format_size_full (available, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *limit = NULL;

  if (snapshot->memory_used == 0)
    return NULL;
  if (available == G_MAXUINT64)
    return g_strdup_printf (_ ("Memory of the run: %s used, %s at most"), used, peak);
  limit = g_format_size_full (snapshot->memory_used + available, G_FORMAT_SIZE_IEC_UNITS);
  return g_strdup_printf (_ ("Memory of the run: %s used, %s at most, %s free of %s"), used, peak,
                          free_size, limit);
}

/**
 * prism_ui_text_get_state:
 * @state: of a session
 *
 * Returns: (transfer none): a word for it
 */
const char *
prism_ui_text_get_state (PrismState state)
{
  switch (state)
    {
    case PRISM_STATE_PREPARING:
      return _ ("Preparing");
    case PRISM_STATE_RUNNING:
      return _ ("Running");
    case PRISM_STATE_PAUSED:
      return _ ("Paused");
    case PRISM_STATE_STOPPED:
      return _ ("Stopped");
    case PRISM_STATE_FINISHED:
      return _ ("Finished");
    case PRISM_STATE_FAILED:
      return _ ("Failed");
    case PRISM_STATE_IDLE:
    default:
      return _ ("Ready");
    }
}

/**
 * prism_ui_text_get_phase:
 * @snapshot: a snapshot
 *
 * Returns: (transfer none) (nullable): what the run is doing, NULL where there is nothing to say
 */
const char *
prism_ui_text_get_phase (const PrismSnapshot *snapshot)
{
  switch (snapshot->phase)
    {
    case PRISM_PHASE_START:
      return _ ("start image");
    case PRISM_PHASE_SAMPLES:
      if (snapshot->attempt > 0)
        return _ ("failed positions again");
      if (snapshot->tier == PRISM_TIER_AGGRESSIVE)
        return _ ("position on a plateau");
      if (snapshot->training == PRISM_TRAINING_WAITS)
        return _ ("positions, without training");
      return _ ("positions");
    case PRISM_PHASE_POLISH:
      if (snapshot->search > 0)
        return _ ("searching exit waves");
      if (snapshot->config == NULL || prism_config_trains (snapshot->config))
        return _ ("refinement");
      if (snapshot->config->method == PRISM_METHOD_MOPIE)
        return _ ("Mo-PIE passes");
      return snapshot->config->method == PRISM_METHOD_EPIE ? _ ("ePIE passes")
                                                           : _ ("passes over the frames");
    case PRISM_PHASE_PREPARE:
      if (snapshot->state != PRISM_STATE_PREPARING)
        return NULL;
      return prism_snapshot_is_recorded (snapshot) ? _ ("making the frames ready")
                                                   : _ ("measuring");
    case PRISM_PHASE_DONE:
    default:
      return NULL;
    }
}

/**
 * prism_ui_text_dup_folded:
 * @text: what is searched, or searched for
 *
 * Takes away what nobody types twice in the same way: capitals, accents, and punctuation.
 *
 * Returns: (transfer full): the words with one blank before each and after the last: “ senal a
 *   ruido ” of “Señal-a-Ruido”
 */
char *
prism_ui_text_dup_folded (const char *text)
{
  g_autofree char *apart = g_utf8_normalize (text, -1, G_NORMALIZE_ALL);
  g_autofree char *folded = g_utf8_casefold (apart != NULL ? apart : "", -1);
  GString *words = g_string_new (" ");

  for (const char *at = folded; *at != '\0'; at = g_utf8_next_char (at))
    {
      const gunichar letter = g_utf8_get_char (at);

      if (g_unichar_isalnum (letter))
        g_string_append_unichar (words, letter);
      else if (!g_unichar_ismark (letter) && words->str[words->len - 1] != ' ')
        g_string_append_c (words, ' ');
    }
  if (words->str[words->len - 1] != ' ')
    g_string_append_c (words, ' ');
  return g_string_free (words, FALSE);
}

/* What stands between two blanks is one word, though it may fold to several: “radius=12” is
 * “radius 12”, and no 12 of something else. */
static GStrv
split (const char *words)
{
  g_auto (GStrv) parts = g_strsplit_set (words, " \t", -1);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  PRISM_FOR_EACH_STRING (part, parts)
    {
      g_autofree char *word = g_strstrip (prism_ui_text_dup_folded (*part));

      if (*word != '\0')
        g_strv_builder_add (builder, word);
    }
  return g_strv_builder_end (builder);
}

/* How a word occurs in a folded text at best: as a word of it, at the beginning of one, within. */
static guint
get_occurrence (const char *text,
                const char *word)
{
  g_autofree char *beginning = g_strconcat (" ", word, NULL);
  g_autofree char *whole = g_strconcat (beginning, " ", NULL);

  if (strstr (text, whole) != NULL)
    return 0;
  if (strstr (text, beginning) != NULL)
    return 1;
  return strstr (text, word) != NULL ? 2 : 3;
}

/**
 * prism_ui_text_rank:
 * @title: what something is called
 * @names: (nullable): what else it is called, in files and elsewhere
 * @help: what is said about it
 * @words: what was typed
 *
 * Finds out how well something is what was searched for: names count before what is said, whole
 * words before beginnings, and these before what lies within, which counts in names alone: “amp”
 * is no part of every text on samples. The initials of the title are a name. Texts are folded by
 * prism_ui_text_dup_folded().
 *
 * Returns: the sum over the words, 0 for what fits best, as for no words at all;
 *   %PRISM_UI_TEXT_NO_MATCH where a word does not occur
 */
guint
prism_ui_text_rank (const char *title,
                    const char *names,
                    const char *help,
                    const char *words)
{
  g_autofree char *joined = g_strjoin (" ", title, names != NULL ? names : "", NULL);
  g_autofree char *name = prism_ui_text_dup_folded (title);
  g_autofree char *all = prism_ui_text_dup_folded (joined);
  g_autofree char *text = prism_ui_text_dup_folded (help);
  g_autoptr (GString) initials = g_string_new (NULL); /* “mp” of “ mixed precision ” */
  g_auto (GStrv) parts = split (words);
  guint rank = 0;

  for (const char *at = name; at[1] != '\0'; at = strchr (at + 1, ' '))
    g_string_append_unichar (initials, g_utf8_get_char (at + 1));
  for (char **part = parts; *part != NULL; part++)
    {
      const guint named = g_str_equal (initials->str, *part) ? 0 : get_occurrence (all, *part);
      const guint said = named < 3 ? 0 : get_occurrence (text, *part);

      if (said > 1)
        return PRISM_UI_TEXT_NO_MATCH;
      rank += named + said;
    }
  return rank;
}

/**
 * prism_ui_text_dup_place:
 * @snapshot: of a run, its newest or one of its past
 *
 * Says how far a run was, by the one count that it has: positions, then passes that end it.
 *
 * Returns: (transfer full): “Position 14 of 80”, “Pass 21 of at most 401”, in tiles “Tile 3 of 25,
 *   pass 21 of at most 232”, or “Pass 57” of a run that is over and “9 of 25 tiles” of one that was
 *   stopped; "" where none is known
 */
char *
prism_ui_text_dup_place (const PrismSnapshot *snapshot)
{
  const gboolean done = snapshot->phase == PRISM_PHASE_DONE;
  const gboolean between = snapshot->sample == 0 && snapshot->pass > 0;
  const guint pass = done || between ? snapshot->pass : snapshot->pass + 1;
  const guint tile = prism_snapshot_get_tile (snapshot, pass), most = snapshot->n_passes;

  if (snapshot->phase == PRISM_PHASE_POLISH && snapshot->config != NULL
      && snapshot->config->until_converged && snapshot->settling.change > 0.0)
    /* TRANSLATORS: how far ten passes moved the picture, and below what they end */
    return g_strdup_printf (_ ("Pass %u, moved by %.2g %% (ends below %.2g %%)"), pass,
                            100.0 * snapshot->settling.change, 100.0 * snapshot->settling.limit);
  if (snapshot->search > 0)
    return g_strdup_printf (_ ("Search %u, pass %u"), snapshot->search, pass);
  if (prism_snapshot_get_stopped (snapshot) > 0)
    return prism_snapshot_dup_verdict (snapshot);
  if (snapshot->phase == PRISM_PHASE_POLISH || (done && isfinite (snapshot->misfit) && pass > 0))
    return done || snapshot->state == PRISM_STATE_STOPPED || snapshot->n_passes == 0
               ? g_strdup_printf (_ ("Pass %u"), pass)
           : tile > 0
               ? g_strdup_printf (_ ("Tile %u of %u, pass %u of at most %u"), tile,
                                  snapshot->n_tiles, MIN (pass, most), most)
               : g_strdup_printf (_ ("Pass %u of at most %u"), MIN (pass, most), most);
  if (snapshot->n_live_passes > 0)
    return g_strdup_printf (_ ("Live picture, pass %u of %u"), snapshot->live_pass + 1,
                            snapshot->n_live_passes);
  if (prism_snapshot_is_recorded (snapshot))
    return g_strdup (snapshot->state > PRISM_STATE_PREPARING
                             && prism_snapshot_searches_pupil (snapshot)
                         ? _ ("Search for the pupil")
                         : "");
  if (snapshot->n_samples > 0)
    /* The sample that is under way, and none that has yet to begin: after a step, a pause or a stop
     * the number is the same. */
    return g_strdup_printf (_ ("Position %u of %u"),
                            snapshot->pass == 0 || done
                                ? snapshot->n_visited
                                : MIN (snapshot->sample + 1, snapshot->n_samples),
                            snapshot->n_samples);
  return g_strdup ("");
}

/**
 * prism_ui_text_dup_fork:
 * @snapshot: the newest of a run
 * @shown: a moment of its past
 *
 * Says where a fork begins: with the newest state that is kept and not after the moment.
 *
 * Returns: (transfer full) (nullable): “Fork from position 70, 3 moments earlier”; %NULL where no
 * state is kept, as far as one knows
 */
char *
prism_ui_text_dup_fork (const PrismSnapshot *snapshot,
                        const PrismSnapshot *shown)
{
  const PrismFrames *frames = snapshot->frames;
  const int state = prism_checkpoints_find (snapshot->states, shown->step);
  guint n = 0, n_samples = 0;

  if (state < 0 || frames == NULL)
    return NULL;
  for (guint i = 0; i < frames->n_moments && frames->moments[i]->step <= shown->step; i++)
    if (frames->moments[i]->step > prism_checkpoints_get_step (snapshot->states, (guint) state))
      n++;
    else
      n_samples = frames->moments[i]->n_visited;
  if (n_samples == 0)
    return g_strdup (_ ("Fork from the beginning"));
  if (n == 0)
    return g_strdup_printf (_ ("Fork from position %u"), n_samples);
  return g_strdup_printf (ngettext ("Fork from position %u, %u moment earlier",
                                    "Fork from position %u, %u moments earlier", n),
                          n_samples, n);
}

/**
 * prism_ui_text_dup_progress:
 * @snapshot: of a run
 *
 * Says how far it is in one sentence that can be read from afar.
 *
 * Returns: (transfer full): “Position 12 of 80: 41 % covered, 37 dB”
 */
char *
prism_ui_text_dup_progress (const PrismSnapshot *snapshot)
{
  const gboolean over
      = snapshot->state != PRISM_STATE_RUNNING && snapshot->state != PRISM_STATE_PAUSED;
  g_autofree char *place = over || snapshot->n_samples == 0
                               ? g_strdup (prism_ui_text_get_state (snapshot->state))
                               : prism_ui_text_dup_place (snapshot);
  const double covered = 100 * snapshot->coverage;
  g_autofree char *percent = covered > 0 && covered < 0.5 ? g_strdup ("< 1")
                                                          : g_strdup_printf ("%.0f", covered);

  if (snapshot->state == PRISM_STATE_IDLE)
    return g_strdup_printf (ngettext ("Ready: %u position", "Ready: %u positions",
                                      snapshot->n_samples),
                            snapshot->n_samples);
  if (snapshot->reconstruction == NULL)
    return g_steal_pointer (&place);
  if (isfinite (snapshot->metrics.psnr))
    return g_strdup_printf (_ ("%s: %s %% covered, %.0f dB"), place, percent,
                            snapshot->metrics.psnr);
  return g_strdup_printf (_ ("%s: %s %% covered"), place, percent);
}

/**
 * prism_ui_text_dup_origin:
 * @snapshot: what is shown, of a run
 *
 * Says what one must know to make the picture again: sizes, samples, noise, seed; the step unless
 * it is the result; and how good it is.
 *
 * Returns: (transfer full): the line
 */
char *
prism_ui_text_dup_origin (const PrismSnapshot *snapshot)
{
  const PrismConfig *config = snapshot->config;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *step = prism_ticks_dup_count (snapshot->step);

  g_string_append_printf (text, _ ("%d px in %d px, radius %g px, %u positions, seed %d"),
                          config->object_size, config->image_size, config->aperture_radius,
                          snapshot->n_samples, config->seed);
  if (config->snr > 0)
    g_string_append_printf (text, _ (", SNR %g dB"), config->snr);
  if (config->photons > 0)
    g_string_append_printf (text, _ (", %g photons"), config->photons);
  if (config->read_snr > 0)
    g_string_append_printf (text, _ (", read SNR %g dB"), config->read_snr);
  if (snapshot->step > 0 && snapshot->state != PRISM_STATE_FINISHED)
    g_string_append_printf (text, _ (", step %s"), step);
  if (isfinite (snapshot->metrics.psnr))
    {
      g_string_append (text, ", ");
      g_string_append_printf (text, _ ("PSNR %.1f dB"), snapshot->metrics.psnr);
    }
  else if (snapshot->has_no_target)
    g_string_append (text, _ (", no target"));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

#define LONGEST_UNIT 31 /* of the processor's vectors */

/**
 * prism_machine_wording_dup_time:
 * @time: UTC, ISO 8601
 *
 * Returns: (transfer full): the time here, as people here write it; what is no time stays as it is
 */
char *
prism_machine_wording_dup_time (const char *time)
{
  g_autoptr (GDateTime) utc = g_date_time_new_from_iso8601 (time, NULL);
  g_autoptr (GDateTime) local = utc != NULL ? g_date_time_to_local (utc) : NULL;

  return local != NULL ? g_date_time_format (local, "%x %H:%M") : g_strdup (time);
}

/**
 * prism_machine_wording_dup_device:
 * @device: (nullable): a device's name in English, as prism-cli tells it: “CPU, 2 threads, AVX2”
 *
 * Returns: (transfer full) (nullable): the same in the user's language; names of graphics
 * processors stay as they are
 */
char *
prism_machine_wording_dup_device (const char *device)
{
  char unit[LONGEST_UNIT + 1];
  guint n;
  int end = 0;

  if (device == NULL
      || sscanf (device, "CPU, %u thread%*1[s,]%*[ ,]%31[^,]%n", &n, unit, &end) != 2
      || device[end] != '\0')
    return g_strdup (device);
  return g_strdup_printf (ngettext ("CPU, %u thread, %s", "CPU, %u threads, %s", n), n, unit);
}
