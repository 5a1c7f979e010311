from box import HERE, LONG, ROOT


def test_hostile_ops(box):
    """Each op with sizes up to 2^64, attributes out of range and other types is one error with a
    place, or a plan, within 4 GiB of addresses: a sample of 30,000 variants, all of them with
    --long."""
    sample = [] if LONG else ["--every", 10, "--compile", 8]
    box.run(
        "python3",
        HERE / "hostile_ops.py",
        ROOT,
        box.folder / "models",
        *sample,
        seconds=7200 if LONG else 900,
    )


def test_hostile_models(box):
    """The same of what names symbols, holds regions or has no result: variables, data sets, calls,
    scopes, loops, training and what it is made of."""
    sample = [] if LONG else ["--every", 16, "--compile", 8]
    box.run(
        "python3",
        HERE / "hostile_models.py",
        box.folder / "models",
        *sample,
        seconds=7200 if LONG else 900,
    )
