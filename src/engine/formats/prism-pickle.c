#include "config.h"

#include "formats/prism-pickle-private.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-archive.h"

/* Source: Python, Lib/pickletools.py, protocol 2; PyTorch, torch/serialization.py and
 * torch/_utils.py. A file is a ZIP with NAME/data.pkl, a program for a machine with a stack, and
 * NAME/data/KEY, the bytes of each storage, of which tensors are views with strides. */

#define MAX_PROGRAM_BYTES (4 << 20)
#define MAX_KEY 64

typedef enum
{
  CALL_NOTHING,
  CALL_DICTIONARY,
  CALL_TENSOR,
  CALL_PARAMETER,
  CALL_UNREAD,
} Call;

/* All that a file may ask Python for. */
static const struct
{
  const char *name;
  Call call;
  int element; /* of a storage, else -1 */
} names[] = {
  { "collections.OrderedDict", CALL_DICTIONARY, -1 },
  { "torch._utils._rebuild_tensor_v2", CALL_TENSOR, -1 },
  { "torch._utils._rebuild_parameter", CALL_PARAMETER, -1 },
  { "torch.FloatStorage", CALL_NOTHING, ELEMENT_FLOAT },
  { "torch.DoubleStorage", CALL_NOTHING, ELEMENT_DOUBLE },
  { "torch.HalfStorage", CALL_NOTHING, ELEMENT_HALF },
  { "torch.BFloat16Storage", CALL_NOTHING, ELEMENT_BRAIN_HALF },
  { "torch.CharStorage", CALL_NOTHING, ELEMENT_INT8 },
  { "torch.ByteStorage", CALL_NOTHING, ELEMENT_UINT8 },
  { "torch.BoolStorage", CALL_NOTHING, ELEMENT_UINT8 },
  { "torch.ShortStorage", CALL_NOTHING, ELEMENT_INT16 },
  { "torch.IntStorage", CALL_NOTHING, ELEMENT_INT32 },
  { "torch.LongStorage", CALL_NOTHING, ELEMENT_INT64 },
  { "torch.ComplexFloatStorage", CALL_NOTHING, ELEMENT_COMPLEX_FLOAT },
  { "torch.ComplexDoubleStorage", CALL_NOTHING, ELEMENT_COMPLEX_DOUBLE },
  /* A number that NumPy computed. */
  { "numpy.core.multiarray.scalar", CALL_UNREAD, -1 },
  { "numpy._core.multiarray.scalar", CALL_UNREAD, -1 },
  { "numpy.dtype", CALL_UNREAD, -1 },
  { "_codecs.encode", CALL_UNREAD, -1 },
};

/* The machine. */
typedef struct
{
  PrismPickle *file;
  const guint8 *at, *end;
  GPtrArray *stack;
  GHashTable *memo; /* number → value */
  char *reason;     /* (nullable): why it stopped */
} Machine;

PRISM_FREE (PrismPickleValue, free_value, g_free, text, g_ptr_array_unref, items)

static gboolean
refuse (Machine *self,
        const char *reason)
{
  if (self->reason == NULL)
    self->reason = g_strdup (reason);
  return FALSE;
}

/* (nullable): the next n bytes */
static const guint8 *
take (Machine *self,
      gsize n)
{
  const guint8 *bytes = self->at;

  if ((gsize) (self->end - self->at) < n)
    {
      refuse (self, "it ends in the middle");
      return NULL;
    }
  self->at += n;
  return bytes;
}

/* Little-endian. */
static gboolean
take_number (Machine *self,
             gsize n,
             guint64 *number)
{
  const guint8 *bytes = take (self, n);

  *number = 0;
  for (gsize i = 0; i < n && bytes != NULL; i++)
    *number |= (guint64) bytes[i] << 8 * i;
  return bytes != NULL;
}

/* (nullable): up to the next line feed, which it skips */
static char *
take_line (Machine *self)
{
  const guint8 *start = self->at;
  const guint8 *end = memchr (start, '\n', self->end - start);

  if (end == NULL)
    {
      refuse (self, "it ends in the middle");
      return NULL;
    }
  self->at = end + 1;
  return g_strndup ((const char *) start, end - start);
}

static PrismPickleValue *
push (Machine *self,
      Kind kind)
{
  PrismPickleValue *value = g_new0 (PrismPickleValue, 1);

  value->kind = kind;
  g_ptr_array_add (self->file->values, value);
  g_ptr_array_add (self->stack, value);
  if (kind == KIND_LIST || kind == KIND_DICTIONARY)
    value->items = g_ptr_array_new ();
  return value;
}

static gboolean
push_number (Machine *self,
             Kind kind,
             double number)
{
  push (self, kind)->number = number;
  return TRUE;
}

static gboolean
push_text (Machine *self,
           gsize length)
{
  const guint8 *bytes = take (self, length);

  if (bytes == NULL)
    return FALSE;
  /* Bytes of a number of NumPy's are written as a text, too. */
  if (memchr (bytes, '\0', length) != NULL)
    return push_number (self, KIND_UNREAD, 0);
  if (!g_utf8_validate ((const char *) bytes, length, NULL))
    return refuse (self, "a text in it is not UTF-8");
  push (self, KIND_TEXT)->text = g_strndup ((const char *) bytes, length);
  return TRUE;
}

/* (nullable): the topmost value, taken off; never a mark */
static PrismPickleValue *
pop (Machine *self)
{
  PrismPickleValue *value = self->stack->len > 0 ? self->stack->pdata[self->stack->len - 1] : NULL;

  if (value == NULL || value->kind == KIND_MARK)
    {
      refuse (self, "it takes more from its stack than is there");
      return NULL;
    }
  g_ptr_array_set_size (self->stack, (int) self->stack->len - 1);
  return value;
}

/* The values above the last mark go to a list, and the mark goes. */
static gboolean
pop_to_mark (Machine *self,
             GPtrArray *items)
{
  guint n = self->stack->len;

  while (n > 0 && ((PrismPickleValue *) self->stack->pdata[n - 1])->kind != KIND_MARK)
    n--;
  if (n == 0)
    return refuse (self, "a mark is missing on its stack");
  for (guint i = n; i < self->stack->len; i++)
    g_ptr_array_add (items, self->stack->pdata[i]);
  g_ptr_array_set_size (self->stack, (int) n - 1);
  return TRUE;
}

/* (nullable): the topmost value where it is of that kind; it stays */
static PrismPickleValue *
peek (Machine *self,
      Kind kind)
{
  PrismPickleValue *value = self->stack->len > 0 ? self->stack->pdata[self->stack->len - 1] : NULL;

  if (value != NULL && value->kind == kind)
    return value;
  refuse (self, "its values are not of the kinds that are expected");
  return NULL;
}

/* Takes n values off the stack, in the order in which they came; NULL where there are fewer. */
static GPtrArray *
take_last (Machine *self,
           guint n)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();

  for (guint i = 0; i < n; i++)
    {
      PrismPickleValue *value = pop (self);

      if (value == NULL)
        return NULL;
      g_ptr_array_insert (items, 0, value);
    }
  return g_steal_pointer (&items);
}

static gboolean
make_tuple (Machine *self,
            guint n)
{
  g_autoptr (GPtrArray) items = take_last (self, n);

  if (items == NULL)
    return FALSE;
  g_ptr_array_extend (push (self, KIND_LIST)->items, items, NULL, NULL);
  return TRUE;
}

static gboolean
read_name (Machine *self)
{
  g_autofree char *module = take_line (self);
  g_autofree char *word = module != NULL ? take_line (self) : NULL;
  g_autofree char *name = word != NULL ? g_strconcat (module, ".", word, NULL) : NULL;
  g_autofree char *shown = name != NULL ? g_utf8_make_valid (name, MIN (strlen (name), 80)) : NULL;
  g_autofree char *reason = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (names) && name != NULL; i++)
    if (strcmp (names[i].name, name) == 0)
      return push_number (self, KIND_NAME, (double) i);
  reason = g_strdup_printf ("it asks Python for “%s”, which tensors and numbers do not need",
                            shown);
  return refuse (self, reason);
}

static const PrismPickleValue *
get_item (const PrismPickleValue *list,
          guint i,
          Kind kind)
{
  const PrismPickleValue *item;

  if (list == NULL || list->kind != KIND_LIST || i >= list->items->len)
    return NULL;
  item = list->items->pdata[i];
  return item->kind == kind ? item : NULL;
}

/* ("storage", torch.FloatStorage, "0", "cpu", 100) */
static gboolean
make_storage (Machine *self)
{
  PrismPickleValue *id = peek (self, KIND_LIST);
  const PrismPickleValue *type = get_item (id, 1, KIND_NAME);
  const PrismPickleValue *key = get_item (id, 2, KIND_TEXT);
  const PrismPickleValue *n = get_item (id, 4, KIND_INTEGER);
  PrismPickleValue *storage;

  if (type == NULL || key == NULL || n == NULL || names[(int) type->number].element < 0
      || n->number < 0 || n->number > PRISM_PICKLE_MAX_BYTES || strlen (key->text) > MAX_KEY)
    return refuse (self, "it describes an array that cannot be");
  pop (self);
  storage = push (self, KIND_STORAGE);
  storage->text = g_strdup (key->text);
  storage->element = names[(int) type->number].element;
  storage->n_stored = (guint64) n->number;
  return TRUE;
}

/* (storage, offset, shape, strides, requires_grad, hooks[, metadata]) */
static gboolean
make_tensor (Machine *self,
             const PrismPickleValue *arguments)
{
  const PrismPickleValue *storage = get_item (arguments, 0, KIND_STORAGE);
  const PrismPickleValue *offset = get_item (arguments, 1, KIND_INTEGER);
  const PrismPickleValue *shape = get_item (arguments, 2, KIND_LIST);
  const PrismPickleValue *stride = get_item (arguments, 3, KIND_LIST);
  PrismPickleValue *tensor;
  guint64 last;

  if (storage == NULL || offset == NULL || offset->number < 0 || shape == NULL || stride == NULL
      || arguments->items->len > 6 || shape->items->len != stride->items->len
      || shape->items->len >= PRISM_PICKLE_MAX_DIMS || offset->number > storage->n_stored)
    return refuse (self, "it describes a tensor that is not understood");
  tensor = push (self, KIND_TENSOR);
  tensor->storage = storage;
  tensor->offset = last = (guint64) offset->number;
  tensor->n_dims = (int) shape->items->len;
  for (int i = 0; i < tensor->n_dims; i++)
    {
      const PrismPickleValue *size = get_item (shape, i, KIND_INTEGER);
      const PrismPickleValue *step = get_item (stride, i, KIND_INTEGER);

      if (size == NULL || step == NULL || size->number < 0 || step->number < 0
          || size->number > PRISM_PICKLE_MAX_BYTES || step->number > PRISM_PICKLE_MAX_BYTES)
        return refuse (self, "it describes a tensor that is not understood");
      tensor->shape[i] = (gsize) size->number;
      tensor->stride[i] = (guint64) step->number;
      /* Each product is below 2^60, the sum stays below the size of the storage or ends here. */
      if (tensor->shape[i] > 0)
        last += (tensor->shape[i] - 1) * tensor->stride[i];
      if (last > storage->n_stored)
        return refuse (self, "a tensor of it reaches over the end of its array");
    }
  return TRUE;
}

static gboolean
call (Machine *self)
{
  const PrismPickleValue *arguments = pop (self), *name = pop (self), *data;

  if (name == NULL || arguments->kind != KIND_LIST || name->kind != KIND_NAME)
    return refuse (self, "it calls what is not to be called");
  switch (names[(int) name->number].call)
    {
    case CALL_DICTIONARY:
      if (arguments->items->len > 0)
        return refuse (self, "it makes a dictionary in an unusual way");
      push (self, KIND_DICTIONARY);
      return TRUE;
    case CALL_TENSOR:
      return make_tensor (self, arguments);
    case CALL_PARAMETER:
      data = get_item (arguments, 0, KIND_TENSOR);
      if (data == NULL)
        return refuse (self, "a parameter of it is no tensor");
      g_ptr_array_add (self->stack, (gpointer) data);
      return TRUE;
    case CALL_UNREAD:
      push (self, KIND_UNREAD);
      return TRUE;
    case CALL_NOTHING:
    default:
      return refuse (self, "it calls what is not to be called");
    }
}

/* The attributes of a dictionary of PyTorch's, or of what stays unread: of no use. */
static gboolean
skip_state (Machine *self)
{
  const PrismPickleValue *target;

  if (pop (self) == NULL)
    return FALSE;
  target = self->stack->len > 0 ? self->stack->pdata[self->stack->len - 1] : NULL;
  if (target != NULL && (target->kind == KIND_DICTIONARY || target->kind == KIND_UNREAD))
    return TRUE;
  return refuse (self, "it sets attributes of what has none");
}

static gboolean
add_items (Machine *self,
           Kind kind,
           GPtrArray *items)
{
  PrismPickleValue *target = peek (self, kind);

  if (target == NULL || (kind == KIND_DICTIONARY && items->len % 2 != 0))
    return refuse (self, "a key of it has no value");
  g_ptr_array_extend (target->items, items, NULL, NULL);
  return TRUE;
}

static gboolean
add_marked (Machine *self,
            Kind kind)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();

  return pop_to_mark (self, items) && add_items (self, kind, items);
}

static gboolean
add_some (Machine *self,
          Kind kind,
          guint n)
{
  g_autoptr (GPtrArray) items = take_last (self, n);

  if (items == NULL)
    return FALSE;
  return add_items (self, kind, items);
}

static gboolean
store (Machine *self,
       guint64 number)
{
  if (self->stack->len == 0)
    return refuse (self, "it takes more from its stack than is there");
  g_hash_table_insert (self->memo, GUINT_TO_POINTER ((guint) number),
                       self->stack->pdata[self->stack->len - 1]);
  return TRUE;
}

static gboolean
fetch (Machine *self,
       guint64 number)
{
  gpointer value = g_hash_table_lookup (self->memo, GUINT_TO_POINTER ((guint) number));

  if (value == NULL)
    return refuse (self, "it repeats what was not there before");
  g_ptr_array_add (self->stack, value);
  return TRUE;
}

static gboolean
push_real (Machine *self)
{
  const guint8 *bytes = take (self, 8);
  guint64 bits = 0;
  double number;

  for (int i = 0; i < 8 && bytes != NULL; i++)
    bits = bits << 8 | bytes[i];
  memcpy (&number, &bits, sizeof number);
  return bytes != NULL && push_number (self, KIND_REAL, number);
}

/* Two's complement of n bytes. */
static gboolean
push_long (Machine *self,
           guint64 length)
{
  guint64 number;

  if (length > 8)
    return refuse (self, "a number of it has more than 64 bits");
  if (!take_number (self, length, &number))
    return FALSE;
  if (length > 0 && length < 8 && number >> (8 * length - 1) != 0)
    number |= ~G_GUINT64_CONSTANT (0) << 8 * length;
  return push_number (self, KIND_INTEGER, (double) (gint64) number);
}

/* One instruction; FALSE at the end, or where it is refused. */
static gboolean
step (Machine *self)
{
  /* Bytes of the number that follows an instruction. */
  static const guint8 n_bytes[256] = {
    ['K'] = 1,
    ['q'] = 1,
    ['h'] = 1,
    [0x80] = 1,
    [0x8a] = 1,
    ['M'] = 2,
    ['J'] = 4,
    ['X'] = 4,
    ['r'] = 4,
    ['j'] = 4,
  };
  const guint8 *code = take (self, 1);
  guint64 number;
  g_autofree char *reason = NULL;

  if (code == NULL || !take_number (self, n_bytes[*code], &number))
    return FALSE;
  switch (*code)
    {
    case 0x80:
      return TRUE;
    case '.':
      return FALSE;
    case '(':
      push (self, KIND_MARK);
      return TRUE;
    case 'N':
      return push_number (self, KIND_NONE, 0);
    case 0x88:
    case 0x89:
      return push_number (self, KIND_SWITCH, *code == 0x88);
    case 'K':
    case 'M':
      return push_number (self, KIND_INTEGER, (double) number);
    case 'J':
      return push_number (self, KIND_INTEGER, (gint32) (guint32) number);
    case 0x8a:
      return push_long (self, number);
    case 'G':
      return push_real (self);
    case 'X':
      return push_text (self, number);
    case ')':
      return make_tuple (self, 0);
    case 0x85:
    case 0x86:
    case 0x87:
      return make_tuple (self, *code - 0x84);
    case 't':
      {
        g_autoptr (GPtrArray) items = g_ptr_array_new ();

        if (!pop_to_mark (self, items))
          return FALSE;
        g_ptr_array_extend (push (self, KIND_LIST)->items, items, NULL, NULL);
        return TRUE;
      }
    case ']':
      push (self, KIND_LIST);
      return TRUE;
    case '}':
      push (self, KIND_DICTIONARY);
      return TRUE;
    case 'a':
      return add_some (self, KIND_LIST, 1);
    case 'e':
      return add_marked (self, KIND_LIST);
    case 's':
      return add_some (self, KIND_DICTIONARY, 2);
    case 'u':
      return add_marked (self, KIND_DICTIONARY);
    case 'q':
    case 'r':
      return store (self, number);
    case 'h':
    case 'j':
      return fetch (self, number);
    case 'c':
      return read_name (self);
    case 'Q':
      return make_storage (self);
    case 'R':
      return call (self);
    case 'b':
      return skip_state (self);
    default:
      reason = g_strdup_printf ("it has the instruction 0x%02x, which tensors do not need", *code);
      return refuse (self, reason);
    }
}

static gboolean
run (PrismPickle *self,
     GBytes *program,
     GError **error)
{
  gsize length;
  const guint8 *start = g_bytes_get_data (program, &length);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_autoptr (GHashTable) memo = g_hash_table_new (NULL, NULL);
  Machine machine = { self, start, start + length, stack, memo, NULL };

  while (step (&machine))
    ;
  if (machine.reason == NULL && (stack->len != 1 || peek (&machine, KIND_DICTIONARY) == NULL))
    refuse (&machine, "it does not end with one dictionary");
  if (machine.reason != NULL)
    {
      prism_error_format (error, "“%s” is not read: %s. Nothing of it was run.", self->name,
                          machine.reason);
      g_free (machine.reason);
      return FALSE;
    }
  self->root = stack->pdata[0];
  return TRUE;
}

/**
 * prism_pickle_load_part:
 * @name: of a part, without the folder of the archive
 * @max_bytes: limit, checked before anything is allocated
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): what it holds
 */
GBytes *
prism_pickle_load_part (PrismPickle *self,
                        const char *name,
                        guint64 max_bytes,
                        GError **error)
{
  g_autofree char *whole = g_strconcat (self->folder, name, NULL);
  const char *reason = "it is missing";
  zip_stat_t status;
  char *data;

  if (zip_stat (self->zip, whole, 0, &status) == 0)
    {
      reason = prism_zip_check_size (&status);
      if (reason == NULL && status.size > max_bytes)
        reason = "it is larger than it can be";
    }
  if (reason == NULL)
    {
      data = prism_arena_new_array (MAX (status.size, 1), "a part of a checkpoint", error);
      if (data == NULL)
        return NULL;
      if (prism_zip_read_member (self->zip, status.index, data, status.size))
        return g_bytes_new_with_free_func (data, status.size, prism_arena_free_array, data);
      prism_arena_free_array (data);
      reason = "it is cut off or its checksum is wrong";
    }
  prism_error_format (error, "The part “%s” of “%s” cannot be read: %s.", name, self->name, reason);
  return NULL;
}

static gboolean
open_file (PrismPickle *self,
           const char *path,
           GError **error)
{
  int fd = prism_file_open (path, G_MAXUINT64, NULL, error);
  int code;

  if (fd < 0)
    return FALSE;
  self->zip = zip_fdopen (fd, 0, &code);
  if (self->zip == NULL)
    close (fd);
  for (zip_int64_t i = 0; self->zip != NULL && i < zip_get_num_entries (self->zip, 0); i++)
    {
      const char *name = zip_get_name (self->zip, i, 0);

      if (name == NULL || !g_str_has_suffix (name, "/data.pkl"))
        continue;
      self->folder = g_strndup (name, strlen (name) - strlen ("data.pkl"));
      return TRUE;
    }
  return prism_error_format (error, "“%s” is no file of PyTorch 1.6 or later: it is no ZIP with a"
                                    " part “data.pkl”. Save it again with torch.save().",
                             self->name);
}

/**
 * prism_pickle_load:
 * @path: what torch.save() has written of a dictionary
 *
 * Reads it; tensors are read one by one when asked for.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, also where it has more than tensors, numbers and
 * texts; PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the file
 */
PrismPickle *
prism_pickle_load (const char *path,
                   GError **error)
{
  g_autoptr (PrismPickle) self = g_new0 (PrismPickle, 1);
  g_autoptr (GBytes) program = NULL;
  g_autofree char *order_name = NULL;

  self->name = prism_file_dup_display_name (path);
  self->values = g_ptr_array_new_with_free_func (free_value);
  if (!open_file (self, path, error))
    return NULL;
  order_name = g_strconcat (self->folder, "byteorder", NULL);
  if (zip_name_locate (self->zip, order_name, 0) >= 0)
    {
      g_autoptr (GBytes) order = prism_pickle_load_part (self, "byteorder", 16, error);

      if (order == NULL)
        return NULL;
      if (g_bytes_get_size (order) != 6
          || memcmp (g_bytes_get_data (order, NULL), "little", 6) != 0)
        {
          prism_error_format (error, "“%s” has another order of bytes than little-endian: load and"
                                     " save it again on another computer.",
                              self->name);
          return NULL;
        }
    }
  program = prism_pickle_load_part (self, "data.pkl", MAX_PROGRAM_BYTES, error);
  return program != NULL && run (self, program, error) ? g_steal_pointer (&self) : NULL;
}

/**
 * prism_pickle_free:
 * @self: (nullable): a file
 *
 * Closes it; its values are gone then.
 */
void
prism_pickle_free (PrismPickle *self)
{
  if (self == NULL)
    return;
  if (self->zip != NULL)
    zip_discard (self->zip);
  g_ptr_array_unref (self->values);
  g_free (self->folder);
  g_free (self->name);
  g_free (self);
}
