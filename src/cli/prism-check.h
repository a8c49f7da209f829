/* prism-check: the outcome of one numerical check, and lists of them. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_CHECK_OK,
  PRISM_CHECK_FAILED,
} PrismCheckStatus;

typedef struct
{
  char *name;                           /* "gradient l1" */
  char *detail;                         /* what the error is relative to */
  double error;
  double tolerance;
  PrismCheckStatus status;
} PrismCheck;

GPtrArray *prism_check_list_new      (void);
void       prism_check_list_add      (GPtrArray  *self,
                                      const char *name,
                                      double      error,
                                      double      tolerance,
                                      const char *detail);
guint      prism_check_list_count    (GPtrArray        *self,
                                      PrismCheckStatus  status);
void       prism_check_list_print    (GPtrArray *self);
void       prism_check_list_add_json (GPtrArray   *self,
                                      JsonBuilder *builder);

double     prism_check_get_error     (const float  *values,
                                      const double *expected,
                                      gsize         n_values);
double     prism_check_get_ratio     (double value,
                                      double expected);

G_END_DECLS
