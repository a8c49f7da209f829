#include "parameters/prism-parameter-row.h"
#include "prism-test.h"

#include <locale.h>

typedef struct
{
  GtkWidget *editor, *control;
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
  fixture->editor = g_object_ref_sink (prism_parameter_editor_new (prism_config_get_param (key)));
  fixture->control = PRISM_PARAMETER_EDITOR (fixture->editor)->control;
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
assert_fractions (Fixture *fixture,
                  const char *shown)
{
  prism_parameter_editor_set_text (PRISM_PARAMETER_EDITOR (fixture->editor), "0.0035");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (fixture->control)), ==, shown);
  assert_typed (fixture, "0.25", "0.25");
  assert_typed (fixture, "0,125", "0.125");
  assert_typed (fixture, "2e-3", "2e-3");
}

TEST_WITH (fractions, "/app/parameter-editor/fractions", "learning_rate")
{
  assert_fractions (self, "0.0035");
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
  const char *edited = prism_config_has_auto (param) ? "auto" : least;
  const char *typed[] = { edited, "none", "AUTOMATIC" };

  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, word);
  for (gsize i = 0; i < G_N_ELEMENTS (typed); i++)
    {
      prism_parameter_editor_set_text (editor, "12");
      g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, "12");
      if (i > 0 && g_ascii_strcasecmp (typed[i], word) != 0)
        continue;
      assert_typed (fixture, typed[i], edited);
      gtk_spin_button_update (spin);
      g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, word);
      g_assert_cmpstr (fixture->edited, ==, edited);
      g_assert_cmpfloat (gtk_spin_button_get_value (spin), ==, param->minimum);
    }
}

/* A numeric spin button refuses every text with a point there. */
TEST_WITH (comma_locale, "/app/parameter-editor/comma-locale", "learning_rate")
{
  if (setlocale (LC_NUMERIC, "de_DE.UTF-8") == NULL)
    {
      g_test_skip ("the locale de_DE.UTF-8 is not installed");
      return;
    }
  assert_fractions (self, "0,0035");
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
TEST_WITH (no_value, "/app/parameter-editor/no-value", "object_size")
{
  PrismParameterEditor *editor = PRISM_PARAMETER_EDITOR (self->editor);
  const char *texts[] = { "abc", "-4", "1e9", "7 5", "1.2.3", "96.5" };

  prism_parameter_editor_set_text (editor, "96");
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      assert_left (self, texts[i], texts[i], texts[i], 96);
      prism_parameter_editor_set_text (editor, "96");
      g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (self->control)), ==, "96");
    }
  assert_left (self, "abc", "abc", "abc", 96);
  gtk_spin_button_spin (GTK_SPIN_BUTTON (self->control), GTK_SPIN_STEP_FORWARD, 2);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (self->control)), ==, "98");
}

/* Less than the least is not the word that the least value has. */
TEST_WITH (below_the_word, "/app/parameter-editor/below-none", "snr")
{
  prism_parameter_editor_set_text (PRISM_PARAMETER_EDITOR (self->editor), "12");
  assert_left (self, "-4", "-4", "-4", 12);
}

/* Thousands are read as they are written where the user lives, and shown without marks. */
TEST_WITH (thousands, "/app/parameter-editor/thousands", "photons")
{
  assert_left (self, "10,000", "10000", "10000", 10000);
  assert_left (self, "1 000", "1000", "1000", 1000);
  assert_left (self, "1\u2009234", "1234", "1234", 1234);
  assert_left (self, "1,234.5", "1234.5", "1234.5", 1234.5);
  assert_left (self, "1.500", "1.500", "1.500", 1.5);
  assert_left (self, "0,125", "0,125", "0.125", 0.125);
  if (setlocale (LC_NUMERIC, "de_DE.UTF-8") == NULL)
    {
      g_test_skip ("the locale de_DE.UTF-8 is not installed");
      return;
    }
  assert_left (self, "10.000", "10000", "10000", 10000);
  assert_left (self, "1.500,5", "1500,5", "1500.5", 1500.5);
  assert_left (self, "1,500", "1,500", "1.500", 1.5);
  assert_left (self, "0.125", "0.125", "0.125", 0.125);
  assert_left (self, "10.00", "10.00", "10.00", 10);
  setlocale (LC_NUMERIC, "C");
}

/* A narrow panel wraps what stands beside a short choice; it does not cut the choice. */
TEST_WITH (choice_width, "/app/parameter-editor/choice-width", "method")
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (self->control, "PRISM decoder");
  GtkWidget *window = gtk_window_new ();
  int minimum, width;

  prism_parameter_editor_set_text (PRISM_PARAMETER_EDITOR (self->editor), "decoder");
  gtk_window_set_child (GTK_WINDOW (window), self->editor);
  gtk_widget_measure (self->editor, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  pango_layout_get_pixel_size (layout, &width, NULL);
  g_assert_cmpint (minimum, >, width);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Each kind of frames has its methods; one that a file asks for all the same is there, too. */
TEST_WITH (choices_of_source, "/app/parameter-editor/choices-of-source", "method")
{
  PrismParameterEditor *editor = PRISM_PARAMETER_EDITOR (self->editor);
  GtkDropDown *list = GTK_DROP_DOWN (self->control);

  prism_parameter_editor_set_text (editor, "mopie");
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (list)), ==, 4);
  g_assert_cmpuint (gtk_drop_down_get_selected (list), ==, 3);

  prism_parameter_editor_set_recorded (editor, TRUE);
  prism_parameter_editor_set_text (editor, "complex");
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (list)), ==, 3);
  g_assert_null (self->edited);
  gtk_drop_down_set_selected (list, 0);
  g_assert_cmpstr (self->edited, ==, "sequential");

  prism_parameter_editor_set_text (editor, "decoder");
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (list)), ==, 4);
  g_assert_cmpuint (gtk_drop_down_get_selected (list), ==, 0);
}

TESTS
{
  g_test_add ("/app/parameter-editor/none", Fixture, "snr", set_up, test_word, tear_down);
  g_test_add ("/app/parameter-editor/automatic", Fixture, "training_seed", set_up, test_word,
              tear_down);
}
