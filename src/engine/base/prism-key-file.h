/* prism-key-file: a file of keys and values that a program left in a directory. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

GKeyFile *prism_key_file_load (const char  *directory,
                               const char  *name,
                               gsize        max_bytes,
                               const char  *missing,
                               GError     **error);

G_END_DECLS
