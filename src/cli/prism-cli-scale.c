#include "config.h"

#include "config/prism-units.h"
#include "prism-cli-output.h"
#include "prism-cli.h"

#include <stdio.h>

static void
print_length (const char *label,
              double metres)
{
  g_autofree char *text = prism_units_dup_length (metres);

  printf ("%-20s %s\n", label, text);
}

static void
print_both (const char *label,
            double metres,
            double seconds,
            const char *pixels)
{
  g_autofree char *length = prism_units_dup_length (metres);
  g_autofree char *angle = prism_units_dup_angle (seconds);

  printf ("%-20s %s, %s%s\n", label, length, angle, pixels);
}

static void
print_units (const PrismUnits *units)
{
  g_autofree char *rayleigh = g_strdup_printf (", %.3g px", units->rayleigh_pixels);
  g_autofree char *coherence = prism_units_dup_length (units->coherence_radius);

  print_both ("Pixel of the object", units->pixel, units->pixel_angle, "");
  print_both ("Field", units->field, units->field_angle, "");
  print_length ("Object's square", units->object);
  if (units->diameter_pixels > 0)
    printf ("%-20s %.4g px\n", "Object's diameter", units->diameter_pixels);
  print_length ("Telescope", units->aperture);
  print_both ("Rayleigh limit", units->rayleigh, units->rayleigh_angle, rayleigh);
  print_length ("All positions", units->synthetic);
  print_both ("Rayleigh limit", units->synthetic_angle / units->pixel_angle * units->pixel,
              units->synthetic_angle, "");
  printf ("%-20s %s, %.3g px of the Fourier plane\n", "Coherence radius", coherence,
          units->coherence_pixels);
}

static void
print_json (const PrismUnits *units,
            const char *advice)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  prism_units_add_json (units, builder);
  prism_cli_add_string (builder, "advice", advice);
  json_builder_end_object (builder);
  prism_cli_print_json (builder);
}

/**
 * prism_cli_scale:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli scale: shows what pixels are in metres and seconds of arc, and what to change when the
 * object's diameter does not fit.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_scale (int argc,
                 char **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
    PRISM_CLI_JSON_ENTRY (&json),
    { NULL },
  };
  g_autoptr (PrismConfig) config = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *advice = NULL;
  PrismUnits units;

  config = prism_cli_take_config (argc, argv, entries, &error);
  if (config == NULL)
    return prism_cli_report (error);

  prism_units_init_config (&units, config);
  advice = prism_units_dup_advice (config);
  if (json)
    print_json (&units, advice);
  else
    print_units (&units);
  if (advice != NULL && !json)
    printf ("%s\n", advice);
  return prism_cli_finish_output ();
}
