#include "config.h"

#include "history/prism-fold.h"
#include "model/prism-object.h"

/* The little of the rest of the engine that the readers of files name, where they are built alone:
 * no object is built in, and nothing that is read has a folded decoder. */

const PrismBuiltinObject *
prism_object_get_builtins (gsize *n_builtins)
{
  static const PrismBuiltinObject none;

  *n_builtins = 0;
  return &none;
}

void
prism_fold_unref (PrismFold *self)
{
  g_assert_true (self == NULL);
}
