/* prism-import-table: the settings of the first PRISM, and what they are called here. Importer and
 * docs/first-prism.md follow it. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_IMPORT_NUMBER "number"     /* of what is taken over as it is */

typedef enum
{
  PRISM_IMPORT_ALWAYS,                  /* what is measured */
  PRISM_IMPORT_TRAINING,                /* how its decoder was trained */
  PRISM_IMPORT_WHOLE,                   /* the importer's own matter: it follows from several */
  PRISM_IMPORT_TOLD,                    /* has no counterpart; told where it is not its default */
} PrismImportKind;

/* Its texts are the cells of a line of the table, in their order. */
typedef struct
{
  PrismImportKind kind;
  const char *flag;                     /* (nullable): of its command line, "--sample_diameter" */
  const char *name;                     /* of args.txt, "sample_diameter" */
  const char *path;                     /* (nullable): of its YAML, "telescope.sample_diameter" */
  const char *key;                      /* (nullable): ours */
  const char *words;                    /* (nullable): "theirs=ours …", or PRISM_IMPORT_NUMBER */
  const char *standard;                 /* (nullable): its default on a command line */
  const char *on;                       /* (nullable): of a flag without a value, what it sets */
  const char *written;                  /* (nullable): its default in a file, where that differs */
  const char *sentence;                 /* (nullable): what is to be said of it */
} PrismImportRow;

const PrismImportRow *prism_import_table_get_rows (void);
int                   prism_import_table_find     (gsize       offset,
                                                   const char *text);
const char           *prism_import_table_find_preset (const char *name);
char                 *prism_import_table_dup_page (void);

/* The row whose name, path or flag is a text; -1: there is none. */
#define PRISM_IMPORT_FIND(column, text) \
  prism_import_table_find (G_STRUCT_OFFSET (PrismImportRow, column), text)

G_END_DECLS
