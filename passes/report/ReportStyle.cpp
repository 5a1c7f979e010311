//===- ReportStyle.cpp - the style sheet of the report ----------------------------------------===//
#include "passes/report/ReportParts.h"

namespace graphc {

// Colours are variables, so that the drawings follow the reader's light or dark mode without a
// script. The kinds of the timeline differ in lightness as well as in hue and have patterns in
// their names on hover: colour alone carries nothing.
llvm::StringRef reportStyle() {
  return R"css(
:root { color-scheme: light dark; --page: #f7f7f5; --card: #ffffff; --ink: #1d2330; --soft: #5c6573; --line: #d5d9e0;
  --accent: #2457c5; --box: #eef3fd; --box-line: #7f9bd8; --call: #2f6fde; --library: #173a85; --send: #d9822b;
  --take: #2b8a5f; --give: #7d8796; --copy: #b5527a; --data: #8a5fb5; --wait: #e6e9ee; --area: #9dbcf2; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --page: #14171c; --card: #1c2027; --ink: #e8eaf0; --soft: #a0a8b5;
  --line: #353b46; --accent: #8fb2ff; --box: #222c40; --box-line: #5f7fbf; --call: #5b93f5; --library: #b4cdff;
  --send: #f0a04b; --take: #55b88a; --give: #8d97a6; --copy: #e08bb0; --data: #b491dd; --wait: #2c323c; --area: #3d5c96; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main, header, footer { max-width: 1120px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 28px; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 0 0 4px; } h3 { font-size: 15px; margin: 16px 0 4px; }
p { margin: 4px 0 12px; } .soft, figcaption, caption { color: var(--soft); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px; margin: 18px 0; }
.tiles { display: flex; flex-wrap: wrap; gap: 12px; margin: 16px 0 0; padding: 0; list-style: none; }
.tiles li { flex: 1 1 170px; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 10px 14px; }
.tiles b { display: block; font-size: 21px; font-weight: 600; } .tiles span { color: var(--soft); font-size: 13px; }
nav { margin: 14px 0 0; font-size: 14px; } nav a { margin-right: 16px; } a { color: var(--accent); }
figure { margin: 8px 0 0; overflow-x: auto; } figcaption { font-size: 13px; margin-top: 6px; }
svg { display: block; max-width: none; font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
svg text { fill: var(--ink); } svg .soft { fill: var(--soft); } svg .strong { font-weight: 600; font-size: 13px; }
.box { fill: var(--box); stroke: var(--box-line); stroke-width: 1.2; } .edge { fill: none; stroke: var(--accent); opacity: .8; }
.head { fill: var(--accent); } .axis { stroke: var(--line); stroke-width: 1; } .limit { stroke: var(--soft); stroke-dasharray: 5 4; }
.area { fill: var(--area); } .base { fill: var(--data); opacity: .65; }
.call { fill: var(--call); } .library { fill: var(--library); } .send { fill: var(--send); } .take { fill: var(--take); }
svg .inside { fill: var(--card); font-size: 11px; pointer-events: none; } .give { fill: var(--give); } .copy { fill: var(--copy); }
.data { fill: var(--data); } .wait { fill: var(--wait); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 0; margin: 8px 0 0; list-style: none; font-size: 13px; }
.legend svg { display: inline-block; vertical-align: -1px; margin-right: 6px; }
.zoom input { margin: 0 4px 0 14px; } .zoom label { font-size: 13px; } .zoom figure { display: none; }
.zoom input:nth-of-type(1):checked ~ figure:nth-of-type(1), .zoom input:nth-of-type(2):checked ~ figure:nth-of-type(2),
.zoom input:nth-of-type(3):checked ~ figure:nth-of-type(3) { display: flex; }
.zoom svg { flex: none; } .names { position: sticky; left: 0; background: var(--card); } summary { cursor: pointer; font-size: 14px; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 14px; }
caption { text-align: left; font-size: 13px; padding-bottom: 6px; }
th, td { text-align: left; padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; } .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: 13px ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
.bar { height: 12px; border-radius: 3px; background: var(--call); min-width: 2px; } .bars td:nth-child(3) { width: 45%; }
.warning { color: var(--bad); font-weight: 600; }
footer { padding-bottom: 40px; font-size: 13px; color: var(--soft); }
@media print { body { background: #fff; } section { break-inside: avoid; } nav { display: none; } }
)css";
}

} // namespace graphc
