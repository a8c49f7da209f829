/* prism-widget: what every window does beside what GTK does: keys, focus, wheel, drawing, and a
 * class that takes its template. */
#pragma once

#include "prism-paint.h"
#include "support/prism-class.h"
#include "support/prism-ui-text.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The keyboard comes back when a menu closes. */

void prism_menu_focus_init (void);

/* The wheel scrolls pages, and changes only the field that has the focus. */

void prism_wheel_guard_init  (void);
void prism_widget_take_wheel (GtkWidget *widget,
                              gboolean   takes);

/* The keys that every window has, whoever makes it: Ctrl+W and Esc close it, but for the main one
 * (Ctrl+W alone), and Esc none whose work goes on; Ctrl+Q ends the program. Thread: main. */

void prism_window_keys_init (void);
void prism_window_parents_init (void);

/* Typing into an open drop-down finds what has the text anywhere. */

void prism_list_search_enable (GtkDropDown *list);

/* A label that begins at the left, with a class (nullable) of the style sheet; it is wrapped,
@chars
 * wide at most (0: any), or in one line (-1). */

GtkWidget *prism_label_new (const char *text,
                            const char *style,
                            int         chars);

/* Gives a label the colour of the sign (prism_verdict_dup_signed()) that its text has. */

void prism_label_show_sign (GtkWidget *label);

/* Escape in a search: empties it, then closes its window. */

void prism_search_leave (GtkEditable *search);

/* What a screen reader calls a widget. */

void prism_widget_set_name (gpointer    widget,
                            const char *name);

/* Functions that follow a controller of a widget. */

void prism_widget_control (gpointer    widget,
                           gpointer    controller,
                           gpointer    object,
                           const char *signal,
                           ...) G_GNUC_NULL_TERMINATED;

/* Which actions of a widget are possible: names, each with a gboolean. */

void prism_widget_enable (gpointer    widget,
                          const char *action,
                          ...) G_GNUC_NULL_TERMINATED;

/* Whether a window is open: the place of an object that holds it. */

void prism_widget_place_window (gpointer    owner,
                                gpointer    window,
                                GtkWindow **place);

/* What a widget gives up when it is disposed of. */

void prism_widget_drop_children (GtkWidget *widget);
void prism_widget_drop_template (GtkWidget *widget);

/* Whether GTK draws the windows by GL or by cairo. Thread: main. */

gboolean prism_renderer_is_software (const char *name);
void     prism_renderer_choose      (GdkDisplay *display);

/* Where the command line of this very program is. */

char *prism_program_dup_cli (void);

/* Begins to paint a widget in its own font and colours. */

void prism_paint_init_widget (PrismPaint *self,
                              GtkWidget  *widget,
                              cairo_t    *cr);

#define PRISM_TEMPLATE_CHILD(klass, Type, child)                                                   \
  gtk_widget_class_bind_template_child (klass, Type, child);
#define PRISM_TEMPLATE_CALLBACK(klass, none, callback)                                             \
  gtk_widget_class_bind_template_callback (GTK_WIDGET_CLASS (klass), callback);

/* The template of a file in the resources, and the members of @Type that are children in it. */
#define PRISM_TEMPLATE(klass, Type, file, ...)                                                     \
  G_STMT_START                                                                                     \
  {                                                                                                \
    GtkWidgetClass *template_class = GTK_WIDGET_CLASS (klass);                                     \
    gtk_widget_class_set_template_from_resource (template_class, PRISM_RESOURCE (file));           \
    PRISM_SCAN (PRISM_EACH (PRISM_TEMPLATE_CHILD, template_class, Type, __VA_ARGS__))              \
  }                                                                                                \
  G_STMT_END

/* An action of a class, and the function that gets the widget alone. */
#define PRISM_ACTION(klass, name, func)                                                            \
  gtk_widget_class_install_action (GTK_WIDGET_CLASS (klass), name, NULL,                           \
                                   (GtkWidgetActionActivateFunc) G_CALLBACK (func))

/* The functions that the template names. */
#define PRISM_TEMPLATE_CALLBACKS(klass, ...)                                                       \
  G_STMT_START                                                                                     \
  {                                                                                                \
    PRISM_SCAN (PRISM_EACH (PRISM_TEMPLATE_CALLBACK, klass, , __VA_ARGS__))                        \
  }                                                                                                \
  G_STMT_END

G_END_DECLS
