#include "config.h"

#include "compare/prism-sweep-reading.h"

/**
 * prism_sweep_reading_new_input:
 * @directory: of a sweep
 * @before: (nullable): an earlier reading of the same directory
 * @save: whether to write table and pictures together
 *
 * Thread: main.
 *
 * Returns: (transfer full): the input of prism_sweep_reading_new()
 */
gpointer
prism_sweep_reading_new_input (const char *directory,
                               const PrismSweepReading *before,
                               gboolean save)
{
  PrismSweepReadingInput *input = g_new0 (PrismSweepReadingInput, 1);

  input->directory = g_strdup (directory);
  input->before = before != NULL ? prism_sweep_table_dup (before->table) : NULL;
  input->save = save;
  return input;
}

/**
 * prism_sweep_reading_free_input:
 * @input: (transfer full): of prism_sweep_reading_new_input()
 */
void
prism_sweep_reading_free_input (gpointer input)
{
  PrismSweepReadingInput *self = input;

  g_free (self->directory);
  prism_sweep_table_free (self->before);
  g_free (self);
}

/**
 * prism_sweep_reading_new:
 * @input: of prism_sweep_reading_new_input()
 *
 * Reads the plan and what its points have come to; results that are known already are taken over.
 *
 * Thread: a worker.
 *
 * Returns: (transfer full) (nullable): the reading; %NULL when there is no plan any more
 */
gpointer
prism_sweep_reading_new (gpointer input)
{
  const PrismSweepReadingInput *wanted = input;
  g_autoptr (GError) error = NULL;
  PrismSweep *sweep = prism_sweep_load (wanted->directory, NULL);
  PrismSweepReading *self;

  if (sweep == NULL)
    return NULL;
  self = g_new0 (PrismSweepReading, 1);
  self->sweep = sweep;
  self->table = prism_sweep_table_load_since (sweep, wanted->directory, wanted->before);
  self->sheet = prism_sweep_sheet_new (sweep, self->table);
  if (wanted->save
      && !prism_sweep_sheet_save_all (self->sheet, sweep, self->table, wanted->directory, &error))
    self->problem = g_strdup (error->message);
  return self;
}

/**
 * prism_sweep_reading_free:
 * @self: (transfer full): a reading
 */
void
prism_sweep_reading_free (gpointer self)
{
  PrismSweepReading *reading = self;

  prism_sweep_sheet_free (reading->sheet);
  prism_sweep_table_free (reading->table);
  prism_sweep_free (reading->sweep);
  g_free (reading->problem);
  g_free (reading);
}
