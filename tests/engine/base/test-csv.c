#include "base/prism-csv.h"
#include "prism-test.h"

/* Numbers come back to the bit, those that are none, too. */
TEST (exact, "/engine/csv/exact")
{
  const double values[4][2]
      = { { 1.0 / 3.0, -DBL_MIN }, { NAN, INFINITY }, { 0.1, DBL_MAX }, { -0.0, 1e-300 } };
  g_autofree char *table = prism_csv_new_exact ("a,b", values[0], 4, 2);
  gsize n_rows = 0;
  g_autofree double *again = prism_csv_parse_exact (table, 2, &n_rows, NULL);

  g_assert_true (g_str_has_prefix (table, "a,b\n0.3333333333333333"));
  g_assert_cmpuint (n_rows, ==, 4);
  for (int i = 0; i < 8; i++)
    if (isnan (values[i / 2][i % 2]))
      g_assert_true (isnan (again[i]));
    else
      g_assert_cmpmem (&again[i], sizeof *again, &values[i / 2][i % 2], sizeof *again);
}

TEST (empty, "/engine/csv/empty")
{
  g_autofree char *table = prism_csv_new_exact ("a,b", NULL, 0, 2);
  gsize n_rows = 1;
  g_autofree double *again = prism_csv_parse_exact (table, 2, &n_rows, NULL);

  g_assert_cmpstr (table, ==, "a,b\n");
  g_assert_nonnull (again);
  g_assert_cmpuint (n_rows, ==, 0);
}

/* A cell too few or too many, one that is no number, a row that does not end. */
TEST (damaged, "/engine/csv/damaged")
{
  static const char *const tables[]
      = { "", "a,b", "a,b\n1\n", "a,b\n1,2,3\n", "a,b\n1,x\n", "a,b\n1,2", "a,b\n1,\n",
          "a,b\n1,2\n3\n", "a,b\n1,2 \n", "a,b\n\n" };

  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      gsize n_rows = 0;

      g_test_message ("“%s”", tables[i]);
      FAILS (prism_csv_parse_exact (tables[i], 2, &n_rows, &error), FORMAT, "");
    }
}
