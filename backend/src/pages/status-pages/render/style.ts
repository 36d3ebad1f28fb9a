/** The style of all pages. Colours have a contrast of 4.5 : 1 or more on their ground, in both themes. */
export const LIGHT_COLOURS = {
  b: '#fff',
  c: '#f6f7f9',
  t: '#1c2024',
  s: '#5a6370',
  l: '#d9dde3',
  u: '#1a7f4b',
  g: '#946200',
  d: '#c62f2f',
  m: '#2f5fc6',
  n: '#c3c9d1',
  a: '#2f5fc6',
} as const
const LIGHT = Object.entries(LIGHT_COLOURS)
  .map(([name, colour]) => `--${name}:${colour}`)
  .join(';')
const DARK =
  '--b:#111418;--c:#191d23;--t:#e8eaed;--s:#a3acb8;--l:#2d333b;--u:#3fb87b;--g:#d9a21b;--d:#f06a6a;--m:#7aa2f7;--n:#3c434d;--a:#8db0ff'

const RULES = `
*{box-sizing:border-box}body{margin:0;background:var(--b);color:var(--t);font:16px/1.5 system-ui,sans-serif}
main,header,footer{max-width:880px;margin:0 auto;padding:0 16px}header{padding-top:32px}footer{padding-bottom:40px;color:var(--s);font-size:14px}
h1{font-size:26px;line-height:1.2;margin:8px 0}h2{font-size:18px;margin:32px 0 8px}h3{font-size:16px;margin:0}.way{margin-top:24px}p{margin:4px 0;overflow-wrap:anywhere}
a{color:var(--a)}h1 a{color:inherit;text-decoration:none}a:focus-visible,button:focus-visible,input:focus-visible{outline:2px solid var(--a);outline-offset:2px}
img.logo{max-height:48px;max-width:100%}.s{color:var(--s);font-size:14px}.o{padding:16px;margin:16px 0;border-radius:8px;background:var(--c);border-left:6px solid;font-size:18px;font-weight:600}
.w{padding:12px 16px;border:1px solid var(--g);border-radius:8px;margin:16px 0}
ul{list-style:none;margin:0;padding:0}.k>li{padding:12px 0;border-bottom:1px solid var(--l)}.r{display:flex;justify-content:space-between;gap:12px;flex-wrap:wrap}.r h3{overflow-wrap:anywhere}
.u{color:var(--u);fill:var(--u)}.g{color:var(--g);fill:var(--g)}.d{color:var(--d);fill:var(--d)}.m{color:var(--m);fill:var(--m)}.n{fill:var(--n)}
.bars{display:block;width:100%;height:28px;margin:8px 0 0;cursor:pointer}.bars .u,.bars .n{fill:none;stroke:var(--u);stroke-width:28;stroke-dasharray:4 1}.bars .n{stroke:var(--n)}.chart{display:grid;grid-template-columns:auto 1fr;column-gap:8px;margin:8px 0 0}.chart .r{grid-column:2}.y{display:flex;flex-direction:column;justify-content:space-between;text-align:right;line-height:1}
.line{width:100%;height:48px;border:solid var(--n);border-width:0 0 1px}.line path{fill:none;stroke:var(--a);stroke-width:1.5;stroke-linecap:round;vector-effect:non-scaling-stroke}.line .f{fill:var(--a);stroke:none;opacity:.15}
article{border:1px solid var(--l);border-radius:8px;padding:12px 16px;margin:12px 0}article ol{list-style:none;margin:8px 0 0;padding:0}article ol li{padding:8px 0;border-top:1px solid var(--l)}article ol .s{white-space:nowrap}
nav{display:flex;gap:16px;flex-wrap:wrap;margin:24px 0}form label{display:block;margin:12px 0 4px}input{font:inherit;padding:8px;width:100%;max-width:320px;background:var(--b);color:var(--t);border:1px solid var(--s);border-radius:6px}
[hidden]{display:none!important}summary{cursor:pointer}summary:focus-visible{outline:2px solid var(--a);outline-offset:2px}
.grp>summary{display:flex;flex-wrap:wrap;gap:0 12px;justify-content:space-between;align-items:baseline;padding:10px 0;border-bottom:1px solid var(--l)}.grp>summary.s{justify-content:flex-start}.grp h2{margin:0;min-width:0;overflow-wrap:anywhere}.grp h2:before,summary.s:before,.w1 h3:before{content:"";display:inline-block;border:5px solid transparent;border-left-color:var(--s);border-right:0;margin-right:8px}[open]>summary h2:before,[open]>summary.s:before,[open]>.w1 h3:before{transform:rotate(90deg)}.grp>.k,.grp>.grp{padding-left:13px}
summary::-webkit-details-marker{display:none}summary{list-style:none}.k>li>details>summary.s{padding:4px 0}
.w1{display:grid;grid-template-columns:minmax(0,1fr) 240px 64px 112px;gap:0 12px;align-items:center}.k>li:has(>details>.w1){padding:0}.w1{padding:7px 0;min-height:38px}.w1 h3{font-size:15px;overflow-wrap:anywhere}.w1 .bars{height:20px;margin:0}.w1>span{text-align:right;font-size:14px;overflow-wrap:anywhere}.w1>:nth-child(2):is(.p){grid-column:3}
@media(max-width:640px){.w1{grid-template-columns:minmax(0,1fr) minmax(0,auto);padding:6px 0}.w1 .bars{grid-row:2;grid-column:1/3;height:12px}.w1 .p{display:none}}
.ds{list-style:none;margin:8px 0;padding:0}.ds li{padding:3px 0;overflow-wrap:anywhere}.day{margin:8px 0}.day input{width:100%;max-width:none;padding:0;margin:0;accent-color:var(--a)}.day p{min-height:24px}
.tip{position:fixed;z-index:2;max-width:min(320px,calc(100vw - 16px));padding:6px 10px;border-radius:6px;background:var(--t);color:var(--b);font-size:14px;overflow-wrap:anywhere;pointer-events:none}.tip *{color:inherit}
search{display:block;margin:24px 0 8px}search label{display:block;margin-bottom:4px}
.t{align-items:flex-start;flex-wrap:nowrap}.t>div{min-width:0;overflow-wrap:anywhere}.menu{position:relative;flex:none;margin-top:8px}.menu summary{padding:7px 14px;border:1px solid var(--s);border-radius:6px}.menu ul{position:absolute;z-index:1;right:0;top:calc(100% + 4px);min-width:200px;max-width:calc(100vw - 32px);padding:6px;background:var(--b);border:1px solid var(--l);border-radius:8px;box-shadow:0 6px 20px #0003}.menu li>*{display:block;padding:8px 10px;border-radius:4px}
input.c{width:auto}fieldset{border:1px solid var(--l);border-radius:8px;padding:12px 16px}button{font:inherit;padding:8px 16px;margin-top:12px;border:0;border-radius:6px;background:var(--t);color:var(--b);cursor:pointer}button.q{background:none;color:var(--t);border:1px solid var(--s)}
.e header,.e main,.e footer{max-width:none;padding:8px}.e .o{font-size:15px;padding:10px;margin:4px 0}
@media print{body{background:#fff;color:#000}nav{display:none}}
`.replaceAll('\n', '')

/** `accent`: `#rrggbb`, validated where it is stored. */
export function styleOf(theme: 'auto' | 'light' | 'dark', accent: string | null): string {
  const accented = accent === null ? '' : `;--a:${accent}`
  const light = `:root{color-scheme:light;${LIGHT}${accented}}`
  const dark = `:root{color-scheme:dark;${DARK}${accented}}`
  const themes = { auto: `${light}@media(prefers-color-scheme:dark){${dark}}`, light, dark }
  return themes[theme] + RULES
}
