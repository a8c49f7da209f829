/* prism-metrics: how close a reconstruction is to the object. One table says what the metrics are;
 * rows, files, charts, tables and reports follow it. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Every metric once: its key, a member of PrismMetrics and its name in files; what people call it;
 * its unit; its number for people, and with a digit more; whether its axis is logarithmic;
 * (nullable) what people should know. compute_KEY() in prism-metrics.c computes it.
 *
 * Tables in files have the early ones in the middle of a line, as they always had, and the later
 * ones at its end: a new one is the last of those. */
#define PRISM_METRICS_EARLY(METRIC)                                                                \
  METRIC (psnr, N_ ("PSNR"), "dB", "%.2f", "%.3f", FALSE, NULL)                                    \
  METRIC (ssim, N_ ("SSIM"), "", "%.4f", "%.5f", FALSE, NULL)                                      \
  METRIC (rmse, N_ ("NRMSE"), "%", "%.2f", "%.3f", TRUE,                                           \
          N_ ("normalised by the target's RMS"))
#define PRISM_METRICS_LATER(METRIC)                                                                \
  METRIC (mse, N_ ("MSE"), "", "%.3g", "%.5g", TRUE, NULL)                                         \
  METRIC (pearson, N_ ("Pearson r"), "", "%.5f", "%.6f", FALSE, N_ ("correlation"))

#define PRISM_METRICS(METRIC) PRISM_METRICS_EARLY (METRIC) PRISM_METRICS_LATER (METRIC)

/* ",psnr,ssim,rmse" */
#define PRISM_METRICS_NAME(key, ...) "," #key
#define PRISM_EARLY_METRICS PRISM_METRICS_EARLY (PRISM_METRICS_NAME)
#define PRISM_LATER_METRICS PRISM_METRICS_LATER (PRISM_METRICS_NAME)

#define PRISM_METRICS_COUNT(...) +1
enum
{
  PRISM_N_EARLY_METRICS = 0 PRISM_METRICS_EARLY (PRISM_METRICS_COUNT),
  PRISM_N_METRICS = 0 PRISM_METRICS (PRISM_METRICS_COUNT),
};

#define PRISM_METRICS_MEMBER(key, ...) double key;

/* What is not known is NAN. */
typedef union
{
  struct
  {
    PRISM_METRICS (PRISM_METRICS_MEMBER)
  };
  double values[PRISM_N_METRICS];
} PrismMetrics;

#define PRISM_METRICS_INDEX(key) (G_STRUCT_OFFSET (PrismMetrics, key) / sizeof (double))

/* What a device finds out about an image a and the object b, and all metrics follow from. NAN where
 * nothing is known. */
typedef struct
{
  double n_pixels;
  double similarity;                    /* mean SSIM; NAN: not computed */
  double difference;                    /* Σ(a-b)² */
  double power;                         /* Σb² */
  /* Of a and b less their first pixels, so that those of a constant image are 0. */
  double image;                         /* Σa */
  double object;                        /* Σb */
  double image_square;                  /* Σa² */
  double object_square;                 /* Σb² */
  double product;                       /* Σab */
} PrismMetricsSums;

typedef struct
{
  const char *key;                      /* "psnr" */
  const char *name;                     /* "PSNR", to be translated */
  const char *unit;                     /* "dB" or "" */
  const char *format;                   /* "%.2f" */
  const char *fine_format;              /* "%.3f" */
  gboolean logarithmic;
  const char *note;                     /* (nullable): to be translated */
  double (*compute) (const PrismMetricsSums *sums);
} PrismMetric;

/* [PRISM_N_METRICS] */
extern const PrismMetric prism_metrics[];

void     prism_metrics_init            (PrismMetrics *metrics);
void     prism_metrics_finish          (PrismMetrics           *metrics,
                                        const PrismMetricsSums *sums);
char    *prism_metric_dup_title        (const PrismMetric *self);
char    *prism_metrics_dup_number      (const PrismMetrics *metrics,
                                        gsize               i);
char    *prism_metrics_dup_text        (const PrismMetrics *metrics,
                                        gsize               first,
                                        gboolean            with_notes);
/* In prism-metrics-compute.c. */
gboolean prism_metrics_compute         (PrismMetrics  *metrics,
                                        const float   *image,
                                        const float   *object,
                                        int            height,
                                        int            width,
                                        GError       **error);
void     prism_metrics_compute_errors  (PrismMetrics  *metrics,
                                        const float   *image,
                                        const float   *object,
                                        int            height,
                                        int            width);
gboolean prism_metrics_compute_ssim    (double       *ssim,
                                        const float  *a,
                                        const float  *b,
                                        int           height,
                                        int           width,
                                        GError      **error);

G_END_DECLS
