#include "config.h"

#include "parameters/prism-parameter-row.h"
#include "prism-test.h"

#include <locale.h>

typedef struct
{
  GtkWidget *editor;
  GtkWidget *control;
  char *edited; /* what the editor last said */
} Fixture;

static void
on_edited (PrismParameterEditor *editor,
           const char *text,
           Fixture *fixture)
{
  g_free (fixture->edited);
  fixture->edited = g_strdup (text);
}

static void
set_up (Fixture *fixture,
        gconstpointer key)
{
  const PrismParam *param = prism_config_get_param (key);

  fixture->editor = g_object_ref_sink (prism_parameter_editor_new (param));
  fixture->control
      = prism_parameter_editor_get_control (PRISM_PARAMETER_EDITOR (fixture->editor));
  g_signal_connect (fixture->editor, "edited", G_CALLBACK (on_edited), fixture);
}

static void
tear_down (Fixture *fixture,
           gconstpointer key)
{
  g_object_unref (fixture->editor);
  g_free (fixture->edited);
}

static void
assert_typed (Fixture *fixture,
              const char *text,
              const char *edited)
{
  gtk_editable_set_text (GTK_EDITABLE (fixture->control), text);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (fixture->control)), ==, text);
  g_assert_cmpstr (fixture->edited, ==, edited);
}

static void
assert_fractions (Fixture *fixture)
{
  PrismParameterEditor *editor = PRISM_PARAMETER_EDITOR (fixture->editor);

  prism_parameter_editor_set_text (editor, "0.0035");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (fixture->control)), ==, "0.0035");
  assert_typed (fixture, "0.25", "0.25");
  assert_typed (fixture, "0,125", "0.125");
  assert_typed (fixture, "2e-3", "2e-3");
}

static void
test_fractions (Fixture *fixture,
                gconstpointer key)
{
  assert_fractions (fixture);
}

/* The least value that means none is said so, and understood in both ways. */
static void
test_word (Fixture *fixture,
           gconstpointer key)
{
  PrismParameterEditor *editor = PRISM_PARAMETER_EDITOR (fixture->editor);
  GtkSpinButton *spin = GTK_SPIN_BUTTON (fixture->control);
  const PrismParam *param = prism_config_get_param (key);
  g_autofree char *least = g_strdup_printf ("%.0f", param->minimum);
  const char *word = param->minimum_label;
  const char *typed[] = { least, "none", "AUTOMATIC" };

  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, word);
  for (gsize i = 0; i < G_N_ELEMENTS (typed); i++)
    {
      prism_parameter_editor_set_text (editor, "12");
      g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, "12");
      if (i > 0 && g_ascii_strcasecmp (typed[i], word) != 0)
        continue;
      assert_typed (fixture, typed[i], least);
      gtk_spin_button_update (spin);
      g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, word);
      g_assert_cmpstr (fixture->edited, ==, least);
      g_assert_cmpfloat (gtk_spin_button_get_value (spin), ==, param->minimum);
    }
}

/* A numeric spin button refuses every text with a point there. */
static void
test_comma_locale (Fixture *fixture,
                   gconstpointer key)
{
  if (setlocale (LC_NUMERIC, "de_DE.UTF-8") == NULL)
    {
      g_test_skip ("the locale de_DE.UTF-8 is not installed");
      return;
    }
  prism_parameter_editor_set_text (PRISM_PARAMETER_EDITOR (fixture->editor), "0.0035");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (fixture->control)), ==, "0,0035");
  assert_typed (fixture, "0.25", "0.25");
  assert_typed (fixture, "0,125", "0.125");
  assert_typed (fixture, "2e-3", "2e-3");
  setlocale (LC_NUMERIC, "C");
}

/* Types a text and leaves the field: what it shows then, what was told, and the value. */
static void
assert_left (Fixture *fixture,
             const char *typed,
             const char *shown,
             const char *edited,
             double value)
{
  GtkSpinButton *spin = GTK_SPIN_BUTTON (fixture->control);

  assert_typed (fixture, typed, edited);
  gtk_spin_button_update (spin);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, shown);
  g_assert_cmpstr (fixture->edited, ==, edited);
  g_assert_cmpfloat (gtk_spin_button_get_value (spin), ==, value);
}

/* What is no value stays to be seen, beside the sentence of the row, until another one comes; the
 * last value counts on. A number out of the range is not its end. */
static void
test_no_value (Fixture *fixture,
               gconstpointer key)
{
  PrismParameterEditor *editor = PRISM_PARAMETER_EDITOR (fixture->editor);
  const char *texts[] = { "abc", "-4", "1e9", "7 5", "1.2.3", "96.5" };

  prism_parameter_editor_set_text (editor, "96");
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      assert_left (fixture, texts[i], texts[i], texts[i], 96);
      prism_parameter_editor_set_text (editor, "96");
      g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (fixture->control)), ==, "96");
    }
  assert_left (fixture, "abc", "abc", "abc", 96);
  gtk_spin_button_spin (GTK_SPIN_BUTTON (fixture->control), GTK_SPIN_STEP_FORWARD, 2);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (fixture->control)), ==, "98");
}

/* Less than the least is not the word that the least value has. */
static void
test_below_the_word (Fixture *fixture,
                     gconstpointer key)
{
  prism_parameter_editor_set_text (PRISM_PARAMETER_EDITOR (fixture->editor), "12");
  assert_left (fixture, "-4", "-4", "-4", 12);
}

/* Thousands are read as they are written where the user lives, and shown without marks. */
static void
test_thousands (Fixture *fixture,
                gconstpointer key)
{
  assert_left (fixture, "10,000", "10000", "10000", 10000);
  assert_left (fixture, "1 000", "1000", "1000", 1000);
  assert_left (fixture, "1\u2009234", "1234", "1234", 1234);
  assert_left (fixture, "1,234.5", "1234.5", "1234.5", 1234.5);
  assert_left (fixture, "1.500", "1.500", "1.500", 1.5);
  assert_left (fixture, "0,125", "0,125", "0.125", 0.125);
  if (setlocale (LC_NUMERIC, "de_DE.UTF-8") == NULL)
    {
      g_test_skip ("the locale de_DE.UTF-8 is not installed");
      return;
    }
  assert_left (fixture, "10.000", "10000", "10000", 10000);
  assert_left (fixture, "1.500,5", "1500,5", "1500.5", 1500.5);
  assert_left (fixture, "1,500", "1,500", "1.500", 1.5);
  assert_left (fixture, "0.125", "0.125", "0.125", 0.125);
  assert_left (fixture, "10.00", "10.00", "10.00", 10);
  setlocale (LC_NUMERIC, "C");
}

/* A narrow panel wraps what stands beside a short choice; it does not cut the choice. */
static void
test_choice_width (Fixture *fixture,
                   gconstpointer key)
{
  g_autoptr (PangoLayout) layout
      = gtk_widget_create_pango_layout (fixture->control, "PRISM decoder");
  GtkWidget *window = gtk_window_new ();
  int minimum;
  int width;

  prism_parameter_editor_set_text (PRISM_PARAMETER_EDITOR (fixture->editor), "decoder");
  gtk_window_set_child (GTK_WINDOW (window), fixture->editor);
  gtk_widget_measure (fixture->editor, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  pango_layout_get_pixel_size (layout, &width, NULL);
  g_assert_cmpint (minimum, >, width);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Each kind of frames has its methods; one that a file asks for all the same is there, too. */
static void
test_choices_of_source (Fixture *fixture,
                        gconstpointer key)
{
  PrismParameterEditor *editor = PRISM_PARAMETER_EDITOR (fixture->editor);
  GtkDropDown *list = GTK_DROP_DOWN (fixture->control);

  prism_parameter_editor_set_text (editor, "mopie");
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (list)), ==, 4);
  g_assert_cmpuint (gtk_drop_down_get_selected (list), ==, 3);

  prism_parameter_editor_set_recorded (editor, TRUE);
  prism_parameter_editor_set_text (editor, "complex");
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (list)), ==, 3);
  g_assert_null (fixture->edited);
  gtk_drop_down_set_selected (list, 0);
  g_assert_cmpstr (fixture->edited, ==, "sequential");

  prism_parameter_editor_set_text (editor, "decoder");
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (list)), ==, 4);
  g_assert_cmpuint (gtk_drop_down_get_selected (list), ==, 0);
}

int
main (int argc,
      char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
  g_test_add ("/app/parameter-editor/fractions", Fixture, "learning_rate", set_up, test_fractions,
              tear_down);
  g_test_add ("/app/parameter-editor/comma-locale", Fixture, "learning_rate", set_up,
              test_comma_locale, tear_down);
  g_test_add ("/app/parameter-editor/none", Fixture, "snr", set_up, test_word, tear_down);
  g_test_add ("/app/parameter-editor/automatic", Fixture, "training_seed", set_up, test_word,
              tear_down);
  g_test_add ("/app/parameter-editor/below-none", Fixture, "snr", set_up, test_below_the_word,
              tear_down);
  g_test_add ("/app/parameter-editor/no-value", Fixture, "object_size", set_up, test_no_value,
              tear_down);
  g_test_add ("/app/parameter-editor/thousands", Fixture, "photons", set_up,
              test_thousands, tear_down);
  g_test_add ("/app/parameter-editor/choice-width", Fixture, "method", set_up, test_choice_width,
              tear_down);
  g_test_add ("/app/parameter-editor/choices-of-source", Fixture, "method", set_up,
              test_choices_of_source, tear_down);
  return prism_test_run ();
}
