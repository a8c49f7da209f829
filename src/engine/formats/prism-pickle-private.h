/* prism-pickle-private: what prism-pickle.c, the machine, shares with prism-pickle-tensor.c, what
 * its values are. */
#pragma once

#include "formats/prism-pickle.h"

#include <zip.h>

G_BEGIN_DECLS

#define PRISM_PICKLE_MAX_BYTES (G_GUINT64_CONSTANT (1) << 30) /* of a tensor */

typedef enum
{
  KIND_NONE,
  KIND_SWITCH,
  KIND_INTEGER,
  KIND_REAL,
  KIND_TEXT,
  KIND_LIST,       /* or a tuple */
  KIND_DICTIONARY, /* items: key, value, key, value, … */
  KIND_NAME,       /* of something of Python's, a row of the table of names */
  KIND_STORAGE,
  KIND_TENSOR,
  KIND_UNREAD, /* what is allowed to be there, and is of no use here */
  KIND_MARK,
} Kind;

typedef enum
{
  ELEMENT_FLOAT,
  ELEMENT_DOUBLE,
  ELEMENT_HALF,
  ELEMENT_BRAIN_HALF,
  ELEMENT_INT8,
  ELEMENT_UINT8,
  ELEMENT_INT16,
  ELEMENT_INT32,
  ELEMENT_INT64,
  ELEMENT_COMPLEX_FLOAT,
  ELEMENT_COMPLEX_DOUBLE,
} Element;

struct _PrismPickleValue
{
  Kind kind;
  double number;    /* of numbers; of a name its row */
  char *text;       /* of a text; of a storage its key */
  GPtrArray *items; /* of PrismPickleValue, which the file owns */
  const PrismPickleValue *storage;
  int element;
  guint64 n_stored; /* elements of a storage */
  guint64 offset;   /* of a tensor, elements */
  int n_dims;
  gsize shape[PRISM_PICKLE_MAX_DIMS];
  guint64 stride[PRISM_PICKLE_MAX_DIMS];
};

struct _PrismPickle
{
  char *name; /* for messages */
  zip_t *zip;
  char *folder;      /* of the archive, "checkpoint/" */
  GPtrArray *values; /* all of them */
  const PrismPickleValue *root;
};

GBytes *prism_pickle_load_part (PrismPickle  *self,
                                const char   *name,
                                guint64       max_bytes,
                                GError      **error);

G_END_DECLS
