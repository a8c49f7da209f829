#include "config.h"

#include "base/prism-system.h"
#include "config/prism-device-list.h"
#include "cpu/prism-cpu-backend.h"
#include "device/prism-registry.h"
#include "prism-cli-output.h"
#include "prism-cli.h"

#include <stdio.h>

/* What is known about the device of a module. */
typedef struct
{
  const PrismChoice *choice;
  char *device;    /* (nullable): name of the GPU */
  char *reason;    /* (nullable): why there is none that can be used */
  char *self_test; /* (nullable): "passed", or what differs; NULL without a GPU */
} Module;

typedef struct
{
  char *processor;
  char *cpu; /* "CPU, 2 threads, AVX-512" */
  Module modules[PRISM_DEVICE_LIST_LENGTH - PRISM_BACKEND_FIRST_MODULE];
  char *choice;      /* what a run takes when nothing is asked for, and why */
  guint64 memory;    /* bytes */
  guint64 available; /* bytes */
} Facts;

static void
facts_clear (Facts *self)
{
  g_free (self->processor);
  g_free (self->cpu);
  for (guint i = 0; i < G_N_ELEMENTS (self->modules); i++)
    {
      g_free (self->modules[i].device);
      g_free (self->modules[i].reason);
      g_free (self->modules[i].self_test);
    }
  g_free (self->choice);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Facts, facts_clear)

/* A device tells its name when it is open; the smallest task will do. */
static char *
dup_device_name (const PrismBackendOps *ops,
                 GError **error)
{
  PrismBackendSpec spec = { .image_size = 64, .object_size = 16, .n_slots = 1 };
  g_autoptr (PrismBackend) backend = NULL;

  if (!prism_decoder_plan_init (&spec.decoder, spec.image_size, spec.object_size, PRISM_EDGE_SAME,
                                error))
    return NULL;
  backend = ops->open (&spec, error);
  return backend != NULL ? ops->dup_device_name (backend) : NULL;
}

static void
collect_module (Module *self,
                int number)
{
  g_autofree char *reason = NULL;
  g_autoptr (GError) error = NULL;
  const PrismBackendOps *ops = prism_registry_choose (number, &reason, &error);

  self->choice = &prism_device_list[number];
  if (ops != NULL)
    self->device = dup_device_name (ops, &error);
  if (self->device == NULL)
    {
      self->reason = g_strdup (error->message);
      return;
    }
  self->self_test = prism_backend_check (ops, &error) ? g_strdup ("passed")
                                                      : g_strdup (error->message);
}

static gboolean
collect_facts (Facts *self,
               GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->modules); i++)
    collect_module (&self->modules[i], PRISM_BACKEND_FIRST_MODULE + i);
  self->cpu = dup_device_name (&prism_cpu_backend_ops, error);
  if (self->cpu == NULL)
    return FALSE;
  if (prism_registry_choose (PRISM_BACKEND_AUTO, &self->choice, error) == NULL)
    return FALSE;
  self->processor = prism_system_dup_processor ();
  self->memory = prism_system_get_memory ();
  self->available = prism_available_get_memory ();
  return TRUE;
}

static void
print_module (const Module *self)
{
  g_autofree char *label = g_strdup_printf ("%s device", self->choice->label);

  printf ("%-11s %s\n", label, self->device != NULL ? self->device : self->reason);
  if (self->device == NULL)
    printf ("%-11s Graphics processors of other makers are not used.\n", "");
  if (self->self_test != NULL)
    printf ("%-11s %s\n", "Self-test", self->self_test);
}

static void
print_facts (const Facts *self)
{
  g_autoptr (GPtrArray) libraries = prism_system_dup_libraries ();
  g_autofree char *memory = g_format_size_full (self->memory, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *available = g_format_size_full (self->available, G_FORMAT_SIZE_IEC_UNITS);

  printf ("PRISM Studio %s\n", PRISM_VERSION);
  printf ("%-11s %s, %u to compute with\n", "Processor", self->processor,
          prism_available_get_processors ());
  printf ("%-11s %s\n", "CPU device", self->cpu);
  for (guint i = 0; i < G_N_ELEMENTS (self->modules); i++)
    print_module (&self->modules[i]);
  printf ("%-11s %s\n", "By default", self->choice);
  printf ("%-11s %s, %s available\n", "Memory", memory, available);
  printf ("%-11s", "Libraries");
  for (guint i = 0; i < libraries->len; i++)
    {
      const PrismLibrary *library = libraries->pdata[i];
      printf ("%s %s %s", i == 0 ? "" : ",", library->name, library->version);
    }
  putchar ('\n');
}

static void
add_module (const Module *self,
            JsonBuilder *builder)
{
  g_autofree char *reason = g_strdup_printf ("%s_reason", self->choice->name);

  prism_cli_add_string (builder, self->choice->name, self->device);
  prism_cli_add_string (builder, reason, self->reason);
}

/* Of the device that is tried first. */
static const char *
get_self_test (const Facts *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->modules); i++)
    if (self->modules[i].self_test != NULL)
      return self->modules[i].self_test;
  return NULL;
}

static void
print_json (const Facts *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  prism_cli_add_string (builder, "version", PRISM_VERSION);
  prism_cli_add_string (builder, "processor", self->processor);
  prism_cli_add_integer (builder, "processors", prism_available_get_processors ());
  prism_cli_add_string (builder, "cpu", self->cpu);
  for (guint i = 0; i < G_N_ELEMENTS (self->modules); i++)
    add_module (&self->modules[i], builder);
  prism_cli_add_string (builder, "self_test", get_self_test (self));
  prism_cli_add_string (builder, "default", self->choice);
  prism_cli_add_integer (builder, "memory_bytes", (gint64) self->memory);
  prism_cli_add_integer (builder, "available_bytes", (gint64) self->available);
  prism_system_add_versions (builder);
  json_builder_end_object (builder);
  prism_cli_print_json (builder);
}

/**
 * prism_cli_info:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli info: shows the devices, why a GPU is or is not used, memory and library versions.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_info (int argc,
                char **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
    PRISM_CLI_JSON_ENTRY (&json),
    { NULL },
  };
  g_auto (Facts) facts = { 0 };
  g_autoptr (GError) error = NULL;

  if (!prism_cli_parse ("info", entries, NULL, &argc, &argv, &error)
      || !prism_cli_refuse_rest (argc, argv, &error)
      || !collect_facts (&facts, &error))
    return prism_cli_report (error);
  if (json)
    print_json (&facts);
  else
    print_facts (&facts);
  return prism_cli_finish_output ();
}
