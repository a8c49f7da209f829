#include "config.h"

#include "fuzz.h"
#include "formats/prism-archive.h"

#define MAX_BYTES (1 << 20)

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t size)
{
  g_autoptr (PrismArchive) archive = prism_archive_open (fuzz_get_path (data, size), NULL);
  const char *const *names;

  if (archive == NULL)
    return 0;
  names = prism_archive_get_names (archive);
  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (GBytes) bytes = prism_archive_load (archive, names[i], MAX_BYTES, NULL);

      g_free (prism_archive_load_text (archive, names[i], NULL));
      g_assert_true (bytes == NULL || prism_archive_check (archive, names[i], NULL));
    }
  return 0;
}
