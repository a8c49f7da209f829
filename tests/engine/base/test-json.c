#include "base/prism-text.h"
#include "prism-test.h"

#define DEPTH 64

static gboolean
is_object (const char *text)
{
  g_autoptr (JsonNode) node = prism_json_parse_object (text, strlen (text));

  return node != NULL;
}

TEST (taken, "/engine/json/taken")
{
  static const char *const texts[] = {
    "{}",
    " \n{ }\n\t",
    "{\"a\": {\"b\": [{}, [], 1]}}",
    "{\"}{\": \"[\\\"]\", \"/*\": \"\\\\\"}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_test_message ("%s", texts[i]);
      g_assert_true (is_object (texts[i]));
    }
}

/* Also what JSON-GLib would take, of which it forgets some, and what it does not end on. */
TEST (refused, "/engine/json/refused")
{
  static const char *const texts[] = {
    "",
    " ",
    "[]",
    "1",
    "\"a\"",
    "{",
    "{]",
    "}",
    "{\"a\"",
    "{\"a",
    "{\"a\\",
    "\"format\"{\"format\": 1}",
    "{}{}",
    "{} {\"a\": 1}",
    "{},",
    "[]{}",
    "var a = {};",
    "{/* */}",
    "{} // end",
    "{\"a\": \"\x01\"",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_test_message ("%s", texts[i]);
      g_assert_false (is_object (texts[i]));
    }
}

static char *
dup_nested (guint depth)
{
  g_autoptr (GString) text = g_string_new ("{\"a\": ");

  for (guint i = 1; i < depth; i++)
    g_string_append_c (text, '[');
  for (guint i = 1; i < depth; i++)
    g_string_append_c (text, ']');
  g_string_append_c (text, '}');
  return g_strdup (text->str);
}

TEST (depth, "/engine/json/depth")
{
  g_autofree char *deepest = dup_nested (DEPTH), *deeper = dup_nested (DEPTH + 1);
  g_autofree char *bottomless = dup_nested (1000000);

  g_assert_true (is_object (deepest));
  g_assert_false (is_object (deeper));
  g_assert_false (is_object (bottomless));
}

/* Every mark, and the null that stands for what JSON cannot say. */
TEST (added, "/engine/json/added")
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  prism_json_add (builder, "{a: %d, b: %u, c: %ld, d: [%g, %g], %s: {f: %i}", -1, 4000000000u,
                  1L << 40, 0.5, (double) INFINITY, "e", TRUE);
  prism_json_add (builder, "g: %s, h: %s, i: null, j: []}", "x\"", (const char *) NULL);
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  SAYS (json_to_string (root, FALSE),
        "{\"a\":-1,\"b\":4000000000,\"c\":1099511627776,\"d\":[0.5,null],"
        "\"e\":{\"f\":true},\"g\":\"x\\\"\",\"h\":null,\"i\":null,\"j\":[]}");
}
