#include "config.h"

#include "parameters/prism-parameter-row.h"

#include "base/prism-number.h"
#include "config/prism-builtin.h"
#include "support/prism-widget.h"

#define LEAST_CHARS 8 /* of a choice that is cut */

G_DEFINE_FINAL_TYPE (PrismParameterEditor, prism_parameter_editor, GTK_TYPE_WIDGET)

static void
emit_edited (PrismParameterEditor *self,
             const char *text)
{
  if (!self->updating)
    g_signal_emit_by_name (self, "edited", text);
}

/* Numbers. */

/* Whether a text is the word for the least value, in the user's language or that of files. */
static gboolean
is_word (const PrismParam *param,
         const char *text)
{
  g_autofree char *typed = g_utf8_casefold (text, -1);
  g_autofree char *shown = NULL;
  g_autofree char *plain = NULL;

  if (param->minimum_label == NULL)
    return FALSE;
  shown = g_utf8_casefold (gettext (param->minimum_label), -1);
  plain = g_utf8_casefold (param->minimum_label, -1);
  return g_str_equal (typed, shown) || g_str_equal (typed, plain);
}

/* As the table has it. */
static char *
dup_number_text (PrismParameterEditor *self,
                 GtkWidget *spin,
                 gboolean *grouped)
{
  char *typed = prism_number_dup_typed (gtk_editable_get_text (GTK_EDITABLE (spin)), grouped);
  const gboolean word = is_word (self->param, typed);

  if (word)
    g_free (typed);
  return !word                                 ? typed
         : prism_config_has_auto (self->param) ? g_strdup ("auto")
                                               : g_strdup_printf ("%.0f", self->param->minimum);
}

/* Whether the text is a value of the parameter, as the table has it. */
static gboolean
read_number (PrismParameterEditor *self,
             GtkWidget *spin,
             double *value)
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  gboolean grouped;
  g_autofree char *text = dup_number_text (self, spin, &grouped);

  if (!prism_config_set_text (config, self->param->key, text, NULL))
    return FALSE;
  *value = prism_config_get_number (config, self->param);
  return TRUE;
}

/* What one press of an arrow changes. */
static double
get_step (const PrismParam *param,
          double value)
{
  /* Where the range spans decades, a tenth of the value's own. */
  if (param->type == PRISM_PARAM_REAL && param->minimum > 0
      && param->maximum / param->minimum > 1e4)
    return pow (10, floor (log10 (MAX (value, param->minimum)) + 1e-9)) / 10;
  if (param->type == PRISM_PARAM_INTEGER)
    return g_str_equal (param->key, "object_size") ? 2 : 1;
  if (param->maximum <= 1 && param->default_value < 0.01)
    return 0.001;
  if (param->maximum <= 2)
    return 0.05;
  return 1;
}

static void
show_number (PrismParameterEditor *self,
             GtkSpinButton *spin)
{
  double value = gtk_adjustment_get_value (gtk_spin_button_get_adjustment (spin));
  gboolean least = self->param->minimum_label != NULL && value == self->param->minimum;
  g_autofree char *text = least ? g_strdup (gettext (self->param->minimum_label))
                                : g_strdup_printf ("%.8g", value);

  gtk_editable_set_text (GTK_EDITABLE (spin), text);
}

/* What is typed keeps its form, such as 2e-3, while it means the same; the least value gets its
 * word where it has one. What is no value stays, too, until another value takes its place: the row
 * says what is wrong with it. */
static gboolean
on_spin_output (PrismParameterEditor *self,
                GtkSpinButton *spin)
{
  double value = gtk_adjustment_get_value (gtk_spin_button_get_adjustment (spin));
  gboolean least = self->param->minimum_label != NULL && value == self->param->minimum;
  const char *typed = gtk_editable_get_text (GTK_EDITABLE (spin));
  g_autofree char *text = NULL;
  gboolean grouped;
  double shown;

  if (self->held == value && !self->updating)
    return TRUE;
  text = dup_number_text (self, GTK_WIDGET (spin), &grouped);
  if (grouped || !read_number (self, GTK_WIDGET (spin), &shown)
      || fabs (shown - value) > 1e-8 * fabs (value)
      || (least && strcmp (typed, gettext (self->param->minimum_label)) != 0))
    show_number (self, spin);
  return TRUE;
}

/* What is no value changes nothing; as an error it would become the least value, and a number out
 * of the range its end. */
static int
on_spin_input (PrismParameterEditor *self,
               double *value,
               GtkSpinButton *spin)
{
  if (!read_number (self, GTK_WIDGET (spin), value))
    *value = gtk_adjustment_get_value (gtk_spin_button_get_adjustment (spin));
  return TRUE;
}

/* The least value stands at the right end where it has a word: no noise is beyond the least. */
static void
follow_value (PrismParameterEditor *self,
              double value)
{
  const gboolean updating = self->updating;
  GtkAdjustment *range;

  if (self->slider == NULL)
    return;
  range = gtk_range_get_adjustment (GTK_RANGE (self->slider));
  if (self->param->minimum_label != NULL && value == self->param->minimum)
    value = gtk_adjustment_get_upper (range);
  self->updating = TRUE;
  gtk_adjustment_set_value (range, value);
  self->updating = updating;
}

static void
on_slid (PrismParameterEditor *self,
         GtkRange *slider)
{
  double value = round (gtk_range_get_value (slider));

  if (self->updating)
    return;
  if (self->param->minimum_label != NULL
      && value == gtk_adjustment_get_upper (gtk_range_get_adjustment (slider)))
    value = self->param->minimum;
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->control), value);
}

static void
on_spin_changed (PrismParameterEditor *self,
                 GtkWidget *spin)
{
  gboolean grouped;
  g_autofree char *text = dup_number_text (self, spin, &grouped);
  double value = NAN;

  self->held = NAN;
  if (read_number (self, spin, &value))
    {
      double step = get_step (self->param, value);
      gtk_spin_button_set_increments (GTK_SPIN_BUTTON (spin), step, step * 10);
    }
  else
    self->held = gtk_adjustment_get_value (
        gtk_spin_button_get_adjustment (GTK_SPIN_BUTTON (spin)));
  emit_edited (self, text);
  /* What is typed becomes the button's value later. */
  if (isnan (self->held))
    follow_value (self, value);
}

/* Room for the word, too. */
static int
get_width (const PrismParam *param)
{
  const char *word = param->minimum_label != NULL ? gettext (param->minimum_label) : "";

  return (int) MAX (6, g_utf8_strlen (word, -1));
}

static GtkWidget *
create_spin (PrismParameterEditor *self)
{
  const PrismParam *param = self->param;
  double step = get_step (param, param->default_value);
  GtkWidget *spin = gtk_spin_button_new_with_range (param->minimum, param->maximum, step);

  /* Numeric, it refuses 2e-3, and where the locale has a decimal comma also 0.002. */
  gtk_spin_button_set_numeric (GTK_SPIN_BUTTON (spin), FALSE);
  gtk_editable_set_width_chars (GTK_EDITABLE (spin), get_width (param));
  gtk_editable_set_max_width_chars (GTK_EDITABLE (spin), MAX (8, get_width (param)));
  gtk_spin_button_set_digits (GTK_SPIN_BUTTON (spin), param->type == PRISM_PARAM_REAL ? 10 : 0);
  gtk_widget_add_css_class (spin, "numeric");
  show_number (self, GTK_SPIN_BUTTON (spin));
  PRISM_CONNECT (spin, "output", on_spin_output, self);
  PRISM_CONNECT (spin, "input", on_spin_input, self);
  PRISM_CONNECT (spin, "changed", on_spin_changed, self);
  return spin;
}

static void
set_spin (PrismParameterEditor *self,
          const char *text)
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  gboolean grouped;
  g_autofree char *typed = dup_number_text (self, self->control, &grouped);
  double value, shown;

  if (!prism_config_set_text (config, self->param->key, text, NULL))
    {
      if (!g_str_equal (typed, text))
        gtk_editable_set_text (GTK_EDITABLE (self->control), text);
      return;
    }
  value = prism_config_get_number (config, self->param);
  /* What is typed keeps its form while it means the same. */
  if (read_number (self, self->control, &shown) && shown == value)
    return;
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->control), value);
}

/* Switches. */

static void
on_switch_active (PrismParameterEditor *self,
                  GParamSpec *pspec,
                  GtkSwitch *control)
{
  emit_edited (self, gtk_switch_get_active (control) ? "on" : "off");
}

/* Lists: choices, sizes that are powers of two, objects. */

static gboolean
is_size (const PrismParam *param)
{
  return g_str_equal (param->key, "image_size");
}

static gboolean
is_object (const PrismParam *param)
{
  return g_str_equal (param->key, "object");
}

/* Choice i of those that the frames have, and of the one that is set all the same. */
static const PrismChoice *
get_choice_at (PrismParameterEditor *self,
               guint i)
{
  const char *hidden = self->recorded ? "telescope" : "recorded";
  const PrismChoice *choice = self->param->choices;

  for (; choice->name != NULL; choice++)
    if ((g_strcmp0 (choice->source, hidden) != 0 || g_strcmp0 (choice->name, self->other) == 0)
        && i-- == 0)
      break;
  return choice;
}

/* The value behind row i of the list, NULL past its end. */
static char *
dup_value_at (PrismParameterEditor *self,
              guint i)
{
  gsize n_objects;
  const PrismBuiltin *objects = prism_builtin_get_all (&n_objects);

  if (self->param->choices != NULL)
    return g_strdup (get_choice_at (self, i)->name);
  if (is_size (self->param))
    {
      int size = (int) self->param->minimum << i;
      return size <= self->param->maximum ? g_strdup_printf ("%d", size) : NULL;
    }
  if (i < n_objects)
    return g_strdup (objects[i].id);
  return i == n_objects ? g_strdup (self->other) : NULL;
}

static void
fill_list (PrismParameterEditor *self)
{
  g_autoptr (GtkStringList) labels = gtk_string_list_new (NULL);

  for (guint i = 0;; i++)
    {
      g_autofree char *value = dup_value_at (self, i);

      if (value == NULL)
        break;
      gtk_string_list_take (labels, prism_param_dup_label (self->param, value));
    }
  gtk_drop_down_set_model (GTK_DROP_DOWN (self->control), G_LIST_MODEL (labels));
}

static void
on_list_selected (PrismParameterEditor *self,
                  GParamSpec *pspec,
                  GtkDropDown *list)
{
  guint selected = gtk_drop_down_get_selected (list);
  g_autofree char *value = NULL;

  if (selected == GTK_INVALID_LIST_POSITION)
    return;
  value = dup_value_at (self, selected);
  if (value != NULL)
    emit_edited (self, value);
}

/* The button to open an image stands beside the list of objects, and their names need room too. */
static void
on_item_setup (PrismParameterEditor *self,
               GtkListItem *item)
{
  GtkWidget *label = prism_label_new (NULL, NULL, -1);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (label), is_object (self->param) ? 10 : 17);
  gtk_list_item_set_child (item, label);
}

static void
on_item_bind (GtkSignalListItemFactory *factory,
              GtkListItem *item,
              gpointer data)
{
  const char *text = gtk_string_object_get_string (gtk_list_item_get_item (item));
  GtkLabel *label = GTK_LABEL (gtk_list_item_get_child (item));

  /* Where there is little room, what stands beside it has it. */
  gtk_label_set_text (label, text);
  gtk_label_set_width_chars (label, MIN ((int) g_utf8_strlen (text, -1), LEAST_CHARS));
}

static GtkWidget *
create_list (PrismParameterEditor *self)
{
  GtkListItemFactory *unrestricted = NULL;
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  self->control = gtk_drop_down_new (NULL, NULL);
  /* The button is kept narrow, the list shows every word. */
  unrestricted = g_object_ref (gtk_drop_down_get_factory (GTK_DROP_DOWN (self->control)));
  PRISM_CONNECT (factory, "setup", on_item_setup, self);
  g_signal_connect (factory, "bind", G_CALLBACK (on_item_bind), NULL);
  gtk_drop_down_set_factory (GTK_DROP_DOWN (self->control), factory);
  gtk_drop_down_set_list_factory (GTK_DROP_DOWN (self->control), unrestricted);
  g_object_unref (factory);
  g_object_unref (unrestricted);

  /* The button inside takes the focus, and has no name of its own. */
  prism_widget_set_name (gtk_widget_get_first_child (self->control), gettext (self->param->label));
  fill_list (self);
  PRISM_CONNECT (self->control, "notify::selected", on_list_selected, self);
  return self->control;
}

/* The row of a value, or none. */
static guint
find_in_list (PrismParameterEditor *self,
              const char *text)
{
  for (guint i = 0;; i++)
    {
      g_autofree char *value = dup_value_at (self, i);

      if (value == NULL)
        return GTK_INVALID_LIST_POSITION;
      if (g_str_equal (value, text))
        return i;
    }
}

static void
set_list (PrismParameterEditor *self,
          const char *text)
{
  if (find_in_list (self, text) == GTK_INVALID_LIST_POSITION)
    {
      prism_keep_text (&self->other, text);
      fill_list (self);
    }
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->control), find_in_list (self, text));
}

/* Text. */

static void
on_entry_changed (PrismParameterEditor *self,
                  GtkEditable *entry)
{
  emit_edited (self, gtk_editable_get_text (entry));
}

static GtkWidget *
create_control (PrismParameterEditor *self)
{
  GtkWidget *control;

  if (self->param->choices != NULL || is_size (self->param) || is_object (self->param))
    return create_list (self);
  if (self->param->type == PRISM_PARAM_SWITCH)
    {
      control = gtk_switch_new ();
      PRISM_CONNECT (control, "notify::active", on_switch_active, self);
      return control;
    }
  if (self->param->type == PRISM_PARAM_TEXT)
    {
      control = gtk_entry_new ();
      gtk_editable_set_width_chars (GTK_EDITABLE (control), 10);
      PRISM_CONNECT (control, "changed", on_entry_changed, self);
      return control;
    }
  return create_spin (self);
}

static gboolean
prism_parameter_editor_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (PRISM_PARAMETER_EDITOR (widget)->control);
}

static void
prism_parameter_editor_class_init (PrismParameterEditorClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_DISPOSE (klass, PrismParameterEditor, gtk_widget_unparent, control, slider);
  PRISM_FINALIZE (klass, PrismParameterEditor, g_free, other);
  widget_class->grab_focus = prism_parameter_editor_grab_focus;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);

  /* The user's text, whether it is allowed or not. */
  prism_signal_new (klass, "edited", 1, G_TYPE_STRING);
}

static void
prism_parameter_editor_init (PrismParameterEditor *self)
{
}

/**
 * prism_parameter_editor_new:
 * @param: a row of the parameter table
 *
 * Makes the control for a parameter: a spin button, a switch, a list or an entry.
 *
 * Returns: (transfer floating): the editor
 */
GtkWidget *
prism_parameter_editor_new (const PrismParam *param)
{
  PrismParameterEditor *self
      = g_object_new (PRISM_TYPE_PARAMETER_EDITOR, "valign", GTK_ALIGN_CENTER, NULL);

  self->param = param;
  self->held = NAN;
  self->updating = TRUE;
  self->control = create_control (self);
  gtk_widget_set_parent (self->control, GTK_WIDGET (self));
  self->updating = FALSE;
  /* The name comes from the row, which labels its control. */
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->control),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, gettext (param->help), -1);
  return GTK_WIDGET (self);
}

/**
 * prism_parameter_editor_set_text:
 * @self: an editor
 * @text: a value as prism_config_dup_text() writes it, or a text that is none
 *
 * Shows it; nothing is emitted.
 */
void
prism_parameter_editor_set_text (PrismParameterEditor *self,
                                 const char *text)
{
  self->updating = TRUE;
  if (GTK_IS_SPIN_BUTTON (self->control))
    set_spin (self, text);
  else if (GTK_IS_SWITCH (self->control))
    gtk_switch_set_active (GTK_SWITCH (self->control), g_str_equal (text, "on"));
  else if (GTK_IS_DROP_DOWN (self->control))
    set_list (self, text);
  else if (g_strcmp0 (gtk_editable_get_text (GTK_EDITABLE (self->control)), text) != 0)
    gtk_editable_set_text (GTK_EDITABLE (self->control), text);
  self->updating = FALSE;
}

/**
 * prism_parameter_editor_set_recorded:
 * @self: an editor
 * @recorded: whether frames are
 *
 * Offers the choices that such frames have; nothing is emitted, and the value stays.
 */
void
prism_parameter_editor_set_recorded (PrismParameterEditor *self,
                                     gboolean recorded)
{
  if (self->recorded == recorded)
    return;
  self->recorded = recorded;
  g_clear_pointer (&self->other, g_free);
  self->updating = TRUE;
  if (self->param->choices != NULL)
    fill_list (self);
  self->updating = FALSE;
}

/**
 * prism_parameter_editor_set_slim:
 * @self: an editor
 *
 * Leaves a number without the buttons beside it.
 */
void
prism_parameter_editor_set_slim (PrismParameterEditor *self)
{
  int n_chars;

  if (!GTK_IS_SPIN_BUTTON (self->control))
    return;
  for (GtkWidget *child = gtk_widget_get_first_child (self->control); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_BUTTON (child))
      gtk_widget_set_visible (child, FALSE);
  n_chars = self->param->minimum_label != NULL ? get_width (self->param) : 4;
  g_object_set (self->control, "width-chars", n_chars, "max-width-chars", n_chars, NULL);
}

/**
 * prism_parameter_editor_set_slider:
 * @self: an editor of a number
 * @low: left end
 * @high: right end, beyond which the least value stands where it has a word
 *
 * Puts a slider beside the number, or moves its ends.
 */
void
prism_parameter_editor_set_slider (PrismParameterEditor *self,
                                   double low,
                                   double high)
{
  const double upper = high + (self->param->minimum_label != NULL);
  const gboolean updating = self->updating;

  if (self->slider == NULL)
    {
      self->slider = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, low, upper, 1);
      gtk_widget_set_size_request (self->slider, 72, -1);
      gtk_widget_insert_before (self->slider, GTK_WIDGET (self), self->control);
      prism_widget_set_name (self->slider, gettext (self->param->label));
      prism_widget_take_wheel (self->slider, FALSE);
      PRISM_CONNECT (self->slider, "value-changed", on_slid, self);
    }
  self->updating = TRUE;
  gtk_range_set_range (GTK_RANGE (self->slider), low, upper);
  self->updating = updating;
  follow_value (self, gtk_spin_button_get_value (GTK_SPIN_BUTTON (self->control)));
}
