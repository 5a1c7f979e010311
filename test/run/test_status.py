"""What a run shows while it runs: to graphrun status and curl of its user over a socket without a
name, to others over TCP with a secret or certificates, to Debian's Prometheus. And graphrun show:
what is in the files."""

import json
import os
import shutil
import socket
import stat
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from box import FOREVER, LOST, delay, tls
from process import SOON, until

SECRET = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def secret(box):
    path = box.write("secret", SECRET + "\n")
    path.chmod(0o600)
    return "secret"


def ask(path, where="/status.json", method="GET"):
    """Of a Unix socket: status and body."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        connection.connect(path)
        connection.sendall(f"{method} {where} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        answer = b""
        while piece := connection.recv(1 << 16):
            answer += piece
    head, body = answer.split(b"\r\n\r\n", 1)
    return int(head.split()[1]), body.decode()


def fetch(url, bearer=None):
    request = urllib.request.Request(
        url, headers={"Authorization": f"Bearer {bearer}"} if bearer else {}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def status(box, *which, **how):
    return json.loads(box.graphrun("status", *which, "--json", **how).out.text())


def socketOf(box, run):
    return box.graphrun("status", run.pid).out.matches("^asked at: (.*)$")[0]


def url(run):
    run.err.waitFor("status at https?://")
    return run.err.matches("status at (https?://[^ ]+/)$")[0]


def test_of_this_user(box, two):
    """One of two runs is found by its process, its folder and its socket; numbers go on; nobody can
    do more than look; nothing is left by kill -9."""
    run = box.trains(two, "--checkpoint_dir", "ckpt", "--save_checkpoint_steps", 20)
    other = box.trains(box.oneDevice("one", 1))
    box.checkpoint("ckpt")
    found = status(box)
    assert {run.pid, other.pid} <= {one.get("launcher_pid", one["pid"]) for one in found}
    assert [one["model"] for one in found].count("mlp.mlir") >= 2
    box.graphrun("status").out.expect(
        "^runs",
        rf"^ +{run.pid} +mlp.mlir +parameter_server \(sync\) +3 +(training|saving) ",
        rf"^ +{other.pid} +mlp.mlir +one_device +1 +training ",
    )
    first = status(box, "ckpt")
    assert first["launcher_pid"] == run.pid and first["checkpoint_dir"] == str(box / "ckpt")
    assert [task["name"] for task in first["tasks"]] == [
        "/job:worker/task:0",
        "/job:worker/task:1",
        "/job:ps/task:0",
    ]
    assert all(task["devices"] == ["CPU:0"] for task in first["tasks"])
    assert [task["pid"] for task in first["tasks"]] == [
        run.pidOf(task) for task in ("worker-0", "worker-1", "ps-0")
    ]
    assert all(first["now"] - task["last_heartbeat"] < SOON for task in first["tasks"])
    assert first["checkpoint"]["step"] % 20 == 0 and first["checkpoint"]["age_seconds"] >= 0
    path = socketOf(box, run)
    until(
        lambda: status(box, path)["progress"]["step"] > first["progress"]["step"] + 20,
        "the step goes on",
    )
    until(
        lambda: status(box, path)["checkpoint"]["step"] > first["checkpoint"]["step"],
        "checkpoints go on",
    )
    then = status(box, run.pid)
    assert (
        all(task["step"] > first["progress"]["step"] for task in then["tasks"])
        and "loss" in then["progress"]
    )
    page = ask(path, "/")
    assert (
        page[0] == 200
        and 'http-equiv="refresh"' in page[1]
        and "/job:worker/task:1" in page[1]
        and "<script" not in page[1]
    )
    assert [ask(path, "/", method)[0] for method in ("POST", "DELETE", "PUT")] == [405] * 3
    assert [
        ask(path, where)[0] for where in ("/x", "/metrics/", "/../etc/passwd", "/" + "a" * 3000)
    ] == [404, 404, 404, 414]
    box.graphrun("status", run.pidOf("worker-0")).out.expect("^tasks", "^  /job:ps/task:0 +CPU:0 ")
    watching = box.start("graphrun", "status", "ckpt", "--watch")
    watching.out.waitFor("^state: training")
    other.stop(status=1)
    os.kill(run.pidOf("worker-0"), 9)  # whose socket it is
    run.ends(LOST)
    watching.ends(0).err.expect("the run at .* has ended")
    box.nothingLeft()
    box.graphrun("status", "ckpt", status=1).err.expect(
        "^graphrun status: ckpt: no run of this user has its checkpoints there"
    )
    box.graphrun("status", 1, status=1).err.expect(
        "^graphrun status: 1: no run of this user has such a process"
    )


def answering(process):
    """Nanoseconds on a processor of the thread that answers."""
    (thread,) = [
        thread
        for thread in Path(f"/proc/{process}/task").iterdir()
        if (thread / "comm").read_text() == "responder\n"
    ]
    return int((thread / "schedstat").read_text().split()[0])


def test_cost(box):
    """An answer is the work of one thread, of less than 1 % of a second though somebody asks ten
    times in it: some 30 µs (test/bench/run.sh session looked-at)."""
    run = box.launch(box.oneDevice("one", 1), "--steps", FOREVER)
    path = until(lambda: run.err.matches("step [1-9]") and socketOf(box, run), "its socket")
    before = answering(run.pid)
    for _ in range(100):
        assert ask(path, "/metrics")[0] == 200
    assert 0 < answering(run.pid) - before < 100 * 1_000_000
    run.stop(status=1)


def test_asynchronous(box):
    """Workers that share no step: how far behind the first, and ahead of the last, each is."""
    run = box.trains(box.servers("async", 2, 1, "async"), env=delay(worker1=20000))
    path = socketOf(box, run)

    def slow():
        tasks = {task["name"]: task for task in status(box, path)["tasks"]}
        one, two = tasks["/job:worker/task:0"], tasks["/job:worker/task:1"]
        return (
            one["step"] > 100
            and two["lag_steps"] > 50
            and one["staleness_steps"] > 50
            and one["lag_steps"] == 0
            and two["staleness_steps"] == 0
        )

    until(slow, "the late worker falls behind")
    assert "lag_steps" not in status(box, path)["tasks"][2]
    run.stop(status=1)
    run = box.trains(
        box.servers("bounded", 2, 1, "async", max_staleness=3), env=delay(worker1=20000)
    )
    path = socketOf(box, run)
    told = status(box, path)
    assert told["max_staleness"] == 3 and all(
        task.get("staleness_steps", 0) <= 3 for task in told["tasks"]
    )
    run.stop(status=1)


def test_address(box, two, secret):
    """--status_address answers who brings the secret, and nobody else."""
    run = box.trains(two, "--status_address", "127.0.0.1:0", "--status_secret", secret)
    at = url(run)
    for bearer in None, "x" * 32:
        with pytest.raises(urllib.error.HTTPError) as refused:
            fetch(at + "metrics", bearer)
        assert refused.value.code == 401
    kind, metrics = fetch(at + "metrics", SECRET)
    assert kind == "text/plain; version=0.0.4; charset=utf-8" and "\ngraphc_step_total " in metrics
    address = at.removeprefix("http://").removesuffix("/")
    assert status(box, address, "--status_secret", secret)["launcher_pid"] == run.pid
    box.graphrun("status", address, status=1).err.expect("Unauthorized")
    # More connections than it takes.
    quiet = [socket.create_connection(("127.0.0.1", int(address.split(":")[1]))) for _ in range(40)]
    assert "\ngraphc_step_total " in fetch(at + "metrics", SECRET)[1]
    for connection in quiet:
        connection.close()
    taken = box.graphrun(
        box.oneDevice("one", 1),
        "--steps",
        1,
        "--status_address",
        address,
        "--status_secret",
        secret,
        status=1,
    )
    taken.err.expect(f"^graphrun: --status_address {address}: ")
    run.stop(status=1)


def test_address_with_certificates(box, two):
    """The run's certificates are what it shows, and asks for."""
    box.graphrun(
        "certs", "certs", "--worker_hosts", "localhost:1,localhost:2", "--ps_hosts", "localhost:3"
    )
    run = box.trains(two, "--local", "--status_address", "localhost:0", *tls("worker-0"))
    at = url(run)
    assert at.startswith("https://")
    address = at.removeprefix("https://").removesuffix("/")
    assert status(box, address, *tls("ps-0"))["launcher_pid"] == run.pid
    box.graphrun("status", address, status=1)  # without TLS
    curl = ["curl", "-sS", "--cacert", "certs/ca.crt", at + "metrics"]
    if shutil.which("curl"):
        box.run(*curl, "--cert", "certs/ps-0.crt", "--key", "certs/ps-0.key").out.expect(
            "^graphc_step_total "
        )
        box.run(*curl, status=(35, 55, 56))  # no certificate of its own
    run.stop(status=1)


def test_secret_is_kept(box, two, secret):
    """What is refused before anything runs."""
    box.refused("--status_secret FILE", two, "--status_address", "127.0.0.1:0")
    box.refused("--status_address HOST:PORT", two, "--status_secret", secret)
    box.refused("expected HOST:PORT", two, "--status_address", "9464", "--status_secret", secret)
    (box / secret).chmod(0o640)
    box.refused(
        "other users can read it; .*chmod 600 secret",
        two,
        "--status_address",
        "127.0.0.1:0",
        "--status_secret",
        secret,
    )
    box.write("short", "abc").chmod(0o600)
    box.refused(
        "16 to 1024 characters", two, "--status_address", "127.0.0.1:0", "--status_secret", "short"
    )
    box.refused(
        "none: No such file", two, "--status_address", "127.0.0.1:0", "--status_secret", "none"
    )
    box.refused(
        "not a regular file", two, "--status_address", "127.0.0.1:0", "--status_secret", "/dev/zero"
    )


def test_restarts(box, two):
    """A run whose tasks were started again says how often."""
    run = box.trains(
        two, "--checkpoint_dir", "ckpt", "--save_checkpoint_steps", 20, "--max_restarts", 3
    )
    box.checkpoint("ckpt")
    assert status(box, "ckpt")["restarts"] == 0
    os.kill(run.pidOf("worker-1"), 9)
    run.err.waitFor("restarting /job:worker/task:1")
    until(
        lambda: box.run("graphrun", "status", "ckpt", "--json", status=None).out.matches(
            '"restarts":1'
        ),
        "the run that was started again",
    )
    assert status(box, "ckpt")["checkpoint"]["step"] > 0
    run.stop(status=1)


def test_silent_task(box, two):
    """A task that is stopped is shown as silent before the run ends by its name."""
    run = box.trains(two)
    path = socketOf(box, run)
    os.kill(run.pidOf("ps-0"), 19)
    until(
        lambda: (
            [task["name"] for task in status(box, path)["tasks"] if task["state"] == "silent"]
            == ["/job:ps/task:0"]
        ),
        "the stopped task is silent",
        20,
    )
    assert 'graphc_task_up{task="/job:ps/task:0"} 0\n' in ask(path, "/metrics")[1]
    run.ends(LOST)


def test_prometheus(box, two, secret, ports):
    """Debian's Prometheus scrapes the chief: its own API has the step counter, and it rises;
    promtool finds nothing to say of the names."""
    if not shutil.which("prometheus"):
        pytest.skip("no prometheus (tools/setup.sh --tests installs it)")
    run = box.trains(
        two,
        "--status_address",
        "127.0.0.1:0",
        "--status_secret",
        secret,
        "--checkpoint_dir",
        "ckpt",
        "--save_checkpoint_steps",
        20,
    )
    at = url(run)
    with open(box.write("metrics", fetch(at + "metrics", SECRET)[1])) as metrics:
        checked = box.run("promtool", "check", "metrics", stdin=metrics)
    assert not checked.text().strip(), checked.text()
    box.write(
        "prometheus.yml",
        f"""
global: {{scrape_interval: 200ms}}
scrape_configs:
  - job_name: graphc
    authorization: {{credentials_file: {box / secret}}}
    static_configs: [{{targets: ['{at.removeprefix("http://").removesuffix("/")}']}}]
""",
    )
    server = box.start(
        "prometheus",
        "--config.file=prometheus.yml",
        "--storage.tsdb.path=data",
        f"--web.listen-address=127.0.0.1:{ports[0]}",
        "--log.level=warn",
    )

    def value(query):
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{ports[0]}/api/v1/query?query={urllib.parse.quote(query)}",
                timeout=60,
            ) as answer:
                found = json.load(answer)["data"]["result"]
        except OSError:
            return None  # it is not there yet
        return float(found[0]["value"][1]) if found else None

    first = until(lambda: value("graphc_step_total"), "Prometheus has the step")
    until(lambda: value("graphc_step_total") > first + 20, "the step rises")
    assert value('sum(graphc_task_up)') == 3
    assert value("sum(graphc_run_state)") == 1
    until(lambda: (value("rate(graphc_step_total[10s])") or 0) > 0, "a rate")
    assert value("time()-graphc_checkpoint_timestamp_seconds") < 60
    run.stop(status=1)
    until(lambda: value("up") == 0, "the end is seen")
    server.stop()


def test_show_plan(box, two):
    shown = json.loads(box.graphrun("show", two, "--json").out.text())
    assert (
        shown["kind"] == "plan"
        and shown["model"] == "mlp.mlir"
        and shown["strategy"] == "parameter_server (sync)"
        and shown["replicas"] == 2
    )
    assert [task["task"] for task in shown["tasks"]] == [
        "/job:worker/task:0",
        "/job:worker/task:1",
        "/job:ps/task:0",
    ]
    w1 = next(variable for variable in shown["variables"] if variable["name"] == "w1")
    assert (w1["type"], w1["bytes"], w1["task"], w1["location"]) == (
        "tensor<20x64xf32>",
        5120,
        "/job:ps/task:0",
        "mlp.mlir:2:1",
    )
    assert (
        sum(variable["bytes"] for variable in shown["variables"])
        == shown["tasks"][2]["variable_bytes"]
    )
    assert {phase["role"] for phase in shown["phases"]} == {"train", "eval"}
    assert {channel["kind"] for channel in shown["channels"]} >= {"control", ""}
    assert shown["datasets"][0]["samples"] == 203 and shown["code"][0]["for"] == "CPU"
    text = box.graphrun("show", two).out
    text.expect(
        "^model: mlp.mlir$",
        f"^fingerprint: {shown['fingerprint']}$",
        r"^variables \(9\)$",
        r"^  w1 +tensor<20x64xf32> +5.00 KiB +/job:ps/task:0 ",
    )
    data = (box / two).read_bytes()
    for at in 3, 9, 30, len(data) // 2:  # magic, version, digest, content
        box.write("damaged.plan", data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert (
            box.graphrun("show", "damaged.plan", status=1)
            .err.lines()[0]
            .startswith("graphrun show: damaged.plan: ")
        )
    box.write("short.plan", data[:-1])
    box.graphrun("show", "short.plan", status=1).err.expect(
        "^graphrun show: short.plan: truncated plan"
    )


def test_show_checkpoint(box, two):
    box.graphrun(two, "--steps", 90, "--checkpoint_dir", "ckpt", "--save_checkpoint_steps", 30)
    shown = json.loads(box.graphrun("show", "ckpt", "--json").out.text())
    assert [(one["step"], one["whole"]) for one in shown["checkpoints"]] == [
        (90, True),
        (60, True),
        (30, True),
    ]
    assert shown["newest_whole_step"] == 90 and {
        variable["name"] for variable in shown["variables"]
    } >= {"w1", "b1", "w1/Momentum", "global_step"}
    one = json.loads(box.graphrun("show", "ckpt/step-60", "--json").out.text())
    assert one["step"] == 60 and one["whole"] and one["samples_taken"]
    assert next(variable for variable in one["variables"] if variable["name"] == "w2") == {
        "name": "w2",
        "type": "tensor<64x4xf32>",
        "bytes": 1024,
        "in": ["ps-0.safetensors"],
    }
    made = (box / "ckpt/step-60/manifest.json").stat().st_mtime
    assert abs(time.mktime(time.strptime(one["made"][:19], "%Y-%m-%dT%H:%M:%S")) - made) < 3700
    box.graphrun("show", "ckpt/step-60/ps-0.safetensors").out.expect(
        "^step: 60$", "^whole: yes$", r"^  w1 +tensor<20x64xf32> +5.00 KiB$"
    )
    # One byte of a piece, then a manifest, then both gone.
    shard = box / "ckpt/step-90/ps-0.safetensors"
    data = shard.read_bytes()
    shard.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    for what in (
        "ckpt",
        "ckpt/step-90",
        "ckpt/step-90/ps-0.safetensors",
        "ckpt/step-90/manifest.json",
    ):
        damaged = box.graphrun("show", what, status=1)
        damaged.err.expect("^graphrun show: ckpt/step-90/ps-0.safetensors: crc32c")
        damaged.out.expect("whole: no|  90 .* no$|ps-0.safetensors .* no ")
    assert (
        json.loads(box.graphrun("show", "ckpt", "--json", status=1).out.text())["newest_whole_step"]
        == 60
    )
    shard.unlink()
    box.graphrun("show", "ckpt/step-90", status=1).err.expect("ps-0.safetensors: No such file")
    box.write("ckpt/step-60/manifest.json", b"{}")
    box.graphrun("show", "ckpt/step-60", status=1).err.expect(
        "^graphrun show: ckpt/step-60/manifest.json: the manifest does not end with its checksum"
    )
    box.graphrun("show", "ckpt", status=1).out.expect("^newest whole step: 30$")


def test_socket_is_private(box):
    """Only this user reaches it: by the kernel's check of /proc, and the socket's own mode."""
    run = box.trains(box.oneDevice("one", 1))
    path = socketOf(box, run)
    assert os.readlink(path).endswith("/status (deleted)")
    mode = os.stat(path)
    assert stat.S_ISSOCK(mode.st_mode) and mode.st_uid == os.geteuid() and not mode.st_mode & 0o022
    run.stop(status=1)
