#include "config.h"

#include "prism-byte-sink.h"

/**
 * prism_byte_sink_write:
 * @bytes: a GByteArray
 * @data: (array length=length): what comes next
 * @length: of @data
 *
 * Appends to an array; for cairo's streams.
 *
 * Returns: CAIRO_STATUS_SUCCESS
 */
cairo_status_t
prism_byte_sink_write (void *bytes,
                       const unsigned char *data,
                       unsigned int length)
{
  g_byte_array_append (bytes, data, length);
  return CAIRO_STATUS_SUCCESS;
}
