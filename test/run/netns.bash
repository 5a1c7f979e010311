# Sourced instead of harness.bash by tests whose tasks sit on "machines" of their own: network namespaces joined by veth pairs
# and a bridge. The test runs itself once more in namespaces (as root, or in a user namespace of its own), so that
# nothing of it is left behind however it ends. Skipped where the kernel does not permit that.
if [ -z "${GRAPHC_IN_NETNS:-}" ]; then
  for tool in ip tc unshare; do
    command -v $tool >/dev/null || PATH=$PATH:/usr/sbin:/sbin
    command -v $tool >/dev/null || { echo "skipped: $tool is missing (tools/setup.sh installs iproute2)"; exit 77; }
  done
  enter=(unshare --net --mount)
  [ "$(id -u)" -eq 0 ] && "${enter[@]}" true 2>/dev/null || enter=(unshare --user --map-root-user --net --mount)
  "${enter[@]}" sh -c 'mount -t tmpfs none /run && ip netns add probe && ip link add probe0 type veth peer name probe1' 2>/dev/null ||
    { echo "skipped: this machine does not permit network namespaces (root, or unprivileged user namespaces)"; exit 77; }
  GRAPHC_IN_NETNS=1 exec "${enter[@]}" bash "$0" "$@"
fi
mount -t tmpfs none /run || exit 1
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"

# machine N: a namespace "mN" at 10.77.0.N behind a switch that is this script's own namespace.
ip link add switch type bridge && ip link set switch up && ip link set lo up && ip addr add 10.77.0.254/24 dev switch || fail "no bridge"
machine() {
  ip netns add "m$1" && ip link add "port$1" type veth peer name eth0 netns "m$1" &&
    ip link set "port$1" master switch up && ip -n "m$1" link set lo up && ip -n "m$1" link set eth0 up &&
    ip -n "m$1" addr add "10.77.0.$1/24" dev eth0 || fail "machine $1"
}
on() { local n=$1; shift; ip netns exec "m$n" "$@"; } # on N COMMAND…

start() { aside "$1" ip netns exec "m$2" "${@:3}"; } # NAME N COMMAND…: aside, on machine N
ended() { # STATUS NAME…
  local want=$1 name; shift
  for name in "$@"; do
    for _ in $(seq 600); do [ -s "$name.rc" ] && break; sleep 0.1; done
    [ "$(cat "$name.rc")" = "$want" ] || fail "$name: exit status $(cat "$name.rc"), not $want"
  done
}
