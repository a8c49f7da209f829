/* The error codes of the CUDA runtime that the emulation or its callers know by name. */
#pragma once

/* clang-format off */
#define PRISM_EMULATION_ERRORS(X) \
  X (cudaSuccess, 0) \
  X (cudaErrorInvalidValue, 1) \
  X (cudaErrorMemoryAllocation, 2) \
  X (cudaErrorCudartUnloading, 4) \
  X (cudaErrorInvalidConfiguration, 9) \
  X (cudaErrorInvalidPitchValue, 12) \
  X (cudaErrorInsufficientDriver, 35) \
  X (cudaErrorDevicesUnavailable, 46) \
  X (cudaErrorNoDevice, 100) \
  X (cudaErrorInvalidDevice, 101) \
  X (cudaErrorNoKernelImageForDevice, 209) \
  X (cudaErrorECCUncorrectable, 214) \
  X (cudaErrorInvalidPtx, 218) \
  X (cudaErrorNvlinkUncorrectable, 220) \
  X (cudaErrorJitCompilerNotFound, 221) \
  X (cudaErrorUnsupportedPtxVersion, 222) \
  X (cudaErrorInvalidResourceHandle, 400) \
  X (cudaErrorIllegalState, 401) \
  X (cudaErrorNotReady, 600) \
  X (cudaErrorIllegalAddress, 700) \
  X (cudaErrorLaunchTimeout, 702) \
  X (cudaErrorContextIsDestroyed, 709) \
  X (cudaErrorAssert, 710) \
  X (cudaErrorHardwareStackError, 714) \
  X (cudaErrorIllegalInstruction, 715) \
  X (cudaErrorMisalignedAddress, 716) \
  X (cudaErrorInvalidAddressSpace, 717) \
  X (cudaErrorInvalidPc, 718) \
  X (cudaErrorLaunchFailure, 719) \
  X (cudaErrorNotSupported, 801) \
  X (cudaErrorSystemNotReady, 802) \
  X (cudaErrorSystemDriverMismatch, 803) \
  X (cudaErrorMpsConnectionFailed, 805) \
  X (cudaErrorMpsRpcFailure, 806) \
  X (cudaErrorMpsServerNotReady, 807) \
  X (cudaErrorMpsMaxClientsReached, 808) \
  X (cudaErrorMpsMaxConnectionsReached, 809) \
  X (cudaErrorMpsClientTerminated, 810) \
  X (cudaErrorStreamCaptureUnsupported, 900) \
  X (cudaErrorStreamCaptureInvalidated, 901) \
  X (cudaErrorStreamCaptureMerge, 902) \
  X (cudaErrorStreamCaptureUnmatched, 903) \
  X (cudaErrorStreamCaptureUnjoined, 904) \
  X (cudaErrorStreamCaptureIsolation, 905) \
  X (cudaErrorStreamCaptureImplicit, 906) \
  X (cudaErrorCapturedEvent, 907) \
  X (cudaErrorUnknown, 999)
/* clang-format on */
