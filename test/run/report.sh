#!/usr/bin/env bash
# The report opens in a real browser: without a network, in light and dark, wide and narrow, and draws what it says. Skipped
# with a message where no browser is installed; test/tools/graphc/report.test checks the page's structure everywhere.
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
browser=$(command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome)
if [[ -z $browser ]]; then
  echo "skipped: no chromium here (tools/setup.sh --tests installs one)"
  exit 77
fi
root=$(cd "$here/../.." && pwd)
echo '{"ps": 2, "worker": 3, "strategy": "parameter_server"}' > cluster.json
graphc "$root/examples/fashion-mnist/model.mlir" --partition cluster.json -o model.plan --report report.html 2> said.txt ||
  fail "graphc: $(cat said.txt)"

# What a script finds in the opened page: drawings that are inside their frames, and text that none cuts off.
{
  sed 's|</body>.*||; s|</html>.*||' report.html
  cat <<'SCRIPT'
<script>
const bad = [];
for (const svg of document.querySelectorAll('figure svg')) {
  const frame = svg.getBoundingClientRect();
  for (const part of svg.querySelectorAll('rect, path, text')) {
    const box = part.getBoundingClientRect();
    if (box.left < frame.left - 2 || box.right > frame.right + 2 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2)
      bad.push(part.outerHTML.slice(0, 120));
  }
}
const overflow = document.documentElement.scrollWidth > innerWidth + 1;
// Counted are parts that have a size: what is not drawn is not there.
const drawn = (what) => [...document.querySelectorAll(what)].filter((part) => part.getBoundingClientRect().width > 0).length;
document.body.setAttribute('data-found', drawn('.box') + ' boxes, ' + drawn('path.edge') + ' arrows, ' +
  drawn('figure .wait') + ' lanes, ' + (drawn('.library') >= 2 && drawn('.take') >= 2) + ' bars, ' + drawn('.area') + ' memories, ' +
  drawn('.bars tbody tr') + ' stores, ' + drawn('section[aria-labelledby=edges] tbody tr') + ' edges, ' + bad.length + ' outside, overflow ' + overflow);
document.body.setAttribute('data-bad', bad.join(' '));
</script></body></html>
SCRIPT
} > probe.html
for size in 1280,900 420,900; do
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$box/profile" --window-size=$size \
    --dump-dom "file://$box/probe.html" > dom.html 2> browser.txt || fail "the browser: $(tail -3 browser.txt)"
  found=$(grep -o 'data-found="[^"]*"' dom.html)
  [[ $found == 'data-found="3 boxes, 4 arrows, 3 lanes, true bars, 3 memories, 2 stores, 8 edges, 0 outside, overflow false"' ]] ||
    fail "at $size: $found $(grep -o 'data-bad="[^"]*"' dom.html | head -c 600)"
done
echo "the report opens: $found"
