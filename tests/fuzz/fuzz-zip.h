/* fuzz-zip: ZIP files in memory with checksums that are right: written anew from parts, or put in
 * order after a mutation. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _FuzzZip FuzzZip;

FuzzZip    *fuzz_zip_new          (void);
FuzzZip    *fuzz_zip_dup          (const FuzzZip *self);
void        fuzz_zip_add          (FuzzZip      *self,
                                   const char   *name,
                                   gconstpointer data,
                                   gsize         size);
void        fuzz_zip_add_manifest (FuzzZip *self);
GByteArray *fuzz_zip_finish       (FuzzZip *self);
GByteArray *fuzz_zip_repair       (const guint8 *data,
                                   gsize         size,
                                   gboolean      renews_manifest);

G_END_DECLS
