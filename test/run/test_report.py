import re
import shutil

import pytest
from box import MODELS, ROOT

# What a script finds in the opened page: drawings that are inside their frames, and text that none
# cuts off.
PROBE = """
<script>
const bad = [];
for (const svg of document.querySelectorAll('figure svg')) {
  const frame = svg.getBoundingClientRect();
  for (const part of svg.querySelectorAll('rect, path, text')) {
    const box = part.getBoundingClientRect();
    if (box.left < frame.left - 2 || box.right > frame.right + 2 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2)
      bad.push(part.outerHTML.slice(0, 120));
  }
  // No label lies on another one; a device's, and that of an arrow that leaves it, is inside its box.
  const labels = [...svg.querySelectorAll('text')].map((text) => [text, text.getBoundingClientRect()]).filter(([, at]) => at.width > 0);
  const meets = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  labels.forEach(([text, at], i) => labels.slice(i + 1).forEach(([other, there]) => {
    if (meets(at, there))
      bad.push(text.textContent + ' on ' + other.textContent);
  }));
  for (const device of svg.querySelectorAll('.box')) {
    const box = device.getBoundingClientRect();
    for (const [text, at] of labels)
      if ((device.parentNode.contains(text) || meets(at, box)) &&
          (at.left < box.left || at.right > box.right || at.top < box.top || at.bottom > box.bottom))
        bad.push(text.textContent + ' and a box');
  }
}
const overflow = document.documentElement.scrollWidth > innerWidth + 1;
// Counted are parts that have a size: what is not drawn is not there.
const drawn = (what) => [...document.querySelectorAll(what)].filter((part) => part.getBoundingClientRect().width > 0).length;
document.body.setAttribute('data-found', drawn('.box') + ' boxes, ' + drawn('path.edge') + ' arrows, ' +
  drawn('figure .wait') + ' lanes, ' + (drawn('figure .library, figure .copy') >= 2 && drawn('.take') >= 2) + ' bars, ' + drawn('.area') + ' memories, ' +
  drawn('.bars tbody tr') + ' stores, ' + drawn('section[aria-labelledby=edges] tbody tr') + ' edges, ' + bad.length + ' outside, overflow ' + overflow);
document.body.setAttribute('data-bad', bad.join(' '));
</script></body></html>
"""


GPUS = {"worker": ["GPU:0"]}  # with the parameter servers on CPUs
FOUND = {
    "cpu": "3 boxes, 4 arrows, 3 lanes, true bars, 3 memories, 2 stores, 8 edges, 0 outside, overflow false",
    "measured": "3 boxes, 4 arrows, 8 lanes, true bars, 3 memories, 2 stores, 8 edges, 0 outside, overflow false",
    "gpu": "3 boxes, 4 arrows, 6 lanes, true bars, 4 memories, 2 stores, 8 edges, 0 outside, overflow false",
}


@pytest.mark.parametrize("kind", ["cpu", "measured", "gpu"])
@pytest.mark.parametrize("size", ["1280,900", "420,900"])
def test_opens(box, size, kind):
    """The report opens in a real browser, without a network, wide and narrow, and draws what it
    says; test/tools/graphc/report.test checks the page's structure everywhere."""
    browser = next(
        filter(
            None,
            map(
                shutil.which,
                ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"),
            ),
        ),
        None,
    )
    if not browser:
        pytest.skip("no chromium here (tools/setup.sh --tests installs one)")
    box.write(
        "cluster.json",
        {
            "ps": 2,
            "worker": 3,
            "strategy": "parameter_server",
            **({"devices": GPUS} if kind == "gpu" else {}),
        },
    )
    compiles = [
        ROOT / "examples/fashion-mnist/model.mlir",
        "--partition",
        "cluster.json",
        "-o",
        "model.plan",
        "--report",
        "report.html",
    ]
    box.graphc(*compiles)
    if kind == "measured":
        box.graphrun("model.plan", "--steps", 5, "--trace", "run.pftrace")
        box.graphc(*compiles, "--measured", "run.pftrace")
    box.write(
        "probe.html", re.sub("</(body|html)>.*", "", (box / "report.html").read_text()) + PROBE
    )
    page = box.run(
        browser,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={box / 'profile'}",
        f"--window-size={size}",
        "--dump-dom",
        f"file://{box / 'probe.html'}",
    ).out
    assert page.matches('data-found="([^"]*)"') == [FOUND[kind]], page.matches(
        'data-bad="([^"]*)"'
    )[0][:600]


def inNumber(text):
    """Of "1.23 k"; and of "245.82 ms", in seconds."""
    number, _, unit = text.partition(" ")
    return float(number) * {"": 1, "k": 1e3, "M": 1e6, "µs": 1e-6, "ms": 1e-3, "s": 1}[unit]


@pytest.mark.parametrize(
    "cluster, model, samples",
    [
        ({"worker": 1}, "observed.mlir", 4),
        ({"worker": 2, "strategy": "all_reduce"}, "mlp.mlir", 16),
        (
            {"worker": 2, "ps": 1, "strategy": {"name": "parameter_server", "update": "async"}},
            "mlp.mlir",
            8,
        ),
    ],
    ids=["one", "all_reduce", "async"],
)
def test_measured_samples(box, cluster, model, samples):
    """Beside a measured step the samples a second are measured too: those of a step (asynchronous:
    of an update) over its time, and not what was predicted."""
    plan = box.compile("plan", cluster, MODELS / model)
    box.graphrun(plan, "--steps", 30, "--trace", "run.pftrace", "--no_eval")
    compiles = MODELS / model, "--partition", "plan.json", "-o", "again.plan"
    box.graphc(*compiles, "--report", "report.html", "--measured", "run.pftrace")
    tiles = {
        what: inNumber(value)
        for value, what in re.findall(
            "<li><b>([^<]*)</b><span>([^<]*)</span>", (box / "report.html").read_text()
        )
        if "second" in what or "one" in what
    }
    (step,) = [value for what, value in tiles.items() if what.startswith("measured for one")]
    assert "samples a second" not in tiles and "samples a second, predicted" not in tiles
    assert tiles["samples a second, measured"] == pytest.approx(samples / step, rel=0.02)
    assert "<th class=\"number\">measured</th>" in (box / "report.html").read_text()
    # without a measurement the page says that it predicts
    box.graphc(*compiles, "--report", "report.html")
    assert "samples a second, predicted" in (box / "report.html").read_text()
