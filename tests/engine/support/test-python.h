/* test-python: Debian's Python has Debian's modules, whatever else is called python3. */
#pragma once

#include <glib.h>

/* The first program that runs the script with the argument well; NULL: none does. */
static inline const char *
test_run_python (const char *script, const char *argument)
{
  static const char *const names[] = { "/usr/bin/python3", "python3" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const char *command[] = { names[i], "-c", script, argument, NULL };
      int status = 1;

      if (g_spawn_sync (NULL, (char **) command, NULL,
                        G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL,
                        &status, NULL)
          && status == 0)
        return names[i];
    }
  return NULL;
}

/* The one that has a module. */
static inline const char *
test_find_python (const char *module)
{
  g_autofree char *script = g_strconcat ("import ", module, NULL);

  return test_run_python (script, NULL);
}
