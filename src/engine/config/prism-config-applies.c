#include "config.h"

#include "base/prism-each.h"
#include "config/prism-config.h"

#include "base/prism-error.h"
#include "config/prism-builtin.h"

/* The column “applies” has words between blanks, all of which must hold: first at most one source,
 *   telescope   simulated frames
 *   decoder     those, where a decoder may be trained
 *   recorded    recorded frames
 * then conditions on other parameters, "pattern=circles|star", "line_length!=0". */

static gboolean
begins_with (const PrismParam *param,
             const char *source)
{
  const gsize length = strlen (source);

  return param->applies != NULL && strncmp (param->applies, source, length) == 0
         && (param->applies[length] == ' ' || param->applies[length] == '\0');
}

/**
 * prism_param_is_of:
 * @param: a parameter
 * @kind: whose frames
 *
 * Returns: whether it can have an effect on such frames, whatever the others are
 */
gboolean
prism_param_is_of (const PrismParam *param,
                   PrismFramesKind kind)
{
  return kind == PRISM_FRAMES_RECORDED ? !begins_with (param, "telescope")
                                             && !begins_with (param, "decoder")
                                       : !begins_with (param, "recorded");
}

/**
 * prism_config_check_has:
 * @param: a parameter
 *
 * Errors: PRISM_ERROR_CONFIG where it says something that its frames do not have.
 *
 * Returns: whether somebody may set it for them
 */
gboolean
prism_config_check_has (const PrismConfig *self,
                        const PrismParam *param,
                        GError **error)
{
  if (prism_param_is_of (param, self->kind))
    return TRUE;
  return prism_error_config (
      error,
      self->kind == PRISM_FRAMES_RECORDED
          ? _ ("%s has no effect on recorded frames: leave it out; “prism-cli params” says"
               " which parameters they have.")
          : _ ("%s has no effect on a telescope, but on recorded frames alone: leave it out;"
               " “prism-cli params” says which parameters a telescope has."),
      param->key);
}

/**
 * prism_param_is_of_decoder:
 * @param: a parameter
 *
 * Returns: whether the decoder and its training alone look at it
 */
gboolean
prism_param_is_of_decoder (const PrismParam *param)
{
  return begins_with (param, "decoder");
}

/**
 * prism_param_is_place:
 * @param: a parameter
 *
 * Returns: whether it says where a run is computed, not what
 */
gboolean
prism_param_is_place (const PrismParam *param)
{
  static const char *const places[]
      = { "backend", "threads", "chunk", "tuning", "cache_size", "history_size",
          "autosave_samples", "autosave_seconds", NULL };

  return g_strv_contains (places, param->key);
}

/**
 * prism_param_is_aside:
 * @param: a parameter
 *
 * Returns: whether it belongs to the device or to the physical scale: a method is the same with
 *   another one
 */
gboolean
prism_param_is_aside (const PrismParam *param)
{
  return strcmp (param->group, "device") == 0 || strcmp (param->group, "scale") == 0;
}

/**
 * prism_config_decides:
 * @param: a parameter
 *
 * Returns: whether it can decide what comes of its frames
 */
gboolean
prism_config_decides (const PrismConfig *self,
                      const PrismParam *param)
{
  return prism_param_is_of (param, self->kind) && !prism_param_is_place (param);
}

/* word: "key=one|another" or "key!=one|another" */
static gboolean
holds (const PrismConfig *self,
       const char *word)
{
  const char *equals = strchr (word, '=');
  const gboolean differs = equals[-1] == '!';
  g_autofree char *key = g_strndup (word, equals - word - differs);
  g_autofree char *value = prism_config_dup_text (self, prism_config_get_param (key));
  g_auto (GStrv) values = g_strsplit (equals + 1, "|", -1);

  /* Nothing is a value, too: that of a text that is empty. */
  return (g_strv_contains ((const char *const *) values, value)
          || (values[0] == NULL && value[0] == '\0'))
         != differs;
}

/**
 * prism_config_applies:
 * @param: a parameter
 *
 * Returns: whether a change of the parameter could change a run with all others as they are
 */
gboolean
prism_config_applies (const PrismConfig *self,
                      const PrismParam *param)
{
  g_auto (GStrv) words = g_strsplit (param->applies != NULL ? param->applies : "", " ", -1);

  if (!prism_param_is_of (param, self->kind)
      || (prism_param_is_of_decoder (param) && !prism_config_trains (self)))
    return FALSE;
  PRISM_FOR_EACH_STRING (word, words)
    if (strchr (*word, '=') != NULL && !holds (self, *word))
      return FALSE;
  return TRUE;
}

/**
 * prism_param_dup_label:
 * @param: a parameter
 * @value: one of its values, as configurations write it
 *
 * Returns: (transfer full): what people call it, without its unit, translated; numbers stay
 */
char *
prism_param_dup_label (const PrismParam *param,
                       const char *value)
{
  if (strcmp (param->key, "object") == 0)
    return prism_builtin_dup_label (value);
  for (const PrismChoice *choice = param->choices; choice != NULL && choice->name != NULL; choice++)
    if (strcmp (choice->name, value) == 0)
      return g_strdup (_ (choice->label));
  if (param->type == PRISM_PARAM_SWITCH)
    return g_strdup (_ (value));
  if (param->minimum_label != NULL
      && (value[0] == '\0'
          || (param->type != PRISM_PARAM_TEXT
              && g_ascii_strtod (value, NULL) == param->minimum)))
    return g_strdup (_ (param->minimum_label));
  return g_strdup (value);
}

/**
 * prism_param_dup_value:
 * @value: in the text of a configuration
 *
 * Returns: (transfer full): what the value is called, or the number with its unit: “20 dB”,
 *   translated
 */
char *
prism_param_dup_value (const PrismParam *self,
                       const char *value)
{
  g_autofree char *label = prism_param_dup_label (self, value);

  if (*self->unit == '\0' || strcmp (label, value) != 0)
    return g_steal_pointer (&label);
  return g_strdup_printf ("%s %s", label, _ (self->unit));
}

/**
 * prism_config_dup_words:
 * @param: a parameter
 *
 * What people read of a value, without its unit: the name of a choice, a word for none and for
 * automatic, numbers as their locale writes them.
 *
 * Returns: (transfer full): the words, translated
 */
char *
prism_config_dup_words (const PrismConfig *self,
                        const PrismParam *param)
{
  const char *word = prism_config_get_word (self, param);
  g_autofree char *text = prism_config_dup_text (self, param);

  if (word != NULL)
    return g_strdup (_ (word));
  if (param->type == PRISM_PARAM_REAL)
    return g_strdup_printf ("%.8g", prism_config_get_number (self, param));
  return prism_param_dup_label (param, text);
}

/**
 * prism_config_dup_condition:
 * @param: a parameter that does not apply, though frames of this kind have it
 *
 * Returns: (transfer full): where it would have an effect, in a few words, translated
 */
char *
prism_config_dup_condition (const PrismConfig *self,
                            const PrismParam *param)
{
  g_auto (GStrv) words = g_strsplit (param->applies, " ", -1);

  PRISM_FOR_EACH_STRING (word, words)
    {
      char *equals = strchr (*word, '=');
      const PrismParam *other;
      g_auto (GStrv) values = NULL;
      g_autofree char *list = NULL;
      gboolean differs;

      if (equals == NULL || holds (self, *word))
        continue;
      differs = equals[-1] == '!';
      values = g_strsplit (equals + 1, "|", -1);
      equals[-differs] = '\0';
      other = prism_config_get_param (*word);
      PRISM_FOR_EACH_STRING (value, values)
        {
          char *label = prism_param_dup_label (other, *value);

          g_free (*value);
          *value = label;
        }
      list = values[0] != NULL ? g_strjoinv (", ", values) : prism_param_dup_label (other, "");
      return g_strdup_printf (differs ? _ ("Has an effect with %s other than %s")
                                      : _ ("Has an effect with %s: %s"),
                              _ (other->label), list);
    }
  return g_strdup (_ ("Has an effect where the decoder is trained"));
}

/**
 * prism_config_get_training_seed:
 *
 * Returns: the seed of weights and replay
 */
guint64
prism_config_get_training_seed (const PrismConfig *self)
{
  return (guint64) (self->training_seed >= 0 ? self->training_seed : self->seed);
}

/**
 * prism_config_trains:
 * @self: a configuration
 *
 * Thread: any.
 *
 * Returns: whether the method may train a decoder
 */
gboolean
prism_config_trains (const PrismConfig *self)
{
  return self->method == PRISM_METHOD_AUTO || self->method == PRISM_METHOD_DECODER;
}

/**
 * prism_config_trains_last:
 * @self: a configuration
 *
 * The device has a say, too: one without passes of descent trains at once.
 *
 * Thread: any.
 * Source: numerics.md, “The method”.
 *
 * Returns: whether rounds and refinement come before the decoder
 */
gboolean
prism_config_trains_last (const PrismConfig *self)
{
  return self->finish == PRISM_FINISH_REFINE && self->consistency > 0 && self->polish > 0
         && (self->method == PRISM_METHOD_AUTO
                 ? !self->keep_decoder
                 : self->method == PRISM_METHOD_DECODER
                       && self->start_target == PRISM_START_PICTURE);
}

/**
 * prism_config_may_spare_training:
 * @self: a configuration
 *
 * Thread: any.
 *
 * Returns: whether a run may do without its decoder, should passes explain the measurements
 */
gboolean
prism_config_may_spare_training (const PrismConfig *self)
{
  return self->method == PRISM_METHOD_AUTO && prism_config_trains_last (self);
}

/**
 * prism_config_train_always:
 * @self: a configuration; one whose method has no decoder stays as it is
 *
 * Has the decoder trained where a run might do without it.
 *
 * Thread: any.
 */
void
prism_config_train_always (PrismConfig *self)
{
  if (self->method == PRISM_METHOD_AUTO)
    self->method = PRISM_METHOD_DECODER;
}

/**
 * prism_config_settle_method:
 * @self: a configuration of recorded frames
 *
 * Says what the method is there: the decoder is the one with two outputs, and automatic is frame
 * after frame.
 *
 * Thread: any.
 */
void
prism_config_settle_method (PrismConfig *self)
{
  if (self->method == PRISM_METHOD_DECODER)
    self->method = PRISM_METHOD_COMPLEX;
  else if (self->method != PRISM_METHOD_DESCENT && self->method != PRISM_METHOD_COMPLEX)
    self->method = PRISM_METHOD_SEQUENTIAL;
}
