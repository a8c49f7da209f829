/* widget-test: what tests of widgets share. */
#pragma once

#include "formats/prism-image.h"
#include "canvas/prism-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef gboolean (*WidgetTestCondition) (gpointer data);

void        widget_test_init         (int    *argc,
                                      char ***argv);
PrismImage *widget_test_create_image (int          height,
                                      int          width,
                                      const float *pixels);
GtkWidget  *widget_test_show         (GtkWidget *child,
                                      int        width,
                                      int        height);
void        widget_test_wait         (WidgetTestCondition condition,
                                      gpointer            data);
/* Shows a widget, destroys its window, and asserts that nothing keeps the widget alive. */
void        widget_test_assert_freed (GtkWidget *child);
void        widget_test_wait_for_picture (PrismView *view);
/* A child of a widget, by its id in the template. */
gpointer    widget_test_get_part     (gpointer    widget,
                                      const char *id);
/* What a view tells of the pixel below the cursor; NULL without one. */
const char *widget_test_get_probe    (gpointer view);
GtkWidget  *widget_test_new_chart    (const char *title);
gboolean    widget_test_press        (GtkWidget       *widget,
                                      guint            key,
                                      GdkModifierType  modifiers);
void        widget_test_release      (GtkWidget *widget);
/* [height][width] ARGB32, to be destroyed by the caller. */
cairo_surface_t *widget_test_render  (GtkWidget *widget);
guint32     widget_test_get_pixel    (cairo_surface_t *surface,
                                      int              x,
                                      int              y);

G_END_DECLS
