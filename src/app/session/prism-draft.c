#include "config.h"

#include "session/prism-draft.h"

#include "model/prism-config-check.h"
#include "model/prism-display.h"
#include "results/prism-result.h"
#include "support/prism-class.h"

#define MAX_STEPS 200
/* Changes of one parameter closer together than this are one change: typing, a held arrow key. */
#define MERGE_SPAN (1500 * G_TIME_SPAN_MILLISECOND)

typedef struct
{
  PrismConfig *config;
  PrismScene *frames; /* (nullable) */
  char *display;      /* (nullable) */
  char *label;        /* what was done then, "" where it is seen without a word */
  char *merge_key;    /* (nullable) */
  gint64 time;        /* µs, of the last change */
} Step;

G_DEFINE_FINAL_TYPE (PrismDraft, prism_draft, G_TYPE_OBJECT)

static void
prism_draft_class_init (PrismDraftClass *klass)
{
  PRISM_FINALIZE (klass, PrismDraft, prism_config_free, config, first);
  PRISM_FINALIZE (klass, PrismDraft, g_free, display, mismatch, problem);
  PRISM_FINALIZE (klass, PrismDraft, prism_scene_unref, frames);
  PRISM_FINALIZE (klass, PrismDraft, g_ptr_array_unref, past, future);
  PRISM_FINALIZE (klass, PrismDraft, g_hash_table_unref, refused, readings);

  PRISM_FIELD (klass, PrismDraft, problem, G_TYPE_STRING, NULL);

  /* The configuration is another one, and the display may be. */
  prism_signal_new (klass, "changed", 0);
  /* The display alone is another one. */
  prism_signal_new (klass, "display-changed", 0);
  /* What was changed, in words, and whether the change was taken back. */
  prism_signal_new (klass, "edited", 2, G_TYPE_STRING, G_TYPE_BOOLEAN);
}

PRISM_FREE (Step,
            step_free,
            prism_config_free,
            config,
            prism_scene_unref,
            frames,
            g_free,
            display,
            g_free,
            label,
            g_free,
            merge_key)

static void
prism_draft_init (PrismDraft *self)
{
  self->config = prism_config_new ();
  self->first = prism_config_new ();
  self->past = g_ptr_array_new_with_free_func (step_free);
  self->future = g_ptr_array_new_with_free_func (step_free);
  self->refused = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  self->readings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

static gboolean
is_recorded (const PrismConfig *config)
{
  return config->kind == PRISM_FRAMES_RECORDED;
}

/**
 * prism_draft_find_frames:
 * @self: a draft
 * @object: of a configuration
 * @frames: (out) (transfer none) (nullable): those that the object names, as far as they are read
 *
 * Returns: whether recorded frames that are looked at, or that an undo or redo looks at again, have
 *   the object
 */
gboolean
prism_draft_find_frames (PrismDraft *self,
                         const char *object,
                         PrismScene **frames)
{
  const Step now = { self->config, self->frames };
  const Step *found = strcmp (object, self->config->object) == 0 ? &now : NULL;

  PRISM_FOR_EACH_POINTER (const Step, step, self->future)
    if (found == NULL && is_recorded (step->config) && strcmp (object, step->config->object) == 0)
      found = step;
  PRISM_FOR_EACH_POINTER (const Step, step, self->past)
    if (found != &now && is_recorded (step->config) && strcmp (object, step->config->object) == 0)
      found = step;
  *frames = found != NULL ? found->frames : NULL;
  return found != NULL && is_recorded (found->config);
}

static void
forget (PrismDraft *self,
        GPtrArray *steps,
        const PrismScene *before)
{
  PRISM_FOR_EACH_POINTER (Step, step, steps)
    if (step->frames != NULL && step->frames != self->frames && step->frames != before)
      {
        g_hash_table_insert (self->readings, g_strdup (step->config->object),
                             prism_problem_to_text (step->frames->problem, FALSE, NULL));
        g_clear_pointer (&step->frames, prism_scene_unref);
      }
}

/* Frames take memory: those that are looked at and those before them are held. Of others it is
 * noted how they are read again, once an undo or a redo leads to them.
 *
 * @before: (nullable): what was looked at until now */
static void
forget_others (PrismDraft *self,
               const PrismScene *before)
{
  forget (self, self->past, before);
  forget (self, self->future, before);
}

/* Returns: (nullable): why the text of this parameter is no value */
static char *
dup_refusal (PrismDraft *self,
             const char *key)
{
  const char *text = g_hash_table_lookup (self->refused, key);
  g_autoptr (PrismConfig) config = prism_config_dup (self->config);
  g_autoptr (GError) error = NULL;

  if (text == NULL || prism_config_set_text (config, key, text, &error))
    return NULL;
  return g_strdup (error->message);
}

static void
update_problem (PrismDraft *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *problem = NULL;
  GHashTableIter iter;
  gpointer key;

  g_clear_pointer (&self->mismatch, g_free);
  self->wrong = prism_config_check_find (self->config, &error);
  if (self->wrong != NULL)
    self->mismatch = g_strdup (error->message);

  g_hash_table_iter_init (&iter, self->refused);
  problem = g_hash_table_iter_next (&iter, &key, NULL) ? dup_refusal (self, key)
                                                       : g_strdup (self->mismatch);

  if (g_strcmp0 (problem, self->problem) == 0)
    return;
  g_free (self->problem);
  self->problem = g_steal_pointer (&problem);
  g_object_notify (G_OBJECT (self), "problem");
}

static void
tell (PrismDraft *self,
      const char *signal)
{
  update_problem (self);
  g_signal_emit_by_name (self, signal);
}

/* Takes configuration and display over.
 *
 * @label: what changes, "" where it is seen without a word
 * @undone: whether that is taken back */
static void
replace (PrismDraft *self,
         PrismConfig *config,
         PrismScene *frames,
         char *display,
         const char *label,
         gboolean undone)
{
  const gboolean same = prism_config_equal (config, self->config);

  prism_config_free (self->config);
  g_free (self->display);
  prism_keep (&self->frames, frames, prism_scene_ref, prism_scene_unref);
  self->config = config;
  self->display = display;
  tell (self, same ? "display-changed" : "changed");
  if (*label != '\0')
    g_signal_emit_by_name (self, "edited", label, undone);
}

/* Notes what is there before a change. What had been taken back before is forgotten. */
static void
push (PrismDraft *self,
      const char *label,
      const char *merge_key)
{
  const gint64 now = g_get_monotonic_time ();
  Step *step = self->past->len > 0 ? self->past->pdata[self->past->len - 1] : NULL;
  const gboolean goes_on = step != NULL && self->future->len == 0 && merge_key != NULL
                           && g_strcmp0 (step->merge_key, merge_key) == 0
                           && now - step->time < MERGE_SPAN;

  if (!goes_on)
    {
      g_ptr_array_set_size (self->future, 0);
      if (self->past->len == MAX_STEPS)
        g_ptr_array_remove_index (self->past, 0);
      step = g_new (Step, 1);
      *step = (Step) { prism_config_dup (self->config), prism_scene_ref (self->frames),
                       g_strdup (self->display), g_strdup (label), g_strdup (merge_key) };
      g_ptr_array_add (self->past, step);
    }
  step->time = now;
}

/* Marks are of the object that they were drawn on: another one begins without, and an undo has them
 * back.
 *
 * @config: (transfer full): says whether it is for recorded frames
 * @frames: (nullable): these
 * @display: (nullable)
 * @label: what is done, as it is shown; "" where it is seen without a word
 * @merge_key: (nullable): changes in quick succession with the same key are undone together
 *
 * Returns: whether configuration or display is another one */
static gboolean
change (PrismDraft *self,
        PrismConfig *config,
        PrismScene *frames,
        const char *display,
        const char *label,
        const char *merge_key)
{
  g_autofree char *without = NULL;

  if (display == self->display && strcmp (config->object, self->config->object) != 0)
    display = without = prism_display_set (display, "marks", "");
  if (prism_config_equal (config, self->config) && g_strcmp0 (display, self->display) == 0)
    {
      prism_config_free (config);
      return FALSE;
    }
  push (self, label, merge_key);
  replace (self, config, frames, g_strdup (display), label, FALSE);
  return TRUE;
}

/* As change(), of an edit of some parameters. An object in place of recorded frames, or frames in
 * place of an object, are looked at as the last of their kind were: sizes, radius, light and method
 * of the others are none that somebody chose for them, but what the edit sets is. */
static gboolean
edit (PrismDraft *self,
      PrismConfig *config,
      const char *label,
      const char *merge_key)
{
  const PrismConfig *last = self->first;
  PrismScene *frames;

  config->kind = prism_draft_find_frames (self, config->object, &frames)
                     ? PRISM_FRAMES_RECORDED
                     : PRISM_FRAMES_OF_TELESCOPE;
  if (config->kind != self->config->kind)
    {
      PRISM_FOR_EACH_POINTER (const Step, step, self->past)
        if (step->config->kind == config->kind
            && (!is_recorded (config) || strcmp (step->config->object, config->object) == 0))
          last = step->config;
      PRISM_FOR_EACH_PARAM (param)
        if (!prism_config_differs (config, self->config, param) && !prism_param_is_place (param))
          prism_config_copy (config, last, param);
    }
  return change (self, config, frames, self->display, label, merge_key);
}

static void
fill (const PrismConfig *config,
      PrismScene **frames,
      const char *object,
      PrismScene *read)
{
  if (is_recorded (config) && *frames == NULL && strcmp (config->object, object) == 0)
    *frames = prism_scene_ref (read);
}

/**
 * prism_draft_fill_frames:
 * @self: a draft
 * @object: that names them
 * @frames: what the file of a run that was opened, or a recording that is looked at again, has said
 *   by now
 *
 * Looks at them where they were not read yet.
 */
void
prism_draft_fill_frames (PrismDraft *self,
                         const char *object,
                         PrismScene *frames)
{
  fill (self->config, &self->frames, object, frames);
  PRISM_FOR_EACH_POINTER (Step, step, self->past)
    fill (step->config, &step->frames, object, frames);
  PRISM_FOR_EACH_POINTER (Step, step, self->future)
    fill (step->config, &step->frames, object, frames);
}

/**
 * prism_draft_dup_problem_of:
 * @self: a draft
 * @param: a parameter
 *
 * Returns: (transfer full) (nullable): what is wrong with this parameter, in one sentence
 */
char *
prism_draft_dup_problem_of (PrismDraft *self,
                            const PrismParam *param)
{
  char *refusal = dup_refusal (self, param->key);

  if (refusal != NULL)
    return refusal;
  return g_strcmp0 (self->wrong, param->key) == 0 ? g_strdup (self->mismatch) : NULL;
}

/**
 * prism_draft_set_parameter:
 * @self: a draft
 * @param: a parameter
 * @text: its value, as a person writes it
 * @error: return location
 *
 * Changes one parameter, and with the method the passes that it needs. Text that is refused is
 * remembered as the draft's problem until the parameter gets a value again.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether the text was a value that is allowed
 */
gboolean
prism_draft_set_parameter (PrismDraft *self,
                           const PrismParam *param,
                           const char *text,
                           GError **error)
{
  g_autoptr (PrismConfig) config = prism_config_dup (self->config);
  g_autofree char *label = g_strdup_printf (_ ("%s changed"), gettext (param->label));

  g_hash_table_remove (self->refused, param->key);
  if (prism_config_set_text (config, param->key, text, error))
    {
      prism_approach_follow_method (config, self->config);
      if (!edit (self, g_steal_pointer (&config), label, param->key))
        update_problem (self);
      return TRUE;
    }
  g_hash_table_insert (self->refused, (gpointer) param->key, g_strdup (text));
  update_problem (self);
  return FALSE;
}

/**
 * prism_draft_reset_parameter:
 * @self: a draft
 * @param: a parameter
 *
 * Gives a parameter the value that it began with.
 */
void
prism_draft_reset_parameter (PrismDraft *self,
                             const PrismParam *param)
{
  g_autofree char *label = g_strdup_printf (_ ("%s changed"), gettext (param->label));
  PrismConfig *config = prism_config_dup (self->config);

  g_hash_table_remove (self->refused, param->key);
  prism_config_copy (config, self->first, param);
  prism_approach_follow_method (config, self->config);
  if (!edit (self, config, label, NULL))
    tell (self, "changed");
}

/**
 * prism_draft_set_several:
 * @self: a draft
 * @values: (array zero-terminated=1): key and value in turn
 * @label: what is done, as it is shown; "" where it is seen without a word
 * @merge_key: (nullable): changes in quick succession with the same key are undone together
 * @error: return location
 *
 * Changes some parameters as one step.
 *
 * Errors: PRISM_ERROR_CONFIG; nothing has changed then.
 *
 * Returns: whether all texts were values that are allowed
 */
gboolean
prism_draft_set_several (PrismDraft *self,
                         const char *const *values,
                         const char *label,
                         const char *merge_key,
                         GError **error)
{
  g_autoptr (PrismConfig) config = prism_config_dup (self->config);

  for (gsize i = 0; values[i] != NULL; i += 2)
    if (!prism_config_set_text (config, values[i], values[i + 1], error))
      return FALSE;
  if (prism_config_equal (config, self->config))
    return TRUE;
  for (gsize i = 0; values[i] != NULL; i += 2)
    g_hash_table_remove (self->refused, values[i]);
  edit (self, g_steal_pointer (&config), label, merge_key);
  return TRUE;
}

/**
 * prism_draft_load:
 * @self: a draft
 * @config: what to begin with
 *
 * Replaces all parameters without a way back, with those of a telescope.
 */
void
prism_draft_load (PrismDraft *self,
                  const PrismConfig *config)
{
  prism_config_free (self->first);
  prism_config_free (self->config);
  self->first = prism_config_dup (config);
  self->config = prism_config_dup (config);
  g_clear_pointer (&self->frames, prism_scene_unref);
  g_hash_table_remove_all (self->refused);
  tell (self, "changed");
}

/**
 * prism_draft_set_config:
 * @self: a draft
 * @config: a configuration
 * @label: where it comes from, as it is shown
 *
 * Replaces all parameters at once, as a preset does. Where they are what they were, there is
 * nothing to undo, and nothing is said.
 */
void
prism_draft_set_config (PrismDraft *self,
                        const PrismConfig *config,
                        const char *label)
{
  prism_draft_open (self, config, self->display, label);
}

/**
 * prism_draft_open:
 * @self: a draft
 * @config: a configuration
 * @display: (nullable): how its runs are looked at
 * @label: where they come from, as it is shown
 *
 * As prism_draft_set_config(), of what a file has.
 */
void
prism_draft_open (PrismDraft *self,
                  const PrismConfig *config,
                  const char *display,
                  const char *label)
{
  PrismConfig *own = prism_config_dup (config);
  PrismScene *frames;

  own->kind = prism_draft_find_frames (self, own->object, &frames) ? PRISM_FRAMES_RECORDED
                                                                   : PRISM_FRAMES_OF_TELESCOPE;
  g_hash_table_remove_all (self->refused);
  if (!change (self, own, frames, display, label, NULL))
    tell (self, "changed");
}

/**
 * prism_draft_open_frames:
 * @self: a draft
 * @config: how they are explained, and their path as its object
 * @frames: recorded ones
 * @display: (nullable): how their runs are looked at
 * @label: where they come from, as it is shown
 *
 * As prism_draft_open(), of recorded frames. More frames of a recording that grows take the place
 * of the fewer.
 */
void
prism_draft_open_frames (PrismDraft *self,
                         const PrismConfig *config,
                         PrismScene *frames,
                         const char *display,
                         const char *label)
{
  PrismConfig *own = prism_config_dup (config);
  g_autoptr (PrismScene) before = prism_scene_ref (self->frames);

  own->kind = PRISM_FRAMES_RECORDED;
  g_hash_table_remove_all (self->refused);
  if (change (self, own, frames, display, label, NULL))
    {
      forget_others (self, before);
      return;
    }
  PRISM_FOR_EACH_POINTER (Step, step, self->past)
    if (step->frames == before && before != NULL)
      prism_keep (&step->frames, frames, prism_scene_ref, prism_scene_unref);
  prism_keep (&self->frames, frames, prism_scene_ref, prism_scene_unref);
  tell (self, "changed");
}

/**
 * prism_draft_take_run:
 * @self: a draft
 * @config: of a run; where it is of recorded frames, see prism_draft_fill_frames()
 * @display: (nullable): how it is looked at
 * @label: what is said of that
 *
 * Goes on from a run that is opened. What was done before belongs to another run, which no undo
 * would bring back: it is forgotten.
 */
void
prism_draft_take_run (PrismDraft *self,
                      const PrismConfig *config,
                      const char *display,
                      const char *label)
{
  g_ptr_array_set_size (self->past, 0);
  g_ptr_array_set_size (self->future, 0);
  g_hash_table_remove_all (self->refused);
  replace (self, prism_config_dup (config), NULL, g_strdup (display), label, FALSE);
}

/**
 * prism_draft_set_display:
 * @self: a draft
 * @key: "marks", "limits" or "moments"
 * @value: its text
 * @merge_key: (nullable): changes in quick succession with the same key are undone together
 *
 * Changes how runs are looked at, without a word where that is on the screen: a name may stand
 * beside the moment that is shown.
 */
void
prism_draft_set_display (PrismDraft *self,
                         const char *key,
                         const char *value,
                         const char *merge_key)
{
  g_autofree char *display = prism_display_set (self->display, key, value);

  change (self, prism_config_dup (self->config), self->frames, display,
          g_str_equal (key, "moments") ? _ ("Name of a moment set") : "", merge_key);
}

static void
drop_moments (char **display)
{
  char *rest = prism_display_set (*display, "moments", "");

  g_free (*display);
  *display = rest;
}

/**
 * prism_draft_leave_run:
 * @self: a draft
 *
 * Forgets the names of moments, also in what can be undone: they are of the run that is left.
 */
void
prism_draft_leave_run (PrismDraft *self)
{
  drop_moments (&self->display);
  PRISM_FOR_EACH_POINTER (Step, step, self->past)
    drop_moments (&step->display);
  PRISM_FOR_EACH_POINTER (Step, step, self->future)
    drop_moments (&step->display);
}

/* What is looked at and what computes, but not the sizes: those belong to the method. What is said
 * of a telescope's frames says nothing of those that a camera recorded. */
static gboolean
stays_with_method (PrismDraft *self,
                   const PrismParam *param)
{
  return prism_param_is_aside (param)
         || (strcmp (param->group, "object") == 0 && strcmp (param->key, "image_size") != 0
             && strcmp (param->key, "object_size") != 0)
         || (is_recorded (self->config) && prism_param_is_of (param, PRISM_FRAMES_RECORDED));
}

/**
 * prism_draft_set_preset:
 * @self: a draft
 * @config: how to reconstruct, and what
 * @is_scene: whether it also says what is looked at
 * @label: where it comes from, as it is shown
 *
 * Replaces all parameters but those of the device; of a method also but the object, its physical
 * scale and, where recorded frames are looked at, those that have an effect on them.
 */
void
prism_draft_set_preset (PrismDraft *self,
                        const PrismConfig *config,
                        gboolean is_scene,
                        const char *label)
{
  g_autoptr (PrismConfig) merged = prism_config_dup (config);

  PRISM_FOR_EACH_PARAM (param)
    if (is_scene ? strcmp (param->group, "device") == 0 : stays_with_method (self, param))
      prism_config_copy (merged, self->config, param);
  prism_draft_set_config (self, merged, label);
}

static void
move (PrismDraft *self,
      GPtrArray *from,
      GPtrArray *to)
{
  Step *step = from->len > 0 ? g_ptr_array_steal_index (from, from->len - 1) : NULL;
  g_autoptr (PrismScene) frames = NULL, before = prism_scene_ref (self->frames);
  PrismConfig *config;
  char *display;

  if (step == NULL)
    return;
  config = step->config;
  frames = step->frames;
  display = step->display;
  step->config = prism_config_dup (self->config);
  step->frames = prism_scene_ref (self->frames);
  step->display = g_strdup (self->display);
  g_clear_pointer (&step->merge_key, g_free);
  g_ptr_array_add (to, step);
  g_hash_table_remove_all (self->refused);
  replace (self, config, frames, display, step->label, to == self->future);
  forget_others (self, before);
}

/**
 * prism_draft_undo:
 * @self: a draft
 *
 * Takes the last change of the configuration back.
 */
void
prism_draft_undo (PrismDraft *self)
{
  move (self, self->past, self->future);
}

/**
 * prism_draft_redo:
 * @self: a draft
 *
 * Makes the change again that was taken back last.
 */
void
prism_draft_redo (PrismDraft *self)
{
  move (self, self->future, self->past);
}
