#include "config.h"

#include "results/prism-tensorboard.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"

/* An event file is a sequence of records: length, its checksum, an event in the wire format of
 * protocol buffers, its checksum; numbers are little-endian.
 * Source: tensorflow/core/util/event.proto, tensorflow/core/framework/summary.proto and
 * tensorflow/core/lib/io/record_writer.h. */

#define NAME "events.out.tfevents.0.prism-studio" /* readers look for “tfevents” */
#define POLYNOMIAL 0x82f63b78u                    /* CRC-32C, reflected */
#define MASK 0xa282ead8u

/* Numbers of fields, and what follows their key. */
enum
{
  EVENT_WALL_TIME = 1,
  EVENT_STEP = 2,
  EVENT_VERSION = 3,
  EVENT_SUMMARY = 5,
  SUMMARY_VALUE = 1,
  VALUE_TAG = 1,
  VALUE_SIMPLE = 2,
};
enum
{
  WIRE_VARINT = 0,
  WIRE_64 = 1,
  WIRE_BYTES = 2,
  WIRE_32 = 5,
};

#define AT(member) G_STRUCT_OFFSET (PrismHistoryRow, member)

static const struct
{
  const char *tag;
  gsize offset;
} scalars[] = {
  { "loss/new", AT (loss_new) },
  { "loss/old", AT (loss_old) },
  { "training/learning_rate", AT (learning_rate) },
  { "training/steps_per_second", AT (steps_per_second) },
  { "device/bytes", AT (device_bytes) },
  { "device/cache_hit_rate", AT (cache_hit_rate) },
  { "device/cache_bytes", AT (cache_bytes) },
};

/* One row after the other becomes an event when it is asked for. */
typedef struct
{
  PrismSnapshot *snapshot;
  guint64 next; /* row */
  double began; /* s since 1970 */
  guint32 table[256];
  GByteArray *record; /* the one that is given away */
  gsize done;         /* of it */
} Writer;

/* Rotated and shifted, so that a checksum of checksums is none. */
static guint32
get_checksum (const Writer *self,
              const guint8 *bytes,
              gsize n)
{
  guint32 c = ~0u;

  for (gsize i = 0; i < n; i++)
    c = self->table[(c ^ bytes[i]) & 0xff] ^ (c >> 8);
  c = ~c;
  return (c >> 15 | c << 17) + MASK;
}

static void
append_fixed (GByteArray *bytes,
              guint64 value,
              guint n)
{
  for (guint i = 0; i < n; i++, value >>= 8)
    g_byte_array_append (bytes, &(const guint8) { (guint8) value }, 1);
}

static void
append_varint (GByteArray *bytes,
               guint64 value)
{
  for (; value >= 0x80; value >>= 7)
    append_fixed (bytes, (value & 0x7f) | 0x80, 1);
  append_fixed (bytes, value, 1);
}

static void
append_key (GByteArray *bytes,
            guint field,
            guint wire)
{
  append_varint (bytes, field << 3 | wire);
}

static void
append_bytes (GByteArray *bytes,
              guint field,
              gconstpointer data,
              gsize n)
{
  append_key (bytes, field, WIRE_BYTES);
  append_varint (bytes, n);
  g_byte_array_append (bytes, data, (guint) n);
}

static void
append_double (GByteArray *bytes,
               guint field,
               double value)
{
  guint64 bits;

  memcpy (&bits, &value, sizeof bits);
  append_key (bytes, field, WIRE_64);
  append_fixed (bytes, bits, 8);
}

/* A value that is not known has no point in its curve. */
static void
append_scalar (GByteArray *summary,
               const char *tag,
               double value)
{
  g_autoptr (GByteArray) inner = g_byte_array_new ();
  const float single = (float) value;
  guint32 bits;

  if (!isfinite (single))
    return;
  append_bytes (inner, VALUE_TAG, tag, strlen (tag));
  memcpy (&bits, &single, sizeof bits);
  append_key (inner, VALUE_SIMPLE, WIRE_32);
  append_fixed (inner, bits, 4);
  append_bytes (summary, SUMMARY_VALUE, inner->data, inner->len);
}

static void
set_record (Writer *self,
            const GByteArray *event)
{
  g_byte_array_set_size (self->record, 0);
  append_fixed (self->record, event->len, 8);
  append_fixed (self->record, get_checksum (self, self->record->data, 8), 4);
  g_byte_array_append (self->record, event->data, event->len);
  append_fixed (self->record, get_checksum (self, event->data, event->len), 4);
  self->done = 0;
}

static void
set_version (Writer *self)
{
  static const char version[] = "brain.Event:2";
  g_autoptr (GByteArray) event = g_byte_array_new ();

  append_double (event, EVENT_WALL_TIME, self->began);
  append_bytes (event, EVENT_VERSION, version, strlen (version));
  set_record (self, event);
}

static gssize
read_records (gpointer data,
              char *buffer,
              gsize length,
              GError **error)
{
  Writer *self = data;
  gsize n;

  if (self->done == self->record->len && self->next < self->snapshot->n_rows)
    {
      PrismHistoryRow row;
      g_autoptr (GByteArray) event = NULL;
      g_autoptr (GByteArray) summary = NULL;

      if (!prism_history_read (self->snapshot->history, self->next++, 1, &row))
        {
          prism_error_io (error,
                          "The metrics of earlier steps cannot be read back from their temporary"
                          " file.");
          return -1;
        }
      event = g_byte_array_new ();
      summary = g_byte_array_new ();
      PRISM_FOR_EACH_OF (scalar, scalars)
        append_scalar (summary, scalar->tag, G_STRUCT_MEMBER (double, &row, scalar->offset));
      if (row.correlation != 0.0)
        append_scalar (summary, "held_out/correlation", row.correlation);
      for (gsize i = 0; i < PRISM_N_METRICS; i++)
        {
          g_autofree char *tag = g_strconcat ("quality/", prism_metrics[i].key, NULL);

          append_scalar (summary, tag, row.metrics.values[i]);
        }
      append_double (event, EVENT_WALL_TIME, self->began + row.seconds);
      append_key (event, EVENT_STEP, WIRE_VARINT);
      append_varint (event, row.step);
      append_bytes (event, EVENT_SUMMARY, summary->data, summary->len);
      set_record (self, event);
    }
  n = MIN (length, self->record->len - self->done);
  memcpy (buffer, self->record->data + self->done, n);
  self->done += n;
  return (gssize) n;
}

/**
 * prism_tensorboard_save_at:
 * @snapshot: a snapshot with a history
 * @path: the file, replaced where it exists
 * @began: when the run began, which its first event is of
 * @error: return location
 *
 * Writes an event file with the same bytes for the same run.
 *
 * Units: s since 1970.
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether it is written
 */
gboolean
prism_tensorboard_save_at (PrismSnapshot *snapshot,
                           const char *path,
                           double began,
                           GError **error)
{
  g_autoptr (GByteArray) record = g_byte_array_new ();
  Writer writer = { .snapshot = snapshot, .began = began, .record = record };

  for (guint32 i = 0; i < 256; i++)
    {
      guint32 c = i;

      for (guint k = 0; k < 8; k++)
        c = c & 1 ? POLYNOMIAL ^ (c >> 1) : c >> 1;
      writer.table[i] = c;
    }
  set_version (&writer);
  return prism_file_save_stream (path, read_records, &writer, error);
}

/**
 * prism_tensorboard_save:
 * @snapshot: a snapshot with a history
 * @directory: where TensorBoard will look, made where it is not there
 * @error: return location
 *
 * Writes the metrics of every step as an event file of a run that has just ended; that of an
 * earlier call is replaced.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether it is written
 */
gboolean
prism_tensorboard_save (PrismSnapshot *snapshot,
                        const char *directory,
                        GError **error)
{
  g_autofree char *path = prism_file_dup_place (directory, NAME);
  const double now = 1e-6 * (double) g_get_real_time ();

  g_mkdir_with_parents (directory, 0777);
  return prism_tensorboard_save_at (snapshot, path, now - snapshot->seconds, error);
}
