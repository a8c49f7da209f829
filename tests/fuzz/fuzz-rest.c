#include "config.h"

#include "model/prism-fold.h"

/* The little of the rest of the engine that the readers of files name, where they are built alone:
 * nothing that is read has a folded decoder. */

void
prism_fold_unref (PrismFold *self)
{
  g_assert_true (self == NULL);
}
