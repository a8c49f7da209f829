/* prism-pickle: the files of torch.save(), read without Python: dictionaries, lists, numbers, texts
 * and tensors. A pickle is a program; whatever tensors do not need is refused, and nothing is ever
 * run. Thread: any; one file is used by one thread at a time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_PICKLE_MAX_DIMS 8

typedef struct _PrismPickle PrismPickle;
typedef struct _PrismPickleValue PrismPickleValue;

PrismPickle            *prism_pickle_load     (const char              *path,
                                               const PrismPickleValue **root,
                                               GError                 **error);
void                    prism_pickle_free     (PrismPickle *self);
const PrismPickleValue *prism_pickle_get      (const PrismPickleValue *dictionary,
                                               const char             *key);
gboolean                prism_pickle_get_item (const PrismPickleValue  *dictionary,
                                               guint                    i,
                                               const char             **key,
                                               const PrismPickleValue **value);
const char             *prism_pickle_get_text (const PrismPickleValue *value);
int                     prism_pickle_get_shape (const PrismPickleValue *tensor,
                                                gsize                  *shape,
                                                gboolean               *is_complex);
double                 *prism_pickle_load_tensor (PrismPickle             *self,
                                                  const PrismPickleValue  *tensor,
                                                  GError                 **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismPickle, prism_pickle_free)

G_END_DECLS
