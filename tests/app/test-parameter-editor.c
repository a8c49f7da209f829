#include "config.h"

#include "parameters/prism-parameter-editor.h"

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

/* What is typed and is no number gives way to the value there was. */
static void
test_no_number (Fixture *fixture,
                gconstpointer key)
{
  GtkSpinButton *spin = GTK_SPIN_BUTTON (fixture->control);

  prism_parameter_editor_set_text (PRISM_PARAMETER_EDITOR (fixture->editor), "96");
  assert_typed (fixture, "abc", "abc");
  gtk_spin_button_update (spin);
  g_assert_cmpfloat (gtk_spin_button_get_value (spin), ==, 96);
  g_assert_cmpstr (fixture->edited, ==, "96");
}

/* Less than the least is not the word that the least value has. */
static void
test_below_the_word (Fixture *fixture,
                     gconstpointer key)
{
  GtkSpinButton *spin = GTK_SPIN_BUTTON (fixture->control);

  prism_parameter_editor_set_text (PRISM_PARAMETER_EDITOR (fixture->editor), "12");
  assert_typed (fixture, "-4", "-4");
  gtk_spin_button_update (spin);
  g_assert_cmpfloat (gtk_spin_button_get_value (spin), ==, 12);
  g_assert_cmpstr (fixture->edited, ==, "12");
}

int
main (int argc,
      char *argv[])
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
  g_test_add ("/app/parameter-editor/no-number", Fixture, "object_size", set_up, test_no_number,
              tear_down);
  return g_test_run ();
}
