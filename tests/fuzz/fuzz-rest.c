#include "config.h"

#include "config/prism-builtin.h"
#include "model/prism-fold.h"

/* The little of the rest of the engine that the readers of files name, where they are built alone:
 * no object is built in, and nothing that is read has a folded decoder. */

const PrismBuiltin *
prism_builtin_get_all (gsize *n_builtins)
{
  static const PrismBuiltin none;

  *n_builtins = 0;
  return &none;
}

void
prism_fold_unref (PrismFold *self)
{
  g_assert_true (self == NULL);
}
