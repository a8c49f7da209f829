#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "formats/prism-pickle-private.h"

/* What the values of a pickle are: dictionaries, texts, and numbers of tensors. */

static const guint8 element_bytes[] = { 4, 8, 2, 2, 1, 1, 2, 4, 8, 8, 16 };

/**
 * prism_pickle_get_root:
 *
 * Returns: (transfer none): the dictionary that was saved
 */
const PrismPickleValue *
prism_pickle_get_root (const PrismPickle *self)
{
  return self->root;
}

/**
 * prism_pickle_get_item:
 * @dictionary: a value
 * @i: number of an entry
 * @key: (out) (transfer none): its key; "" where that is no text
 * @value: (out) (transfer none): what it has
 *
 * Returns: whether the value is a dictionary with so many entries
 */
gboolean
prism_pickle_get_item (const PrismPickleValue *dictionary,
                       guint i,
                       const char **key,
                       const PrismPickleValue **value)
{
  const PrismPickleValue *word;

  if (dictionary->kind != KIND_DICTIONARY || i >= dictionary->items->len / 2)
    return FALSE;
  word = dictionary->items->pdata[2 * i];
  *key = word->kind == KIND_TEXT ? word->text : "";
  *value = dictionary->items->pdata[2 * i + 1];
  return TRUE;
}

/**
 * prism_pickle_get:
 * @dictionary: a value
 * @key: of an entry
 *
 * Returns: (transfer none) (nullable): what a dictionary has under a key
 */
const PrismPickleValue *
prism_pickle_get (const PrismPickleValue *dictionary,
                  const char *key)
{
  const PrismPickleValue *value, *found = NULL;
  const char *word;

  for (guint i = 0; prism_pickle_get_item (dictionary, i, &word, &value); i++)
    if (strcmp (word, key) == 0)
      found = value;
  return found;
}

/**
 * prism_pickle_dup_text:
 * @value: a value
 *
 * Returns: (transfer full) (nullable): a number, a switch, a text or nothing as Python prints it;
 * %NULL for anything else
 */
char *
prism_pickle_dup_text (const PrismPickleValue *value)
{
  switch (value->kind)
    {
    case KIND_NONE:
      return g_strdup ("None");
    case KIND_SWITCH:
      return g_strdup (value->number != 0 ? "True" : "False");
    case KIND_INTEGER:
      return g_strdup_printf ("%.0f", value->number);
    case KIND_REAL:
      return g_strdup (prism_digits ("%.17g", value->number));
    case KIND_TEXT:
      return g_strdup (value->text);
    case KIND_LIST:
    case KIND_DICTIONARY:
    case KIND_NAME:
    case KIND_STORAGE:
    case KIND_TENSOR:
    case KIND_UNREAD:
    case KIND_MARK:
    default:
      return NULL;
    }
}

/**
 * prism_pickle_is_complex:
 * @tensor: (nullable): a value
 *
 * Returns: whether it is a tensor of complex numbers
 */
gboolean
prism_pickle_is_complex (const PrismPickleValue *tensor)
{
  return tensor != NULL && tensor->kind == KIND_TENSOR
         && tensor->storage->element >= ELEMENT_COMPLEX_FLOAT;
}

/**
 * prism_pickle_get_shape:
 * @tensor: (nullable): a value
 * @shape: (out caller-allocates): its dimensions, for a complex one 2 as the last
 *
 * Returns: how many dimensions, -1 for what is no tensor
 */
int
prism_pickle_get_shape (const PrismPickleValue *tensor,
                        gsize *shape)
{
  int n_dims;

  if (tensor == NULL || tensor->kind != KIND_TENSOR)
    return -1;
  n_dims = tensor->n_dims;
  memcpy (shape, tensor->shape, sizeof tensor->shape);
  if (prism_pickle_is_complex (tensor) && n_dims < PRISM_PICKLE_MAX_DIMS)
    shape[n_dims++] = 2;
  return n_dims;
}

/* Source: IEEE 754, binary16. */
static double
read_half (guint16 bits)
{
  int exponent = bits >> 10 & 31;
  double fraction = bits & 1023;
  double size = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                : exponent == 0 ? ldexp (fraction, -24)
                                : ldexp (1024 + fraction, exponent - 25);

  return bits >> 15 ? -size : size;
}

static double
read_element (const guint8 *bytes,
              int element)
{
  guint64 bits = 0;
  guint32 low;
  float single;
  double number;
  gsize n = element == ELEMENT_COMPLEX_FLOAT    ? 4
            : element == ELEMENT_COMPLEX_DOUBLE ? 8
                                                : element_bytes[element];

  for (gsize i = 0; i < n; i++)
    bits |= (guint64) bytes[i] << 8 * i;
  switch ((Element) element)
    {
    case ELEMENT_HALF:
      return read_half ((guint16) bits);
    case ELEMENT_BRAIN_HALF:
    case ELEMENT_FLOAT:
    case ELEMENT_COMPLEX_FLOAT:
      low = (guint32) (element == ELEMENT_BRAIN_HALF ? bits << 16 : bits);
      memcpy (&single, &low, sizeof single);
      return single;
    case ELEMENT_INT8:
      return (gint8) bits;
    case ELEMENT_UINT8:
      return (guint8) bits;
    case ELEMENT_INT16:
      return (gint16) bits;
    case ELEMENT_INT32:
      return (gint32) bits;
    case ELEMENT_INT64:
      return (double) (gint64) bits;
    case ELEMENT_DOUBLE:
    case ELEMENT_COMPLEX_DOUBLE:
    default:
      memcpy (&number, &bits, sizeof number);
      return number;
    }
}

/**
 * prism_pickle_load_tensor:
 * @tensor: a value of the file
 * @n_values: (out): how many numbers
 *
 * Shape: [shape] as prism_pickle_get_shape() has it, C order.
 * Errors: PRISM_ERROR_FORMAT where it is no tensor or its bytes are not there, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): its numbers, free with prism_arena_free_array()
 */
double *
prism_pickle_load_tensor (PrismPickle *self,
                          const PrismPickleValue *tensor,
                          gsize *n_values,
                          GError **error)
{
  gsize shape[PRISM_PICKLE_MAX_DIMS], n = 1, size, step, n_bytes = 0;
  g_autofree char *part = NULL;
  g_autoptr (GBytes) bytes = NULL;
  const guint8 *stored;
  int n_dims = prism_pickle_get_shape (tensor, shape);
  gboolean fits = n_dims >= 0;
  double *values;

  for (int i = 0; i < n_dims; i++)
    fits = fits && g_size_checked_mul (&n, n, shape[i]);
  fits = fits && g_size_checked_mul (&n_bytes, n, sizeof *values)
         && n_bytes <= PRISM_PICKLE_MAX_BYTES;
  if (!fits)
    {
      prism_error_format (error, "“%s” has no tensor there, or one of more than 1 GiB.",
                          self->name);
      return NULL;
    }
  part = g_strconcat ("data/", tensor->storage->text, NULL);
  bytes = prism_pickle_load_part (self, part, PRISM_PICKLE_MAX_BYTES, error);
  if (bytes == NULL)
    return NULL;
  size = element_bytes[tensor->storage->element];
  if (g_bytes_get_size (bytes) / size < tensor->storage->n_stored)
    {
      prism_error_format (error, "The part “%s” of “%s” has fewer numbers than it should.", part,
                          self->name);
      return NULL;
    }
  values = prism_arena_new_array (MAX (n_bytes, 1), "a tensor of a checkpoint", error);
  if (values == NULL)
    return NULL;
  stored = g_bytes_get_data (bytes, NULL);
  step = prism_pickle_is_complex (tensor) ? 2 : 1;
  for (gsize i = 0; i < n; i += step)
    {
      guint64 at = tensor->offset;
      gsize rest = i / step;

      for (int k = tensor->n_dims - 1; k >= 0; k--)
        {
          at += rest % tensor->shape[k] * tensor->stride[k];
          rest /= tensor->shape[k];
        }
      if (at >= tensor->storage->n_stored)
        {
          prism_arena_free_array (values);
          prism_error_format (error, "A tensor of “%s” reaches over the end of its array.",
                              self->name);
          return NULL;
        }
      for (gsize k = 0; k < step; k++)
        values[i + k] = read_element (stored + at * size + k * (size / 2),
                                      tensor->storage->element);
    }
  *n_values = n;
  return values;
}
