"""PRISM Studio from Python: sharp pictures from frames of a small aperture.

    import prism
    r = prism.reconstruct(frames, wavelength=630e-9, na=0.1, pixel=1.8e-6, directions=directions)
    r.object                        # complex, [H][W]
    r = prism.run(image, image_size=256, aperture_radius=12, snr=40)
    r.reconstruction, r.metrics     # the simulated telescope
    for s in prism.steps(frames, na=0.1):
        print(s.pass_, s.misfit)

Numbers are those of prism-cli, bit for bit. Ctrl+C ends a run and keeps its result (state is “stopped” then); a second
one raises KeyboardInterrupt. While a run computes, other threads of Python go on. Any thread may run, several at a time;
one result or one loop over steps() belongs to one thread at a time. What cannot be done raises prism.Error with a
sentence. Arrays of a result are read-only views of memory that they keep alive.

Keywords beyond those that are named here are parameters (“prism-cli params” lists them); those of recorded frames may
also be keys of a recipe (“prism-cli inspect --keys”), with lengths in metres or as text, “1.8 um”.
"""
from __future__ import annotations

import ctypes
import os
import tempfile
import weakref
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_int, c_size_t, c_uint, c_void_p
from pathlib import Path
from typing import Any, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

__all__ = ['Error', 'Result', 'Score', 'Step', 'reconstruct', 'run', 'steps', '__version__']

PathLike = Union[str, 'os.PathLike[str]']

_MAX_DIMS = 4
_WAIT = 100  # ms; Ctrl+C is heard between two waits
_TYPES = [np.dtype(name) for name in ('u1', 'u2', 'f4', 'f8', 'c8')]  # in the order of libprism_type
# Keys of a recipe that parameters are not called, and ours of prism.reconstruct().
_RECIPE = frozenset(
    'frame_axis values transpose flip_rows flip_columns crop exposure hot_pixels positions_axes positions_unit '
    'positions_flip directions_axes directions_sign wavelength pixel_size camera_pixel magnification na distance pitch '
    'defocus slide_thickness slide_index rotation shift_x shift_y'.split())
_ARRAYS = ('directions', 'positions', 'dark', 'bright', 'mask')


class Error(Exception):
    """What cannot be done, as a sentence: what, where, what is allowed, what to do."""


class _Array(Structure):
    _fields_ = [('type', c_int), ('n_dims', c_int), ('shape', c_size_t * _MAX_DIMS), ('values', c_void_p)]


def _load() -> ctypes.CDLL:
    """The library of PRISM_LIBRARY, that of the wheel, or the system's."""
    own = Path(__file__).with_name('lib') / 'libprism.so.1'
    if own.exists():
        os.environ.setdefault('PRISM_MODULE_DIR', str(own.parent))  # of the GPU
    lib = ctypes.CDLL(os.environ.get('PRISM_LIBRARY') or (str(own) if own.exists() else 'libprism.so.1'))
    text, number, handle = c_char_p, c_uint, c_void_p
    for name, result, arguments in (
            ('version', text, []), ('last_error', text, []),
            ('frames_new', handle, [text]), ('frames_free', None, [handle]),
            ('frames_set_array', c_int, [handle, text, POINTER(_Array)]),
            ('frames_set_text', c_int, [handle, text, text]),
            ('run_new', handle, [handle, text, text, POINTER(text)]), ('run_free', None, [handle]),
            ('run_start', None, [handle, number]), ('run_stop', None, [handle]),
            ('run_wait', c_int, [handle, number]), ('run_get_result', handle, [handle]),
            ('run_save', c_int, [handle, text]), ('result_free', None, [handle]),
            ('result_get_array', c_int, [handle, text, POINTER(_Array)]),
            ('result_get_text', text, [handle, text]), ('result_get_number', c_double, [handle, text])):
        function = getattr(lib, 'libprism_' + name)
        function.restype, function.argtypes = result, arguments
    return lib


_lib = _load()
__version__: str = _lib.libprism_version().decode()


def _error() -> Error:
    return Error(_lib.libprism_last_error().decode())


def _path(path: Optional[PathLike]) -> Optional[bytes]:
    return None if path is None else os.fsencode(path)


def _text(value: Any) -> str:
    """A value as parameters and recipes have it; numbers come back to the bit."""
    if isinstance(value, (bool, np.bool_)):
        return 'yes' if value else 'no'
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (list, tuple)):
        return ' '.join(map(_text, value))
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


class _Handle:
    """A handle of the library, freed with the last that holds it."""

    def __init__(self, pointer: Optional[int], free: Any):
        if not pointer:
            raise _error()
        self.pointer = pointer
        self.close = weakref.finalize(self, free, pointer)


class Score(NamedTuple):
    """How well frames are predicted that were never used, beside what noise allows a perfect model (NaN: not known)."""

    misfit: float
    correlation: float
    expected_misfit: float
    expected_correlation: float


class Result:
    """What a run has come to. What there is not is None: object, pupil, gains, places are of recorded frames;
    reconstruction [m][m], amplitude, is a picture of both."""

    def __init__(self, handle: _Handle):
        self._handle = handle

    def __repr__(self) -> str:
        return f'<prism.Result, {self.state}: {self.verdict}>'

    def array(self, name: str) -> Optional[np.ndarray]:
        """An array by its name in prism.h, a read-only view."""
        found = _Array()
        if not _lib.libprism_result_get_array(self._handle.pointer, name.encode(), byref(found)):
            return None
        dtype, shape = _TYPES[found.type], tuple(found.shape[:found.n_dims])
        n_bytes = dtype.itemsize * int(np.prod(shape))
        if n_bytes == 0:
            return np.empty(shape, dtype)
        memory = (ctypes.c_char * n_bytes).from_address(found.values)
        memory.owner = self._handle  # the view holds memory, and that what it is of
        view = np.frombuffer(memory, dtype).reshape(shape)
        view.flags.writeable = False
        return view

    def number(self, name: str) -> float:
        """A number by its name in prism.h, NaN where it is not known."""
        return _lib.libprism_result_get_number(self._handle.pointer, name.encode())

    def text(self, name: str) -> Optional[str]:
        """A text by its name in prism.h."""
        text = _lib.libprism_result_get_text(self._handle.pointer, name.encode())
        return None if text is None else text.decode()

    @property
    def state(self) -> str:
        """“finished”, “stopped” by Ctrl+C, or “paused” between two steps."""
        return self.text('state') or ''

    @property
    def verdict(self) -> str:
        """What can be said of the result, a sentence."""
        return self.text('verdict') or ''

    @property
    def warnings(self) -> list[str]:
        """What should be known besides, sentences."""
        return (self.text('warnings') or '').splitlines()

    @property
    def score(self) -> Score:
        """Held-out frames; of the telescope its misfit alone."""
        return Score(*(self.number(name) for name in Score._fields))

    @property
    def reconstruction(self) -> Optional[np.ndarray]:
        """Amplitude as a picture, float32; of a large object smaller than it."""
        return self.array('reconstruction')

    @property
    def object(self) -> Optional[np.ndarray]:
        """Complex field behind the specimen, complex64 [H][W]; number('pixel_size') metres a pixel."""
        return self.array('object')

    @property
    def pupil(self) -> Optional[np.ndarray]:
        """Complex pupil, complex64 [q][q] on the grid of a frame's spectrum."""
        return self.array('pupil')

    @property
    def gains(self) -> Optional[np.ndarray]:
        """Brightness of each light, float64 [N]."""
        return self.array('gains')

    @property
    def places(self) -> Optional[np.ndarray]:
        """Column and row of each frame's pupil from the centre of the spectrum, float64 [N][2], px of q."""
        return self.array('places')

    @property
    def target(self) -> Optional[np.ndarray]:
        """The telescope's object, float32 [m][m]."""
        return self.array('target')

    @property
    def metrics(self) -> dict[str, float]:
        """How close the telescope's picture is to its object: psnr, ssim, rmse, mse, pearson."""
        return {name: self.number(name) for name in (self.text('metrics') or '').split()}

    @property
    def history(self) -> dict[str, np.ndarray]:
        """A column of each name, a row a step or pass, as metrics.csv; pandas.DataFrame(r.history) is a table."""
        return {name: self.array('history/' + name) for name in (self.text('columns') or '').split()}


class Step(Result):
    """A result on the way, of steps()."""

    @property
    def picture(self) -> Optional[np.ndarray]:
        """Amplitude so far."""
        return self.reconstruction

    @property
    def pass_(self) -> int:
        """Passes done."""
        return int(self.number('pass'))

    @property
    def sample(self) -> int:
        """Sample under way, from 0."""
        return int(self.number('sample'))

    @property
    def misfit(self) -> float:
        """Of held-out frames where there are some; NaN before it is known."""
        return self.number('misfit')


def _new_frames(frames: Union[PathLike, np.ndarray, Sequence], arrays: Mapping[str, Any],
                recipe: Mapping[str, Any]) -> tuple[_Handle, list[np.ndarray]]:
    """Frames as the library has them, and the arrays that have to stay for it."""
    kept: list[np.ndarray] = []
    path = isinstance(frames, (str, os.PathLike))
    handle = _Handle(_lib.libprism_frames_new(_path(frames) if path else None), _lib.libprism_frames_free)
    for name, values in {**({} if path else {'frames': frames}), **arrays}.items():
        if isinstance(values, (str, os.PathLike)):
            recipe = {**recipe, name: values}
            continue
        values = values.astype(np.float64).filled(np.nan) if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
        if values.dtype not in _TYPES[:4]:
            if values.dtype.kind not in 'biuf':
                raise Error(f'“{name}” has elements of {values.dtype}: give intensities, real numbers.')
            values = values.astype(np.float64)
        values = np.ascontiguousarray(values)
        if values.ndim > _MAX_DIMS:
            raise Error(f'“{name}” has {values.ndim} dimensions, allowed are {_MAX_DIMS}: give frames as [N][h][w].')
        kept.append(values)
        array = _Array(_TYPES.index(values.dtype), values.ndim, values.shape, values.ctypes.data)
        if _lib.libprism_frames_set_array(handle.pointer, name.encode(), byref(array)) != 0:
            raise _error()
    for key, value in recipe.items():
        if _lib.libprism_frames_set_text(handle.pointer, key.encode(), os.fsencode(_text(value))) != 0:
            raise _error()
    return handle, kept


def _new_run(frames: Optional[_Handle], preset: Optional[str], config: Optional[PathLike],
             settings: Mapping[str, Any]) -> _Handle:
    texts = [os.fsencode(f'{key}={_text(value)}') for key, value in settings.items()]
    return _Handle(_lib.libprism_run_new(frames.pointer if frames else None, preset and preset.encode(), _path(config),
                                         (c_char_p * (len(texts) + 1))(*texts)), _lib.libprism_run_free)


def _recorded(frames: Any, preset: Optional[str], config: Optional[PathLike], words: dict[str, Any]) -> _Handle:
    """A run of recorded frames; words are keys of a recipe, or else parameters."""
    if 'pixel' in words:
        words['pixel_size'] = words.pop('pixel')
    words = {key: value for key, value in words.items() if value is not None}
    arrays = {key: words.pop(key) for key in _ARRAYS if key in words}
    recipe = {key: words.pop(key) for key in list(words) if key in _RECIPE}
    handle, kept = _new_frames(frames, arrays, recipe)
    run_handle = _new_run(handle, preset, config, words)
    del kept  # it has been read
    return run_handle


def _advance(handle: _Handle, n: int) -> Result:
    """Computes n steps more, or all that are left; Ctrl+C ends the run with its result."""
    stopped = False
    _lib.libprism_run_start(handle.pointer, n)
    while True:
        try:
            code = _lib.libprism_run_wait(handle.pointer, _WAIT)
            if code != 0:
                break
        except KeyboardInterrupt:
            if stopped:
                raise
            stopped = True
            _lib.libprism_run_stop(handle.pointer)
    result = Step(_Handle(_lib.libprism_run_get_result(handle.pointer), _lib.libprism_result_free))
    if stopped and (code < 0 or result.reconstruction is None):
        raise KeyboardInterrupt('The run was ended before there was a result.')
    if code < 0:
        raise _error()
    return result


def _finish(handle: _Handle, save: Optional[PathLike]) -> Result:
    result = _advance(handle, 0)
    if save is not None and _lib.libprism_run_save(handle.pointer, _path(save)) != 0:
        raise _error()
    handle.close()
    return result


def reconstruct(frames: Union[PathLike, np.ndarray], *, wavelength: Union[float, str, None] = None,
                na: Optional[float] = None, pixel: Union[float, str, None] = None,
                directions: Union[np.ndarray, PathLike, None] = None,
                positions: Union[np.ndarray, PathLike, None] = None, preset: Optional[str] = None,
                config: Optional[PathLike] = None, save: Optional[PathLike] = None, **words: Any) -> Result:
    """Explains frames that a camera recorded: object, pupil, brightness and place of every light.

    frames: intensities [N][h][w], or the path of a file or folder that prism-cli reads. wavelength and pixel (its side
    at the sample) in m; na of the objective. Where the light came from: directions [N][2], direction cosines x, y, or
    positions [N][2] of the LEDs in m with distance=…; either may be the path of a CSV table. dark, bright and mask are
    arrays, too. save: a folder, written as prism-cli writes it. Anything else: see the module.
    """
    words.update(wavelength=wavelength, na=na, pixel=pixel, directions=directions, positions=positions)
    return _finish(_recorded(frames, preset, config, words), save)


def _simulated(image: Union[PathLike, np.ndarray, None], preset: Optional[str], config: Optional[PathLike],
               settings: dict[str, Any], folder: str) -> _Handle:
    """A run of the telescope; an array goes through a file in folder, as prism-cli would read it."""
    if image is not None and not isinstance(image, (str, os.PathLike)):
        path = Path(folder) / 'image.npy'
        image = np.asarray(image)
        # Grey values of whole numbers, as a picture's: the largest that can be is white.
        np.save(path, image / np.iinfo(image.dtype).max if image.dtype.kind == 'u' else image, allow_pickle=False)
        image = path
    if image is not None:
        settings = {'object': image, **settings}
    return _new_run(None, preset, config, settings)


def run(image: Union[PathLike, np.ndarray, None] = None, *, preset: Optional[str] = None,
        config: Optional[PathLike] = None, save: Optional[PathLike] = None, **settings: Any) -> Result:
    """Moves the simulated telescope over the spectrum of an image, and reconstructs it.

    image: grey values [h][w], the path of a picture, the name of a built-in object (“moon”), or nothing for that of the
    parameters. save: a folder, written as prism-cli writes it. Anything else is a parameter: image_size=256, snr=40.
    """
    with tempfile.TemporaryDirectory(prefix='prism-') as folder:
        return _finish(_simulated(image, preset, config, settings, folder), save)


def steps(source: Union[PathLike, np.ndarray, None] = None, *, recorded: Optional[bool] = None, every: int = 1,
          preset: Optional[str] = None, config: Optional[PathLike] = None, **words: Any) -> Iterator[Step]:
    """A run step by step, for notebooks and live plots: it waits while a step is looked at.

    source: frames as reconstruct() takes them, or an image as run() does; recorded says which it is where that is not
    plain: arrays of three dimensions, and what has na=…, directions=… or positions=…, are frames. every: passes over
    recorded frames, or samples of the telescope, from one step to the next. The last step is the result. Leaving the
    loop ends the run.
    """
    if every < 1:
        raise Error(f'every is {every}, allowed is 1 or more.')
    if recorded is None:
        recorded = bool({'na', 'directions', 'positions'} & set(words)) or (
            not isinstance(source, (str, os.PathLike)) and source is not None and np.ndim(source) >= 3)
    with tempfile.TemporaryDirectory(prefix='prism-') as folder:
        handle = (_recorded(source, preset, config, words) if recorded
                  else _simulated(source, preset, config, words, folder))
        try:
            while True:
                step = _advance(handle, every)
                yield step
                if step.state != 'paused':
                    return
        finally:
            handle.close()
