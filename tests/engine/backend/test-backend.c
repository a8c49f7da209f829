#include "config.h"

#include "backend/prism-backend.h"

/* What every table of operations must be, whatever device is behind it. */

static void
check_table (const PrismBackendOps *ops)
{
  g_assert_cmpuint (ops->abi, ==, PRISM_BACKEND_ABI);
  g_assert_nonnull (ops->name);
  g_assert_cmpuint (ops->chunk_size, >=, 1);

#define CHECK(operation) g_assert_true (ops->operation != NULL)
  CHECK (dup_unavailable_reason);
  CHECK (dup_unsupported_reason);
  CHECK (dup_precision_advice);
  CHECK (get_required_bytes);
  CHECK (open);
  CHECK (close);
  CHECK (dup_device_name);
  CHECK (get_memory);
  CHECK (get_counters);
  CHECK (set_parameters);
  CHECK (get_parameters);
  CHECK (get_gradient);
  CHECK (reset_optimizer);
  CHECK (set_moments);
  CHECK (get_moments);
  CHECK (set_object);
  CHECK (get_spectrum);
  CHECK (set_start_image);
  CHECK (measure);
  CHECK (expose);
  CHECK (load_buffer);
  CHECK (read_buffer);
  CHECK (free_buffer);
  CHECK (bind);
  CHECK (hold);
  CHECK (forward);
  CHECK (read_image);
  CHECK (compute_metrics);
  CHECK (request_frame);
  CHECK (collect_frame);
  CHECK (compute_gradient);
  CHECK (train);
  CHECK (epie_start);
  CHECK (epie_update);
  CHECK (epie_project);
  CHECK (epie_collect);
  CHECK (compute_misfit);
  CHECK (get_part_time);
  CHECK (finish);
#undef CHECK
}

static void
test_cpu_table_is_complete (void)
{
  check_table (prism_backend_get_ops ("cpu"));
}

static void
test_cuda_table_is_complete (void)
{
  const PrismBackendOps *ops = prism_backend_get_ops ("cuda");

  if (ops == NULL)
    g_test_skip ("There is no CUDA module beside this program.");
  else
    check_table (ops);
}

/* The table has no operation that the walk above forgets: abi, name, chunk_size, and pointers, of
 * which a device may do without is_finite and add_misfit_gradient. */
static void
test_walk_is_complete (void)
{
  const gsize n_checked = 39, n_others = 5;

  g_assert_cmpuint (sizeof (PrismBackendOps), ==, (n_checked + n_others) * sizeof (gpointer));
}

static void
test_unknown_name (void)
{
  g_assert_null (prism_backend_get_ops ("abacus"));
}

static void
test_cpu_is_chosen_when_asked_for (void)
{
  g_autofree char *reason = NULL;
  g_autoptr (GError) error = NULL;
  const PrismBackendOps *ops = prism_backend_get_choice (PRISM_BACKEND_CPU, &reason, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (ops->name, ==, "cpu");
  g_assert_cmpstr (reason, ==, "Running on the CPU, as asked.");
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/backend/cpu-table", test_cpu_table_is_complete);
  g_test_add_func ("/engine/backend/cuda-table", test_cuda_table_is_complete);
  g_test_add_func ("/engine/backend/walk", test_walk_is_complete);
  g_test_add_func ("/engine/backend/unknown-name", test_unknown_name);
  g_test_add_func ("/engine/backend/cpu-when-asked", test_cpu_is_chosen_when_asked_for);
  return g_test_run ();
}
