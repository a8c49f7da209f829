#include "config.h"

#include "canvas/prism-readout.h"

#include <string.h>

/**
 * prism_readout_show:
 * @label: over a picture
 * @text: (nullable): one or more lines, NULL for none
 *
 * Shows a text, or nothing.
 */
void
prism_readout_show (GtkLabel *label,
                    const char *text)
{
  gtk_label_set_label (label, text == NULL ? "" : text);
  gtk_widget_set_visible (GTK_WIDGET (label), text != NULL);
}

/**
 * prism_readout_show_fit:
 * @label: over @picture
 * @text: (nullable): one or more lines, the first of which tells most
 * @picture: what lies below
 *
 * Shows a text; where all of it would hide half of the picture its first line alone.
 */
void
prism_readout_show_fit (GtkLabel *label,
                        const char *text,
                        GtkWidget *picture)
{
  const char *end = text != NULL ? strchr (text, '\n') : NULL;
  int width = gtk_widget_get_width (picture);
  g_autofree char *first = NULL;
  int height;

  prism_readout_show (label, text);
  if (end == NULL || width == 0)
    return;
  gtk_widget_measure (GTK_WIDGET (label), GTK_ORIENTATION_VERTICAL, width, NULL, &height, NULL,
                      NULL);
  if (2 * height <= gtk_widget_get_height (picture))
    return;
  first = g_strndup (text, end - text);
  prism_readout_show (label, first);
}
