#include "config.h"

#include "base/prism-each.h"
#include "base/prism-number.h"
#include "compare/prism-sweep-parts.h"

#include "support/prism-widget.h"

#include <locale.h>

#define N_ENSEMBLE 8
#define N_REPEATS 4
#define SEED_AXIS 2

typedef struct
{
  GtkDropDown *list;
  GtkEntry *entry;
} Axis;

struct _PrismSweepEditor
{
  AdwPreferencesGroup parent_instance;

  GtkDropDown *first_list;
  GtkEntry *first_entry;
  GtkDropDown *second_list;
  GtkEntry *second_entry;
  GtkWidget *seed_row;
  GtkDropDown *seed_list;
  GtkEntry *seed_entry;
  GtkWidget *ensemble_button;

  Axis axes[PRISM_SWEEP_MAX_AXES];
  PrismSweep *base;  /* (nullable): what all points have in common, without an axis */
  GPtrArray *params; /* of const PrismParam: what can be gone over */
  GPtrArray *seeds;  /* and be repeated with; none where the base has recorded frames */
};

G_DEFINE_FINAL_TYPE (PrismSweepEditor, prism_sweep_editor, ADW_TYPE_PREFERENCES_GROUP)

/* What an axis can be; all but the first can be none of them. */
static GPtrArray *
get_choices (PrismSweepEditor *self,
             guint axis)
{
  return axis == SEED_AXIS ? self->seeds : self->params;
}

static const PrismParam *
get_param (PrismSweepEditor *self,
           guint axis)
{
  guint selected = gtk_drop_down_get_selected (self->axes[axis].list);

  if (selected == GTK_INVALID_LIST_POSITION || (axis > 0 && selected == 0))
    return NULL;
  return g_ptr_array_index (get_choices (self, axis), axis > 0 ? selected - 1 : selected);
}

/* Where the decimal mark is a comma, it parts no values. */
static gboolean
has_decimal_comma (void)
{
  return *localeconv ()->decimal_point == ',';
}

/* Values as files have them become those that are typed here. */
static void
show_values (PrismSweepEditor *self,
             guint axis,
             const char *values)
{
  g_auto (GStrv) parts = g_strsplit (values, ",", -1);
  g_autofree char *text = NULL;

  PRISM_FOR_EACH_STRING (part, parts)
    g_strdelimit (g_strstrip (*part), ".", ',');
  text = has_decimal_comma () ? g_strjoinv ("; ", parts) : g_strdup (values);
  gtk_editable_set_text (GTK_EDITABLE (self->axes[axis].entry), text);
}

/* And back: values are parted by semicolons, blanks and commas, those of a decimal comma only by
 * one with a blank behind it. */
static char *
dup_values (PrismSweepEditor *self,
            guint axis,
            const PrismParam *param)
{
  const char *typed = gtk_editable_get_text (GTK_EDITABLE (self->axes[axis].entry));
  const gboolean numeric
      = param->type == PRISM_PARAM_INTEGER || param->type == PRISM_PARAM_REAL;
  g_autofree char *text = g_strstrip (g_strdup (typed));
  g_auto (GStrv) values = g_regex_split_simple (numeric && has_decimal_comma ()
                                                    ? "\\s*(?:;|,(?=\\s|$)|\\s)\\s*"
                                                    : "\\s*(?:;|,|\\s)\\s*",
                                                text, 0, 0);

  PRISM_FOR_EACH_STRING (value, values)
    {
      g_auto (GStrv) numbers = g_strsplit (*value, ":", -1);

      for (char **number = numbers; numeric && *number != NULL; number++)
        {
          g_autofree char *before = *number;

          *number = prism_number_dup_typed (before, NULL);
        }
      g_free (*value);
      *value = g_strjoinv (":", numbers);
    }
  return g_strjoinv (",", values);
}

/* What suggests itself: all choices, or half, once and twice the present value. */
static char *
dup_suggestion (PrismSweepEditor *self,
                guint axis,
                const PrismParam *param)
{
  const double least = param->minimum_label != NULL ? param->least : param->minimum;
  double value = prism_config_get_number (self->base->base, param);
  g_autoptr (GString) text = g_string_new (NULL);

  if (axis == SEED_AXIS)
    return g_strdup_printf ("0:%d:%d", N_REPEATS - 1, N_REPEATS);
  if (strcmp (param->key, PRISM_SWEEP_ENSEMBLE_KEY) == 0)
    return g_strdup_printf ("0:%d:%d", N_ENSEMBLE - 1, N_ENSEMBLE);
  if (param->type == PRISM_PARAM_SWITCH)
    return g_strdup ("off, on");
  if (param->type == PRISM_PARAM_CHOICE)
    {
      for (const PrismChoice *choice = param->choices; choice->name != NULL; choice++)
        g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", choice->name);
      return g_string_free (g_steal_pointer (&text), FALSE);
    }
  /* Automatic, or none, has neither half nor twice. */
  if (value < least)
    {
      g_autofree char *word = prism_config_dup_text (self->base->base, param);

      g_string_printf (text, "%s, %s", word,
                       prism_digits ("%g", CLAMP (0, least, param->maximum)));
      return g_string_free (g_steal_pointer (&text), FALSE);
    }
  for (double factor = 0.5; factor <= 2.0; factor *= 2.0)
    {
      double x = CLAMP (value * factor, least, param->maximum);

      if (param->type == PRISM_PARAM_INTEGER)
        x = (double) (gint64) x;
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", prism_digits ("%.6g", x));
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
on_param (PrismSweepEditor *self,
          GParamSpec *pspec,
          GtkDropDown *list)
{
  guint axis = 0;
  const PrismParam *param;
  g_autofree char *text = NULL;

  while (list != self->axes[axis].list)
    axis++;
  param = get_param (self, axis);
  text = param != NULL ? dup_suggestion (self, axis, param) : g_strdup ("");

  show_values (self, axis, text);
  gtk_widget_set_sensitive (GTK_WIDGET (self->axes[axis].entry), param != NULL);
}

/* With what has an effect on the frames of the base. */
static void
fill_lists (PrismSweepEditor *self)
{
  g_ptr_array_set_size (self->params, 0);
  g_ptr_array_set_size (self->seeds, 0);
  PRISM_FOR_EACH_PARAM (param)
    {
      if (param->type == PRISM_PARAM_TEXT || !prism_param_is_of (param, self->base->base->kind))
        continue;
      g_ptr_array_add (self->params, (gpointer) param);
      if (prism_sweep_param_is_seed (param))
        g_ptr_array_add (self->seeds, (gpointer) param);
    }
  for (guint axis = 0; axis < PRISM_SWEEP_MAX_AXES; axis++)
    {
      const GPtrArray *choices = get_choices (self, axis);
      g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

      if (axis > 0)
        gtk_string_list_append (names, _ ("None"));
      PRISM_FOR_EACH_POINTER (const PrismParam, param, choices)
        gtk_string_list_append (names, gettext (param->label));
      gtk_drop_down_set_model (self->axes[axis].list, G_LIST_MODEL (names));
    }
  gtk_widget_set_visible (self->seed_row, self->seeds->len > 0);
  gtk_widget_set_visible (self->ensemble_button, self->seeds->len > 0);
}

static void
tell_change (PrismSweepEditor *self)
{
  g_signal_emit_by_name (self, "changed");
}

static void
prism_sweep_editor_class_init (PrismSweepEditorClass *klass)
{
  PRISM_FINALIZE (klass, PrismSweepEditor, prism_sweep_free, base);
  PRISM_FINALIZE (klass, PrismSweepEditor, g_ptr_array_unref, params, seeds);
  PRISM_TEMPLATE (klass, PrismSweepEditor, "prism-sweep-editor.ui", first_list, first_entry,
                  second_list, second_entry, seed_row, seed_list, seed_entry, ensemble_button);
  prism_signal_new (klass, "changed", 0);
}

static void
prism_sweep_editor_init (PrismSweepEditor *self)
{
  GtkExpression *expression
      = gtk_property_expression_new (GTK_TYPE_STRING_OBJECT, NULL, "string");

  self->params = g_ptr_array_new ();
  self->seeds = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  self->axes[0] = (Axis) { self->first_list, self->first_entry };
  self->axes[1] = (Axis) { self->second_list, self->second_entry };
  self->axes[SEED_AXIS] = (Axis) { self->seed_list, self->seed_entry };
  for (guint i = 0; i < PRISM_SWEEP_MAX_AXES; i++)
    {
      gtk_drop_down_set_expression (self->axes[i].list, expression);
      if (i != SEED_AXIS)
        prism_list_search_enable (self->axes[i].list);
      PRISM_CONNECT (self->axes[i].list, "notify::selected", on_param, self);
      PRISM_CONNECT (self->axes[i].entry, "changed", tell_change, self);
    }
  gtk_expression_unref (expression);
}

/**
 * prism_sweep_editor_set_base:
 * @base: what all points have in common, and the frames that they are of
 *
 * What can be gone over and what suggests itself for it goes by it, too.
 */
void
prism_sweep_editor_set_base (PrismSweepEditor *self,
                             PrismSweep *base)
{
  const gboolean same = self->base != NULL
                        && (self->base->frames != NULL) == (base->frames != NULL);
  PrismSweep *copy = prism_sweep_new_like (base);

  prism_sweep_free (self->base);
  self->base = copy;
  if (!same)
    fill_lists (self);
}

/**
 * prism_sweep_editor_set_axis:
 * @axis: 0 or 1; 2 for the seeds with which runs are repeated
 * @key: (nullable): of the parameter to go over; NULL for none, not on axis 0
 * @values: a list or range of values, as files have it
 *
 * Sets what an axis goes over.
 */
void
prism_sweep_editor_set_axis (PrismSweepEditor *self,
                             guint axis,
                             const char *key,
                             const char *values)
{
  GPtrArray *choices = get_choices (self, axis);
  guint position = 0;

  for (guint i = 0; key != NULL && i < choices->len; i++)
    if (strcmp (((const PrismParam *) g_ptr_array_index (choices, i))->key, key) == 0)
      position = axis > 0 ? i + 1 : i;
  gtk_drop_down_set_selected (self->axes[axis].list, position);
  on_param (self, NULL, self->axes[axis].list);
  show_values (self, axis, values);
}

/**
 * prism_sweep_editor_set_ensemble:
 *
 * Goes over the start of the decoder alone.
 */
void
prism_sweep_editor_set_ensemble (PrismSweepEditor *self)
{
  g_autofree char *values = g_strdup_printf ("0:%d:%d", N_ENSEMBLE - 1, N_ENSEMBLE);

  prism_sweep_editor_set_axis (self, 0, PRISM_SWEEP_ENSEMBLE_KEY, values);
  prism_sweep_editor_set_axis (self, 1, NULL, "");
  prism_sweep_editor_set_axis (self, SEED_AXIS, NULL, "");
}

/**
 * prism_sweep_editor_show_sweep:
 * @sweep: a sweep
 *
 * Shows its plan, to be changed.
 */
void
prism_sweep_editor_show_sweep (PrismSweepEditor *self,
                               PrismSweep *sweep)
{
  guint slot = 0, seeds = G_MAXUINT;

  prism_sweep_editor_set_base (self, sweep);
  for (guint i = 0; i < sweep->n_axes && sweep->n_axes > SEED_AXIS; i++)
    if (prism_sweep_is_seed (sweep, i))
      seeds = i;
  for (guint i = 0; i < PRISM_SWEEP_MAX_AXES; i++)
    prism_sweep_editor_set_axis (self, i, NULL, "");
  for (guint i = 0; i < sweep->n_axes; i++)
    {
      g_autofree char *values = g_strjoinv (", ", sweep->axes[i].values);

      prism_sweep_editor_set_axis (self, i == seeds ? SEED_AXIS : slot++, sweep->axes[i].param->key,
                                   values);
    }
}

/**
 * prism_sweep_editor_dup_sweep:
 *
 * Errors: PRISM_ERROR_CONFIG where the values are not understood or a point cannot run.
 *
 * Returns: (transfer full) (nullable): what is planned, checked
 */
PrismSweep *
prism_sweep_editor_dup_sweep (PrismSweepEditor *self,
                              GError **error)
{
  g_autoptr (PrismSweep) sweep = prism_sweep_new_like (self->base);

  for (guint i = 0; i < PRISM_SWEEP_MAX_AXES; i++)
    {
      const PrismParam *param = get_param (self, i);
      g_autofree char *values = param != NULL ? dup_values (self, i, param) : NULL;
      g_autofree char *axis = NULL;

      if (param == NULL)
        continue;
      axis = g_strdup_printf ("%s=%s", param->key, values);
      if (!prism_sweep_add_axis (sweep, axis, error))
        return NULL;
    }
  return prism_sweep_check (sweep, error) ? g_steal_pointer (&sweep) : NULL;
}
