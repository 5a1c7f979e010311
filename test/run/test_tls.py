"""Tasks by hand over mutual TLS on loopback; certificates that are wrong end with their names, and
no task waits for ever."""

import shutil

import pytest
from box import same, tls
from process import END, ended


@pytest.fixture
def member(two, task):
    return lambda name, *arguments: task(name, two, "--steps", 30, *arguments)


@pytest.fixture(autouse=True)
def certs(box, ports):
    return box.graphrun("certs", *ports.flags)


def test_certificates(box, ports, certs):
    """Private keys are private; a second call keeps all four certificates."""
    certs.expect("^certs/worker-0.crt +/job:worker/task:0 +127.0.0.1 +until 20")
    assert {(box / f"certs/{name}.key").stat().st_mode & 0o777 for name in ("ca", "ps-0")} == {
        0o600
    }
    assert len(box.graphrun("certs", *ports.flags).matches(r"\(kept\)")) == 4


def test_same_weights(box, two, member):
    """As a launched run's."""
    ended(
        [
            member(name, *tls(name), "--transport", "grpc", "--dump_variables", "over-tls")
            for name in ("ps-0", "worker-1", "worker-0")
        ]
    )
    same(box.weights(two, "--steps", 30), box / "over-tls")


def test_strangers(box, ports, member):
    """A foreign authority is named within seconds; a chief without TLS, and a task without it, is
    waited for and then named."""
    box.graphrun("certs", "foreign", *ports.flags)
    chief = member("worker-0", *tls("worker-0"), "--join_deadline", 2 * END)
    alien = member("ps-0", *tls("ps-0", "foreign"), "--join_deadline", 2 * END)
    plain = member("worker-1", "--join_deadline", 3)
    alien.ends(1)  # not at its own deadline
    alien.expect(
        "the chief /job:worker/task:0 at .*: the certificate that .* shows is not accepted by --tls_ca here"
    )
    plain.ends(1).expect(
        r"did not come within 3s \(something listens there that closes the connection; does it want --tls_cert"
    )
    chief.stop(1)


def test_plain_chief(member):
    chief = member("worker-0", "--join_deadline", 2 * END)
    server = member("ps-0", *tls("ps-0"), "--join_deadline", 3).ends(1)
    server.expect(
        r"did not come within 3s \(something listens there that does not speak TLS; was it started without --tls_cert"
    )
    chief.stop(1)


def test_refused(box, two, ports):
    """Each mistake by its name."""
    refuse = box.refused
    box.graphrun("certs", "foreign", *ports.flags)
    server = [two, "--job_name", "ps", *ports.flags]
    mine = ["--tls_cert", "certs/ps-0.crt"]
    refuse("go together; also give --tls_key and --tls_ca", *server, *mine)
    refuse("--tls_cert certs/none.crt: No such file", *server, *tls("none"))
    refuse(
        "is not the key of --tls_cert certs/ps-0.crt",
        *server,
        *mine,
        "--tls_key",
        "certs/worker-1.key",
        "--tls_ca",
        "certs/ca.crt",
    )
    refuse(
        "certs/ps-0.crt is for localhost, but this task.s address is 127.0.0.1:1",
        two,
        "--job_name",
        "ps",
        "--ps_hosts",
        "127.0.0.1:1",
        "--worker_hosts",
        "localhost:2,localhost:3",
        *tls("ps-0"),
    )
    refuse(
        "certs/worker-1.crt is of /job:worker/task:1, but this task is /job:ps/task:0: the others would refuse it",
        *server,
        *tls("worker-1"),
    )
    refuse(
        "is not vouched for by --tls_ca foreign/ca.crt",
        *server,
        *mine,
        "--tls_key",
        "certs/ps-0.key",
        "--tls_ca",
        "foreign/ca.crt",
    )
    shutil.copy(box / "certs/ps-0.key", box / "open.key")
    (box / "open.key").chmod(0o644)
    refuse(
        "every user of this machine can read; chmod 600 open.key",
        *server,
        *mine,
        "--tls_key",
        "open.key",
        "--tls_ca",
        "certs/ca.crt",
    )
    refuse(
        "need mutual TLS; give --tls_cert, --tls_key and --tls_ca",
        two,
        "--job_name",
        "ps",
        "--ps_hosts",
        "10.0.0.7:1",
        "--worker_hosts",
        "localhost:2,localhost:3",
    )
    refuse("for which hosts", "certs")
    refuse("unknown flag --cluser", "certs", "--cluser", "x")
    box.write("counts.json", {"ps": 1, "worker": ["a:1"]})
    refuse('counts.json:1:.*job "ps" has no addresses', "certs", "--cluster", "counts.json")


def test_not_used(box, two):
    """Every task on this machine: Unix sockets as ever, and that is said."""
    box.graphrun(two, "--steps", 5, *tls("ps-0")).expect("certificates are not used")
