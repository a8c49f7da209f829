/* prism-view: a titled panel that shows an image: zoom, pan, probe, colour bar, context menu. The
 * image view and the k-space view derive from it. Properties: title, empty-text, viewport,
 * menu-model, colormap, stretch, levels, black, white; probe-text is there to be
 * read. */
#pragma once

#include "canvas/prism-canvas.h"
#include "canvas/prism-color-bar.h"

G_BEGIN_DECLS

#define PRISM_TYPE_VIEW (prism_view_get_type ())

#define PRISM_VIEW(object)                                                                         \
  G_TYPE_CHECK_INSTANCE_CAST (object, PRISM_TYPE_VIEW, PrismView)
#define PRISM_IS_VIEW(object) G_TYPE_CHECK_INSTANCE_TYPE (object, PRISM_TYPE_VIEW)
#define PRISM_VIEW_CLASS(klass) G_TYPE_CHECK_CLASS_CAST (klass, PRISM_TYPE_VIEW, PrismViewClass)
#define PRISM_VIEW_GET_CLASS(object)                                                               \
  G_TYPE_INSTANCE_GET_CLASS (object, PRISM_TYPE_VIEW, PrismViewClass)

GType prism_view_get_type (void);

/* Kinds of view and what draws them read it. */
typedef struct
{
  GtkWidget parent_instance;

  GtkWidget *header;
  GtkLabel *title_label;
  GtkLabel *info_label;
  GtkMenuButton *menu_button;
  GtkWidget *room; /* of the image, and of what comes with it */
  GtkWidget *overlay;
  PrismCanvas *canvas;
  GtkLabel *empty_label;
  GtkLabel *probe_label;
  GtkLabel *note_label;
  GtkWidget *notice_box;
  GtkLabel *notice_label;
  PrismColorBar *color_bar;
  GtkWidget *footer; /* (nullable) */

  PrismImage *image;     /* (nullable) [h][w] */
  PrismImage *reference; /* (nullable) [h][w], subtracted from it */
  PrismMapping mapping;  /* as wished; the picture has the levels that were found */
  double metres;         /* of a pixel, 0 when it is not known */
  double seconds;        /* of arc */
  gboolean centered;     /* coordinates count from the middle: row h/2, column w/2 */
  char *probe_text;      /* (nullable) */
  char *name;            /* (nullable) of the canvas, for screen readers */
} PrismView;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismView, g_object_unref)

/* What the pointer, or the keyboard, points at. */
typedef struct
{
  int x;                                /* column, from 0 */
  int y;                                /* row, from 0 */
  double value;                         /* NAN where there is none */
} PrismProbe;

typedef struct
{
  GtkWidgetClass parent_class;

  /* Optional: paints over the image; 0, 0 is the corner of the area. */
  void (*draw_overlay) (PrismView        *self,
                        PrismPaint       *paint,
                        const PrismFrame *frame);
  /* Optional: what the probe label says. (transfer full) */
  char *(*dup_probe_text) (PrismView        *self,
                           const PrismProbe *probe);
  /* Optional: the image, or what is subtracted from it, is another one. */
  void (*image_changed) (PrismView *self);
} PrismViewClass;

void           prism_view_set_image          (PrismView  *self,
                                              PrismImage *image);
void           prism_view_set_reference      (PrismView  *self,
                                              PrismImage *reference);
PrismImage    *prism_view_get_reference      (PrismView *self);
void           prism_view_set_mapping        (PrismView          *self,
                                              const PrismMapping *mapping);
void           prism_view_get_mapping        (PrismView    *self,
                                              PrismMapping *mapping);
void           prism_view_set_viewport       (PrismView     *self,
                                              PrismViewport *viewport);
gboolean       prism_view_get_probe          (PrismView  *self,
                                              PrismProbe *probe);
const char    *prism_view_get_title          (PrismView *self);
void           prism_view_set_notice         (PrismView  *self,
                                              const char *notice);
void           prism_view_set_scale          (PrismView *self,
                                              double     metres,
                                              double     seconds);
/* For the kinds of view: a note, a widget below the image, and another text for the same probe. */
void           prism_view_set_footer         (PrismView *self,
                                              GtkWidget *footer);
void           prism_view_set_tools          (PrismView *self,
                                              GtkWidget *strip,
                                              GtkWidget *bench);
void           prism_view_update_probe       (PrismView *self);
/* Image and overlay, for figures. */
gboolean       prism_view_draw               (PrismView           *self,
                                              PrismPaint          *paint,
                                              const PrismMapping  *mapping,
                                              const PrismFrame    *frame,
                                              GError             **error);

G_END_DECLS
