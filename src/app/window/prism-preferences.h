/* prism-preferences: the window of the user's preferences. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_PREFERENCES (prism_preferences_get_type ())

G_DECLARE_FINAL_TYPE (PrismPreferences, prism_preferences, PRISM, PREFERENCES, AdwPreferencesWindow)

GtkWidget *prism_preferences_new (void);

G_END_DECLS
