"""graphc.h's sessions in Python, by ctypes alone.

    session = Session("libgraphc_c.so", "model.plan", {"steps": 1000, "graphrun": "graphrun"}, [hook])
    while not session.should_stop():
        session.run()
    status = session.close()   # 0; 138: another task was lost; 1: session.error says why
"""
import array
import ctypes
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

CALLBACK = CFUNCTYPE(c_int, c_void_p, c_void_p)
NAMES = "begin", "after_create_session", "before_run", "after_run", "end"
FORMATS = {4: "i", 5: "q", 6: "f", 7: "d"}  # DataType of runtime/plan/plan.proto: I32, I64, F32, F64


class _Hook(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("data", c_void_p), *((name, CALLBACK) for name in NAMES)]


class _Fetched(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("step", c_uint64), ("data_type", c_uint32), ("rank", c_size_t), ("shape", POINTER(c_int64)),
                ("data", c_void_p), ("bytes", c_size_t)]


class Hook:
    """As tf.train.SessionRunHook; an exception in a method ends the run by the hook's name."""

    def begin(self, session):
        pass

    def after_create_session(self, session):
        pass

    def before_run(self, session):
        """session.want(name) asks for a result of the step that comes."""

    def after_run(self, session):
        """session.fetched(name) gives it."""

    def end(self, session):
        pass


def load(path):
    library = ctypes.CDLL(str(path))
    for name, result, *arguments in [
            ("graphc_new_session_file", c_void_p, c_char_p), ("graphc_session_set", c_int, c_void_p, c_char_p, c_char_p),
            ("graphc_session_add_hook", c_int, c_void_p, POINTER(_Hook)), ("graphc_session_start", c_int, c_void_p),
            ("graphc_session_should_stop", c_int, c_void_p), ("graphc_session_request_stop", None, c_void_p), ("graphc_session_run", c_int, c_void_p),
            ("graphc_session_global_step", c_uint64, c_void_p), ("graphc_session_restored_from", c_char_p, c_void_p),
            ("graphc_session_want", c_int, c_void_p, c_char_p),
            ("graphc_session_fetched", c_int, c_void_p, c_char_p, c_void_p, c_size_t, POINTER(_Fetched)),
            ("graphc_session_fail", None, c_void_p, c_char_p), ("graphc_session_close", c_int, c_void_p), ("graphc_session_error", c_char_p, c_void_p),
            ("graphc_session_loss", c_int, c_void_p, POINTER(c_double)), ("graphc_session_ended_early", c_char_p, c_void_p),
            ("graphc_free_session", None, c_void_p)]:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class Session:
    def __init__(self, library, plan, options=(), hooks=()):
        self._c = load(library)
        self._session = self._c.graphc_new_session_file(str(plan).encode())
        for key, value in dict(options).items():
            self._c.graphc_session_set(self._session, key.encode(), str(value).encode())
        self._callbacks = []  # ctypes keeps none of them
        for hook in hooks:
            own = _Hook(ctypes.sizeof(_Hook), type(hook).__name__.encode(), None, *(self._callback(getattr(hook, name)) for name in NAMES))
            self._c.graphc_session_add_hook(self._session, byref(own))
        self._c.graphc_session_start(self._session)

    def _callback(self, method):
        def call(session, _):
            try:
                method(self)
                return 0
            except Exception as error:  # none passes through C
                self._c.graphc_session_fail(session, f"{type(error).__name__}: {error}".encode())
                return 1

        self._callbacks.append(CALLBACK(call))
        return self._callbacks[-1]

    def should_stop(self):
        return bool(self._c.graphc_session_should_stop(self._session))

    def request_stop(self):
        self._c.graphc_session_request_stop(self._session)

    def run(self):
        self._c.graphc_session_run(self._session)

    @property
    def global_step(self):
        return self._c.graphc_session_global_step(self._session)

    @property
    def restored_from(self):
        return self._c.graphc_session_restored_from(self._session).decode()

    @property
    def error(self):
        text = self._c.graphc_session_error(self._session)
        return text.decode(errors="replace") if text else None

    @property
    def ended_early(self):
        return self._c.graphc_session_ended_early(self._session).decode()

    def want(self, name):
        self._c.graphc_session_want(self._session, name.encode())

    def fetched(self, name):
        """(shape, array of numbers) of the last step; an error where it was not wanted."""
        about = _Fetched()
        if self._c.graphc_session_fetched(self._session, name.encode(), None, 0, byref(about)):
            raise KeyError(name)
        buffer = ctypes.create_string_buffer(about.bytes)
        self._c.graphc_session_fetched(self._session, name.encode(), buffer, about.bytes, None)
        return [about.shape[i] for i in range(about.rank)], array.array(FORMATS[about.data_type], buffer.raw)

    def close(self):
        return self._c.graphc_session_close(self._session)

    def free(self):
        self._c.graphc_free_session(self._session)
        self._session = None
