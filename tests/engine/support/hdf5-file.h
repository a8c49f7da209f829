/* hdf5-file: small HDF5 files of tests, written by libhdf5 itself. */
#pragma once

#include <glib.h>
#include <hdf5.h>

typedef struct
{
  hid_t file;
  hid_t type;                           /* of what is written next; H5T_NATIVE_DOUBLE at first */
  hid_t plist;                          /* how it lies; H5P_DEFAULT at first */
} Hdf5File;

Hdf5File hdf5_file_create (const char *path);
void     hdf5_file_add    (Hdf5File       *self,
                           const char     *name,
                           int             n_dims,
                           const hsize_t  *shape,
                           const double   *values);
void     hdf5_file_scalar (Hdf5File   *self, const char *name, double      value);

/* Numbers by their names: HDF5_FILE_SCALARS (&file, { "NA", 0.1 }, { "zled", 0.08 }). */
typedef struct
{
  const char *name;
  double value;
} Hdf5Number;

#define HDF5_FILE_SCALARS(self, ...)                                                               \
  for (const Hdf5Number *n_ = (const Hdf5Number[]) { __VA_ARGS__, { NULL, 0 } }; n_->name != NULL; \
       n_++)                                                                                       \
  hdf5_file_scalar (self, n_->name, n_->value)

void     hdf5_file_attribute (Hdf5File   *self, const char *name, double      value);
void     hdf5_file_close  (Hdf5File *self);

/* A text that is an attribute of an array, or of the file where that is "". */
void     hdf5_file_text   (Hdf5File   *self,
                           const char *name,
                           const char *attribute,
                           const char *text);
