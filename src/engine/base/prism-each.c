#include "config.h"

#include "base/prism-each.h"

/**
 * prism_struct_clear:
 * @data: (nullable): a structure
 * @held: members and what frees them, until one has no function
 *
 * Frees what a structure holds; its members are %NULL then.
 */
void
prism_struct_clear (gpointer data,
                    const PrismHeld *held)
{
  for (; data != NULL && held->free != NULL; held++)
    g_clear_pointer ((gpointer *) G_STRUCT_MEMBER_P (data, held->offset), held->free);
}

/**
 * prism_struct_free:
 * @data: (nullable): a structure
 * @held: see prism_struct_clear()
 *
 * Frees a structure and what it holds.
 */
void
prism_struct_free (gpointer data,
                   const PrismHeld *held)
{
  prism_struct_clear (data, held);
  g_free (data);
}
