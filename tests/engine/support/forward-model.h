/* forward-model: what every model of a measurement, linear or not, must agree with. One description
 * passes through adjoint identity, linearity and difference quotients. */
#pragma once

#include <glib.h>

typedef struct
{
  const char *name;
  int n_in;
  int n_out;                            /* of apply and adjoint */
  /* out = A·in, a linear map or the derivative of a model at one place; NULL: not looked at. */
  void (*apply) (gpointer     data, const float *in, float       *out);
  /* in = A*·out; NULL: not looked at. */
  void (*adjoint) (gpointer     data, const float *out, float       *in);
  /* A loss of in, and its gradient [n_in]; NULL: not looked at. */
  double (*evaluate) (gpointer     data,
                      const float *in,
                      float       *gradient);
  const float *place;                   /* [n_in] where evaluate is looked at; NULL: at random */
  float reach;                          /* longest step from there, in each value; 0: 0.03 */
  double rounding;                      /* of apply and adjoint; 0: 1e-6 of what comes out; a
                                         * tenth of it of products */
  double quotient;                      /* error of evaluate's; 0: 5e-4 of what is possible */
  gpointer data;
} ForwardModel;

void forward_model_check (const ForwardModel *model, guint64             seed);
