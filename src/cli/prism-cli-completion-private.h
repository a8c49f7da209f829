/* prism-cli-completion-private: the script of each shell. Thread: main. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void prism_cli_completion_append_bash (GString *text);
void prism_cli_completion_append_zsh  (GString *text);
void prism_cli_completion_append_fish (GString *text);

G_END_DECLS
