// Stands in for rocThrust's, which torch's headers include in device code. Arithmetic is declared
// alone: device code that needs it does not link.
#pragma once

namespace thrust {

template <typename T>
struct complex {
  __host__ __device__ complex(T real = T(), T imaginary = T())
      : real_(real), imaginary_(imaginary) {}
  template <typename U>
  __host__ __device__ complex(const complex<U>& other)
      : real_(other.real()), imaginary_(other.imag()) {}
  __host__ __device__ T real() const { return real_; }
  __host__ __device__ T imag() const { return imaginary_; }

 private:
  T real_, imaginary_;
};

#define OPWRIGHT_OF_COMPLEX(result, name) \
  template <typename T>                   \
  __host__ __device__ result name(const complex<T>&);

OPWRIGHT_OF_COMPLEX(T, abs)
OPWRIGHT_OF_COMPLEX(T, arg)
OPWRIGHT_OF_COMPLEX(T, norm)
OPWRIGHT_OF_COMPLEX(complex<T>, conj)
OPWRIGHT_OF_COMPLEX(complex<T>, proj)
OPWRIGHT_OF_COMPLEX(complex<T>, exp)
OPWRIGHT_OF_COMPLEX(complex<T>, log)
OPWRIGHT_OF_COMPLEX(complex<T>, log10)
OPWRIGHT_OF_COMPLEX(complex<T>, sqrt)
OPWRIGHT_OF_COMPLEX(complex<T>, sin)
OPWRIGHT_OF_COMPLEX(complex<T>, cos)
OPWRIGHT_OF_COMPLEX(complex<T>, tan)
OPWRIGHT_OF_COMPLEX(complex<T>, asin)
OPWRIGHT_OF_COMPLEX(complex<T>, acos)
OPWRIGHT_OF_COMPLEX(complex<T>, atan)
OPWRIGHT_OF_COMPLEX(complex<T>, sinh)
OPWRIGHT_OF_COMPLEX(complex<T>, cosh)
OPWRIGHT_OF_COMPLEX(complex<T>, tanh)
OPWRIGHT_OF_COMPLEX(complex<T>, asinh)
OPWRIGHT_OF_COMPLEX(complex<T>, acosh)
OPWRIGHT_OF_COMPLEX(complex<T>, atanh)
#undef OPWRIGHT_OF_COMPLEX

template <typename T>
__host__ __device__ complex<T> polar(const T& size, const T& angle = T());
template <typename T, typename U>
__host__ __device__ complex<decltype(T() * U())> pow(const complex<T>&, const complex<U>&);
template <typename T, typename U>
__host__ __device__ complex<decltype(T() * U())> pow(const complex<T>&, const U&);
template <typename T, typename U>
__host__ __device__ complex<decltype(T() * U())> pow(const T&, const complex<U>&);

}  // namespace thrust
