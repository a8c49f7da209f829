/* storm: one thing after another that somebody could do with the program. */
#pragma once

#include "window/prism-application.h"
#include "window/prism-window-private.h"

G_BEGIN_DECLS

typedef struct
{
  PrismApplication *application;
  GRand *rand;
  guint n_left;                         /* things to do in this round */
  guint source;
  guint patience;
  char *folder;                         /* of files to open and to write */
} Storm;

guint        storm_pick       (Storm *self,
                               guint  n);
PrismWindow *storm_get_window (Storm *self);
void         storm_remember   (const char *format,
                               ...) G_GNUC_PRINTF (1, 2);
void         storm_tell       (void);
void         storm_blow       (Storm *self);

G_END_DECLS
