/* faulty-backend: the CPU's table of operations in the part of a GPU that fails at the n-th call of
 * one operation. One fault at a time; everything on one thread but arm and the counters. */
#pragma once

#include "backend/prism-backend.h"

G_BEGIN_DECLS

/* What can fail: in capitals, and as the table of operations has it. */
#define FAULTY_CALLS(X)                                                                            \
  X (OPEN, open) X (SET_OBJECT, set_object) X (SET_PARAMETERS, set_parameters)                     \
  X (GET_PARAMETERS, get_parameters) X (MEASURE, measure) X (EXPOSE, expose)                       \
  X (READ_BUFFER, read_buffer) X (BIND, bind) X (HOLD, hold) X (FORWARD, forward)                  \
  X (READ_IMAGE, read_image) X (COLLECT_FRAME, collect_frame) X (TRAIN, train)                     \
  X (EPIE_UPDATE, epie_update) X (EPIE_PROJECT, epie_project)                                      \
  X (COMPUTE_MISFIT, compute_misfit) X (PUT_ITERATE, put_iterate) X (GET_ITERATE, get_iterate)     \
  X (DESCEND, descend) X (FINISH, finish)
#define FAULTY_CALL(NAME, name) FAULTY_##NAME,

typedef enum
{
  FAULTY_CALLS (FAULTY_CALL) FAULTY_N_CALLS,
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
