/* prism-method-state: what a method knows between two pieces of its work, as members of a bundle: a
 * text with its numbers and the squares that it goes on from, by a table. Thread: engine. */
#pragma once

#include "backend/prism-backend.h"
#include "base/prism-record.h"
#include "formats/prism-bundle.h"

G_BEGIN_DECLS

enum
{
  PRISM_METHOD_MOST_PLANES = 8,
};

typedef struct
{
  const char *name;
  gsize offset;        /* of a float * in the structure: [m][m] */
  gboolean is_field;   /* [n][n] instead */
  gboolean comes_late; /* NULL until it is there */
} PrismMethodPlane;

#define PRISM_METHOD_PLANE(Method, name, member, ...)                                              \
  {                                                                                                \
    name, G_STRUCT_OFFSET (Method, member), __VA_ARGS__                                            \
  }

typedef struct
{
  const char *numbers;
  const PrismRecordField *fields;
  PrismMethodPlane planes[PRISM_METHOD_MOST_PLANES]; /* to the first without a name */
} PrismMethodState;

gboolean prism_method_state_save (const PrismMethodState  *table,
                                  gconstpointer            method,
                                  const char              *prefix,
                                  const PrismBackendSpec  *spec,
                                  PrismBundle             *bundle,
                                  GError                 **error);
gboolean prism_method_state_load (const PrismMethodState  *table,
                                  gpointer                 method,
                                  const char              *prefix,
                                  const PrismBackendSpec  *spec,
                                  PrismBundle             *bundle,
                                  GError                 **error);

G_END_DECLS
