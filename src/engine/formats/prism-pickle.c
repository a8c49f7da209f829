#include "config.h"

#include "formats/prism-pickle.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "formats/prism-archive.h"
#include "formats/prism-source.h"

/* Source: Python, Lib/pickletools.py, protocol 2; PyTorch, torch/serialization.py and
 * torch/_utils.py. A file is a ZIP with NAME/data.pkl, a program for a machine with a stack, and
 * NAME/data/KEY, the bytes of each storage, of which tensors are views with strides. */

#define MAX_BYTES (G_GUINT64_CONSTANT (1) << 30) /* of a tensor */
#define MAX_PROGRAM_BYTES (4 << 20)
#define MAX_KEY 64
#define SWAP (G_BYTE_ORDER == G_BIG_ENDIAN)

typedef enum
{
  CALL_NOTHING,
  CALL_DICTIONARY,
  CALL_TENSOR,
  CALL_PARAMETER,
  CALL_UNREAD,
} Call;

/* All that a file may ask Python for. */
typedef struct
{
  const char *name;
  Call call;
  char kind;   /* of a storage: as prism_source_get() has it, 'c' of two 'f', 'b' half of an 'f' */
  guint8 size; /* bytes of its elements */
} Name;

static const Name names[] = {
  { "collections.OrderedDict", CALL_DICTIONARY, 0, 0 },
  { "torch._utils._rebuild_tensor_v2", CALL_TENSOR, 0, 0 },
  { "torch._utils._rebuild_parameter", CALL_PARAMETER, 0, 0 },
  { "torch.FloatStorage", CALL_NOTHING, 'f', 4 },
  { "torch.DoubleStorage", CALL_NOTHING, 'f', 8 },
  { "torch.HalfStorage", CALL_NOTHING, 'f', 2 },
  { "torch.BFloat16Storage", CALL_NOTHING, 'b', 2 },
  { "torch.CharStorage", CALL_NOTHING, 'i', 1 },
  { "torch.ByteStorage", CALL_NOTHING, 'u', 1 },
  { "torch.BoolStorage", CALL_NOTHING, 'u', 1 },
  { "torch.ShortStorage", CALL_NOTHING, 'i', 2 },
  { "torch.IntStorage", CALL_NOTHING, 'i', 4 },
  { "torch.LongStorage", CALL_NOTHING, 'i', 8 },
  { "torch.ComplexFloatStorage", CALL_NOTHING, 'c', 8 },
  { "torch.ComplexDoubleStorage", CALL_NOTHING, 'c', 16 },
  /* A number that NumPy computed. */
  { "numpy.core.multiarray.scalar", CALL_UNREAD, 0, 0 },
  { "numpy._core.multiarray.scalar", CALL_UNREAD, 0, 0 },
  { "numpy.dtype", CALL_UNREAD, 0, 0 },
  { "_codecs.encode", CALL_UNREAD, 0, 0 },
};

typedef enum
{
  KIND_PLAIN, /* nothing, a switch or a real number */
  KIND_INTEGER,
  KIND_TEXT,
  KIND_LIST,       /* or a tuple */
  KIND_DICTIONARY, /* items: key, value, key, value, … */
  KIND_NAME,       /* of something of Python's */
  KIND_STORAGE,
  KIND_TENSOR,
  KIND_UNREAD, /* what is allowed to be there, and is of no use here */
  KIND_MARK,
} Kind;

struct _PrismPickleValue
{
  Kind kind;
  char *text;       /* (nullable): as Python prints it; of a storage its key */
  double number;    /* of an integer */
  GPtrArray *items; /* of PrismPickleValue, which the file owns */
  const Name *name; /* of a storage that of its type */
  const PrismPickleValue *storage;
  guint64 n_stored; /* elements of a storage */
  guint64 offset;   /* of a tensor, elements */
  int n_dims;
  gsize shape[PRISM_PICKLE_MAX_DIMS];
  guint64 stride[PRISM_PICKLE_MAX_DIMS];
};

struct _PrismPickle
{
  char *name; /* for messages */
  zip_t *zip;
  char *folder;      /* of the archive, "checkpoint/" */
  GPtrArray *values; /* all of them */
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
  return value;
}

static gboolean
push_integer (Machine *self,
              gint64 number)
{
  PrismPickleValue *value = push (self, KIND_INTEGER);

  value->number = (double) number;
  value->text = g_strdup_printf ("%.0f", value->number);
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
    {
      push (self, KIND_UNREAD);
      return TRUE;
    }
  if (!g_utf8_validate ((const char *) bytes, length, NULL))
    return refuse (self, "a text in it is not UTF-8");
  push (self, KIND_TEXT)->text = g_strndup ((const char *) bytes, length);
  return TRUE;
}

/* The last n values, taken off the stack, in the order in which they came; below 0: all above the
 * last mark, which goes, too. NULL where there are fewer. */
static GPtrArray *
pop (Machine *self,
     int n)
{
  const guint length = self->stack->len;
  GPtrArray *items;
  guint first = length;

  while (first > 0 && (n < 0 || length - first < (guint) n)
         && ((PrismPickleValue *) self->stack->pdata[first - 1])->kind != KIND_MARK)
    first--;
  if (n < 0 ? first == 0 : length - first < (guint) n)
    {
      refuse (self, "it takes more from its stack than is there");
      return NULL;
    }
  items = g_ptr_array_new ();
  for (guint i = first; i < length; i++)
    g_ptr_array_add (items, self->stack->pdata[i]);
  g_ptr_array_set_size (self->stack, (int) first - (n < 0));
  return items;
}

/* (nullable): the topmost value where it is of that kind; it stays */
static PrismPickleValue *
peek (Machine *self,
      Kind kind)
{
  PrismPickleValue *value = self->stack->len > 0 ? self->stack->pdata[self->stack->len - 1] : NULL;

  return value != NULL && value->kind == kind ? value : NULL;
}

/* n: as pop() has it */
static gboolean
make_list (Machine *self,
           int n)
{
  GPtrArray *items = pop (self, n);

  if (items != NULL)
    push (self, KIND_LIST)->items = items;
  return items != NULL;
}

/* Adds the last values to the list or dictionary before them. */
static gboolean
add_items (Machine *self,
           Kind kind,
           int n)
{
  g_autoptr (GPtrArray) items = pop (self, n);
  PrismPickleValue *target = peek (self, kind);

  if (items == NULL || target == NULL || (kind == KIND_DICTIONARY && items->len % 2 != 0))
    return refuse (self, "a key of it has no value");
  g_ptr_array_extend (target->items, items, NULL, NULL);
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

  PRISM_FOR_EACH_OF (known, names)
    if (g_strcmp0 (known->name, name) == 0)
      {
        push (self, KIND_NAME)->name = known;
        return TRUE;
      }
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
  g_autoptr (GPtrArray) top = pop (self, 1);
  const PrismPickleValue *id = top != NULL ? top->pdata[0] : NULL;
  const PrismPickleValue *type = get_item (id, 1, KIND_NAME);
  const PrismPickleValue *key = get_item (id, 2, KIND_TEXT);
  const PrismPickleValue *n = get_item (id, 4, KIND_INTEGER);
  PrismPickleValue *storage;

  if (type == NULL || key == NULL || n == NULL || type->name->size == 0 || n->number < 0
      || n->number > MAX_BYTES || strlen (key->text) > MAX_KEY)
    return refuse (self, "it describes an array that cannot be");
  storage = push (self, KIND_STORAGE);
  storage->text = g_strdup (key->text);
  storage->name = type->name;
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
  gboolean empty = FALSE;
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
          || size->number > MAX_BYTES || step->number > MAX_BYTES)
        return refuse (self, "it describes a tensor that is not understood");
      tensor->shape[i] = (gsize) size->number;
      tensor->stride[i] = (guint64) step->number;
      /* Each product is below 2^60, the sum stays below the size of the storage or ends here. */
      if (tensor->shape[i] > 0)
        last += (tensor->shape[i] - 1) * tensor->stride[i];
      empty |= tensor->shape[i] == 0;
      if (last > storage->n_stored)
        return refuse (self, "a tensor of it reaches over the end of its array");
    }
  return empty || last < storage->n_stored
         || refuse (self, "a tensor of it reaches over the end of its array");
}

static gboolean
call (Machine *self)
{
  g_autoptr (GPtrArray) both = pop (self, 2);
  const PrismPickleValue *name = both != NULL ? both->pdata[0] : NULL;
  const PrismPickleValue *arguments = both != NULL ? both->pdata[1] : NULL, *data;

  if (name == NULL || arguments->kind != KIND_LIST || name->kind != KIND_NAME)
    return refuse (self, "it calls what is not to be called");
  switch (name->name->call)
    {
    case CALL_DICTIONARY:
      if (arguments->items->len > 0)
        return refuse (self, "it makes a dictionary in an unusual way");
      push (self, KIND_DICTIONARY)->items = g_ptr_array_new ();
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
  return push_integer (self, (gint64) number);
}

/* One instruction; FALSE at the end, or where it is refused. */
static gboolean
step (Machine *self)
{
  const guint8 *code = take (self, 1), *bytes;
  g_autoptr (GPtrArray) state = NULL;
  g_autofree char *reason = NULL;
  gpointer value;
  guint64 number;

  if (code == NULL)
    return FALSE;
  /* How many bytes of a number follow. */
  if (!take_number (self,
                    strchr ("Kqh\x80\x8a", *code) != NULL ? 1
                    : *code == 'M'                        ? 2
                    : strchr ("JXrj", *code) != NULL      ? 4
                                                          : 0,
                    &number))
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
      push (self, KIND_PLAIN)->text = g_strdup ("None");
      return TRUE;
    case 0x88:
    case 0x89:
      push (self, KIND_PLAIN)->text = g_strdup (*code == 0x88 ? "True" : "False");
      return TRUE;
    case 'K':
    case 'M':
      return push_integer (self, (gint64) number);
    case 'J':
      return push_integer (self, (gint32) (guint32) number);
    case 0x8a:
      return push_long (self, number);
    case 'G':
      bytes = take (self, 8);
      if (bytes != NULL)
        push (self, KIND_PLAIN)->text
            = g_strdup (prism_digits ("%.17g", prism_source_get (bytes, 'f', 8, !SWAP)));
      return bytes != NULL;
    case 'X':
      return push_text (self, number);
    case ')':
    case ']':
      return make_list (self, 0);
    case 0x85:
    case 0x86:
    case 0x87:
      return make_list (self, *code - 0x84);
    case 't':
      return make_list (self, -1);
    case '}':
      push (self, KIND_DICTIONARY)->items = g_ptr_array_new ();
      return TRUE;
    case 'a':
      return add_items (self, KIND_LIST, 1);
    case 'e':
      return add_items (self, KIND_LIST, -1);
    case 's':
      return add_items (self, KIND_DICTIONARY, 2);
    case 'u':
      return add_items (self, KIND_DICTIONARY, -1);
    case 'q':
    case 'r':
      if (self->stack->len == 0)
        return refuse (self, "it takes more from its stack than is there");
      g_hash_table_insert (self->memo, GUINT_TO_POINTER ((guint) number),
                           self->stack->pdata[self->stack->len - 1]);
      return TRUE;
    case 'h':
    case 'j':
      value = g_hash_table_lookup (self->memo, GUINT_TO_POINTER ((guint) number));
      if (value == NULL)
        return refuse (self, "it repeats what was not there before");
      g_ptr_array_add (self->stack, value);
      return TRUE;
    case 'c':
      return read_name (self);
    case 'Q':
      return make_storage (self);
    case 'R':
      return call (self);
    case 'b':
      /* The attributes of a dictionary of PyTorch's, or of what stays unread: of no use. */
      state = pop (self, 1);
      return (state != NULL
              && (peek (self, KIND_DICTIONARY) != NULL || peek (self, KIND_UNREAD) != NULL))
             || refuse (self, "it sets attributes of what has none");
    default:
      reason = g_strdup_printf ("it has the instruction 0x%02x, which tensors do not need", *code);
      return refuse (self, reason);
    }
}

static const PrismPickleValue *
run (PrismPickle *self,
     GBytes *program,
     GError **error)
{
  gsize length;
  const guint8 *start = g_bytes_get_data (program, &length);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_autoptr (GHashTable) memo = g_hash_table_new (NULL, NULL);
  Machine machine = { self, start, start + length, stack, memo, NULL };
  g_autofree char *reason = NULL;

  while (step (&machine))
    ;
  if (machine.reason == NULL && (stack->len != 1 || peek (&machine, KIND_DICTIONARY) == NULL))
    refuse (&machine, "it does not end with one dictionary");
  reason = machine.reason;
  if (reason == NULL)
    return stack->pdata[0];
  prism_error_format (error, "“%s” is not read: %s. Nothing of it was run.", self->name, reason);
  return NULL;
}

static GBytes *
load_part (PrismPickle *self,
           const char *name,
           guint64 max_bytes,
           GError **error)
{
  g_autofree char *whole = g_strconcat (self->folder, name, NULL);

  return prism_zip_load (self->zip, self->name, whole, max_bytes, error);
}

/**
 * prism_pickle_load:
 * @path: what torch.save() has written of a dictionary
 * @root: (out) (transfer none): the dictionary
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
                   const PrismPickleValue **root,
                   GError **error)
{
  g_autoptr (PrismPickle) self = g_new0 (PrismPickle, 1);
  g_autoptr (GBytes) program = NULL;
  g_autofree char *order_name = NULL;
  const int fd = prism_file_open (path, G_MAXUINT64, NULL, error);

  self->name = prism_file_dup_display_name (path);
  self->values = g_ptr_array_new_with_free_func (free_value);
  if (fd < 0)
    return NULL;
  self->zip = zip_fdopen (fd, 0, &(int) { 0 });
  if (self->zip == NULL)
    close (fd);
  for (zip_int64_t i = 0; self->zip != NULL && self->folder == NULL
                          && i < zip_get_num_entries (self->zip, 0);
       i++)
    {
      const char *name = zip_get_name (self->zip, i, 0);

      if (name != NULL && g_str_has_suffix (name, "/data.pkl"))
        self->folder = g_strndup (name, strlen (name) - strlen ("data.pkl"));
    }
  if (self->folder == NULL)
    {
      prism_error_format (error, "“%s” is no file of PyTorch 1.6 or later: it is no ZIP with a"
                                 " part “data.pkl”. Save it again with torch.save().",
                          self->name);
      return NULL;
    }
  order_name = g_strconcat (self->folder, "byteorder", NULL);
  if (zip_name_locate (self->zip, order_name, 0) >= 0)
    {
      g_autoptr (GBytes) order = load_part (self, "byteorder", 16, error);

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
  program = load_part (self, "data.pkl", MAX_PROGRAM_BYTES, error);
  *root = program != NULL ? run (self, program, error) : NULL;
  return *root != NULL ? g_steal_pointer (&self) : NULL;
}

/**
 * prism_pickle_free:
 * @self: (nullable): a file
 *
 * Closes it; its values are gone then.
 */
PRISM_FREE_FOR_ALL (PrismPickle,
                    prism_pickle_free,
                    zip_discard,
                    zip,
                    g_ptr_array_unref,
                    values,
                    g_free,
                    folder,
                    g_free,
                    name)

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
 * prism_pickle_get_text:
 * @value: a value
 *
 * Returns: (transfer none) (nullable): a number, a switch, a text or nothing as Python prints it;
 * %NULL for anything else
 */
const char *
prism_pickle_get_text (const PrismPickleValue *value)
{
  return value->kind <= KIND_TEXT ? value->text : NULL;
}

/**
 * prism_pickle_get_shape:
 * @tensor: (nullable): a value
 * @shape: (out caller-allocates): its dimensions, for a complex one 2 as the last
 * @is_complex: (out): whether its numbers are
 *
 * Returns: how many dimensions, -1 for what is no tensor
 */
int
prism_pickle_get_shape (const PrismPickleValue *tensor,
                        gsize *shape,
                        gboolean *is_complex)
{
  int n_dims;

  *is_complex = FALSE;
  if (tensor == NULL || tensor->kind != KIND_TENSOR)
    return -1;
  n_dims = tensor->n_dims;
  memcpy (shape, tensor->shape, sizeof tensor->shape);
  *is_complex = tensor->storage->name->kind == 'c';
  if (*is_complex)
    shape[n_dims++] = 2;
  return n_dims;
}

static double
read_element (const guint8 *bytes,
              char kind,
              gsize size)
{
  const guint64 bits = prism_source_get_bits (bytes, size, SWAP);
  const guint32 widened = (guint32) bits << 16;

  return kind == 'b' ? prism_source_get ((const guint8 *) &widened, 'f', 4, FALSE)
                     : prism_source_get (bytes, kind == 'c' ? 'f' : kind, size, SWAP);
}

/**
 * prism_pickle_load_tensor:
 * @tensor: a value of the file
 *
 * Shape: [shape] as prism_pickle_get_shape() has it, C order.
 * Errors: PRISM_ERROR_FORMAT where it is no tensor or its bytes are not there, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): its numbers, free with prism_arena_free_array()
 */
double *
prism_pickle_load_tensor (PrismPickle *self,
                          const PrismPickleValue *tensor,
                          GError **error)
{
  gsize shape[PRISM_PICKLE_MAX_DIMS], n = 1, size, step, n_bytes = 0;
  g_autofree char *part = NULL;
  g_autoptr (GBytes) bytes = NULL;
  const guint8 *stored;
  gboolean is_complex;
  int n_dims = prism_pickle_get_shape (tensor, shape, &is_complex);
  gboolean fits = n_dims >= 0;
  double *values;

  for (int i = 0; i < n_dims; i++)
    fits = fits && g_size_checked_mul (&n, n, shape[i]);
  fits = fits && g_size_checked_mul (&n_bytes, n, sizeof *values)
         && n_bytes <= MAX_BYTES;
  if (!fits)
    {
      prism_error_format (error, "“%s” has no tensor there, or one of more than 1 GiB.",
                          self->name);
      return NULL;
    }
  part = g_strconcat ("data/", tensor->storage->text, NULL);
  bytes = load_part (self, part, MAX_BYTES, error);
  if (bytes == NULL)
    return NULL;
  size = tensor->storage->name->size;
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
  step = is_complex ? 2 : 1;
  for (gsize i = 0; i < n; i += step)
    {
      guint64 at = tensor->offset;
      gsize rest = i / step;

      for (int k = tensor->n_dims - 1; k >= 0; k--)
        {
          at += rest % tensor->shape[k] * tensor->stride[k];
          rest /= tensor->shape[k];
        }
      for (gsize k = 0; k < step; k++)
        values[i + k] = read_element (stored + at * size + k * (size / 2),
                                      tensor->storage->name->kind, size / step);
    }
  return values;
}
