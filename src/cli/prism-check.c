#include "config.h"

#include "prism-check.h"

#include "base/prism-number.h"
#include "prism-cli-output.h"

#include <math.h>
#include <stdio.h>

static const char *const status_names[] = { "ok", "FAIL" };

static void
check_free (PrismCheck *check)
{
  g_free (check->name);
  g_free (check->detail);
  g_free (check);
}

/**
 * prism_check_list_new:
 *
 * Returns: (transfer full) (element-type PrismCheck): an empty list
 */
GPtrArray *
prism_check_list_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) check_free);
}

/**
 * prism_check_list_add:
 * @self: (element-type PrismCheck): a list
 * @name: what was checked
 * @error: how far off it is; not a number counts as failed
 * @tolerance: how far off it may be
 * @detail: what the error is relative to
 *
 * Adds a check and decides whether it is good.
 */
void
prism_check_list_add (GPtrArray *self,
                      const char *name,
                      double error,
                      double tolerance,
                      const char *detail)
{
  PrismCheck *check = g_new0 (PrismCheck, 1);

  check->name = g_strdup (name);
  check->detail = g_strdup (detail);
  check->error = error;
  check->tolerance = tolerance;
  check->status = error <= tolerance ? PRISM_CHECK_OK : PRISM_CHECK_FAILED;
  g_ptr_array_add (self, check);
}

/**
 * prism_check_list_count:
 * @self: (element-type PrismCheck): a list
 * @status: an outcome
 *
 * Returns: how many checks have that outcome
 */
guint
prism_check_list_count (GPtrArray *self,
                        PrismCheckStatus status)
{
  guint n = 0;

  for (guint i = 0; i < self->len; i++)
    n += ((PrismCheck *) self->pdata[i])->status == status;
  return n;
}

/**
 * prism_check_list_print:
 * @self: (element-type PrismCheck): a list
 *
 * Prints one line per check: outcome, name, error, tolerance, what the error is.
 */
void
prism_check_list_print (GPtrArray *self)
{
  for (guint i = 0; i < self->len; i++)
    {
      const PrismCheck *check = self->pdata[i];

      prism_cli_print_line (stdout, "  %-5s %-24s %9.2e  allowed %7.0e  %s",
                            status_names[check->status], check->name, check->error,
                            check->tolerance, check->detail);
    }
}

/**
 * prism_check_list_add_json:
 * @self: (element-type PrismCheck): a list
 * @builder: what writes JSON, inside an object
 *
 * Adds the list as the array "checks".
 */
void
prism_check_list_add_json (GPtrArray *self,
                           JsonBuilder *builder)
{
  json_builder_set_member_name (builder, "checks");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->len; i++)
    {
      const PrismCheck *check = self->pdata[i];

      json_builder_begin_object (builder);
      prism_cli_add_string (builder, "name", check->name);
      prism_cli_add_string (builder, "status", status_names[check->status]);
      prism_cli_add_number (builder, "error", check->error);
      prism_cli_add_number (builder, "tolerance", check->tolerance);
      prism_cli_add_string (builder, "detail", check->detail);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

/**
 * prism_check_get_error:
 * @values: (array length=n_values): what was computed
 * @expected: (array length=n_values): what it should be
 * @n_values: how many
 *
 * The largest difference, relative to the largest expected magnitude.
 *
 * Returns: the error, infinite as soon as one value of either is not finite
 */
double
prism_check_get_error (const float *values,
                       const double *expected,
                       gsize n_values)
{
  double difference = 0.0, largest = 0.0;

  for (gsize i = 0; i < n_values; i++)
    {
      if (!isfinite (values[i]) || !isfinite (expected[i]))
        return INFINITY;
      difference = prism_worst (difference, fabs (values[i] - expected[i]));
      largest = prism_worst (largest, fabs (expected[i]));
    }
  return largest > 0.0 ? difference / largest : difference;
}

/**
 * prism_check_get_ratio:
 * @value: what was computed
 * @expected: what it should be
 *
 * The difference relative to what is expected, or the difference itself where that is 0.
 *
 * Returns: the error
 */
double
prism_check_get_ratio (double value,
                       double expected)
{
  return expected != 0.0 ? fabs (value - expected) / fabs (expected) : fabs (value);
}
