/* mma: nvcuda::wmma, products of small matrices by a whole warp.
 *
 * Element i of a fragment's matrix, rows first, is x[i / 32] of lane i % 32: like the GPU's, an
 * arrangement that kernels must not know. Products of the factors are exact, sums are float; tf32
 * factors lose what the tensor cores do not see, whether converted or not. */
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda
{
namespace wmma
{

struct matrix_a
{
};
struct matrix_b
{
};
struct accumulator
{
};
struct row_major
{
};
struct col_major
{
};

namespace precision
{
struct tf32
{
};
}

enum layout_t
{
  mem_row_major,
  mem_col_major
};

/* What a fragment's element is in memory. */
template <typename T>
struct PrismEmulationElement
{
  typedef T type;
};

template <>
struct PrismEmulationElement<precision::tf32>
{
  typedef float type;
};

template <typename Use, int M, int N, int K>
struct PrismEmulationShape;

template <int M, int N, int K>
struct PrismEmulationShape<matrix_a, M, N, K>
{
  static constexpr int n_rows = M, n_columns = K;
};

template <int M, int N, int K>
struct PrismEmulationShape<matrix_b, M, N, K>
{
  static constexpr int n_rows = K, n_columns = N;
};

template <int M, int N, int K>
struct PrismEmulationShape<accumulator, M, N, K>
{
  static constexpr int n_rows = M, n_columns = N;
};

template <int M, int N, int K, typename T>
static constexpr bool
prism_emulation_has_shape (void)
{
  if (std::is_same<T, precision::tf32>::value)
    return M == 16 && N == 16 && K == 8;
  return K == 16 && ((M == 16 && N == 16) || (M == 32 && N == 8) || (M == 8 && N == 32));
}

template <typename Use, int M, int N, int K, typename T, typename Layout = void>
struct fragment
{
  typedef typename PrismEmulationElement<T>::type element_type;
  typedef T storage_type;
  static constexpr int n_rows = PrismEmulationShape<Use, M, N, K>::n_rows;
  static constexpr int n_columns = PrismEmulationShape<Use, M, N, K>::n_columns;
  static constexpr int num_elements = n_rows * n_columns / PRISM_EMULATION_WARP;

  static_assert (std::is_same<Use, accumulator>::value || prism_emulation_has_shape<M, N, K, T> (),
                 "the tensor cores have no product of this shape and type");

  element_type x[num_elements];
};

template <typename Fragment>
static inline typename Fragment::element_type &
prism_emulation_get_element (void **lanes,
                             int offset,
                             int row,
                             int column)
{
  const int i = row * Fragment::n_columns + column;

  Fragment **fragments = static_cast<Fragment **> (lanes[i % PRISM_EMULATION_WARP]);

  return fragments[offset]->x[i / PRISM_EMULATION_WARP];
}

template <typename Use, int M, int N, int K, typename T, typename Layout, typename Value>
static inline void
fill_fragment (fragment<Use, M, N, K, T, Layout> &self,
               const Value &value)
{
  for (auto &element : self.x)
    element = value;
}

static inline void
prism_emulation_check_matrix (const void *begin,
                              unsigned int stride,
                              size_t element_size)
{
  if (reinterpret_cast<uintptr_t> (begin) % 32 != 0)
    prism_emulation_trap ("a matrix of the tensor cores does not begin at a multiple of 32 bytes");
  if (stride * element_size % 16 != 0)
    prism_emulation_trap ("the stride of a matrix of the tensor cores is no multiple of 16 bytes");
}

/* Every lane loads what it holds; all must come. */
template <typename Fragment, typename T>
static inline void
prism_emulation_load (Fragment &self,
                      const T *matrix,
                      unsigned int stride,
                      bool by_rows)
{
  prism_emulation_check_matrix (matrix, stride, sizeof (T));
  for (int k = 0; k < Fragment::num_elements; k++)
    {
      const int i = k * PRISM_EMULATION_WARP + (int) prism_emulation_self->lane;
      const int row = i / Fragment::n_columns, column = i % Fragment::n_columns;

      self.x[k] = by_rows ? matrix[row * stride + column] : matrix[column * stride + row];
    }
  prism_emulation_gather (0xffffffffu, "load_matrix_sync", nullptr, nullptr);
}

template <typename Use, int M, int N, int K, typename T, typename Layout>
static inline void
load_matrix_sync (fragment<Use, M, N, K, T, Layout> &self,
                  const typename PrismEmulationElement<T>::type *matrix,
                  unsigned int stride)
{
  prism_emulation_load (self, matrix, stride, std::is_same<Layout, row_major>::value);
}

template <int M, int N, int K, typename T>
static inline void
load_matrix_sync (fragment<accumulator, M, N, K, T> &self,
                  const T *matrix,
                  unsigned int stride,
                  layout_t layout)
{
  prism_emulation_load (self, matrix, stride, layout == mem_row_major);
}

template <int M, int N, int K, typename T>
static inline void
store_matrix_sync (T *matrix,
                   const fragment<accumulator, M, N, K, T> &self,
                   unsigned int stride,
                   layout_t layout)
{
  prism_emulation_check_matrix (matrix, stride, sizeof (T));
  for (int k = 0; k < self.num_elements; k++)
    {
      const int i = k * PRISM_EMULATION_WARP + (int) prism_emulation_self->lane;
      const int row = i / N, column = i % N;

      matrix[layout == mem_row_major ? row * stride + column : column * stride + row] = self.x[k];
    }
  prism_emulation_gather (0xffffffffu, "store_matrix_sync", nullptr, nullptr);
}

/* As the tensor cores read a float: 10 bits of mantissa. */
template <typename T>
static inline float
prism_emulation_read_factor (typename PrismEmulationElement<T>::type x)
{
  if constexpr (std::is_same<T, precision::tf32>::value)
    return __uint_as_float (__float_as_uint (x) & 0xffffe000u);
  else
    return (float) x;
}

template <typename A, typename B, typename D>
static void
prism_emulation_combine_product (void **lanes,
                                 unsigned int mask)
{
  float result[D::n_rows * D::n_columns];

  for (int row = 0; row < D::n_rows; row++)
    for (int column = 0; column < D::n_columns; column++)
      {
        float sum = (float) prism_emulation_get_element<D> (lanes, 3, row, column);

        for (int k = 0; k < A::n_columns; k++)
          {
            const auto a = prism_emulation_get_element<A> (lanes, 1, row, k);
            const auto b = prism_emulation_get_element<B> (lanes, 2, k, column);

            sum = fmaf (prism_emulation_read_factor<typename A::storage_type> (a),
                        prism_emulation_read_factor<typename B::storage_type> (b), sum);
          }
        result[row * D::n_columns + column] = sum;
      }
  for (int row = 0; row < D::n_rows; row++)
    for (int column = 0; column < D::n_columns; column++)
      prism_emulation_get_element<D> (lanes, 0, row, column) = result[row * D::n_columns + column];
}

/* d ← a b + c */
template <int M, int N, int K, typename TA, typename TB, typename LayoutA,
          typename LayoutB, typename T>
static inline void
mma_sync (fragment<accumulator, M, N, K, T> &d,
          const fragment<matrix_a, M, N, K, TA, LayoutA> &a,
          const fragment<matrix_b, M, N, K, TB, LayoutB> &b,
          const fragment<accumulator, M, N, K, T> &c)
{
  typedef fragment<matrix_a, M, N, K, TA, LayoutA> A;
  typedef fragment<matrix_b, M, N, K, TB, LayoutB> B;
  typedef fragment<accumulator, M, N, K, T> D;
  const void *arguments[4] = { &d, &a, &b, &c };

  prism_emulation_gather (0xffffffffu, "mma_sync", arguments,
                          prism_emulation_combine_product<A, B, D>);
}

/* To the nearest, ties away from zero. */
static inline float
__float_to_tf32 (float x)
{
  const unsigned int bits = __float_as_uint (x);

  if ((bits & 0x7f800000u) == 0x7f800000u)
    return x;
  return __uint_as_float ((bits + 0x1000u) & 0xffffe000u);
}

}
}
