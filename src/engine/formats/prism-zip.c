#include "config.h"

#include "formats/prism-zip.h"

/* Deflate cannot expand by more than 1032; a directory that promises more lies. */
#define MAX_EXPANSION 1040

/**
 * prism_zip_check_size:
 * @status: of a member
 *
 * Finds out whether the size that the directory states can be true, before memory is allocated.
 * Whether it is too large is the caller's matter.
 *
 * Units: bytes.
 * Thread: any.
 *
 * Returns: (nullable): what is wrong, %NULL where nothing is
 */
const char *
prism_zip_check_size (const zip_stat_t *status)
{
  const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;

  if ((status->valid & needed) != needed)
    return "its size is unknown";
  if (status->size / MAX_EXPANSION > status->comp_size)
    return "its size in the directory cannot be true";
  return NULL;
}

/**
 * prism_zip_read_member:
 * @zip: an archive
 * @index: of a member
 * @data: (array length=size) (out caller-allocates): what it holds
 * @size: its size, checked before
 *
 * Unpacks a member and compares its checksum.
 *
 * Thread: any; one archive is used by one thread at a time.
 *
 * Returns: whether all of it came and the checksum is right
 */
gboolean
prism_zip_read_member (zip_t *zip,
                       guint64 index,
                       char *data,
                       guint64 size)
{
  zip_file_t *file = zip_fopen_index (zip, index, 0);
  zip_int64_t n_read;

  if (file == NULL)
    return FALSE;
  n_read = zip_fread (file, data, size);
  /* The checksum is compared at the end of the member: read past it. */
  if (n_read >= 0 && zip_fread (file, &(char) { 0 }, 1) != 0)
    n_read = -1;
  zip_fclose (file);
  return n_read >= 0 && (guint64) n_read == size;
}
