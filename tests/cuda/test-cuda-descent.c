#include "config.h"

#include "test-cuda-backend.h"
#include "cpu/prism-cpu-backend.h"
#include "cuda-close.h"
#include "cuda-problem.h"

#ifdef PRISM_CUDA_EMULATION
#include "prism-emulation.h"
#endif

/* n = image_size, m = object_size. */

typedef struct
{
  Problem *problem;
  PrismIterate planes; /* [m][m] each, of the host */
  double misfit;
} Walk;

static void
walk_begin (Walk *self,
            Problem *problem,
            guint place)
{
  float **planes[] = { &self->planes.image, &self->planes.point, &self->planes.across,
                       &self->planes.down, &self->planes.slope };

  self->problem = problem;
  self->planes.place = place;
  for (guint i = 0; i < G_N_ELEMENTS (planes); i++)
    *planes[i] = i < 2 ? problem_dup_random (PROBLEM_PIXELS, 4) : g_new0 (float, PROBLEM_PIXELS);
  if (problem->ops->put_iterate != NULL)
    problem->ops->put_iterate (problem->backend, &self->planes);
}

static void
walk_end (Walk *self)
{
  g_free (self->planes.image);
  g_free (self->planes.point);
  g_free (self->planes.across);
  g_free (self->planes.down);
  g_free (self->planes.slope);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_end)

static PrismPassResult
walk_on (Walk *self,
         const PrismPassPart *part)
{
  PrismPassResult result = { .misfit = part->begins ? 0.0 : self->misfit };

  self->problem->ops->descend (self->problem->backend, &self->planes, part, &result);
  problem_finish (self->problem);
  self->misfit = result.misfit;
  return result;
}

/* The planes as they are on the device. */
static void
walk_fetch (Walk *self)
{
  if (self->problem->ops->get_iterate == NULL)
    return;
  g_assert_true (self->problem->ops->get_iterate (self->problem->backend, &self->planes));
  problem_finish (self->problem);
}

static void
assert_same_planes (Walk *a,
                    Walk *b)
{
  walk_fetch (a);
  walk_fetch (b);
  assert_close (a->planes.image, b->planes.image, PROBLEM_PIXELS, 1e-4);
  assert_close (a->planes.point, b->planes.point, PROBLEM_PIXELS, 1e-4);
  assert_close (a->planes.across, b->planes.across, PROBLEM_PIXELS, 2e-3);
  assert_close (a->planes.down, b->planes.down, PROBLEM_PIXELS, 2e-3);
}

#define N_WALK_TERMS 40

static void
fill_walk_terms (PrismMisfitTerm terms[N_WALK_TERMS])
{
  for (guint i = 0; i < N_WALK_TERMS; i++)
    terms[i] = (PrismMisfitTerm) { i % PROBLEM_SAMPLES, 0.02f + 0.001f * i, 1e-4f * (i % 3) };
}

/* A pass in two parts, as long as the momentum lasts and beyond. */
static void
walk_a_pass (Walk *a,
             Walk *b,
             PrismPassPart part,
             guint pass)
{
  const guint n_first = pass % 3 == 0 ? 0 : 10 * (pass % 3);
  const PrismMisfitTerm *terms = part.terms;
  PrismPassResult p, q;

  part.begins = TRUE;
  part.inertia = 0.3f * pass;
  if (n_first > 0)
    {
      part.n_terms = n_first;
      p = walk_on (a, &part);
      q = walk_on (b, &part);
      assert_same_double (p.misfit, q.misfit, 1e-4);
      part.begins = FALSE;
    }
  part.terms = terms + n_first;
  part.n_terms = N_WALK_TERMS - n_first;
  part.ends = TRUE;
  p = walk_on (a, &part);
  q = walk_on (b, &part);
  assert_same_double (p.misfit, q.misfit, 1e-4);
  g_assert_true (q.finite && q.moved);
  g_assert_cmpint (p.uphill, ==, q.uphill);
}

/* Whole passes, with the total variation by its weight, by the image's mean, and without any. */
TEST (twin_descent, "/cuda/backend/twin/descent")
{
  static const struct
  {
    double variation, least_mean;
  } variants[] = { { 0.02, 0.0 }, { 0.002, 1e-3 }, { 0.002, 0.9 }, { 0.0, 0.0 } };
  PrismMisfitTerm terms[N_WALK_TERMS];

  fill_walk_terms (terms);
  g_auto (Problem) cpu = problem_new (&prism_cpu_backend_ops);
  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
  for (guint i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      g_auto (Walk) a = { 0 }, b = { 0 };
      PrismPassPart part = { .terms = terms,
                             .most_misfit = INFINITY,
                             .step_size = 0.3f,
                             .variation = variants[i].variation,
                             .least_mean = variants[i].least_mean };

      walk_begin (&a, &cpu, i % PRISM_N_ITERATES);
      walk_begin (&b, &cuda, i % PRISM_N_ITERATES);
      for (guint pass = 0; pass < 4; pass++)
        walk_a_pass (&a, &b, part, pass);
      assert_same_planes (&a, &b);
    }
}

/* An image whose misfit is too large, or not finite, stays to the bit; and begins anew. */
TEST (descent_stays, "/cuda/backend/descent-stays")
{
  g_auto (Walk) walk = { 0 };
  g_autofree float *image = problem_dup_random (PROBLEM_PIXELS, 4), *before = NULL;
  PrismMisfitTerm terms[N_WALK_TERMS];
  PrismPassPart part = {
    .begins = TRUE,
    .terms = terms,
    .n_terms = N_WALK_TERMS,
    .ends = TRUE,
    .step_size = 0.3f,
    .inertia = 0.5f,
    .variation = 0.02,
  };

  fill_walk_terms (terms);
  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
  walk_begin (&walk, &cuda, 1);
  PrismPassResult result = walk_on (&walk, &part);
  g_assert_true (result.finite && !result.moved);
  walk_fetch (&walk);
  g_assert_cmpmem (walk.planes.image, PROBLEM_PIXELS * sizeof (float), image,
                   PROBLEM_PIXELS * sizeof (float));
  part.most_misfit = INFINITY;
  g_assert_true (walk_on (&walk, &part).moved);
  walk_fetch (&walk);
  before = g_memdup2 (walk.planes.image, PROBLEM_PIXELS * sizeof (float));
  terms[3].weight = NAN;
  result = walk_on (&walk, &part);
  g_assert_true (!result.finite && !result.moved);
  walk_fetch (&walk);
  g_assert_cmpmem (walk.planes.image, PROBLEM_PIXELS * sizeof (float), before,
                   PROBLEM_PIXELS * sizeof (float));
  /* Without momentum the point is the image: nothing to be lowered moves nothing. */
  memcpy (walk.planes.point, before, PROBLEM_PIXELS * sizeof (float));
  walk.problem->ops->put_iterate (walk.problem->backend, &walk.planes);
  part = (PrismPassPart) {
    .begins = TRUE,
    .ends = TRUE,
    .most_misfit = INFINITY,
    .step_size = 0.3f,
  };
  g_assert_true (walk_on (&walk, &part).moved);
  walk_fetch (&walk);
  g_assert_cmpmem (walk.planes.image, PROBLEM_PIXELS * sizeof (float), before,
                   PROBLEM_PIXELS * sizeof (float));
  g_assert_cmpmem (walk.planes.point, PROBLEM_PIXELS * sizeof (float), before,
                   PROBLEM_PIXELS * sizeof (float));
}

#ifdef PRISM_CUDA_EMULATION
#define N_PASSES 6
#define N_QUEUED 2 /* before a pass of one shape is captured */

static void
walk_many_passes (Problem *cuda,
                  Walk *walk)
{
  PrismMisfitTerm terms[N_WALK_TERMS];
  PrismPassPart part = { .begins = TRUE, .ends = TRUE, .terms = terms, .n_terms = N_WALK_TERMS };

  fill_walk_terms (terms);
  walk_begin (walk, cuda, 1);
  for (guint pass = 0; pass < N_PASSES; pass++)
    {
      part.most_misfit = pass == 4 ? 0.0 : INFINITY;
      part.step_size = 0.3f - 0.02f * pass;
      part.inertia = 0.1f * pass;
      part.variation = 0.002 + 0.001 * pass;
      part.least_mean = 1e-3 * (1 + pass);
      g_assert_cmpint (walk_on (walk, &part).moved, ==, pass != 4);
    }
}

/* The third pass of one shape is captured, and from there on a pass is the launch of a graph, one
 * copy to the device and one back. How it ends is no part of the graph: the bits are those of
 * passes that are queued kernel by kernel. */
TEST (descent_is_a_graph, "/cuda/backend/descent-is-a-graph")
{
  const gsize n_bytes = PROBLEM_PIXELS * sizeof (float);
  g_auto (Walk) a = { 0 }, b = { 0 };
  PrismEmulationCounters before, after;

  g_setenv ("PRISM_CUDA_NO_GRAPH", "1", TRUE);
  g_auto (Problem) queued = problem_new (test_cuda_get_ops ());
  g_unsetenv ("PRISM_CUDA_NO_GRAPH");
  g_auto (Problem) captured = problem_new (test_cuda_get_ops ());
  walk_many_passes (&queued, &a);
  prism_emulation_get_counters (&before);
  walk_many_passes (&captured, &b);
  prism_emulation_get_counters (&after);
  g_assert_cmpuint (after.n_graph_launches - before.n_graph_launches, ==, N_PASSES - N_QUEUED);
  g_assert_cmpuint (after.n_captures - before.n_captures, ==, 1);
  g_assert_cmpuint (after.n_to_device - before.n_to_device, ==, 4 + N_PASSES);
  g_assert_cmpuint (after.n_to_host - before.n_to_host, ==, N_PASSES);
  walk_fetch (&a);
  walk_fetch (&b);
  g_assert_cmpmem (a.planes.image, n_bytes, b.planes.image, n_bytes);
  g_assert_cmpmem (a.planes.point, n_bytes, b.planes.point, n_bytes);
  g_assert_cmpmem (a.planes.across, n_bytes, b.planes.across, n_bytes);
  g_assert_cmpmem (a.planes.down, n_bytes, b.planes.down, n_bytes);
}

/* Passes in two parts and whole ones; the image that they leave. */
static float *
dup_walked_image (void)
{
  g_auto (Walk) walk = { 0 };
  PrismMisfitTerm terms[N_WALK_TERMS];
  PrismPassPart part = {
    .terms = terms,
    .most_misfit = INFINITY,
    .step_size = 0.3f,
    .inertia = 0.5f,
    .variation = 0.002,
    .least_mean = 1e-3,
  };

  fill_walk_terms (terms);
  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
  walk_begin (&walk, &cuda, 2);
  for (guint pass = 0; pass < 5; pass++)
    {
      part.begins = part.ends = TRUE;
      part.n_terms = N_WALK_TERMS;
      walk_on (&walk, &part);
      part.n_terms = N_WALK_TERMS / 2;
      part.ends = FALSE;
      walk_on (&walk, &part);
      part.begins = FALSE;
      part.ends = TRUE;
      walk_on (&walk, &part);
    }
  walk_fetch (&walk);
  return g_memdup2 (walk.planes.image, PROBLEM_PIXELS * sizeof (float));
}

TEST (descent_in_random_order, "/cuda/backend/descent-in-random-order")
{
  g_autofree float *expected = dup_walked_image ();

  for (guint seed = 1; seed <= 3; seed++)
    {
      prism_emulation_set_order (seed);
      g_autofree float *image = dup_walked_image ();
      prism_emulation_set_order (0);
      g_assert_cmpmem (image, PROBLEM_PIXELS * sizeof (float), expected,
                       PROBLEM_PIXELS * sizeof (float));
    }
}
#endif
