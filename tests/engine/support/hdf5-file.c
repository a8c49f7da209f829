#include "hdf5-file.h"

Hdf5File
hdf5_file_create (const char *path)
{
  Hdf5File self = { .type = H5T_NATIVE_DOUBLE, .plist = H5P_DEFAULT };

  H5Eset_auto2 (H5E_DEFAULT, NULL, NULL);
  self.file = H5Fcreate (path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  g_assert_cmpint (self.file, >=, 0);
  return self;
}

void
hdf5_file_add (Hdf5File *self,
               const char *name,
               int n_dims,
               const hsize_t *shape,
               const double *values)
{
  hid_t links = H5Pcreate (H5P_LINK_CREATE);
  hid_t space = n_dims == 0 ? H5Screate (H5S_SCALAR) : H5Screate_simple (n_dims, shape, NULL);

  H5Pset_create_intermediate_group (links, 1);
  hid_t dataset = H5Dcreate2 (self->file, name, self->type, space, links, self->plist, H5P_DEFAULT);
  g_assert_cmpint (dataset, >=, 0);
  if (values != NULL)
    g_assert_cmpint (H5Dwrite (dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values),
                     >=, 0);
  H5Dclose (dataset);
  H5Sclose (space);
  H5Pclose (links);
}

void
hdf5_file_scalar (Hdf5File *self, const char *name, double value)
{
  hdf5_file_add (self, name, 0, NULL, &value);
}

void
hdf5_file_text (Hdf5File *self, const char *name, const char *attribute, const char *text)
{
  const hid_t object = *name != '\0' ? H5Oopen (self->file, name, H5P_DEFAULT) : self->file;
  const hid_t space = H5Screate (H5S_SCALAR), type = H5Tcopy (H5T_C_S1);

  H5Tset_size (type, strlen (text) + 1);
  hid_t place = H5Acreate2 (object, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT);
  g_assert_cmpint (H5Awrite (place, type, text), >=, 0);
  H5Aclose (place);
  H5Tclose (type);
  H5Sclose (space);
  if (object != self->file)
    H5Oclose (object);
}

void
hdf5_file_attribute (Hdf5File *self, const char *name, double value)
{
  hid_t space = H5Screate (H5S_SCALAR);
  hid_t attribute
      = H5Acreate2 (self->file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);

  g_assert_cmpint (H5Awrite (attribute, H5T_NATIVE_DOUBLE, &value), >=, 0);
  H5Aclose (attribute);
  H5Sclose (space);
}

void
hdf5_file_close (Hdf5File *self)
{
  g_assert_cmpint (H5Fclose (self->file), >=, 0);
}
