#include "base/prism-csv.h"
#include "base/prism-text.h"
#include "prism-test.h"

static void
check (const char *text, const char *expected)
{
  SAYS (prism_printable_dup (text), expected);
  g_assert_cmpint (prism_printable_is (text), ==, g_str_equal (text, expected));
}

TEST (control_characters_are_masked, "/engine/printable/masked")
{
  check ("", "");
  check ("größer als “1”", "größer als “1”");
  check ("a\nb\tc\x1b[2J\x7f", "a?b?c?[2J?");
  check ("a\xc2\x85"
         "b\xc2\x9b"
         "2J",
         "a?b?2J");
  check ("a\u2028b\u202egnp.exe\u2066", "a?b?gnp.exe?");
}

TEST (bytes_are_made_text, "/engine/printable/bytes")
{
  SAYS (prism_printable_dup ("a\xff\x1b"), "a\uFFFD?");
  g_assert_true (prism_printable_is ("a\xff"));
}

/* Whatever a file is called, a sentence about it is one line, and names the place that is known. */
TEST (errors_are_lines, "/engine/printable/errors")
{
  g_autoptr (GError) error = NULL;

  g_assert_false (prism_error_io (&error, "“%s” cannot be read.",
                                  "a\n\x1b[2J/.prism-set-AbC123/b\xff"));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
  g_assert_cmpstr (error->message, ==, "“a??[2J/b\uFFFD” cannot be read.");
}

static void
check_cell (const char *text, const char *expected)
{
  g_autoptr (GString) table = g_string_new (NULL);

  prism_csv_append_text (table, text);
  g_assert_cmpstr (table->str, ==, expected);
}

/* What a spreadsheet would run becomes a text; numbers go another way. */
TEST (cells_that_spreadsheets_would_run, "/engine/csv/formulas")
{
  check_cell ("", "");
  check_cell ("a=1+1", "a=1+1");
  check_cell ("=cmd|' /C calc'!A0", "\"'=cmd|' /C calc'!A0\"");
  check_cell ("=HYPERLINK(\"http://x\",1)", "\"'=HYPERLINK(\"\"http://x\"\",1)\"");
  check_cell ("+1", "\"'+1\"");
  check_cell ("-1", "\"'-1\"");
  check_cell ("@SUM(1)", "\"'@SUM(1)\"");
  check_cell ("\t=1", "\"'\t=1\"");
  check_cell ("\r=1", "\"'\r=1\"");
}
