/* prism-matlab-check: whether the sizes in a file of MATLAB 5 can be true, found out before a
 * library asks for memory by them, and where its arrays are. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Bytes that deflate makes of one at most. */
#define PRISM_MATLAB_MAX_EXPANSION 1032

/* Bytes of the file that are a variable. */
typedef struct
{
  guint64 begin;
  guint64 end;
  char name[129];
} PrismMatlabPart;

char *prism_matlab_check   (int        fd,
                            guint64    size,
                            GArray    *arrays,
                            GArray    *nested,
                            GPtrArray *others);
int   prism_matlab_extract (int           fd,
                            const GArray *arrays,
                            const GArray *nested,
                            GPtrArray    *others);

G_END_DECLS
