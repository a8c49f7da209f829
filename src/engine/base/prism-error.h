/* prism-error: one error domain; every message is a sentence a user can act on. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_ERROR (prism_error_quark ())

/**
 * PrismError:
 * @PRISM_ERROR_CONFIG: a parameter is unknown, of the wrong type or out of range
 * @PRISM_ERROR_FORMAT: a file is malformed, truncated, hostile or of an unknown kind
 * @PRISM_ERROR_MEMORY: host or device memory does not suffice; the amount is in the message
 * @PRISM_ERROR_IO: a file or directory cannot be read or written
 * @PRISM_ERROR_BACKEND: a device or its library failed
 * @PRISM_ERROR_DIVERGED: a non-finite value appeared and the retries are used up
 * @PRISM_ERROR_CANCELLED: the user stopped the operation
 * @PRISM_ERROR_DEVICE_LOST: the device is gone for good; what it held is lost
 */
typedef enum
{
  PRISM_ERROR_CONFIG,
  PRISM_ERROR_FORMAT,
  PRISM_ERROR_MEMORY,
  PRISM_ERROR_IO,
  PRISM_ERROR_BACKEND,
  PRISM_ERROR_DIVERGED,
  PRISM_ERROR_CANCELLED,
  PRISM_ERROR_DEVICE_LOST,
} PrismError;

GQuark   prism_error_quark (void);
gboolean prism_error_set   (GError     **error,
                            PrismError   code,
                            const char  *format,
                            ...) G_GNUC_PRINTF (3, 4);

#define prism_error_config(error, ...) prism_error_set (error, PRISM_ERROR_CONFIG, __VA_ARGS__)
#define prism_error_format(error, ...) prism_error_set (error, PRISM_ERROR_FORMAT, __VA_ARGS__)
#define prism_error_memory(error, ...) prism_error_set (error, PRISM_ERROR_MEMORY, __VA_ARGS__)
#define prism_error_io(error, ...) prism_error_set (error, PRISM_ERROR_IO, __VA_ARGS__)

G_END_DECLS
