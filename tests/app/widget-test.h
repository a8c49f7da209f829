/* widget-test: what tests of widgets share. */
#pragma once

#include "formats/prism-image.h"
#include "canvas/prism-view.h"
#include "session/prism-session.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* g_autoptr (ShownWindow): a window that is closed when its variable goes. */
typedef GtkWidget ShownWindow;

static inline void
shown_window_close (ShownWindow *window)
{
  gtk_window_destroy (GTK_WINDOW (window));
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShownWindow, shown_window_close)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (cairo_surface_t, cairo_surface_destroy)

/* The first among a widget and all within it for which an expression of “it” is true; NULL for
 * none. */
#define FIND(ROOT, CONDITION)                          \
  ({                                                   \
    GtkWidget *root_ = (gpointer) (ROOT), *it = root_; \
    while (it != NULL && !(CONDITION))                 \
      it = widget_test_next (root_, it);               \
    (gpointer) it;                                     \
  })

/* How many there are. */
#define COUNT(ROOT, CONDITION)                                                 \
  ({                                                                           \
    GtkWidget *root_ = (gpointer) (ROOT);                                      \
    guint n_ = 0;                                                              \
    for (GtkWidget *it = root_; it != NULL; it = widget_test_next (root_, it)) \
      n_ += (CONDITION) ? 1 : 0;                                               \
    n_;                                                                        \
  })

/* Runs the main loop until an expression is true; where it does not become so, the test fails. */
#define WAIT_FOR(CONDITION)                                            \
  G_STMT_START                                                         \
  {                                                                    \
    for (const gint64 begun_ = g_get_monotonic_time (); !(CONDITION);) \
      widget_test_turn (begun_, #CONDITION);                           \
  }                                                                    \
  G_STMT_END

/* A run of a second or two: 32 px in 64 px, few samples and steps. */
PrismConfig *widget_test_new_config (void);
/* A session whose runs are taken up as the window does from its frame clock; with a configuration
 * its scene is there. */
PrismSession *widget_test_new_session (const PrismConfig *config);
void widget_test_init (int *argc,
                       char ***argv);
PrismImage *widget_test_create_image (int height,
                                      int width,
                                      const float *pixels);
GtkWidget *widget_test_show (GtkWidget *child,
                             int width,
                             int height);
void widget_test_turn (gint64 begun,
                       const char *condition);
/* Runs the main loop for so many seconds, whatever happens. */
void widget_test_let_pass (double seconds);
/* Shows a widget, destroys its window, and asserts that nothing keeps the widget alive. */
void widget_test_assert_freed (GtkWidget *child);
void widget_test_wait_for_picture (PrismView *view);
/* The widget that comes after @it within @root, children behind their parents; NULL for none. */
GtkWidget *widget_test_next (gpointer root,
                             gpointer it);
/* The first of a type; or the first label that is not hidden, nor what is around it, with this
 * text, a text that begins so, or one with this part. */
gpointer widget_test_find (gpointer root,
                           GType type);
gpointer widget_test_find_text (gpointer root,
                                const char *text);
gpointer widget_test_find_start (gpointer root,
                                 const char *start);
gpointer widget_test_find_part (gpointer root,
                                const char *part);
/* The first window of a type that is open; NULL for none. */
gpointer widget_test_find_window (GType type);
/* A child of a widget, by its id in the template. */
gpointer widget_test_get_part (gpointer widget,
                               const char *id);
/* What a view tells of the pixel below the cursor; NULL without one. */
const char *widget_test_get_probe (gpointer view);
GtkWidget *widget_test_new_chart (const char *title);
gboolean widget_test_press (GtkWidget *widget,
                            guint key,
                            GdkModifierType modifiers);
void widget_test_release (GtkWidget *widget);
/* [height][width] ARGB32, to be destroyed by the caller. */
cairo_surface_t *widget_test_render (GtkWidget *widget);
guint32 widget_test_get_pixel (cairo_surface_t *surface,
                               int x,
                               int y);

G_END_DECLS
