"""The machine and its GPU: what it is, and running commands there."""

import datetime
import glob
import gzip
import json
import os
import shutil
import signal
import site
import subprocess
import sys
import zlib

# In a process of its own: what a driver does to its process stays there.
ASK = """
import ctypes, json
cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    if result: raise SystemExit(f"{name} gives error {result}")
call("cuInit", 0)
count, version, device, text, bytes_, value = ctypes.c_int(), ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(256), ctypes.c_size_t(), ctypes.c_int()
call("cuDeviceGetCount", ctypes.byref(count)); call("cuDriverGetVersion", ctypes.byref(version)); call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDeviceGetName", text, 256, device); call("cuDeviceTotalMem_v2", ctypes.byref(bytes_), device)
arch = []
for number in 75, 76:
    call("cuDeviceGetAttribute", ctypes.byref(value), number, device); arch.append(value.value)
print(json.dumps(dict(gpus=count.value, name=text.value.decode(), bytes=bytes_.value, cuda=version.value, arch="sm_%d%d" % tuple(arch))))
"""


def cublaslt():
    """The environment in which graphrun finds cuBLASLt where the loader does not: in the toolkit,
    or in a package of Python's."""
    load = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
    names = "libcublasLt.so.13", "libcublasLt.so.12"
    if "GRAPHC_CUBLASLT" in os.environ or any(
        subprocess.run([sys.executable, "-c", load, name], capture_output=True).returncode == 0
        for name in names
    ):
        return {}
    folders = [
        "/usr/local/cuda/lib64",
        *(
            found
            for path in sys.path + [site.getusersitepackages()]
            for found in sorted(glob.glob(os.path.join(path, "nvidia/*/lib")))
        ),
    ]
    return next(
        (
            {"GRAPHC_CUBLASLT": os.path.join(folder, name)}
            for name in names
            for folder in folders
            if os.path.exists(os.path.join(folder, name))
        ),
        {},
    )


class DamagedBundle(Exception):
    """A file of the bundle is not what was put there."""


class Machine:
    def __init__(self, bundle, scratch):
        self.bundle, self.scratch, self.runs = bundle, scratch, 0
        self.graphrun = os.path.join(bundle, "bin/graphrun")
        self.environment = {
            **os.environ,
            "XDG_STATE_HOME": scratch,
            "TMPDIR": scratch,
            **cublaslt(),
        }
        done = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True)
        self.gpu = json.loads(done.stdout) if done.returncode == 0 else {}
        self.gpus = self.gpu.get("gpus", 0)
        self.why = (done.stderr.strip().splitlines() or ["the driver says so"])[-1]
        # The driver of the tests runs on the CPU: what it takes has no meaning.
        self.simulated = self.gpu.get("name", "").startswith("simulated")

    def tooOld(self, made):
        """What the bundle's programs need and the machine has not; "" where they run."""

        def number(text):
            return [int(part) for part in text.split(".")]

        here = os.confstr("CS_GNU_LIBC_VERSION").split()[-1]
        return (
            f"the bundle needs glibc {made['glibc']}, this machine has {here}"
            if number(here) < number(made["glibc"])
            else ""
        )

    def describe(self, made):
        driver = self.said("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
        cuda = self.gpu.get("cuda", 0)
        with open("/proc/cpuinfo") as info:
            cpu = next(
                (line.split(":")[1].strip() for line in info if line.startswith("model name")),
                "unknown",
            )
        return {
            "gpu": self.gpu.get("name"),
            "arch": self.gpu.get("arch"),
            "simulated": self.simulated,
            "gpus": self.gpus,
            "memory_mib": self.gpu.get("bytes", 0) >> 20,
            "driver": driver and driver.splitlines()[0],
            "cuda": f"{cuda // 1000}.{cuda % 1000 // 10}",
            "cpu": f"{os.cpu_count()} x {cpu}",
            "date": str(datetime.date.today()),
            "tree": made["tree"],
        }

    def said(self, *command):
        """What a command prints; None where it is not there or fails."""
        if not shutil.which(command[0]):
            return None
        done = subprocess.run(command, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else None

    @staticmethod
    def failure(status, said):
        """What to say of a run that went wrong."""
        return f"{'took too long' if status is None else f'exit status {status}'}: {said.strip()[-1200:]}"

    def run(self, command, seconds, environment=None, onLine=None):
        """(exit status or None where it took longer, all that it printed). Nothing of it runs on.
        `onLine`: what is called with each line."""
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd=self.scratch,
            env={**self.environment, **(environment or {})},
            start_new_session=True,
        )
        late = []

        def end(*_):
            late.append(True)
            os.killpg(process.pid, signal.SIGKILL)

        signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, max(1, seconds))
        printed = []
        for line in process.stdout:
            printed.append(line)
            if onLine:
                onLine(line)
        process.wait()
        signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # all of it has ended
        return None if late else process.returncode, "".join(printed)

    def folder(self):
        self.runs += 1
        path = os.path.join(self.scratch, f"run-{self.runs}")
        os.mkdir(path)
        return path

    def plan(self, case):
        path = os.path.join(self.scratch, case["plan"])
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            try:
                with gzip.open(os.path.join(self.bundle, f"{case['plan']}.gz")) as packed:
                    plan = packed.read()
            except (OSError, EOFError, zlib.error) as error:
                raise DamagedBundle(f"{case['plan']}.gz: {error}") from error
            with open(f"{path}.part", "wb") as file:
                file.write(plan)
            os.rename(f"{path}.part", path)
        return [
            path,
            *(
                argument.replace("@DATA@", os.path.join(self.bundle, "data"))
                for argument in case["arguments"]
            ),
        ]
