#!/usr/bin/env bash
# Tasks by hand over mutual TLS on loopback; certificates that are wrong end with their names, and no task waits for ever.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
plan two 2 1 sync
timeout 60 graphrun two.plan --steps 30 --dump_variables launched >out.txt 2>err.txt || fail "the launched run"
take_ports
graphrun certs "${hosts[@]}" >certs.txt || fail "graphrun certs"
expect certs.txt '^certs/worker-0.crt +/job:worker/task:0 +127.0.0.1 +until 20'
[ "$(stat -c %a certs/ca.key certs/ps-0.key | sort -u)" = 600 ] || fail "private keys have mode 600"
graphrun certs "${hosts[@]}" | grep -c '(kept)' | grep -qx 4 || fail "a second call keeps all four"
graphrun certs foreign "${hosts[@]}" >/dev/null || fail "another authority"
task() { aside "$1" graphrun two.plan --steps 30 "${@:2}" "${hosts[@]}"; } # NAME ARGUMENTS…

task ps --job_name ps $(tls ps-0) --transport grpc
task w1 --job_name worker --task_index 1 $(tls worker-1) --transport grpc
task w0 --job_name worker $(tls worker-0) --transport grpc --dump_variables over-tls
status ps w0 w1
same_weights launched over-tls

# A foreign authority is named within seconds; a chief without TLS, and a task without it, is waited for and then named.
task w0 --job_name worker $(tls worker-0) --join_deadline 6
task alien --job_name ps $(tls ps-0 foreign) --join_deadline 60
task plain --job_name worker --task_index 1 --join_deadline 3
want=1 status w0 alien plain
expect alien.txt 'the chief /job:worker/task:0 at .*: the certificate that .* shows is not accepted by --tls_ca here'
expect plain.txt 'did not come within 3s \(something listens there that closes the connection; does it want --tls_cert'
task w0 --job_name worker --join_deadline 4
task ps --job_name ps $(tls ps-0) --join_deadline 3
want=1 status w0 ps
expect ps.txt 'did not come within 3s \(something listens there that does not speak TLS; was it started without --tls_cert'

refuse() { # PATTERN ARGUMENTS…: exit status 2, one line
  local pattern=$1; shift
  timeout 20 graphrun "$@" >refused.txt 2>&1
  [ $? -eq 2 ] || fail "exit status 2 of graphrun $*"
  expect refused.txt "$pattern" "graphrun $* must say '$pattern'"
}
task=(two.plan --job_name ps "${hosts[@]}")
refuse 'go together; also give --tls_key and --tls_ca' "${task[@]}" --tls_cert certs/ps-0.crt
refuse '--tls_cert certs/none.crt: No such file' "${task[@]}" $(tls none)
refuse 'is not the key of --tls_cert certs/ps-0.crt' "${task[@]}" --tls_cert certs/ps-0.crt --tls_key certs/worker-1.key --tls_ca certs/ca.crt
refuse 'certs/ps-0.crt is for localhost, but this task.s address is 127.0.0.1:1' two.plan --job_name ps --ps_hosts 127.0.0.1:1 --worker_hosts localhost:2,localhost:3 $(tls ps-0)
refuse 'certs/worker-1.crt is of /job:worker/task:1, but this task is /job:ps/task:0: the others would refuse it' "${task[@]}" $(tls worker-1)
refuse 'is not vouched for by --tls_ca foreign/ca.crt' "${task[@]}" --tls_cert certs/ps-0.crt --tls_key certs/ps-0.key --tls_ca foreign/ca.crt
cp certs/ps-0.key open.key; chmod 644 open.key
refuse 'every user of this machine can read; chmod 600 open.key' "${task[@]}" --tls_cert certs/ps-0.crt --tls_key open.key --tls_ca certs/ca.crt
refuse 'need mutual TLS; give --tls_cert, --tls_key and --tls_ca' two.plan --job_name ps --ps_hosts 10.0.0.7:1 --worker_hosts localhost:2,localhost:3
refuse 'for which hosts' certs
refuse 'unknown flag --cluser' certs --cluser x
echo '{"ps": 1, "worker": ["a:1"]}' >counts.json
refuse 'counts.json:1:.*job "ps" has no addresses' certs --cluster counts.json
# Every task on this machine: Unix sockets as ever, and that is said.
timeout 60 graphrun two.plan --steps 5 $(tls ps-0) >out.txt 2>&1 || fail "a launch with TLS flags"
expect out.txt 'certificates are not used'
rm -rf certs foreign
nothing_left
echo "over TLS the same weights; fourteen refusals, each named"
