/* prism-fields: the arrays of one file with their names, whatever its format: what is there is
 * listed at once, values are read when they are asked for. Shapes are in C order: the last
 * dimension is the one that lies closest together. Thread: one at a time. */
#pragma once

#include "formats/prism-unit.h"

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_FIELDS_MAX_DIMS 8
#define PRISM_FIELDS_MAX_FRAMES 65536
#define PRISM_FIELDS_MAX_SIDE 16384
#define PRISM_FIELDS_MAX 4096           /* arrays of one file that are listed */

typedef enum
{
  PRISM_FIELD_REAL,
  PRISM_FIELD_COMPLEX,                  /* real and imaginary part follow each other */
  PRISM_FIELD_OTHER,                    /* text, records: cannot be read as numbers */
} PrismFieldKind;

typedef struct _PrismField PrismField;
typedef struct _PrismFields PrismFields;

/* values: [count[0]]…[count[n_dims-1]], twice as many for complex ones */
typedef gboolean (*PrismFieldsReadFunc) (PrismFields       *self,
                                         const PrismField  *field,
                                         const gsize       *start,
                                         const gsize       *count,
                                         double            *values,
                                         GError           **error);

/* values: [n], or twice as many for complex ones, from the first on, in C order */
typedef gboolean (*PrismFieldsRunFunc) (PrismFields       *self,
                                        const PrismField  *field,
                                        gsize              first,
                                        gsize              n,
                                        double            *values,
                                        GError           **error);

struct _PrismField
{
  char *name;                           /* "ptychogram", "entry_1/data_1/data" */
  PrismFieldKind kind;
  int n_dims;                           /* 0: a scalar */
  gsize shape[PRISM_FIELDS_MAX_DIMS];
  gsize n_values;                       /* product of shape */
  char *obstacle;                       /* (nullable): why its values cannot be read */
  gboolean column_major;                /* MATLAB's (row, column, n) is (n, column, row) */
  PrismUnit unit;                       /* that stands beside it, none: nobody says */
  char *unknown_unit;                   /* (nullable): what stands beside it and is none */
  double *values;                       /* (nullable) [n_values]: where they are read */
  PrismFieldsReadFunc read;             /* (nullable): of one that is made of others */
  GPtrArray *parts;                     /* (nullable): of PrismField, of which it is a stack */
  PrismField *whole;                    /* (nullable): of four dimensions, of which it is a stack */
  char **labels;                        /* (nullable): names of what the first dimension counts */
  int handle;                           /* what the reader knows it by */
};

struct _PrismFields
{
  char *name;                           /* of the file, for messages */
  const char *format;                   /* "HDF5" */
  gboolean column_major;                /* what its arrays are, where they do not say it */
  char *note;                           /* (nullable): what the user should know, a sentence */
  GPtrArray *tables;                    /* (nullable): of char *: beside the frames, of
                                           the LEDs perhaps */
  GPtrArray *fields;                    /* of PrismField */
  PrismFieldsReadFunc read;             /* (nullable): of parts */
  PrismFieldsRunFunc read_run;          /* (nullable): where there is no other */
  gpointer data;
  GDestroyNotify free_data;
};

PrismFields *prism_fields_new        (const char *path,
                                      const char *format);
void         prism_fields_free       (PrismFields *self);
PrismField  *prism_fields_add        (PrismFields    *self,
                                      const char     *name,
                                      PrismFieldKind  kind,
                                      int             n_dims,
                                      const gsize    *shape);
PrismField  *prism_fields_add_values (PrismFields    *self,
                                      const char     *name,
                                      PrismFieldKind  kind,
                                      int             n_dims,
                                      const gsize    *shape,
                                      double         *values);
PrismField  *prism_fields_add_obstacle (PrismFields *self,
                                        const char  *name,
                                        const char  *obstacle);
PrismField  *prism_fields_add_number (PrismFields *self,
                                      const char  *name,
                                      double       number);
PrismField  *prism_fields_add_text   (PrismFields *self,
                                      const char  *name,
                                      const char  *text);
void         prism_fields_set_unit   (PrismField *field,
                                      const char *text);
PrismField  *prism_fields_find       (PrismFields *self,
                                      const char  *name);
PrismField  *prism_fields_find_known (PrismFields *self,
                                      const char  *name);
PrismField  *prism_fields_find_named (PrismFields  *self,
                                      const char   *key,
                                      const char   *name,
                                      GError      **error);
double      *prism_fields_load       (PrismFields       *self,
                                      const PrismField  *field,
                                      GError           **error);
gboolean     prism_fields_load_part  (PrismFields       *self,
                                      const PrismField  *field,
                                      const gsize       *start,
                                      const gsize       *count,
                                      double            *values,
                                      GError           **error);
void         prism_fields_add_stacks (PrismFields *self);
PrismField  *prism_fields_add_grid   (PrismFields *self,
                                      PrismField  *field,
                                      gsize       *columns);
int          prism_fields_compare_names (const char *a,
                                         const char *b);
void         prism_fields_sort_names (GPtrArray *names);
char        *prism_fields_dup_shape  (const PrismField *field);
char        *prism_fields_dup_list   (const GPtrArray *fields);
void         prism_fields_set_error  (GError      **error,
                                      const char   *name,
                                      const char   *format,
                                      const char   *reason);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismFields, prism_fields_free)

G_END_DECLS
