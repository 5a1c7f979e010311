#!/usr/bin/env bash
# Large tensors over gRPC with mutual TLS between two machines (network namespaces) whose link is shaped to RATE, beside what
# iperf3 gets out of the same link.   test/bench/run.sh link [--rounds N]   RATE=1gbit
# One JSON object a line: mbit_s is of payload, of one direction (both ways: of the slower one); the last lines are ratios.
source "$(dirname "${BASH_SOURCE[0]}")/../run/netns.bash"
rounds=3 rate=${RATE:-1gbit}
case ${1:-} in
  "") ;;
  --rounds) rounds=$2 ;;
  *) echo "link: unknown argument '$1'; known: --rounds N" >&2; exit 2 ;;
esac
command -v iperf3 >/dev/null || { echo "skipped: iperf3 is missing (apt-get install iperf3)"; exit 77; }

machine 1; machine 2
for n in 1 2; do # what leaves each machine; more than 20 ms of it waiting is dropped, as a switch would
  ip netns exec "m$n" tc qdisc add dev eth0 root tbf rate "$rate" burst 256kb latency 20ms || fail "the link cannot be shaped"
done
hosts=(--worker_hosts 10.77.0.1:2222,10.77.0.2:2222)
graphrun certs "${hosts[@]}" >certs.txt || fail "graphrun certs"
for case in link-one-way link-both-ways; do
  echo '{"worker": ["10.77.0.1:2222", "10.77.0.2:2222"], "strategy": "in_graph"}' >cluster.json
  graphc --partition cluster.json "$GRAPHC_ROOT/test/bench/models/$case.mlir" -o $case.plan 2>graphc.txt || fail "graphc, $case"
done

cat >rows.py <<'PY'
import json, sys
def iperf(case, path):
    end = json.load(open(path))["end"]
    sums = [end[name] for name in ("sum_received", "sum_received_bidir_reverse") if name in end]
    return dict(peer="iperf3", case=case, bytes=None, mean_ms=None, mbit_s=round(min(s["bits_per_second"] for s in sums) / 1e6, 1))
def graphc(case, path):
    tasks = json.load(open(path))["tasks"].values()
    step = max(1 / t["steps_per_s"] for t in tasks)
    moved = max(t["bytes_sent"] / t["steps"] for t in tasks)
    return dict(peer="graphc", case=case, bytes=int(moved), mean_ms=round(step * 1e3, 2), mbit_s=round(moved * 8e-6 / step, 1))
def ratios(path):
    rates = {}
    for line in open(path):
        found = json.loads(line)
        rates.setdefault(found["case"], {}).setdefault(found["peer"], []).append(found["mbit_s"])
    for case, peers in rates.items():
        middle = {peer: sorted(of)[len(of) // 2] for peer, of in peers.items()}
        rate = middle["graphc"] / middle["iperf3"]
        yield dict(ratio="graphc / iperf3", case=case, rate=round(rate, 3), required=0.85, reached=rate >= 0.85)
for found in ratios(sys.argv[2]) if sys.argv[1] == "ratios" else [globals()[sys.argv[1]](*sys.argv[2:])]:
    print(json.dumps(found), flush=True)
PY
show() { python3 rows.py "$@" | tee -a rows.json; }
listens() {
  for _ in $(seq 100); do on 2 ss -Hltn "sport = :5201" | grep -q . && return; sleep 0.05; done
  fail "iperf3 listens within five seconds"
}

for _ in $(seq "$rounds"); do
  for case in link-one-way link-both-ways; do
    start server 2 iperf3 --server --one-off
    listens
    both=(); [ $case = link-both-ways ] && both=(--bidir)
    on 1 iperf3 --client 10.77.0.2 --time 10 --json "${both[@]}" >iperf.json || fail "iperf3, $case"
    ended 0 server
    show iperf $case iperf.json
    start w1 2 graphrun $case.plan --job_name worker --task_index 1 "${hosts[@]}" $(tls worker-1) --steps 20
    start w0 1 graphrun $case.plan --job_name worker --task_index 0 "${hosts[@]}" $(tls worker-0) --steps 20 --stats stats.json
    ended 0 w1 w0
    show graphc $case stats.json
  done
done
python3 rows.py ratios rows.json
