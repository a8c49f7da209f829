/* faulty-backend: the CPU's table of operations in the part of a GPU that fails at the n-th call of
 * one operation. One fault at a time; everything on one thread but arm and the counters. */
#pragma once

#include "backend/prism-backend.h"

G_BEGIN_DECLS

typedef enum
{
  FAULTY_OPEN,
  FAULTY_SET_OBJECT,
  FAULTY_SET_PARAMETERS,
  FAULTY_GET_PARAMETERS,
  FAULTY_MEASURE,
  FAULTY_EXPOSE,
  FAULTY_READ_BUFFER,
  FAULTY_BIND,
  FAULTY_HOLD,
  FAULTY_FORWARD,
  FAULTY_READ_IMAGE,
  FAULTY_COLLECT_FRAME,
  FAULTY_TRAIN,
  FAULTY_EPIE_UPDATE,
  FAULTY_EPIE_PROJECT,
  FAULTY_COMPUTE_MISFIT,
  FAULTY_PUT_ITERATE,
  FAULTY_GET_ITERATE,
  FAULTY_DESCEND,
  FAULTY_FINISH,
  FAULTY_N_CALLS,
} FaultyCall;

typedef enum
{
  FAULTY_LOST,      /* the operation says so, where it can, and so does everything after it */
  FAULTY_LOST_LATE, /* the operation seems to do well, and returns nonsense; finish tells */
  FAULTY_MEMORY,    /* of this operation, and it stays short */
  FAULTY_NAN,       /* from then on what the operation returns is not finite, and nobody says so */
  FAULTY_N_KINDS,
} FaultyKind;

const PrismBackendOps *faulty_backend_get_ops   (void);
void                   faulty_backend_arm       (FaultyCall call, guint      n, FaultyKind kind);
void                   faulty_backend_disarm    (void);
void                   faulty_backend_set_unsupported (const char *reason);
gboolean               faulty_backend_has_struck (void);
guint                  faulty_backend_get_count (FaultyCall call);
const char            *faulty_backend_get_name  (FaultyCall call);

G_END_DECLS
