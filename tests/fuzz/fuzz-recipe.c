#include "config.h"

#include "fuzz.h"
#include "recording/prism-recording.h"

#include <string.h>

#define N_FRAMES 5

/* A recipe that is understood says the same once it is written; and a table of positions. */
int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (PrismRecording) recording = prism_recording_new ("fuzz", "fuzz");

  g_autoptr (PrismRecipe) recipe = prism_recipe_parse ((const char *) data, size, "fuzz", NULL);
  if (recipe != NULL)
    {
      g_autofree char *text = prism_recipe_to_text (recipe);
      g_autoptr (PrismRecipe) again = prism_recipe_parse (text, strlen (text), "fuzz", NULL);
      g_autofree char *same = again != NULL ? prism_recipe_to_text (again) : NULL;

      g_assert_cmpstr (text, ==, same);
    }
  recording->n_frames = N_FRAMES;
  recording->height = recording->width = 8;
  recording->frames = NULL;
  recording->distance = 0.1;
  prism_recording_parse_positions (recording, bytes, "fuzz", NULL);
  return 0;
}
