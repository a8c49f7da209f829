/* Copies that are timed: that they are made, in the way that was asked for, and leave nothing
 * behind, whatever fails. */

#include "base/prism-error.h"
#include "prism-cuda-backend.h"
#include "prism-emulation.h"
#include "prism-test.h"

#define N_BYTES ((gsize) 3 << 20)
#define N_TIMES 4

static const struct
{
  const char *name;
  PrismCopyKind kind;
  gboolean to_host, is_pinned;
} kinds[] = {
  { "upload-pinned", PRISM_COPY_UPLOAD_PINNED, FALSE, TRUE },
  { "upload-pageable", PRISM_COPY_UPLOAD_PAGEABLE, FALSE, FALSE },
  { "download-pinned", PRISM_COPY_DOWNLOAD_PINNED, TRUE, TRUE },
  { "download-pageable", PRISM_COPY_DOWNLOAD_PAGEABLE, TRUE, FALSE },
};

static PrismEmulationCounters
get_counters (void)
{
  PrismEmulationCounters counters;

  prism_emulation_get_counters (&counters);
  return counters;
}

/* One more than is counted. */
static void
test_kind (gconstpointer data)
{
  const guint number = GPOINTER_TO_UINT (data);
  const guint64 wanted = (N_TIMES + 1) * N_BYTES;
  const PrismEmulationCounters before = get_counters ();
  double seconds[N_TIMES] = { 0.0 };
  g_autofree char *device = NULL;

  g_assert_true (MUST (prism_cuda_copy_time (kinds[number].kind, N_BYTES, N_TIMES, seconds, &device,
                                             &error)));
  PrismEmulationCounters after = get_counters ();
  g_assert_cmpuint (after.bytes_to_host - before.bytes_to_host, ==,
                    kinds[number].to_host ? wanted : 0);
  g_assert_cmpuint (after.bytes_to_device - before.bytes_to_device, ==,
                    kinds[number].to_host ? 0 : wanted);
  g_assert_cmpuint (after.n_pinned_copies - before.n_pinned_copies, ==,
                    kinds[number].is_pinned ? N_TIMES + 1 : 0);
  g_assert_cmpuint (after.bytes_device, ==, before.bytes_device);
  g_assert_cmpuint (after.bytes_pinned, ==, before.bytes_pinned);
  for (guint i = 0; i < N_TIMES; i++)
    {
      g_assert_true (isfinite (seconds[i]));
      g_assert_cmpfloat (seconds[i], >, 0.0);
    }
  HAS (device, "CUDA");
}

/* Neither memory is to be had: the sentence says which, and what was there is given back. */
TEST (out_of_memory, "/cuda/copy/out-of-memory")
{
  static const char *const faults[] = { "allocation:1", "allocation:2" };
  static const char *const wanted[] = { "enough memory for copies of 3.0", "memory on the GPU" };

  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      const PrismEmulationCounters before = get_counters ();
      double seconds[N_TIMES];
      g_autofree char *device = NULL;
      g_autoptr (GError) error = NULL;

      prism_emulation_set_fault (faults[i]);
      g_assert_false (prism_cuda_copy_time (PRISM_COPY_UPLOAD_PINNED, N_BYTES, N_TIMES, seconds,
                                            &device, &error));
      prism_emulation_set_fault (NULL);
      g_assert_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY);
      HAS (error->message, wanted[i]);
      g_assert_null (device);
      g_assert_cmpuint (get_counters ().bytes_device, ==, before.bytes_device);
      g_assert_cmpuint (get_counters ().bytes_pinned, ==, before.bytes_pinned);
    }
  test_kind (GUINT_TO_POINTER (0));
}

TEST (no_device, "/cuda/copy/no-device")
{
  double seconds[N_TIMES];
  g_autoptr (GError) error = NULL;

  prism_emulation_set_fault ("no-device");
  g_assert_false (
      prism_cuda_copy_time (PRISM_COPY_UPLOAD_PINNED, N_BYTES, N_TIMES, seconds, NULL, &error));
  prism_emulation_set_fault (NULL);
  g_assert_nonnull (error);
}

TESTS
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = g_strdup_printf ("/cuda/copy/%s", kinds[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_kind);
    }
}
