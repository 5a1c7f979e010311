"""How programs of the sanitizer builds are run: by run_tests.py all of them, by
test/run/test_sanitizers.py graphrun."""

import os

PRESETS = ("asan", "tsan")


def environment(root):
    here = os.path.join(root, "test/ci")
    return {
        "ASAN_OPTIONS": "detect_stack_use_after_return=1",
        "LSAN_OPTIONS": f"print_suppressions=0:suppressions={here}/lsan.supp",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "TSAN_OPTIONS": f"halt_on_error=1:ignore_noninstrumented_modules=1:second_deadlock_stack=1:suppressions={here}/tsan.supp",
        "ASAN_SYMBOLIZER_PATH": "/usr/lib/llvm-22/bin/llvm-symbolizer",
    }
