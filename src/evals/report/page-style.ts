/** Light and dark by the reader's own setting; passed and failed differ by sign as well as by colour. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
  --back: #fff; --text: #1b1f24; --soft: #59636e; --line: #d1d9e0; --pass: #0b7a5c; --pass-back: #cdeee0; --fail: #b3361b; --fail-back: #fbd9cf;
  --infra: #7a6200; --infra-back: #f3e7b5; --none-back: #eef1f4; --one: #1f6feb; --two: #8250df; }
@media (prefers-color-scheme: dark) { :root { --back: #12161c; --text: #e3e8ee; --soft: #9aa5b1; --line: #333c47; --pass: #6fdcb4; --pass-back: #123d31;
  --fail: #ff9e85; --fail-back: #4b1f16; --infra: #e6cc62; --infra-back: #40370f; --none-back: #1d242c; --one: #6ea8ff; --two: #c2a1ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.35rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
.verdict { font-size: 1.15rem; font-weight: 600; margin: .25rem 0 .5rem; }
.note { color: var(--soft); font-size: .85rem; margin: .5rem 0 0; max-width: 48rem; }
dl { display: flex; flex-wrap: wrap; gap: .1rem 1.25rem; margin: .75rem 0 0; font-size: .8rem; color: var(--soft); }
dl div { display: flex; gap: .35rem; } dt::after { content: ":"; } dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; } .wide > svg { min-width: 34rem; }
table { border-collapse: collapse; font-size: .875rem; }
th { text-align: left; font-weight: 600; color: var(--soft); } th, td { padding: .25rem .9rem .25rem 0; vertical-align: top; border-bottom: 1px solid var(--line); }
td { overflow-wrap: anywhere; min-width: 2.5rem; } .right { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
svg { display: block; max-width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--text); } svg .soft { fill: var(--soft); } svg .grid { stroke: var(--line); } svg .axis { stroke: var(--soft); }
svg .one { stroke: var(--one); fill: var(--one); } svg .two { stroke: var(--two); fill: var(--two); } svg .band { stroke: none; opacity: .15; } svg .curve { fill: none; } svg .name { stroke: none; }
svg .margin { stroke: var(--infra); stroke-dasharray: 4 3; }
.heat td { border: 0; padding: 1px; vertical-align: middle; } .heat td:first-child, .heat th:first-child { padding-right: .75rem; min-width: 8rem; }
.heat .middle { text-align: center; padding: .25rem 1px; } .heat td.more, .heat th.more { padding-right: 0; padding-left: .9rem; }
.cell { display: block; width: 2rem; height: 1.6rem; line-height: 1.6rem; text-align: center; border-radius: 3px; text-decoration: none; font-weight: 600; }
a.cell:hover, a.cell:focus-visible { outline: 2px solid var(--text); outline-offset: -2px; }
.pass { background: var(--pass-back); color: var(--pass); } .fail { background: var(--fail-back); color: var(--fail); }
.infra { background: var(--infra-back); color: var(--infra); } .none { background: var(--none-back); color: var(--soft); }
.plain { color: var(--soft); font-size: .8rem; }
.trace { display: none; position: fixed; inset: 0; overflow: auto; background: var(--back); padding: 1rem; }
.trace:target { display: block; } .trace > div { max-width: 52rem; margin: 0 auto; padding-bottom: 4rem; }
.trace nav { position: sticky; top: -1rem; background: var(--back); padding: .5rem 0; display: flex; gap: 1.25rem; font-size: .9rem; }
.trace nav a { color: var(--one); } .trace h2 { margin-top: .5rem; overflow-wrap: anywhere; } .trace ul { padding-left: 1.2rem; }
.tag { padding: .05rem .45rem; border-radius: 3px; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; margin: 1rem 0; } .person { border-left: 3px solid var(--one); padding: .25rem 1rem; } .end { color: var(--soft); font-style: italic; }
details { margin: .5rem 0; border: 1px solid var(--line); border-radius: 6px; padding: .25rem .75rem; }
summary { cursor: pointer; font: .85rem ui-monospace, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: .8rem/1.45 ui-monospace, monospace; }
.error summary, .denied summary { color: var(--fail); } time { color: var(--soft); font-size: .75rem; }
@media print { .trace { display: none; } }
`;
