#include "config.h"

#include "model/prism-fold.h"

#include "base/prism-arena.h"
#include "formats/prism-archive.h"

/**
 * prism_fold_new:
 * @plan: of the decoder that was trained
 *
 * Lays out a folded decoder; prism_cpu_fold_new() fills it.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): a decoder whose parameters are 0
 */
PrismFold *
prism_fold_new (const PrismDecoderPlan *plan,
                GError **error)
{
  g_autoptr (PrismFold) self = g_new0 (PrismFold, 1);

  g_atomic_ref_count_init (&self->ref_count);
  prism_decoder_plan_init_folded (&self->plan, plan);
  self->n_parameters_before = plan->n_parameters;
  self->parameters = prism_arena_new_array (self->plan.n_parameters * sizeof (float),
                                            "the folded decoder", error);
  return self->parameters != NULL ? g_steal_pointer (&self) : NULL;
}

/**
 * prism_fold_ref:
 *
 * Returns: (transfer full): the same, with one more reference
 */
PrismFold *
prism_fold_ref (PrismFold *self)
{
  /* The macro is compiled here and so seen by ThreadSanitizer. */
  g_atomic_int_inc (&self->ref_count);
  return self;
}

/**
 * prism_fold_unref:
 * @self: (transfer full) (nullable): a folded decoder
 */
void
prism_fold_unref (PrismFold *self)
{
  if (self == NULL || !g_atomic_int_dec_and_test (&self->ref_count))
    return;
  prism_arena_free_array (self->parameters);
  g_free (self);
}

static void
add_layer (PrismArchiveWriter *writer,
           const PrismFold *self,
           int index)
{
  const PrismLayer *layer = &self->plan.layers[index];
  gboolean first = index == 0, transposed = layer->kind != PRISM_LAYER_CONVOLVE;
  gsize in = transposed ? layer->in_channels : layer->out_channels;
  gsize out = transposed ? layer->out_channels : layer->in_channels;
  const gsize shape[4] = { in, out, layer->kernel, layer->kernel };
  const gsize n_bias = layer->out_channels;
  g_autofree char *weight = g_strdup_printf ("layer%d.%s.npy", index, first ? "map" : "weight");
  g_autofree char *bias = g_strdup_printf ("layer%d.bias.npy", index);

  /* The one input of the first layer is 1: what is left of its weights is the map. */
  prism_archive_writer_add_array (writer, weight, self->parameters + layer->weight, first ? 3 : 4,
                                  first ? shape + 1 : shape);
  prism_archive_writer_add_array (writer, bias, self->parameters + layer->bias, 1, &n_bias);
}

/**
 * prism_fold_save:
 * @path: file name
 *
 * Writes what NumPy reads as .npz: layer0.map [C][4][4], layerK.weight [in][out][4][4] of a
 * doubling or [out][in][3][3] of a convolution, layerK.bias [out]. Each is followed by max (v, 0),
 * layer0.map plus bias included, the last layer by the activation of the output.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_fold_save (const PrismFold *self,
                 const char *path,
                 GError **error)
{
  g_autoptr (PrismArchiveWriter) writer = prism_archive_writer_new (path, error);

  if (writer == NULL)
    return FALSE;
  for (int i = 0; i < self->plan.n_layers; i++)
    add_layer (writer, self, i);
  return prism_archive_writer_finish (writer, error);
}
