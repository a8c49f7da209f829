/* prism-record: a structure's numbers as text and back, exactly, by a table of its fields: one JSON
 * object of plain members. A real number is written with 17 digits; what is not finite is "nan",
 * "inf" or "-inf". Thread: any. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_RECORD_INTEGER,                 /* int, guint or an enumeration */
  PRISM_RECORD_COUNT,                   /* guint64 */
  PRISM_RECORD_REAL,                    /* double; its range does not bind what is not finite */
  PRISM_RECORD_SWITCH,                  /* gboolean */
  PRISM_RECORD_FORMER,                  /* of an older program: neither written nor read */
} PrismRecordType;

typedef struct
{
  const char *name;
  PrismRecordType type;
  gsize offset;                         /* in the structure */
  double minimum;                       /* both 0: anything from 0 on */
  double maximum;
  gboolean optional;                    /* keeps its value where an older program wrote none */
} PrismRecordField;

/* A row of a table: a field by its own name, with a range where it is bound; or a part of one by
 * another name. */
#define PRISM_RECORD_FIELD(Record, member, type, ...) \
  PRISM_RECORD_NAMED (Record, #member, member, type, __VA_ARGS__)
#define PRISM_RECORD_NAMED(Record, name, member, type, ...) \
  { name, PRISM_RECORD_##type, G_STRUCT_OFFSET (Record, member), __VA_ARGS__ }
#define PRISM_RECORD_PART(Record, name, member, type, minimum, maximum, optional) \
  { name, PRISM_RECORD_##type, G_STRUCT_OFFSET (Record, member), minimum, maximum, optional }
#define PRISM_RECORD_NO_MORE(name) { name, PRISM_RECORD_FORMER }
#define PRISM_RECORD_MOST 9007199254740992.0 /* 2^53: what every reader of JSON keeps exactly */

/* fields end with a NULL name. */
char    *prism_record_to_text (const PrismRecordField *fields,
                               gconstpointer           record);
gboolean prism_record_parse   (const PrismRecordField  *fields,
                               gpointer                 record,
                               const char              *text,
                               const char              *name,
                               GError                 **error);
gboolean prism_record_load    (const PrismRecordField  *fields,
                               gpointer                 record,
                               const char              *path,
                               const char              *name,
                               GError                 **error);
JsonNode *prism_json_load     (const char              *path,
                               GError                 **error);
gboolean prism_record_save    (const PrismRecordField  *fields,
                               gconstpointer            record,
                               const char              *path,
                               GError                 **error);

G_END_DECLS
