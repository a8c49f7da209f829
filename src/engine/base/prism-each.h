/* prism-each: what is done to each of several, once: members of a structure are given back, arrays
 * are gone over. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* macro (a, b, x) for each x of up to 40: the list is scanned again for each. */
#define PRISM_PARENS ()
#define PRISM_SCAN(...)                                                                            \
  PRISM_SCAN2 (PRISM_SCAN2 (PRISM_SCAN2 (__VA_ARGS__)))
#define PRISM_SCAN2(...)                                                                           \
  PRISM_SCAN1 (PRISM_SCAN1 (PRISM_SCAN1 (__VA_ARGS__)))
#define PRISM_SCAN1(...)                                                                           \
  PRISM_SCAN0 (PRISM_SCAN0 (PRISM_SCAN0 (__VA_ARGS__)))
#define PRISM_SCAN0(...) __VA_ARGS__
#define PRISM_EACH(macro, a, b, x, ...)                                                            \
  macro (a, b, x)                                                                                  \
      __VA_OPT__ (PRISM_AGAIN PRISM_PARENS (macro, a, b, __VA_ARGS__))
#define PRISM_AGAIN() PRISM_EACH

/* macro (a, x, y) for each pair of a list. */
#define PRISM_PAIRS(macro, a, x, y, ...)                                                           \
  macro (a, x, y)                                                                                  \
      __VA_OPT__ (PRISM_PAIRS_AGAIN PRISM_PARENS (macro, a, __VA_ARGS__))
#define PRISM_PAIRS_AGAIN() PRISM_PAIRS

/* func (): frees a @Type (nullable), and its members by the function that is named before each;
 * members that are NULL are left. */
#define PRISM_FREE(Type, func, ...)                                                                \
  static PRISM_GIVE_BACK (prism_struct_free, Type, func, gpointer, __VA_ARGS__)

/* The same for those who include the header that declares func (). */
#define PRISM_FREE_FOR_ALL(Type, func, ...)                                                        \
  PRISM_GIVE_BACK (prism_struct_free, Type, func, Type *, __VA_ARGS__)

/* func (): the members alone, which are NULL then: of what is no allocation of its own. */
#define PRISM_CLEAR(Type, func, ...)                                                               \
  static PRISM_GIVE_BACK (prism_struct_clear, Type, func, gpointer, __VA_ARGS__)

#define PRISM_GIVE_BACK(how, Type, func, Argument, ...)                                            \
  void func (Argument data)                                                                        \
  {                                                                                                \
    static const PrismHeld held[]                                                                  \
        = { PRISM_SCAN (PRISM_PAIRS (PRISM_HELD, Type, __VA_ARGS__)) { 0 } };                      \
    how (data, held);                                                                              \
  }
#define PRISM_HELD(Type, free, member)                                                             \
  { G_STRUCT_OFFSET (Type, member), (GDestroyNotify) (void (*) (void)) free },

typedef struct
{
  gssize offset;
  GDestroyNotify free;
} PrismHeld;

void prism_struct_clear (gpointer         data,
                         const PrismHeld *held);
void prism_struct_free  (gpointer         data,
                         const PrismHeld *held);

/* One element of a GArray of @Type after the other; the array does not change meanwhile. */
#define PRISM_FOR_EACH(Type, x, array)                                                             \
  for (Type *x = (Type *) (gpointer) (array)->data, *x##_end = x + (array)->len; x < x##_end; x++)

/* The same for a GPtrArray of @Type *. */
#define PRISM_FOR_EACH_POINTER(Type, x, array)                                                     \
  for (Type *x, **x##_at = (Type **) (array)->pdata, **x##_end = x##_at + (array)->len;            \
       x##_at < x##_end && ((x = *x##_at), TRUE); x##_at++)

/* The same for an array whose length the compiler knows: x points at one after the other. */
#define PRISM_FOR_EACH_OF(x, array)                                                                \
  for (__auto_type x = &(array)[0]; x < (array) + G_N_ELEMENTS (array); x++)

/* name of one file after the other that a directory has; of none where it cannot be read. */
#define PRISM_FOR_EACH_NAME(name, directory)                                                       \
  for (g_autoptr (GDir) name##_listing = g_dir_open (directory, 0, NULL); name##_listing != NULL;  \
       name##_listing = (g_dir_close (name##_listing), NULL))                                      \
    for (const char *name; (name = g_dir_read_name (name##_listing)) != NULL;)

/* The same for a list (nullable) that ends with NULL, as of words. */
#define PRISM_FOR_EACH_STRING(x, list)                                                             \
  for (__auto_type x = (list); x != NULL && *x != NULL; x++)

G_END_DECLS
