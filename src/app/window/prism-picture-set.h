/* prism-picture-set: the panels with pictures of one run, the marks that they share, and the tools
 * above each while it is shown alone. */
#pragma once

#include "session/prism-session.h"
#include "window/prism-panel.h"

G_BEGIN_DECLS

#define PRISM_TYPE_PICTURE_SET (prism_picture_set_get_type ())

G_DECLARE_FINAL_TYPE (PrismPictureSet, prism_picture_set, PRISM, PICTURE_SET, GObject)

void             prism_picture_set_add         (PrismPictureSet *self,
                                                PrismPanel      *panel,
                                                gboolean         camera);
void             prism_picture_set_link        (PrismPictureSet *self,
                                                PrismPanel      *first,
                                                PrismPanel      *second);
void             prism_picture_set_set_session (PrismPictureSet *self,
                                                PrismSession    *session);
void             prism_picture_set_drop        (PrismPictureSet *self);
char            *prism_picture_set_dup_csv     (PrismPictureSet *self,
                                                const char      *id);

/* Which pictures of a snapshot the panels show, and what stands in their
 * places where there is none. Thread: main. */

char                *prism_panel_pictures_dup_gap (gboolean past);
void                 prism_panel_pictures_bind (GtkWidgetClass *widget_class);

G_END_DECLS
