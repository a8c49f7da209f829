#include "model/prism-display.h"
#include "model/prism-limits.h"
#include "prism-test.h"

TEST (text_comes_back, "/engine/limits/text")
{
  const char *text = "target 0.25 0.75; measurement gamma 2; reconstruction percentiles gamma 1.5; "
                     "error -0.1 1e-05";
  g_autoptr (GArray) list = MUST (prism_limits_list_parse (text, &error));

  SAYS (prism_limits_list_to_text (list), text);
  const PrismLimits *limits = prism_limits_list_find (list, "reconstruction");
  g_assert_cmpint (limits->kind, ==, PRISM_LIMITS_PERCENTILES);
  g_assert_cmpfloat (limits->gamma, ==, 1.5);
  limits = prism_limits_list_find (list, "target");
  g_assert_cmpint (limits->kind, ==, PRISM_LIMITS_FIXED);
  g_assert_cmpfloat (limits->black, ==, 0.25);
  g_assert_cmpfloat (limits->white, ==, 0.75);
  g_assert_cmpfloat (limits->gamma, ==, 1);
  g_assert_null (prism_limits_list_find (list, "kspace"));
}

/* Usual limits are not written. */
TEST (usual_ones_are_no_text, "/engine/limits/usual")
{
  g_autoptr (GArray) list = prism_limits_list_parse (" ; target  gamma   1 ;; ", NULL);
  g_autoptr (GArray) none = prism_limits_list_parse (NULL, NULL);

  g_assert_cmpuint (list->len, ==, 1);
  SAYS (prism_limits_list_to_text (list), "");
  g_assert_cmpuint (none->len, ==, 0);
}

TEST (bad_text_is_refused_in_a_sentence, "/engine/limits/bad-text")
{
  static const char *const texts[] = {
    "target",
    "target 1",
    "target 1 0",
    "target 0 0",
    "target 0 nan",
    "target 0 1 gamma",
    "target 0 1 gamma 0",
    "target 0 1 gamma 11",
    "target 0 1 2",
    "target percentiles 2",
    "target percentiles gamma 2 2 2",
    "target 0 1; target extremes",
    "kspace 0 1",
    "\xff\xfe 1 2",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (prism_limits_list_parse (texts[i], &error));
      g_assert_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG);
      HAS (error->message, "limits");
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
    }
}

/* Of a group of its own, or of parameters as configurations had them; what cannot be read is
 * refused. */
TEST (display_is_read, "/engine/limits/display")
{
  g_autofree char *marks = prism_display_set (NULL, "marks", "ruler 1 2 3 4");
  g_autofree char *both = prism_display_set (marks, "limits", "error gamma 2");
  g_autofree char *none = prism_display_set (marks, "marks", "");
  g_autofree char *own = NULL, *former = NULL, *nothing = NULL;

  g_assert_null (none);
  g_assert_true (prism_display_read (both, &own, NULL));
  g_assert_cmpstr (own, ==, both);
  g_assert_true (prism_display_read ("[prism]\nseed=3\nmarks=ruler 1 2 3 4\nlimits=error gamma 2\n",
                                     &former, NULL));
  g_assert_cmpstr (former, ==, both);
  g_assert_true (prism_display_read ("[prism]\nmarks=\nlimits=\n", &nothing, NULL));
  g_assert_null (nothing);
  FAILS (prism_display_read ("[display]\nmarks=circle 1 2 3 4\n", &nothing, &error), CONFIG,
         "circle");
  FAILS (prism_display_read ("[display]\nlimits=error 3 2\n", &nothing, &error), CONFIG,
         "error 3 2");
  FAILS (prism_display_read ("[display]\nmoments=12 ring\\nthe end\n", &nothing, &error), CONFIG,
         "the end");
}

/* By their steps, one name for each; none takes it away. Any name comes back from the file. */
TEST (moments_have_names, "/engine/limits/moments")
{
  static const char *const given[] = { "80 “end”; [x] \\n", "9 ring closes", "80 end", "12 x", "9 ",
                                       "200", NULL };
  g_autofree char *display = g_strdup ("[display]\nlimits=error gamma 2\n"), *again = NULL;

  for (const char *const *line = given; *line != NULL; line++)
    {
      g_autofree char *before = display, *moments = prism_display_name_moment (before, *line);

      display = prism_display_set (before, "moments", moments);
      g_clear_pointer (&again, g_free);
      g_assert_true (prism_display_read (display, &again, NULL));
      g_assert_cmpstr (again, ==, display);
      if (line == given)
        g_assert_cmpstr (moments, ==, *given);
    }
  SAYS (prism_display_dup (display, "moments"), "12 x\n80 end");
  SAYS (prism_display_dup (display, "limits"), "error gamma 2");
}
