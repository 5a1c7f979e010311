# For the cell `apart` of strategies.py: apart.bash STEPS (PLAN CLUSTER FOLDER)… runs each plan with every task of its cluster, such as
# "ps=1 worker=2", on a machine of its own (netns.bash) over mutual TLS; the variables go to FOLDER. Exit status 77: not permitted here.
source "$(dirname "${BASH_SOURCE[0]}")/netns.bash"
steps=$1 machines=0 all=0; shift
crossed() { awk '$1 ~ /^port/ { sum += $2 } END { printf "%d", sum }' /proc/net/dev; } # bytes that the machines gave the switch so far
while [ $# -gt 0 ]; do
  plan=$1 cluster=$2 folder=$3 tasks=() hosts=()
  for job in $cluster; do
    addresses=
    for index in $(seq 0 $((${job#*=} - 1))); do
      tasks+=("${job%=*}-$index")
      [ ${#tasks[@]} -le $machines ] || machine $((machines += 1))
      addresses+=,10.77.0.${#tasks[@]}:2222
    done
    hosts+=("--${job%=*}_hosts" "${addresses#,}")
  done
  certs=certs-${cluster// /-}
  graphrun certs "$certs" "${hosts[@]}" >certs.txt || fail "graphrun certs"
  rm -f ./*.rc stats.json
  before=$(crossed)
  for ((n = ${#tasks[@]}; n > 0; --n)); do
    task=${tasks[n - 1]}
    start "$task" $n graphrun "$plan" --steps "$steps" --job_name "${task%-*}" --task_index "${task#*-}" "${hosts[@]}" \
      $(tls "$task" "$certs") --dump_variables "$folder" $([ "$task" = worker-0 ] && echo --stats stats.json)
  done
  ended 0 "${tasks[@]}"
  sent=$(python3 -c 'import json; print(sum(task["bytes_sent"] for task in json.load(open("stats.json"))["tasks"].values()))')
  [ $(($(crossed) - before)) -ge "$sent" ] || fail "what tasks sent each other, $sent bytes, goes over the switch"
  all=$((all + sent))
  shift 3
done
[ $all -gt 0 ] || fail "tasks send each other something" # not of every model: towers that compute the same are one
