#include "config.h"

#include "parameters/prism-parameter-row.h"

#include "config/prism-units.h"
#include "support/prism-widget.h"
#include "support/prism-ui-text.h"

G_DEFINE_FINAL_TYPE (PrismParameterRow, prism_parameter_row, ADW_TYPE_ACTION_ROW)

static void
set_css_class (PrismParameterRow *self,
               const char *css_class,
               gboolean set)
{
  if (set)
    gtk_widget_add_css_class (GTK_WIDGET (self), css_class);
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), css_class);
}

/* What one aperture of this radius resolves by itself; after how many passes there are more. */
static char *
dup_aside (PrismParameterRow *self,
           const char **tooltip)
{
  const PrismConfig *config = self->draft->config;
  PrismUnits units;

  if (self->essential != NULL && g_str_equal (self->param->key, "more_passes"))
    return g_strdup_printf (_ ("after %d"), config->passes);
  if (self->essential == NULL || !g_str_equal (self->param->key, "aperture_radius"))
    return g_strdup (self->range);
  *tooltip = _ ("One exposure shows two points in phase apart from this distance on; all"
                " positions together show finer detail");
  prism_units_init_config (&units, config);
  return g_strdup_printf (_ ("resolves %.3g px"), units.resolved_pixels);
}

/* Why the control has no effect: on this device, these frames, or with the other values. */
static char *
dup_idle_reason (PrismParameterRow *self)
{
  const char *reason = prism_session_get_idle_reason (self->session, self->param);
  const PrismConfig *config = self->draft->config;

  if (reason != NULL || g_str_equal (self->param->key, "object")
      || prism_config_applies (config, self->param))
    return g_strdup (reason);
  return prism_config_dup_condition (config, self->param);
}

/* The line below the name says the most pressing thing: an error, why the control has no effect,
 * that the value waits, or else the range. It is one line whatever the value is, so that no other
 * row moves; the panel says all of an error. */
static void
update_subtitle (PrismParameterRow *self)
{
  g_autofree char *first = prism_draft_dup_problem_of (self->draft, self->param);
  g_autofree char *second = self->second != NULL
                                ? prism_draft_dup_problem_of (self->draft, self->second)
                                : NULL;
  const char *problem = first != NULL ? first : second;
  g_autofree char *idle_reason = dup_idle_reason (self);
  gboolean deferred = prism_session_get_deferred (self->session, self->param);
  g_autofree char *sentence = problem != NULL ? prism_ui_text_dup_sentence (problem) : NULL;
  gboolean waits = deferred && sentence == NULL && idle_reason == NULL;
  const char *tooltip = NULL;
  g_autofree char *aside = dup_aside (self, &tooltip);
  const char *subtitle = sentence != NULL      ? sentence
                         : idle_reason != NULL ? idle_reason
                         : waits               ? _ ("Next run")
                                               : aside;

  if (g_strcmp0 (adw_action_row_get_subtitle (ADW_ACTION_ROW (self)), subtitle) != 0)
    adw_action_row_set_subtitle (ADW_ACTION_ROW (self), subtitle);
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (self), subtitle == idle_reason ? 0 : 1);
  if (waits)
    tooltip = _ ("Applies to the next run");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), waits || subtitle == aside ? tooltip : sentence);
  set_css_class (self, "refused", sentence != NULL);
  set_css_class (self, "deferred", waits);
  gtk_widget_set_sensitive (GTK_WIDGET (self->editor), idle_reason == NULL);
  gtk_accessible_update_state (
      GTK_ACCESSIBLE (self->editor->control),
      GTK_ACCESSIBLE_STATE_INVALID,
      sentence != NULL ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE, -1);
}

/* Returns: whether the parameter is not as it was in the beginning */
static gboolean
show_value (PrismParameterRow *self,
            const PrismParam *param,
            PrismParameterEditor *editor)
{
  const PrismConfig *config = self->draft->config;
  const char *refused = g_hash_table_lookup (self->draft->refused, param->key);
  g_autofree char *text = prism_config_dup_text (config, param);

  prism_parameter_editor_set_recorded (editor, self->draft->config->kind == PRISM_FRAMES_RECORDED);
  /* What is no value stands in all rows of the parameter, so that it can be mended in each. */
  if (refused == NULL || GTK_IS_EDITABLE (editor->control))
    prism_parameter_editor_set_text (editor, refused != NULL ? refused : text);
  return prism_config_differs (config, self->draft->first, param);
}

static void
refresh (PrismParameterRow *self)
{
  const PrismEssential *essential = self->essential;
  gboolean differs = show_value (self, self->param, self->editor), shown;

  /* What a card alone can do is not there without one. */
  if (self->second != NULL)
    {
      shown = prism_session_get_idle_reason (self->session, self->second) == NULL;
      differs |= show_value (self, self->second, self->second_editor) && shown;
      gtk_widget_set_visible (GTK_WIDGET (self->second_editor), shown);
      gtk_widget_set_visible (self->joint, shown);
    }
  if (essential != NULL && essential->low > 0)
    prism_parameter_editor_set_slider (
        self->editor, essential->low,
        essential->high > 0 ? essential->high
                            : self->draft->config->image_size / 8.0);
  /* It keeps its room: words beside it must not wrap when it comes. */
  gtk_widget_set_sensitive (GTK_WIDGET (self->reset_button), differs);
  update_subtitle (self);
}

static void
on_edited (PrismParameterRow *self,
           const char *text,
           PrismParameterEditor *editor)
{
  prism_draft_set_parameter (self->draft, editor == self->editor ? self->param : self->second,
                             text, NULL);
  update_subtitle (self);
}

static void
on_reset_clicked (PrismParameterRow *self)
{
  /* The button disappears with the press; the keyboard goes on at the control. */
  gtk_widget_grab_focus (GTK_WIDGET (self->editor));
  prism_draft_reset_parameter (self->draft, self->param);
  if (self->second != NULL)
    prism_draft_reset_parameter (self->draft, self->second);
}

static char *
dup_range (const PrismParam *param)
{
  g_autofree char *minimum = prism_ui_text_dup_number (param->minimum);
  g_autofree char *maximum = prism_ui_text_dup_number (param->maximum);
  const char *unit = prism_ui_text_get_unit (param);
  const char *blank = *unit != '\0' ? " " : "";

  if (param->type != PRISM_PARAM_INTEGER && param->type != PRISM_PARAM_REAL)
    return NULL;
  if (param->minimum_label != NULL)
    return g_strdup_printf (_ ("Up to %s%s%s"), maximum, blank, unit);
  return g_strdup_printf ("%s – %s%s%s", minimum, maximum, blank, unit);
}

static char *
dup_help (const PrismParam *param)
{
  g_autofree char *first = g_markup_escape_text (gettext (param->help), -1);
  g_autoptr (GString) help = g_string_new (first);

  for (const PrismChoice *choice = param->choices; choice != NULL && choice->name != NULL; choice++)
    {
      g_autofree char *line = g_markup_printf_escaped ("\n\n<b>%s</b>: %s", gettext (choice->label),
                                                       gettext (choice->help));
      g_string_append (help, line);
    }
  return g_strdup (help->str);
}

static char *
dup_detail (PrismParameterRow *self)
{
  g_autofree char *standard
      = prism_ui_text_dup_value (self->draft->first, self->param);
  g_autoptr (GString) detail = g_string_new (NULL);

  if (self->range != NULL)
    g_string_append_printf (detail, _ ("Range: %s"), self->range);
  g_string_append_printf (detail, "%s", self->range != NULL ? "\n" : "");
  g_string_append_printf (detail, _ ("Default: %s"), standard);
  g_string_append_c (detail, '\n');
  g_string_append_printf (detail, _ ("In files and on the command line: %s"), self->param->key);
  g_string_append_c (detail, '\n');
  g_string_append (detail, self->param->live ? _ ("Applies at once to a running reconstruction.")
                                             : _ ("Applies to the next run."));
  return g_strdup (detail->str);
}

static void
prism_parameter_row_class_init (PrismParameterRowClass *klass)
{
  PRISM_DISPOSE (klass, PrismParameterRow, g_object_unref, session);
  PRISM_FINALIZE (klass, PrismParameterRow, g_free, range);

  PRISM_TEMPLATE (klass, PrismParameterRow, "prism-parameter-row.ui", reset_button, help_button,
                  help_label, detail_label, open_button);
  PRISM_TEMPLATE_CALLBACKS (klass, on_reset_clicked);
}

static void
prism_parameter_row_init (PrismParameterRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

static void
set_names (PrismParameterRow *self)
{
  const char *label = gettext (self->param->label);
  g_autofree char *reset = g_strdup_printf (_ ("Reset “%s” to its default"), label);
  g_autofree char *help = g_strdup_printf (_ ("Help on “%s”"), label);
  const gboolean titled = self->essential != NULL && self->essential->title != NULL;

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self),
                                 titled ? gettext (self->essential->title) : label);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->reset_button), _ ("Reset to default"));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->help_button), _ ("Help"));
  prism_widget_set_name (self->reset_button, reset);
  prism_widget_set_name (self->help_button, help);
}

/* Something that a value can be chosen with, beside the list. */
static void
add_opener (PrismParameterRow *self)
{
  const gboolean pattern = self->essential != NULL && g_str_equal (self->param->key, "pattern");
  const char *tooltip = pattern ? _ ("Compare patterns") : _ ("Open an image");

  gtk_widget_set_visible (GTK_WIDGET (self->open_button),
                          pattern || g_str_equal (self->param->key, "object"));
  gtk_button_set_icon_name (self->open_button,
                            pattern ? "view-grid-symbolic" : "document-open-symbolic");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->open_button),
                                  pattern ? "win.patterns" : "win.open");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->open_button), tooltip);
  prism_widget_set_name (self->open_button, tooltip);
}

static void
add_before_reset (PrismParameterRow *self,
                  GtkWidget *widget)
{
  gtk_widget_insert_before (widget, gtk_widget_get_parent (GTK_WIDGET (self->reset_button)),
                            GTK_WIDGET (self->open_button));
}

static PrismParameterEditor *
add_editor (PrismParameterRow *self,
            const PrismParam *param)
{
  PrismParameterEditor *editor = PRISM_PARAMETER_EDITOR (prism_parameter_editor_new (param));

  add_before_reset (self, GTK_WIDGET (editor));
  if (self->essential != NULL)
    prism_parameter_editor_set_slim (editor);
  /* The row names the first; the name of both would be read. */
  if (param != self->param)
    prism_widget_set_name (editor->control, gettext (param->label));
  PRISM_CONNECT (editor, "edited", on_edited, self);
  return editor;
}

/**
 * prism_parameter_row_new:
 * @session: whose configuration is edited
 * @param: a row of the parameter table
 * @essential: (transfer none) (nullable): what else a narrow row is made of, which lives as long
 *
 * Makes the row of a parameter; a narrow one has a slider or two parameters where it says so.
 *
 * Returns: (transfer floating): the row
 */
GtkWidget *
prism_parameter_row_new (PrismSession *session,
                         const PrismParam *param,
                         const PrismEssential *essential)
{
  static const char *const properties[] = { "notify::state", "notify::scene", "notify::on-cpu" };
  PrismParameterRow *self = g_object_new (PRISM_TYPE_PARAMETER_ROW, NULL);
  g_autofree char *help = dup_help (param);
  g_autofree char *detail = NULL;

  self->session = g_object_ref (session);
  self->draft = session->draft;
  self->essential = essential;
  self->param = param;
  self->range = dup_range (param);
  detail = dup_detail (self);
  if (essential != NULL)
    g_clear_pointer (&self->range, g_free);
  /* No slider shows in what it is. */
  if (essential != NULL && essential->keys[1] == NULL && *param->unit != '\0')
    self->range = g_strdup (prism_ui_text_get_unit (param));
  set_names (self);
  gtk_label_set_markup (self->help_label, help);
  gtk_label_set_text (self->detail_label, detail);
  self->editor = add_editor (self, param);
  if (essential != NULL && essential->keys[1] != NULL)
    {
      self->second = prism_config_get_param (essential->keys[1]);
      self->joint = gtk_label_new (gettext (essential->joint));
      add_before_reset (self, self->joint);
      self->second_editor = add_editor (self, self->second);
    }
  add_opener (self);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (self),
                                         self->editor->control);
  if (essential != NULL && essential->title != NULL)
    {
      gtk_accessible_reset_relation (GTK_ACCESSIBLE (self->editor->control),
                                     GTK_ACCESSIBLE_RELATION_LABELLED_BY);
      prism_widget_set_name (self->editor->control, gettext (param->label));
    }
  PRISM_CONNECT (self->draft, "changed", refresh, self);
  PRISM_CONNECT (self->draft, "notify::problem", refresh, self);
  for (gsize i = 0; i < G_N_ELEMENTS (properties); i++)
    PRISM_CONNECT (self->session, properties[i], refresh, self);
  refresh (self);
  return GTK_WIDGET (self);
}

/**
 * prism_parameter_row_rank:
 * @self: a row
 * @words: what is searched for
 *
 * Finds out how well the row fits by its name, its key, and its help with that of its choices.
 *
 * Returns: as prism_ui_text_rank()
 */
guint
prism_parameter_row_rank (PrismParameterRow *self,
                          const char *words)
{
  g_autofree char *help = dup_help (self->param);

  return prism_ui_text_rank (gettext (self->param->label), self->param->key, help, words);
}
