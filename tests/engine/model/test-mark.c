#include "model/prism-display.h"
#include "model/prism-mark.h"
#include "prism-test.h"

TEST (text_comes_back, "/engine/mark/text")
{
  const char *text = "line 10 20 90 40 3; camera rectangle 4 4 20 20; ellipse 9 8 -7 6; ruler 0 0 "
                     "50 0; line 1 2 3 4";
  g_autoptr (GArray) marks = MUST (prism_mark_list_parse (text, &error));
  PrismArea area;

  SAYS (prism_mark_list_to_text (marks), text);
  g_assert_cmpuint (marks->len, ==, 5);
  g_assert_cmpint (g_array_index (marks, PrismMark, 0).width, ==, 3);
  g_assert_true (g_array_index (marks, PrismMark, 1).camera);

  /* Corners belong to an area, whichever comes first. */
  prism_mark_get_area (&g_array_index (marks, PrismMark, 2), &area);
  g_assert_true (area.ellipse);
  g_assert_cmpint (area.x, ==, -7);
  g_assert_cmpint (area.width, ==, 17);
  g_assert_cmpint (area.y, ==, 6);
  g_assert_cmpint (area.height, ==, 3);
}

TEST (blanks_and_empty_parts_do_no_harm, "/engine/mark/blanks")
{
  g_autoptr (GArray) marks = prism_mark_list_parse (" ;  ruler  1   2 3 4 ;; ", NULL);
  g_autoptr (GArray) none = prism_mark_list_parse (NULL, NULL);

  g_assert_cmpuint (marks->len, ==, 1);
  g_assert_cmpuint (none->len, ==, 0);
}

TEST (bad_text_is_refused_in_a_sentence, "/engine/mark/refused")
{
  static const char *const texts[] = {
    "line",
    "line 1 2 3",
    "line 1 2 3 x",
    "line 1 2 3 4 0",
    "line 1 2 3 4 5 6",
    "ruler 1 2 3 4 5",
    "square 1 2 3 4",
    "camera",
    "line 1.5 2 3 4",
    "line 1 2 3 999999",
    "line 99999999999999999999 1 1 1",
    "\xff\xfe 1 2 3 4",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (prism_mark_list_parse (texts[i], &error));
      g_assert_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      HAS (error->message, "marks");
    }
}

TEST (list_has_an_end, "/engine/mark/most")
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (int i = 0; i < PRISM_MARK_MOST; i++)
    g_string_append (text, "camera rectangle -99999 -99999 99999 99999;");
  g_autoptr (GArray) marks = prism_mark_list_parse (text->str, NULL);
  g_assert_cmpuint (marks->len, ==, PRISM_MARK_MOST);
  g_string_append (text, "ruler 0 0 1 1");
  FAILS (prism_mark_list_parse (text->str, &error), CONFIG,
         "“ruler 0 0 1 1” as mark 65: write up to 64");
}

/* A display takes the list at its longest. */
TEST (display_takes_the_longest_list, "/engine/mark/display")
{
  g_autofree char *again = NULL;
  g_autoptr (GString) text = g_string_new (NULL);

  for (int i = 0; i < PRISM_MARK_MOST; i++)
    g_string_append_printf (text, "%scamera rectangle -99999 -99999 -99999 -99999",
                            i > 0 ? "; " : "");
  g_autofree char *display = prism_display_set (NULL, "marks", text->str);
  g_assert_true (MUST (prism_display_read (display, &again, &error)));
  g_assert_cmpstr (again, ==, display);
  SAYS (prism_display_dup (again, "marks"), text->str);
}
