/* prism-settings: the user's preferences. Kept by GSettings where the schema is installed, for the
 * session only where it is not: GSettings itself would abort the program. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define PRISM_TYPE_SETTINGS (prism_settings_get_type ())

G_DECLARE_FINAL_TYPE (PrismSettings, prism_settings, PRISM, SETTINGS, GObject)

PrismSettings *prism_settings_get_default    (void);
gboolean       prism_settings_get_persistent (PrismSettings *self);
int            prism_settings_get_enum       (const char *name,
                                              GType       type);

G_END_DECLS
