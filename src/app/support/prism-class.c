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

/* Where the field of a property is. */
static GQuark
get_quark (void)
{
  return g_quark_from_static_string ("prism-offset");
}

/**
 * prism_property_get_field:
 * @object: an object
 * @pspec: one of its properties
 *
 * Returns: (transfer none): where its value is
 */
gpointer
prism_property_get_field (GObject *object,
                          GParamSpec *pspec)
{
  return G_STRUCT_MEMBER_P (object,
                            GPOINTER_TO_SIZE (g_param_spec_get_qdata (pspec, get_quark ())));
}

static void
get_field (GObject *object,
           guint id,
           GValue *value,
           GParamSpec *pspec)
{
  gpointer field = prism_property_get_field (object, pspec);

  switch (G_TYPE_FUNDAMENTAL (pspec->value_type))
    {
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, *(gboolean *) field);
      break;
    case G_TYPE_INT:
      g_value_set_int (value, *(int *) field);
      break;
    case G_TYPE_UINT64:
      g_value_set_uint64 (value, *(guint64 *) field);
      break;
    case G_TYPE_STRING:
      g_value_set_string (value, *(char **) field);
      break;
    case G_TYPE_BOXED:
      g_value_set_boxed (value, *(gpointer *) field);
      break;
    default:
      g_value_set_object (value, *(gpointer *) field);
      break;
    }
}

static GParamSpec *
new_spec (const PrismProperty *property)
{
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | property->more;
  const char *name = property->name;

  switch (G_TYPE_FUNDAMENTAL (property->type))
    {
    case G_TYPE_BOOLEAN:
      return g_param_spec_boolean (name, NULL, NULL, FALSE, flags);
    case G_TYPE_INT:
      return g_param_spec_int (name, NULL, NULL, G_MININT, G_MAXINT, 0, flags);
    case G_TYPE_UINT64:
      return g_param_spec_uint64 (name, NULL, NULL, 0, G_MAXUINT64, 0, flags);
    case G_TYPE_STRING:
      return g_param_spec_string (name, NULL, NULL, "", flags);
    case G_TYPE_BOXED:
      return g_param_spec_boxed (name, NULL, NULL, property->type, flags);
    default:
      return g_param_spec_object (name, NULL, NULL, property->type, flags);
    }
}

/**
 * prism_properties_install:
 * @klass: of the object
 * @table: (array length=n): its properties, in the order of their numbers, from 1
 * @properties: (out) (array length=n): from 1, too
 *
 * Makes properties that are read from fields.
 */
void
prism_properties_install (GObjectClass *klass,
                          const PrismProperty *table,
                          guint n,
                          GParamSpec **properties)
{
  klass->get_property = get_field;
  for (guint i = 0; i < n; i++)
    {
      properties[i + 1] = new_spec (&table[i]);
      g_param_spec_set_qdata (properties[i + 1], get_quark (), GSIZE_TO_POINTER (table[i].offset));
      g_object_class_install_property (klass, i + 1, properties[i + 1]);
    }
}
