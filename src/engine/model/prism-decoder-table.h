/* prism-decoder-table: what a decoder is made of, line by line, before it is run. Thread: any. */
#pragma once

#include "model/prism-decoder.h"

G_BEGIN_DECLS

/* The latent vector comes first. */
#define PRISM_DECODER_TABLE_MAX_ROWS (PRISM_DECODER_MAX_LAYERS + 1)

typedef struct
{
  const char *kind;                     /* "latent", "expand", "double" or "convolve" */
  int in_channels;                      /* 0 for the latent vector */
  int out_channels;
  int size;                             /* px, side of the map that comes out */
  int kernel;                           /* px, 0 for the latent vector */
  gboolean norm;
  const char *activation;               /* "relu", …; "none" */
  guint64 n_parameters;
  guint64 n_products;                   /* multiply-adds of a forward pass */
  guint64 n_bytes;                      /* weights and two moments, and the map as computed */
} PrismDecoderRow;

guint prism_decoder_table_get_rows (const PrismDecoderPlan *plan,
                                    PrismDecoderRow        *rows);
void  prism_decoder_table_get_sum  (const PrismDecoderRow  *rows,
                                    guint                   n_rows,
                                    PrismDecoderRow        *sum);

G_END_DECLS
