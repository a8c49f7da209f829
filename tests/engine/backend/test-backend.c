#include "backend/prism-backend.h"
#include "device/prism-registry.h"
#include "prism-test.h"

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
  g_assert_true (ops->samples_frames == (ops->measure_points != NULL));
}

TEST (cpu_table_is_complete, "/engine/backend/cpu-table")
{
  check_table (prism_registry_get_ops ("cpu"));
}

TEST (cuda_table_is_complete, "/engine/backend/cuda-table")
{
  const PrismBackendOps *ops = prism_registry_get_ops ("cuda");

  if (ops == NULL)
    g_test_skip ("There is no CUDA module beside this program.");
  else
    check_table (ops);
}

/* The table has no operation that the walk above forgets: abi, name, chunk_size, samples_frames,
 * and pointers, of which a device may do without get_loss, is_finite, add_misfit_gradient,
 * measure_points, time_copies, those of descent and those of exit waves. */
TEST (walk_is_complete, "/engine/backend/walk")
{
  const gsize n_checked = 39, n_others = 15;

  g_assert_cmpuint (sizeof (PrismBackendOps), ==, (n_checked + n_others) * sizeof (gpointer));
}
