#include "config.h"

#include "base/prism-number.h"
#include "fuzz.h"
#include "recording/prism-recording.h"

/* A file of frames, whatever its format. What is read has frames that can be computed with. */
int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismRecording) recording = NULL;

  recording = prism_recording_load (fuzz_get_path (data, size), NULL, &error);
  g_assert_true ((recording == NULL) == (error != NULL));
  if (recording == NULL)
    return 0;
  g_assert_true (prism_finite_all (recording->frames, (gsize) recording->n_frames
                                                          * recording->height
                                                          * recording->width));
  prism_recording_check (recording, NULL);
  return 0;
}
