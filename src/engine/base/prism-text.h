/* prism-text: text that programs write and read: fit to be shown, JSON. Thread: any. */
#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Text from files and names, made fit to be shown. Thread: any. */

/* A folder of files that are written together, and how many letters its name has behind that. */
#define PRISM_TEMPORARY_FOLDER ".prism-set-"
#define PRISM_TEMPORARY_LETTERS 6

char    *prism_printable_dup (const char *text);
char    *prism_printable_dup_short (const char *text);
char    *prism_text_dup_without_folder (const char *path);
gboolean prism_printable_is  (const char *text);
char   **prism_text_split    (const char *text,
                              const char *separators);

/* Numbers as JSON can hold them, and JSON from files that anybody may have written.
 *
 * Thread: any. */

void      prism_json_add          (JsonBuilder *builder,
                                   const char  *template,
                                   ...) G_GNUC_PRINTF (2, 3);
char     *prism_json_dup_text     (JsonBuilder *builder);
char     *prism_json_dup_quoted   (const char  *text);
JsonNode *prism_json_parse_object (const char *text,
                                   gsize       length);
JsonNode *prism_json_find         (JsonObject *object,
                                   const char *name);
JsonObject *
          prism_json_to_object    (JsonNode *node);
JsonArray *
          prism_json_to_list      (JsonNode *node);
const char *
          prism_json_to_text      (JsonNode *node);
double    prism_json_to_number    (JsonNode *node);
double    prism_json_get_number   (JsonObject *object,
                                   const char *name);
const char *
          prism_json_get_text     (JsonObject *object,
                                   const char *name);

G_END_DECLS
