#include "base/prism-record.h"
#include "prism-test.h"

#include <locale.h>

typedef struct
{
  int integer;
  guint64 count;
  double real;
  gboolean flag;
  double later;
} Sample;

static const PrismRecordField fields[] = {
  { "integer", PRISM_RECORD_INTEGER, G_STRUCT_OFFSET (Sample, integer), -5, 100, FALSE },
  { "count", PRISM_RECORD_COUNT, G_STRUCT_OFFSET (Sample, count), 0, 9007199254740992.0, FALSE },
  { "real", PRISM_RECORD_REAL, G_STRUCT_OFFSET (Sample, real), -DBL_MAX, DBL_MAX, FALSE },
  { "flag", PRISM_RECORD_SWITCH, G_STRUCT_OFFSET (Sample, flag), 0, 1, FALSE },
  PRISM_RECORD_NO_MORE ("former"),
  { "later", PRISM_RECORD_REAL, G_STRUCT_OFFSET (Sample, later), 0, 1, TRUE },
  { NULL },
};

static void
check_real (double value)
{
  const Sample written = { -3, 9007199254740991, value, TRUE, 0.1 };
  g_autofree char *text = prism_record_to_text (fields, &written);
  Sample read = { 0 };

  g_assert_true (MUST (prism_record_parse (fields, &read, text, "sample.json", &error)));
  g_assert_cmpint (read.integer, ==, written.integer);
  g_assert_cmpuint (read.count, ==, written.count);
  g_assert_true (read.flag);
  if (isnan (value))
    g_assert_true (isnan (read.real));
  else
    g_assert_cmpmem (&read.real, sizeof read.real, &value, sizeof value);
  g_assert_cmpmem (&read.later, sizeof read.later, &written.later, sizeof written.later);
}

/* Every bit comes back, whatever the locale. */
TEST (exact, "/engine/record/exact")
{
  const double values[] = { 0.0, 1.0, -1.0, 0.1, 1.0 / 3.0, 1e300, -1e-300, DBL_MIN,
                            DBL_MAX, DBL_EPSILON, 5e-324, -0.0, NAN, INFINITY, -INFINITY,
                            123456789.123456789 };

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    check_real (values[i]);
  if (setlocale (LC_NUMERIC, "de_DE.UTF-8") != NULL)
    check_real (0.1);
  setlocale (LC_NUMERIC, "C");
}

TEST (optional, "/engine/record/optional")
{
  const char *text = "{\"integer\": 1, \"count\": 2, \"real\": 3, \"flag\": false}";
  Sample read = { .later = 0.25 };

  g_assert_true (prism_record_parse (fields, &read, text, "sample.json", NULL));
  g_assert_cmpfloat (read.later, ==, 0.25);
  g_assert_cmpfloat (read.real, ==, 3.0);
}

/* What an older program wrote and this one has no use for. */
TEST (former, "/engine/record/former")
{
  const char *text = "{\"integer\": 1, \"count\": 2, \"real\": 3, \"flag\": false,"
                     " \"former\": true}";
  Sample read = { 0 };

  g_assert_true (prism_record_parse (fields, &read, text, "sample.json", NULL));
  g_assert_cmpint (read.integer, ==, 1);
  g_autofree char *again = prism_record_to_text (fields, &read);
  LACKS (again, "former");
  g_assert_true (prism_record_parse (fields, &read, again, "sample.json", NULL));
}

TEST (refused, "/engine/record/refused")
{
  static const struct
  {
    const char *text, *message;
  } cases[] = {
    { "", "sample.json cannot be read" },
    { "[1]", "it is not a JSON object" },
    { "{", "it is not a JSON object" },
    { "{\"count\": 2, \"real\": 3, \"flag\": false}", "“integer” of sample.json" },
    { "{\"integer\": 101, \"count\": 2, \"real\": 3, \"flag\": false}", "101 is not between -5" },
    { "{\"integer\": 1.5, \"count\": 2, \"real\": 3, \"flag\": false}", "no number of the kind" },
    { "{\"integer\": 1, \"count\": -1, \"real\": 3, \"flag\": false}", "-1 is not between 0" },
    { "{\"integer\": 1, \"count\": 2, \"real\": \"x\", \"flag\": false}", "no number of the kind" },
    { "{\"integer\": 1, \"count\": 2, \"real\": null, \"flag\": false}", "no number of the kind" },
    { "{\"integer\": 1, \"count\": 2, \"real\": 3, \"flag\": 1}", "no number of the kind" },
    { "{\"integer\": 1, \"count\": 2, \"real\": 3, \"flag\": true, \"x\": 1}",
      "does not know it" },
    { "{\"integer\": [1], \"count\": 2, \"real\": 3, \"flag\": true}", "no number of the kind" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Sample read = { 0 };

      g_test_message ("%s", cases[i].text);
      FAILS (prism_record_parse (fields, &read, cases[i].text, "sample.json", &error), FORMAT,
             cases[i].message);
    }
}

/* A few kilobytes in an archive must not be able to end the program. */
TEST (depth, "/engine/record/depth")
{
  g_autoptr (GString) text = g_string_new (NULL);
  Sample read = { 0 };

  for (guint i = 0; i < 1000000; i++)
    g_string_append (text, "[/*]*/");
  FAILS (prism_record_parse (fields, &read, text->str, "sample.json", &error), FORMAT, "");
}
