/* soak-peer: a process that does what another one does, but has not done it for long. */
#pragma once

#include <glib.h>
#include <stdio.h>

G_BEGIN_DECLS

typedef struct
{
  GPid pid;                             /* 0: none */
  FILE *orders;                         /* its standard input */
  FILE *answers;                        /* its standard output */
  guint n_runs;                         /* that it has been told to do */
} SoakPeer;

typedef gboolean (*SoakPeerFunc) (gpointer   data, GError   **error);

gboolean soak_peer_start   (SoakPeer      *self, char         **words, GError       **error);
void     soak_peer_order   (SoakPeer      *self);
gboolean soak_peer_receive (SoakPeer      *self, double        *computed, GError       **error);
void     soak_peer_end     (SoakPeer      *self);
gboolean soak_peer_serve   (SoakPeerFunc   func, gpointer       data, GError       **error);

G_END_DECLS
