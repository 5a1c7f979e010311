import pytest
from box import ROOT

PAGES = [
    "README.md",
    "docs/tutorial.md",
    "docs/cluster.md",
    "docs/reports.md",
    "docs/trace.md",
    "docs/trained-values.md",
    "docs/export.md",
    "docs/observing.md",
    "docs/editors.md",
    "docs/metrics.md",
    "docs/optimizers.md",
    *sorted(str(page.relative_to(ROOT)) for page in ROOT.glob("examples/*/README.md")),
]


@pytest.mark.parametrize("row", PAGES)
def test_typed(box, row):
    """Every command that the page shows is run, and prints what the page says it prints."""
    box.run("python3", ROOT / "test/docs/pages.py", ROOT, row, cwd=ROOT, seconds=600)
