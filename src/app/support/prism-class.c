#include "config.h"

#include "support/prism-class.h"

/* What is given back with an object of a class. */
typedef struct
{
  gssize offset; /* of a member; 0: the object itself is given to free */
  GDestroyNotify free;
  gboolean late; /* when the object is freed, not when it is disposed of */
} Held;

static GQuark
get_held_quark (void)
{
  return g_quark_from_static_string ("prism-held");
}

/* A source has a number, all else is a pointer. */
static void
give_back (GObject *object,
           const Held *held)
{
  if (held->offset == 0)
    held->free (object);
  else if (held->free == (GDestroyNotify) G_CALLBACK (g_source_remove))
    g_clear_handle_id ((guint *) G_STRUCT_MEMBER_P (object, held->offset), g_source_remove);
  else
    g_clear_pointer ((gpointer *) G_STRUCT_MEMBER_P (object, held->offset), held->free);
}

/* The classes of the program first, which stand below the ones of GTK; returns the next class. */
static GObjectClass *
give_all_back (GObject *object,
               gboolean late)
{
  GType type = G_OBJECT_TYPE (object), last = type;

  for (; type != G_TYPE_INVALID; type = g_type_parent (type))
    {
      const GArray *all = g_type_get_qdata (type, get_held_quark ());

      for (guint i = 0; all != NULL && i < all->len; i++)
        if (g_array_index (all, Held, i).late == late)
          give_back (object, &g_array_index (all, Held, i));
      if (all != NULL)
        last = type;
    }
  return g_type_class_peek (g_type_parent (last));
}

static void
dispose (GObject *object)
{
  give_all_back (object, FALSE)->dispose (object);
}

static void
finalize (GObject *object)
{
  give_all_back (object, TRUE)->finalize (object);
}

/**
 * prism_class_give_back:
 * @klass: of the objects; no class between it and those of GTK disposes or frees in its own way
 * @late: whether when an object is freed, rather than when it is disposed of
 * @free: frees what a member has, or gets the object
 * @offsets: (array zero-terminated=1): of the members; none: @free gets the object
 *
 * Lets go of what an object has, once, in the order of the calls. A member is NULL or 0 then.
 */
void
prism_class_give_back (gpointer klass,
                       gboolean late,
                       GCallback free,
                       const gssize *offsets)
{
  const GType type = G_TYPE_FROM_CLASS (klass);
  GArray *all = g_type_get_qdata (type, get_held_quark ());

  if (all == NULL)
    {
      all = g_array_new (FALSE, FALSE, sizeof (Held));
      g_type_set_qdata (type, get_held_quark (), all);
      G_OBJECT_CLASS (klass)->dispose = dispose;
      G_OBJECT_CLASS (klass)->finalize = finalize;
    }
  do
    {
      const Held held = { *offsets, (GDestroyNotify) free, late };

      g_array_append_val (all, held);
    }
  while (*offsets != 0 && *++offsets != 0);
}

gboolean
prism_keep (gpointer slot,
            gconstpointer value,
            gpointer dup,
            gpointer free)
{
  gpointer *held = slot, before = *held;

  if (value == before)
    return FALSE;
  *held = value != NULL ? ((gpointer (*) (gconstpointer)) dup) (value) : NULL;
  if (before != NULL)
    ((GDestroyNotify) free) (before);
  return TRUE;
}

gboolean
prism_keep_text (char **slot,
                 const char *text)
{
  g_autofree char *before = *slot;

  if (g_strcmp0 (before, text) == 0)
    {
      before = NULL;
      return FALSE;
    }
  *slot = g_strdup (text);
  return TRUE;
}

typedef struct
{
  guint *id;
  void (*func) (gpointer data);
  gpointer data;
} Later;

static gboolean
on_later (gpointer data)
{
  const Later *later = data;

  *later->id = 0;
  later->func (later->data);
  return G_SOURCE_REMOVE;
}

void
prism_later (guint *id,
             guint delay,
             gpointer func,
             gpointer data)
{
  GSource *source = delay > 0 ? g_timeout_source_new (delay) : g_idle_source_new ();

  g_clear_handle_id (id, g_source_remove);
  g_source_set_callback (source, on_later, PRISM_NEW (Later, id, func, data), g_free);
  *id = g_source_attach (source, NULL);
  g_source_unref (source);
}

/**
 * prism_signal_new:
 * @klass: of the objects that emit it
 * @name: of the signal
 * @n: how many arguments it has
 * @...: their types
 *
 * Gives objects a signal, which g_signal_emit_by_name() emits. Nothing is returned by its handlers.
 */
void
prism_signal_new (gpointer klass,
                  const char *name,
                  guint n,
                  ...)
{
  va_list types;

  va_start (types, n);
  g_signal_new_valist (name, G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, NULL, NULL, NULL, NULL,
                       G_TYPE_NONE, n, types);
  va_end (types);
}

/* What a property reads and writes. */
typedef struct
{
  gsize offset; /* of a member, 0: there are functions */
  gpointer get; /* (nullable) */
  gpointer set; /* (nullable) */
} Access;

static const Access *
get_access (GParamSpec *pspec)
{
  return g_param_spec_get_qdata (pspec, g_quark_from_static_string ("prism-access"));
}

/* Of what returns, or is, a @Type. */
#define GET(Type)                                                     \
  (access->get != NULL ? ((Type (*) (gpointer)) access->get) (object) \
                       : *(Type *) G_STRUCT_MEMBER_P (object, access->offset))

static void
get_property (GObject *object,
              guint id,
              GValue *value,
              GParamSpec *pspec)
{
  const Access *access = get_access (pspec);

  switch (G_TYPE_FUNDAMENTAL (pspec->value_type))
    {
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, GET (gboolean));
      break;
    case G_TYPE_INT:
      g_value_set_int (value, GET (int));
      break;
    case G_TYPE_ENUM:
      g_value_set_enum (value, GET (int));
      break;
    case G_TYPE_FLOAT:
      g_value_set_float (value, GET (float));
      break;
    case G_TYPE_UINT64:
      g_value_set_uint64 (value, GET (guint64));
      break;
    case G_TYPE_STRING:
      if (access->get != NULL)
        g_value_take_string (value, GET (char *));
      else
        g_value_set_string (value, GET (char *));
      break;
    case G_TYPE_BOXED:
      g_value_set_boxed (value, GET (gpointer));
      break;
    default:
      g_value_set_object (value, GET (gpointer));
      break;
    }
}

/* Puts the value into the member. */
static void
store (gpointer member,
       const GValue *value)
{
  gpointer *pointer = member;

  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value)))
    {
    case G_TYPE_BOOLEAN:
      *(gboolean *) member = g_value_get_boolean (value);
      break;
    case G_TYPE_INT:
      *(int *) member = g_value_get_int (value);
      break;
    case G_TYPE_ENUM:
      *(int *) member = g_value_get_enum (value);
      break;
    case G_TYPE_FLOAT:
      *(float *) member = g_value_get_float (value);
      break;
    case G_TYPE_STRING:
      g_free (*pointer);
      *pointer = g_value_dup_string (value);
      break;
    case G_TYPE_BOXED:
      {
        gpointer before = *pointer;

        *pointer = g_value_dup_boxed (value);
        if (before != NULL)
          g_boxed_free (G_VALUE_TYPE (value), before);
        break;
      }
    default:
      g_set_object ((GObject **) member, g_value_get_object (value));
      break;
    }
}

#define SET(Type, value) ((void (*) (gpointer, Type)) access->set) (object, value)

static void
set_property (GObject *object,
              guint id,
              const GValue *value,
              GParamSpec *pspec)
{
  const Access *access = get_access (pspec);
  g_auto (GValue) before = G_VALUE_INIT;

  if (access->offset != 0)
    {
      g_value_init (&before, pspec->value_type);
      get_property (object, id, &before, pspec);
      /* What is boxed may be another within. */
      if (!G_VALUE_HOLDS_BOXED (value) && g_param_values_cmp (pspec, value, &before) == 0)
        return;
      store (G_STRUCT_MEMBER_P (object, access->offset), value);
      ((void (*) (gpointer)) access->set) (object);
      g_object_notify_by_pspec (object, pspec);
    }
  else if (G_VALUE_HOLDS_BOOLEAN (value))
    SET (gboolean, g_value_get_boolean (value));
  else if (G_VALUE_HOLDS_INT (value))
    SET (int, g_value_get_int (value));
  else
    SET (gpointer, g_value_peek_pointer (value));
}

static GParamSpec *
new_spec (const char *name,
          GType type,
          GParamFlags flags)
{
  switch (G_TYPE_FUNDAMENTAL (type))
    {
    case G_TYPE_BOOLEAN:
      return g_param_spec_boolean (name, NULL, NULL, FALSE, flags);
    case G_TYPE_INT:
      return g_param_spec_int (name, NULL, NULL, G_MININT, G_MAXINT, 0, flags);
    case G_TYPE_ENUM:
      return g_param_spec_enum (name, NULL, NULL, type, 0, flags);
    case G_TYPE_FLOAT:
      return g_param_spec_float (name, NULL, NULL, -G_MAXFLOAT, G_MAXFLOAT, 0, flags);
    case G_TYPE_UINT64:
      return g_param_spec_uint64 (name, NULL, NULL, 0, G_MAXUINT64, 0, flags);
    case G_TYPE_STRING:
      return g_param_spec_string (name, NULL, NULL, "", flags);
    case G_TYPE_BOXED:
      return g_param_spec_boxed (name, NULL, NULL, type, flags);
    default:
      return g_param_spec_object (name, NULL, NULL, type, flags);
    }
}

/**
 * prism_property_new:
 * @klass: of the objects
 * @name: of the property, with “_” or “-” between words
 * @type: boolean, int, enum with 0, float, string, boxed or object; uint64 where it is only read
 * @offset: of the member that has the value, 0 where functions get and set it
 * @get: (nullable): returns the value, a string for the caller to free; NULL: it is not read
 * @set: (nullable): takes a value, and notifies; of a member: gets the object once there is
 *   another value; NULL: it is not written
 *
 * Gives objects a property. Who changes it otherwise calls g_object_notify().
 */
void
prism_property_new (gpointer klass,
                    const char *name,
                    GType type,
                    gsize offset,
                    gpointer get,
                    gpointer set)
{
  const Access access = { offset, get, set };
  GParamSpec *pspec = new_spec (name, type,
                                (offset != 0 || get != NULL ? G_PARAM_READABLE : 0)
                                    | (set != NULL ? G_PARAM_WRITABLE : 0)
                                    | G_PARAM_EXPLICIT_NOTIFY);

  G_OBJECT_CLASS (klass)->get_property = get_property;
  G_OBJECT_CLASS (klass)->set_property = set_property;
  g_param_spec_set_qdata_full (pspec, g_quark_from_static_string ("prism-access"),
                               g_memdup2 (&access, sizeof access), g_free);
  g_object_class_install_property (klass, 1, pspec);
}

/**
 * prism_property_stored:
 * @object: an object
 *
 * For a member that is written, and from which nothing follows but what listens to it.
 */
void
prism_property_stored (gpointer object)
{
}
