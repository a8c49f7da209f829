/* prism-byte-sink: where cairo writes a file to that is not on the disk yet. */
#pragma once

#include <cairo.h>
#include <glib.h>

G_BEGIN_DECLS

cairo_status_t prism_byte_sink_write (void                *bytes,
                                      const unsigned char *data,
                                      unsigned int         length);

G_END_DECLS
