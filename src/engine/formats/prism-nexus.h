/* prism-nexus: HDF5 that is written as a whole or not at all. Results are one file that other
 * programs open at the right picture: NeXus, with hard links for the names that a program knows
 * things by; recordings are what a program expects of them. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_NEXUS_FLOAT,
  PRISM_NEXUS_COMPLEX,                  /* pairs of floats */
  PRISM_NEXUS_DOUBLE,
  PRISM_NEXUS_UINT32,
  PRISM_NEXUS_FRAMES,                   /* [n][h][w] of floats, deflated one by one */
} PrismNexusType;

typedef struct _PrismNexus PrismNexus;

PrismNexus *prism_nexus_new       (const char *title);
void        prism_nexus_free      (PrismNexus *self);
void        prism_nexus_group     (PrismNexus *self,
                                   const char *path,
                                   const char *nx_class);
void        prism_nexus_array     (PrismNexus     *self,
                                   const char     *path,
                                   PrismNexusType  type,
                                   int             n_dims,
                                   const gsize    *shape,
                                   const void     *values,
                                   const char     *unit);
void        prism_nexus_axis      (PrismNexus *self,
                                   const char *path,
                                   gsize       n,
                                   double      first,
                                   double      step,
                                   const char *unit);
void        prism_nexus_number    (PrismNexus *self,
                                   const char *path,
                                   double      value,
                                   const char *unit);
void        prism_nexus_text      (PrismNexus *self,
                                   const char *path,
                                   const char *text);
void        prism_nexus_attribute (PrismNexus        *self,
                                   const char        *path,
                                   const char        *name,
                                   const char *const *texts);
void        prism_nexus_link      (PrismNexus *self,
                                   const char *path,
                                   const char *target);
void        prism_nexus_picture   (PrismNexus  *self,
                                   int          height,
                                   int          width,
                                   double       pixel,
                                   const float *amplitude,
                                   const char  *companion,
                                   const float *beside,
                                   const char  *unit);
gboolean    prism_nexus_save      (PrismNexus  *self,
                                   const char  *path,
                                   const char  *header,
                                   GError     **error);

/* Files of that kind, read again. */
char       *prism_nexus_load_text (const char  *path,
                                   const char  *name,
                                   GError     **error);
gboolean    prism_nexus_compare   (const char  *path,
                                   const char  *other,
                                   char       **difference,
                                   GError     **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismNexus, prism_nexus_free)

G_END_DECLS
