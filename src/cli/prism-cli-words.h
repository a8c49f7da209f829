/* prism-cli-words: what can stand behind an option, for shells to complete. Thread: main. */
#pragma once

#include "prism-cli-output.h"

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_CLI_WORDS_NONE,                 /* a number, or nothing that is known */
  PRISM_CLI_WORDS_FILES,
  PRISM_CLI_WORDS_FOLDERS,
  PRISM_CLI_WORDS_CHOICES,              /* a few, of this option alone */
  PRISM_CLI_WORDS_PRESETS,
  PRISM_CLI_WORDS_SETTINGS,             /* "snr=", "pattern=fermat" */
  PRISM_CLI_WORDS_AXES,                 /* "snr=" */
  PRISM_CLI_WORDS_QUANTITIES,           /* of a simulated instrument */
  PRISM_CLI_WORDS_LINES,                /* of a recipe */
  PRISM_CLI_N_WORDS
} PrismCliWordsKind;

typedef struct
{
  char *word;
  char *help;
} PrismCliWord;

PrismCliWordsKind  prism_cli_words_get_kind    (const PrismCliOption *option);
const char        *prism_cli_words_get_name    (PrismCliWordsKind     kind);
GPtrArray         *prism_cli_words_dup         (PrismCliWordsKind     kind);
char             **prism_cli_words_dup_choices (const PrismCliOption *option);
char             **prism_cli_words_dup_topics  (const char           *arguments);

G_END_DECLS
